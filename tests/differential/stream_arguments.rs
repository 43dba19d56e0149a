//! Arguments of stream commands. Ids grow with the requests, since an entry needs a larger id than the one before.

use super::generator::{Generator, words};
use super::pools::Pools;

type Argv = Vec<Vec<u8>>;

fn optional(generator: &mut Generator<'_>, choices: &[&str]) -> Argv {
    if generator.pools().one_in(2) { words(generator.pools().dice.pick::<&str>(choices)) } else { Vec::new() }
}

fn texts(ids: usize, pools: &mut Pools) -> Argv {
    (0..ids).map(|_| pools.stream_id()).collect()
}

pub fn add(generator: &mut Generator<'_>) -> Argv {
    let mut argv = vec![generator.key_of("stream")];
    argv.extend(optional(generator, &["NOMKSTREAM", "MAXLEN 3", "MAXLEN = 5", "MAXLEN ~ 2", "MAXLEN 0", "LIMIT 3"]));
    if generator.pools().one_in(6) {
        argv.extend([b"MINID".to_vec(), generator.pools().stream_id()]);
    }
    argv.push(generator.pools().new_stream_id());
    for _ in 0..=generator.pools().dice.roll(3) {
        argv.extend([generator.pools().value(), generator.pools().value()]);
    }
    argv
}

pub fn trim(generator: &mut Generator<'_>) -> Argv {
    let key = generator.key_of("stream");
    let bounds = ["MAXLEN 2", "MAXLEN = 1", "MAXLEN ~ 1", "MAXLEN 0", "MAXLEN ~ 0 LIMIT 2", "MAXLEN 1 LIMIT 1"];
    match generator.pools().one_in(2) {
        true => [vec![key], words(generator.pools().dice.pick::<&str>(&bounds))].concat(),
        false => vec![key, b"MINID".to_vec(), generator.pools().stream_id()],
    }
}

pub fn delete(generator: &mut Generator<'_>) -> Argv {
    let key = generator.key_of("stream");
    let count = 1 + generator.pools().dice.roll(4) as usize;
    [vec![key], texts(count, generator.pools())].concat()
}

pub fn range(generator: &mut Generator<'_>) -> Argv {
    let mut argv = vec![generator.key_of("stream")];
    argv.extend((0..2).map(|_| generator.pools().stream_bound()));
    argv.extend(optional(generator, &["COUNT 1", "COUNT 3", "COUNT 0", "COUNT -1"]));
    argv
}

pub fn set_id(generator: &mut Generator<'_>) -> Argv {
    let mut argv = vec![generator.key_of("stream"), generator.pools().last_stream_id()];
    argv.extend(optional(generator, &["ENTRIESADDED 100", "ENTRIESADDED 1", "MAXDELETEDID 0-1", "MAXDELETEDID 9"]));
    argv
}

pub fn read(generator: &mut Generator<'_>) -> Argv {
    let mut argv = optional(generator, &["COUNT 1", "COUNT 0", "BLOCK 0", "BLOCK 100000"]);
    argv.push(b"STREAMS".to_vec());
    let count = 1 + generator.pools().dice.roll(2) as usize;
    argv.extend((0..count).map(|_| generator.key_of("stream")));
    argv.extend((0..count).map(|_| match generator.pools().dice.roll(4) {
        0 => b"$".to_vec(),
        // 7.0 has no `+`.
        _ => generator.pools().stream_id(),
    }));
    argv
}

const GROUPS: &[&str] = &["g", "g", "g", "h", "none"];
const CONSUMERS: &[&str] = &["ann", "ann", "bob", "cat"];

/// Key and group, and a consumer.
fn group(generator: &mut Generator<'_>) -> Argv {
    let key = generator.key_of("stream");
    [vec![key], words(generator.pools().dice.pick::<&str>(GROUPS))].concat()
}

fn consumer(generator: &mut Generator<'_>) -> Argv {
    [group(generator), words(generator.pools().dice.pick::<&str>(CONSUMERS))].concat()
}

pub fn create_group(generator: &mut Generator<'_>) -> Argv {
    let mut argv = group(generator);
    argv.extend(words(generator.pools().dice.pick::<&str>(&["0", "0", "$", "1"])));
    argv.extend(optional(generator, &["MKSTREAM", "MKSTREAM", "ENTRIESREAD 2", "ENTRIESREAD -1", "ENTRIESREAD x"]));
    argv
}

pub fn set_group(generator: &mut Generator<'_>) -> Argv {
    let mut argv = group(generator);
    argv.push(generator.pools().stream_id());
    argv.extend(optional(generator, &["ENTRIESREAD 2", "ENTRIESREAD 0"]));
    argv
}

pub fn destroy_group(generator: &mut Generator<'_>) -> Argv {
    // Most groups stay, so that others have one.
    if generator.pools().one_in(4) { group(generator) } else { words("missing g") }
}

pub fn edit_consumer(generator: &mut Generator<'_>) -> Argv {
    consumer(generator)
}

pub fn acknowledge(generator: &mut Generator<'_>) -> Argv {
    let count = 1 + generator.pools().dice.roll(3) as usize;
    [group(generator), texts(count, generator.pools())].concat()
}

pub fn read_group(generator: &mut Generator<'_>) -> Argv {
    let names = consumer(generator);
    let mut argv = words("GROUP");
    argv.extend_from_slice(&names[1..]);
    argv.extend(optional(generator, &["COUNT 1", "COUNT 2", "NOACK", "BLOCK 0", "BLOCK 100000"]));
    argv.push(b"STREAMS".to_vec());
    argv.push(names[0].clone());
    argv.push(match generator.pools().dice.roll(4) {
        0 => generator.pools().stream_id(),
        _ => b">".to_vec(),
    });
    argv
}

pub fn claim(generator: &mut Generator<'_>) -> Argv {
    let mut argv = consumer(generator);
    argv.extend(words(generator.pools().dice.pick::<&str>(&["0", "0", "100000000"])));
    let count = 1 + generator.pools().dice.roll(3) as usize;
    argv.extend(texts(count, generator.pools()));
    argv.extend(optional(
        generator,
        &["FORCE", "FORCE JUSTID", "JUSTID", "RETRYCOUNT 3", "LASTID 3", "TIME 1", "OTHER"],
    ));
    argv
}

pub fn claim_idle(generator: &mut Generator<'_>) -> Argv {
    let mut argv = consumer(generator);
    argv.extend(words(generator.pools().dice.pick::<&str>(&["0", "0", "100000000"])));
    argv.push(generator.pools().stream_bound());
    argv.extend(optional(generator, &["COUNT 1", "COUNT 2 JUSTID", "JUSTID", "COUNT 0"]));
    argv
}

pub fn pending(generator: &mut Generator<'_>) -> Argv {
    let mut argv = group(generator);
    argv.extend(optional(generator, &["- + 9", "- + 1", "- + 9 ann", "(1 + 3", "- + x"]));
    argv
}

/// A command of consumers behind requests that create the group, and the consumer: 7.0 creates one with the first entry that
/// it gets, and newer versions at once.
pub fn behind_group(name: &str, argv: Argv) -> Vec<Argv> {
    match name {
        "xpending" => created(argv.get(1), argv.get(2..3), argv.clone()),
        "xclaim" | "xautoclaim" => created(argv.get(1), argv.get(2..4), argv.clone()),
        "xgroup|createconsumer" | "xgroup|delconsumer" | "xgroup|setid" => {
            created(argv.get(2), argv.get(3..4), argv.clone())
        }
        "xreadgroup" => {
            let position = |word: &str| argv.iter().position(|other| other.eq_ignore_ascii_case(word.as_bytes()));
            let (Some(group), Some(streams)) = (position("GROUP"), position("STREAMS")) else { return vec![argv] };
            created(argv.get(streams + 1), argv.get(group + 1..group + 3), argv.clone())
        }
        _ => vec![argv],
    }
}

/// A request behind those that create its group, and the consumer if one is named.
fn created(key: Option<&Vec<u8>>, names: Option<&[Vec<u8>]>, argv: Argv) -> Vec<Argv> {
    let (Some(key), Some(names)) = (key, names) else { return vec![argv] };
    let begin = |command: &str, names: &[Vec<u8>]| [words(command), vec![key.clone()], names.to_vec()].concat();
    let mut requests = vec![[begin("XGROUP CREATE", &names[..1]), words("0 MKSTREAM")].concat()];
    if names.len() > 1 {
        requests.push(begin("XGROUP CREATECONSUMER", names));
    }
    requests.push(argv);
    requests
}
