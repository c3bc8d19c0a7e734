//! Which session an event belongs to.
//! The working folder never decides it: two sessions may share one.

use proofmark_protocol::{Harness, SessionRef};

/// A session: its harness, and its id or, without one, its transcript's path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionKey {
    /// The harness.
    pub harness: Harness,
    /// The id or the path, taken as it is.
    pub session: String,
}

impl SessionKey {
    /// The session of an event; none when it names neither an id nor a transcript.
    pub fn of(at: &SessionRef) -> Option<Self> {
        let named = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let session = named(&at.session).or_else(|| named(&at.transcript))?;
        Some(Self {
            harness: at.harness,
            session,
        })
    }
}
