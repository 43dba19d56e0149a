//! `seeds TARGET FOLDER`: writes a target's seeds as files for a fuzzer to start from.

use std::path::Path;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, name, folder] = words.as_slice() else { panic!("usage: seeds TARGET FOLDER") };
    let target = keylatch_fuzz::TARGETS.iter().find(|target| target.name == name).expect("a target");
    std::fs::create_dir_all(folder).expect("the folder can be made");
    for (index, seed) in (target.seeds)().iter().enumerate() {
        std::fs::write(Path::new(folder).join(format!("seed-{index}")), seed).expect("the seed can be written");
    }
}
