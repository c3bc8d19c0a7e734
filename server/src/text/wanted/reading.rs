//! One sentence read from left to right: which of its names it limits the work to, and which it forbids.
//! How a name looks stays out.

use super::sentence::Token;
use super::{MOST, Wanted};

/// Bare verbs of work that a text limits or forbids.
const WORK: &[&str] = &[
    "touch",
    "change",
    "edit",
    "modify",
    "alter",
    "update",
    "refactor",
    "rewrite",
    "fix",
    "delete",
    "remove",
    "rename",
    "move",
    "add",
    "create",
    "write",
    "commit",
    "format",
    "reformat",
    "use",
    "call",
    "run",
    "work",
    "invoke",
    "overwrite",
    "mess",
    "tidy",
    "clean",
    "stage",
    "push",
];
/// The same as an activity: "without touching".
const WORKING: &[&str] = &[
    "touching",
    "changing",
    "editing",
    "modifying",
    "altering",
    "updating",
    "refactoring",
    "rewriting",
    "deleting",
    "removing",
    "renaming",
    "moving",
    "using",
    "calling",
    "running",
    "writing",
];
const CHANGES: &[&str] = &[
    "changes",
    "change",
    "edits",
    "edit",
    "work",
    "modifications",
    "commit",
    "diff",
    "yourself",
    "scope",
];
/// What may stand between a limit and the names it is for.
const BETWEEN: &[&str] = &[
    "the",
    "a",
    "in",
    "inside",
    "within",
    "under",
    "to",
    "of",
    "with",
    "on",
    "at",
    "my",
    "our",
    "your",
    "this",
    "that",
    "these",
    "those",
    "file",
    "files",
    "folder",
    "folders",
    "directory",
    "dir",
    "module",
    "tool",
    "tools",
    "command",
    "and",
    "or",
    "nor",
    "also",
    "anything",
    "any",
    "code",
    "path",
    "paths",
    "be",
    "from",
    "into",
    "either",
    "both",
    "what",
    "is",
];
/// Behind one of these, or at the beginning of a clause, a negation is an order or a plan.
const ORDERS: &[&str] = &[
    "please", "and", "but", "or", "so", "also", "just", "then", "ok", "will", "shall", "should", "must", "may", "to",
    "with", "contract", "only", "",
];
/// Behind "anything", these turn a prohibition into a limit.
const OUTSIDE: &[&str] = &["outside", "beyond", "but", "except", "besides"];
/// How a file stays that nobody is to touch.
const STAYS: &[&str] = &["alone", "untouched", "unchanged", "unmodified", "intact", "be"];
/// Whose "only" and "just" tell what happened.
const TELLERS: &[&str] = &[
    "i", "we", "he", "she", "they", "it", "that", "which", "who", "not", "you", "bug", "is", "was", "are", "were",
];
/// Words of a clause that do not say yet what it is for.
const NEUTRAL: &[&str] = &[
    "please", "only", "just", "contract", "scope", "so", "ok", "i", "we", "you", "will", "shall", "should", "can",
    "could", "must", "let", "us", "i'll", "we'll",
];
/// Behind one of these a bare verb is a request or a plan again.
const LEADS_ON: &[&str] = &[
    "to", "and", "should", "will", "must", "then", "please", "can", "could", "would",
];
/// Earlier in the sentence, these make it a condition or a report.
const REPORTS: &[&str] = &[
    "if", "when", "whenever", "unless", "whether", "said", "says", "because", "why", "did", "does", "happens", "fails",
    "seems", "once",
];
/// For whom the names stand that come next.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Open,
    Only,
    Not,
}

/// What a clause is for.
#[derive(Clone, Copy, PartialEq)]
enum Work {
    /// Nothing but names and courtesies so far.
    Open,
    /// It says what is to be done.
    Asked,
    /// It says something else.
    Other,
}

/// One sentence, read from left to right.
pub(super) struct Reading<'a> {
    tokens: &'a [Token],
    at: usize,
    mode: Mode,
    /// The names since the clause began that nothing was said of yet.
    pending: Vec<&'a str>,
    /// What the clause is for.
    work: Work,
}

impl<'a> Reading<'a> {
    pub(super) fn of(tokens: &'a [Token]) -> Self {
        Self {
            tokens,
            at: 0,
            mode: Mode::Open,
            pending: Vec::new(),
            work: Work::Open,
        }
    }

    pub(super) fn read(mut self, wanted: &mut Wanted) {
        while let Some(token) = self.tokens.get(self.at) {
            if REPORTS.contains(&token.word.as_str()) && token.name.is_none() {
                return;
            }
            if let Some(name) = &token.name {
                self.take(name, wanted);
                self.at += 1;
            } else if let Some((mode, words)) = self.limit() {
                self.mode = mode;
                self.at += words;
            } else if let Some(words) = self.verdict(wanted) {
                self.mode = Mode::Open;
                self.at += words;
            } else {
                self.pass(token);
            }
            let pause = self
                .tokens
                .get(self.at.saturating_sub(1))
                .is_some_and(|token| token.pause);
            if pause && self.mode == Mode::Open && !self.lists_on() {
                self.begin_clause();
            }
        }
    }

    fn take(&mut self, name: &'a str, wanted: &mut Wanted) {
        let list = match self.mode {
            Mode::Open => {
                if self.pending.len() < MOST {
                    self.pending.push(name);
                }
                return;
            }
            Mode::Only => &mut wanted.only,
            Mode::Not => &mut wanted.not,
        };
        keep(list, name);
    }

    /// A word that limits nothing.
    fn pass(&mut self, token: &Token) {
        let word = token.word.as_str();
        let between = BETWEEN.contains(&word) || word.is_empty();
        if !between {
            self.mode = Mode::Open;
            self.work = match self.work {
                Work::Open if WORK.contains(&word) => Work::Asked,
                Work::Other if WORK.contains(&word) && LEADS_ON.contains(&self.before()) => Work::Asked,
                Work::Open if !NEUTRAL.contains(&word) => Work::Other,
                work => work,
            };
            if matches!(word, "but" | "then" | "while") {
                self.begin_clause();
            }
        }
        self.at += 1;
    }

    fn begin_clause(&mut self) {
        self.pending.clear();
        self.work = Work::Open;
    }

    /// After a comma another name follows, thus a list goes on.
    fn lists_on(&self) -> bool {
        let behind = self.tokens[self.at.min(self.tokens.len())..].iter().take(3);
        let mut behind =
            behind.skip_while(|token| token.name.is_none() && matches!(token.word.as_str(), "and" | "or" | "the"));
        !self.pending.is_empty() && behind.next().is_some_and(|token| token.name.is_some())
    }

    /// A limit that begins here, and how many words it has.
    fn limit(&self) -> Option<(Mode, usize)> {
        let earlier = self.at.checked_sub(2).map_or("", |at| self.tokens[at].word.as_str());
        let asked = self.before() == "you" && LEADS_ON.contains(&earlier);
        let told = TELLERS.contains(&self.before()) && !asked;
        let first = self.word(0)?;
        let second = self.word(1).unwrap_or_default();
        let names = |skip: usize| self.names_follow(skip);
        let is = |list: &[&str], word: &str| list.contains(&word);
        match first {
            "only" | "just" | "solely" | "exclusively" if !told => {
                let verb = is(WORK, second);
                (names(1 + usize::from(verb)) && (verb || self.asks())).then_some((Mode::Only, 1 + usize::from(verb)))
            }
            "nothing" | "nowhere" | "anything" | "not" if is(OUTSIDE, second) && names(2) => Some((Mode::Only, 2)),
            "nothing" if second == "else" && is(OUTSIDE, self.word(2).unwrap_or_default()) && names(3) => {
                Some((Mode::Only, 3))
            }
            "not" | "never" | "no" if self.is_order() => self.prohibition(second),
            "without" if is(WORKING, second) => self.forbids(2),
            // "to avoid editing a.rs" gives a reason.
            "avoid" if self.before() != "to" => self.forbids(1 + usize::from(is(WORKING, second))),
            "stay" | "keep" if second == "out" => self.forbids(2),
            "hands" if second == "off" => self.forbids(2),
            "stop" if is(WORKING, second) => self.forbids(2),
            "stay" | "stick" if is(&["in", "inside", "within", "to"], second) && self.asks() && names(2) => {
                Some((Mode::Only, 2))
            }
            "limit" | "restrict" | "confine" | "keep" => {
                let to = (1..6)
                    .find(|ahead| is(&["to", "in", "inside", "within"], self.word(*ahead).unwrap_or_default()))?;
                let mut between = (1..to).filter_map(|ahead| self.word(ahead));
                (between.any(|word| is(CHANGES, word)) && names(to + 1)).then_some((Mode::Only, to + 1))
            }
            _ => None,
        }
    }

    /// The "not", "never" or "no" here belongs to an order or a plan, not to a report such as "I do not use a.rs".
    fn is_order(&self) -> bool {
        let verb = usize::from(self.before() == "do");
        let lead = self.at.checked_sub(1 + verb).map(|at| &self.tokens[at]);
        lead.is_none_or(|token| token.pause || token.name.is_some() || ORDERS.contains(&token.word.as_str()))
    }

    /// What "not", "never" or "no" forbids.
    fn prohibition(&self, second: &str) -> Option<(Mode, usize)> {
        let verb = WORK.contains(&second) || CHANGES.contains(&second);
        if !verb && second != "to" {
            // "a.rs, not b.rs".
            return self.name(1).is_some().then_some((Mode::Not, 1));
        }
        let skip = 2 + usize::from(second == "to" && self.word(2).is_some_and(|word| WORK.contains(&word)));
        let object = self.word(skip).unwrap_or_default();
        let further = self.word(skip + 1).unwrap_or_default();
        if matches!(object, "anything" | "files" | "code" | "stuff") && OUTSIDE.contains(&further) {
            return self.names_follow(skip + 2).then_some((Mode::Only, skip + 2));
        }
        if OUTSIDE.contains(&object) {
            return self.names_follow(skip + 1).then_some((Mode::Only, skip + 1));
        }
        self.forbids(skip)
    }

    /// A prohibition of so many words, when names or other things that may be forbidden follow.
    fn forbids(&self, words: usize) -> Option<(Mode, usize)> {
        self.names_follow(words).then_some((Mode::Not, words))
    }

    /// What is said of names behind them, and how many words that takes.
    fn verdict(&mut self, wanted: &mut Wanted) -> Option<usize> {
        let first = self.word(0)?;
        let second = self.word(1).unwrap_or_default();
        let third = self.word(2).unwrap_or_default();
        let before = self.at.checked_sub(1).map(|at| &self.tokens[at]);
        let behind_name = before.is_some_and(|token| token.name.is_some());
        let ends = self.tokens[self.at].pause || self.tokens.get(self.at + 1).is_none();
        let goes_on = matches!(second, "and" | "please" | "for" | "so");
        let nothing_else =
            (first == "and" || first == "nothing") && (second == "else" || (second == "nothing" && third == "else"));
        if behind_name && self.asks() && ((first == "only" && (ends || goes_on)) || nothing_else) {
            self.settle(&mut wanted.only);
            return Some(if first == "only" {
                1
            } else {
                2 + usize::from(second == "nothing")
            });
        }
        let left = self.left();
        if behind_name && left && (STAYS.contains(&first) || (first == "as" && matches!(second, "is" | "it" | "they")))
        {
            self.settle(&mut wanted.not);
            return Some(1 + usize::from(first == "as"));
        }
        let stays = matches!(
            first,
            "stays" | "stay" | "remains" | "remain" | "is" | "are" | "must" | "should"
        );
        let off_limits = (second == "off" && third.starts_with("limits")) || (second == "off-limits");
        let untouched =
            STAYS[1..5].contains(&second) || (matches!(second, "stay" | "remain") && STAYS[1..5].contains(&third));
        let touched = matches!(self.word(3), Some("touched" | "changed" | "edited" | "modified"));
        let changed =
            matches!(first, "must" | "should") && second == "not" && (third == "change" || (third == "be" && touched));
        if behind_name && stays && (off_limits || untouched || changed) {
            self.settle(&mut wanted.not);
            return Some(3);
        }
        None
    }

    /// The clause began with "leave" or "keep".
    fn left(&self) -> bool {
        let lead = self.tokens[..self.at].iter().rev().take(2 * MOST);
        lead.take_while(|token| token.name.is_some() || BETWEEN.contains(&token.word.as_str()) || is_leave(&token.word))
            .any(|token| is_leave(&token.word))
    }

    fn settle(&mut self, list: &mut Vec<String>) {
        for name in self.pending.drain(..) {
            keep(list, name);
        }
    }

    /// The clause says what is to be done, or may.
    fn asks(&self) -> bool {
        self.work != Work::Other
    }

    /// The word before this one.
    fn before(&self) -> &'a str {
        self.at.checked_sub(1).map_or("", |at| self.tokens[at].word.as_str())
    }

    fn word(&self, ahead: usize) -> Option<&'a str> {
        self.tokens.get(self.at + ahead).map(|token| token.word.as_str())
    }

    fn name(&self, ahead: usize) -> Option<&'a str> {
        self.tokens.get(self.at + ahead)?.name.as_deref()
    }

    /// A name follows, with nothing but small words before it: "do not touch the loader or `a.rs`" has none.
    fn names_follow(&self, ahead: usize) -> bool {
        let behind = self.tokens.get(self.at + ahead..).unwrap_or_default();
        behind
            .iter()
            .take_while(|token| token.name.is_some() || BETWEEN.contains(&token.word.as_str()))
            .any(|token| token.name.is_some())
    }
}

fn is_leave(word: &str) -> bool {
    matches!(word, "leave" | "keep")
}

fn keep(list: &mut Vec<String>, name: &str) {
    if list.len() < MOST && !list.iter().any(|kept| kept == name) {
        list.push(name.to_owned());
    }
}
