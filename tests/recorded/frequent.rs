//! The most frequent commands of hosts, on few keys, so that their fast paths are well covered.

use super::dice::Dice;

type Request = Vec<Vec<u8>>;

/// Requests with their weights. Letters stand for words: see [`word`].
const TEMPLATES: &[(u64, &str)] = &[
    (14, "GET K"),
    (12, "SET K V"),
    (5, "SET K V PX T"),
    (2, "SET K V EX N"),
    (3, "SET K V NX"),
    (3, "SET K V NX PX T"),
    (1, "SET K V XX"),
    (1, "SET K V XX GET"),
    (1, "SET K V KEEPTTL"),
    (1, "SET K V GET"),
    (1, "SET K V IFEQ V"),
    (3, "SETNX K V"),
    (1, "SETEX K N V"),
    (1, "PSETEX K T V"),
    (1, "GETSET K V"),
    (1, "GETEX K PX T"),
    (1, "GETDEL K"),
    (4, "DEL K"),
    (1, "DEL K K A"),
    (1, "UNLINK K A"),
    (3, "EXISTS K"),
    (1, "EXISTS K K A"),
    (4, "INCR K"),
    (1, "DECR K"),
    (1, "INCRBY K N"),
    (2, "EXPIRE K N"),
    (1, "PEXPIRE A T"),
    (1, "PERSIST A"),
    (2, "TTL K"),
    (1, "PTTL A"),
    (3, "MGET K K K"),
    (1, "MGET K A"),
    (2, "MSET K V K V"),
    (1, "MSETNX K V K V"),
    (2, "DELEX K"),
    (2, "DELEX K IFEQ V"),
    (1, "APPEND K V"),
    (1, "STRLEN K"),
    (1, "TYPE A"),
    (1, "TOUCH K A"),
    (4, "HGET H F"),
    (4, "HSET H F V"),
    (1, "HSET H F V F V"),
    (1, "HMGET H F F"),
    (1, "HDEL H F"),
    (1, "HGETALL H"),
    (1, "HINCRBY H F N"),
    (1, "HPEXPIRE H T FIELDS 1 F"),
    (3, "SADD S V"),
    (1, "SREM S V"),
    (1, "SISMEMBER S V"),
    (3, "LPUSH L V"),
    (1, "RPUSH L V V"),
    (3, "RPOP L"),
    (1, "LPOP L 2"),
    (1, "LRANGE L 0 3"),
    (3, "ZADD Z N V"),
    (1, "ZSCORE Z V"),
    (1, "ZRANGE Z 0 3"),
    (1, "ZINCRBY Z N V"),
    (1, "PING"),
    // Without required arguments.
    (1, "GET"),
    (1, "SET K"),
];
/// Number of the first templates that make the longest runs of one kind.
const PLAIN: usize = 2;
const LONG_BYTES: u64 = 1_400;

pub fn any(dice: &mut Dice) -> Request {
    let total = TEMPLATES.iter().map(|(weight, _)| weight).sum();
    let mut number = dice.roll(total);
    let found = TEMPLATES.iter().find(|(weight, _)| match number.checked_sub(*weight) {
        Some(rest) => {
            number = rest;
            false
        }
        None => true,
    });
    let (_, template) = found.expect("the number is below the sum of the weights");
    made(template, dice)
}

/// GET and SET without options.
pub fn plain(dice: &mut Dice) -> Request {
    let (_, template) = *dice.pick(&TEMPLATES[..PLAIN]);
    made(template, dice)
}

fn made(template: &str, dice: &mut Dice) -> Request {
    let mut request: Request = template.split(' ').map(|letter| word(letter, dice)).collect();
    match dice.roll(16) {
        0 => request[0].make_ascii_lowercase(),
        1 => request[0][0].make_ascii_lowercase(),
        _ => {}
    }
    request
}

fn word(letter: &str, dice: &mut Dice) -> Vec<u8> {
    match letter {
        "K" => key(dice, "k", 12),
        "H" => key(dice, "h", 3),
        "S" => key(dice, "s", 3),
        "L" => key(dice, "l", 3),
        "Z" => key(dice, "z", 3),
        "A" => key(dice, "khslz", 4),
        "F" => format!("f{}", dice.roll(6)).into_bytes(),
        "N" => (dice.roll(12) as i64 - 1).to_string().into_bytes(),
        "T" => dice.roll(2_500).to_string().into_bytes(),
        "V" => value(dice),
        _ => letter.as_bytes().to_vec(),
    }
}

/// A key of one of some letters; seldom one of the rows' own, a long one, or none at all.
fn key(dice: &mut Dice, letters: &str, count: u64) -> Vec<u8> {
    match dice.roll(40) {
        0 => format!("string{}", 1 + dice.roll(2)).into_bytes(),
        1 => [&b"k\xff"[..], &[b'0'; 120]].concat(),
        2 => Vec::new(),
        3 => key(dice, "khslz", 3),
        _ => {
            let letter = *dice.pick(letters.as_bytes()) as char;
            format!("{letter}{}", dice.roll(count)).into_bytes()
        }
    }
}

fn value(dice: &mut Dice) -> Vec<u8> {
    match dice.roll(24) {
        0 => vec![b'v'; dice.roll(LONG_BYTES) as usize],
        1 => vec![b'w'; dice.roll(90) as usize],
        2 => b"\0\r\n\xff".to_vec(),
        3..8 => format!("text {}", dice.roll(8)).into_bytes(),
        _ => dice.roll(12).to_string().into_bytes(),
    }
}
