//! One row for each harness: how its payloads are put to the server, and how it wants to be answered.
//! What is in the rows stands in the harnesses' own files.

use proofmark_protocol::{Decision, Harness};

use crate::answer::Answer;
use crate::payload::{Payload, Unreadable};
use crate::{claude_code, codex, cursor};

/// How one harness is spoken to.
pub(crate) struct Dialect {
    /// Whose it is.
    pub(crate) harness: Harness,
    /// The member of a payload that names the turn.
    pub(crate) turn: &'static str,
    /// What stdout says when the payload could not be read, or nothing was done with it.
    pub(crate) unread: &'static str,
    /// What stdout says when an event of this name passes in silence.
    pub(crate) silence: fn(event: &str) -> &'static str,
    /// Whether this harness wrote a payload, by marks of its own.
    pub(crate) wrote: fn(&Payload<'_>) -> bool,
    /// How the server is asked; none where no event of this harness goes to the server.
    pub(crate) exchange: Option<Exchange>,
}

/// How the events of a harness are put to the server, and what comes of it.
pub(crate) struct Exchange {
    /// The question in a payload; none when there is nothing to ask.
    pub(crate) ask: fn(&Payload<'_>) -> Result<Option<Ask>, Unreadable>,
    /// The harness's own form of a decision about an event.
    pub(crate) answer: fn(event: &str, &Decision) -> Answer,
    /// The event passes and the person reads the text; none where the event has no way to the person.
    pub(crate) tell: fn(event: &str, &str) -> Option<Answer>,
}

/// One question to the server.
pub(crate) struct Ask {
    /// The event's name.
    pub(crate) event: &'static str,
    /// The request as it goes over the socket, its line end included.
    pub(crate) line: Vec<u8>,
    /// Which deadline holds.
    pub(crate) wait: Wait,
    /// What the session is called, for what is said once in it.
    pub(crate) session: String,
    /// True for the event that opens a session: it is rare, whatever can be remembered.
    pub(crate) opens: bool,
}

/// How long an event may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The agent waits to go on.
    Gate,
    /// The turn is over; reading the record and judging may take a moment.
    Stop,
}

/// In the order in which a payload is looked at: Cursor's marks are plainest, and Claude Code's payload has the fewest.
static DIALECTS: [Dialect; 3] = [cursor::DIALECT, codex::DIALECT, claude_code::DIALECT];

/// The member of a harness's payloads that names the turn: whoever plays its events again writes it so.
pub fn turn_member(harness: Harness) -> Option<&'static str> {
    named(harness.as_str()).map(|dialect| dialect.turn)
}

/// The dialect of the harness of that name.
pub(crate) fn named(harness: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.harness.as_str() == harness)
}

/// The dialect in which a payload is written, whoever registered the hook: Cursor runs the hooks in Claude Code's
/// settings too, and sends them payloads of its own shape. A hook that Cursor runs is answered in Cursor's terms always:
/// there silence would refuse.
pub(crate) fn of(payload: &Payload<'_>, registered: &'static Dialect) -> &'static Dialect {
    let is_fixed = registered.harness == Harness::Cursor;
    DIALECTS
        .iter()
        .find(|dialect| !is_fixed && (dialect.wrote)(payload))
        .unwrap_or(registered)
}
