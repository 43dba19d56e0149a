//! npm folders: exact versions, a lock file without addresses, and the setting that keeps it so.

use serde_json::Value;

use crate::tree::{self, File};

/// One folder with a package.json.
pub struct Manifest {
    /// Path from the root of the repository.
    folder: String,
    manifest: String,
    lock: Option<String>,
    settings: Option<String>,
}

const SETTING: &str = "omit-lockfile-registry-resolved=true";

/// Every folder with a package.json that npm installs from. Fixtures have none to install.
pub fn manifests() -> Vec<Manifest> {
    let files = ["pkg-templates", "www", "tests", "benches"].iter().flat_map(|folder| tree::files(folder, &["json"]));
    let manifests = files.filter(|file| file.path.ends_with("/package.json") && !file.path.contains("/fixtures/"));
    manifests.map(read).collect()
}

fn read(file: File) -> Manifest {
    let folder = file.path.trim_end_matches("/package.json").to_owned();
    let beside = |name: &str| std::fs::read_to_string(tree::root().join(&folder).join(name)).ok();
    let (lock, settings) = (beside("package-lock.json"), beside(".npmrc"));
    Manifest { folder, manifest: file.text, lock, settings }
}

/// Violations of a folder. One that is copied and installed by its user (the worker template) has no lock file.
pub fn check(manifest: &Manifest) -> Vec<String> {
    let folder = &manifest.folder;
    let mut violations = loose_versions(manifest);
    if *folder == "pkg-templates/durable-object" {
        return violations;
    }
    match &manifest.lock {
        Some(lock) => violations.extend(hosts(folder, lock)),
        None => violations.push(format!("{folder}: no package-lock.json")),
    }
    let is_set = |text: &String| text.lines().any(|line| line.trim() == SETTING);
    if !manifest.settings.as_ref().is_some_and(is_set) {
        violations.push(format!("{folder}/.npmrc: does not say {SETTING}"));
    }
    violations
}

fn loose_versions(manifest: &Manifest) -> Vec<String> {
    let folder = &manifest.folder;
    let Ok(value) = serde_json::from_str::<Value>(&manifest.manifest) else {
        return vec![format!("{folder}/package.json: no JSON")];
    };
    let kinds = ["dependencies", "devDependencies", "optionalDependencies"];
    let all = kinds.iter().filter_map(|kind| value[*kind].as_object()).flatten();
    // `npm:NAME@VERSION` installs a package under another name.
    let own = |version: &str| version.rsplit_once('@').map_or(version, |(_, version)| version).to_owned();
    let is_loose =
        |version: &str| !version.starts_with("file:") && !own(version).starts_with(|c: char| c.is_ascii_digit());
    all.filter(|(_, version)| version.as_str().is_none_or(is_loose))
        .map(|(name, version)| format!("{folder}/package.json: {name} is {version}, not one version"))
        .collect()
}

/// Addresses in a lock file would tie it to one registry.
fn hosts(folder: &str, lock: &str) -> Vec<String> {
    let names_host = |line: &&str| line.contains("\"resolved\"") && line.contains("://");
    let lines = lock.lines().filter(names_host);
    lines.map(|line| format!("{folder}/package-lock.json: {}", line.trim())).collect()
}

#[test]
fn each_mistake_is_found() {
    let good = || Manifest {
        folder: "www".into(),
        manifest: r#"{ "dependencies": { "a": "1.2.3", "b": "file:../b", "c": "npm:a@1.0.0" } }"#.into(),
        lock: Some("{ \"resolved\": \"../target/npm/keylatch\" }".into()),
        settings: Some(format!("{SETTING}\n")),
    };
    assert_eq!(check(&good()), Vec::<String>::new());
    for version in ["^1.2.3", "~1.2", "*", "latest", "npm:a@^1.0.0"] {
        let manifest = format!("{{ \"devDependencies\": {{ \"a\": \"{version}\" }} }}");
        assert_eq!(check(&Manifest { manifest, ..good() }).len(), 1, "{version}");
    }
    assert_eq!(check(&Manifest { manifest: "{".into(), ..good() }).len(), 1);
    assert_eq!(check(&Manifest { lock: None, ..good() }).len(), 1);
    let lock = Some("  \"resolved\": \"https://registry.invalid/a.tgz\",\n".into());
    assert_eq!(check(&Manifest { lock, ..good() }).len(), 1);
    assert_eq!(check(&Manifest { settings: None, ..good() }).len(), 1);
    assert_eq!(check(&Manifest { settings: Some("#\n".into()), ..good() }).len(), 1);
}
