//! The session's document: one line for each claim, each kept finding and each turn that was sent back.
//! Where it is written, and when, stays out.

use proofmark_protocol::query::{ClaimState, ScopePhase};

use super::{MAX_MESSAGE, MAX_QUOTE, Row, codes, quote, reasons, short, times, whose};
use crate::session::{Book, ClaimRow, FindingEnd, NotedRow, SessionKey};

/// The lines above the first row: heading and introduction. Their number never changes, so that rows can be counted.
const HEAD: u32 = 4;

/// The line of a row, counted from 0.
pub(super) fn line_of(nth: usize) -> u32 {
    HEAD.saturating_add(u32::try_from(nth).unwrap_or(u32::MAX))
}

/// The whole document.
pub(super) fn text(book: &Book, key: &SessionKey, cwd: Option<&str>, rows: &[Row<'_>]) -> String {
    let folder = cwd.map_or_else(String::new, |cwd| format!(" in {}", plain(&quote(cwd, 400))));
    let mut text = format!(
        "# Session {} of {}\n\nFindings, claims tagged as unverified, and turns that were sent back{folder}. \
         The turns are the person's, counted from 1.{}\n\n",
        plain(&short(key)),
        key.harness,
        scope(book)
    );
    for row in rows {
        let line = match row {
            Row::Claim(row) => claim(row),
            Row::Kept(row) => finding(row),
            Row::Refused { agent, turn, refusals } => {
                let reasons = reasons(book, refusals);
                let about: Vec<String> = reasons
                    .iter()
                    .map(|(_, subject)| format!("“{}”", plain(subject)))
                    .collect();
                let about = if about.is_empty() {
                    String::new()
                } else {
                    format!(": {}", about.join(", "))
                };
                let (whose, times) = (plain(&whose(*agent)), times(refusals.count));
                format!("turn {turn}{whose}, sent back {times}{}{about}", codes(&reasons))
            }
        };
        text.push_str("- ");
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// The lock or the contract in force, as a sentence more of the introduction.
fn scope(book: &Book) -> String {
    let scope = book.scope();
    let corrected = || {
        scope.correction().map_or_else(String::new, |correction| {
            format!(" after {}", quoted(&correction.quote))
        })
    };
    match scope.phase() {
        ScopePhase::None => String::new(),
        ScopePhase::ContractRequired => format!(" The scope is locked{} until the agent has stated it.", corrected()),
        ScopePhase::HardStop => format!(" Every tool is stopped{}.", corrected()),
        ScopePhase::Locked => scope.contract().map_or_else(String::new, |contract| {
            format!(
                " The scope that was agreed: {}.",
                plain(&quote(&contract.text, MAX_MESSAGE))
            )
        }),
        ScopePhase::ReflectionAcknowledged => " The stop of all tools was lifted.".to_owned(),
    }
}

fn quoted(text: &str) -> String {
    format!("“{}”", plain(&quote(text, MAX_QUOTE)))
}

/// The person's reason, in brackets behind what they did.
fn because(why: Option<&str>) -> String {
    why.map_or_else(String::new, |why| format!(" ({})", quoted(why)))
}

fn finding(row: &NotedRow) -> String {
    let state = match &row.end {
        None => "open".to_owned(),
        Some(FindingEnd::Recovered) => "over: right again".to_owned(),
        Some(FindingEnd::Owned) => "over: a later reply said it".to_owned(),
        Some(FindingEnd::Dismissed { wrong, why }) => {
            let verdict = if *wrong { "as wrong" } else { "as right" };
            format!("dismissed {verdict}{}", because(why.as_deref()))
        }
    };
    let whose = plain(&whose(row.agent.as_deref()));
    let name = |text: &str| plain(&quote(text, MAX_QUOTE));
    let (id, code) = (
        name(row.finding.id.as_deref().unwrap_or_default()),
        name(&row.finding.code),
    );
    format!(
        "turn {}{whose}, finding {id}, {code}, {state}: {}",
        row.turn,
        plain(&quote(&row.finding.message, MAX_MESSAGE))
    )
}

fn claim(row: &ClaimRow) -> String {
    let state = match row.state {
        ClaimState::Open => "open".to_owned(),
        ClaimState::Dropped => "dropped".to_owned(),
        ClaimState::Retired => format!("retired{}", because(row.why.as_deref())),
        ClaimState::Checked => match &row.settled_by {
            Some(call) => format!(
                "checked by {} {}",
                plain(&quote(&call.tool, MAX_QUOTE)),
                quoted(&call.input)
            ),
            None => "checked".to_owned(),
        },
    };
    let whose = plain(&whose(row.agent.as_deref()));
    let (opened, id) = (row.opened, &row.id);
    format!(
        "turn {opened}{whose}, claim {id}, {state}: {}; reason given: {}",
        quoted(&row.text),
        quoted(&row.reason)
    )
}

/// A quote as Markdown that shows it and nothing else: an image in a claim must not be fetched by whoever opens this.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '[' | ']' | '<' | '>' | '`' | '*') {
            plain.push('\\');
        }
        plain.push(c);
    }
    plain
}
