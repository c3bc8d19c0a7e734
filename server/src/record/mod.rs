//! Following a harness's record: a file that grows, is replaced, is torn.
//! What a line means is the harness's room's business.

mod follow;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod identity;
mod lines;
mod places;

pub use follow::{Follower, MAX_LINE, Progress, RecordError};
pub use lines::Line;
