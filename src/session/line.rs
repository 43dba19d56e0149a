//! One line of a session, read by itself: which kind it is and where its text begins.
//! Knows neither its neighbours nor the engine.

/// Kind of a line. It follows from the line alone, so that a session can be read, cut and joined anywhere.
/// `Prompt` has no command, and means nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line<'a> {
    Command { base: &'a str, text: &'a str },
    Prompt { base: &'a str },
    Receive { base: &'a str },
    Enter { base: &'a str },
    Leave { base: &'a str },
    Race(&'a str),
    Join(&'a str),
    Heading(&'a str),
    Comment(&'a str),
    Clock(&'a str),
    Event(&'a str),
    Literal(&'a str),
    Anything,
    Reply(&'a str),
    Ignored,
}

const DEFAULT_NAMES: [&str; 5] = ["", "redis", "redis-cli", "valkey", "keylatch"];

/// Prompt of redis-cli without a server.
const NOT_CONNECTED: &str = "not connected";

/// Beginning of a prompt of redis-cli, in front of a socket's path, or of an address in old versions.
const REDIS: &str = "redis ";

/// The line redis-cli shows on entering subscribed mode; its ending differs from version to version.
const READING_MESSAGES: &str = "Reading messages...";

/// Stands for any number of reply lines. A reply that really has this line is written behind a bar.
pub(super) const ANYTHING: &str = "...";

/// Cuts the blanks that never matter: sessions compare without them, and files written on Windows end lines in CR.
pub(super) fn without_trailing_blanks(line: &str) -> &str {
    line.trim_end_matches([' ', '\t', '\r'])
}

pub(super) fn classify(line: &str) -> Line<'_> {
    let line = without_trailing_blanks(line);
    if line.is_empty() || is_elapsed_time(line) || line.starts_with(READING_MESSAGES) {
        return Line::Ignored;
    }
    if line.starts_with("##") {
        return Line::Heading(line.trim_start_matches('#').trim_start());
    }
    if let Some(text) = line.strip_prefix('#') {
        return Line::Comment(text.strip_prefix(' ').unwrap_or(text));
    }
    if let Some(text) = line.strip_prefix("@ ") {
        return match text {
            "race" => Line::Race(text),
            "join" => Line::Join(text),
            _ => Line::Clock(text),
        };
    }
    if let Some(text) = line.strip_prefix("! ") {
        return Line::Event(text);
    }
    if line == "|" {
        return Line::Literal("");
    }
    if let Some(text) = line.strip_prefix("| ") {
        return Line::Literal(text);
    }
    if line.trim_start_matches([' ', '\t']) == ANYTHING {
        return Line::Anything;
    }
    named(line).or_else(|| command(line)).unwrap_or(Line::Reply(line))
}

/// A line of a name and one sign.
fn named(line: &str) -> Option<Line<'_>> {
    let base = line.strip_suffix(['<', '+', '-']).filter(|base| is_name(base))?;
    Some(match line.as_bytes().last() {
        Some(b'<') => Line::Receive { base },
        Some(b'+') => Line::Enter { base },
        _ => Line::Leave { base },
    })
}

fn command(line: &str) -> Option<Line<'_>> {
    let (prompt, rest) = line.split_once('>')?;
    let base = prompt_base(prompt)?;
    let text = behind_prompt(rest);
    if text.trim_start_matches([' ', '\t']).is_empty() {
        return Some(Line::Prompt { base });
    }
    Some(Line::Command { base, text })
}

/// The command behind a prompt. Pages put a no-break space between the two.
fn behind_prompt(rest: &str) -> &str {
    let text = rest.trim_start_matches([' ', '\t', '\u{a0}']);
    let blanks = rest.strip_suffix(text).unwrap_or_default();
    if blanks.contains('\u{a0}') { text } else { rest.strip_prefix(' ').unwrap_or(rest) }
}

/// A prompt without its `[db]`, `(TX)` and `(subscribed mode)`, which say what the author saw and are not checked.
fn prompt_base(prompt: &str) -> Option<&str> {
    let prompt = without_state(prompt);
    let base = split_database(prompt).map_or(prompt, |(base, _)| base);
    let is_known = base.is_empty() || base == NOT_CONNECTED || is_name(base) || is_address(base);
    (is_known || base.strip_prefix(REDIS).is_some_and(|host| is_address(host) || is_socket(host))).then_some(base)
}

/// Whether a text is the path of a Unix socket, as redis-cli writes it behind `redis`.
fn is_socket(text: &str) -> bool {
    let is_path = text.contains('/') || text.ends_with(".sock");
    is_path && !text.contains(char::is_whitespace)
}

fn without_state(prompt: &str) -> &str {
    let prompt = prompt.strip_suffix("(subscribed mode)").unwrap_or(prompt);
    prompt.strip_suffix("(TX)").unwrap_or(prompt)
}

fn split_database(prompt: &str) -> Option<(&str, &str)> {
    prompt.strip_suffix(']')?.rsplit_once('[').filter(|(_, number)| is_number(number))
}

/// Digits of the database that a prompt shows, without its sign; empty if it shows none.
#[cfg(any(test, feature = "wasm"))]
pub(super) fn database_of(prompt: &str) -> &str {
    split_database(without_state(prompt)).map_or("", |(_, number)| number)
}

/// The session client a prompt stands for; the empty name is the default client.
pub(super) fn client_of(base: &str) -> &str {
    let is_default = DEFAULT_NAMES.contains(&base) || base == NOT_CONNECTED || base.starts_with(REDIS);
    if is_default || base.contains(':') { "" } else { base }
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_') && bytes.all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-')
}

fn is_address(text: &str) -> bool {
    let Some((host, port)) = text.rsplit_once(':') else { return false };
    is_number(port) && port.len() <= 5 && (is_host(host) || is_bracketed_ipv6(host))
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(is_name_byte)
}

fn is_bracketed_ipv6(text: &str) -> bool {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.is_some_and(|inner| {
        !inner.is_empty() && inner.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'))
    })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `(1.23s)`, which redis-cli adds below a slow reply.
fn is_elapsed_time(line: &str) -> bool {
    let inner = line.strip_prefix('(').and_then(|rest| rest.strip_suffix("s)"));
    inner
        .and_then(|seconds| seconds.split_once('.'))
        .is_some_and(|(whole, hundredths)| is_number(whole) && is_number(hundredths) && hundredths.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(base: &'static str, text: &'static str) -> Line<'static> {
        Line::Command { base, text }
    }

    #[test]
    fn every_prompt_of_the_grammar_opens_a_command() {
        for (line, base) in [
            ("> PING", ""),
            (">PING", ""),
            ("redis> PING", "redis"),
            ("redis-cli> PING", "redis-cli"),
            ("c_1.x-y> PING", "c_1.x-y"),
            ("_> PING", "_"),
            ("127.0.0.1:6379> PING", "127.0.0.1:6379"),
            ("redis 127.0.0.1:6379> PING", "redis 127.0.0.1:6379"),
            ("my-host.example:6379[12](TX)> PING", "my-host.example:6379"),
            ("[::1]:6379> PING", "[::1]:6379"),
            ("[::1]:6379[3]> PING", "[::1]:6379"),
            ("A[3]> PING", "A"),
            ("A(TX)> PING", "A"),
            ("[3](TX)> PING", ""),
            ("127.0.0.1:6379(subscribed mode)> PING", "127.0.0.1:6379"),
            ("A[1](TX)(subscribed mode)> PING", "A"),
            ("redis /run/redis.sock> PING", "redis /run/redis.sock"),
            ("redis redis.sock[3](TX)> PING", "redis redis.sock"),
            ("not connected> PING", "not connected"),
            (">\u{a0}PING", ""),
            ("127.0.0.1:6379> \u{a0} PING", "127.0.0.1:6379"),
        ] {
            assert_eq!(classify(line), command(base, "PING"), "{line}");
        }
    }

    #[test]
    fn command_text_keeps_its_own_blanks_and_later_brackets() {
        assert_eq!(classify(">  SET a \"b > c\"  "), command("", " SET a \"b > c\""));
        assert_eq!(classify("A>> x"), command("A", "> x"));
    }

    #[test]
    fn near_prompts_are_replies() {
        let lines = [
            "1> PING",
            "redis host> x",
            "redis 1:2:3> x",
            "a b> x",
            ":6379> x",
            "h:123456> x",
            "A[x]> y",
            "A(tx)> y",
            " > x",
            "1) \"a>b\"",
            "1# \"a\" => 1",
            "\"x> y\"",
            "é> x",
            "-> x",
            "A <",
            "<",
            "1<",
            "127.0.0.1:6379<",
            "A +",
            "+",
            "-",
            "1-",
            "---",
            "127.0.0.1:6379+",
            "@race",
            "@+5s",
            "@",
            "!x y",
            "!",
            "|x",
            " # no",
            "(1.5s)",
            "(nil)",
            "(12.345s)",
            "(.12s)",
            "(integer) 1",
            "OK",
            "(s)",
            "not  connected> x",
            "disconnected now> x",
            "redis a b.sock> x",
            "A(subscribed)> x",
            "....",
            "..",
            "a ...",
            "... 3 more",
        ];
        for line in lines {
            assert_eq!(classify(line), Line::Reply(line), "{line}");
        }
    }

    #[test]
    fn other_kinds() {
        assert_eq!(classify("A<  "), Line::Receive { base: "A" });
        assert_eq!(classify("redis-cli<"), Line::Receive { base: "redis-cli" });
        assert_eq!(classify("A+ "), Line::Enter { base: "A" });
        assert_eq!(classify("c_1.x--"), Line::Leave { base: "c_1.x-" });
        assert_eq!(classify("@ race \r"), Line::Race("race"));
        assert_eq!(classify("@ join"), Line::Join("join"));
        assert_eq!(classify("@ races"), Line::Clock("races"));
        assert_eq!(classify("| A+"), Line::Literal("A+"));
        assert_eq!(classify("# a note"), Line::Comment("a note"));
        assert_eq!(classify("#"), Line::Comment(""));
        assert_eq!(classify("## Title"), Line::Heading("Title"));
        assert_eq!(classify("### Title"), Line::Heading("Title"));
        assert_eq!(classify("@ +5s\r"), Line::Clock("+5s"));
        assert_eq!(classify("! expired k"), Line::Event("expired k"));
        assert_eq!(classify("|  "), Line::Literal(""));
        assert_eq!(classify("|  x"), Line::Literal(" x"));
        assert_eq!(classify("... \r"), Line::Anything);
        assert_eq!(classify("   ..."), Line::Anything);
        assert_eq!(classify("| ..."), Line::Literal("..."));
        for line in ["", " \t", "(0.50s)", "(12.00s)", "Reading messages... (press Ctrl-C to quit)"] {
            assert_eq!(classify(line), Line::Ignored, "{line}");
        }
        for (line, base) in
            [("redis>", "redis"), (">\u{a0}", ""), ("not connected> ", "not connected"), ("A[1]> ", "A")]
        {
            assert_eq!(classify(line), Line::Prompt { base }, "{line}");
        }
    }

    #[test]
    fn default_names_share_one_client() {
        for base in [
            "",
            "redis",
            "redis-cli",
            "valkey",
            "keylatch",
            "localhost:6379",
            "redis 127.0.0.1:6379",
            "[::1]:1",
            "redis /run/redis.sock",
            "not connected",
        ] {
            assert_eq!(client_of(base), "", "{base}");
        }
        assert_eq!(client_of("C1"), "C1");
    }
}
