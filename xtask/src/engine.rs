//! The engine step: Rust to WebAssembly, glue and the outputs in target/engine, from which package and page are built.
//!
//! - `engine.wasm`, after wasm-opt, and `engine.wasm.d.ts`;
//! - `glue.js` and `glue.d.ts`: an ES module that exports `instantiate(module)` (see glue.rs).

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::stamp::Stamp;
use crate::{glue, node, paths, progress, rust};

/// Inlining limit for larger functions with one caller: inlined, their loops get no registers in V8's code, which costs
/// a twentieth of a stream's instructions.
const SEPARATE: &str = "--one-caller-inline-max-function-size=300";
/// Limits of LLVM for inlining, in its units of cost, for functions without and with `#[inline]`. `opt-level = "s"` has
/// 50 and 325: the standard library's checks of capacity would be inlined a thousand times. At 25, GET takes a tenth longer.
const INLINING: &str = "-Cllvm-args=-inline-threshold=45 -inlinehint-threshold=50";
const FILE_TYPES: &str = "declare const module: WebAssembly.Module;\nexport default module;\n";

pub(crate) fn build() -> Result {
    rust::ensure_target(rust::WASM)?;
    // wasm-opt is one of the package's build tools.
    node::install(&paths::package_sources())?;
    let linked = compile()?;
    let mut stamp = Stamp::of_step("engine")?;
    stamp.add_file(&linked)?;
    stamp.add_file(&paths::package_sources().join("package-lock.json"))?;
    if stamp.is_fresh() && outputs_exist() {
        progress::unchanged("engine outputs");
        return Ok(());
    }
    stamp.forget();
    let step = progress::step("engine outputs");
    let bound = bind(&linked)?;
    optimise(&bound)?;
    write_outputs(&bound)?;
    step.done();
    stamp.keep()
}

/// Compiles the cdylib only: with the rlib beside it, Cargo would omit link-time optimisation. Cargo detects changes
/// itself. The flags of .cargo/config.toml (stack size) must apply, so flags from the environment, which would replace
/// them, are removed.
fn compile() -> Result<PathBuf> {
    let step = progress::step("engine");
    Program::cargo()
        .args(&["rustc", "--release", "--lib", "--crate-type", "cdylib", "--package", "keylatch"])
        .args(&["--target", rust::WASM, "--no-default-features", "--features", "wasm"])
        .args(&["--config", &compiler_flags()])
        .without_env("RUSTFLAGS")
        .without_env("CARGO_ENCODED_RUSTFLAGS")
        .run()?;
    step.done();
    Ok(paths::target().join(rust::WASM).join("release/keylatch.wasm"))
}

/// Additional compiler flags: limits of inlining, and no paths of the build machine, which panic messages would name.
fn compiler_flags() -> String {
    let mut folders = vec![paths::root()];
    let registries = cargo_home().join("registry/src");
    folders.push(registries.clone());
    // One folder per registry; the last given match takes precedence.
    folders.extend(fs::read_dir(registries).into_iter().flatten().flatten().map(|entry| entry.path()));
    let flag = |folder: &PathBuf| format!("{:?}", format!("--remap-path-prefix={}/=", folder.display()));
    let mut flags: Vec<String> = folders.iter().map(flag).collect();
    flags.push(format!("{INLINING:?}"));
    format!("target.{}.rustflags=[{}]", rust::WASM, flags.join(","))
}

fn cargo_home() -> PathBuf {
    let home = std::env::home_dir().unwrap_or_default();
    std::env::var_os("CARGO_HOME").map_or(home.join(".cargo"), PathBuf::from)
}

/// Runs wasm-bindgen; returns the folder with `engine.js`, `engine.d.ts` and `engine_bg.wasm`.
fn bind(linked: &Path) -> Result<PathBuf> {
    let folder = paths::root().join("target/wasm-bindgen");
    let _ = fs::remove_dir_all(&folder);
    let mut arguments = vec!["wasm-bindgen", "--target", "no-modules", "--out-name", "engine"];
    arguments.extend(["--remove-name-section", "--remove-producers-section", "--out-dir"]);
    let mut arguments: Vec<PathBuf> = arguments.into_iter().map(PathBuf::from).collect();
    arguments.extend([folder.clone(), linked.to_path_buf()]);
    wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(arguments)
        .map_err(|error| Failure::new(format!("wasm-bindgen: {error:#}")))?;
    Ok(folder)
}

/// wasm-opt reads the allowed features from the file's own section, so none are named here.
fn optimise(bound: &Path) -> Result {
    let file = bound.join("engine_bg.wasm");
    let tool = node::tool(&paths::package_sources(), "binaryen", "bin/wasm-opt")?;
    Program::node()
        .arg(&tool)
        .args(&["-O3", SEPARATE, "--converge", "--strip-debug", "--strip-producers"])
        .arg(&file)
        .arg("-o")
        .arg(&file)
        .run()
}

fn write_outputs(bound: &Path) -> Result {
    let folder = paths::engine();
    paths::create_folder(&folder)?;
    let wasm = paths::read(&bound.join("engine_bg.wasm"))?;
    let script = glue::wrap_script(&paths::read_text(&bound.join("engine.js"))?)?;
    let types = glue::wrap_declarations(&paths::read_text(&bound.join("engine.d.ts"))?)?;
    paths::write(&folder.join("glue.js"), script)?;
    paths::write(&folder.join("glue.d.ts"), types)?;
    paths::write(&folder.join("engine.wasm.d.ts"), FILE_TYPES)?;
    paths::write(&folder.join("engine.wasm"), wasm)
}

fn outputs_exist() -> bool {
    ["engine.wasm", "glue.js", "glue.d.ts"].iter().all(|name| paths::engine().join(name).is_file())
}
