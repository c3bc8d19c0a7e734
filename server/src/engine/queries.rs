//! What people and editors ask of a ledger, and what they do to it: claims, kept findings, sessions, pauses.
//! These need no server: a command asks the file itself, the server asks it for an editor.

use proofmark_protocol::findings::PublishedUrisParams;
use proofmark_protocol::query::{
    Claim, ClaimState, DismissFindingParams, KeptFinding, KeptState, Pause, ScopePhase, ServerStatus, SessionStatus,
    Status,
};
use thiserror::Error;

use crate::ledger::{Durability, Ledger, LedgerError, SessionRow};
use crate::session::{Book, By, Fact, FactBody, FindingEnd, NotedRow, ScopeFact, SessionKey};
use crate::state_folder;
use crate::text::redact;

/// Why a request of the person could not be met.
#[derive(Debug, Error)]
pub enum QueryError {
    /// Nothing on the ledger has this id.
    #[error("no claim on the ledger has the id {0}")]
    UnknownClaim(String),
    /// The claim was not retired, so there is nothing to take back.
    #[error("the claim {0} is not retired")]
    NotRetired(String),
    /// Nothing on the ledger has this key.
    #[error("no session on the ledger is called {0}")]
    UnknownSession(String),
    /// There is nothing to lift.
    #[error("session {0} has no scope lock and no contract")]
    NoScope(String),
    /// A text that is no contract.
    #[error("a scope is said in one line of 3 to 500 characters")]
    NoContract,
    /// The claim is not open.
    #[error("the claim {0} is not open any more")]
    NotOpen(String),
    /// Nothing on the ledger has this id.
    #[error("no finding on the ledger has the id {0}")]
    UnknownFinding(String),
    /// The finding does not stand, so it can't be dismissed.
    #[error("the finding {0} does not stand any more")]
    NotStanding(String),
    /// The finding was not dismissed, so there is nothing to take back.
    #[error("the finding {0} is not dismissed")]
    NotDismissed(String),
    /// The ledger failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
}

/// The claims on a ledger, oldest session first; only one session's, where one is named.
pub fn claims(ledger: &Ledger, session: Option<&str>) -> Result<Vec<Claim>, LedgerError> {
    let mut claims = Vec::new();
    for row in ledger.sessions()?.into_iter().rev() {
        if session.is_none_or(|session| session == row.key.session) {
            claims.extend(book(ledger, &row.key)?.listed(&row.key));
        }
    }
    Ok(claims)
}

/// The sessions on a ledger and what is paused, beside what is known of the server.
pub fn status(ledger: Option<&Ledger>, server: ServerStatus, now: u64) -> Result<Status, LedgerError> {
    let mut status = Status {
        server,
        sessions: Vec::new(),
        paused_until: None,
        notes: Vec::new(),
    };
    let Some(ledger) = ledger else { return Ok(status) };
    let pauses = ledger.pauses(now)?;
    status.paused_until = pauses
        .iter()
        .find(|pause| pause.session.is_none())
        .map(|pause| pause.until);
    status.sessions = sessions(ledger, now)?;
    Ok(status)
}

/// The sessions on a ledger, the one heard of last first.
pub fn sessions(ledger: &Ledger, now: u64) -> Result<Vec<SessionStatus>, LedgerError> {
    let pauses = ledger.pauses(now)?;
    let rows = ledger.sessions()?.into_iter();
    rows.map(|row| Ok(shown(&book(ledger, &row.key)?, row, &pauses)))
        .collect()
}

fn shown(book: &Book, row: SessionRow, pauses: &[Pause]) -> SessionStatus {
    let own = |pause: &&Pause| pause.session.as_ref() == Some(&row.key.session);
    SessionStatus {
        harness: row.key.harness,
        open_claims: book.open().count() as u64,
        refusals: book.refused_answers(),
        last_seen: row.last_seen,
        scope: book.scope().shown(),
        paused_until: pauses.iter().find(own).map(|pause| pause.until),
        session: row.key.session,
    }
}

/// How one session stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// The session.
    pub session: SessionStatus,
    /// Findings of it that stand.
    pub findings: u64,
    /// Until when nothing refuses in it, whether it is paused or all of them are, in milliseconds since 1970.
    pub paused_until: Option<u64>,
}

/// How the session stands that is named, else the one that was heard of last; none when the ledger has no such session.
///
/// # Errors
/// As [`LedgerError`] says.
pub fn standing(ledger: &Ledger, session: Option<&str>, now: u64) -> Result<Option<Standing>, LedgerError> {
    let is_it = |row: &SessionRow| session.is_none_or(|session| session == row.key.session);
    let Some(row) = ledger.sessions()?.into_iter().find(is_it) else {
        return Ok(None);
    };
    let pauses = ledger.pauses(now)?;
    let book = book(ledger, &row.key)?;
    let listed = book.noted().iter().filter_map(|noted| kept(&row.key, noted));
    let findings = listed.filter(|finding| finding.state == KeptState::Open).count() as u64;
    let session = shown(&book, row, &pauses);
    let all = pauses.iter().find(|pause| pause.session.is_none());
    Ok(Some(Standing {
        findings,
        paused_until: session.paused_until.max(all.map(|pause| pause.until)),
        session,
    }))
}

/// The person retires a claim.
pub fn retire(ledger: &Ledger, id: &str, why: Option<&str>, now: u64) -> Result<Claim, QueryError> {
    let body = FactBody::ClaimSettled {
        claim: id.to_owned(),
        state: ClaimState::Retired,
        settled_by: None,
        matched: None,
        why: why.map(redacted),
    };
    say_of_claim(ledger, id, body, now, |state| match state {
        ClaimState::Open => Ok(()),
        _ => Err(QueryError::NotOpen(id.to_owned())),
    })
}

/// The person takes back that a claim was retired: it is open again.
pub fn reopen(ledger: &Ledger, id: &str, now: u64) -> Result<Claim, QueryError> {
    say_of_claim(
        ledger,
        id,
        FactBody::ClaimReopened { claim: id.to_owned() },
        now,
        |state| match state {
            ClaimState::Retired => Ok(()),
            _ => Err(QueryError::NotRetired(id.to_owned())),
        },
    )
}

/// What the person wrote, as it may be kept.
fn redacted(text: &str) -> String {
    redact(text).into_owned()
}

/// Writes down what the person says of a claim, where its state allows that.
fn say_of_claim(
    ledger: &Ledger,
    id: &str,
    body: FactBody,
    now: u64,
    allowed: impl FnOnce(ClaimState) -> Result<(), QueryError>,
) -> Result<Claim, QueryError> {
    for row in ledger.sessions()? {
        let known = book(ledger, &row.key)?;
        let Some(claim) = known.claim(id) else { continue };
        allowed(claim.state)?;
        // Where the claim hangs: a fork that takes over the claim takes over that it was retired.
        let fact = said_of(&known, claim.agent.as_deref(), claim.anchor.as_deref(), id, body, now);
        ledger.append(&row.key, &[fact], Durability::Disk)?;
        let listed = book(ledger, &row.key)?
            .listed(&row.key)
            .into_iter()
            .find(|claim| claim.id == id);
        return listed.ok_or_else(|| QueryError::UnknownClaim(id.to_owned()));
    }
    Err(QueryError::UnknownClaim(id.to_owned()))
}

/// What the person says of something on a session's book, as a fact.
fn said_of(book: &Book, agent: Option<&str>, anchor: Option<&str>, id: &str, body: FactBody, now: u64) -> Fact {
    Fact {
        at: now,
        agent: agent.map(str::to_owned),
        turn: book.turn(agent),
        anchor: anchor.map(str::to_owned),
        key: format!("{}:{id}:{now}", body.kind()),
        body,
    }
}

/// The findings that a ledger keeps, oldest session first; only one session's, where one is named.
pub fn findings(ledger: &Ledger, session: Option<&str>) -> Result<Vec<KeptFinding>, LedgerError> {
    let mut findings = Vec::new();
    for row in ledger.sessions()?.into_iter().rev() {
        if session.is_none_or(|session| session == row.key.session) {
            let book = book(ledger, &row.key)?;
            findings.extend(book.noted().iter().filter_map(|noted| kept(&row.key, noted)));
        }
    }
    Ok(findings)
}

/// The person puts a finding that stands aside: it was right and need not be shown any more, or it was wrong.
pub fn dismiss(ledger: &Ledger, params: &DismissFindingParams, now: u64) -> Result<KeptFinding, QueryError> {
    let body = FactBody::FindingEnded {
        finding: params.id.clone(),
        end: FindingEnd::Dismissed {
            wrong: params.wrong,
            why: params.why.as_deref().map(redacted),
        },
    };
    say_of_finding(ledger, &params.id, body, now, |end| match end {
        None => Ok(()),
        Some(_) => Err(QueryError::NotStanding(params.id.clone())),
    })
}

/// The person takes back that a finding was dismissed: it stands again.
pub fn undismiss(ledger: &Ledger, id: &str, now: u64) -> Result<KeptFinding, QueryError> {
    let body = FactBody::FindingReopened { finding: id.to_owned() };
    say_of_finding(ledger, id, body, now, |end| match end {
        Some(FindingEnd::Dismissed { .. }) => Ok(()),
        _ => Err(QueryError::NotDismissed(id.to_owned())),
    })
}

/// Writes down what the person says of a kept finding, where its end allows that.
fn say_of_finding(
    ledger: &Ledger,
    id: &str,
    body: FactBody,
    now: u64,
    allowed: impl FnOnce(Option<&FindingEnd>) -> Result<(), QueryError>,
) -> Result<KeptFinding, QueryError> {
    let is_it = |row: &&NotedRow| row.finding.id.as_deref() == Some(id);
    for row in ledger.sessions()? {
        let mut known = book(ledger, &row.key)?;
        let Some(noted) = known.noted().iter().find(is_it) else {
            continue;
        };
        allowed(noted.end.as_ref())?;
        let fact = said_of(&known, noted.agent.as_deref(), noted.anchor.as_deref(), id, body, now);
        ledger.append(&row.key, std::slice::from_ref(&fact), Durability::Disk)?;
        known.fold(&fact);
        let listed = known.noted().iter().find(is_it).and_then(|noted| kept(&row.key, noted));
        return listed.ok_or_else(|| QueryError::UnknownFinding(id.to_owned()));
    }
    Err(QueryError::UnknownFinding(id.to_owned()))
}

/// A kept finding as others see it; none without an id.
fn kept(key: &SessionKey, row: &NotedRow) -> Option<KeptFinding> {
    let (state, wrong, why) = match &row.end {
        None => (KeptState::Open, None, None),
        Some(FindingEnd::Recovered) => (KeptState::Recovered, None, None),
        Some(FindingEnd::Owned) => (KeptState::Owned, None, None),
        Some(FindingEnd::Dismissed { wrong, why }) => (KeptState::Dismissed, Some(*wrong), why.clone()),
    };
    let finding = &row.finding;
    Some(KeptFinding {
        id: finding.id.clone()?,
        harness: key.harness,
        session: key.session.clone(),
        agent: row.agent.clone(),
        code: finding.code.clone(),
        severity: finding.severity,
        subject: finding.subject.clone(),
        message: finding.message.clone(),
        state,
        turn: row.turn,
        first_seen: row.at,
        changed: row.changed,
        wrong,
        why,
        places: finding.places.clone(),
        check: finding.check.clone(),
        evidence: finding.evidence.clone(),
    })
}

/// The person lifts a session's scope lock, and its contract with it.
///
/// # Errors
/// As [`QueryError`] says.
pub fn release_scope(ledger: &Ledger, session: &str, by: By, now: u64) -> Result<SessionStatus, QueryError> {
    say_of_scope(ledger, session, ScopeFact::Released { by }, now, |phase| match phase {
        ScopePhase::None => Err(QueryError::NoScope(session.to_owned())),
        _ => Ok(()),
    })
}

/// The person says what a session is to do, and what not; nothing is held up any more.
///
/// # Errors
/// As [`QueryError`] says.
pub fn set_scope(ledger: &Ledger, session: &str, text: &str, by: By, now: u64) -> Result<SessionStatus, QueryError> {
    let contract = redacted(text.trim());
    if contract.contains(['\n', '\r']) || !(3..=500).contains(&contract.chars().count()) {
        return Err(QueryError::NoContract);
    }
    say_of_scope(
        ledger,
        session,
        ScopeFact::Contracted { contract, by, turn: 0 },
        now,
        |_| Ok(()),
    )
}

/// Writes down what the person says of a session's scope, where its phase allows that.
fn say_of_scope(
    ledger: &Ledger,
    session: &str,
    scope: ScopeFact,
    now: u64,
    allowed: impl Fn(ScopePhase) -> Result<(), QueryError>,
) -> Result<SessionStatus, QueryError> {
    let unknown = || QueryError::UnknownSession(session.to_owned());
    let row = ledger.sessions()?.into_iter().find(|row| row.key.session == session);
    let key = row.ok_or_else(unknown)?.key;
    let known = book(ledger, &key)?;
    allowed(known.scope().phase())?;
    let fact = Fact {
        at: now,
        agent: None,
        turn: known.turn(None),
        // Where the lock hangs: a fork that takes over the lock takes over that it was lifted.
        anchor: known.scope().anchor().map(str::to_owned),
        key: format!("scope:{}:{now}", scope.name()),
        body: FactBody::Scope { scope },
    };
    ledger.append(&key, &[fact], Durability::Disk)?;
    let row = ledger.session(&key)?.ok_or_else(unknown)?;
    Ok(shown(&book(ledger, &key)?, row, &ledger.pauses(now)?))
}

/// Nothing refuses for so many seconds, in one session or in all; 0 ends the pause.
pub fn pause(ledger: &Ledger, session: Option<&str>, seconds: u64, now: u64) -> Result<Pause, LedgerError> {
    let until = now.saturating_add(seconds.saturating_mul(1_000));
    ledger.pause(session, until, now)?;
    Ok(Pause {
        session: session.map(str::to_owned),
        until,
    })
}

/// Notes which places a front end fills and has emptied. The answer: the places that front ends left filled which are gone.
pub fn published(ledger: &Ledger, params: &PublishedUrisParams, now: u64) -> Result<Vec<String>, LedgerError> {
    let left = |process: u32| process != params.process && !state_folder::is_running(process);
    if !params.add.is_empty() {
        ledger.note_published(params.process, &params.add, now)?;
    }
    if !params.remove.is_empty() {
        let emptied = |(uri, process): &(String, u32)| {
            params.remove.contains(uri) && (*process == params.process || left(*process))
        };
        let places: Vec<_> = ledger.published()?.into_iter().filter(emptied).collect();
        ledger.forget_published(&places)?;
    }
    let mut uris: Vec<String> = ledger
        .published()?
        .into_iter()
        .filter(|(_, process)| left(*process))
        .map(|(uri, _)| uri)
        .collect();
    uris.dedup();
    Ok(uris)
}

pub(super) fn book(ledger: &Ledger, key: &SessionKey) -> Result<Book, LedgerError> {
    let read = ledger.facts(key, 0)?;
    Ok(Book::of(read.facts.iter().map(|stored| &stored.fact)))
}
