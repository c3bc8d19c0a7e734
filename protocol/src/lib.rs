//! What Proofmark's programs say to each other: events, decisions, findings, methods, settings, framing.
//! Plain types only: no I/O, no clock, nothing of one harness's own format.

pub mod decision;
pub mod environment;
pub mod event;
pub mod findings;
pub mod frame;
pub mod judge;
pub mod method;
pub mod paths;
pub mod query;
#[cfg(feature = "schema")]
pub mod schema;
pub mod settings;

pub use decision::{Decision, Evidence, Finding, FindingState, Outcome, Severity};
pub use event::{Call, Harness, SessionRef};
