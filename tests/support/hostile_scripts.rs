//! Scripts that have to end with an error: greedy ones never end or take all memory, deep ones nest as far as they can (a
//! stack that overflows would end the process), large ones return a value many times.

use serde_json::Value;

/// Scripts of a kind; each is the list of its parts, `[text, count]` is one that repeats.
const SCRIPTS: &str = include_str!("hostile_scripts.json");

pub fn scripts(kind: &str) -> Vec<String> {
    let all: Value = serde_json::from_str(SCRIPTS).expect("the file is JSON");
    all[kind].as_array().expect("a list of scripts").iter().map(joined).collect()
}

fn joined(script: &Value) -> String {
    let part = |part: &Value| match part.as_array() {
        Some(repeated) => repeated[0].as_str().unwrap_or_default().repeat(repeated[1].as_u64().unwrap_or(1) as usize),
        None => part.as_str().unwrap_or_default().to_owned(),
    };
    script.as_array().expect("a list of parts").iter().map(part).collect()
}
