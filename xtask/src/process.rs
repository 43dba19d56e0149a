//! Runs other programs: prints the command, gives it no standard input, and reports a failure as a sentence.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Failure, Result};
use crate::paths;

#[derive(Debug)]
pub(crate) struct Program {
    name: String,
    command: Command,
    folder: PathBuf,
}

impl Program {
    pub(crate) fn new(name: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(name.as_ref());
        command.stdin(Stdio::null());
        let mut program =
            Program { name: name.as_ref().to_string_lossy().into_owned(), command, folder: paths::root() };
        program.command.current_dir(&program.folder);
        program
    }

    /// The Cargo that started xtask, so that a selected toolchain is kept.
    pub(crate) fn cargo() -> Self {
        Program::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    pub(crate) fn node() -> Self {
        Program::new("node")
    }

    pub(crate) fn npm() -> Self {
        Program::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
    }

    pub(crate) fn args(mut self, arguments: &[&str]) -> Self {
        self.command.args(arguments);
        self
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self.folder = folder.to_path_buf();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Runs the program with its output on the terminal.
    pub(crate) fn run(mut self) -> Result {
        println!("    $ {}", self.shown());
        let status = self.command.status().map_err(|error| self.not_started(&error))?;
        if status.success() { Ok(()) } else { Err(Failure::new(format!("`{}` failed ({status})", self.shown()))) }
    }

    /// Runs the program silently and returns its output. Its error output is part of the failure.
    pub(crate) fn output(mut self) -> Result<String> {
        let output = self.command.output().map_err(|error| self.not_started(&error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let complaint = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(Failure::new(format!("`{}` failed ({})\n{complaint}", self.shown(), output.status)))
    }

    /// Runs the program silently and returns the warnings that it printed.
    pub(crate) fn warnings(mut self) -> Result<Vec<String>> {
        println!("    $ {}", self.shown());
        let output = self.command.output().map_err(|error| self.not_started(&error))?;
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            return Err(Failure::new(format!("`{}` failed ({})\n{complaint}", self.shown(), output.status)));
        }
        Ok(complaint.lines().filter(|line| line.starts_with("warning")).map(str::to_owned).collect())
    }

    /// Runs the program with its error output on the terminal, and returns its output.
    pub(crate) fn answer(mut self) -> Result<String> {
        println!("    $ {}", self.shown());
        self.command.stderr(Stdio::inherit());
        self.output()
    }

    fn not_started(&self, error: &std::io::Error) -> Failure {
        Failure::new(format!("cannot start `{}`: {error}", self.name))
    }

    /// The command line of the program, with paths shortened and the folder in front if it is not the workspace's.
    fn shown(&self) -> String {
        let mut words = Vec::new();
        if self.folder != paths::root() {
            words.push(format!("cd {} &&", paths::short(&self.folder)));
        }
        words.push(Path::new(&self.name).file_name().unwrap_or_default().to_string_lossy().into_owned());
        words.extend(self.command.get_args().map(|argument| paths::short(Path::new(argument))));
        words.join(" ")
    }
}
