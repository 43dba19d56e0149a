//! Python and packages for tests, in a virtual environment below target/.

use std::path::PathBuf;

use crate::debian;
use crate::failure::Result;
use crate::process::Program;
use crate::stamp::Stamp;
use crate::{paths, progress};

/// Interpreter of an environment with exactly the packages of the requirements file.
pub(crate) fn environment(name: &str, requirements: &str) -> Result<PathBuf> {
    let folder = paths::root().join("target/python").join(name);
    let python = folder.join("bin/python");
    let requirements = paths::root().join(requirements);
    let mut stamp = Stamp::in_file(folder.join(".keylatch-stamp"));
    stamp.add_file(&requirements)?;
    if stamp.is_fresh() && python.is_file() {
        return Ok(python);
    }
    let step = progress::step(&format!("Python packages of {}", paths::short(&requirements)));
    make(&folder)?;
    let options = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"];
    Program::new(&python).args(&options).arg(&requirements).run()?;
    stamp.keep()?;
    step.done();
    Ok(python)
}

/// Debian keeps the part of Python that makes environments in a package of its own.
fn make(folder: &PathBuf) -> Result {
    let python = debian::path(debian::PYTHON)?;
    if Program::new(&python).args(&["-c", "import ensurepip, venv"]).output().is_err() {
        debian::install(&["python3-venv"])?;
    }
    Program::new(&python).args(&["-m", "venv", "--clear"]).arg(folder).run()
}
