//! `cargo xtask`: builds, serves, measures and tests keylatch on a fresh machine with rustup and Node.
//!
//! This file only dispatches commands.

mod allocator;
mod bench;
mod cli;
mod debian;
mod engine;
mod failure;
mod fuzz;
mod generated;
mod glue;
mod kill;
mod mutate;
mod node;
mod package;
mod page;
mod panics;
mod paths;
mod play;
mod process;
mod progress;
mod python;
mod rust;
mod simulate;
mod sizes;
mod stamp;
mod suites;
mod test;
mod variant;

use std::io::Write;
use std::process::ExitCode;

use cli::Command;
use failure::Result;

/// Exit code of a usage error, as of most Unix tools.
const EXIT_USAGE: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = match cli::parse(&arguments) {
        Ok(command) => command,
        Err(mistake) => {
            eprintln!("error: {mistake}\n\n{}", cli::help());
            return ExitCode::from(EXIT_USAGE);
        }
    };
    match execute(command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn execute(command: Command) -> Result {
    match command {
        Command::Help => {
            // A closed reader, such as `head`, is no failure.
            let _ = writeln!(std::io::stdout(), "{}", cli::help());
            Ok(())
        }
        Command::Bench(options) => bench::run(&options),
        Command::Build => build_everything(),
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Kill(options) => kill::run(&options),
        Command::Mutate => mutate::run(),
        Command::Play(options) => {
            build_everything()?;
            play::serve(&options)
        }
        Command::Simulate(options) => simulate::run(&options),
        Command::Sizes => sizes::check(),
        Command::Test(selection) => test::run(&selection),
        Command::WasmTestRunner(arguments) => suites::wasm::run_as_test_runner(&arguments),
    }
}

/// Prints generated files, builds engines and packages, then the page, and prints the sizes.
fn build_everything() -> Result {
    build()?;
    sizes::print()
}

/// The build steps, each of which is skipped while its inputs are unchanged.
pub(crate) fn build() -> Result {
    node::check()?;
    generated::build()?;
    engine::build_all()?;
    variant::Variant::ALL.into_iter().try_for_each(package::build)?;
    page::build()
}
