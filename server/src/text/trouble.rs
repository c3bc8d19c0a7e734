//! Signs in a text that a failure is known: it was ordered, it is what a test was written for, the test is called by name.
//! Which check failed stays out; a sentence that names check and failure alike is read elsewhere.

/// So much of a text, and of an output, is looked at, in bytes.
const LOOKED_AT: usize = 1 << 16;
/// A name of a test is at least so long, in characters.
const NAME: usize = 4;
/// Names of failed tests that are looked for.
const NAMES: usize = 64;

/// What a person says who wants to see a failure.
const ORDERS: &[&str] = &[
    "failing test",
    "failing spec",
    "test that fails",
    "tests that fail",
    "test fail",
    "tests fail",
    "test first",
    "tests first",
    "test-first",
    "tdd",
    "on purpose",
    "should fail",
    "must fail",
    "make it fail",
    "reproduce",
    "reproducer",
    "break it",
    "break the",
    "red phase",
    "only the test",
    "just the test",
    "mutation",
];
/// What an agent says whose work is known to be red, unfinished or broken. No word that praises a mended thing is here.
const TROUBLE: &[&str] = &[
    "1 red",
    "one red",
    "is red",
    "are red",
    "to red",
    "red phase",
    "red step",
    "red state",
    "ready for green",
    "as expected, red",
    "reproduces the",
    "is reproduced",
    "bug reproduced",
    "demonstrates the bug",
    "exposes the bug",
    "exposes a bug",
    "surfaces a",
    "confirmed the bug",
    "captures the missing",
    "captures the bug",
    "catches the bug",
    "catches the mutation",
    "made it worse",
    "made things worse",
    "broke something",
    "breaks something",
    "regression found",
    "found a regression",
    "no longer passes",
    "did not work",
    "didn't work",
    "does not go through",
    "doesn't go through",
    "not done yet",
    "not finished",
    "work in progress",
    "ran out of time",
    "still an error",
    "still one to go",
    "remaining problem",
    "remaining error",
    "complains",
    "unhappy",
    "needs attention",
    "does its job",
];
/// With one of these a sentence says of what it names that it is well.
const WELL: &[&str] = &[
    "fixed", "fixes", "passes", "passing", "pass ", "passed", "green", "works", "resolved",
];

/// True for a prompt that orders a failure: a test before the code, a break on purpose.
pub fn orders_failure(prompt: &str) -> bool {
    holds_one_of(prompt, ORDERS)
}

/// True for a reply that tells of a failure without a check's name: what it wrote is red, reproduces a bug, is not done.
pub fn tells_trouble(reply: &str) -> bool {
    let first = reply.trim_start_matches(['#', '*', '_', ' ', '\n']).to_lowercase();
    let alone = first
        .strip_prefix("failed")
        .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    (alone && first.trim_end().len() <= "failed.**".len()) || holds_one_of(reply, TROUBLE)
}

/// Whether a reply calls a test by its name that an output shows as failed, and not to say that it is well.
pub fn names_failed_test(reply: &str, output: &str) -> bool {
    let names = failed_tests(&output[..output.floor_char_boundary(LOOKED_AT)]);
    let reply = reply[..reply.floor_char_boundary(LOOKED_AT)].to_lowercase();
    reply
        .split('\n')
        .flat_map(|line| line.split(". "))
        .filter(|sentence| !WELL.iter().any(|word| sentence.contains(word)))
        .any(|sentence| names.iter().any(|name| holds(sentence, name)))
}

/// The names of tests that an output shows as failed, in lower case: pytest's, Go's, cargo's, Jest's and TAP's lines.
fn failed_tests(output: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for line in output.lines().map(str::trim) {
        let name = if let Some(rest) = line.strip_prefix("FAILED ").or_else(|| line.strip_prefix("ERROR ")) {
            rest.split(' ')
                .next()
                .and_then(|id| id.rsplit_once("::"))
                .map(|(_, name)| name)
        } else if let Some(rest) = line.strip_prefix("--- FAIL: ") {
            rest.split(' ').next()
        } else if let Some(rest) = line
            .strip_prefix("test ")
            .and_then(|rest| rest.strip_suffix("... FAILED"))
        {
            rest.trim().rsplit("::").next()
        } else {
            let marked = ["● ", "✕ ", "✗ ", "not ok "]
                .iter()
                .find_map(|mark| line.strip_prefix(mark));
            marked.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '-'))
        };
        let name = name.map(|name| name.split(['[', '(']).next().unwrap_or(name).trim().to_lowercase());
        if let Some(name) = name.filter(|name| name.chars().count() >= NAME && !names.contains(name)) {
            names.push(name);
        }
        if names.len() == NAMES {
            break;
        }
    }
    names
}

fn holds_one_of(text: &str, phrases: &[&str]) -> bool {
    let text = text[..text.floor_char_boundary(LOOKED_AT)]
        .to_lowercase()
        .replace('’', "'");
    phrases.iter().any(|phrase| holds(&text, phrase))
}

/// Whether the text holds the phrase as words of its own.
fn holds(text: &str, phrase: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let behind = text[at + phrase.len()..].chars().next();
        !before.is_some_and(part) && !behind.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn orders_of_a_failure() {
        for (prompt, ordered) in [
            ("write a failing test for bug 12", true),
            ("TDD please: tests first, no implementation", true),
            ("now break it on purpose", true),
            ("reproduce the crash in a test", true),
            ("fix the failing login", false),
            ("make the tests pass", false),
            ("add a test for the parser", false),
        ] {
            assert_eq!(orders_failure(prompt), ordered, "{prompt}");
        }
    }

    #[test]
    fn replies_that_know() {
        for (reply, knows) in [
            ("The suite went from green to red.", true),
            ("The new test reproduces the bug.", true),
            ("Failed.", true),
            ("**Failed**", true),
            ("Not done yet.", true),
            ("pytest is unhappy: see above.", true),
            ("Done.", false),
            ("Failed logins are now counted.", false),
            ("I fixed the failing test.", false),
            ("The red button is gone, and the redirect works.", false),
            ("All set! Let me know if you need anything else.", false),
        ] {
            assert_eq!(tells_trouble(reply), knows, "{reply}");
        }
    }

    #[test]
    fn a_failed_test_is_called_by_its_name() {
        for (output, reply, named) in [
            ("FAILED tests/a.py::test_x[1] - assert", "One left: test_x.", true),
            (
                "FAILED tests/a.py::test_x - assert",
                "Should `test_x` want 1 or 2?",
                true,
            ),
            ("FAILED tests/a.py::test_x - assert", "I fixed test_x.", false),
            ("FAILED tests/a.py::test_x - assert", "Changed tests/a.py.", false),
            ("FAILED tests/a.py::test_x - assert", "Changed test_xy.", false),
            ("--- FAIL: TestParse (0.00s)", "TestParse wants the old form.", true),
            ("test core::reads_all ... FAILED", "Left: `reads_all`.", true),
            ("  ● keeps the order", "Open: keeps the order", true),
            ("not ok 3 - keeps the order", "Open: keeps the order", true),
            ("test core::reads_all ... ok", "See `reads_all`.", false),
        ] {
            assert_eq!(names_failed_test(reply, output), named, "{output} / {reply}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(reply in any::<String>(), output in any::<String>()) {
            tells_trouble(&reply);
            orders_failure(&reply);
            names_failed_test(&reply, &format!("● {output}\nFAILED {output}::{reply}\ntest {output}... FAILED"));
        }
    }
}
