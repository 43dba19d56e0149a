//! Tidiness: rules of the project that no compiler checks. Each rule is a function over one file (or the whole tree)
//! that returns its violations, and each has a test that shows that it can find one.

#[path = "tidy/bans.rs"]
mod bans;
#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/command_names.rs"]
mod command_names;
#[path = "tidy/comments.rs"]
mod comments;
#[path = "tidy/floors.rs"]
mod floors;
#[path = "tidy/import_graph.rs"]
mod import_graph;
#[path = "tidy/methods.rs"]
mod methods;
#[path = "tidy/packages.rs"]
mod packages;
#[path = "tidy/resp_bytes.rs"]
mod resp_bytes;
#[path = "tidy/rust_text.rs"]
mod rust_text;
#[path = "tidy/sessions.rs"]
mod sessions;
#[path = "tidy/sizes.rs"]
mod sizes;
#[path = "tidy/speed.rs"]
mod speed;
#[allow(dead_code)] // Others use more of it.
#[path = "support/tree.rs"]
mod tree;
#[path = "tidy/typescript.rs"]
mod typescript;
#[path = "tidy/typescript_floors.rs"]
mod typescript_floors;
#[path = "tidy/wording.rs"]
mod wording;

use tree::File;

/// Fails with all violations, one a line.
fn expect_none(violations: Vec<String>) {
    assert!(violations.is_empty(), "{} violations\n{}", violations.len(), violations.join("\n"));
}

/// Files that belong to the engine.
fn engine_sources() -> Vec<File> {
    tree::files("src", &["rs"])
}

/// Every Rust file of the repository.
fn rust_sources() -> Vec<File> {
    ["src", "examples", "tests", "benches", "xtask"].iter().flat_map(|folder| tree::files(folder, &["rs"])).collect()
}

/// All handwritten scripts and style sheets.
fn web_sources() -> Vec<File> {
    let kinds = ["ts", "mts", "js", "mjs", "css"];
    ["pkg-templates", "www", "tests", "benches"].iter().flat_map(|folder| tree::files(folder, &kinds)).collect()
}

#[test]
fn files_import_only_their_own_floor_and_those_below() {
    let sources = engine_sources();
    assert!(sources.len() > 20, "src was not found");
    expect_none(sources.iter().flat_map(floors::imports_upwards).collect());
}

#[test]
fn no_type_has_many_methods() {
    expect_none(methods::types_with_many_methods(&engine_sources()));
}

#[test]
fn no_file_needs_itself_through_others() {
    expect_none(circles::circles(&engine_sources()));
}

#[test]
fn parts_of_a_floor_have_an_order() {
    expect_none(circles::parts_out_of_order(&engine_sources()));
}

/// TypeScript of the package and of the page.
fn typescript_sources() -> Vec<File> {
    typescript_floors::TREES.iter().flat_map(|tree| tree::files(tree.folder, &["ts"])).collect()
}

#[test]
fn typescript_imports_only_its_own_floor_and_those_below() {
    let sources = typescript_sources();
    assert!(sources.len() > 300, "the sources were not found");
    expect_none(typescript_floors::imports_upwards(&sources));
}

#[test]
fn no_typescript_file_needs_itself_through_others() {
    expect_none(typescript_floors::circles(&typescript_sources()));
}

#[test]
fn folders_of_the_page_can_be_surveyed() {
    expect_none(sizes::crowded_folders(&tree::files("www/src", &["ts", "js", "css"])));
}

#[test]
fn bytes_of_the_protocol_are_handled_on_one_floor() {
    expect_none(typescript_sources().iter().flat_map(resp_bytes::outside_resp).collect());
}

#[test]
fn functions_and_files_are_short() {
    let rust = rust_sources();
    expect_none(rust.iter().flat_map(sizes::long_functions).collect());
    expect_none(rust.iter().chain(&web_sources()).flat_map(sizes::long_file).collect());
}

#[test]
fn the_engine_asks_no_clock_and_no_chance_and_names_the_browser_in_one_room_only() {
    expect_none(engine_sources().iter().flat_map(bans::engine).collect());
}

#[test]
fn names_of_the_engine_are_words_of_the_field() {
    expect_none(engine_sources().iter().flat_map(bans::foreign_words).collect());
}

/// Every handwritten file with code or comments in the checked folders.
fn worded_sources() -> Vec<File> {
    wording::FOLDERS.iter().flat_map(|folder| tree::files(folder, &wording::KINDS)).collect()
}

#[test]
fn names_and_comments_use_words_of_the_field() {
    expect_none(worded_sources().iter().flat_map(wording::foreign_words).collect());
}

#[test]
fn comments_stand_alone_and_describe_no_persons() {
    expect_none(worded_sources().iter().flat_map(wording::comments_to_reword).collect());
}

#[test]
fn nothing_unfinished_is_left_behind() {
    let (rust, web) = (rust_sources(), web_sources());
    let others = rust.iter().chain(&web).filter(|file| !file.path.starts_with("tests/tidy"));
    expect_none(others.flat_map(bans::unfinished).collect());
}

#[test]
fn engine_files_open_with_their_purpose() {
    expect_none(engine_sources().iter().flat_map(bans::without_purpose).collect());
}

#[test]
fn npm_folders_are_pinned_and_name_no_host() {
    let manifests = packages::manifests();
    assert!(manifests.len() >= 4, "only {} package.json files were found", manifests.len());
    expect_none(manifests.iter().flat_map(packages::check).collect());
}

#[test]
fn files_that_exist_for_speed_are_listed_with_their_gain_and_few() {
    let text_of = |path: &str| std::fs::read_to_string(tree::root().join(path)).ok();
    expect_none(speed::check(&text_of("ARCHITECTURE.md").unwrap_or_default(), text_of));
}

#[test]
fn names_of_commands_are_compared_where_requests_are_resolved() {
    expect_none(command_names::comparisons(&engine_sources()));
}

#[test]
fn every_command_row_has_a_session() {
    expect_none(sessions::rows_without_session());
}

#[test]
fn every_session_asserts_a_reply() {
    expect_none(sessions::sessions_without_reply());
}
