//! Rules for Rust files: their heads, their length, what the pure core may name, where harnesses are told apart.
//! Formatting and lints are rustfmt's and clippy's.

use super::files::Source;

/// A Rust file is at most this long, in lines.
const MAX_LINES: usize = 500;

/// The rooms of the pure core.
const CORE: &[&str] = &[
    "server/src/session/",
    "server/src/evidence/",
    "server/src/picture/",
    "server/src/checks/",
    "server/src/text/",
];
/// What the core may not name: the world, those who speak to it, and the rooms that do.
const WORLDLY: &[&str] = &[
    "tokio",
    "jsonrpsee",
    "rusqlite",
    "rustix",
    "std::fs",
    "std::env",
    "std::io",
    "std::net",
    "std::os",
    "std::path",
    "std::process",
    "std::thread",
    // A list could hide any of the names above.
    "use std::{",
    "SystemTime",
    "Instant::now",
    "async fn",
    "async move",
    "crate::engine",
    "crate::harness",
    "crate::ledger",
    "crate::record",
    "crate::rpc",
];

/// Where one harness may be told from another.
const HARNESS_ROOMS: &[&str] = &[
    "server/src/harness/",
    "client/hook/src/",
    "client/src/doctor/harness/",
    "client/src/install/harness/",
    "client/src/wrap/",
    "protocol/src/event.rs",
];
const HARNESSES: &[&str] = &[
    "Harness::ClaudeCode",
    "Harness::Codex",
    "Harness::Cursor",
    "\"claude-code\"",
    "\"codex\"",
    "\"cursor\"",
];

/// Two lines of `//!` come first, and no third.
pub(crate) fn header(file: &Source) -> Option<String> {
    if !file.is_rust() {
        return None;
    }
    let says = |line: Option<&str>| {
        line.and_then(|line| line.strip_prefix("//! "))
            .is_some_and(|text| !text.trim().is_empty())
    };
    let mut lines = file.text.lines();
    let two = says(lines.next()) && says(lines.next());
    (!two || says(lines.next())).then(|| "does not start with exactly two lines of `//!`".to_owned())
}

/// No file is too long to be read in one go.
pub(crate) fn length(file: &Source) -> Option<String> {
    let lines = file.text.lines().count();
    (file.is_rust() && lines > MAX_LINES).then(|| format!("has {lines} lines, {MAX_LINES} at most"))
}

/// The core names nothing of the world.
pub(crate) fn purity(file: &Source) -> Option<String> {
    let in_core = CORE.iter().any(|room| file.path.starts_with(room));
    if !file.is_rust() || file.is_test() || !in_core {
        return None;
    }
    first(&file.text, |line| {
        WORLDLY
            .iter()
            .find(|word| line.contains(**word))
            .map(|word| format!("names `{word}`"))
    })
}

/// A harness is told from others in the rooms that know harnesses.
pub(crate) fn harness(file: &Source) -> Option<String> {
    let allowed = HARNESS_ROOMS.iter().any(|room| file.path.starts_with(room));
    if !file.is_rust() || file.is_test() || allowed {
        return None;
    }
    first(&file.text, |line| {
        let named = HARNESSES
            .iter()
            .find(|name| line.contains(**name))
            .map(|name| format!("names {name}"));
        named.or_else(|| matches_on_harness(line).then(|| "matches on a harness".to_owned()))
    })
}

fn matches_on_harness(line: &str) -> bool {
    let subject = line
        .split_once("match ")
        .and_then(|(_, rest)| rest.split_once('{'))
        .map(|(subject, _)| subject.trim());
    subject.is_some_and(|subject| {
        subject
            .trim_start_matches(['&', '*'])
            .split('.')
            .any(|name| name == "harness")
    })
}

/// The first line of code outside of tests that a rule objects to, with its number.
fn first(text: &str, rule: impl Fn(&str) -> Option<String>) -> Option<String> {
    let objection = |(number, line): (usize, &str)| Some(format!("line {number} {}", rule(line)?));
    code(text).into_iter().find_map(objection)
}

/// The lines that are code and not behind `#[cfg(test)]`, each with its number. Relies on rustfmt: an item ends with the
/// line that has its indentation and a closing brace.
fn code(text: &str) -> Vec<(usize, &str)> {
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let mut kept = Vec::new();
    while let Some((number, line)) = lines.next() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("#[cfg(test)]") {
            let indent = &line[..line.len() - trimmed.len()];
            let mut item = lines
                .by_ref()
                .map(|(_, line)| line)
                .skip_while(|line| line.trim_start().starts_with("#["));
            let whole = item
                .next()
                .is_none_or(|head| head.ends_with(';') || head.ends_with('}'));
            if !whole {
                item.find(|line| line.strip_prefix(indent).is_some_and(|rest| rest.starts_with('}')));
            }
        } else if !trimmed.starts_with("//") {
            kept.push((number, line));
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> Source {
        Source {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_head_has_two_lines_and_may_go_on_after_a_blank_one() {
        for (text, good) in [
            ("//! a\n//! b\n\nuse x;\n", true),
            ("//! a\n//! b\n//!\n//! # What it catches\n", true),
            ("//! a\n//! b\nuse x;\n", true),
            ("//! a\n\n", false),
            ("//! a\n//!\n//! b\n", false),
            ("//! a\n//! b\n//! c\n", false),
            ("use x;\n//! a\n//! b\n", false),
            ("", false),
        ] {
            assert_eq!(header(&file("a/b.rs", text)).is_none(), good, "{text:?}");
        }
        assert!(header(&file("a/b.md", "")).is_none());
    }

    #[test]
    fn a_long_file_is_told() {
        assert!(length(&file("a.rs", &"x\n".repeat(MAX_LINES))).is_none());
        assert!(length(&file("a.rs", &"x\n".repeat(MAX_LINES + 1))).is_some());
    }

    #[test]
    fn the_core_is_pure_outside_of_tests() {
        let core = |text: &str| purity(&file("server/src/text/a.rs", text));
        for word in WORLDLY {
            assert!(
                core(&format!("fn a() {{\n    {word}\n}}\n")).is_some_and(|why| why.starts_with("line 2 ")),
                "{word}"
            );
        }
        for text in [
            "// no tokio here\n",
            "#[cfg(test)]\nmod tests {\n    use std::fs;\n}\n",
            "    #[cfg(test)]\n    #[allow(dead_code)]\n    fn a() {\n        std::fs::read(b);\n    }\n",
            "#[cfg(test)]\nuse std::fs;\n",
        ] {
            assert!(core(text).is_none(), "{text}");
        }
        assert!(core("#[cfg(test)]\nmod tests;\nuse std::fs;\n").is_some());
        assert!(core("#[cfg(test)]\nmod tests {\n}\nuse std::fs;\n").is_some());
        assert!(purity(&file("server/src/engine/a.rs", "use std::fs;")).is_none());
        assert!(purity(&file("server/src/text/tests.rs", "use std::fs;")).is_none());
    }

    #[test]
    fn harnesses_are_named_in_their_rooms() {
        for line in [
            "Harness::Codex",
            "x == \"cursor\"",
            "match at.harness {",
            "match harness {",
            "match *self.harness {",
        ] {
            assert!(harness(&file("server/src/engine/a.rs", line)).is_some(), "{line}");
            assert!(harness(&file("server/src/harness/a.rs", line)).is_none(), "{line}");
            assert!(harness(&file("server/src/ledger/tests/a.rs", line)).is_none(), "{line}");
        }
        for line in ["match harness::spec(key) {", "Harness::ALL", "let harness = match x {"] {
            assert!(harness(&file("server/src/engine/a.rs", line)).is_none(), "{line}");
        }
    }
}
