//! What is remembered of a transcript's earlier lines: which form it has, how many lines there were, the open block.
//! What lines mean stays out.

use serde::{Deserialize, Serialize};

use super::legacy::Block;

/// What is remembered of one transcript.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// Known from its first line.
    pub(super) form: Option<Form>,
    /// Lines so far: rows have no ids, so their places are.
    pub(super) lines: u64,
    /// In the older form, the block that is being read.
    pub(super) block: Block,
}

/// The form of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Form {
    /// One JSON object a line.
    Rows,
    /// Text in blocks, as until about February 2026.
    Text,
}
