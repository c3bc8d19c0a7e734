//! A session as people see it: what an editor is shown, and the session's document.
//! Files, editors and their positions stay out; so does the clock.

mod document;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use proofmark_protocol::findings::{CheckRef, Cited, DismissedFinding, Item, RetiredClaim, SessionFindings};
use proofmark_protocol::query::{ClaimState, ScopePhase};
use proofmark_protocol::{Evidence, Severity};

use crate::session::book::TurnRefusals;
use crate::session::{Book, ClaimRow, FindingEnd, NotedRow, SessionKey};
use crate::text::{cited, quote};

/// The code of a turn that was sent back: no check of its own, so it has no mode.
pub const REFUSED_TURN: &str = "refused-turn";
/// The code of a claim that is open.
const OPEN_CLAIM: &str = "untried-claim";

/// The longest quote in a message, in characters.
const MAX_QUOTE: usize = 80;
/// The longest quote of a claim with which a message begins: what stands before its first stop is read at a glance.
const MAX_FIRST: usize = 64;
/// Checks that a turn was sent back for, as a message names them; of more it gives the number.
const MAX_CODES: usize = 2;
/// The longest message of a kept finding, in characters: room for its sentence and two quotes.
const MAX_MESSAGE: usize = 300;
/// Open claims, and findings that stand, that are shown at most of each; the newest are.
const MAX_OPEN: usize = 200;
/// Refused turns, retired claims, and dismissed findings that are shown at most of each; the newest are.
const MAX_PAST: usize = 20;
/// Places, and pieces of evidence, that go with one finding at most; the first ones do.
const MAX_PLACES: usize = 10;
/// The longest path and the longest id that go with a finding, in bytes; one that is longer is left out.
const MAX_NAME: usize = 1024;
/// The most that a check run may take, in bytes; a longer one is left out, as half a command is another one.
const MAX_CHECK: usize = 4096;
/// As much of a session's id as tells it from others, in characters.
const SHORT_ID: usize = 8;

/// A session as people see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// What an editor is shown.
    pub findings: SessionFindings,
    /// The session's document, in Markdown: what the findings' lines are counted in.
    pub document: String,
}

/// Where a session and its files are.
#[derive(Debug, Clone, Copy)]
pub struct Whereabouts<'a> {
    /// Its working folder, as last told.
    pub cwd: Option<&'a str>,
    /// Its transcript, as last told.
    pub transcript: Option<&'a str>,
    /// When it was last heard of, in milliseconds since 1970.
    pub last_seen: Option<u64>,
    /// The path at which its document will lie.
    pub document: &'a str,
}

/// One thing that happened in a session, on a line of its own.
enum Row<'a> {
    Claim(&'a ClaimRow),
    Kept(&'a NotedRow),
    Refused {
        agent: Option<&'a str>,
        turn: u64,
        refusals: &'a TurnRefusals,
    },
}

/// The picture of a session.
pub fn picture(book: &Book, key: &SessionKey, at: Whereabouts<'_>) -> Picture {
    let rows = rows(book);
    let text = document::text(book, key, at.cwd, &rows);
    let name = short(key);
    let kept = kept_subjects(book);
    let mut items = Vec::new();
    let (mut open, mut standing, mut refused) = (0, 0, 0);
    let (mut retired, mut dismissed) = (Vec::new(), Vec::new());
    for (nth, row) in rows.iter().enumerate().rev() {
        let line = document::line_of(nth);
        match row {
            Row::Claim(row) if row.state == ClaimState::Open && open < MAX_OPEN => {
                open += 1;
                items.push(claim(row, &name, line));
            }
            Row::Claim(row) if row.state == ClaimState::Retired && retired.len() < MAX_PAST => {
                let subject = quote(&row.text, MAX_QUOTE);
                retired.push(RetiredClaim {
                    claim: row.id.clone(),
                    subject,
                    line,
                });
            }
            Row::Kept(row) if row.end.is_none() && standing < MAX_OPEN => {
                if let Some(item) = finding(row, &name, line) {
                    standing += 1;
                    items.push(item);
                }
            }
            Row::Kept(row) if dismissed.len() < MAX_PAST => dismissed.extend(put_aside(row, line)),
            Row::Refused { agent, turn, refusals } if refused < MAX_PAST => {
                let shown_alone =
                    |(code, subject): &(String, String)| kept.contains(&(code.as_str(), subject.as_str(), *agent));
                // Everything that the turn was sent back for is shown on its own.
                if !refusals.findings.is_empty() && refusals.findings.iter().all(shown_alone) {
                    continue;
                }
                let other = TurnRefusals {
                    findings: refusals
                        .findings
                        .iter()
                        .filter(|one| !shown_alone(one))
                        .cloned()
                        .collect(),
                    ..TurnRefusals::clone(refusals)
                };
                refused += 1;
                items.push(refused_turn(book, *agent, *turn, &other, &name, line));
            }
            _ => {}
        }
    }
    items.reverse();
    let findings = SessionFindings {
        harness: key.harness,
        session: key.session.clone(),
        cwd: at.cwd.map(str::to_owned),
        transcript: at.transcript.map(str::to_owned),
        last_seen: at.last_seen,
        document: at.document.to_owned(),
        scope: Some(book.scope().shown()).filter(|scope| scope.phase != ScopePhase::None),
        items,
        retired,
        dismissed,
    };
    Picture {
        findings,
        document: text,
    }
}

/// Of every kept finding, also one that is over, what a refusal for it is known by.
fn kept_subjects(book: &Book) -> HashSet<(&str, &str, Option<&str>)> {
    let rows = book.noted().iter();
    rows.map(|row| {
        (
            row.finding.code.as_str(),
            row.finding.subject.as_str(),
            row.agent.as_deref(),
        )
    })
    .collect()
}

/// What happened, by the time at which it happened first: a row keeps its place while the session goes on.
fn rows(book: &Book) -> Vec<Row<'_>> {
    let claims = book.claims().iter().map(|row| (row.first_seen, Row::Claim(row)));
    let kept = book.noted().iter().map(|row| (row.at, Row::Kept(row)));
    let refused = book.refused_turns().map(|(agent, turn, refusals)| {
        (
            refusals.first.unwrap_or_default(),
            Row::Refused { agent, turn, refusals },
        )
    });
    let mut rows: Vec<(u64, Row<'_>)> = claims.chain(kept).chain(refused).collect();
    rows.sort_by_key(|(at, _)| *at);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// A finding that stands; none without an id, by which nobody could put it aside.
fn finding(row: &NotedRow, session: &str, line: u32) -> Option<Item> {
    let id = row.finding.id.clone()?;
    let at = place(session, row.turn, row.agent.as_deref());
    let said = quote(&row.finding.message, MAX_MESSAGE);
    let said = said.strip_suffix('.').unwrap_or(&said);
    let evidence = row.finding.evidence.iter().take(MAX_PLACES).map(|evidence| Evidence {
        what: quote(&evidence.what, MAX_QUOTE),
        turn: evidence.turn,
        id: evidence.id.clone().filter(|id| id.len() <= MAX_NAME),
        place: evidence.place.clone().filter(is_short),
    });
    let places = row.finding.places.iter().filter(|place| is_short(place));
    Some(Item {
        id: format!("finding:{id}"),
        code: row.finding.code.clone(),
        severity: row.finding.severity,
        message: format!("{said} {at}."),
        subject: quote(&row.finding.subject, MAX_QUOTE),
        claim: None,
        finding: Some(id),
        agent: row.agent.clone(),
        turn: row.turn,
        line,
        cited: places.take(MAX_PLACES).cloned().collect(),
        check: row.finding.check.clone().filter(|check| size(check) <= MAX_CHECK),
        evidence: evidence.collect(),
    })
}

fn is_short(place: &Cited) -> bool {
    place.path.len() <= MAX_NAME
}

fn size(check: &CheckRef) -> usize {
    // Each text costs its quotes and a comma too.
    let selection: usize = check.selection.iter().map(|one| one.len() + 3).sum();
    check.runner.len() + check.folder.len() + check.command.len() + selection
}

/// A finding that the person put aside, which can be undone.
fn put_aside(row: &NotedRow, line: u32) -> Option<DismissedFinding> {
    if !matches!(row.end, Some(FindingEnd::Dismissed { .. })) {
        return None;
    }
    Some(DismissedFinding {
        finding: row.finding.id.clone()?,
        code: row.finding.code.clone(),
        message: quote(&row.finding.message, MAX_QUOTE),
        line,
    })
}

fn claim(row: &ClaimRow, session: &str, line: u32) -> Item {
    let subject = quote(&row.text, MAX_QUOTE);
    let at = place(session, row.opened, row.agent.as_deref());
    Item {
        id: format!("claim:{}", row.id),
        code: OPEN_CLAIM.to_owned(),
        severity: Severity::Information,
        message: format!(
            "Unverified: “{}”; reason given: “{}” {at}.",
            quote(&row.text, MAX_FIRST),
            quote(&row.reason, MAX_QUOTE)
        ),
        claim: Some(row.id.clone()),
        finding: None,
        agent: row.agent.clone(),
        turn: row.opened,
        line,
        cited: cited(&row.text),
        check: None,
        evidence: vec![Evidence {
            what: "tagged as unverified".to_owned(),
            turn: Some(row.tagged),
            id: None,
            place: None,
        }],
        subject,
    }
}

fn refused_turn(
    book: &Book,
    agent: Option<&str>,
    turn: u64,
    refusals: &TurnRefusals,
    session: &str,
    line: u32,
) -> Item {
    let found: Vec<(&str, String)> = reasons(book, refusals);
    let subject = found.first().map_or_else(String::new, |(_, subject)| subject.clone());
    let about = if subject.is_empty() {
        String::new()
    } else {
        format!("; it concerned “{subject}”")
    };
    let evidence = |(code, subject): (&str, String)| Evidence {
        what: format!("{code}: “{subject}”"),
        turn: Some(turn),
        id: None,
        place: None,
    };
    Item {
        id: format!("turn:{}:{turn}", agent.unwrap_or_default()),
        code: REFUSED_TURN.to_owned(),
        severity: Severity::Information,
        message: format!(
            "The reply was sent back {}{}{about} {}.",
            times(refusals.count),
            codes(&found),
            place(session, turn, agent)
        ),
        claim: None,
        finding: None,
        agent: agent.map(str::to_owned),
        turn,
        line,
        cited: Vec::new(),
        check: None,
        evidence: found.into_iter().map(evidence).collect(),
        subject,
    }
}

/// What a turn was sent back for: check and a quote of what it was about.
fn reasons<'a>(book: &Book, refusals: &'a TurnRefusals) -> Vec<(&'a str, String)> {
    let about = |subject: &str| quote(book.claim(subject).map_or(subject, |row| &row.text), MAX_QUOTE);
    refusals
        .findings
        .iter()
        .map(|(code, subject)| (code.as_str(), about(subject)))
        .collect()
}

/// The checks among the reasons, each once, as the end of a sentence.
fn codes(reasons: &[(&str, String)]) -> String {
    let mut codes: Vec<&str> = reasons.iter().map(|(code, _)| *code).collect();
    codes.sort_unstable();
    codes.dedup();
    match codes.len() {
        0 => String::new(),
        1..=MAX_CODES => format!(" for {}", codes.join(", ")),
        more => format!(" for {} and {} more", codes[..MAX_CODES].join(", "), more - MAX_CODES),
    }
}

fn times(count: u32) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}

fn whose(agent: Option<&str>) -> String {
    agent.map_or_else(String::new, |agent| {
        format!(" (helper agent {})", quote(agent, SHORT_ID + 4))
    })
}

/// Where something was said, as the end of a message.
fn place(session: &str, turn: u64, agent: Option<&str>) -> String {
    let agent = agent.map_or_else(String::new, |agent| {
        format!(", helper agent {}", quote(agent, SHORT_ID + 4))
    });
    format!("(session {session}, turn {turn}{agent})")
}

/// A session's name for people: the head of its id; of a transcript's path the head of the file's name.
fn short(key: &SessionKey) -> String {
    let name = key.session.rsplit('/').next().unwrap_or_default();
    quote(name, name.len()).chars().take(SHORT_ID).collect()
}
