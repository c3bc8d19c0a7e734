//! The protocol's schema as it stands in the repository: its text, and where it lies.
//! What is in it is the protocol's.

use std::path::PathBuf;

/// The file, from the root of the workspace.
pub const FILE: &str = "protocol/schema/proofmark.schema.json";

/// The root of the workspace.
pub fn workspace() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// The text that the file has to have.
pub fn text() -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&proofmark_protocol::schema::document())? + "\n")
}
