//! Draws calls of the libraries: a text of Lua, and data that it reads as ARGV[1].

use crate::dice::Dice;

/// Draws a call.
pub fn call(dice: &mut Dice) -> (String, Vec<u8>) {
    match dice.roll(12) {
        0 => (format!("return cjson.encode({})", value(dice, 4, false)), Vec::new()),
        1 => (format!("return cjson.decode(cjson.encode({}))", value(dice, 4, true)), Vec::new()),
        2 | 3 => ("return cjson.decode(ARGV[1])".into(), json(dice)),
        4 => (configured(dice), json(dice)),
        5 => {
            let values = list(dice, 3, |dice| value(dice, 3, false));
            (format!("return cmsgpack.pack({values})"), Vec::new())
        }
        6 => {
            let values = list(dice, 3, |dice| value(dice, 3, true));
            (format!("return cmsgpack.unpack(cmsgpack.pack({values}))"), Vec::new())
        }
        7 => (unpack(dice), message(dice)),
        8 => (format!("return struct.pack({:?}, {})", format(dice), list(dice, 6, field)), Vec::new()),
        9 => (format!("return struct.unpack({:?}, ARGV[1]{})", format(dice), position(dice)), bytes(dice, 40)),
        10 => (format!("return struct.size({:?})", format(dice)), Vec::new()),
        _ => (bit(dice), Vec::new()),
    }
}

fn one<T: Copy>(dice: &mut Dice, of: &[T]) -> T {
    of[dice.roll(of.len() as u64) as usize]
}

fn list(dice: &mut Dice, most: u64, draw: fn(&mut Dice) -> String) -> String {
    let count = 1 + dice.roll(most);
    (0..count).map(|_| draw(dice)).collect::<Vec<_>>().join(", ")
}

fn bytes(dice: &mut Dice, most: u64) -> Vec<u8> {
    let count = dice.roll(most);
    (0..count).map(|_| if dice.roll(4) == 0 { 0 } else { dice.roll(256) as u8 }).collect()
}

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "127",
    "128",
    "255",
    "256",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "-2147483649",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "2^53",
    "2^63",
    "-2^63",
    "2^64",
    "1e15",
    "1e14",
    "1e300",
    "0.1",
    "1/3",
    "-2.5",
    "1e-5",
    "123456.789",
    "1e-320",
    "12345678901234567890",
    "-33",
    "-129",
    "-32769",
    "0.5",
    "1.5",
    "2.5",
];

fn number(dice: &mut Dice) -> String {
    if dice.roll(60) == 0 {
        return one(dice, &["1/0", "-1/0"]).into();
    }
    finite_number(dice)
}

fn finite_number(dice: &mut Dice) -> String {
    match dice.roll(4) {
        0 => (dice.roll(1 << 40) as i64 - (1 << 39)).to_string(),
        1 => format!("{:e}", f64::from_bits(dice.roll(u64::MAX) & !(1 << 62))),
        _ => one(dice, NUMBERS).into(),
    }
}

/// A string of Lua: any bytes, letters more often.
fn string(dice: &mut Dice) -> String {
    let length = if dice.roll(30) == 0 { 30 + dice.roll(300) } else { dice.roll(6) };
    let letter = |dice: &mut Dice| if dice.roll(3) == 0 { dice.roll(256) } else { 97 + dice.roll(26) };
    let letters = (0..length).map(|_| format!("\\{:03}", letter(dice)));
    format!("\"{}\"", letters.collect::<String>())
}

/// A value of Lua. Tables with several names have an order of their own in each machine: `any_order` allows them.
fn value(dice: &mut Dice, depth: u64, any_order: bool) -> String {
    match dice.roll(if depth == 0 { 5 } else { 9 }) {
        0 | 1 if any_order => finite_number(dice),
        0 | 1 => number(dice),
        2 => string(dice),
        3 => one(dice, &["true", "false", "cjson.null", "\"\""]).into(),
        // Which of several errors is found first depends on the order.
        4 if any_order => "{}".into(),
        4 => one(dice, &["nil", "{}", "tonumber", "0"]).into(),
        5 | 6 => {
            let count = dice.roll(4);
            let elements: Vec<String> = (0..count).map(|_| value(dice, depth - 1, any_order)).collect();
            format!("{{{}}}", elements.join(", "))
        }
        7 => {
            const GAPS: &[&str] = &["[2]", "[3]", "[0]", "[-1]", "[1.5]", "[12]", "[40]", "[true]", "[1e10]"];
            // The last ones are errors.
            let gap = one(dice, if any_order { &GAPS[..5] } else { GAPS });
            format!("{{{gap} = {}}}", value(dice, depth - 1, any_order))
        }
        _ => {
            let count = if any_order { dice.roll(4) } else { 1 };
            let pairs = (0..count).map(|_| format!("[{}] = {}", string(dice), value(dice, depth - 1, any_order)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A text of JSON, damaged in one of three.
fn json(dice: &mut Dice) -> Vec<u8> {
    let mut text = Vec::new();
    put_json(dice, 4, &mut text);
    for _ in 0..dice.roll(6).saturating_sub(3) {
        let at = dice.roll(text.len() as u64 + 1) as usize;
        match dice.roll(3) {
            0 if at < text.len() => drop(text.remove(at)),
            1 => text.truncate(at),
            _ => text.insert(at, one(dice, b"{}[]:,\"\\0123456789-+.eEuaxntifN \t\0\xff")),
        }
    }
    text
}

fn put_json(dice: &mut Dice, depth: u64, text: &mut Vec<u8>) {
    const WORDS: &[&str] = &[
        "true",
        "false",
        "null",
        "nan",
        "-nan",
        "inf",
        "-Infinity",
        "0x1F",
        "0x1p-3",
        "+1",
        "01",
        "1e5",
        "1E-5",
        "-0",
        ".5",
        "5.",
        "1e400",
        "1.7976931348623157e308",
        "4.9e-324",
        "\"\"",
        "\"\\u0000\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\n\\t\\/\\\\\\\"\"",
        "\"\\u00e9\\u20ac\"",
        "123456789012345678",
        "0.1",
        "nan(1)",
        "[]",
        "{}",
    ];
    if dice.roll(5) == 0 {
        text.push(one(dice, b" \t\r\n"));
    }
    match dice.roll(if depth == 0 { 3 } else { 6 }) {
        0 => text.extend_from_slice(one(dice, WORDS).as_bytes()),
        1 => text.extend_from_slice(dice.roll(1000).to_string().as_bytes()),
        2 => put_name(dice, text),
        3 | 4 => {
            text.push(b'[');
            for index in 0..dice.roll(4) {
                text.extend_from_slice(if index == 0 { b"" } else { b"," });
                put_json(dice, depth - 1, text);
            }
            text.push(b']');
        }
        _ => {
            text.push(b'{');
            for index in 0..dice.roll(4) {
                text.extend_from_slice(if index == 0 { b"" } else { b"," });
                put_name(dice, text);
                text.push(b':');
                put_json(dice, depth - 1, text);
            }
            text.push(b'}');
        }
    }
}

fn put_name(dice: &mut Dice, text: &mut Vec<u8>) {
    text.push(b'"');
    for _ in 0..dice.roll(4) {
        text.push(b'a' + dice.roll(26) as u8);
    }
    text.push(b'"');
}

/// Calls of a module with settings of its own.
fn configured(dice: &mut Dice) -> String {
    let integer =
        |dice: &mut Dice| one(dice, &["0", "1", "2", "3", "14", "15", "-1", "5.7", "'2'", "'x'", "2^40", "nil"]);
    let word = |dice: &mut Dice| one(dice, &["true", "false", "'on'", "'off'", "'null'", "'x'", "1", "nil", "{}"]);
    let mut text = String::from("local m, r = cjson.new(), {}\n");
    for _ in 0..1 + dice.roll(3) {
        let call = match dice.roll(6) {
            0 => format!("encode_max_depth({})", integer(dice)),
            1 => format!("decode_max_depth({})", integer(dice)),
            2 => format!("encode_number_precision({})", integer(dice)),
            3 => format!("encode_sparse_array({}, {}, {})", word(dice), integer(dice), integer(dice)),
            4 => format!("encode_invalid_numbers({})", word(dice)),
            _ => format!("decode_invalid_numbers({})", word(dice)),
        };
        text.push_str(&format!("r[#r + 1] = pack(pcall(function() return m.{call} end))\n"));
    }
    let value = value(dice, 3, false);
    text.push_str(&format!("r[#r + 1] = pack(pcall(m.encode, {value}))\nreturn r, m.decode(ARGV[1])"));
    text
}

fn unpack(dice: &mut Dice) -> String {
    let offset = |dice: &mut Dice| one(dice, &["0", "1", "2", "5", "-1", "100", "1.9", "'1'", "nil", "{}"]);
    match dice.roll(3) {
        0 => "return cmsgpack.unpack(ARGV[1])".into(),
        1 => format!("return cmsgpack.unpack_one(ARGV[1], {})", offset(dice)),
        _ => format!("return cmsgpack.unpack_limit(ARGV[1], {}, {})", offset(dice), offset(dice)),
    }
}

/// A text of MessagePack: a sequence of markers with fitting bytes, and arbitrary ones.
fn message(dice: &mut Dice) -> Vec<u8> {
    const PIECES: &[&[u8]] = &[
        b"\x00",
        b"\x7f",
        b"\xe0",
        b"\xff",
        b"\xc0",
        b"\xc2",
        b"\xc3",
        b"\xcc\xff",
        b"\xcd\xff\xfe",
        b"\xce\xff\0\0\x01",
        b"\xcf\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\xd0\x80",
        b"\xd1\x80\0",
        b"\xd2\x80\0\0\0",
        b"\xd3\x80\0\0\0\0\0\0\0",
        b"\xca\x3f\x80\0\0",
        b"\xcb\x3f\xb9\x99\x99\x99\x99\x99\x9a",
        b"\xa3abc",
        b"\xd9\x02xy",
        b"\xda\0\x01z",
        b"\xdb\0\0\0\x01w",
        b"\x90",
        b"\x92",
        b"\x81",
        b"\xdc\0\x02",
        b"\xdd\0\0\0\x01",
        b"\xde\0\x01",
        b"\xdf\0\0\0\x01",
        b"\xc1",
        b"\xc4\x01a",
    ];
    let count = dice.roll(8);
    let mut text: Vec<u8> = (0..count).flat_map(|_| one(dice, PIECES).to_vec()).collect();
    if dice.roll(4) == 0 {
        text.extend(bytes(dice, 6));
    }
    text
}

/// A format of `struct`.
fn format(dice: &mut Dice) -> String {
    const OPTIONS: &[&str] = &[
        "b",
        "B",
        "h",
        "H",
        "l",
        "L",
        "T",
        "i",
        "I",
        "i1",
        "I2",
        "i3",
        "I8",
        "i16",
        "I16",
        "i32",
        "i33",
        "i0",
        "f",
        "d",
        "s",
        "c0",
        "c1",
        "c3",
        "c",
        "x",
        " ",
        ">",
        "<",
        "!",
        "!1",
        "!2",
        "!4",
        "!8",
        "!3",
        "!0",
        "q",
        "z",
        "c99999999999",
    ];
    (0..1 + dice.roll(6)).map(|_| one(dice, OPTIONS)).collect()
}

fn field(dice: &mut Dice) -> String {
    match dice.roll(4) {
        0 => string(dice),
        1 => one(dice, &["nil", "true", "{}", "'12'", "'0x10'", "'x'"]).into(),
        _ => number(dice),
    }
}

fn position(dice: &mut Dice) -> &'static str {
    one(dice, &["", "", "", ", 1", ", 2", ", 5", ", 0", ", -1", ", 100", ", nil", ", '2'"])
}

fn bit(dice: &mut Dice) -> String {
    const NAMES: &[&str] =
        &["tobit", "bnot", "band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror", "bswap", "tohex"];
    let name = one(dice, NAMES);
    match dice.roll(20) {
        0 => format!("return bit.{name}()"),
        _ => format!("return bit.{name}({})", list(dice, 3, field)),
    }
}
