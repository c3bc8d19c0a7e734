//! What a noun phrase or a code span names: the check, whether all of it, how many of it.
//! What is said of it stays out.

use super::About;
use super::lexicon::{
    ALL_WORDS, BARE_WHOLES, CHECK_KINDS, DETERMINERS, KINDS, NO_MODIFIERS, PREPOSITIONS, WHOLE_WORDS, check_word, words,
};
use super::tokens::{Kind, Token};

/// The longest noun phrase that is read, in tokens.
pub(super) const LONGEST: usize = 16;
/// Words of a command that are looked at.
const COMMAND_WORDS: usize = 24;
words! {
    /// Commands that only show, move or send what they are given.
    NO_CHECKS = "cat grep rg git ls sed vim rm cp mv mkdir echo cd curl less head tail touch docker gh ssh find export pip \
        kubectl";
}
words! {
    PACKAGE_RUNNERS = "npm pnpm yarn bun deno mise poetry uv just task";
}

/// Words before a command that are none of it.
const WRAPPERS: &[&str] = &["env", "time", "sudo", "command", "nice"];
words! {
    /// Words of a command that by themselves name no check.
    pub(super) VAGUE = "src lib packages crates apps run exec npm npx pnpm yarn bun node deno mise make just task cargo go uv poetry python python3 bash sh test \
        check && || | ; . ./... cd tail head";
}

/// What is said to pass.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) about: About,
    pub(super) all: bool,
    pub(super) names: Vec<String>,
    /// How many, where it counts tests.
    pub(super) count: Option<u64>,
    pub(super) points: Points,
    /// It names the check with known words alone, so it may be one of several that share a predicate.
    pub(super) plain: bool,
}

/// Whether it names the check itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Points {
    /// It does.
    Itself,
    /// It is everything there is.
    Everything,
    /// "All", "all 42": it may do without a check before it.
    Loosely,
    /// "It", "both": the check was named before.
    Back,
}

/// The subject that a run of tokens is, when it is one and nothing else.
pub(super) fn subject(tokens: &[Token]) -> Option<Subject> {
    if tokens.is_empty() || tokens.len() > LONGEST {
        return None;
    }
    pronoun(tokens).or_else(|| noun_phrase(tokens))
}

fn pronoun(tokens: &[Token]) -> Option<Subject> {
    let words: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    let made = |all, points, count| {
        Some(Subject {
            about: About::Everything,
            all,
            names: Vec::new(),
            count,
            points,
            plain: true,
        })
    };
    let number = |token: &Token| match token.kind {
        Kind::Number(number) if token.text.starts_with(|c: char| c.is_ascii_digit()) && number > 0 => Some(number),
        Kind::Ratio(part, whole) if part == whole && part > 0 => Some(part),
        _ => None,
    };
    match (words.as_slice(), tokens) {
        (["everything"], _) => made(true, Points::Everything, None),
        (["all"], _) => made(true, Points::Loosely, None),
        (
            ["both" | "it" | "this" | "that" | "they" | "these" | "those"] | ["all" | "both", "of", "them" | "these"],
            _,
        ) => made(false, Points::Back, None),
        (["all", _], [_, count]) => made(true, Points::Loosely, Some(number(count)?)),
        ([_], [count]) => made(false, Points::Loosely, Some(number(count)?)),
        ([part, "of" | "out", whole], [count, _, _]) if part == whole => {
            made(false, Points::Loosely, Some(number(count)?))
        }
        _ => None,
    }
}

fn noun_phrase(tokens: &[Token]) -> Option<Subject> {
    let counted = |at: usize| {
        let quantity =
            |token: &Token| !matches!(token.kind, Kind::Word) || token.is(&["all", "both", "each", "every", "100%"]);
        tokens[at].text == "of" && quantity(&tokens[at - 1])
    };
    let end = (1..tokens.len())
        .find(|at| tokens[*at].is(&PREPOSITIONS) && !counted(*at))
        .unwrap_or(tokens.len());
    let (front, rest) = tokens.split_at(end);
    let (head, before) = front.split_last()?;
    let about = head_about(head, before)?;
    let part = rest_names(rest)?;
    let mut names = Vec::new();
    let mut count = None;
    let mut modified = rest.len() > 1;
    let mut quantified = false;
    let mut bare = true;
    let mut expects_whole = None;
    let mut plain = rest.is_empty();
    for (at, token) in before.iter().enumerate() {
        match token.kind {
            Kind::Number(number) => {
                if expects_whole.is_some_and(|part| part != number) {
                    return None;
                }
                count = Some(number);
                if before.get(at + 1).is_some_and(|next| next.text == "of") {
                    expects_whole = Some(number);
                }
            }
            Kind::Ratio(part, whole) if part == whole => count = Some(part),
            Kind::Code => {
                names.push(token.text.to_lowercase());
                modified = true;
                bare = false;
            }
            Kind::Word if token.is(&NO_MODIFIERS) && !is_runner(before, at) => return None,
            Kind::Word => {
                let late = token.is(&DETERMINERS) && !bare && token.text != "the";
                if late || (token.is(&DETERMINERS) && before[..at].iter().any(|token| !is_quantity(token))) {
                    return None;
                }
                quantified |= token.is(ALL_WORDS);
                if !token.is(&WHOLE_WORDS) {
                    modified = true;
                    if !token.is(&DETERMINERS) {
                        bare = false;
                        plain &= token.is(&KINDS) || check_word(&token.text).is_some();
                        names.push(token.text.clone());
                    }
                }
            }
            _ => return None,
        }
    }
    if (head.kind == Kind::Code && !plain) || count == Some(0) || (head.is(BARE_WHOLES) && !before.is_empty()) {
        return None;
    }
    let gerund =
        |token: &Token| token.text.ends_with("ing") && check_word(&token.text).is_none() && token.text != "existing";
    if before.first().is_some_and(gerund) && before.len() == 1 {
        return None;
    }
    if !names.is_empty() {
        names.push(format!("{} {}", names.join(" "), head.text.to_lowercase()));
    }
    match head.kind {
        Kind::Code => names.extend(command_names(&head.text)),
        _ if check_word(&head.text).is_none() && file(&head.text).is_none() && about == About::Tests => {
            names.push("tests".to_owned());
        }
        _ => names.push(head.text.clone()),
    }
    names.extend(part);
    let counts_tests = matches!(
        head.text.as_str(),
        "test" | "tests" | "specs" | "doctests" | "unittests"
    );
    let counts_tests = counts_tests || (rest.len() == 3 && rest[2].is(&["tests"]) && rest[0].text == "of");
    if let [
        of,
        Token {
            kind: Kind::Number(number),
            ..
        },
        _,
    ] = rest
        && of.text == "of"
    {
        count = Some(*number);
        modified = rest[2].text != "tests";
    }
    Some(Subject {
        about,
        all: quantified && !modified && head.kind == Kind::Word,
        names,
        count: count.filter(|_| counts_tests),
        points: Points::Itself,
        plain,
    })
}

fn is_quantity(token: &Token) -> bool {
    !matches!(token.kind, Kind::Word) || token.is(&DETERMINERS) || token.is(ALL_WORDS) || token.text == "of"
}

/// "npm run build": the verb belongs to the name.
fn is_runner(before: &[Token], at: usize) -> bool {
    before[at].text == "run" && at > 0 && before[at - 1].is(&PACKAGE_RUNNERS)
}

fn head_about(head: &Token, before: &[Token]) -> Option<About> {
    let last = before.last();
    match head.kind {
        Kind::Code => command(&head.text),
        Kind::Word => match head.text.as_str() {
            "check" | "checker" | "checking" => {
                let kind = last.filter(|_| head.text == "check" || last.is_some_and(|last| last.text == "type"))?;
                CHECK_KINDS
                    .iter()
                    .find(|(word, _)| *word == kind.text)
                    .map(|(_, about)| *about)
            }
            "checks" if before.iter().all(|token| token.is(&WHOLE_WORDS) || is_quantity(token)) => {
                Some(About::Everything)
            }
            "checks" => {
                let kind = last.and_then(|last| CHECK_KINDS.iter().find(|(word, _)| *word == last.text));
                let quality = last.is_some_and(|last| last.is(&["quality", "local", "static", "pre-commit"]));
                kind.map(|(_, about)| *about).or(quality.then_some(About::Everything))
            }
            "files" | "cases" | "run" | "runs" if last.is_some_and(|last| last.is(&["test", "spec"])) => {
                Some(About::Tests)
            }
            "run" if last.is_some_and(|last| last.text == "suite") => Some(About::Tests),
            word => check_word(word).or_else(|| file(word)),
        },
        _ => None,
    }
}

/// The names in "for the parser", "in tests/x.py"; nothing when it goes on to say something.
fn rest_names(rest: &[Token]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for token in rest {
        match token.kind {
            Kind::Word if token.is(&NO_MODIFIERS) => return None,
            Kind::Word if token.is(&PREPOSITIONS) || token.is(&DETERMINERS) => {}
            Kind::Word | Kind::Code => names.extend(command_names(&token.text)),
            Kind::Number(_) | Kind::Ratio(..) => {}
            _ => return None,
        }
    }
    (rest.len() != 1).then_some(names)
}

/// A file's name that is one of tests, or of a script that checks.
fn file(word: &str) -> Option<About> {
    let name = word.rsplit('/').next()?;
    let (stem, ending) = name.split_once('.')?;
    let known = ending.chars().all(|c| c.is_ascii_alphanumeric() || c == '.') && !ending.is_empty();
    let tests = ["test_", "_test", "-test", "tests"]
        .iter()
        .any(|part| stem.contains(part))
        || ending.starts_with("test.")
        || ending.starts_with("spec.")
        || (stem.ends_with("test") && stem.len() > 4);
    let script = ["check_", "verify_", "check-", "verify-"]
        .iter()
        .any(|part| stem.starts_with(part));
    match (known && !stem.is_empty(), tests, script) {
        (true, true, _) => Some(About::Tests),
        (true, false, true) => Some(About::Everything),
        _ => None,
    }
}

/// What a code span checks, when it is a command that checks, a file of tests or the name of a test.
pub(super) fn command(code: &str) -> Option<About> {
    if code.contains(['(', '{', '<']) && code.contains([')', '}', '>']) || code.starts_with('-') {
        return None;
    }
    let words: Vec<&str> = code.split_whitespace().take(COMMAND_WORDS).collect();
    let verb = words.iter().find(|word| !word.contains('='))?;
    if NO_CHECKS.contains(verb) {
        return None;
    }
    if let [word] = words[..] {
        let test = word
            .strip_prefix("Test")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_uppercase() || c == '_'));
        let lower = word.to_lowercase();
        let test = test
            || lower.starts_with("test_")
            || lower.ends_with("_test")
            || lower.ends_with("_tests")
            || lower.contains("::test");
        return test
            .then_some(About::Tests)
            .or_else(|| file(&lower))
            .or_else(|| by_parts(&lower));
    }
    let by_word = |word: &&str| {
        let word = word.to_lowercase();
        if word.starts_with('-') || word.contains('=') {
            None
        } else {
            file(&word).or_else(|| by_parts(&word))
        }
    };
    let runs_check = |word: &&str| matches!(*word, "check" | "verify");
    let compiles = words.contains(&"cargo") && words.iter().any(runs_check);
    compiles
        .then_some(About::Build)
        .or_else(|| words.iter().find_map(by_word))
        .or_else(|| words.iter().any(runs_check).then_some(About::Everything))
}

/// By the parts of a script's name: `test:unit`, `lint-fix`, `format:check`.
fn by_parts(word: &str) -> Option<About> {
    word.split([':', '-', '/', '.', '_']).find_map(|part| match part {
        "compiler" | "linter" => None,
        "format" => Some(About::Lint),
        "compile" => Some(About::Build),
        _ => check_word(part),
    })
}

/// The words by which a command may be named: itself, its program with what it does, its files, packages and scripts.
pub(super) fn command_names(code: &str) -> Vec<String> {
    let code = code.to_lowercase();
    let words: Vec<&str> = code
        .split_whitespace()
        .skip_while(|word| WRAPPERS.contains(word) || word.contains('='))
        .take(COMMAND_WORDS)
        .collect();
    let mut names = vec![words.join(" ")];
    let plain: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| !word.starts_with('-') && !word.contains('='))
        .collect();
    let verb = plain
        .iter()
        .take(3)
        .position(|word| !matches!(*word, "run" | "exec"))
        .unwrap_or(0);
    let acting = plain
        .iter()
        .skip(verb + 1)
        .position(|word| !matches!(*word, "run" | "exec"));
    if let Some(action) = acting.filter(|_| words.len() > 2) {
        names.push(plain[..=verb + 1 + action].join(" "));
    }
    for word in &plain {
        if words.len() > 1 && !VAGUE.contains(word) {
            names.push((*word).to_owned());
        }
        if let Some((_, name)) = word
            .rsplit_once('/')
            .filter(|(_, name)| !name.is_empty() && !name.starts_with('.'))
        {
            names.push(name.to_owned());
        }
    }
    names.dedup();
    names
}
