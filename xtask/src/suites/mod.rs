//! The list of test suites: their names, requirements, and functions.
//!
//! They run in this order: fast and precise ones first, and nothing is compiled twice.

mod docs;
mod javascript;
mod licences;
mod rust;
pub(crate) mod wasm;

use crate::bench;
use crate::debian::{self, CHROMEDRIVER, CHROMIUM, Wanted};
use crate::failure::Result;

/// A requirement that a machine may lack, or that is slow to meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Without {
    Browser,
    Workerd,
    Redis,
    Clients,
}

impl Without {
    pub(crate) const ALL: [Without; 4] = [Without::Browser, Without::Workerd, Without::Redis, Without::Clients];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Without::Browser => "browser",
            Without::Workerd => "workerd",
            Without::Redis => "redis",
            Without::Clients => "clients",
        }
    }

    pub(crate) fn about(self) -> &'static str {
        match self {
            Without::Browser => "tests in Chromium, with ChromeDriver",
            Without::Workerd => "tests in the Workers runtime (from npm)",
            Without::Redis => "tests with a Redis server",
            Without::Clients => "tests with the Redis tools, and clients from npm and PyPI",
        }
    }

    /// Debian packages that provide it.
    fn packages(self) -> &'static [Wanted] {
        match self {
            Without::Browser => &[CHROMIUM, CHROMEDRIVER],
            Without::Workerd => &[debian::REDIS_CLI],
            Without::Redis => &[debian::REDIS_SERVER],
            Without::Clients => &[debian::REDIS_CLI, debian::REDIS_BENCHMARK, debian::PYTHON],
        }
    }
}

#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) needs: &'static [Without],
    /// True when it tests the outputs of `cargo xtask build` in target/.
    pub(crate) needs_build: bool,
    pub(crate) run: fn() -> Result,
}

impl Suite {
    /// Installs requirements from outside npm and Cargo.
    pub(crate) fn prepare(&self) -> Result {
        self.needs.iter().try_for_each(|need| debian::ensure(need.packages()))
    }
}

const fn plain(name: &'static str, about: &'static str, run: fn() -> Result) -> Suite {
    Suite { name, about, needs: &[], needs_build: false, run }
}

const fn built(name: &'static str, about: &'static str, needs: &'static [Without], run: fn() -> Result) -> Suite {
    Suite { name, about, needs, needs_build: true, run }
}

pub(crate) const ALL: &[Suite] = &[
    plain("fmt", "format of Rust; format and lint of TypeScript and scripts", || {
        rust::fmt()?;
        javascript::fmt()
    }),
    plain("clippy", "lints, for the host and for wasm; warnings are errors", rust::clippy),
    plain("native", "unit tests, sessions, conformance, tidiness and generated files, natively", rust::native),
    plain("models", "model checks of latches, and the mutations that they must notice", rust::models),
    plain("licences", "licences of dependencies, and NOTICE", licences::run),
    plain("docs", "documentation of the crate, its public API and its package", docs::run),
    Suite {
        needs: &[Without::Redis],
        ..plain("redis", "logs and snapshots exchanged with a real server", rust::redis)
    },
    Suite {
        needs: &[Without::Redis],
        ..plain("differential", "random commands and session files against a real server", rust::differential)
    },
    plain("bare-metal", "the library builds without std and without an operating system", rust::bare_metal),
    plain("wasm", "session files in WebAssembly under Node", wasm::in_node),
    Suite {
        needs: &[Without::Browser],
        ..plain("wasm-browser", "session files in WebAssembly in headless Chromium", wasm::in_browser)
    },
    built("build", "builds engine, package and page, and prints their sizes", &[], crate::sizes::print),
    built("types", "TypeScript of package and page", &[], javascript::types),
    built("package", "the built package under Node", &[], javascript::package),
    built(
        "packaging",
        "the packed tarball: types, exports, and loading it everywhere",
        &[Without::Workerd, Without::Browser],
        javascript::packaging,
    ),
    built(
        "clients",
        "clients of Redis, and malformed input, with the built server",
        &[Without::Redis, Without::Clients],
        javascript::clients,
    ),
    built(
        "scripts",
        "lock, limiter and queue libraries that ship Lua, beside a real server",
        &[Without::Redis, Without::Clients],
        javascript::scripts,
    ),
    built("kill", "processes signalled while they write: every acknowledged write is there", &[], crate::kill::short),
    built(
        "kill-browser",
        "Chromium killed while a page writes: every flushed write is there",
        &[Without::Browser],
        crate::kill::short_browser,
    ),
    built("bench", "a short round of the benches without further requirements", &[], || {
        bench::short_round(&["node", "native", "memory", "start", "persist"])
    }),
    built("bench-browser", "a short round of the benches in Chromium", &[Without::Browser], || {
        bench::short_round(&["browser"])
    }),
    built(
        "bench-server",
        "a short round of the benches with a real server",
        &[Without::Redis, Without::Clients],
        || bench::short_round(&["server"]),
    ),
    built(
        "worker",
        "the Worker with a Durable Object on workerd",
        &[Without::Workerd, Without::Redis],
        javascript::worker,
    ),
    built("bench-worker", "a short round of the benches of a Durable Object", &[Without::Workerd], || {
        bench::short_round(&["worker"])
    }),
    built(
        "browser",
        "the playground in headless Chromium, and parts of it in Firefox and WebKit",
        &[Without::Browser],
        javascript::browser,
    ),
];

/// Suites of `--quick`: those that find most mistakes within minutes and require only Rust and Node.
pub(crate) const QUICK: &[&str] = &["fmt", "clippy", "native", "build", "package"];

#[cfg(test)]
mod tests {
    use super::{ALL, QUICK};

    #[test]
    fn names_are_unique() {
        for (index, suite) in ALL.iter().enumerate() {
            assert!(ALL[..index].iter().all(|other| other.name != suite.name), "{}", suite.name);
        }
    }

    #[test]
    fn quick_suites_need_nothing_from_outside() {
        for name in QUICK {
            let suite = ALL.iter().find(|suite| suite.name == *name).unwrap_or_else(|| panic!("{name}"));
            assert!(suite.needs.is_empty(), "{name}");
        }
    }
}
