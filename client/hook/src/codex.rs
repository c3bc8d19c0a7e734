//! Codex: its events pass in silence.
//! Nothing of Codex's payloads or answers is known here.

use proofmark_protocol::Harness;

use crate::dialect::Dialect;

/// Codex reads no output as "go on".
pub(crate) const DIALECT: Dialect = Dialect {
    harness: Harness::Codex,
    unread: "",
    silence: |_| "",
    exchange: None,
};
