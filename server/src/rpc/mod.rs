//! Decode, call one function, encode: the methods on a local socket, and who owns it.
//! No rule about claims or turns lives here.

pub mod holder;
#[cfg(not(feature = "fuzzing"))]
pub(crate) mod lines;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod lines;
pub mod log;
pub mod owner;
pub(crate) mod registry;
mod socket;
#[cfg(test)]
mod tests;
