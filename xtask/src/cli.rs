//! The command line of xtask: its commands and options, and the message for each error.

use crate::bench;
use crate::fuzz;
use crate::suites::{self, Without};

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Bench(BenchOptions),
    Build,
    Fuzz(FuzzOptions),
    Kill(KillOptions),
    Mutate,
    Play(PlayOptions),
    Simulate(SimulateOptions),
    Sizes,
    Test(Selection),
    /// Internal: Cargo runs it with the path of a test compiled to wasm.
    WasmTestRunner(Vec<String>),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PlayOptions {
    pub(crate) port: u16,
    pub(crate) open: bool,
}

/// Selection of suites; none named means all, or the quick ones.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) suites: Vec<String>,
    pub(crate) quick: bool,
    pub(crate) without: Vec<Without>,
}

/// Options of `bench`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BenchOptions {
    /// None named means all.
    pub(crate) suites: Vec<String>,
    /// Part of a row's name; other rows are skipped.
    pub(crate) filter: String,
    pub(crate) quick: bool,
    pub(crate) strict: bool,
    pub(crate) write: bool,
}

impl BenchOptions {
    pub(crate) fn wants(&self, row: &str) -> bool {
        row.to_lowercase().contains(&self.filter.to_lowercase())
    }
}

/// Target of `fuzz`, and its duration.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FuzzOptions {
    pub(crate) target: String,
    pub(crate) seconds: u32,
}

/// Options of `kill`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct KillOptions {
    /// Rounds of each cell.
    pub(crate) rounds: u32,
}

/// Options of `simulate`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SimulateOptions {
    pub(crate) steps: u64,
    /// First seed; the others follow.
    pub(crate) seed: u64,
}

const DEFAULT_PORT: u16 = 5173;
const DEFAULT_FUZZ_SECONDS: u32 = 60;
const DEFAULT_KILL_ROUNDS: u32 = 25;
const DEFAULT_SIMULATED_STEPS: u64 = 10_000_000;

pub(crate) fn help() -> String {
    let mut text = String::from(
        "usage: cargo xtask COMMAND [OPTIONS]

commands:
  bench [SUITE...]       compares speed and memory with other stores in the same run, and prints tables
      --filter TEXT      only rows with TEXT in their name
      --quick            one short round, which checks that everything runs and does not measure speed
      --strict           fails when a figure misses the floor of its aim
      --write            writes the tables into README.md and docs/benchmarks.md
  build                  prints files from the rows, and builds the engine, the package (target/npm/keylatch) and the page (target/www)
  fuzz TARGET            runs a fuzzer
      --seconds N        duration (60)
  kill                   signals servers, programs and a browser while they write, opens their data again, and compares
      --rounds N         rounds of each cell of the matrix (25)
  mutate                 changes the engine in seven ways, and expects the model checks to notice each
  play                   builds what changed, serves the playground and prints its URL; Ctrl-C stops it
      --port N           the first port to try (5173); ports in use are skipped
      --no-open          does not open a browser
  simulate               runs latches with many clients, faults and crashes by seeds; writes a failure as a session
      --steps N          number of steps (10000000)
      --seed N           the first seed (1)
  sizes                  prints the sizes of the built files; fails when one exceeds its budget
  test [SUITE...]        installs what the tests need and runs every suite, or the named ones
      --quick            only the suites marked with * below
      --without A,B,...  skips the suites that need A, B, ..., and prints them as SKIPPED
  help                   prints this text

names for `--without`:
",
    );
    for without in Without::ALL {
        text.push_str(&format!("  {:<22} {}\n", without.name(), without.about()));
    }
    text.push_str("\nsuites of `bench`:\n");
    for suite in bench::SUITES {
        text.push_str(&format!("  {:<22} {}\n", suite.name, suite.about));
    }
    text.push_str("\ntargets of `fuzz`:\n");
    for target in fuzz::TARGETS {
        text.push_str(&format!("  {:<22} {}\n", target.name, target.about));
    }
    text.push_str("\nsuites, in the order they run (* with `--quick`):\n");
    for suite in suites::ALL {
        let mark = if suites::QUICK.contains(&suite.name) { '*' } else { ' ' };
        text.push_str(&format!("{mark} {:<22} {}\n", suite.name, suite.about));
    }
    text.trim_end().to_owned()
}

/// Parses the arguments; the error is the message for the user.
pub(crate) fn parse(arguments: &[String]) -> Result<Command, String> {
    let Some((name, rest)) = arguments.split_first() else { return Ok(Command::Help) };
    match name.as_str() {
        "wasm-test-runner" => Ok(Command::WasmTestRunner(rest.to_vec())),
        "help" => Ok(Command::Help),
        _ if arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h")) => Ok(Command::Help),
        "bench" => parse_bench(rest),
        "fuzz" => parse_fuzz(rest),
        "build" => nothing_more(name, rest).map(|()| Command::Build),
        "mutate" => nothing_more(name, rest).map(|()| Command::Mutate),
        "simulate" => parse_simulate(rest).map(Command::Simulate),
        "sizes" => nothing_more(name, rest).map(|()| Command::Sizes),
        "kill" => parse_kill(rest),
        "play" => parse_play(rest).map(Command::Play),
        "test" => parse_test(rest).map(Command::Test),
        _ => Err(format!("unknown command `{name}`")),
    }
}

fn nothing_more(command: &str, rest: &[String]) -> Result<(), String> {
    match rest.first() {
        Some(argument) => Err(format!("`{command}` takes no argument, found `{argument}`")),
        None => Ok(()),
    }
}

fn parse_bench(arguments: &[String]) -> Result<Command, String> {
    let mut options = BenchOptions::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match split_value(argument) {
            ("--quick", None) => options.quick = true,
            ("--strict", None) => options.strict = true,
            ("--write", None) => options.write = true,
            ("--filter", value) => options.filter = value_of("--filter", value, &mut rest)?.to_owned(),
            (flag, _) if flag.starts_with('-') => {
                return Err(format!("unknown option `{argument}` of `bench`; see cargo xtask help"));
            }
            _ if bench::SUITES.iter().any(|suite| suite.name == argument) => options.suites.push(argument.clone()),
            _ => return Err(format!("unknown bench suite `{argument}`; see cargo xtask help")),
        }
    }
    if options.write && (options.quick || !options.filter.is_empty()) {
        return Err(String::from("`--write` needs a whole run, without `--quick` and `--filter`"));
    }
    Ok(Command::Bench(options))
}

fn parse_fuzz(arguments: &[String]) -> Result<Command, String> {
    let (mut target, mut seconds) = (None, DEFAULT_FUZZ_SECONDS);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match split_value(argument) {
            ("--seconds", value) => {
                let text = value_of("--seconds", value, &mut rest)?;
                seconds = text.parse().map_err(|_| format!("`--seconds` takes a number, found `{text}`"))?;
            }
            (flag, _) if flag.starts_with('-') => {
                return Err(format!("unknown option `{argument}` of `fuzz`; see cargo xtask help"));
            }
            _ if target.is_some() => return Err(format!("`fuzz` takes one target, found `{argument}` too")),
            _ if fuzz::TARGETS.iter().any(|known| known.name == argument) => target = Some(argument.clone()),
            _ => return Err(format!("unknown target `{argument}`; see cargo xtask help")),
        }
    }
    let target = target.ok_or_else(|| String::from("`fuzz` needs a target"))?;
    Ok(Command::Fuzz(FuzzOptions { target, seconds }))
}

fn parse_kill(arguments: &[String]) -> Result<Command, String> {
    let mut rounds = DEFAULT_KILL_ROUNDS;
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match split_value(argument) {
            ("--rounds", value) => {
                let text = value_of("--rounds", value, &mut rest)?;
                rounds = text
                    .parse()
                    .ok()
                    .filter(|rounds| *rounds > 0)
                    .ok_or_else(|| format!("`--rounds` takes a number from 1 on, found `{text}`"))?;
            }
            _ => return Err(format!("unknown argument `{argument}` of `kill`; see cargo xtask help")),
        }
    }
    Ok(Command::Kill(KillOptions { rounds }))
}

fn parse_simulate(arguments: &[String]) -> Result<SimulateOptions, String> {
    let mut options = SimulateOptions { steps: DEFAULT_SIMULATED_STEPS, seed: 1 };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let (name, value) = split_value(argument);
        let number = match name {
            "--steps" => &mut options.steps,
            "--seed" => &mut options.seed,
            _ => return Err(format!("unknown argument `{argument}` of `simulate`; see cargo xtask help")),
        };
        let text = value_of(name, value, &mut rest)?;
        *number = text.parse().map_err(|_| format!("`{name}` takes a number, found `{text}`"))?;
    }
    Ok(options)
}

fn parse_play(arguments: &[String]) -> Result<PlayOptions, String> {
    let mut options = PlayOptions { port: DEFAULT_PORT, open: true };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match split_value(argument) {
            ("--no-open", None) => options.open = false,
            ("--port", value) => {
                let text = value_of("--port", value, &mut rest)?;
                options.port = text
                    .parse()
                    .ok()
                    .filter(|port| *port > 0)
                    .ok_or_else(|| format!("`--port` takes a number from 1 to 65535, found `{text}`"))?;
            }
            _ => return Err(format!("unknown argument `{argument}` of `play`; see cargo xtask help")),
        }
    }
    Ok(options)
}

fn parse_test(arguments: &[String]) -> Result<Selection, String> {
    let mut selection = Selection::default();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match split_value(argument) {
            ("--quick", None) => selection.quick = true,
            ("--without", value) => {
                for name in value_of("--without", value, &mut rest)?.split(',').filter(|name| !name.is_empty()) {
                    let known: Vec<&str> = Without::ALL.iter().map(|without| without.name()).collect();
                    let without = Without::ALL.into_iter().find(|without| without.name() == name);
                    selection.without.push(without.ok_or_else(|| {
                        format!("unknown name `{name}` for `--without`; expected {}", known.join(", "))
                    })?);
                }
            }
            (flag, _) if flag.starts_with('-') => {
                return Err(format!("unknown option `{argument}` of `test`; see cargo xtask help"));
            }
            _ if suites::ALL.iter().any(|suite| suite.name == argument) => selection.suites.push(argument.clone()),
            _ => return Err(format!("unknown suite `{argument}`; see cargo xtask help")),
        }
    }
    if let (true, Some(suite)) = (selection.quick, selection.suites.first()) {
        return Err(format!("`--quick` selects its suites itself, found `{suite}` too"));
    }
    Ok(selection)
}

/// `--name=value` as its two halves.
fn split_value(argument: &str) -> (&str, Option<&str>) {
    match argument.split_once('=') {
        Some((name, value)) if name.starts_with("--") => (name, Some(value)),
        _ => (argument, None),
    }
}

fn value_of<'a>(
    name: &str,
    value: Option<&'a str>,
    rest: &mut impl Iterator<Item = &'a String>,
) -> Result<&'a str, String> {
    value.or_else(|| rest.next().map(String::as_str)).ok_or_else(|| format!("`{name}` needs a value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_line(line: &str) -> Result<Command, String> {
        parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn nothing_asked_is_help_and_so_is_help() {
        assert_eq!(parse_line(""), Ok(Command::Help));
        for line in ["--help", "help", "play --help", "test native -h", "bench --quick --help", "sizes -h"] {
            assert_eq!(parse_line(line), Ok(Command::Help), "{line}");
        }
        assert!(help().contains("play"));
    }

    #[test]
    fn options_are_read_in_both_spellings() {
        let expected = Ok(Command::Play(PlayOptions { port: 8080, open: false }));
        assert_eq!(parse_line("play --port 8080 --no-open"), expected);
        assert_eq!(parse_line("play --no-open --port=8080"), expected);
        let without = vec![Without::Browser, Without::Redis];
        let selection = Selection { suites: vec!["native".into()], without, ..Selection::default() };
        assert_eq!(parse_line("test --without browser,redis native"), Ok(Command::Test(selection)));
    }

    #[test]
    fn the_quick_suites_are_an_option_and_marked_in_the_help() {
        let selection = |without| Selection { quick: true, without, ..Selection::default() };
        assert_eq!(parse_line("test --quick"), Ok(Command::Test(selection(vec![]))));
        let without = vec![Without::Redis];
        assert_eq!(parse_line("test --without redis --quick"), Ok(Command::Test(selection(without))));
        let marked = help().lines().filter(|line| line.starts_with("* ")).count();
        assert_eq!(marked, suites::QUICK.len());
    }

    #[test]
    fn a_fuzzer_is_chosen_by_its_target() {
        let expected = |seconds| Ok(Command::Fuzz(FuzzOptions { target: "log".into(), seconds }));
        assert_eq!(parse_line("fuzz log"), expected(60));
        assert_eq!(parse_line("fuzz --seconds=5 log"), expected(5));
    }

    #[test]
    fn rounds_of_kill_are_a_number() {
        assert_eq!(parse_line("kill"), Ok(Command::Kill(KillOptions { rounds: 25 })));
        assert_eq!(parse_line("kill --rounds=7"), Ok(Command::Kill(KillOptions { rounds: 7 })));
    }

    #[test]
    fn a_simulation_is_as_long_as_asked() {
        let expected = |steps, seed| Ok(Command::Simulate(SimulateOptions { steps, seed }));
        assert_eq!(parse_line("simulate"), expected(DEFAULT_SIMULATED_STEPS, 1));
        assert_eq!(parse_line("simulate --steps 50 --seed=7"), expected(50, 7));
    }

    #[test]
    fn a_bench_is_chosen_by_suite_and_row() {
        let (suites, filter) = (vec!["node".into()], "GET same".into());
        let expected = BenchOptions { suites, filter, quick: true, ..BenchOptions::default() };
        let words = ["bench", "node", "--quick", "--filter", "GET same"].map(str::to_owned);
        assert_eq!(parse(&words), Ok(Command::Bench(expected)));
        assert!(parse_line("bench --write --quick").unwrap_err().contains("--quick"));
    }

    #[test]
    fn every_mistake_names_the_word() {
        for (line, word) in [
            ("pley", "pley"),
            ("build now", "now"),
            ("play --prot 1", "--prot"),
            ("play --port", "--port"),
            ("play --port 0", "`0`"),
            ("play --port 65536", "65536"),
            ("play --no-open=1", "--no-open=1"),
            ("test nativ", "nativ"),
            ("test --without", "--without"),
            ("test --without chrome", "chrome"),
            ("test --quick native", "native"),
            ("test --quick=1", "--quick=1"),
            ("fuzz", "target"),
            ("fuzz lime", "lime"),
            ("fuzz line reply", "reply"),
            ("fuzz line --seconds x", "`x`"),
            ("kill --rounds none", "`none`"),
            ("kill --rounds 0", "`0`"),
            ("kill bill", "bill"),
            ("simulate --steps many", "`many`"),
            ("mutate now", "now"),
            ("bench nodde", "nodde"),
            ("bench --filter", "--filter"),
            ("bench --slow", "--slow"),
        ] {
            let mistake = parse_line(line).unwrap_err();
            assert!(mistake.contains(word), "{line}: {mistake}");
        }
    }
}
