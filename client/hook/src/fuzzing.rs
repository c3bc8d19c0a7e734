//! Payload to request and decision to answer, for the fuzz targets: without the round trip between them.
//! What ought to come of it stands with the targets.

use proofmark_protocol::{Decision, Harness};

use crate::answer::Answer;
use crate::dialect;
use crate::payload::Payload;

/// What is made of a payload.
#[derive(Debug, PartialEq, Eq)]
pub struct Put {
    /// Whose dialect it is taken for.
    pub harness: Harness,
    /// The event's name as its answer needs it.
    pub event: &'static str,
    /// What goes over the socket.
    pub line: Vec<u8>,
}

/// The request that a payload becomes; none where there is nothing to ask.
///
/// # Errors
/// Why it can't be read, in a few words.
pub fn request(registered: Harness, payload: &[u8]) -> Result<Option<Put>, String> {
    let Some(registered) = dialect::named(registered.as_str()) else {
        return Ok(None);
    };
    let payload = Payload::read(payload).map_err(|why| why.to_string())?;
    let dialect = dialect::of(&payload, registered);
    let Some(exchange) = &dialect.exchange else {
        return Ok(None);
    };
    let ask = (exchange.ask)(&payload).map_err(|why| why.to_string())?;
    Ok(ask.map(|ask| Put {
        harness: dialect.harness,
        event: ask.event,
        line: ask.line,
    }))
}

/// A harness's own form of a decision about an event; none for a harness that is asked nothing.
pub fn answer(harness: Harness, event: &str, decision: &Decision) -> Option<Answer> {
    let exchange = dialect::named(harness.as_str())?.exchange.as_ref()?;
    Some((exchange.answer)(event, decision))
}

/// How a harness lets an event pass in which a fault of ours is told; none where it can't be told.
pub fn told(harness: Harness, event: &str, text: &str) -> Option<Answer> {
    let exchange = dialect::named(harness.as_str())?.exchange.as_ref()?;
    (exchange.tell)(event, text)
}

/// What a harness reads when an event passes in silence.
pub fn silence(harness: Harness, event: &str) -> &'static str {
    dialect::named(harness.as_str()).map_or("", |dialect| (dialect.silence)(event))
}
