//! `scope-lock`: after a correction of work that changed something, the agent says what it will do before it does more.
//! Which words correct, and what a call or a command does, is decided elsewhere.
//!
//! # What it catches
//! "That's not what I asked", right after a turn in which something was changed: what comes next goes the wrong way too.
//!
//! # Why
//! An agent that is corrected tends to work on at once. One line that the person can read first costs less than a wrong turn.
//!
//! # Example
//! "what are you doing? I wanted the parser only", after `loader.rs` was written. Until the agent has stated
//! `SCOPE CONTRACT: change parser.rs only; not the loader` and ended its turn, it may only look.
//!
//! # False positives
//! Words alone begin no lock. A record that can't be read, a call whose end is missing, a helper agent whose own record
//! is not there: then nothing is known to have been changed, and nothing is locked. One line lifts every lock.

use proofmark_protocol::query::ScopePhase;
use proofmark_protocol::settings::{Mode, Settings};
use proofmark_protocol::{Evidence, Finding, FindingState, Severity};

use super::{
    Check, Lag, Note, PromptVerdict, PromptView, Record, StopView, ToolVerdict, ToolView, Verdict, WhenEnded,
    helper_changed,
};
use crate::evidence::call::{self, Known};
use crate::session::past::{self, Past, Spoken};
use crate::session::{By, Ending, Fact, FactBody, ReleaseWord, Scope, ScopeFact, Stream, ToolKind};
use crate::text::{self, quote};

const CODE: &str = "scope-lock";
/// The longest quote, in characters.
const MAX_QUOTE: usize = 80;
/// How the person lifts any lock.
const LIFT: &str = "`proofmark scope release`, or “scope lock off” alone on a line";
/// The line that the agent has to write.
const FORM: &str = "`SCOPE CONTRACT: <outcome and non-goals>`";
/// What may be asked of Proofmark itself while everything is stopped.
const OWN: [&str; 4] = ["status", "scope", "claims", "findings"];

/// The check.
pub(super) struct ScopeLock;

impl Check for ScopeLock {
    fn code(&self) -> &'static str {
        CODE
    }

    fn mode(&self, settings: &Settings) -> Mode {
        settings.scope_lock.mode
    }

    fn on_stop(&self, view: &StopView<'_>) -> Verdict {
        let mut verdict = Verdict::default();
        if view.agent.is_some() {
            return verdict;
        }
        let mut course = Course::new(view.book.scope(), view.settings, view.turn);
        if let Record::Read { stream, lag, .. } = &view.record
            && *lag != Lag::Turn
        {
            let helper = |helper: &str| helper_changed(view.others, helper);
            course.overhear(&stream.past, stream.past.stretches().len(), &helper);
            course.take_contract(&stream.past, stream.past.stretches().len());
        }
        // The reply comes with the event: it is the turn's own, whatever the record shows.
        if let Some(contract) = view.reply.and_then(text::contract) {
            course.contracted(contract, view.turn);
        }
        let stated = |fact: &FactBody| {
            let FactBody::Scope { scope } = fact else { return false };
            matches!(scope, ScopeFact::Contracted { .. })
        };
        let notes = course.notes(view.settings);
        let (stated, others): (Vec<_>, Vec<_>) = course.facts.into_iter().partition(stated);
        if stated.is_empty() {
            verdict.notes = notes;
        } else {
            verdict.when_ended = WhenEnded { facts: stated, notes };
        }
        verdict.facts = others;
        verdict.findings = course.findings;
        verdict
    }

    fn on_prompt(&self, view: &PromptView<'_>) -> PromptVerdict {
        if self.mode(view.settings) == Mode::Off {
            return PromptVerdict::default();
        }
        let turn = view.stream.map_or(0, |stream| stream.turns);
        let mut course = Course::new(view.book.scope(), view.settings, turn);
        let released = text::release(view.prompt);
        if released.off {
            course.release();
        } else {
            if let Some(stream) = view.stream {
                look_back(view, stream, &mut course, released.reflect || released.automate_me);
            }
            for (said, word) in [
                (released.reflect, ReleaseWord::Reflect),
                (released.automate_me, ReleaseWord::AutomateMe),
            ] {
                if said {
                    course.word(word);
                }
            }
        }
        PromptVerdict {
            notes: course.notes(view.settings),
            to_agent: course.to_agent(view.settings),
            findings: course.findings,
            facts: course.facts.into_iter().map(|fact| (None, fact)).collect(),
        }
    }

    fn on_tool(&self, view: &ToolView<'_>) -> ToolVerdict {
        let mut verdict = ToolVerdict::default();
        let scope = view.book.scope();
        if !scope.holds() || passes(view, scope.phase()) {
            return verdict;
        }
        if self.mode(view.settings) == Mode::Refuse {
            verdict.denied = Some(denial(scope));
        } else {
            let asked = quote(view.input, MAX_QUOTE);
            verdict.notes.push(Note {
                text: format!("Proofmark would hold up “{asked}” here: {}", for_person(scope)),
                once: Some(format!("scope-advised:{}", scope.since().unwrap_or_default())),
            });
        }
        verdict
    }
}

/// What the words of a prompt, and those that came before it unheard, look back on.
fn look_back(view: &PromptView<'_>, stream: &Stream, course: &mut Course<'_>, releases: bool) {
    let (past, place) = (&stream.past, stream.past.place_of(view.prompt));
    let helper = |helper: &str| helper_changed(view.others, helper);
    course.take_contract(past, place);
    course.overhear(past, place, &helper);
    course.decay(past, place);
    if !releases {
        course.hear(past, place, view.prompt, &helper);
    }
}

/// What one event does to the scope, step by step: each step sees what the steps before it did.
struct Course<'a> {
    before: ScopePhase,
    scope: Scope,
    settings: &'a Settings,
    turn: u64,
    facts: Vec<FactBody>,
    findings: Vec<Finding>,
    /// True when this event's words are a correction, also one that was counted before.
    corrects: bool,
}

impl<'a> Course<'a> {
    fn new(scope: &Scope, settings: &'a Settings, turn: u64) -> Self {
        Self {
            before: scope.phase(),
            scope: scope.clone(),
            settings,
            turn,
            facts: Vec::new(),
            findings: Vec::new(),
            corrects: false,
        }
    }

    fn step(&mut self, scope: ScopeFact) {
        let body = FactBody::Scope { scope: scope.clone() };
        let fact = Fact {
            at: 0,
            agent: None,
            turn: self.turn,
            anchor: None,
            key: String::new(),
            body: body.clone(),
        };
        self.scope.fold(&fact, &scope);
        self.facts.push(body);
    }

    fn release(&mut self) {
        if self.before != ScopePhase::None {
            self.step(ScopeFact::Released { by: By::Words });
        }
    }

    fn word(&mut self, word: ReleaseWord) {
        if self.scope.phase() == ScopePhase::HardStop && self.scope.missing().contains(&word) {
            self.step(ScopeFact::Word { word });
        }
    }

    fn contracted(&mut self, contract: String, turn: u64) {
        if self.scope.phase() == ScopePhase::ContractRequired {
            let by = By::Agent;
            self.step(ScopeFact::Contracted { contract, by, turn });
        }
    }

    /// A contract that the agent stated after the correction, in what it did before `place`.
    fn take_contract(&mut self, past: &Past, place: usize) {
        let earlier = past.stretches().get(..place).unwrap_or_default();
        let corrected = self.scope.correction().and_then(|correction| correction.of.clone());
        let of = earlier.iter().rposition(|stretch| Some(stretch.id()) == corrected);
        // A record that was cut short lacks the place: then only the newest part is known to come after the correction.
        let start = of.map_or(earlier.len().saturating_sub(1), |of| of + 1);
        let stated = earlier[start..]
            .iter()
            .rev()
            .find_map(|stretch| Some((stretch.contract.clone()?, stretch.turn)));
        if let Some((contract, turn)) = stated.filter(|_| corrected.is_some()) {
            self.contracted(contract, turn);
        }
    }

    /// Words of the agent's last run before `place` that no event brought: in refusing a call, or while it worked.
    fn overhear(&mut self, past: &Past, place: usize, helper: &dyn Fn(&str) -> Known) {
        let run = past.run_before(place);
        let stretches = past.stretches().iter().enumerate().take(place).skip(run);
        for (at, stretch) in stretches.filter(|(_, stretch)| stretch.spoken != Spoken::Prompt) {
            if self.hear(past, at, &stretch.said, helper) {
                self.take_contract(past, place);
            }
        }
    }

    /// Words of the person that stand at `place`. True when they are a correction that was not counted yet.
    fn hear(&mut self, past: &Past, place: usize, words: &str, helper: &dyn Fn(&str) -> Known) -> bool {
        // Wording first: it is cheap, and most prompts correct nothing.
        let Some(correction) = text::correction(words, &phrases(self.settings)) else {
            return false;
        };
        let name = past.name_of(place, words);
        if self.scope.knows(&name) {
            self.corrects |= self.scope.holds();
            return false;
        }
        let work = past.before(place, self.settings.scope_lock.window);
        if past::changed(work, helper) != Known::Yes {
            return false;
        }
        self.corrects = true;
        let shown = quote(&correction.quote, MAX_QUOTE);
        let last = work.last();
        self.step(ScopeFact::Corrected {
            words: name,
            of: last.map(past::Stretch::id),
            class: correction.class.to_owned(),
            quote: shown.clone(),
        });
        self.findings.push(Finding {
            id: None,
            code: CODE.to_owned(),
            severity: Severity::Warning,
            subject: shown.clone(),
            message: format!("“{shown}” corrects work that changed something."),
            evidence: vec![Evidence {
                what: "the turn that it corrects".to_owned(),
                turn: last.map(|stretch| stretch.turn),
                id: last.map(|stretch| stretch.row.clone()).filter(|row| !row.is_empty()),
                place: None,
            }],
            places: Vec::new(),
            check: None,
            state: FindingState::Noted,
        });
        true
    }

    /// A contract that stood for long enough has been kept.
    fn decay(&mut self, past: &Past, place: usize) {
        let turn = self.turn + u64::from(place == past.stretches().len());
        let kept = |contract: &crate::session::scope::Contract| {
            !contract.kept
                && contract.by == By::Agent
                && turn.saturating_sub(contract.turn) > self.settings.scope_lock.decay_turns
        };
        if self.scope.contract().is_some_and(kept) {
            self.step(ScopeFact::Kept);
        }
    }

    /// What the person is told of what has changed.
    fn notes(&self, settings: &Settings) -> Vec<Note> {
        let (now, advises) = (self.scope.phase(), settings.scope_lock.mode == Mode::Advise);
        let contract = self
            .scope
            .contract()
            .map(|contract| quote(&contract.text, 200))
            .unwrap_or_default();
        let text = match now {
            _ if now == self.before => return Vec::new(),
            ScopePhase::ContractRequired | ScopePhase::HardStop if advises => {
                format!("Proofmark would lock the scope here: {}", for_person(&self.scope))
            }
            ScopePhase::ContractRequired | ScopePhase::HardStop => format!("Proofmark: {}", for_person(&self.scope)),
            ScopePhase::Locked => format!(
                "Proofmark: the agent has stated its scope, so its tools run again: “{contract}”. If that is not what you \
                 want, say so. `proofmark scope release` forgets it."
            ),
            ScopePhase::ReflectionAcknowledged => {
                "Proofmark: the stop is lifted; earlier corrections no longer count.".to_owned()
            }
            ScopePhase::None => "Proofmark: the scope lock is off, and earlier corrections no longer count.".to_owned(),
        };
        vec![Note { text, once: None }]
    }

    /// What the agent is told with the prompt.
    fn to_agent(&self, settings: &Settings) -> Option<String> {
        let now = self.scope.phase();
        match now {
            ScopePhase::ReflectionAcknowledged if now != self.before => Some(
                "Proofmark: the person has lifted the stop. Before you go on, run the two reviews that they asked for: reflect \
                 on what went wrong, and automate what would have caught it."
                    .to_owned(),
            ),
            ScopePhase::ContractRequired | ScopePhase::HardStop if settings.scope_lock.mode == Mode::Refuse => {
                Some(denial(&self.scope))
            }
            ScopePhase::ContractRequired | ScopePhase::HardStop if self.corrects => Some(format!(
                "Proofmark: the person corrects the direction of your work (“{}”). State what you will do and what not, as one line \
                 {FORM}, before you change more.",
                self.scope.correction().map_or("", |correction| &correction.quote)
            )),
            _ => None,
        }
    }
}

/// The person's own phrases, beside the shipped ones.
fn phrases(settings: &Settings) -> Vec<text::Phrases> {
    let set = |set: &proofmark_protocol::settings::PhraseSet| text::Phrases {
        corrections: set.corrections.clone(),
        expansions: set.expansions.clone(),
    };
    settings.scope_lock.phrases.values().map(set).collect()
}

/// Whether a call may run while the scope holds calls up.
fn passes(view: &ToolView<'_>, phase: ScopePhase) -> bool {
    if *view.kind == ToolKind::Asks || is_own(view.kind) {
        return true;
    }
    if phase == ScopePhase::HardStop {
        return view.settings.scope_lock.hard_stop_reading && looks(view.kind);
    }
    *view.kind == ToolKind::Neither || looks(view.kind)
}

/// True for a call that changes nothing for sure. One that sets a helper agent to work may change anything.
fn looks(kind: &ToolKind) -> bool {
    let changes_nothing = call::facts(kind, Some(Ending::Succeeded)).mutated == Known::No;
    changes_nothing && matches!(kind, ToolKind::Observes | ToolKind::Shell { .. })
}

/// True for a command that asks Proofmark how things stand, and does nothing else.
fn is_own(kind: &ToolKind) -> bool {
    let ToolKind::Shell { command } = kind else {
        return false;
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./ ".contains(c);
    let mut words = command.split(' ').filter(|word| !word.is_empty());
    let program = words.next().unwrap_or_default();
    let asks = |what: &str| OWN.contains(&what);
    command.chars().all(plain)
        && (program == "proofmark" || (program.starts_with('/') && program.ends_with("/proofmark")))
        && words.next().is_some_and(asks)
        && words.all(|word| !changes(word))
}

/// True for a word by which a command of Proofmark's changes something.
fn changes(word: &str) -> bool {
    ["release", "set", "retire", "reopen"].contains(&word)
}

/// Why a call is held up, for the agent.
fn denial(scope: &Scope) -> String {
    let said = scope.correction().map_or("", |correction| &correction.quote);
    if scope.phase() == ScopePhase::ContractRequired {
        return format!(
            "Proofmark: the person corrected your direction (“{said}”), so nothing may be changed yet. Write one line by itself, \
             {FORM}, and end your turn: the person reads it first, so it doesn't count in this turn. Looking, and asking \
             the person, is open."
        );
    }
    let missing: Vec<&str> = scope.missing().into_iter().map(ReleaseWord::as_str).collect();
    format!(
        "Proofmark: the person corrected the same thing again (“{said}”), so every tool is stopped. Say in words what went wrong, \
         or ask the person, and end your turn. Only the person lifts this. Still missing: {}; or {LIFT}.",
        missing.join(" and ")
    )
}

/// What a lock means for the person: what happened, and how to lift it.
fn for_person(scope: &Scope) -> String {
    let said = scope.correction().map_or("", |correction| &correction.quote);
    if scope.phase() == ScopePhase::ContractRequired {
        return format!(
            "“{said}” corrects work that changed something. The agent may look and ask; before it changes more, it has to state a \
             SCOPE CONTRACT line and end its turn. To lift this: {LIFT}."
        );
    }
    format!(
        "“{said}” corrects the same thing again, so the agent's tools are stopped. To lift this: {LIFT}; or /reflect and \
         automate-me, to have it reviewed first."
    )
}
