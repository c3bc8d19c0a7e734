//! The scope lock as the facts have it: from the person's correction to a contract, to a stop of everything, to its release.
//! When a correction counts, and which calls are held up meanwhile, is decided by the checks.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use proofmark_protocol::query::{self, ScopePhase};
use serde::{Deserialize, Serialize};

use super::fact::Fact;

#[cfg(test)]
mod tests;

/// As often as this the person corrects the same kind of thing before everything stops.
const STOP_AT: u32 = 2;
/// Corrections whose names are kept: the same words may be delivered again for as long as they stand in the last runs.
const MAX_KNOWN: usize = 64;

/// What happened to a session's scope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "kebab-case")]
pub enum ScopeFact {
    /// The person corrected the direction of work that had changed something.
    Corrected {
        /// The words' own name: delivered again they have the same one.
        words: String,
        /// The stretch of the record that they look back on: what was stated in it was stated before them.
        of: Option<String>,
        /// The kind of correction.
        class: String,
        /// The words as a short quote.
        quote: String,
    },
    /// It was said what is to be done, and what not.
    Contracted {
        /// The contract.
        contract: String,
        /// Who said it.
        by: By,
        /// The person's turn at whose end the agent said it, counted from 1; 0 when the person did.
        turn: u64,
    },
    /// The person used one of the two words that lift a stop of everything.
    Word {
        /// Which.
        word: ReleaseWord,
    },
    /// The person lifted the lock.
    Released {
        /// How.
        by: By,
    },
    /// The contract was kept for long enough: earlier corrections no longer count.
    Kept,
}

impl ScopeFact {
    /// Its name: one event makes each at most once, but for the words.
    pub fn name(&self) -> &str {
        match self {
            Self::Corrected { words, .. } => words,
            Self::Contracted { .. } => "contracted",
            Self::Word { word } => word.as_str(),
            Self::Released { .. } => "released",
            Self::Kept => "kept",
        }
    }
}

/// Who did something to a scope, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The agent, in a turn that has ended.
    Agent,
    /// The person, in a prompt.
    Words,
    /// The person, with a command.
    Command,
    /// The person, in an editor.
    Editor,
}

/// A word that lifts a stop of everything, together with the other one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReleaseWord {
    /// `/reflect`.
    Reflect,
    /// `automate-me`.
    AutomateMe,
}

impl ReleaseWord {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Reflect, Self::AutomateMe];

    /// As the person writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reflect => "/reflect",
            Self::AutomateMe => "automate-me",
        }
    }
}

/// The correction that a lock rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// The words' own name.
    pub words: String,
    /// The stretch of the record that they look back on.
    pub of: Option<String>,
    /// The words as a short quote.
    pub quote: String,
}

/// What the session is to do, and what not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// The contract.
    pub text: String,
    /// Who stated it.
    pub by: By,
    /// The person's turn at whose end the agent stated it; 0 when the person did.
    pub turn: u64,
    /// True when it was kept for long enough that earlier corrections no longer count.
    pub kept: bool,
}

/// A session's scope.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scope {
    phase: ScopePhase,
    since: Option<u64>,
    anchor: Option<String>,
    correction: Option<Correction>,
    contract: Option<Contract>,
    /// How often each kind of correction was made since the last release.
    counts: BTreeMap<String, u32>,
    words: BTreeSet<ReleaseWord>,
    known: VecDeque<String>,
}

impl Scope {
    /// Folds what a fact says of the scope.
    pub fn fold(&mut self, fact: &Fact, what: &ScopeFact) {
        let before = self.phase;
        match what {
            ScopeFact::Corrected {
                words,
                of,
                class,
                quote,
            } => {
                if self.knows(words) {
                    return;
                }
                let correction = Correction {
                    words: words.clone(),
                    of: of.clone(),
                    quote: quote.clone(),
                };
                self.correct(correction, class);
            }
            ScopeFact::Contracted { contract, by, turn } => {
                // Only the person lifts a stop, and only they may say it without having been asked.
                if *by == By::Agent && self.phase != ScopePhase::ContractRequired {
                    return;
                }
                if *by != By::Agent {
                    self.clear();
                }
                self.phase = ScopePhase::Locked;
                self.contract = Some(Contract {
                    text: contract.clone(),
                    by: *by,
                    turn: *turn,
                    kept: false,
                });
            }
            ScopeFact::Word { word } => {
                if self.phase != ScopePhase::HardStop {
                    return;
                }
                self.words.insert(*word);
                if self.missing().is_empty() {
                    self.clear();
                    self.phase = ScopePhase::ReflectionAcknowledged;
                }
            }
            ScopeFact::Released { .. } => self.clear(),
            ScopeFact::Kept => {
                if let Some(contract) = &mut self.contract {
                    contract.kept = true;
                    self.counts.clear();
                }
            }
        }
        self.anchor.clone_from(&fact.anchor);
        if self.phase != before || self.since.is_none() {
            self.since = Some(fact.at);
        }
    }

    fn correct(&mut self, correction: Correction, class: &str) {
        if self.known.len() == MAX_KNOWN {
            self.known.pop_front();
        }
        self.known.push_back(correction.words.clone());
        let count = self.counts.entry(class.to_owned()).or_default();
        *count += 1;
        if *count >= STOP_AT {
            self.phase = ScopePhase::HardStop;
        } else if self.phase != ScopePhase::HardStop {
            self.phase = ScopePhase::ContractRequired;
        }
        self.correction = Some(correction);
        self.contract = None;
    }

    /// Nothing holds any more. Which corrections were counted stays known: the same words may come again.
    fn clear(&mut self) {
        *self = Self {
            known: std::mem::take(&mut self.known),
            since: self.since,
            ..Self::default()
        };
    }

    /// Where it stands.
    pub fn phase(&self) -> ScopePhase {
        self.phase
    }

    /// True when calls are held up.
    pub fn holds(&self) -> bool {
        matches!(self.phase, ScopePhase::ContractRequired | ScopePhase::HardStop)
    }

    /// True when those words were counted as a correction.
    pub fn knows(&self, words: &str) -> bool {
        self.known.iter().any(|known| known == words)
    }

    /// The correction that the lock rests on; none when the person set the contract, or there is no lock.
    pub fn correction(&self) -> Option<&Correction> {
        self.correction.as_ref()
    }

    /// The contract in force.
    pub fn contract(&self) -> Option<&Contract> {
        self.contract.as_ref()
    }

    /// The words that are still to come before a stop of everything is lifted.
    pub fn missing(&self) -> Vec<ReleaseWord> {
        let missing = ReleaseWord::ALL.into_iter();
        missing.filter(|word| !self.words.contains(word)).collect()
    }

    /// When it came to stand as it does, in milliseconds since 1970; none when nothing ever happened to it.
    pub fn since(&self) -> Option<u64> {
        self.since
    }

    /// The row that what happened last hangs on: what is said of the lock from outside hangs there too.
    pub fn anchor(&self) -> Option<&str> {
        self.anchor.as_deref()
    }

    /// The scope as others see it.
    pub fn shown(&self) -> query::Scope {
        query::Scope {
            phase: self.phase,
            contract: self.contract.as_ref().map(|contract| contract.text.clone()),
            since: self.since.filter(|_| self.phase != ScopePhase::None),
            correction: self.correction.as_ref().map(|correction| correction.quote.clone()),
        }
    }
}
