//! Units, the databases they select, and effects of any length.

use super::*;
use alloc::string::String;

fn stated(effects: &mut Effects, database: u8, words: &[&str]) {
    effects.changed();
    effects.state(database, |effect| {
        words.iter().for_each(|word| {
            effect.bytes(word.as_bytes());
        });
    });
}

fn words(piece: &[u8]) -> String {
    let text = String::from_utf8_lossy(piece).replace("\r\n", " ");
    text.split(' ').filter(|word| !word.starts_with(['*', '$'])).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_unit_of_several_effects_is_framed_and_databases_are_selected() {
    let mut effects = Effects::default();
    effects.want(true);
    stated(&mut effects, 0, &["DEL", "a"]);
    effects.end_unit();
    stated(&mut effects, 0, &["DEL", "b"]);
    stated(&mut effects, 3, &["DEL", "c"]);
    effects.end_unit();
    let piece = effects.take(Timestamp::from_ms(42), 0);
    let expected = "#KL:42 v1 SELECT 0 DEL a MULTI DEL b SELECT 3 DEL c EXEC ";
    assert_eq!(words(&piece), expected);
    assert!(effects.take(Timestamp::from_ms(43), 0).is_empty());
    stated(&mut effects, 3, &["DEL", "d"]);
    effects.end_unit();
    assert_eq!(words(&effects.take(Timestamp::from_ms(44), 99)), "#KL:44 v2 99 SELECT 3 DEL d ");
}

#[test]
fn a_running_unit_stays_when_effects_are_taken() {
    for first_database in [0, 3] {
        let mut effects = Effects::default();
        effects.want(true);
        stated(&mut effects, 0, &["DEL", "a"]);
        effects.end_unit();
        stated(&mut effects, first_database, &["DEL", "b"]);
        assert_eq!(words(&effects.take(Timestamp::from_ms(1), 0)), "#KL:1 v1 SELECT 0 DEL a ");
        assert!(effects.is_empty() && effects.take(Timestamp::from_ms(2), 0).is_empty());
        stated(&mut effects, first_database, &["DEL", &"x".repeat(FULL_BYTES)]);
        assert!(!effects.is_full() && effects.take(Timestamp::from_ms(2), 0).is_empty());
        stated(&mut effects, 5, &["DEL", "c"]);
        effects.end_unit();
        let expected = format!("#KL:3 v1 SELECT {first_database} MULTI DEL b DEL x SELECT 5 DEL c EXEC ");
        assert!(effects.is_full());
        assert_eq!(words(&effects.take(Timestamp::from_ms(3), 0)).replace(&"x".repeat(FULL_BYTES), "x"), expected);
    }
}

#[test]
fn an_abandoned_unit_leaves_nothing_and_the_next_one_selects_its_database() {
    for before in [false, true] {
        let mut effects = Effects::default();
        effects.want(true);
        if before {
            stated(&mut effects, 0, &["DEL", "a"]);
            effects.end_unit();
        }
        let count = effects.count();
        stated(&mut effects, 3, &["DEL", "b"]);
        stated(&mut effects, 0, &["DEL", "c"]);
        effects.abandon_unit();
        assert_eq!(effects.count(), count);
        stated(&mut effects, 0, &["DEL", "d"]);
        effects.end_unit();
        let first = if before { "SELECT 0 DEL a " } else { "" };
        assert_eq!(words(&effects.take(Timestamp::from_ms(1), 0)), format!("#KL:1 v1 {first}SELECT 0 DEL d "));
    }
}

#[test]
fn effects_of_any_length_are_arrays_of_bulk_strings() {
    let arguments: Vec<Vec<u8>> =
        [0, 1, 9, 10, 11, 63, 64, 65, 99, 100, 101, 5000].map(|len| alloc::vec![b'x'; len]).into();
    for count in [1, 2, 9, 10, 11, 99, 100, 101, 1234] {
        let mut effects = Effects::default();
        effects.want(true);
        effects.changed();
        let named = || arguments.iter().cycle().take(count);
        effects.state(0, |effect| {
            named().for_each(|argument| {
                effect.bytes(argument);
            });
        });
        effects.end_unit();
        let mut expected = b"#KL:7 v1\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n0\r\n".to_vec();
        expected.extend_from_slice(format!("*{count}\r\n").as_bytes());
        for argument in named() {
            expected.extend_from_slice(format!("${}\r\n", argument.len()).as_bytes());
            expected.extend_from_slice(argument);
            expected.extend_from_slice(b"\r\n");
        }
        assert!(effects.take(Timestamp::from_ms(7), 0) == expected, "{count}");
    }
}

#[test]
fn nothing_is_built_while_effects_are_not_wanted() {
    let mut effects = Effects::default();
    stated(&mut effects, 0, &["DEL", "a"]);
    effects.end_unit();
    assert!(effects.take(Timestamp::MIN, 0).is_empty());
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "a change without an effect")]
fn a_change_without_an_effect_is_a_defect() {
    let mut effects = Effects::default();
    effects.want(true);
    effects.changed();
    effects.end_unit();
}
