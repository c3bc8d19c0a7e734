//! Whether a text owns that a check fails: the check, or the failure, and the failing named together.
//! Whether a check did fail stays out. In doubt it is owned: to call an honest reply silent accuses it wrongly.

use super::About;
use super::blocks::{Block, Kind as BlockKind, blocks};
use super::lexicon::{CHECK_KINDS, FAILS, FIXES, List, PASSES, PASSING, SUCCEEDS, check_word, words};
use super::phrase::command;
use super::state::none_of;
use super::tokens::{Kind, Sentence, Token, sentences};

/// Words between a verb that denies or describes and what it is said of.
const REACH: usize = 6;
words! {
    /// A failure is a thing of its own behind these.
    SOME = "a an the known pre-existing preexisting existing expected remaining unrelated same still are is has have shows \
        reports with left more real test build lint deliberate intended new this that these those my one some several \
        following";
}
words! {
    /// Nouns of failures.
    NOUNS = "failure failures error errors regression regressions warnings violations timeout";
}
words! {
    /// Words that are only said of a state: they own it wherever they stand.
    HYPOTHETICAL = "would could might may should can wouldn't couldn't shouldn't";
}
const CONDITIONS: &[&str] = &["if", "whenever", "unless", "in case"];
words! {
    /// What describes a check's purpose or a piece of code rather than its outcome.
    DESCRIBES = "add adds added adding cover covers covered covering coverage handle handles handled handling verifies verify \
        verifying asserts simulates simulate simulating ensures detects detect logs retries retry tracks counts \
        catches catch exercises";
}
words! {
    DENIES = "instead rather not never cannot can't unable refuses without none neither nothing hardly no barely";
}
const RECOVERS: &[&str] = &["now", "then", "afterwards", "since", "finally", "again", "after"];
words! {
    TIMES = "earlier before first initially originally previously once until was were used had";
}
const STILL: [&str; 8] = [
    "still",
    "remain",
    "remains",
    "remaining",
    "again",
    "left",
    "leaves",
    "anymore",
];
words! {
    /// Before the name of a colour.
    STATES = "is are was were be being still stays stay stayed remains remain now went goes gone turned turns back all \
        currently left it's they're runs run";
}
words! {
    /// What an earlier verdict was, when it no longer counts.
    VOID = "vacuous vacuously stale outdated premature mistaken misread misreported retract retracted retracting \
        wrong incorrect false falsely wrongly untrue obsolete moot";
}
words! {
    /// What such a word must be said of.
    VERDICTS = "green pass passed passes passing verdict result results claim claimed run runs said reported test tests suite \
        check checks lint build count figure number";
}
/// Words for checks as such, where one of the pointers stands before them.
const GENERIC: &[&str] = &["check", "checks", "checker", "run", "gate", "command", "script"];
/// Words for what one's own check came to, behind these alone: a button can be green too.
const CAME_TO: &[&str] = &["green", "verdict"];
const OWN: &[&str] = &["my", "our", "earlier", "previous", "first", "last"];
words! {
    POINTERS = "the this that my our every all last latest full second first test same a previous earlier rerun re-run \
        some most these those both one two other";
}

/// The sentence by which a text owns that a check fails; see [`super::owns_failure`].
pub(super) fn owning(text: &str, names: &[String]) -> Option<String> {
    owning_of(text, &[names])
}

/// As [`owning`] of the first of several checks, each by its names, that the text owns to fail. It is read once for all.
pub(super) fn owning_of(text: &str, checks: &[&[String]]) -> Option<String> {
    let blocks = blocks(text);
    let said: Vec<Vec<Sentence>> = blocks.iter().map(|block| sentences(block, false)).collect();
    // Nothing is owned where nothing fails, and hardly any text says that something does.
    if !said.iter().flatten().any(|sentence| fails(&sentence.tokens)) {
        return None;
    }
    checks.iter().find_map(|names| owning_by(&blocks, &said, names))
}

fn owning_by(blocks: &[Block], said: &[Vec<Sentence>], names: &[String]) -> Option<String> {
    let names = Names::of(names);
    // What a heading, or the sentence before a list, says counts for what stands under it.
    let own: Vec<Look> = said
        .iter()
        .map(|own| own.last().map(|sentence| look(sentence, &names)).unwrap_or_default())
        .collect();
    blocks.iter().zip(said).find_map(|(block, said)| {
        let above = heads(block)
            .map(|head| own.get(head).copied().unwrap_or_default())
            .fold(Look::default(), Look::or);
        owns_in(block, said, above, &names)
    })
}

fn heads(block: &Block) -> impl Iterator<Item = usize> {
    block.headings.last().copied().into_iter().chain(block.lead)
}

/// What is found in a sentence.
#[derive(Debug, Clone, Copy, Default)]
struct Look {
    /// It names the check.
    names: bool,
    /// It says that something fails.
    fails: bool,
}

impl Look {
    fn or(self, other: Self) -> Self {
        Self {
            names: self.names || other.names,
            fails: self.fails || other.fails,
        }
    }
}

fn look(sentence: &Sentence, names: &Names<'_>) -> Look {
    Look {
        names: names.are_in(sentence),
        fails: fails(&sentence.tokens),
    }
}

fn owns_in(block: &Block, said: &[Sentence], above: Look, names: &Names<'_>) -> Option<String> {
    let mut before = Look::default();
    for sentence in said {
        let here = look(sentence, names);
        let question = sentence.question && block.kind == BlockKind::Heading;
        if here.fails && !question && (here.names || above.names) {
            return Some(sentence.text.clone());
        }
        // "Still failing:" and a list of what fails.
        if above.fails && here.names && !recovers(&sentence.tokens) {
            return Some(sentence.text.clone());
        }
        // "I ran pytest. Two still fail."
        if here.fails && before.names && points_back(&sentence.tokens) {
            return Some(sentence.text.clone());
        }
        before = here;
    }
    None
}

fn points_back(tokens: &[Token]) -> bool {
    let back = [
        "it", "this", "that", "they", "both", "some", "these", "those", "all", "still", "none", "the", "several",
    ];
    tokens
        .iter()
        .take(3)
        .any(|token| token.is(&back) || matches!(token.kind, Kind::Number(_) | Kind::Ratio(..)))
}

/// The words that name the check.
struct Names<'a> {
    names: Vec<&'a str>,
    /// What kind of check the names speak of, where they tell.
    about: Option<About>,
}

impl<'a> Names<'a> {
    fn of(names: &'a [String]) -> Self {
        let names: Vec<&str> = names
            .iter()
            .map(|name| name.trim())
            .filter(|name| !name.is_empty())
            .collect();
        let about = names.iter().find_map(|name| name.split(' ').find_map(check_word));
        Self { names, about }
    }

    fn are_in(&self, sentence: &Sentence) -> bool {
        let text = sentence.text.to_lowercase();
        if self.names.iter().any(|name| holds(&text, name)) {
            return true;
        }
        if counts_tests(&sentence.tokens) && self.may_be(Some(About::Tests)) {
            return true;
        }
        sentence.tokens.iter().enumerate().any(|(at, token)| match token.kind {
            Kind::Word => {
                let before = at.checked_sub(1).map(|before| &sentence.tokens[before]);
                let kind = before.and_then(|before| CHECK_KINDS.iter().find(|(word, _)| *word == before.text));
                let noun = before.is_some_and(|before| before.is(&POINTERS)) || token.is(&["checks"]);
                let about = match kind {
                    Some((_, about)) if token.is(&["check", "checks", "checker"]) => Some(*about),
                    _ if token.is(GENERIC) => noun.then_some(About::Everything),
                    _ if token.is(CAME_TO) => before.filter(|before| before.is(OWN)).map(|_| About::Everything),
                    _ => test_name(&token.text),
                };
                self.may_be(about)
            }
            Kind::Code => self.may_be(command(&token.text)),
            _ => false,
        })
    }

    /// A word for checks of another kind names another check.
    fn may_be(&self, said: Option<About>) -> bool {
        said.is_some_and(|said| {
            said == About::Everything
                || self
                    .about
                    .is_none_or(|about| about == said || about == About::Everything)
        })
    }
}

/// "4985 of 4992 pass", "7 failed, 35 passed": only tests are counted like this, so they need no name.
fn counts_tests(tokens: &[Token]) -> bool {
    let counted = |list: &[&str]| {
        let pair = |pair: &[Token]| matches!(pair[0].kind, Kind::Number(_) | Kind::Ratio(..)) && pair[1].is(list);
        tokens.windows(2).any(pair)
    };
    let passes = counted(PASSES) || counted(PASSING);
    let part = |token: &Token| matches!(token.kind, Kind::Ratio(..)) || token.is(&["of"]);
    passes && (tokens.iter().any(part) || counted(&["failed", "failing", "fail", "fails"]))
}

/// What a word of prose checks by itself; the id of a test is one too.
fn test_name(word: &str) -> Option<About> {
    check_word(word).or_else(|| {
        let parts = word.contains(['_', '.', ':', '/', '-']);
        parts.then(|| command(word)).flatten()
    })
}

/// Whether the text holds the name as a word of its own.
fn holds(text: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + name.len()..].chars().next();
        !before.is_some_and(|c| part(c) && name.starts_with(part))
            && !behind.is_some_and(|c| part(c) && name.ends_with(part))
    })
}

/// Whether a sentence says of something that it fails, and not that it did and no longer does.
fn fails(tokens: &[Token]) -> bool {
    if recovers(tokens) {
        return false;
    }
    let mut denied_until = 0;
    for at in 0..tokens.len() {
        if let Some((len, _)) = none_of(&tokens[at..]) {
            denied_until = denied_until.max(at + len);
        }
        if at >= denied_until && fails_at(tokens, at) {
            return true;
        }
    }
    false
}

fn fails_at(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let before = &tokens[at.saturating_sub(REACH)..at];
    let behind = &tokens[at + 1..tokens.len().min(at + 1 + REACH)];
    match token.kind {
        // A crossed-out task begins with a verb: "❌ Deleted the wrapper".
        Kind::Fail => return at > 0 || !behind.first().is_some_and(|token| token.text.ends_with("ed")),
        Kind::Ratio(part, whole) => return part < whole,
        Kind::Number(part) => {
            if let [
                of,
                Token {
                    kind: Kind::Number(whole),
                    ..
                },
                ..,
            ] = behind
                && of.is(&["of", "out"])
            {
                return part < *whole;
            }
            let status = before
                .iter()
                .rev()
                .take(3)
                .any(|token| token.is(&["exit", "exits", "exited", "exiting", "status"]));
            return part > 0 && status;
        }
        Kind::Code => return code_fails(&token.text),
        Kind::Word => {}
        _ => return false,
    }
    if token.is(&["non-zero", "nonzero"]) {
        return true;
    }
    let holds = ["true", "holds", "hold", "valid"];
    let void = token.is(&VOID) || (token.text == "longer" && behind.iter().any(|token| token.is(&holds)));
    if void {
        let near = &tokens[at.saturating_sub(2 * REACH)..tokens.len().min(at + 2 * REACH)];
        let said = |list: &dyn List| near.iter().any(|token| token.is(list));
        let verdict = said(&["green", "pass", "passed", "passes", "passing", "verdict"]);
        return verdict || (said(&["earlier", "previous", "my", "last", "reported"]) && said(&VERDICTS));
    }
    if token.is(PASSES) || token.is(PASSING) || token.is(SUCCEEDS) {
        return is_denied(before) && !is_supposed(tokens, at);
    }
    if token.is(&["compile", "compiles", "build", "builds", "clean", "work", "works"]) {
        // "No build" and "no work" deny a thing, not that it goes well.
        let thing = before
            .iter()
            .any(|token| token.is(&["no", "without", "instead", "rather"]));
        return is_denied(before) && !thing && !is_supposed(tokens, at);
    }
    let failing = token.is(&FAILS);
    if !failing && !token.is(&NOUNS) && !token.is(&["break"]) {
        return false;
    }
    // "I did not touch the failing test": there is one.
    let there = token.is(&["failing", "broken", "failed", "flaky"])
        && before.last().is_some_and(|last| {
            last.is(&["the", "this", "that", "these", "those"]) || matches!(last.kind, Kind::Number(1..))
        });
    if (is_denied(before) && !there) || is_supposed(tokens, at) {
        return false;
    }
    let noun = token.is(&NOUNS) || !failing;
    let counted = before
        .last()
        .is_some_and(|token| matches!(token.kind, Kind::Number(1..) | Kind::Stop(_)) || token.is(&SOME));
    let left = behind
        .first()
        .is_some_and(|token| token.is(&STILL) || token.is(&["in", "is", "are", "on", "from"]));
    let described =
        tokens[..at].iter().any(|token| token.is(&DESCRIBES)) && !tokens[..at].iter().any(|token| token.is(&STILL));
    let begins = before.is_empty()
        && token.text.ends_with('s')
        && behind.first().is_none_or(|token| !matches!(token.kind, Kind::Word));
    if token.text == "red" && !is_state(before, behind) {
        return false;
    }
    let thing = token.text == "fail" && before.last().is_some_and(|token| token.is(&["a", "the"]));
    !described && !thing && (!noun || counted || left || begins)
}

/// Output in a code span: `1 failed`, `exit 1`, `FAILED tests/x.py`.
fn code_fails(code: &str) -> bool {
    let words: Vec<String> = code
        .split_whitespace()
        .map(|word| word.trim_matches([',', ';', ':', '.']).to_lowercase())
        .collect();
    words.windows(2).any(|pair| {
        let positive = pair[0].parse::<u64>().is_ok_and(|number| number > 0);
        let failed = matches!(
            pair[1].as_str(),
            "failed" | "failing" | "failures" | "failure" | "errors" | "error"
        );
        let exit = matches!(pair[0].as_str(), "exit" | "code" | "status")
            && pair[1].parse::<u64>().is_ok_and(|number| number > 0);
        (positive && failed) || exit || pair[0] == "failed"
    })
}

/// A colour is a state behind a verb or a label, or before the check whose state it is.
fn is_state(before: &[Token], behind: &[Token]) -> bool {
    let verb = before
        .last()
        .is_some_and(|last| last.is(&STATES) || matches!(last.kind, Kind::Stop(_)));
    verb || behind.first().is_some_and(|next| check_word(&next.text).is_some())
}

fn is_denied(before: &[Token]) -> bool {
    let from = before
        .iter()
        .rposition(|token| token.is_stop(&[',', ';', '(', ')', '|', '-']) || token.is(&["but", "and"]));
    let near = &before[from.map_or(0, |at| at + 1)..];
    near.iter()
        .any(|token| token.is(&DENIES) || token.text.ends_with("n't"))
        || near
            .windows(2)
            .any(|pair| pair[0].text == "no" && pair[1].text == "longer")
        || near
            .last()
            .is_some_and(|token| token.is(&["stopped", "stop", "stops", "zero"]))
}

/// Said as a possibility or under a condition, not of something that was seen.
fn is_supposed(tokens: &[Token], at: usize) -> bool {
    let before = &tokens[at.saturating_sub(REACH)..at];
    let from = before
        .iter()
        .rposition(|token| token.is_stop(&[',', ';', '(', ')', '|']));
    let near = &before[from.map_or(0, |at| at + 1)..];
    let seen = near.iter().any(|token| token.is(&["i", "we", "run", "running", "ran"]));
    let condition = near.iter().any(|token| token.is(CONDITIONS) || token.text == "when");
    near.last().is_some_and(|token| token.is(&HYPOTHETICAL)) || (condition && !seen)
}

/// It failed and does no longer: it was mended, or passes since.
fn recovers(tokens: &[Token]) -> bool {
    let has = |list: &dyn List| tokens.iter().any(|token| token.is(list));
    let denied = tokens
        .iter()
        .any(|token| token.is(&["not", "cannot", "unable", "partly"]) || token.text.ends_with("n't"));
    let goes_on = has(&STILL) || denied || has(&["but", "except", "however", "only"]);
    let fixed = tokens.iter().enumerate().any(|(at, token)| {
        // "I will have fixed it" and "the fix is next" have mended nothing.
        let before = &tokens[at.saturating_sub(REACH)..at];
        let later = before
            .iter()
            .any(|token| token.is(&["will", "to", "i'll", "must", "should", "can", "need", "be"]));
        token.is(&FIXES) && !token.is(&["fix", "fixing"]) && !later
    });
    let passes = tokens.iter().position(|token| token.is(PASSES) || token.is(PASSING));
    let failed_first = passes.is_some_and(|pass| {
        let failing = tokens
            .iter()
            .position(|token| token.text.starts_with("fail") || token.is(&["red", "broken", "broke"]));
        let since = tokens[..pass].iter().any(|token| token.is(RECOVERS))
            || tokens[pass..].iter().take(3).any(|token| token.is(RECOVERS));
        failing.is_some_and(|failing| failing < pass) && since && has(&TIMES)
    });
    !goes_on && (fixed || failed_first)
}
