//! The fold of a session's facts: claims and their states, refusals by turn, what was said once.
//! Which facts there should be is decided by the checks; storage stays out.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::hash::Hasher;

use fnv::FnvHasher;
use proofmark_protocol::query::{Claim, ClaimState, SettledBy};
use proofmark_protocol::{Decision, Finding, Outcome};

use super::fact::{Fact, FactBody, FindingEnd};
use super::key::SessionKey;
use super::observed::{Observation, Seen};
use super::scope::Scope;
use crate::text;

/// A claim as the facts have it.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimRow {
    /// The claim's id.
    pub id: String,
    /// The helper agent that made it.
    pub agent: Option<String>,
    /// In the agent's words, as last tagged.
    pub text: String,
    /// What makes two texts the same claim.
    pub folded: String,
    /// Why it could not be verified, as last tagged.
    pub reason: String,
    /// Where it stands.
    pub state: ClaimState,
    /// The turn in which it was (last) opened.
    pub opened: u64,
    /// The turn in which it was last tagged.
    pub tagged: u64,
    /// The last call of that turn when it was tagged: what came before has not settled it.
    pub after_call: Option<String>,
    /// The row that its last tag hangs on.
    pub anchor: Option<String>,
    /// When it was first tagged, in milliseconds since 1970.
    pub first_seen: u64,
    /// When its state last changed, in milliseconds since 1970.
    pub changed: u64,
    /// How often it was refused.
    pub refusals: u32,
    /// The last turn in which it was refused.
    pub refused: Option<u64>,
    /// The call that settled it.
    pub settled_by: Option<SettledBy>,
    /// Whether that call shares something with the claim.
    pub matched: Option<bool>,
    /// Why the person retired it.
    pub why: Option<String>,
    /// The claim that it rewords.
    pub rewords: Option<String>,
}

/// A finding that is kept for itself, as the facts have it.
#[derive(Debug, Clone, PartialEq)]
pub struct NotedRow {
    /// The finding, as it was (last) noted; it has an id.
    pub finding: Finding,
    /// The helper agent that it is about.
    pub agent: Option<String>,
    /// The turn in which it was first noted.
    pub turn: u64,
    /// The row that it hangs on.
    pub anchor: Option<String>,
    /// When it was first noted, in milliseconds since 1970.
    pub at: u64,
    /// When its state last changed, in milliseconds since 1970.
    pub changed: u64,
    /// How it ended; none while it stands.
    pub end: Option<FindingEnd>,
    /// True when the agent was told of it with a prompt.
    pub told: bool,
}

/// The refusals of one turn of one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnRefusals {
    /// How often the agent was sent back.
    pub count: u32,
    /// When it was sent back first, in milliseconds since 1970.
    pub first: Option<u64>,
    /// For what: check and subject.
    pub findings: BTreeSet<(String, String)>,
}

/// Answers that are kept: a server that died before it answered is asked again at once, or never.
const MAX_ANSWERS: usize = 16;

/// Observations of one agent that are kept, the newest: with what its record shows they make its stream anew after a restart.
const MAX_OBSERVED: usize = 4096;

/// What an agent is in the book: none is the main agent.
type Agent = Option<String>;

/// A row of a book with its texts, in bytes: a claim, a finding, an answer, an observation.
const ROW: usize = 600;

/// A session's facts, folded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Book {
    claims: Vec<ClaimRow>,
    by_id: HashMap<String, usize>,
    noted: Vec<NotedRow>,
    refusals: BTreeMap<(Agent, u64), TurnRefusals>,
    turns: BTreeMap<Agent, u64>,
    said: BTreeSet<String>,
    owed: Vec<String>,
    answered: VecDeque<(String, u64, Decision)>,
    refused_answers: u64,
    scope: Scope,
    observed: BTreeMap<Agent, Observed>,
}

/// What hook events showed of one agent.
#[derive(Debug, Clone, Default, PartialEq)]
struct Observed {
    forgotten: u64,
    newest: VecDeque<Observation>,
}

impl Book {
    /// The book of a list of facts, oldest first.
    pub fn of<'a>(facts: impl IntoIterator<Item = &'a Fact>) -> Self {
        let mut book = Self::default();
        for fact in facts {
            book.fold(fact);
        }
        book
    }

    /// Folds one fact.
    pub fn fold(&mut self, fact: &Fact) {
        let turn = self.turns.entry(fact.agent.clone()).or_default();
        *turn = fact.turn.max(*turn);
        match &fact.body {
            FactBody::ClaimTagged {
                claim,
                text,
                reason,
                rewords,
                after_call,
            } => {
                self.tag(fact, claim, text, reason, rewords.as_deref(), after_call.as_deref());
            }
            FactBody::ClaimSettled {
                claim,
                state,
                settled_by,
                matched,
                why,
            } => {
                // A stop that was decided while the person retired the claim comes behind the person's word, and does not
                // take it back.
                let by_person = |row: &ClaimRow| row.state == ClaimState::Retired && *state != ClaimState::Retired;
                if let Some(row) = self.by_id.get(claim).and_then(|at| self.claims.get_mut(*at))
                    && !by_person(row)
                {
                    row.state = *state;
                    row.changed = fact.at;
                    row.settled_by.clone_from(settled_by);
                    row.matched = *matched;
                    row.why.clone_from(why);
                }
            }
            FactBody::ClaimReopened { claim } => {
                if let Some(row) = self.by_id.get(claim).and_then(|at| self.claims.get_mut(*at)) {
                    row.state = ClaimState::Open;
                    row.changed = fact.at;
                    row.settled_by = None;
                    row.matched = None;
                    row.why = None;
                }
            }
            FactBody::Refused { code, subject } => {
                let turn = self.refusals.entry((fact.agent.clone(), fact.turn)).or_default();
                turn.findings.insert((code.clone(), subject.clone()));
                if let Some(row) = self.by_id.get(subject).and_then(|at| self.claims.get_mut(*at)) {
                    row.refusals += 1;
                    row.refused = Some(fact.turn);
                }
            }
            FactBody::Answered { event, decision } => {
                if decision.outcome == Outcome::Refuse {
                    self.refused_answers += 1;
                    let turn = self.refusals.entry((fact.agent.clone(), fact.turn)).or_default();
                    turn.count += 1;
                    turn.first.get_or_insert(fact.at);
                }
                if self.answered.len() == MAX_ANSWERS {
                    self.answered.pop_front();
                }
                self.answered.push_back((event.clone(), fact.at, decision.clone()));
            }
            FactBody::Noted { finding } => self.note(fact, finding),
            FactBody::FindingEnded { finding, end } => {
                // As with a claim: what a check says does not take back the person's word.
                let is_persons = |end: &FindingEnd| matches!(end, FindingEnd::Dismissed { .. });
                if let Some(row) = self.noted_row(finding)
                    && (is_persons(end) || !row.end.as_ref().is_some_and(is_persons))
                {
                    row.end = Some(end.clone());
                    row.changed = fact.at;
                }
            }
            FactBody::FindingReopened { finding } => {
                if let Some(row) = self.noted_row(finding) {
                    row.end = None;
                    row.changed = fact.at;
                }
            }
            FactBody::Told { finding } => {
                if let Some(row) = self.noted_row(finding) {
                    row.told = true;
                }
            }
            FactBody::Owed { text } => self.owed.push(text.clone()),
            FactBody::Said { what } => {
                self.owed.retain(|owed| owed != what);
                self.said.insert(what.clone());
            }
            FactBody::Observed { seen, during, read } => self.observe(fact, seen, during.as_ref(), *read),
            FactBody::Scope { scope } => self.scope.fold(fact, scope),
            FactBody::LetGo { .. } | FactBody::TurnEnded => {}
        }
    }

    fn tag(&mut self, fact: &Fact, id: &str, text: &str, reason: &str, rewords: Option<&str>, after: Option<&str>) {
        let old = rewords
            .and_then(|id| self.by_id.get(id))
            .and_then(|at| self.claims.get(*at));
        let (opened, first_seen) = old.map_or((fact.turn, fact.at), |old| (old.opened, old.first_seen));
        if let Some(row) = self.by_id.get(id).and_then(|at| self.claims.get_mut(*at)) {
            if row.state != ClaimState::Open {
                row.state = ClaimState::Open;
                row.opened = fact.turn;
                row.changed = fact.at;
                row.settled_by = None;
                row.matched = None;
                row.why = None;
            }
            text.clone_into(&mut row.text);
            reason.clone_into(&mut row.reason);
            row.tagged = fact.turn;
            row.anchor.clone_from(&fact.anchor);
            row.after_call = after.map(str::to_owned);
            return;
        }
        self.by_id.insert(id.to_owned(), self.claims.len());
        self.claims.push(ClaimRow {
            id: id.to_owned(),
            agent: fact.agent.clone(),
            text: text.to_owned(),
            folded: text::folded(text),
            reason: reason.to_owned(),
            state: ClaimState::Open,
            opened,
            tagged: fact.turn,
            anchor: fact.anchor.clone(),
            after_call: after.map(str::to_owned),
            first_seen,
            changed: fact.at,
            refusals: 0,
            refused: None,
            settled_by: None,
            matched: None,
            why: None,
            rewords: rewords.map(str::to_owned),
        });
    }

    fn observe(&mut self, fact: &Fact, seen: &Seen, during: Option<&String>, read: u64) {
        let observed = self.observed.entry(fact.agent.clone()).or_default();
        if observed.newest.len() == MAX_OBSERVED {
            observed.newest.pop_front();
            observed.forgotten += 1;
        }
        observed.newest.push_back(Observation {
            at: fact.at,
            during: during.cloned(),
            read,
            seen: seen.clone(),
        });
    }

    /// The first observation of an agent that is not among the first `known` ones, with its place, counted from 1.
    pub fn observed_after(&self, agent: Option<&str>, known: u64) -> Option<(u64, &Observation)> {
        let observed = self.observed.get(&agent.map(str::to_owned))?;
        let place = known.max(observed.forgotten);
        let at = usize::try_from(place - observed.forgotten).ok()?;
        Some((place + 1, observed.newest.get(at)?))
    }

    fn note(&mut self, fact: &Fact, finding: &Finding) {
        let Some(id) = &finding.id else { return };
        if let Some(row) = self.noted_row(id) {
            row.finding = finding.clone();
            row.changed = fact.at;
            return;
        }
        self.noted.push(NotedRow {
            finding: finding.clone(),
            agent: fact.agent.clone(),
            turn: fact.turn,
            anchor: fact.anchor.clone(),
            at: fact.at,
            changed: fact.at,
            end: None,
            told: false,
        });
    }

    fn noted_row(&mut self, id: &str) -> Option<&mut NotedRow> {
        self.noted.iter_mut().find(|row| row.finding.id.as_deref() == Some(id))
    }

    /// The findings that are kept for themselves, in the order in which they were first noted.
    pub fn noted(&self) -> &[NotedRow] {
        &self.noted
    }

    /// The kept finding of a check about a subject, of one agent.
    pub fn noted_about(&self, code: &str, subject: &str, agent: Option<&str>) -> Option<&NotedRow> {
        let is_it = |row: &&NotedRow| {
            row.finding.code == code && row.finding.subject == subject && row.agent.as_deref() == agent
        };
        self.noted.iter().find(is_it)
    }

    /// About how many bytes this takes.
    pub fn weight(&self) -> usize {
        let observed: usize = self.observed.values().map(|observed| observed.newest.len()).sum();
        let rows = self.claims.len() + self.noted.len() + self.answered.len() + self.refusals.len() + observed;
        (rows + self.said.len() + self.owed.len()) * ROW
    }

    /// Every claim, in the order in which they were first tagged.
    pub fn claims(&self) -> &[ClaimRow] {
        &self.claims
    }

    /// The open claims of all agents.
    pub fn open(&self) -> impl Iterator<Item = &ClaimRow> {
        self.claims.iter().filter(|row| row.state == ClaimState::Open)
    }

    /// The claim of an id.
    pub fn claim(&self, id: &str) -> Option<&ClaimRow> {
        self.by_id.get(id).and_then(|at| self.claims.get(*at))
    }

    /// The person's turns since a claim was opened.
    pub fn age(&self, row: &ClaimRow) -> u64 {
        self.turn(row.agent.as_deref()).saturating_sub(row.opened)
    }

    /// The newest turn of an agent that a fact speaks of.
    pub fn turn(&self, agent: Option<&str>) -> u64 {
        self.turns.get(&agent.map(str::to_owned)).copied().unwrap_or(0)
    }

    /// The refusals of a turn.
    pub fn refusals(&self, agent: Option<&str>, turn: u64) -> TurnRefusals {
        self.refusals
            .get(&(agent.map(str::to_owned), turn))
            .cloned()
            .unwrap_or_default()
    }

    /// The turns in which an agent was sent back: agent, turn and refusals.
    pub fn refused_turns(&self) -> impl Iterator<Item = (Option<&str>, u64, &TurnRefusals)> {
        let refused = self.refusals.iter().filter(|(_, refusals)| refusals.count > 0);
        refused.map(|((agent, turn), refusals)| (agent.as_deref(), *turn, refusals))
    }

    /// How often an agent of this session was sent back.
    pub fn refused_answers(&self) -> u64 {
        self.refused_answers
    }

    /// The session's scope, which holds for its helper agents too.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// True when this was said in this session.
    pub fn was_said(&self, what: &str) -> bool {
        self.said.contains(what)
    }

    /// What the person is still to be told.
    pub fn owed(&self) -> &[String] {
        &self.owed
    }

    /// The answer that an event got, and when.
    pub fn answer(&self, event: &str) -> Option<(u64, &Decision)> {
        self.answered
            .iter()
            .rev()
            .find(|(known, ..)| known == event)
            .map(|(_, at, decision)| (*at, decision))
    }

    /// The claims as others see them.
    pub fn listed(&self, key: &SessionKey) -> Vec<Claim> {
        let claim = |row: &ClaimRow| Claim {
            id: row.id.clone(),
            harness: key.harness,
            session: key.session.clone(),
            agent: row.agent.clone(),
            claim: row.text.clone(),
            reason: row.reason.clone(),
            state: row.state,
            turns: self.age(row),
            turn: row.opened,
            first_seen: row.first_seen,
            changed: row.changed,
            refusals: row.refusals,
            settled_by: row.settled_by.clone(),
            matched: row.matched,
            why: row.why.clone(),
            rewords: row.rewords.clone(),
        };
        self.claims.iter().map(claim).collect()
    }
}

/// The id of a claim: the same session, agent and folded text always give the same one.
pub fn claim_id(key: &SessionKey, agent: Option<&str>, folded: &str) -> String {
    short_hash(&[key.harness.as_str(), &key.session, agent.unwrap_or_default(), folded])
}

/// The id of a kept finding: the same session, agent, check and subject always give the same one.
pub fn finding_id(key: &SessionKey, agent: Option<&str>, code: &str, subject: &str) -> String {
    let agent = agent.unwrap_or_default();
    short_hash(&[key.harness.as_str(), &key.session, agent, code, subject])
}

pub(super) fn short_hash(parts: &[&str]) -> String {
    let mut hasher = FnvHasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write(&[0]);
    }
    format!("{:010x}", hasher.finish() >> 24)
}

#[cfg(test)]
mod tests;
