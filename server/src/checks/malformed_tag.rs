//! `malformed-tag`: a tag that names no claim or no reason, and the marker of former days, which excuses nothing.
//! What a well-formed tag takes is `untried-claim`'s business.
//!
//! # What it catches
//! `{{CAT-UNVERIFIED: the mirror}}`, and a bare `UNVERIFIED:` in prose.
//!
//! # Why
//! Whoever reads it takes it for a tag, and nothing is on the ledger for it.
//!
//! # Example
//! "UNVERIFIED: the mirror is behind."
//!
//! # False positives
//! A marker that is talked about. In code, block quotes and quotation marks it is shown, not used.

use proofmark_protocol::settings::{Mode, Settings};

use super::{Check, Complaint, StopView, Verdict};
use crate::text::{self, Prose, quote};

const CODE: &str = "malformed-tag";
/// The marker of former days; in lower case it is a word.
const BARE: &str = "UNVERIFIED:";
/// The longest quote, in characters.
const MAX_QUOTE: usize = 80;
/// Markers that are looked at in one reply.
const MOST: usize = 16;

/// The check.
pub(super) struct MalformedTag;

impl Check for MalformedTag {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.malformed_tag.mode
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(reply) = view.reply else { return verdict };
        let tags = text::tags(reply);
        // In strict mode that check has a say about every tag, and one complaint about each is enough.
        let strict = view.settings.untried_claim.strict && view.settings.untried_claim.mode != Mode::Off;
        for tag in tags.iter().filter(|tag| !tag.well_formed && !strict) {
            let lacks = if tag.claim.is_empty() { "no claim" } else { "no reason" };
            let shown = quote(&reply[tag.span.clone()], MAX_QUOTE);
            push(&mut verdict, format!("The tag “{shown}” names {lacks}."), shown);
        }
        let outside = |at: &usize| !tags.iter().any(|tag| tag.span.contains(at));
        for at in bare(reply).into_iter().filter(outside) {
            let line = reply[at..].lines().next().unwrap_or(BARE);
            let shown = quote(line, MAX_QUOTE);
            push(
                &mut verdict,
                format!("“{shown}” carries the old marker, which tags nothing."),
                shown,
            );
        }
        verdict
    }

    fn refusal(&self, _: &StopView<'_>, refused: &[&Complaint]) -> String {
        let quotes: Vec<String> = refused
            .iter()
            .map(|complaint| format!("“{}”", complaint.quote))
            .collect();
        format!(
            "Proofmark can't read these as tags: {}. A tag is written {{{{CAT-UNVERIFIED: claim -- cannot verify: reason}}}}, \
             after a check was tried. Write it so, or state what the check showed.",
            quotes.join(", ")
        )
    }
}

fn push(verdict: &mut Verdict, message: String, shown: String) {
    let subject = text::folded(&shown);
    if verdict.complaints.iter().any(|known| known.subject == subject) {
        return;
    }
    verdict.complaints.push(Complaint::about_words(subject, shown, message));
}

/// Where a bare marker stands in prose.
fn bare(reply: &str) -> Vec<usize> {
    if !reply.contains(BARE) {
        return Vec::new();
    }
    let prose = Prose::of(reply);
    let used = |at: &usize| {
        let before = prose.text()[..*at].chars().next_back();
        let joined =
            before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '"' | '\'' | '“' | '‘' | '«'));
        prose.is_prose(*at) && !joined
    };
    prose
        .text()
        .match_indices(BARE)
        .map(|(at, _)| at)
        .filter(used)
        .take(MOST)
        .collect()
}
