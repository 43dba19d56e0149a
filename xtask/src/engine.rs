//! The engine step: Rust to WebAssembly, glue and the outputs from which package and page are built: in
//! target/engine, and with Lua in target/engine-scripting.
//!
//! - `engine.wasm`, after wasm-opt, and `engine.wasm.d.ts`;
//! - `glue.js` and `glue.d.ts`: an ES module that exports `instantiate(module)` (see glue.rs).

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::stamp::Stamp;
use crate::variant::Variant;
use crate::{allocator, glue, node, panics, paths, progress, rust};

/// Inlining limit for larger functions with one caller: inlined, their loops get no registers in V8's code, which costs
/// a twentieth of a stream's instructions.
const SEPARATE: &str = "--one-caller-inline-max-function-size=300";
/// Limits of LLVM for inlining, in its units of cost, for functions without and with `#[inline]`. `opt-level = "s"` has
/// 50 and 325: the standard library's checks of capacity would be inlined a thousand times. At 25, GET takes a tenth longer.
const INLINING: &str = "-Cllvm-args=-inline-threshold=45 -inlinehint-threshold=50";
/// Parser and calls of Lua recurse within limits that need a larger stack than that of .cargo/config.toml. The last one
/// given takes precedence, and flags given here follow those of the file.
const LUA_STACK: &str = "-Clink-arg=-zstack-size=1048576";
/// Cargo's variable for another level of optimisation: `CARGO_PROFILE_RELEASE_OPT_LEVEL=3 cargo xtask test package worker`.
const OPT_LEVEL: &str = "CARGO_PROFILE_RELEASE_OPT_LEVEL";
const FILE_TYPES: &str = "declare const module: WebAssembly.Module;\nexport default module;\n";

/// Builds the engines side by side: each has a folder of its own, and optimisation over all crates uses one core.
pub(crate) fn build_all() -> Result {
    rust::ensure_target(rust::WASM)?;
    // wasm-opt is one of the package's build tools.
    node::install(&paths::package_sources())?;
    std::thread::scope(|scope| {
        let builds = Variant::ALL.map(|variant| scope.spawn(move || build(variant)));
        builds.into_iter().try_for_each(|running| {
            running.join().unwrap_or_else(|_| Err(Failure::new("building an engine ended in a panic")))
        })
    })
}

fn build(variant: Variant) -> Result {
    let linked = compile(variant)?;
    let mut stamp = Stamp::of_step(variant.engine_name())?;
    stamp.add_file(&linked)?;
    stamp.add_file(&paths::package_sources().join("package-lock.json"))?;
    if stamp.is_fresh() && outputs_exist(variant) {
        progress::unchanged(&outputs(variant));
        return Ok(());
    }
    stamp.forget();
    allocator::check(&linked)?;
    let step = progress::step(&outputs(variant));
    let bound = bind(variant, &linked)?;
    panics::remove_messages(&bound.join("engine_bg.wasm"))?;
    optimise(&bound)?;
    write_outputs(variant, &bound)?;
    step.done();
    stamp.keep()
}

/// Compiles the cdylib only: with the rlib beside it, Cargo would omit link-time optimisation. Cargo detects changes
/// itself. The flags of .cargo/config.toml (stack size) must apply, so flags from the environment, which would replace
/// them, are removed.
fn compile(variant: Variant) -> Result<PathBuf> {
    let step = progress::step(variant.engine_name());
    let folder = variant.cargo_target();
    Program::cargo()
        .args(&["rustc", "--release", "--lib", "--crate-type", "cdylib", "--package", "keylatch"])
        .args(&["--target", rust::WASM, "--no-default-features", "--features", variant.features()])
        .args(&["--config", &compiler_flags(variant)])
        .arg("--target-dir")
        .arg(&folder)
        .without_env("RUSTFLAGS")
        .without_env("CARGO_ENCODED_RUSTFLAGS")
        .run()?;
    step.done();
    Ok(folder.join(rust::WASM).join("release/keylatch.wasm"))
}

/// Additional compiler flags: limits of inlining, and no paths of the build machine, which panic messages would name.
fn compiler_flags(variant: Variant) -> String {
    let mut folders = vec![paths::root()];
    let registries = cargo_home().join("registry/src");
    folders.push(registries.clone());
    // One folder per registry; the last given match takes precedence.
    folders.extend(fs::read_dir(registries).into_iter().flatten().flatten().map(|entry| entry.path()));
    let flag = |folder: &PathBuf| format!("{:?}", format!("--remap-path-prefix={}/=", folder.display()));
    let mut flags: Vec<String> = folders.iter().map(flag).collect();
    // At another level of optimisation LLVM has limits of its own, which are tested too.
    if std::env::var_os(OPT_LEVEL).is_none() {
        flags.push(format!("{INLINING:?}"));
    }
    if variant == Variant::Scripting {
        flags.push(format!("{LUA_STACK:?}"));
    }
    format!("target.{}.rustflags=[{}]", rust::WASM, flags.join(","))
}

fn cargo_home() -> PathBuf {
    let home = std::env::home_dir().unwrap_or_default();
    std::env::var_os("CARGO_HOME").map_or(home.join(".cargo"), PathBuf::from)
}

/// Runs wasm-bindgen; returns the folder with `engine.js`, `engine.d.ts` and `engine_bg.wasm`, which still has names.
fn bind(variant: Variant, linked: &Path) -> Result<PathBuf> {
    let folder = paths::root().join("target/wasm-bindgen").join(variant.engine_name());
    let _ = fs::remove_dir_all(&folder);
    let mut arguments = vec!["wasm-bindgen", "--target", "no-modules", "--out-name", "engine"];
    arguments.extend(["--remove-producers-section", "--out-dir"]);
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

fn write_outputs(variant: Variant, bound: &Path) -> Result {
    let folder = variant.engine();
    paths::create_folder(&folder)?;
    let wasm = paths::read(&bound.join("engine_bg.wasm"))?;
    let script = glue::wrap_script(&paths::read_text(&bound.join("engine.js"))?)?;
    let types = glue::wrap_declarations(&paths::read_text(&bound.join("engine.d.ts"))?)?;
    paths::write(&folder.join("glue.js"), script)?;
    paths::write(&folder.join("glue.d.ts"), types)?;
    paths::write(&folder.join("engine.wasm.d.ts"), FILE_TYPES)?;
    paths::write(&folder.join("engine.wasm"), wasm)
}

fn outputs(variant: Variant) -> String {
    format!("{} outputs", variant.engine_name())
}

fn outputs_exist(variant: Variant) -> bool {
    ["engine.wasm", "glue.js", "glue.d.ts"].iter().all(|name| variant.engine().join(name).is_file())
}
