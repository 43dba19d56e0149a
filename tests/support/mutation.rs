//! Damage: a few random changes to bytes.

use super::dice::Dice;

/// Values with a special meaning somewhere in the formats.
const TELLING: [u8; 14] = [0, 1, 0x3f, 0x40, 0x7f, 0x80, 0x81, 0xc0, 0xc3, 0xf0, 0xfa, 0xfe, 0xff, b'9'];

pub fn mutated(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    for _ in 0..=dice.roll(3) {
        if mutant.is_empty() {
            break;
        }
        let at = dice.roll(mutant.len() as u64) as usize;
        match dice.roll(6) {
            0 => mutant[at] = dice.roll(256) as u8,
            1 => mutant[at] ^= 1 << dice.roll(8),
            2 => mutant[at] = *dice.pick(&TELLING),
            3 => drop(mutant.remove(at)),
            4 => mutant.insert(at, *dice.pick(&TELLING)),
            _ => {
                let end = (at + dice.roll(24) as usize).min(mutant.len());
                let copied: Vec<u8> = mutant[at..end].to_vec();
                let to = dice.roll(mutant.len() as u64) as usize;
                mutant.splice(to..to, copied);
            }
        }
    }
    mutant
}
