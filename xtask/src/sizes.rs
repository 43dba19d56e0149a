//! Sizes of the built files, beside the budgets of the project.

use std::path::{Path, PathBuf};

use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::variant::Variant;
use crate::{node, paths};

/// Bytes of a kilobyte in the budgets.
pub(crate) const KB: f64 = 1024.0;

const WASM_BROTLI: Budget = Budget { aim: 215 * 1024, floor: 222 * 1024 };
/// Budget of the engine with Lua.
const SCRIPTING_BROTLI: Budget = Budget { aim: 455 * 1024, floor: 470 * 1024 };
/// Budget of the page: the module is most of it, and gzip makes it a quarter larger than brotli does.
const PAGE_GZIP: Budget = Budget { aim: 350 * 1024, floor: 360 * 1024 };
/// Budget of the script that other sites embed, without the module.
const EMBED_GZIP: Budget = Budget { aim: 60 * 1024, floor: 60 * 1024 };
/// Budget of the package, which contains the module twice: as a file, and as text for hosts that cannot load files.
/// Its code is not minified.
const PACKED: Budget = Budget { aim: 720 * 1024, floor: 740 * 1024 };
const INSTALLED: Budget = Budget { aim: 1760 * 1024, floor: 1792 * 1024 };

/// Script that prints one line of JSON: for each file named, [raw, gzip, brotli].
const MEASURE: &str = "
const { readFileSync } = require('node:fs');
const { gzipSync, brotliCompressSync } = require('node:zlib');
const sizes = process.argv.slice(1).map(path => {
    const bytes = readFileSync(path);
    return [bytes.length, gzipSync(bytes, { level: 9 }).length, brotliCompressSync(bytes).length];
});
console.log(JSON.stringify(sizes));
";

/// A budget: the aim, and the floor above which it counts as missed.
#[derive(Clone, Copy, Debug)]
struct Budget {
    aim: u64,
    floor: u64,
}

impl Budget {
    fn verdict(self, bytes: u64) -> &'static str {
        match bytes {
            _ if bytes <= self.aim => "",
            _ if bytes <= self.floor => "  above aim",
            _ => "  OVER",
        }
    }
}

#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) what: &'static str,
    pub(crate) bytes: u64,
    budget: Option<Budget>,
}

/// Prints the table.
pub(crate) fn print() -> Result {
    println!("{}", table(&measure()?));
    Ok(())
}

/// Prints the table and fails when a line exceeds the floor of its budget.
pub(crate) fn check() -> Result {
    node::check()?;
    let lines = measure()?;
    println!("{}", table(&lines));
    match lines.iter().find(|line| line.budget.is_some_and(|budget| line.bytes > budget.floor)) {
        Some(line) => Err(Failure::new(format!("{} exceeds its budget", line.what))),
        None => Ok(()),
    }
}

pub(crate) fn measure() -> Result<Vec<Line>> {
    let [wasm, scripting] = Variant::ALL.map(|variant| variant.engine().join("engine.wasm"));
    for (path, what) in [
        (&wasm, "engine"),
        (&scripting, "engine with Lua"),
        (&paths::package(), "package"),
        (&paths::www(), "playground"),
    ] {
        if !path.exists() {
            return Err(Failure::new(format!("the {what} is not built: run `cargo xtask build`")));
        }
    }
    let engines = compressed(&[wasm, scripting])?;
    let ([raw, gzip, brotli], [_, _, scripting]) = (engines[0], engines[1]);
    let page: u64 = compressed(&page_files()?)?.iter().map(|size| size[1]).sum();
    let embed: u64 = compressed(&embed_scripts()?)?.iter().map(|size| size[1]).sum();
    let (packed, installed) = package()?;
    Ok(vec![
        Line { what: "wasm, raw", bytes: raw, budget: None },
        Line { what: "wasm, gzip", bytes: gzip, budget: None },
        Line { what: "wasm, brotli", bytes: brotli, budget: Some(WASM_BROTLI) },
        Line { what: "wasm with Lua, brotli", bytes: scripting, budget: Some(SCRIPTING_BROTLI) },
        Line { what: "page JS + CSS + wasm, gzip", bytes: page, budget: Some(PAGE_GZIP) },
        Line { what: "embed script, gzip", bytes: embed, budget: Some(EMBED_GZIP) },
        Line { what: "package, packed", bytes: packed, budget: Some(PACKED) },
        Line { what: "package, installed", bytes: installed, budget: Some(INSTALLED) },
    ])
}

fn page_files() -> Result<Vec<PathBuf>> {
    // Files for other sites belong to no page of this one, and the engine with Lua is loaded when a script is to run.
    let embedded = paths::www().join("embed");
    let apart = |path: &PathBuf| path.starts_with(&embedded) || path.to_string_lossy().contains("keylatch-lua");
    let counted = |path: &PathBuf| {
        path.extension().is_some_and(|kind| kind == "js" || kind == "css" || kind == "wasm") && !apart(path)
    };
    Ok(paths::files_below(&paths::www())?.into_iter().filter(counted).collect())
}

fn embed_scripts() -> Result<Vec<PathBuf>> {
    let is_script = |path: &PathBuf| path.file_name().is_some_and(|name| name == "keylatch-repl.js");
    Ok(paths::files_below(&paths::www().join("embed"))?.into_iter().filter(is_script).collect())
}

fn compressed(files: &[impl AsRef<Path>]) -> Result<Vec<[u64; 3]>> {
    let mut program = Program::node().args(&["-e", MEASURE, "--"]);
    for file in files {
        program = program.arg(file.as_ref());
    }
    serde_json::from_str(&program.output()?).map_err(|error| Failure::new(format!("cannot read the sizes: {error}")))
}

/// Sizes of the tarball that npm would pack, and of its files.
fn package() -> Result<(u64, u64)> {
    let arguments = ["pack", "--dry-run", "--json", "--ignore-scripts", "--loglevel=error"];
    let report = Program::npm().args(&arguments).folder(&paths::package()).output()?;
    let report: serde_json::Value = serde_json::from_str(&report)
        .map_err(|error| Failure::new(format!("cannot read the output of `npm pack`: {error}")))?;
    // npm 10 and 11 print a list, later ones an object by package name.
    let entry = report.get(0).or_else(|| report.as_object().and_then(|all| all.values().next()));
    let size = |name: &str| entry.and_then(|entry| entry[name].as_u64());
    match (size("size"), size("unpackedSize")) {
        (Some(packed), Some(installed)) => Ok((packed, installed)),
        _ => Err(Failure::new("`npm pack` printed no sizes")),
    }
}

fn table(lines: &[Line]) -> String {
    let mut text = String::from("\nsize                                bytes         KB        aim      floor");
    for line in lines {
        let (bytes, kilobytes) = (line.bytes, line.bytes as f64 / KB);
        text.push_str(&format!("\n{:<28} {bytes:>12} {kilobytes:>10.1}", line.what));
        if let Some(budget) = line.budget {
            let [aim, floor] = [budget.aim, budget.floor].map(|bytes| bytes as f64 / KB);
            text.push_str(&format!(" {aim:>10.1} {floor:>10.1}{}", budget.verdict(line.bytes)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Budget, Line, table};

    #[test]
    fn a_line_beyond_its_aim_or_floor_is_marked() {
        let budget = Some(Budget { aim: 60_000, floor: 65_000 });
        let shown = |bytes| table(&[Line { what: "wasm, brotli", bytes, budget }]);
        assert!(shown(60_000).ends_with("63.5"), "{}", shown(60_000));
        assert!(shown(60_001).ends_with("above aim"));
        assert!(shown(65_001).ends_with("OVER"));
    }
}
