//! Decode, call one function, encode: the methods on a local socket, and who owns it.
//! No rule about claims or turns lives here.

pub mod holder;
pub(crate) mod lines;
pub mod log;
pub mod owner;
pub(crate) mod registry;
mod socket;
#[cfg(test)]
mod tests;
