//! From the clauses of a reply's own sentences to statements that a check passes.
//! The words and phrases they are made of stay out, and so does what a failure is.

use super::blocks::{Block, Kind as BlockKind, blocks};
use super::clauses::{AND, BEGINNING, Clause, LABELS, clauses};
use super::guards::{is_plain, is_sum, takes_back, tells_of_failure};
use super::lexicon::{BARE_WHOLES, BLOCKERS, BLOCKING_HEADS, BOUND_LEAD_INS, KINDS, LEAD_INS, RAN, VERIFIES, words};
use super::phrase::{LONGEST, Points, Subject, command, command_names, subject};
use super::state::{State, may_be_said_in, may_say, none_of, state};
use super::tokens::{Kind, Sentence, Token, sentences};
use super::{About, PassClaim};

/// Words before a subject that are looked through.
const LEAD_IN_WORDS: usize = 8;
/// Checks that one statement may join.
const JOINED: usize = 12;
words! {
    /// What is built, when the verb says so.
    BUILT = "the it this everything whole entire full code codebase project crate workspace app application library package \
        site binary server client frontend backend repo now still";
}
words! {
    /// The words of a line that says of the list below it that it was run and is fine.
    VERIFIED = "verification validation verified validated checks passed passes pass tests i we also with using by locally \
        successfully the following these all commands via running";
}

/// The statements of a text that checks pass.
pub(super) fn claims(text: &str) -> Vec<PassClaim> {
    let blocks = blocks(text);
    let claiming: Vec<bool> = blocks.iter().map(may_claim_in).collect();
    // What stands above a block that may claim something is read too, and what stands above that.
    let mut heads = vec![false; blocks.len()];
    for (at, block) in blocks.iter().enumerate().rev() {
        if claiming[at] || heads[at] {
            above(block)
                .filter(|head| *head < at)
                .for_each(|head| heads[head] = true);
        }
    }
    let said: Vec<Vec<Sentence>> = blocks
        .iter()
        .zip(claiming.iter().zip(&heads))
        .map(|(block, (claiming, head))| {
            if *claiming || *head {
                sentences(block, true)
            } else {
                Vec::new()
            }
        })
        .collect();
    let mut found = Vec::new();
    // Whether what stands under a block, as its list or its section, is a plan or another time.
    let mut heads_plans: Vec<bool> = Vec::with_capacity(blocks.len());
    for (at, (block, own)) in blocks.iter().zip(&said).enumerate() {
        let planned = above(block).any(|head| heads_plans.get(head).copied().unwrap_or(false));
        heads_plans.push(heads[at] && (planned || heads_plan(block, own)));
        if !claiming[at] || planned || block.open_task || block.kind == BlockKind::Html {
            continue;
        }
        let lead = block.lead.and_then(|lead| said.get(lead)?.last());
        for (at, sentence) in own.iter().enumerate() {
            let taken_back = || own.get(at + 1).is_some_and(takes_back);
            if may_claim(sentence) && !taken_back() {
                found.extend(of_sentence(block, sentence, lead));
            }
        }
    }
    found
}

/// The blocks under which a block stands.
fn above(block: &Block) -> impl Iterator<Item = usize> {
    block.headings.iter().chain(&block.lead).copied()
}

/// Whether a block says of what stands under it that it is a plan or another time.
fn heads_plan(block: &Block, own: &[Sentence]) -> bool {
    let mut tokens = own.iter().flat_map(|sentence| &sentence.tokens);
    tokens.any(|token| token.is(&BLOCKERS) || token.is(&BLOCKING_HEADS))
        || (block.kind == BlockKind::Heading && own.iter().any(|sentence| sentence.question))
}

/// False for a block in which no sentence may claim anything. It is not cut into words for that.
fn may_claim_in(block: &Block) -> bool {
    (block.lead.is_some() && !block.codes.is_empty()) || may_be_said_in(&block.text)
}

/// False for a sentence in which nothing is said of a check, whatever stands around it.
fn may_claim(sentence: &Sentence) -> bool {
    let listed = matches!(&sentence.tokens[..], [only] if only.kind == Kind::Code);
    listed || sentence.tokens.iter().any(|token| may_say(token) || token.is(VERIFIES))
}

fn of_sentence(block: &Block, sentence: &Sentence, lead: Option<&Sentence>) -> Vec<PassClaim> {
    let marked = sentence.tokens.iter().any(|token| token.kind == Kind::Pass);
    if sentence.question || sentence.cut || (block.kind == BlockKind::Heading && !marked) || tells_of_failure(sentence)
    {
        return Vec::new();
    }
    let reading = Reading {
        tokens: &sentence.tokens,
        clauses: clauses(&sentence.tokens),
        lead,
    };
    let mut made = reading.statements();
    if made.is_empty() {
        made = reading.verified();
    }
    if made.is_empty() {
        return Vec::new();
    }
    let tests = made
        .iter()
        .filter(|statement| statement.subject.about == About::Tests)
        .count();
    let count = reading.lone_count().filter(|_| tests == 1);
    let none_failed = none_failed(&sentence.tokens);
    made.into_iter()
        .map(|Statement { subject, passed, .. }| {
            let counts = matches!(subject.about, About::Tests | About::Everything);
            let alone = if subject.about == About::Tests { count } else { None };
            let mut names = subject.names;
            names.dedup();
            PassClaim {
                sentence: sentence.text.clone(),
                about: subject.about,
                all: subject.all,
                names,
                passed: passed
                    .or(subject.count)
                    .or(alone)
                    .filter(|passed| counts && !is_sum(*passed, &sentence.tokens)),
                failed: (counts && none_failed).then_some(0),
            }
        })
        .collect()
}

fn none_failed(tokens: &[Token]) -> bool {
    (0..tokens.len()).any(|at| none_of(&tokens[at..]).is_some_and(|(_, failures)| failures))
}

struct Reading<'a> {
    tokens: &'a [Token],
    clauses: Vec<Clause>,
    lead: Option<&'a Sentence>,
}

struct Statement {
    subject: Subject,
    passed: Option<u64>,
}

impl Reading<'_> {
    fn words(&self, clause: usize) -> &[Token] {
        &self.tokens[self.clauses[clause].range.clone()]
    }

    fn statements(&self) -> Vec<Statement> {
        let mut made: Vec<Statement> = Vec::new();
        // The clauses that made a statement, and the first one that each belongs to.
        let mut claimed: Vec<Option<usize>> = vec![None; self.clauses.len()];
        for at in 0..self.clauses.len() {
            let Some((said, state)) = split(self.words(at)) else {
                continue;
            };
            let passed = state.passed.or(said.as_ref().and_then(|said| said.count));
            let continued = at.checked_sub(1).and_then(|before| claimed[before]);
            let named = said
                .as_ref()
                .is_some_and(|said| matches!(said.points, Points::Itself | Points::Everything));
            if let (Some(first), false) = (continued, named) {
                // "42 passed, 0 failed", "`cargo test`: clean, 42 passed" go on with the same check.
                claimed[at] = Some(first);
                if let Some(last) = made.last_mut().filter(|last| last.subject.about != About::Lint) {
                    last.passed = last.passed.or(passed);
                }
                continue;
            }
            let (subjects, first) = match said {
                Some(said) if named => self.labelled(at, said),
                said => match self.pointed_at(at, said.as_ref(), state) {
                    Some(pointed) => pointed,
                    None => continue,
                },
            };
            if !is_plain(self.tokens, &self.clauses, first, at, continued.is_some()) {
                continue;
            }
            claimed[at] = Some(first);
            let lone = subjects.len() == 1;
            made.extend(subjects.into_iter().map(|subject| Statement {
                passed: passed.filter(|_| lone),
                subject,
            }));
        }
        made
    }

    /// A subject with its label, as in "`cargo test`: 42 tests pass", and with the command in what follows the verb.
    fn labelled(&self, at: usize, mut said: Subject) -> (Vec<Subject>, usize) {
        let about = |code: &Subject| {
            said.points == Points::Everything || code.about == said.about || said.about == About::Everything
        };
        let label = at
            .checked_sub(1)
            .filter(|_| LABELS.contains(&self.clauses[at].before))
            .and_then(|label| named(self.words(label)));
        let label = label.filter(about);
        let via: Vec<Subject> = self
            .words(at)
            .iter()
            .rev()
            .take(2)
            .filter_map(code_subject)
            .filter(about)
            .collect();
        let first = if label.is_some() { at - 1 } else { at };
        for more in label.iter().chain(&via) {
            let command = more
                .names
                .iter()
                .any(|name| name.contains(' ') && !said.names.contains(name));
            said.all &= !command;
            let new: Vec<String> = more
                .names
                .iter()
                .filter(|name| !said.names.contains(name))
                .cloned()
                .collect();
            said.names.extend(new);
        }
        if first < at {
            (vec![said], first)
        } else {
            self.joined(at, said)
        }
    }

    /// The checks that "lint, typecheck and tests pass" joins, and the clause of the first.
    fn joined(&self, at: usize, last: Subject) -> (Vec<Subject>, usize) {
        let mut subjects = vec![last];
        let mut first = at;
        while first > 0 && subjects.len() < JOINED && matches!(self.clauses[first].before, AND | ',') {
            let before = self.words(first - 1);
            // "I ran the suite and all tests pass" says one thing, not two.
            if before
                .iter()
                .any(|token| token.is(&RAN) && !before.iter().any(|token| token.text == "that"))
            {
                break;
            }
            if let Some(subject) = named(before).filter(|subject| subject.plain) {
                subjects.push(subject);
            } else if let Some(kinds) = kinds(before) {
                if let Some(last) = subjects.first_mut() {
                    last.all = false;
                    last.names.extend(kinds);
                }
            } else {
                break;
            }
            first -= 1;
        }
        subjects.reverse();
        (subjects, first)
    }

    /// The check of which a clause speaks that names none: it stands before it as a label, was named in the sentence, or
    /// in the line that introduces the list.
    fn pointed_at(&self, at: usize, said: Option<&Subject>, state: State) -> Option<(Vec<Subject>, usize)> {
        let clause = &self.clauses[at];
        if at > 0 && LABELS.contains(&clause.before) {
            if let Some(label) = named(self.words(at - 1)) {
                return Some(self.joined(at - 1, label));
            }
            let row = clause.before == '|' && self.clauses[1..=at].iter().all(|clause| clause.before == '|');
            if let Some(label) = row.then(|| named(self.words(0))).flatten() {
                return Some((vec![label], 0));
            }
        }
        let Some(said) = said else {
            let alone = state.builds && clause.before == BEGINNING;
            return alone.then(|| (vec![building(&[])], at));
        };
        let before = &self.tokens[..clause.range.start];
        let codes: Vec<Subject> = before.iter().filter_map(code_subject).take(JOINED).collect();
        if !codes.is_empty() {
            return Some((codes, at));
        }
        if let Some(named) = (0..at).rev().find_map(|earlier| named(self.words(earlier))) {
            return Some((vec![named], at));
        }
        let lead = self.lead.map(|lead| &lead.tokens[..]).unwrap_or_default();
        let mut subjects: Vec<Subject> = lead.iter().filter_map(code_subject).take(JOINED).collect();
        let heads = clauses(lead).into_iter();
        subjects.extend(heads.filter_map(|clause| named(&lead[clause.range])).take(1));
        if !subjects.is_empty() {
            subjects.truncate(1);
            return Some((subjects, at));
        }
        if said.points != Points::Loosely || state.clean || state.label_only {
            return None;
        }
        let mut subject = said.clone();
        if subject.count.is_some() {
            subject.about = About::Tests;
        }
        Some((vec![subject], at))
    }

    /// "Verified with `npm run build`", and a command in a list of which the line before says that it was verified.
    fn verified(&self) -> Vec<Statement> {
        let listed = self.lead.is_some_and(|lead| {
            let tells = |token: &Token| token.is(&["verified", "validated", "passed", "passes", "pass"]);
            let plain = |token: &Token| token.is(&VERIFIED) || token.is_stop(&[':']);
            let titled =
                |tokens: &[Token]| matches!(tokens, [title, stop] if title.is(BARE_WHOLES) && stop.is_stop(&[':']));
            titled(&lead.tokens) || (lead.tokens.iter().any(tells) && lead.tokens.iter().all(plain))
        });
        let subjects: Vec<Subject> = match (listed, self.tokens) {
            (true, [code]) => code_subject(code).into_iter().collect(),
            (false, [verb, how, rest @ ..]) if verb.is(VERIFIES) && how.is(&["with", "via", "using", "by"]) => {
                let rest = rest.iter().skip_while(|token| token.is(&["running"]));
                let codes = rest.take_while(|token| {
                    matches!(token.kind, Kind::Code) || token.is(&["and"]) || token.is_stop(&[','])
                });
                codes.filter_map(code_subject).take(JOINED).collect()
            }
            _ => Vec::new(),
        };
        subjects
            .into_iter()
            .filter(|_| is_plain(self.tokens, &self.clauses, 0, 0, false))
            .map(|subject| Statement { subject, passed: None })
            .collect()
    }

    /// The number in the one clause that only counts tests: "(58 tests)".
    fn lone_count(&self) -> Option<u64> {
        let mut counts = (0..self.clauses.len()).filter_map(|at| {
            let subject = subject(self.words(at))?;
            subject.count.filter(|_| subject.points == Points::Itself)
        });
        counts.next().filter(|_| counts.next().is_none())
    }
}

/// The subject, if it has one, and the state of a clause that says that something passes.
fn split(words: &[Token]) -> Option<(Option<Subject>, State)> {
    let said_from = |at: usize| Some((at, state(&words[at..])?));
    let states: Vec<(usize, State)> = match words.iter().any(may_say) {
        true => (0..words.len()).filter_map(said_from).collect(),
        false => return None,
    };
    let lead_in = lead_in(words);
    for start in 0..=lead_in {
        let behind = states
            .iter()
            .filter(|(end, _)| (start + 1..=start + LONGEST).contains(end));
        for &(end, state) in behind {
            let said = &words[start..end];
            if state.builds && said.iter().all(|token| token.is(&BUILT)) {
                return Some((Some(building(said)), state));
            }
            if let Some(subject) = subject(said) {
                let vague = state.clean && subject.points == Points::Everything;
                let counted =
                    subject.points == Points::Loosely && (state.label_only || state.clean) && subject.count.is_some();
                if !vague && !counted {
                    return Some((Some(subject), state));
                }
            }
        }
    }
    let alone = states.iter().find(|(start, _)| *start <= lead_in);
    alone.map(|(_, state)| (None, *state))
}

/// How many words at the beginning say nothing of their own.
fn lead_in(words: &[Token]) -> usize {
    let fits = |at: usize| {
        let token = &words[at];
        let bound = BOUND_LEAD_INS.iter().find(|(word, _)| *word == token.text);
        token.is(&LEAD_INS) && bound.is_none_or(|(_, before)| at > 0 && words[at - 1].is(*before))
    };
    (0..words.len().min(LEAD_IN_WORDS)).take_while(|at| fits(*at)).count()
}

/// The check that a clause names, when it does nothing else: "the suite", "I re-ran `cargo test`".
fn named(words: &[Token]) -> Option<Subject> {
    let lead_in = lead_in(words);
    (0..=lead_in.min(words.len())).find_map(|start| {
        let said = subject(&words[start..]).filter(|said| said.points == Points::Itself)?;
        let ran = start == 0
            || words[..start].iter().any(|token| token.is(&RAN))
            || !words[..start].iter().any(|token| token.is(&["i", "we"]));
        ran.then_some(said)
    })
}

/// "Unit" in "unit and integration tests".
fn kinds(words: &[Token]) -> Option<Vec<String>> {
    let mut rest = words
        .iter()
        .skip_while(|token| token.is(&["all", "the", "both"]))
        .peekable();
    rest.peek()?;
    rest.map(|token| token.is(&KINDS).then(|| token.text.clone())).collect()
}

fn code_subject(token: &Token) -> Option<Subject> {
    let about = command(&token.text).filter(|_| token.kind == Kind::Code)?;
    Some(Subject {
        about,
        all: false,
        names: command_names(&token.text),
        count: None,
        points: Points::Itself,
        plain: true,
    })
}

fn building(said: &[Token]) -> Subject {
    let filler = ["the", "it", "this", "whole", "entire", "full", "now", "still"];
    Subject {
        about: About::Build,
        all: said
            .iter()
            .any(|token| token.is(&["everything", "whole", "entire", "workspace"])),
        names: std::iter::once("build".to_owned())
            .chain(
                said.iter()
                    .filter(|token| !token.is(&filler))
                    .map(|token| token.text.clone()),
            )
            .collect(),
        count: None,
        points: Points::Itself,
        plain: true,
    }
}
