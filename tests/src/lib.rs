//! What the end-to-end tests share: worlds, packages, a scripted model, and clients that talk to it.
//! Nothing of the product is implemented here, and nothing here reaches beyond loopback but the package fetch.

pub mod bench;
pub mod case;
pub mod claude_code;
pub mod codex;
pub mod crash;
mod dice;
pub mod fake_judge;
pub mod load;
pub mod lsp_client;
pub mod model;
pub mod need;
pub mod outcome;
pub mod packages;
pub mod play;
pub mod process;
pub mod python;
pub mod replay;
pub mod scenario;
pub mod schema;
pub mod shelf;
pub mod talk;
pub mod terminal;
pub mod transcript;
pub mod vscode;
pub mod world;
