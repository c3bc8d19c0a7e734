//! What the end-to-end tests share: worlds, packages, a scripted model, and clients that talk to it.
//! Nothing of the product is implemented here, and nothing here reaches beyond loopback but the package fetch.

pub mod claude_code;
pub mod model;
pub mod need;
pub mod packages;
pub mod process;
pub mod scenario;
pub mod schema;
pub mod world;
