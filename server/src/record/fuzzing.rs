//! The follower, for the fuzz targets: with limits so small that a short input reaches them.
//! What ought to come of it stands with the targets.

use std::ops::ControlFlow;

use super::lines::Limits;
use super::places::PLACES;
use super::{Follower, Line, Progress, RecordError};

/// As [`Follower::read_new`], with other limits: what is read at once, the longest line that is kept, and what is kept
/// of a longer one, all in bytes.
///
/// # Errors
/// As there.
pub fn read_within(
    follower: &mut Follower,
    [chunk, line, head]: [usize; 3],
    tell: &mut dyn FnMut(Line<'_>) -> ControlFlow<()>,
) -> Result<Progress, RecordError> {
    follower.read_within(Limits { chunk, line, head }, &PLACES, &|| true, tell)
}
