//! Licences of dependencies: all are permissive, and those in the WebAssembly are in NOTICE with their licence, once.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::failure::{Failure, Result};
use crate::paths;
use crate::process::Program;

/// Licences of dependencies. Another one is added here after it was read.
const PERMISSIVE: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "MIT-0",
    "0BSD",
    "CDLA-Permissive-2.0",
];
/// Words of licence expressions that name no licence.
const OPERATORS: &[&str] = &["AND", "OR", "WITH", "LLVM-exception"];

pub(super) fn run() -> Result {
    let notice = fs::read_to_string(paths::root().join("NOTICE")).map_err(|error| Failure::new(error.to_string()))?;
    let mut faults = forbidden(&metadata()?);
    for features in ["wasm", "wasm,scripting"] {
        faults.extend(unnamed(&in_wasm(features)?, &notice));
    }
    match faults.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(faults.into_iter().collect::<Vec<_>>().join("\n"))),
    }
}

fn metadata() -> Result<Value> {
    let text = Program::cargo().args(&["metadata", "--format-version", "1", "--locked"]).output()?;
    serde_json::from_str(&text).map_err(|error| Failure::new(format!("cargo metadata: {error}")))
}

/// Dependencies of any part of the workspace with a licence that is not permissive, or without one.
fn forbidden(metadata: &Value) -> BTreeSet<String> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let refused = packages.filter(|package| !is_permissive(package["license"].as_str().unwrap_or_default()));
    refused.map(|package| format!("{} has the licence {}", package["name"], package["license"])).collect()
}

/// Whether an expression can be met by permissive licences alone: each alternative counts, each part of it is needed.
fn is_permissive(expression: &str) -> bool {
    let words = |part: &str| {
        let names = part.split(|c: char| c.is_whitespace() || "()".contains(c)).filter(|word| !word.is_empty());
        names.filter(|word| !OPERATORS.contains(word)).map(str::to_string).collect::<Vec<_>>()
    };
    let is_met = |part: &str| !words(part).is_empty() && words(part).iter().all(|word| PERMISSIVE.contains(&&**word));
    expression.replace('/', " OR ").split(" OR ").any(is_met)
}

/// Name and licence of each package in an engine, from `cargo tree`.
fn in_wasm(features: &str) -> Result<Vec<(String, String)>> {
    let target = ["--target", "wasm32-unknown-unknown", "--no-default-features", "--features", features];
    let shown = ["--package", "keylatch", "--edges", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}|{l}"];
    let text = Program::cargo().args(&["tree", "--locked"]).args(&target).args(&shown).output()?;
    let lines: BTreeSet<&str> = text.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    let parts = lines.iter().filter_map(|line| line.split_once('|'));
    let named = parts.map(|(package, licence)| (package.split(' ').next().unwrap_or_default(), licence));
    Ok(named.filter(|(name, _)| *name != "keylatch").map(|(name, licence)| (name.into(), licence.into())).collect())
}

/// Packages that NOTICE does not name on a line with their licence, or that are there in two versions.
fn unnamed(packages: &[(String, String)], notice: &str) -> Vec<String> {
    let entries: Vec<&str> = notice.split("\n- ").skip(1).collect();
    let is_named = |name: &str, licence: &str| {
        entries
            .iter()
            .filter_map(|entry| entry.split_once(": "))
            .any(|(names, rest)| names.split(", ").any(|named| named == name) && rest.starts_with(&in_order(licence)))
    };
    let mut faults = Vec::new();
    for (index, (name, licence)) in packages.iter().enumerate() {
        if !is_named(name, licence) {
            faults.push(format!("NOTICE does not name {name} with its licence, {licence}"));
        }
        if packages.iter().take(index).any(|(other, _)| other == name) {
            faults.push(format!("{name} is in the engine in two versions"));
        }
    }
    faults
}

/// The expression as NOTICE has it, whichever alternative stands first.
fn in_order(licence: &str) -> String {
    if licence == "Apache-2.0 OR MIT" { "MIT OR Apache-2.0".to_string() } else { licence.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alternative_suffices_and_each_part_is_needed() {
        for licence in
            ["MIT", "MIT OR Apache-2.0", "GPL-3.0 OR MIT", "MIT/Apache-2.0", "(MIT OR Apache-2.0) AND Unicode-3.0"]
        {
            assert!(is_permissive(licence), "{licence}");
        }
        for licence in ["", "GPL-3.0", "MIT AND GPL-3.0", "LGPL-2.1"] {
            assert!(!is_permissive(licence), "{licence}");
        }
    }

    #[test]
    fn notice_names_packages_with_their_licence() {
        let notice = "x\n- a, b: MIT OR Apache-2.0\n- c: BSL-1.0, by C\n";
        let package = |name: &str, licence: &str| (name.to_string(), licence.to_string());
        let named = [package("a", "MIT OR Apache-2.0"), package("b", "Apache-2.0 OR MIT"), package("c", "BSL-1.0")];
        assert_eq!(unnamed(&named, notice), Vec::<String>::new());
        for other in [package("d", "MIT"), package("c", "MIT"), package("a", "GPL-3.0")] {
            assert_eq!(unnamed(&[other], notice).len(), 1);
        }
        assert_eq!(unnamed(&[package("c", "BSL-1.0"), package("c", "BSL-1.0")], notice).len(), 1);
    }
}
