//! `costly_scripts FIRST COUNT`: prints generated scripts as JSON texts, one a line.

#[path = "../../tests/support/costly_scripts.rs"]
mod costly_scripts;
#[path = "../../tests/support/dice.rs"]
mod dice;

fn main() {
    let mut words = std::env::args().skip(1).filter_map(|word| word.parse::<u64>().ok());
    let (Some(first), Some(count)) = (words.next(), words.next()) else { panic!("usage: costly_scripts FIRST COUNT") };
    (first..first + count).for_each(|seed| println!("{:?}", costly_scripts::script(seed)));
}
