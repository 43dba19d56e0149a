//! Converts wasm-bindgen's `no-modules` script to an ES module with one export, `instantiate(module)`.
//!
//! The script keeps the state of one wasm instance in its own variables. Wrapped in a function, every call creates that
//! state anew: each engine has its own instance and classes, and a trap in one leaves the others alive. The
//! asynchronous loader is removed: it is unused, and it would bring `fetch` and `document` into every bundle.
//!
//! Independent of the engine's exports.

use crate::failure::{Failure, Result};

const PREFIX: &str = "\
// Made by `cargo xtask build` from the engine; edits are lost.

/**
 * Makes one engine instance: its own memory, its own classes. `raw` has the exports of the wasm instance itself.
 */
export function instantiate(module) {
";

const SUFFIX: &str = "
    const { initSync, ...instance } = wasm_bindgen;
    instance.raw = initSync({ module });
    return instance;
}
";

const GLOBAL_RETURN: &str = "return Object.assign(__wbg_init, { initSync }, exports);";
const OWN_RETURN: &str = "return Object.assign(exports, { initSync });";

/// The module `glue.js` from wasm-bindgen's script for `--target no-modules`.
pub(crate) fn wrap_script(script: &str) -> Result<String> {
    if script.contains("import(") || script.lines().any(|line| line.starts_with("import ")) {
        return Err(Failure::new(
            "the engine's glue imports another script (an inline_js snippet?): it must stand alone",
        ));
    }
    let body = cut(script, "    let script_src;\n", "\n    class ")?;
    let body = cut(&body, "    async function __wbg_load(", "    function initSync(")?;
    let body = cut(&body, "    let __wbg_init_promise;", "    return Object.assign(__wbg_init")?;
    if !body.contains(GLOBAL_RETURN) {
        return Err(unknown_shape(GLOBAL_RETURN));
    }
    let body = body.replace(GLOBAL_RETURN, OWN_RETURN);
    Ok(format!("{PREFIX}{body}{SUFFIX}"))
}

/// The declarations `glue.d.ts` from wasm-bindgen's for the script.
pub(crate) fn wrap_declarations(declarations: &str) -> Result<String> {
    let bindings = between(declarations, "declare namespace wasm_bindgen {\n", "\n}\ndeclare type InitInput")?;
    let raw = between(declarations, "declare interface InitOutput {\n", "\n}\n")?;
    Ok(format!(
        "// Made by `cargo xtask build` from the engine; edits are lost.

/** What the engine exports through wasm-bindgen; use it for types, the values come from `instantiate`. */
export declare namespace bindings {{
{bindings}
}}

/** The exports of the wasm instance itself. */
export interface RawExports {{
{raw}
}}

export type Engine = bindings.Engine;

/** One wasm instance with its own classes. */
export type Instance = typeof bindings & {{ readonly raw: RawExports }};

/** Makes one engine instance: its own memory, its own classes. */
export declare function instantiate(module: WebAssembly.Module): Instance;
"
    ))
}

/// The text without the range from `start` up to `end`, which stays.
fn cut(text: &str, start: &str, end: &str) -> Result<String> {
    let from = text.find(start).ok_or_else(|| unknown_shape(start))?;
    let length = text[from..].find(end).ok_or_else(|| unknown_shape(end))?;
    Ok(format!("{}{}", &text[..from], &text[from + length..]))
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Result<&'a str> {
    let from = text.find(start).ok_or_else(|| unknown_shape(start))? + start.len();
    let length = text[from..].find(end).ok_or_else(|| unknown_shape(end))?;
    Ok(&text[from..from + length])
}

/// The output of wasm-bindgen has changed: its version is pinned, so this appears only after a version change.
fn unknown_shape(marker: &str) -> Failure {
    Failure::new(format!(
        "wasm-bindgen's output has a new shape: `{}` not found (see xtask/src/glue.rs)",
        marker.trim()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "let wasm_bindgen = (function(exports) {
    let script_src;
    if (document) { }

    class Engine { }
    async function __wbg_load(a) { fetch(a) }

    function initSync(module) { }

    let __wbg_init_promise;
    async function __wbg_init() { }

    return Object.assign(__wbg_init, { initSync }, exports);
})({ __proto__: null });
";

    #[test]
    fn the_loader_is_cut_and_the_rest_wrapped() {
        let module = wrap_script(SCRIPT).unwrap();
        for gone in ["fetch", "document", "__wbg_init"] {
            assert!(!module.contains(gone), "{gone} in {module}");
        }
        for kept in ["class Engine", "function initSync", "export function instantiate(module)", OWN_RETURN] {
            assert!(module.contains(kept), "{kept} not in {module}");
        }
    }

    #[test]
    fn another_shape_is_refused_by_name() {
        let failure = wrap_script(&SCRIPT.replace("__wbg_load", "__wbg_other")).unwrap_err().to_string();
        assert!(failure.contains("__wbg_load"), "{failure}");
        let failure = wrap_script(&format!("import {{ a }} from './snippet.js'\n{SCRIPT}")).unwrap_err().to_string();
        assert!(failure.contains("stand alone"), "{failure}");
    }

    #[test]
    fn declarations_keep_classes_and_raw_exports() {
        let declarations = "declare namespace wasm_bindgen {\n    export class Engine {}\n}\ndeclare type InitInput = 1;\n\
            declare interface InitOutput {\n    readonly memory: WebAssembly.Memory;\n}\n";
        let wrapped = wrap_declarations(declarations).unwrap();
        assert!(wrapped.contains("export declare namespace bindings {\n    export class Engine {}\n}"), "{wrapped}");
        assert!(
            wrapped.contains("export interface RawExports {\n    readonly memory: WebAssembly.Memory;\n}"),
            "{wrapped}"
        );
    }
}
