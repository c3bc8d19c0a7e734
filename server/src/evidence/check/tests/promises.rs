//! What holds for every command: no panic, bounds, and the same run whatever stands around it.
//! Single commands stay out.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::commands::table;
use crate::evidence::check::{Run, relation, runs};

/// Bits that commands are made of.
const BITS: [&str; 34] = [
    "pytest",
    "cargo test",
    "npm test",
    "make",
    " ",
    " ",
    "\n",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "!",
    "(",
    ")",
    "{ ",
    "; }",
    "if ",
    "; then ",
    "; fi",
    "for x in a b; do ",
    "; done",
    "$(",
    "`",
    "'",
    "\"",
    "<<EOF\n",
    "\nEOF\n",
    "-k",
    "--",
    "cd a",
    "rc=$?",
    "exit $rc",
    "é",
];

fn keys(command: &str) -> Option<Vec<String>> {
    Some(runs(command)?.iter().map(Run::key).collect())
}

proptest! {
    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        let _ = runs(&text);
    }

    #[test]
    fn any_bits_of_commands_are_read(bits in prop::collection::vec(prop::sample::select(&BITS[..]), 0..40)) {
        for run in runs(&bits.concat()).unwrap_or_default() {
            prop_assert!(!run.key().is_empty());
            prop_assert_eq!(relation(&run, &run), crate::evidence::check::Relation::Same);
        }
    }
}

#[test]
fn what_stands_around_a_command_does_not_change_its_runs() {
    let mut tried = 0;
    for (command, _) in table() {
        let Some(expected) = keys(&command).filter(|_| !command.starts_with('#')) else {
            continue;
        };
        tried += 1;
        let quoted = command.replace('\'', r"'\''");
        // A here-document must end on a line of its own.
        let end = if command.contains("<<") { "\n" } else { "" };
        let around = [
            format!("bash -c '{quoted}'"),
            format!("timeout 5 bash -c '{quoted}'"),
            format!("env A=1 bash -c '{quoted}' 2>&1 | tail -5"),
            format!("( {command}{}\n)", if command.contains('#') { "\n" } else { end }),
            format!("{{ {command}\n}} > log 2>&1"),
        ];
        for wrapped in around {
            assert_eq!(keys(&wrapped).as_ref(), Some(&expected), "{wrapped}");
        }
    }
    assert!(tried > 250, "{tried}");
}

#[test]
fn wrappers_of_a_simple_command_do_not_change_its_run() {
    let operators = [';', '&', '|', '\n', '(', '{', '<', '>', '#', '!', '$', '`'];
    for (command, _) in table() {
        let word = command.split(' ').next().unwrap_or_default();
        let keyword = [
            "if", "for", "while", "cd", "eval", "set", "source", "time", ".", "command",
        ]
        .contains(&word);
        if command.contains(operators) || keyword || word.contains('=') {
            continue;
        }
        let Some(expected) = keys(&command) else { continue };
        for wrapped in [
            format!("timeout 5 {command}"),
            format!("env A=1 {command}"),
            format!("A=1 nice -n 5 {command}"),
            format!("time {command}"),
            format!("{command} 2>&1 | tail -5"),
            format!("{command} > log 2>&1"),
            format!("cd . && {command}"),
            format!("{command} || true"),
        ] {
            assert_eq!(keys(&wrapped).as_ref(), Some(&expected), "{wrapped}");
        }
    }
}

#[test]
fn long_commands_take_time_by_their_length() {
    let full = 64 * 1024;
    let shapes = [
        "cd aaaaaaaaaaaaaaaaaaaaaaaa && ",
        "cd a; ",
        "(cd a); ",
        "x=$x$x$x; ",
        "true && ",
        "true || ",
        "! ",
        "env ",
        "$(",
        "rc=$?; ",
        "f() { g; }; ",
        "if a; then b; fi; ",
        "for i in a b; do echo $i; ",
        "pytest; ",
        "x=a; $x/$x/$x/$x; ",
    ];
    let many = "pytest; ".repeat(90);
    for shape in shapes {
        let room = full - many.len() - 6;
        let command = format!("{many}{}pytest", shape.repeat(room / shape.len()));
        let begun = Instant::now();
        let _ = runs(&command);
        // Far more than it takes, far less than what grows with the square of the length.
        assert!(
            begun.elapsed() < Duration::from_secs(10),
            "{shape:?}: {:?}",
            begun.elapsed()
        );
    }
    let functions = |n: usize| {
        (0..n)
            .map(|i| format!("f{i}() {{ {} }}\n", "pytest; ".repeat(10)))
            .collect::<String>()
    };
    assert_eq!(keys(&functions(100)), Some(Vec::new()));
    assert_eq!(keys(&functions(101)), None);
    let operands = format!("pytest {}", "a ".repeat(full / 2 - 4));
    assert_eq!(keys(&operands), Some(vec!["pytest:a".to_owned()]));
    assert_eq!(keys(&format!("pytest {}", " ".repeat(full))), None);
    assert_eq!(keys(&"pytest; ".repeat(101)), None);
    assert_eq!(keys(&"pytest; ".repeat(100)).map(|keys| keys.len()), Some(100));
}
