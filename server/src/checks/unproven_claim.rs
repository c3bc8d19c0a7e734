//! `unproven-claim`: a cause or a success that is stated without anything that this session has shown.
//! Which sentences state one is read in `text/`.
//!
//! # What it catches
//! "The list was empty because the loader never ran", with no output beside it, or with output that no call printed.
//!
//! # Why
//! A guess in the voice of a finding sends the person the wrong way. What a call has printed can be shown.
//!
//! # Example
//! "I suspect the upgrade caused it."
//!
//! # False positives
//! A cause that the person told the agent, or one that is plain from the code. So it is off unless it is turned on, needs
//! a record to compare with, and counts output that it can't rule out as shown.

use proofmark_protocol::settings::{Mode, Settings};

use super::{Check, Complaint, Lag, Record, StopView, Verdict};
use crate::evidence::call::Known;
use crate::session::Stream;
use crate::text::{self, Stated, Tag, cited, quote, shares_subject, stated};

const CODE: &str = "unproven-claim";
/// The longest quote of a sentence, in characters.
const MAX_QUOTE: usize = 120;

/// The check.
pub(super) struct UnprovenClaim;

impl Check for UnprovenClaim {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.unproven_claim.mode
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        let Some(reply) = view.reply.filter(|_| view.agent.is_none() && !view.rewrite) else {
            return verdict;
        };
        let stated = stated(reply);
        if stated.is_empty() {
            return verdict;
        }
        let (stream, whole) = match &view.record {
            Record::Read { stream, lag, .. } if *lag != Lag::Turn => (stream, *lag == Lag::None),
            Record::Read { .. } => {
                verdict.await_record = !view.last_look;
                return verdict;
            }
            Record::Unread { may_come, .. } => {
                verdict.await_record = *may_come && !view.last_look;
                return verdict;
            }
        };
        verdict.await_record = !whole && !view.last_look;
        let tags: Vec<Tag> = text::tags(reply).into_iter().filter(|tag| tag.well_formed).collect();
        for stated in stated {
            if is_tagged(&stated, &tags) || is_shown(&stated, stream, whole) {
                continue;
            }
            let shown = quote(&stated.sentence, MAX_QUOTE);
            let message = format!(
                "“{shown}” (“{}”) stands without anything that this session has shown.",
                stated.sign
            );
            verdict.complaints.push(Complaint {
                places: cited(&stated.sentence),
                ..Complaint::about_words(text::folded(&stated.sentence), shown, message)
            });
        }
        verdict
    }

    fn refusal(&self, _: &StopView<'_>, refused: &[&Complaint]) -> String {
        let quotes: Vec<String> = refused
            .iter()
            .map(|complaint| format!("- “{}”", complaint.quote))
            .collect();
        format!(
            "Proofmark asks for proof of what the reply states as a cause or a success:\n{}\nShow the output that says so \
             right beside each, in a code block, as a call of this session printed it. Or tag it as unverified, or leave \
             it out.",
            quotes.join("\n")
        )
    }
}

/// True when a tag is about the sentence: it stands in it, or its claim is about the same thing.
fn is_tagged(stated: &Stated, tags: &[Tag]) -> bool {
    let about = |tag: &Tag| {
        let inside = stated.span.contains(&tag.span.start);
        inside || shares_subject(&tag.claim, &stated.sentence)
    };
    tags.iter().any(about)
}

/// True when something beside the sentence was shown by a call of this session, or may have been: more was shown than is
/// kept, or the record lags.
fn is_shown(stated: &Stated, stream: &Stream, whole: bool) -> bool {
    let is_known = |known: Known| known != Known::No;
    let in_block = stated.shown.iter().any(|block| {
        let lines: Vec<Known> = lines(block).map(|line| stream.shown.has_line(line)).collect();
        let known = lines.iter().filter(|known| is_known(**known)).count();
        // An invented block may hold a line by chance; a shortened one lacks some.
        (!lines.is_empty() && known * 2 >= lines.len()) || (!whole && !lines.is_empty())
    });
    let in_sentence = stated.shown.iter().any(|code| {
        let code = code.trim_matches('`').trim();
        let printed = stream.turn.calls.iter().any(|call| call.output.contains(code));
        !code.contains('\n') && printed
    });
    let read = cited(&stated.sentence)
        .iter()
        .any(|cited| is_known(stream.shown.has_file(&cited.path)));
    in_block || in_sentence || read
}

/// The lines of a block of code that are output: not its fence, and not a command behind a prompt sign.
fn lines(block: &str) -> impl Iterator<Item = &str> {
    let is_fence = |line: &str| line.starts_with("```") || line.starts_with("~~~");
    let is_command = |line: &str| line.starts_with("$ ") || line.starts_with("# ") || line.starts_with("> ");
    let lines = block.lines().map(str::trim);
    lines.filter(move |line| !line.is_empty() && !is_fence(line) && !is_command(line))
}
