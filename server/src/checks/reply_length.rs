//! `reply-length`: a reply that is longer than the person wants to read.
//! What counts as a word is read in `text/`.
//!
//! # What it catches
//! More words of prose than the limit, in whatever script.
//!
//! # Why
//! What matters drowns in the rest. A person who asks for less is not heard for long.
//!
//! # Example
//! 151 words where the limit is 150.
//!
//! # False positives
//! A long answer that was asked for in words that are not known here. Without the person's prompt nothing is said, a
//! rewrite is never counted again, and the check is off unless it is turned on.

use proofmark_protocol::settings::{Mode, Settings};

use super::{Check, Complaint, Lag, Record, StopView, Verdict};
use crate::text::length;

const CODE: &str = "reply-length";

/// The check.
pub(super) struct ReplyLength;

impl Check for ReplyLength {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.reply_length.mode
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        // Counting again after a rewrite would have an agent shave word after word.
        let Some(reply) = view.reply.filter(|_| view.agent.is_none() && !view.rewrite) else {
            return verdict;
        };
        let limit = view.settings.reply_length.limit;
        let words = length(reply);
        if words <= limit {
            return verdict;
        }
        let asked = match &view.record {
            Record::Read { stream, lag, .. } if *lag != Lag::Turn => stream.turn.asked_length,
            Record::Read { .. } => {
                verdict.await_record = !view.last_look;
                None
            }
            Record::Unread { may_come, .. } => {
                verdict.await_record = *may_come && !view.last_look;
                None
            }
        };
        if asked.is_some_and(|asked| !asked.is_beyond(limit)) {
            let message = format!("The reply has {words} words; the limit is {limit}.");
            verdict.complaints.push(Complaint::about_words(
                "words".to_owned(),
                format!("{words} words"),
                message,
            ));
        }
        verdict
    }

    fn refusal(&self, view: &StopView<'_>, refused: &[&Complaint]) -> String {
        let facts: Vec<&str> = refused.iter().map(|complaint| complaint.message.as_str()).collect();
        let over = length(view.reply.unwrap_or_default()).saturating_sub(view.settings.reply_length.limit);
        format!(
            "{} Proofmark asks for {over} fewer: leave out a whole part, not single words. Code and tables do not count.",
            facts.join(" ")
        )
    }
}
