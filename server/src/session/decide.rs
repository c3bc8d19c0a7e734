//! From the checks' verdicts to one decision: what is refused, what is let go, what is said to whom.
//! What a check finds is its own business; writing facts down is the ledger's.

use std::collections::BTreeMap;

use proofmark_protocol::settings::{Mode, Settings};
use proofmark_protocol::{Decision, Finding, FindingState, Outcome};

use super::book::{Book, finding_id};
use super::fact::FactBody;
use crate::checks::{Check, Complaint, Note, PromptView, StopView, ToolView, Verdict, WhenEnded};

/// How often an agent is sent back in one turn of the person, all checks together.
pub const MAX_REFUSALS: u32 = 3;

/// What an event comes to.
#[derive(Debug, Default, PartialEq)]
pub struct Outcomes {
    /// The answer.
    pub decision: Decision,
    /// New facts, each with the agent that it is about.
    pub facts: Vec<(Option<String>, FactBody)>,
}

impl Outcomes {
    /// True where there is nothing that the ledger should have.
    pub fn keeps_nothing(&self) -> bool {
        self.facts.is_empty() && self.decision.findings.is_empty()
    }
}

/// Whether a stop can be decided now.
#[derive(Debug, PartialEq)]
pub enum Step {
    /// The record should be read again first: what is missing may be on its way.
    AwaitRecord,
    /// The judge should be asked about the reply, and the record read again with what it says.
    AskJudge,
    /// This is the answer.
    Decided(Outcomes),
}

/// Decides whether a turn may end. `paused` is asked only when something would be refused.
pub fn stop(view: &StopView<'_>, checks: &[&dyn Check], notes: Vec<Note>, paused: impl FnOnce() -> bool) -> Step {
    let on = |check: &&&dyn Check| check.mode(view.settings) != Mode::Off;
    let verdicts: Vec<(&dyn Check, Verdict)> = checks
        .iter()
        .filter(on)
        .map(|check| (*check, check.on_stop(view)))
        .collect();
    if verdicts.iter().any(|(_, verdict)| verdict.await_record) {
        return Step::AwaitRecord;
    }
    if verdicts.iter().any(|(_, verdict)| verdict.ask_judge) {
        return Step::AskJudge;
    }
    let refusals = view.book.refusals(view.agent, view.turn);
    let wanted = |(check, verdict): &(&dyn Check, Verdict)| {
        check.mode(view.settings) == Mode::Refuse && !verdict.complaints.is_empty()
    };
    let spent = refusals.count >= MAX_REFUSALS;
    let paused = !spent && verdicts.iter().any(wanted) && paused();
    let mut said = Said::new(view.book);
    let (mut findings, mut facts, mut requests) = (Vec::new(), Vec::new(), Vec::new());
    let mut when_ended = WhenEnded::default();
    for (check, verdict) in verdicts {
        let refused_before = |complaint: &Complaint| {
            let known = |subject: &String| refusals.findings.contains(&(check.code().to_owned(), subject.clone()));
            !complaint.insists && (known(&complaint.subject) || complaint.formerly.as_ref().is_some_and(known))
        };
        let may = check.mode(view.settings) == Mode::Refuse && !spent && !paused;
        let (refused, passed): (Vec<_>, Vec<_>) = verdict
            .complaints
            .iter()
            .partition(|complaint| may && !refused_before(complaint));
        facts.extend(verdict.facts);
        findings.extend(verdict.findings);
        said.notes.extend(verdict.notes);
        when_ended.facts.extend(verdict.when_ended.facts);
        when_ended.notes.extend(verdict.when_ended.notes);
        for complaint in &refused {
            let (code, subject) = (check.code().to_owned(), complaint.subject.clone());
            facts.push(FactBody::Refused { code, subject });
            findings.push(finding(view, check, complaint, FindingState::Refused));
        }
        for complaint in &passed {
            let (code, subject) = (check.code().to_owned(), complaint.subject.clone());
            let advised = check.mode(view.settings) == Mode::Advise;
            if !advised {
                facts.push(FactBody::LetGo { code, subject });
            }
            let state = if advised {
                FindingState::Noted
            } else {
                FindingState::LetGo
            };
            findings.push(finding(view, check, complaint, state));
            let why = match (advised, paused, spent) {
                (true, ..) => "",
                (_, true, _) => " Proofmark is paused, so the reply passes.",
                (.., true) => " The agent was sent back three times in this turn, so the reply passes.",
                _ => " The agent was sent back for it once, so the reply passes.",
            };
            said.notes.push(Note {
                text: format!("Proofmark: {}{why}", complaint.message),
                once: None,
            });
        }
        if !refused.is_empty() {
            requests.push(check.refusal(view, &refused));
        }
    }
    facts.extend(
        findings
            .iter()
            .filter(|finding| finding.id.is_some())
            .map(|finding| FactBody::Noted {
                finding: finding.clone(),
            }),
    );
    if view.book.open().any(|row| row.agent.as_deref() == view.agent) {
        facts.push(FactBody::TurnEnded);
    }
    let agent = view.agent.map(str::to_owned);
    if !requests.is_empty() {
        // A refusal has one channel, and it leads to the agent: what the person would be told waits for the next answer.
        // What is said once a session is found again there; the rest is owed.
        let owed = said.notes.into_iter().filter(|note| note.once.is_none());
        facts.extend(owed.map(|note| FactBody::Owed { text: note.text }));
        let decision = Decision {
            outcome: Outcome::Refuse,
            findings,
            to_agent: Some(requests.join("\n\n")),
            to_person: None,
        };
        return Step::Decided(Outcomes {
            decision,
            facts: about(agent, facts),
        });
    }
    facts.extend(when_ended.facts);
    said.notes.extend(when_ended.notes);
    said.notes.extend(notes);
    let (to_person, said) = said.text();
    facts.extend(said);
    let outcome = if to_person.is_some() {
        Outcome::Advise
    } else {
        Outcome::Allow
    };
    let decision = Decision {
        outcome,
        findings,
        to_agent: None,
        to_person,
    };
    Step::Decided(Outcomes {
        decision,
        facts: about(agent, facts),
    })
}

/// Decides what goes with a prompt.
pub fn prompt(view: &PromptView<'_>, checks: &[&dyn Check], notes: Vec<Note>) -> Outcomes {
    let mut said = Said::new(view.book);
    let (mut facts, mut context, mut findings) = (Vec::new(), Vec::new(), Vec::new());
    for check in checks {
        let verdict = check.on_prompt(view);
        facts.extend(verdict.facts);
        findings.extend(verdict.findings);
        context.extend(verdict.to_agent);
        said.notes.extend(verdict.notes);
    }
    said.notes.extend(notes);
    let (to_person, said) = said.text();
    facts.extend(said.into_iter().map(|fact| (None, fact)));
    let decision = Decision {
        findings,
        ..advice(context, to_person)
    };
    Outcomes { decision, facts }
}

/// Decides whether a call may run. `paused` is asked only when one would be denied. A call that is denied leaves no facts:
/// what the person would be told goes with the next answer.
pub fn tool(view: &ToolView<'_>, checks: &[&dyn Check], notes: Vec<Note>, paused: impl FnOnce() -> bool) -> Outcomes {
    let mut said = Said::new(view.book);
    let (mut facts, mut denied) = (Vec::new(), Vec::new());
    for check in checks {
        let mode = check.mode(view.settings);
        if mode == Mode::Off {
            continue;
        }
        let verdict = check.on_tool(view);
        denied.extend(verdict.denied.filter(|_| mode == Mode::Refuse));
        facts.extend(verdict.facts);
        said.notes.extend(verdict.notes);
    }
    if !denied.is_empty() && !paused() {
        let decision = Decision {
            outcome: Outcome::Refuse,
            to_agent: Some(denied.join("\n\n")),
            ..Decision::default()
        };
        return Outcomes {
            decision,
            facts: Vec::new(),
        };
    }
    said.notes.extend(notes);
    let (to_person, said) = said.text();
    facts.extend(said);
    Outcomes {
        decision: advice(Vec::new(), to_person),
        facts: about(None, facts),
    }
}

/// Decides what an agent is told when it starts.
pub fn start(settings: &Settings, book: &Book, checks: &[&dyn Check], teach: bool, notes: Vec<Note>) -> Outcomes {
    let context = checks
        .iter()
        .filter(|_| teach)
        .filter_map(|check| check.teach(settings))
        .collect();
    let mut said = Said::new(book);
    said.notes.extend(notes);
    let (to_person, said) = said.text();
    Outcomes {
        decision: advice(context, to_person),
        facts: said.into_iter().map(|fact| (None, fact)).collect(),
    }
}

fn advice(context: Vec<String>, to_person: Option<String>) -> Decision {
    let to_agent = (!context.is_empty()).then(|| context.join("\n\n"));
    let outcome = if to_agent.is_some() || to_person.is_some() {
        Outcome::Advise
    } else {
        Outcome::Allow
    };
    Decision {
        outcome,
        findings: Vec::new(),
        to_agent,
        to_person,
    }
}

fn about(agent: Option<String>, facts: Vec<FactBody>) -> Vec<(Option<String>, FactBody)> {
    facts.into_iter().map(|fact| (agent.clone(), fact)).collect()
}

fn finding(view: &StopView<'_>, check: &dyn Check, complaint: &Complaint, state: FindingState) -> Finding {
    let id = complaint
        .kept
        .then(|| finding_id(view.key, view.agent, check.code(), &complaint.subject));
    Finding {
        id,
        code: check.code().to_owned(),
        severity: complaint.severity,
        subject: complaint.subject.clone(),
        message: complaint.message.clone(),
        evidence: complaint.evidence.clone(),
        places: complaint.places.clone(),
        check: complaint.check.clone(),
        state,
    }
}

/// What the person is told in one answer: each thing once, and what is said once a session only if it is new.
struct Said<'a> {
    book: &'a Book,
    notes: Vec<Note>,
}

impl<'a> Said<'a> {
    fn new(book: &'a Book) -> Self {
        Self {
            book,
            notes: Vec::new(),
        }
    }

    fn text(self) -> (Option<String>, Vec<FactBody>) {
        let mut once = BTreeMap::new();
        let mut lines: Vec<String> = self.book.owed().to_vec();
        let mut facts: Vec<FactBody> = lines.iter().map(|owed| FactBody::Said { what: owed.clone() }).collect();
        for note in self.notes {
            if let Some(what) = note.once
                && (self.book.was_said(&what) || once.insert(what, ()).is_some())
            {
                continue;
            }
            if !lines.contains(&note.text) {
                lines.push(note.text);
            }
        }
        facts.extend(once.into_keys().map(|what| FactBody::Said { what }));
        ((!lines.is_empty()).then(|| lines.join("\n")), facts)
    }
}
