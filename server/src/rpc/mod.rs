//! Decode, call one function, encode: the methods on a local socket, and who owns it.
//! No rule about claims or turns lives here.

pub mod holder;
mod lines;
pub mod owner;
mod registry;
mod socket;
