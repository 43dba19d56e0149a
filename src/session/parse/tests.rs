//! Tests of the parser with whole sessions.

use super::*;

fn expected(action: &Action) -> Vec<&str> {
    action.expected.iter().map(|expectation| expectation.text.as_str()).collect()
}

fn events(action: &Action) -> Vec<&str> {
    action.expected_events.iter().map(|expectation| expectation.text.as_str()).collect()
}

fn failure(text: &str) -> (usize, usize) {
    let error = parse(text).expect_err(text);
    assert!(!error.message.is_empty());
    (error.line, error.column)
}

#[test]
fn a_session_with_every_kind_of_line() {
    let text = "\
## Title
# a note
redis> SET k v PX 100
OK
! set k
! expire k

A[1](TX)> GET \"a b\"
(nil)
(1.00s)
@ +101ms
! expired k
@ next
@ 2026-01-01T00:00:00Z
B<
1) \"message\"
| > literal
|
redis>
127.0.0.1:6379> KEYS *
(empty list or set)
";
    let session = parse(text).unwrap();
    let kinds: Vec<(usize, &str)> = session.actions.iter().map(|a| (a.line, a.kind.name())).collect();
    let wanted = [
        (1, "heading"),
        (2, "comment"),
        (3, "command"),
        (8, "command"),
        (11, "clock"),
        (13, "clock"),
        (14, "clock"),
        (15, "receive"),
        (20, "command"),
    ];
    assert_eq!(kinds, wanted);
    let actions = &session.actions;
    assert_eq!((actions[2].client.as_str(), actions[2].name.as_str()), ("", "redis"));
    assert_eq!((actions[2].column, actions[2].text.as_str()), (8, "SET k v PX 100"));
    assert_eq!((expected(&actions[2]), events(&actions[2])), (["OK"].to_vec(), ["set k", "expire k"].to_vec()));
    assert_eq!((actions[3].client.as_str(), actions[3].column), ("A", 11));
    assert_eq!(expected(&actions[3]), ["(nil)"]);
    assert_eq!(events(&actions[4]), ["expired k"]);
    assert_eq!(actions[4].kind, StepKind::Clock(ClockMove::ByMs(101)));
    assert_eq!(expected(&actions[7]), ["1) \"message\"", "> literal", ""]);
    assert_eq!(actions[7].expected[2].line, 18);
    assert_eq!((actions[8].client.as_str(), actions[8].name.as_str()), ("", "127.0.0.1:6379"));
}

#[test]
fn replies_and_events_find_their_line_across_others() {
    let session = parse("> GET a\n# why\n@ +1s\n(nil)\n! expired a\nA<\n! expired b\n").unwrap();
    assert_eq!(expected(&session.actions[0]), ["(nil)"]);
    assert_eq!(events(&session.actions[2]), ["expired a", "expired b"]);
    assert!(session.actions[3].expected.is_empty());
}

#[test]
fn an_indented_block_is_dedented_but_its_replies_keep_their_own_indentation() {
    let text = "    > KEYS *\n    1) 1) \"a\"\n       2) \"b\"\n\n> GET x\n(nil)\n\n\t> GET y\n\n\t   z\n";
    let session = parse(text).unwrap();
    assert_eq!(expected(&session.actions[0]), ["1) 1) \"a\"", "   2) \"b\""]);
    assert_eq!(session.actions[0].column, 7);
    assert_eq!(expected(&session.actions[1]), ["(nil)"]);
    assert_eq!(expected(&session.actions[2]), ["   z"]);
    let session = parse("> EXEC\n\n   2) \"b\"\n\n   # note\n").unwrap();
    assert_eq!(expected(&session.actions[0]), ["   2) \"b\""]);
    assert_eq!(session.actions[1].text, "note");
    let session = parse("> GET a\n   > GET b\n").unwrap();
    assert_eq!(expected(&session.actions[0]), ["   > GET b"]);
}

#[test]
fn windows_line_ends_a_byte_order_mark_and_emptiness_are_fine() {
    let session = parse("\u{feff}> GET a\r\n\"b\"\r\n\r\n").unwrap();
    assert_eq!((session.actions[0].text.as_str(), expected(&session.actions[0])), ("GET a", ["\"b\""].to_vec()));
    assert_eq!(parse("").unwrap(), Session::default());
    assert_eq!(parse("\n \n\t\n").unwrap(), Session::default());
}

#[test]
fn a_stray_line_is_refused_with_its_place() {
    assert_eq!(failure("# hello\nOK\n> PING\n"), (2, 1));
    assert_eq!(failure("  # hello\n  | x\n"), (2, 5));
    assert_eq!(failure("@ +1s\nOK\n"), (2, 1));
    assert_eq!(failure("A<\n! expired k\n"), (2, 3));
    assert_eq!(failure("> PING\n@ +5x\n"), (2, 3));
    assert_eq!(failure("> PING\n@ 2026-02-30T00:00:00Z\n"), (2, 3));
    assert_eq!(failure("> PING\n! expired\n"), (2, 3));
    assert_eq!(failure("> PING\n! expired a b\n"), (2, 3));
    assert_eq!(failure("> PING\n! expired \"a\n").0, 2);
}

#[test]
fn a_race_has_marks_guards_and_an_end() {
    let text = "@ race\nA> SET k a NX\nOK\nA+\nredis+\nA-\n@ +1s\n@ join\n@ race\nA+\n@ join\n";
    let kinds: Vec<&str> = parse(text).unwrap().actions.iter().map(|action| action.kind.name()).collect();
    let first = ["race", "command", "enter", "enter", "leave", "clock", "join"];
    assert_eq!(kinds, [&first[..], &["race", "enter", "join"]].concat());
    let session = parse(text).unwrap();
    assert_eq!((session.actions[2].client.as_str(), session.actions[3].client.as_str()), ("A", ""));
    assert_eq!((session.actions[0].column, session.actions[2].column, session.actions[2].text.as_str()), (3, 1, ""));
}

#[test]
fn a_line_of_a_race_in_the_wrong_place_is_refused() {
    assert_eq!(failure("> PING\n@ race\n> PING\n"), (2, 3));
    assert_eq!(failure("@ race\n@ race\n@ join\n"), (2, 3));
    assert_eq!(failure("> PING\n@ join\n"), (2, 3));
    assert_eq!(failure("  > PING\n  A+\n"), (2, 3));
    assert_eq!(failure("@ race\nA> PING\n@ join\nA-\n"), (4, 1));
    let blanks = parse("> ECHO x\n\u{a0}\n   ! set k\n").unwrap();
    assert_eq!(expected(&blanks.actions[0]), ["\u{a0}", "   ! set k"], "not the end of a block");
    assert_eq!(expected(&parse("> ECHO A+\n| A+\n").unwrap().actions[0]), ["A+"]);
}

#[test]
fn event_keys_are_quoted_as_in_a_command() {
    for key in
        [&b"k"[..], b"a:b{c}", b"", b"a b", b"\"", b"'", b"\\x41", b"\xff\x00\n", "größe".as_bytes(), b"\x7f", b"a\\"]
    {
        let text = event_text("expired", key);
        let session = parse(&format!("> PING\n! {text}\n")).unwrap();
        assert_eq!(events(&session.actions[0]), [text.as_str()]);
    }
    let session = parse("> PING\n! expired \"k\"\n! del 'a b'\n").unwrap();
    assert_eq!(events(&session.actions[0]), ["expired k", "del \"a b\""]);
}

#[test]
fn no_text_stops_the_reader() {
    const PIECES: [&str; 25] = [
        "> ",
        "A",
        "<",
        "+\n",
        "-\n",
        "@ race\n",
        "@ ",
        "+",
        "99999999999999999999d",
        "-5s",
        "! ",
        "\"",
        "\\x",
        "'",
        "|",
        "#",
        " ",
        "\t",
        "\n",
        "\r\n",
        "\u{feff}",
        "é",
        "[1](TX)",
        "@ join\n",
        "2026-99-99T00:00:00Z",
    ];
    let mut random = crate::base::random::Random::new(3);
    for _ in 0..20_000 {
        let text: String = (0..random.below(12)).map(|_| PIECES[random.below(PIECES.len() as u64) as usize]).collect();
        match parse(&text) {
            Ok(session) => {
                assert!(session.actions.iter().all(|action| action.line > 0 && action.column > 0), "{text:?}")
            }
            Err(error) => assert!(error.line > 0 && error.column > 0 && !error.message.is_empty(), "{text:?}"),
        }
    }
}
