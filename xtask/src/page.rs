//! The page step: www and the built packages become the playground in target/www.

use crate::failure::{Failure, Result};
use crate::process::Program;
use crate::stamp::Stamp;
use crate::variant::Variant;
use crate::{node, paths, progress};

pub(crate) fn build() -> Result {
    let sources = paths::page_sources();
    // The packages are `file:` dependencies, so they are built before this install.
    node::install(&sources)?;
    let mut stamp = Stamp::of_step("page")?;
    stamp.add_folder(&sources)?;
    for variant in Variant::ALL {
        stamp.add_folder(&variant.package())?;
    }
    stamp.add_folder(&paths::command_pages())?;
    stamp.add_file(&paths::generated().join("forms.json"))?;
    stamp.add_folder(&paths::root().join("docs/guides"))?;
    // Pages name their own address if the site's is known.
    stamp.add_text(&std::env::var("KEYLATCH_SITE").unwrap_or_default());
    // Parts of these are shown on the site.
    for file in [
        "docs/locks.md",
        "docs/recipes.md",
        "docs/sessions.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "NOTICE",
        "src/resp/mod.rs",
    ] {
        stamp.add_file(&paths::root().join(file))?;
    }
    let start = paths::www().join("index.html");
    if stamp.is_fresh() && start.is_file() {
        progress::unchanged("playground");
        return Ok(());
    }
    stamp.forget();
    let step = progress::step("playground");
    Program::npm().args(&["run", "build", "--silent"]).folder(&sources).run()?;
    if !start.is_file() {
        return Err(Failure::new("the page's build wrote no target/www/index.html"));
    }
    step.done();
    stamp.keep()
}
