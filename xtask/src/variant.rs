//! The two builds of the engine, each with a package of its own: without Lua, and with it.

use std::path::PathBuf;

use crate::paths;

/// A build of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Core,
    Scripting,
}

impl Variant {
    /// In the order in which they are built: the package with Lua takes its declarations from the other one.
    pub(crate) const ALL: [Variant; 2] = [Variant::Core, Variant::Scripting];

    /// Name of the npm package.
    pub(crate) fn package_name(self) -> &'static str {
        match self {
            Variant::Core => "keylatch",
            Variant::Scripting => "keylatch-scripting",
        }
    }

    /// Features of the crate.
    pub(crate) fn features(self) -> &'static str {
        match self {
            Variant::Core => "wasm",
            Variant::Scripting => "wasm,scripting",
        }
    }

    /// Name of the engine in messages, stamps and folders.
    pub(crate) fn engine_name(self) -> &'static str {
        match self {
            Variant::Core => "engine",
            Variant::Scripting => "engine-scripting",
        }
    }

    /// Cargo's folder. Each variant has one of its own: their compiler flags differ, and in one folder each build would
    /// discard the other's dependencies, and replace its `keylatch.wasm`.
    pub(crate) fn cargo_target(self) -> PathBuf {
        match self {
            Variant::Core => paths::target(),
            Variant::Scripting => paths::target().join("with-lua"),
        }
    }

    /// Outputs of the engine step: engine.wasm, glue.js, glue.d.ts.
    pub(crate) fn engine(self) -> PathBuf {
        paths::root().join("target").join(self.engine_name())
    }

    /// The installable npm package.
    pub(crate) fn package(self) -> PathBuf {
        paths::root().join("target/npm").join(self.package_name())
    }
}
