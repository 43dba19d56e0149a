//! Ranges of scores that a shape may contain: the cell of its centre and the neighbours of that cell. Cells are chosen
//! large enough for these nine to cover the shape.

use super::{EARTH_RADIUS, LATITUDE, LONGITUDE, Position, STEPS, Shape, degrees, interleave, radians, separate};
use core::ops::Range;

/// Half of the circumference of the equator in the Mercator projection, in metres.
const MERCATOR_MAX: f64 = 20_037_726.37;
/// Latitudes from which a degree of longitude is so short that larger cells are needed.
const NARROW_LATITUDE: f64 = 66.0;
const NARROWEST_LATITUDE: f64 = 80.0;

/// Bounding box of a shape, in degrees.
struct Bounds {
    west: f64,
    south: f64,
    east: f64,
    north: f64,
}

impl Bounds {
    fn of(shape: Shape, centre: Position) -> Bounds {
        let (height, width) = match shape {
            Shape::Circle { radius } => (radius, radius),
            Shape::Box { width, height } => (height / 2.0, width / 2.0),
        };
        let latitude_reach = degrees(height / EARTH_RADIUS);
        // Degrees of longitude are shorter towards the pole.
        let polewards = if centre.latitude < 0.0 { -latitude_reach } else { latitude_reach };
        let longitude_reach = degrees(width / EARTH_RADIUS / libm::cos(radians(centre.latitude + polewards)));
        Bounds {
            west: centre.longitude - longitude_reach,
            south: centre.latitude - latitude_reach,
            east: centre.longitude + longitude_reach,
            north: centre.latitude + latitude_reach,
        }
    }
}

/// Geohash cell: interleaved halves of latitude and longitude, `steps` bits of each.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cell {
    bits: u64,
    steps: u32,
}

impl Cell {
    fn of(centre: Position, steps: u32) -> Cell {
        Cell { bits: centre.cell(LATITUDE, steps), steps }
    }

    /// Returns the cell `east` columns and `north` rows away, wrapping around at the ends of an axis.
    ///
    /// A coordinate at the very end of an axis lies in a cell past the last one. On an axis that is not moved this cell
    /// is kept.
    fn moved(self, east: i32, north: i32) -> Cell {
        let (latitude, longitude) = separate(self.bits);
        let last = (1u32 << self.steps) - 1;
        let moved = |part: u32, by: i32| if by == 0 { part } else { part.wrapping_add_signed(by) & last };
        Cell { bits: interleave(moved(latitude, north), moved(longitude, east)), ..self }
    }

    fn latitudes(self) -> (f64, f64) {
        LATITUDE.borders(separate(self.bits).0, self.steps)
    }

    fn longitudes(self) -> (f64, f64) {
        LONGITUDE.borders(separate(self.bits).1, self.steps)
    }

    /// Range of the scores of all points in this cell.
    fn scores(self) -> Range<u64> {
        let shift = 2 * (STEPS - self.steps);
        self.bits << shift..(self.bits + 1) << shift
    }
}

/// Number of halvings that gives cells of about the size of a shape. `reach` is in metres.
fn steps_for(reach: f64, latitude: f64) -> u32 {
    if reach == 0.0 {
        return STEPS;
    }
    let (mut reach, mut steps) = (reach, 1i32);
    while reach < MERCATOR_MAX {
        reach *= 2.0;
        steps += 1;
    }
    steps -= 2;
    steps -= i32::from(latitude.abs() > NARROW_LATITUDE) + i32::from(latitude.abs() > NARROWEST_LATITUDE);
    steps.clamp(1, STEPS as i32) as u32
}

/// Ranges of scores of the centre's cell and of its neighbours, in this order.
pub type Cells = [Option<Range<u64>>; 9];

/// Returns the cells that a shape around a centre may overlap, in the order in which Redis searches them.
pub fn cover(shape: Shape, centre: Position) -> Cells {
    let bounds = Bounds::of(shape, centre);
    let reach = match shape {
        Shape::Circle { radius } => radius,
        Shape::Box { width, height } => libm::sqrt((width / 2.0) * (width / 2.0) + (height / 2.0) * (height / 2.0)),
    };
    let mut cell = Cell::of(centre, steps_for(reach, centre.latitude));
    if cell.steps > 1 && is_too_small(cell, &bounds) {
        cell = Cell::of(centre, cell.steps - 1);
    }
    let is_needed = |reaches: bool| cell.steps < 2 || reaches;
    let (south, north) = cell.latitudes();
    let (west, east) = cell.longitudes();
    // Neighbours on a side that the shape does not reach are left out.
    let allowed = |to_the_east: i32, to_the_north: i32| {
        (to_the_east <= 0 || is_needed(east <= bounds.east))
            && (to_the_east >= 0 || is_needed(west >= bounds.west))
            && (to_the_north <= 0 || is_needed(north <= bounds.north))
            && (to_the_north >= 0 || is_needed(south >= bounds.south))
    };
    let mut previous = None;
    [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)].map(|(to_the_east, to_the_north)| {
        let neighbour = cell.moved(to_the_east, to_the_north);
        // With very large cells several neighbours may be the same cell.
        if !allowed(to_the_east, to_the_north) || previous == Some(neighbour) {
            return None;
        }
        previous = Some(neighbour);
        Some(neighbour.scores())
    })
}

/// Whether the shape extends beyond the neighbours because its centre is near a border of its cell.
fn is_too_small(cell: Cell, bounds: &Bounds) -> bool {
    cell.moved(0, 1).latitudes().1 < bounds.north
        || cell.moved(0, -1).latitudes().0 > bounds.south
        || cell.moved(1, 0).longitudes().1 < bounds.east
        || cell.moved(-1, 0).longitudes().0 > bounds.west
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    fn draw(random: &mut Random, limit: f64) -> f64 {
        random.below(1_000_000) as f64 / 1_000_000.0 * limit
    }

    #[test]
    fn every_point_in_a_shape_is_in_one_cell() {
        let mut random = Random::new(3);
        for _ in 0..20_000 {
            let centre =
                Position { longitude: draw(&mut random, 300.0) - 150.0, latitude: draw(&mut random, 120.0) - 60.0 };
            let radius = draw(&mut random, 200_000.0);
            let point = Position {
                longitude: centre.longitude + draw(&mut random, 4.0) - 2.0,
                latitude: centre.latitude + draw(&mut random, 4.0) - 2.0,
            };
            let score = point.score();
            let point = Position::of_score(score);
            let shape = match random.below(2) {
                0 => Shape::Circle { radius },
                _ => Shape::Box { width: radius, height: draw(&mut random, 400_000.0) },
            };
            if shape.distance(centre, point).is_some() {
                let cells = cover(shape, centre);
                let holds = |cell: &Range<u64>| cell.contains(&(score as u64));
                assert_eq!(
                    cells.iter().flatten().filter(|cell| holds(cell)).count(),
                    1,
                    "{centre:?} {shape:?} {point:?}"
                );
            }
        }
    }

    #[test]
    fn a_huge_shape_covers_the_earth_once() {
        let cells = cover(Shape::Circle { radius: 5e7 }, Position { longitude: 0.1, latitude: 0.1 });
        let mut starts: alloc::vec::Vec<u64> = cells.iter().flatten().map(|cell| cell.start).collect();
        starts.sort_unstable();
        starts.dedup();
        assert_eq!(starts.len(), 4);
    }
}
