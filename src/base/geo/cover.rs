//! Which numbers may lie within a shape: the cell of its centre and those around it, large enough to hold all of it.

use super::{EARTH_RADIUS, LATITUDE, LONGITUDE, Position, STEPS, Shape, degrees, interleave, radians, separate};
use core::ops::Range;

/// Half of the circumference of the equator in the projection of Mercator, in metres.
const MERCATOR_MAX: f64 = 20_037_726.37;
/// At these latitudes and beyond, a degree of longitude is so short that cells have to be larger.
const NARROW_LATITUDE: f64 = 66.0;
const NARROWEST_LATITUDE: f64 = 80.0;

/// Degrees that a shape reaches to.
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

/// A cell of the earth that was halved so often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cell {
    bits: u64,
    steps: u32,
}

impl Cell {
    fn of(centre: Position, steps: u32) -> Cell {
        Cell { bits: centre.cell(LATITUDE, steps), steps }
    }

    /// The cell so many further; beyond the last one comes the first. What is at the very end of an axis lies behind its
    /// last cell, and stays there on that axis.
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

    /// The scores of the places in it.
    fn scores(self) -> Range<u64> {
        let shift = 2 * (STEPS - self.steps);
        self.bits << shift..(self.bits + 1) << shift
    }
}

/// How often the earth is halved for cells of about the size of a shape.
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

/// Ranges of scores, the nearest cell first.
pub type Cells = [Option<Range<u64>>; 9];

/// The cells that a shape around a centre may reach into, in the order in which Redis searches them.
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
    let useful = |limit: bool| cell.steps < 2 || limit;
    let (south, north) = cell.latitudes();
    let (west, east) = cell.longitudes();
    // Neighbours on a side that the shape does not reach are left out.
    let allowed = |to_the_east: i32, to_the_north: i32| {
        (to_the_east <= 0 || useful(east <= bounds.east))
            && (to_the_east >= 0 || useful(west >= bounds.west))
            && (to_the_north <= 0 || useful(north <= bounds.north))
            && (to_the_north >= 0 || useful(south >= bounds.south))
    };
    let mut previous = None;
    [(0, 0), (0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1)].map(|(to_the_east, to_the_north)| {
        let neighbour = cell.moved(to_the_east, to_the_north);
        // Where cells are huge, neighbours may be one.
        if !allowed(to_the_east, to_the_north) || previous == Some(neighbour) {
            return None;
        }
        previous = Some(neighbour);
        Some(neighbour.scores())
    })
}

/// Whether the shape reaches beyond the neighbours: its centre is near a border of its cell.
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

    fn draw(random: &mut Random, most: f64) -> f64 {
        random.below(1_000_000) as f64 / 1_000_000.0 * most
    }

    #[test]
    fn whatever_is_near_is_in_a_cell() {
        let mut random = Random::new(3);
        for _ in 0..20_000 {
            let centre =
                Position { longitude: draw(&mut random, 300.0) - 150.0, latitude: draw(&mut random, 120.0) - 60.0 };
            let radius = draw(&mut random, 200_000.0);
            let place = Position {
                longitude: centre.longitude + draw(&mut random, 4.0) - 2.0,
                latitude: centre.latitude + draw(&mut random, 4.0) - 2.0,
            };
            let score = place.score();
            let place = Position::of_score(score);
            let shape = match random.below(2) {
                0 => Shape::Circle { radius },
                _ => Shape::Box { width: radius, height: draw(&mut random, 400_000.0) },
            };
            if shape.distance(centre, place).is_some() {
                let cells = cover(shape, centre);
                let holds = |cell: &Range<u64>| cell.contains(&(score as u64));
                assert_eq!(
                    cells.iter().flatten().filter(|cell| holds(cell)).count(),
                    1,
                    "{centre:?} {shape:?} {place:?}"
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
