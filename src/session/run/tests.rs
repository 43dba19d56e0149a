//! Tests of the runner with whole sessions, on a real engine.

use super::*;
use crate::base::clock::ManualClock;
use crate::base::random::Random;
use crate::engine::keylatch::Options;
use crate::session::parse;

fn engine() -> Keylatch<ManualClock> {
    Keylatch::new(Options::default(), ManualClock::new(Timestamp::from_ms(5)))
}

fn report(text: &str) -> Report {
    run(&mut engine(), &parse(text).unwrap(), None).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn assert_matches(text: &str) {
    let failures: Vec<String> = report(text).failures().iter().map(ToString::to_string).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn clients_share_a_keyspace_and_keep_their_own_state() {
    assert_matches(
        "\
A> SET door me NX
OK
B> SET door you NX
(nil)
A> SELECT 1
OK
A> GET door
(nil)
B> MULTI
OK
B> GET door
QUEUED
127.0.0.1:6379> GET door
\"me\"
redis> DEL door
(integer) 1
B> EXEC
1) (nil)
",
    );
    let report = report("A> SELECT 2\nA> MULTI\n> PING\nA> PING\nC<\n");
    let prompts: Vec<&str> = report.steps.iter().map(|step| step.prompt.as_str()).collect();
    assert_eq!(prompts, ["A>", "A[2]>", ">", "A[2](TX)>", "C<"]);
    let clients: Vec<(&str, u8, bool)> =
        report.clients.iter().map(|client| (client.name.as_str(), client.database, client.in_transaction)).collect();
    assert_eq!(clients, [("A", 2, true), ("", 0, false), ("C", 0, false)]);
}

#[test]
fn the_clock_moves_only_where_the_session_says_so() {
    assert_matches(
        "\
> SET a 1 PX 100
OK
> SET b 1 EX 10
OK
@ +100ms
> PTTL a
(integer) 0
@ next
! expired a
> PTTL b
(integer) 9899
@ 2026-01-01T00:00:10Z
> EXISTS b
(integer) 1
@ +1ms
! expired b
> DBSIZE
(integer) 0
",
    );
    let report = report("> PING\n@ +2s\n@ -500ms\n");
    let times: Vec<i64> = report.steps.iter().map(|step| step.now.as_ms() - SESSION_START.as_ms()).collect();
    assert_eq!(times, [0, 2_000, 1_500]);
    assert_eq!(report.now.as_ms() - SESSION_START.as_ms(), 1_500);
}

#[test]
fn a_clock_line_that_cannot_be_obeyed_is_an_error_with_its_place() {
    let error = |text: &str| run(&mut engine(), &parse(text).unwrap(), None).map(|_| ()).unwrap_err();
    let nothing_due = error("> SET a 1\n@ next\n");
    assert_eq!((nothing_due.line, nothing_due.column), (2, 3));
    assert_eq!(error("@ +100000000000d\n@ +100000000000d\n").line, 2);
}

#[test]
fn events_are_checked_only_where_given() {
    assert_matches("> SET a 1\n! set a\n> DEL a\n> SET \"b c\" 1\n! set \"b c\"\n");
    let report = report("> SET a 1\nOK\n! set b\n> SET a 1\n! set a\n! set a\n");
    let verdicts: Vec<Verdict> = report.steps.iter().map(|step| step.verdict).collect();
    assert_eq!(verdicts, [Verdict::Mismatched, Verdict::Mismatched]);
    let failures = report.failures();
    assert_eq!((failures.len(), failures[0].line), (2, 1));
    assert_eq!(
        (failures[0].expected.as_slice(), failures[0].got.as_slice()),
        (&["! set b".into()][..], &["! set a".into()][..])
    );
}

#[test]
fn verdicts_and_remarks() {
    let report = report("# note\n> SET a \"1\n> SET a 1\n> GET a\n\"2\"\n> GET a\n\"1\"\nA<\nA<\nOK\n");
    let verdicts: Vec<Verdict> = report.steps.iter().map(|step| step.verdict).collect();
    use Verdict::*;
    assert_eq!(verdicts, [Ran, Ran, Ran, Mismatched, Matched, Matched, Mismatched]);
    assert_eq!(report.mismatches(), 2);
    assert_eq!(report.steps[1].printed, ["Invalid argument(s)"]);
    assert!(report.steps[1].message.is_some());
}

#[test]
fn a_session_may_run_up_to_a_line() {
    let session = parse("> SET a 1\nOK\n> INCR a\n(integer) 2\n@ +1s\n").unwrap();
    for (line, steps) in [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (99, 3)] {
        let report = run(&mut engine(), &session, Some(line)).unwrap();
        assert_eq!((report.steps.len(), report.mismatches()), (steps, 0), "{line}");
    }
}

#[test]
fn unordered_replies_match_in_any_order() {
    for order in ["1) \"a\"\n2) \"b\"\n3) \"c\"", "1) \"c\"\n2) \"a\"\n3) \"b\""] {
        assert_matches(&format!("> MSET a 1 b 2 c 3\nOK\n> KEYS *\n{order}\n"));
    }
    assert_matches("> KEYS *\n(empty list or set)\n");
    assert_eq!(report("> MSET a 1 b 2\n> KEYS *\n1) \"a\"\n2) \"a\"\n").mismatches(), 1);
}

#[test]
fn what_a_run_prints_is_the_session_with_its_real_replies() {
    let typed = "\
## Title
127.0.0.1:6379> SET k v PX 5
(nil)
! nothing k
# a note
@ +6ms
A> ECHO \"> x\"
redis[7](TX)> GET k
";
    let wanted = "\
## Title
127.0.0.1:6379> SET k v PX 5
OK
! set k
! expire k

# a note
@ +6ms
A> ECHO \"> x\"
\"> x\"
redis> GET k
(nil)
";
    assert_eq!(report(typed).print(), wanted);
}

#[test]
fn a_race_runs_as_written_until_a_guard_differs() {
    let typed = "\
@ race
A> SET k a NX
OK
A+
B> SET k b NX
OK
B+
B> DEL k
(integer) 1
! del k
A> GET k
C> BLPOP l 0
1) \"l\"
C<
A-
@ join
> GET k
";
    let ran = report(typed);
    assert_eq!(ran.mismatches(), 0);
    let kinds: Vec<&str> = ran.steps.iter().map(|step| step.kind.name()).collect();
    let commands = ["command", "command", "receive"];
    assert_eq!(kinds[..6], ["race", "command", "enter", "command", "enter", "command"]);
    assert_eq!(kinds[6..], [&commands[..], &["leave", "join", "command"]].concat());
    let said: Vec<bool> = ran.steps.iter().map(|step| step.message.is_some()).collect();
    assert_eq!(said, [false, false, false, true, true, true, false, false, false, false, false, false]);
    assert_eq!(ran.steps[6].printed, ["\"a\""]);
    assert_eq!(ran.print(), format!("{typed}\"a\"\n"));
    let half = run(&mut engine(), &parse(typed).unwrap(), Some(5)).unwrap();
    assert_eq!(half.print(), "@ race\nA> SET k a NX\nOK\nA+\nB> SET k b NX\nOK\n@ join\n");
}

#[test]
fn a_guard_compares_as_a_reply_does() {
    let expects = |step: &str, reply: &[u8]| is_expected(&parse(step).unwrap().actions[0], reply);
    assert!(expects("> SET k v NX\nOK\n", b"+OK\r\n"));
    assert!(!expects("> SET k v NX\nOK\n", b"$-1\r\n"));
    assert!(expects("> GET k\n", b"$-1\r\n"));
    assert!(expects("> LATCH.ONCE k a TTL 9\n1) \"run\"\n...\n", b"*2\r\n$3\r\nrun\r\n:7\r\n"));
    assert!(expects("> KEYS *\n1) \"a\"\n2) \"b\"\n", b"*2\r\n$1\r\nb\r\n$1\r\na\r\n"));
    assert!(!expects("> LRANGE l 0 -1\n1) \"a\"\n2) \"b\"\n", b"*2\r\n$1\r\nb\r\n$1\r\na\r\n"));
    assert!(expects("A<\n\"x\"\n", b"$1\r\nx\r\n"));
}

const LINES: [&str; 40] = [
    "SET k v",
    "SET k 1 PX 50",
    "SET k 2 NX GET",
    "GET k",
    "INCR k",
    "DEL k",
    "DEL k l m",
    "RPUSH l a b",
    "HSET h f v",
    "GET l",
    "MULTI",
    "EXEC",
    "DISCARD",
    "WATCH k",
    "UNWATCH",
    "KEYS *",
    "SCAN 0",
    "RANDOMKEY",
    "SELECT 1",
    "SELECT 0",
    "SELECT x",
    "NOSUCH a b",
    "SET k",
    "PING",
    "ECHO \"\\x00\\xff> a\\n\"",
    "ECHO '# x'",
    "ECHO \"",
    "SET \"a b\" '' EX 1",
    "GET \"a b\"",
    "EXPIRE k 1",
    "PERSIST k",
    "TTL k",
    "RENAME k m",
    "COPY k m REPLACE",
    "FLUSHALL",
    "MSET a 1 b 2",
    "MGET a b k",
    "TIME",
    "COMMAND COUNT",
    "COMMAND INFO get",
];
const PROMPTS: [&str; 6] = [">", "redis>", "A>", "B>", "127.0.0.1:6379[3]>", "A(TX)>"];
const OTHERS: [&str; 14] = [
    "OK",
    "(nil)",
    "1) \"a\"",
    "| > x",
    "|",
    "# note",
    "## Title",
    "@ +20ms",
    "@ +3s",
    "@ 2026-01-01T00:00:01Z",
    "A<",
    "",
    "B<",
    "! set k",
];

/// A runner of a fresh engine, and the steps of a text run on it one after the other.
fn steps_after(text: &str, prepare: impl Fn(&mut Runner<'_, ManualClock>)) -> Vec<Step> {
    let mut engine = engine();
    let (clients, argv) = (Vec::new(), Argv::default());
    let mut runner = Runner { engine: &mut engine, clients, argv, in_race: false, states_facts: false };
    prepare(&mut runner);
    parse(text).unwrap().actions.iter().map(|action| runner.step(action).unwrap()).collect()
}

#[test]
fn a_receive_line_takes_one_message() {
    let messages = b">2\r\n+a\r\n:1\r\n$1\r\nb\r\n";
    let steps = steps_after("A<\n1) a\n2) (integer) 1\nA<\n\"c\"\nB<\nA<\n", |runner| {
        runner.client("A").waiting.extend_from_slice(messages);
    });
    let printed: Vec<&[String]> = steps.iter().map(|step| step.printed.as_slice()).collect();
    assert_eq!(printed, [&["1) a".to_string(), "2) (integer) 1".to_string()][..], &["\"b\"".to_string()], &[], &[]]);
    let verdicts: Vec<Verdict> = steps.iter().map(|step| step.verdict).collect();
    assert_eq!(verdicts, [Verdict::Matched, Verdict::Mismatched, Verdict::Matched, Verdict::Matched]);
    let unread = steps_after("A<\n", |runner| runner.client("A").waiting.extend_from_slice(messages));
    assert_eq!(unread[0].verdict, Verdict::Mismatched);
}

#[test]
fn a_broken_message_is_told_and_ends_there() {
    let steps = steps_after("A<\nA<\n", |runner| runner.client("A").waiting.extend_from_slice(b"*2\r\n:1\r\n"));
    assert!(steps[0].message.is_some() && steps[0].printed.is_empty());
    assert!(steps[1].message.is_none());
}

#[test]
fn a_client_that_speaks_resp3_is_printed_as_such() {
    let steps = steps_after("A> COMMAND DOCS nosuch\nB> COMMAND DOCS nosuch\n", |runner| {
        let id = runner.client("A").id;
        runner.engine.set_protocol(id, crate::resp::encode::Protocol::Resp3);
    });
    assert_eq!((steps[0].printed[0].as_str(), steps[1].printed[0].as_str()), ("(empty hash)", "(empty array)"));
}

/// Sessions made of anything one may type, with expectations that are mostly wrong.
fn random_session(random: &mut Random) -> String {
    let mut text = "> FLUSHALL\n".to_string();
    // A race that begins after some lines and always ends.
    let mut races = ["@ join\n", "A-\n", "B+\n", "A+\n", "@ race\n"].to_vec();
    for _ in 0..random.below(25) {
        let mut pick = |list: &[&str]| list[random.below(list.len() as u64) as usize].to_string();
        let line = format!("{} {}\n", pick(&PROMPTS), pick(&LINES));
        text.push_str(&line);
        if random.below(8) == 0 {
            text.push_str(races.pop().unwrap_or_default());
        }
        if random.below(3) == 0 {
            text.push_str(OTHERS[random.below(OTHERS.len() as u64) as usize]);
            text.push('\n');
        }
    }
    if races.len() < 5 {
        races.reverse();
        races.into_iter().for_each(|line| text.push_str(line));
    }
    text
}

#[test]
fn what_any_run_prints_runs_again_without_a_mismatch() {
    let mut random = Random::new(11);
    for round in 0..500 {
        let text = random_session(&mut random);
        let first = report(&text).print();
        let again = report(&first);
        let failures: Vec<String> = again.failures().iter().map(ToString::to_string).collect();
        assert!(failures.is_empty(), "round {round}: {}\n{first}", failures.join("\n"));
        assert_eq!(again.print(), first, "round {round}");
    }
}

/// Database, words, reply and number of facts of a step.
type Parts<'a> = (u8, &'a [&'a [u8]], &'a [u8], usize);

#[test]
fn steps_carry_words_replies_and_facts_if_the_engine_collects_facts() {
    let text = "> SELECT 1\n> 2 SET \"a b\" 'c\\'' NX\nA> BLPOP jobs 0\n> RPUSH jobs \"\\xff\"\nA<\n> GET \"a\n# end\n";
    let plain = report(text);
    let mut engine = engine();
    engine.facts().collect(true);
    let full = run(&mut engine, &parse(text).unwrap(), None).unwrap();
    let expected: [Parts<'_>; 7] = [
        (0, &[b"SELECT", b"1"], b"+OK\r\n", 0),
        (1, &[b"SET", b"a b", b"c'", b"NX"], b"+OK\r\n$-1\r\n", 1),
        (0, &[b"BLPOP", b"jobs", b"0"], b"", 0),
        (1, &[b"RPUSH", b"jobs", b"\xff"], b":1\r\n", 1),
        (0, &[], b"", 0),
        (1, &[], b"", 0),
        (0, &[], b"", 0),
    ];
    for (step, (database, words, reply, facts)) in full.steps.iter().zip(&expected) {
        let found = (step.database, step.reply.as_slice(), step.facts.len());
        assert_eq!(found, (*database, *reply, *facts), "{}", step.text);
        assert_eq!(step.words, *words, "{}", step.text);
    }
    for (step, full) in plain.steps.iter().zip(&full.steps) {
        assert_eq!((&step.printed, step.database), (&full.printed, full.database));
        assert!(step.words.is_empty() && step.reply.is_empty() && step.facts.is_empty());
    }
}

#[test]
fn the_reply_of_a_receive_line_is_its_message_alone() {
    let mut engine = engine();
    engine.facts().collect(true);
    let text = "A> SUBSCRIBE a\n> PUBLISH a 1\n> PUBLISH a 2\nA<\nA<\n";
    let report = run(&mut engine, &parse(text).unwrap(), None).unwrap();
    let replies: Vec<String> =
        report.steps[3..].iter().map(|step| String::from_utf8_lossy(&step.reply).into_owned()).collect();
    let message = |text: &str| format!("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\n{text}\r\n");
    assert_eq!(replies, [message("1"), message("2")]);
}
