//! Points on the earth as geohash scores of 52 bits; nearby points have nearby scores.
//!
//! Longitude and latitude are halved 26 times each, and the resulting bits are interleaved. Formulas and constants are
//! those of Redis, so scores are equal. `cover` finds the ranges of scores in an area.

mod cover;

pub use cover::cover;

use core::f64::consts::PI;

/// Radius of the earth in metres, as in Redis.
const EARTH_RADIUS: f64 = 6_372_797.560856;
/// Number of times each axis is halved.
pub const STEPS: u32 = 26;

/// Range of degrees of one axis.
#[derive(Clone, Copy, Debug)]
struct Axis {
    min: f64,
    max: f64,
}

const LONGITUDE: Axis = Axis { min: -180.0, max: 180.0 };
/// Range of latitudes in which the Mercator projection is a square.
const LATITUDE: Axis = Axis { min: -85.05112878, max: 85.05112878 };
/// Latitudes of standard geohash strings, as printed by GEOHASH.
const WHOLE_LATITUDE: Axis = Axis { min: -90.0, max: 90.0 };
const ALPHABET: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";

/// Point on the earth in degrees east and north.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Position {
    pub longitude: f64,
    pub latitude: f64,
}

/// Search area around a centre, in metres.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Shape {
    Circle { radius: f64 },
    Box { width: f64, height: f64 },
}

impl Axis {
    fn holds(self, degrees: f64) -> bool {
        (self.min..=self.max).contains(&degrees)
    }

    /// Number of the part, of 2^`steps`, that contains `degrees`. The end of the axis lies in a part past the last one.
    fn part(self, degrees: f64, steps: u32) -> u32 {
        ((degrees - self.min) / (self.max - self.min) * parts(steps)) as u32
    }

    /// Lower and upper border of a part, in degrees.
    fn borders(self, part: u32, steps: u32) -> (f64, f64) {
        let border = |part: f64| self.min + (part / parts(steps)) * (self.max - self.min);
        (border(part.into()), border(f64::from(part) + 1.0))
    }

    fn middle(self, part: u32, steps: u32) -> f64 {
        let (min, max) = self.borders(part, steps);
        ((min + max) / 2.0).clamp(self.min, self.max)
    }
}

fn parts(steps: u32) -> f64 {
    f64::from(1u32 << steps)
}

impl Position {
    /// Returns a valid point; `None` if a coordinate is out of range.
    pub fn new(longitude: f64, latitude: f64) -> Option<Position> {
        (LONGITUDE.holds(longitude) && LATITUDE.holds(latitude)).then_some(Position { longitude, latitude })
    }

    /// Score of the point in a sorted set.
    pub fn score(self) -> f64 {
        self.cell(LATITUDE, STEPS) as f64
    }

    /// Returns the point of a score: the middle of its cell.
    pub fn of_score(score: f64) -> Position {
        let (north, east) = separate(cell_of(score));
        Position { longitude: LONGITUDE.middle(east, STEPS), latitude: LATITUDE.middle(north, STEPS) }
    }

    /// Standard geohash of eleven letters. The last letter is always `0`, since 52 bits fill only ten.
    pub fn geohash(self) -> [u8; 11] {
        let cell = self.cell(WHOLE_LATITUDE, STEPS);
        core::array::from_fn(|letter| {
            let shift = (2 * STEPS as usize).checked_sub((letter + 1) * 5);
            ALPHABET[shift.map_or(0, |shift| (cell >> shift) as usize & 31)]
        })
    }

    fn cell(self, latitude: Axis, steps: u32) -> u64 {
        interleave(latitude.part(self.latitude, steps), LONGITUDE.part(self.longitude, steps))
    }

    /// Distance in metres along the surface of a sphere, by the haversine formula.
    pub fn distance(self, other: Position) -> f64 {
        let half_sine = |from: f64, to: f64| libm::sin((radians(to) - radians(from)) / 2.0);
        let east = half_sine(self.longitude, other.longitude);
        if east == 0.0 {
            return latitude_distance(self.latitude, other.latitude);
        }
        let north = half_sine(self.latitude, other.latitude);
        let cosines = libm::cos(radians(self.latitude)) * libm::cos(radians(other.latitude));
        2.0 * EARTH_RADIUS * libm::asin(libm::sqrt(north * north + cosines * east * east))
    }
}

impl Shape {
    /// Returns the distance of a point from the centre, in metres; `None` outside the shape.
    pub fn distance(self, centre: Position, point: Position) -> Option<f64> {
        match self {
            Shape::Circle { radius } => Some(centre.distance(point)).filter(|distance| *distance <= radius),
            Shape::Box { width, height } => {
                let to_the_east = Position { longitude: centre.longitude, latitude: point.latitude };
                let is_within = latitude_distance(point.latitude, centre.latitude) <= height / 2.0
                    && point.distance(to_the_east) <= width / 2.0;
                is_within.then(|| centre.distance(point))
            }
        }
    }
}

fn latitude_distance(one: f64, other: f64) -> f64 {
    EARTH_RADIUS * (radians(other) - radians(one)).abs()
}

fn radians(degrees: f64) -> f64 {
    degrees * (PI / 180.0)
}

fn degrees(radians: f64) -> f64 {
    radians / (PI / 180.0)
}

/// Interleaves the bits of both numbers: those of `even` at the even bit positions.
fn interleave(even: u32, odd: u32) -> u64 {
    spread(even) | spread(odd) << 1
}

/// Reverses [`interleave`].
fn separate(bits: u64) -> (u32, u32) {
    (gather(bits), gather(bits >> 1))
}

/// Converts a score to the bits of its cell.
///
/// Any other double is converted as C does on x86: a number too large for a signed integer loses its highest bit first.
fn cell_of(score: f64) -> u64 {
    const HIGHEST: u64 = 1 << 63;
    if score < HIGHEST as f64 {
        return truncated(score) as u64;
    }
    truncated(score - HIGHEST as f64) as u64 ^ HIGHEST
}

/// Converts a double to a signed integer as C does on x86: a number out of range becomes `i64::MIN`.
fn truncated(number: f64) -> i64 {
    let min = i64::MIN as f64;
    if (min..-min).contains(&number) { number as i64 } else { i64::MIN }
}

/// Steps of [`spread`]: shift of the upper half of each group, and mask of the bits that belong to a group afterwards.
const GROUPS: [(u32, u64); 5] = [
    (16, 0x0000_ffff_0000_ffff),
    (8, 0x00ff_00ff_00ff_00ff),
    (4, 0x0f0f_0f0f_0f0f_0f0f),
    (2, 0x3333_3333_3333_3333),
    (1, 0x5555_5555_5555_5555),
];

/// Inserts a zero above every bit.
fn spread(bits: u32) -> u64 {
    GROUPS.iter().fold(bits.into(), |bits: u64, &(shift, mask)| (bits | bits << shift) & mask)
}

/// Collects the bits at even positions.
fn gather(bits: u64) -> u32 {
    let kept = bits & GROUPS[4].1;
    let step = |bits: u64, index: usize| {
        let mask = if index == 0 { u64::from(u32::MAX) } else { GROUPS[index - 1].1 };
        (bits | bits >> GROUPS[index].0) & mask
    };
    (0..GROUPS.len()).rev().fold(kept, step) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const PALERMO: (f64, f64) = (13.361389, 38.115556);
    const CATANIA: (f64, f64) = (15.087269, 37.502669);

    fn at((longitude, latitude): (f64, f64)) -> Position {
        Position::new(longitude, latitude).unwrap()
    }

    #[test]
    fn scores_and_letters_are_those_of_redis() {
        // From the examples of the documentation of Redis.
        assert_eq!(at(PALERMO).score(), 3_479_099_956_230_698.0);
        assert_eq!(at(CATANIA).score(), 3_479_447_370_796_909.0);
        let palermo = Position::of_score(3_479_099_956_230_698.0);
        assert_eq!(palermo, Position { longitude: 13.361389338970184, latitude: 38.1155563954963 });
        assert_eq!(&palermo.geohash(), b"sqc8b49rny0");
        assert_eq!(&Position::of_score(at(CATANIA).score()).geohash(), b"sqdtr74hyu0");
    }

    #[test]
    fn distances_are_those_of_redis() {
        let [palermo, catania] = [PALERMO, CATANIA].map(|point| Position::of_score(at(point).score()));
        assert!((palermo.distance(catania) - 166_274.151_6).abs() < 0.0001);
        assert_eq!(palermo.distance(palermo), 0.0);
        let north = Position { latitude: 40.0, ..palermo };
        assert!((palermo.distance(north) - latitude_distance(palermo.latitude, 40.0)).abs() < 1e-6);
    }

    #[test]
    fn scores_of_no_cell_are_converted_as_on_x86() {
        assert_eq!(cell_of(7.9), 7);
        assert_eq!(cell_of(-5.0), 5u64.wrapping_neg());
        assert_eq!(cell_of(f64::NEG_INFINITY), 1 << 63);
        assert_eq!(cell_of(1e19), 10_000_000_000_000_000_000);
        assert_eq!(cell_of(f64::INFINITY), 0);
        let corner = Position { longitude: 180.0, latitude: 85.05112878 };
        assert_eq!(Position::of_score(-5.0), corner);
    }

    #[test]
    fn bits_in_turn_are_separated_again() {
        for (even, odd) in [(0, 0), (u32::MAX, 0), (0, u32::MAX), (0x1234_5678, 0x9abc_def0), (1, 2)] {
            assert_eq!(separate(interleave(even, odd)), (even, odd));
        }
        assert_eq!(interleave(0b11, 0b01), 0b0111);
    }

    #[test]
    fn points_out_of_range_are_refused() {
        assert!(Position::new(180.0, 85.05112878).is_some() && Position::new(-180.0, -85.05112878).is_some());
        assert!(Position::new(180.1, 0.0).is_none() && Position::new(0.0, 85.06).is_none());
        assert!(Position::new(f64::NAN, 0.0).is_none() && Position::new(f64::INFINITY, 0.0).is_none());
    }
}
