//! The words by which prose speaks of checks: what is checked, what came of it, what takes a statement back.
//! How a sentence is put together from them stays out.

use std::sync::LazyLock;

use super::About;
use crate::text::words::WordSet;

/// A list of words, long or short.
pub(super) trait List {
    fn holds(&self, word: &str) -> bool;
}

impl List for LazyLock<WordSet> {
    fn holds(&self, word: &str) -> bool {
        self.contains(word)
    }
}

impl List for [&str] {
    fn holds(&self, word: &str) -> bool {
        self.contains(&word)
    }
}

impl<const LEN: usize> List for [&str; LEN] {
    fn holds(&self, word: &str) -> bool {
        self.contains(&word)
    }
}

/// A list of words, written as one text.
macro_rules! words {
    ($(#[$doc:meta])* $vis:vis $name:ident = $words:literal;) => {
        $(#[$doc])*
        $vis static $name: std::sync::LazyLock<$crate::text::words::WordSet> =
            std::sync::LazyLock::new(|| $crate::text::words::WordSet::of($words));
    };
}
pub(super) use words;

pub(super) const PASS_MARKS: &[char] = &['✅', '✓', '✔', '☑', '🟢', '🟩'];
pub(super) const FAIL_MARKS: &[char] = &['❌', '✗', '✘', '✖', '🔴', '🟥', '⛔'];
pub(super) const WARNING_MARKS: &[char] = &['⚠', '🟡', '🟠'];

/// A full stop behind one of these ends no sentence.
pub(super) const ABBREVIATIONS: &[&str] = &["e.g", "i.e", "etc", "vs", "approx", "incl", "resp", "no"];

/// The number that a word is.
pub(super) fn number_word(word: &str) -> Option<u64> {
    Some(match word {
        "zero" => 0,
        "one" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        "nine" => 9,
        "ten" => 10,
        "eleven" => 11,
        "twelve" => 12,
        _ => return None,
    })
}

words! {
    TESTS = "test tests suite suites spec specs testsuite unittest unittests doctest doctests pytest jest vitest \
        mocha rspec nextest ctest bats phpunit playwright cypress tox nox junit minitest e2e";
}
words! {
    LINTS = "lint lints linting linter linters clippy eslint ruff prettier fmt rustfmt gofmt formatting formatter \
        shellcheck golangci-lint biome black flake8 pylint rubocop stylelint vet isort shfmt phpstan";
}
words! {
    BUILDS = "build builds compilation compiler typecheck typechecks type-check type-checks typechecking \
        type-checking typechecker tsc mypy pyright ";
}
/// Checks as a whole.
const WHOLES: [&str; 6] = [
    "checks",
    "verification",
    "validation",
    "preflight",
    "pre-commit",
    "gates",
];
/// Of these the bare word alone means the agent's own checks: "email validation" is a feature.
pub(super) const BARE_WHOLES: &[&str] = &["verification", "validation"];

/// What is checked, when a word names a check by itself.
pub(super) fn check_word(word: &str) -> Option<About> {
    let groups: [(&dyn List, About); 4] = [
        (&TESTS, About::Tests),
        (&LINTS, About::Lint),
        (&BUILDS, About::Build),
        (&WHOLES, About::Everything),
    ];
    groups
        .into_iter()
        .find(|(words, _)| words.holds(word))
        .map(|(_, about)| about)
}

/// Before "check" these name one: "a type check", "cargo check".
pub(super) const CHECK_KINDS: &[(&str, About)] = &[
    ("type", About::Build),
    ("types", About::Build),
    ("cargo", About::Build),
    ("svelte", About::Build),
    ("lint", About::Lint),
    ("style", About::Lint),
    ("format", About::Lint),
    ("formatting", About::Lint),
    ("fmt", About::Lint),
    ("make", About::Everything),
    ("gradle", About::Everything),
];

words! {
    /// Words before the noun that name no part of it: with these alone, all there is is meant.
    pub(super) WHOLE_WORDS = "all the of our my these whole full entire complete every each single workspace project repo repository \
        automated available 100% your test required";
}
/// Those of them that say that nothing is left out.
pub(super) const ALL_WORDS: &[&str] = &["all", "whole", "full", "entire", "complete", "every", "each", "100%"];
words! {
    /// What begins a noun phrase.
    pub(super) DETERMINERS = "all the every each both my our your these those this its";
}
words! {
    /// Kinds of tests, which may share a noun: "unit and integration tests".
    pub(super) KINDS = "unit integration e2e end-to-end smoke doc regression new existing old backend frontend server client api ui \
        functional snapshot property contract golden";
}
words! {
    /// Words that no noun phrase of a plain statement holds.
    pub(super) NO_MODIFIERS = "report reports reporting show shows showed showing indicate indicates suggest suggests confirms confirmed verified confirming found find finds knows know think thinks says said claims claimed means prove proves proved hear heard no not none some most few many only half nearly almost any hardly neither which what whichever that who whose \
        where why how i you he she we it they is are was were be been has have had do does did to can could will would \
        should may might must make makes made making keep keeps kept keeping get gets got getting let lets see seeing \
        run running ran ensure ensures ensuring watch help helps require requires requiring want wants need needs \
        needing expect expects expecting write writing wrote written add added adding adds fix fixed fixing fixes \
        leave leaves leaving update updated updating remaining rest other others with without by through and or but \
        after before verify verifies verifying check confirm please next then never once when if until unless than \
        rather passing failing green way time previous last first earlier original old having ci skip skipped skipping \
        another someone their his her reported quick pass passes passed half-done broken flaky more fewer less least";
}
words! {
    /// What may begin the rest of a noun phrase: "the tests for the parser".
    pub(super) PREPOSITIONS = "for in of under covering across at inside within";
}

words! {
    /// What may stand before the subject and say nothing of its own.
    pub(super) LEAD_INS = "i we i've we've also and now done verified confirmed checked validated re-verified re-checked ran re-ran reran \
        run rerunning executed great perfect excellent nice good news yes ok okay finally fixed finished complete \
        completed result results status summary tested currently locally final local have with using via just \
        successfully still again once more too here full can confirm that both";
}
words! {
    /// The verbs among them: behind one of these stands a check that was run.
    pub(super) RAN = "ran re-ran reran verified validated checked executed tested re-verified re-checked confirmed";
}
/// Lead-ins that need the word before them.
pub(super) const BOUND_LEAD_INS: &[(&str, &[&str])] = &[
    ("once", &["and"]),
    ("more", &["once"]),
    ("can", &["i", "we"]),
    ("confirm", &["can"]),
    (
        "that",
        &[
            "verified",
            "confirmed",
            "checked",
            "confirm",
            "validated",
            "re-verified",
            "re-checked",
        ],
    ),
    (
        "with",
        &["verified", "validated", "checked", "confirmed", "tested", "re-verified"],
    ),
    ("using", &["verified", "validated", "checked", "confirmed", "tested"]),
    ("via", &["verified", "validated", "checked", "confirmed", "tested"]),
    ("have", &["i", "we"]),
    ("run", &["have", "i've", "we've"]),
    ("news", &["good"]),
];

/// Verbs and states of a check that passes.
pub(super) const PASSES: &[&str] = &["pass", "passes", "passed"];
pub(super) const PASSING: &[&str] = &["passing", "green"];
pub(super) const CLEAN: &[&str] = &["clean", "happy", "error-free"];
pub(super) const SUCCEEDS: &[&str] = &["succeed", "succeeds", "succeeded", "successful"];
/// Verbs by which a check is said to have been made, with what it was made.
pub(super) const VERIFIES: &[&str] = &["verified", "validated"];
/// States that count behind a label only.
pub(super) const LABEL_STATES: &[&str] = &["ok", "okay", "success"];
words! {
    /// Verbs that need to be told how it went.
    pub(super) GOES = "compiles compile compiled builds built completes completed finishes finished ran runs run exits exited lints \
        typechecks type-checks";
}
/// Of these the verb alone says that it went well.
pub(super) const COMPILES: &[&str] = &["compiles", "builds", "typechecks", "type-checks"];
pub(super) const WELL: &[&str] = &["cleanly", "clean", "successfully", "fine", "green", "ok"];
words! {
    pub(super) REPORTS = "reports reported shows finds found has have gives produces returns returned with";
}
words! {
    pub(super) AUXILIARIES = "are is all both now still also again each have has come comes came back stays stay remains remain fully \
        cleanly currently just successfully which they finally entirely completely it's they're run runs ran";
}
words! {
    /// What a check can have none of.
    pub(super) FAULTS = "failure failures error errors warning warnings issue issues problem problems violation violations failed \
        failing fail fails finding findings offenses offences diagnostics complaints regressions regression broken";
}
/// Those of them that count what failed.
pub(super) const FAILURES: &[&str] = &["failure", "failures", "failed", "failing", "fail", "fails"];
pub(super) const ZERO: &[&str] = &["no", "zero", "without", "any"];

words! {
    /// What may follow a statement of a pass without taking anything from it. "Pass" with an object is another verb.
    pub(super) TAILS = "now cleanly clean again too locally successfully fine here today which in on under with without across after \
        for including from at via as everywhere already throughout against together completely fully this all both \
        either green since consistently reliably end-to-end overall no zero";
}
/// Of these a thing behind them may be what is passed on: "the test passes in a flag".
pub(super) const OBJECT_TAILS: &[&str] = &["in", "on", "as", "from", "all", "this", "for"];
pub(super) const ARTICLES: &[&str] = &["a", "an", "the", "its", "their", "your", "my"];

words! {
    /// Anywhere in the sentence, these make of it a condition, a plan, a guess, an example, somebody else's words or another
    /// time.
    pub(super) BLOCKERS = "subagent subagents sub-agent sub-agents if when whenever once unless until till whether assuming provided suppose supposing otherwise else said says \
        say saying claim claims claimed claiming told according per states stated wrote mentioned asked quote readme \
        ci github gitlab jenkins pipeline pipelines workflow reviewer actions user main master upstream stash stashed \
        baseline staging previously before earlier yesterday originally initially ago formerly previous prior used \
        back imagine hypothetically option alternatively plan goal target aim criteria criterion acceptance expect \
        expected expects expecting requirement requirements todo ideally hopefully hope probably likely presumably \
        think believe assume assumes looks seems seem appears appear apparently maybe perhaps supposed supposedly \
        allegedly pretend example e.g want wanted wants wish would might could going gonna will i'll we'll you'll \
        it'll won't you doubt doubtful guarantee guarantees mean means misleading stale outdated vacuous vacuously \
        wrong wrongly mistaken premature falsely";
}
words! {
    /// Before the statement, these make of it a wish, an order or a purpose.
    pub(super) PLANS = "without definition pr gh remote make makes making ensure ensures ensuring keep keeps keeping kept let need needs must should shall can cannot \
        can't may get gets getting please next then see verify check confirm run wait require requires required whose \
        so note until remember only where than not never nor neither or to";
}
words! {
    /// From the statement on, these take a part of it back.
    pub(super) QUALIFIERS = "but except excepting although though however excluding aside apart besides minus barring modulo save only \
        pre-existing preexisting exception exceptions unrelated remaining not never yet nor cannot can't still-failing \
        partial partially mostly nearly almost pending todo unverified untested bar despite unfortunately skipping \
        excluded tentatively other";
}

words! {
    /// Words that say that something fails.
    pub(super) FAILS = "fail fails failed failing failure failures broken broke breaks breaking red regressed regresses crash crashes \
        crashed crashing panics panicked flaky timeout timeouts hangs hung errored erroring unsuccessful bust \
        busted blocked uncompilable";
}
words! {
    pub(super) FIXES = "fix fixed fixes fixing resolved resolves repaired repairs addressed corrected cured unbroke solved eliminated \
        healed restored unblocked";
}

words! {
    /// In a heading or before a list, these say that what follows is a plan, a wish or another time.
    pub(super) BLOCKING_HEADS = "plan plans next todo to-do steps step criteria goal goals checklist remaining options option how proposal \
        proposed example examples should must need needs follow-up follow-ups followups you your recommendation \
        recommendations suggested suggestion suggestions then ensure make commands requirements background original \
        usage template definition review";
}
