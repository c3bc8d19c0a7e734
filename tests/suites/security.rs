//! What `SECURITY.md` promises: each promise names the tests that hold it, and what a project may set is known for every key.
//! The tests of the other promises stand where their subjects are.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use proofmark_protocol::settings::{Layer, Settings};
use proofmark_tests::schema::workspace;
use serde_json::{Value, json};

/// What a project's file can do to a setting.
enum Rule {
    /// Nothing.
    Nothing,
    /// It can move it on in the order of the values, and never back.
    Tightens,
}

/// Every key of the settings: its place in the schema, in a file, what a project can do to it, and values that it may have,
/// the loosest first where that counts.
fn keys() -> Vec<(&'static str, &'static str, Rule, Vec<Value>)> {
    use Rule::{Nothing, Tightens};
    let modes = || vec![json!("off"), json!("advise"), json!("refuse")];
    let switch = || vec![json!(false), json!(true)];
    vec![
        ("untried_claim.mode", "checks.untried-claim.mode", Tightens, modes()),
        (
            "untried_claim.strict",
            "checks.untried-claim.strict",
            Tightens,
            switch(),
        ),
        (
            "untried_claim.reminder",
            "checks.untried-claim.reminder",
            Nothing,
            vec![json!("off"), json!("stale"), json!("next-prompt")],
        ),
        ("untried_claim.teach", "checks.untried-claim.teach", Nothing, switch()),
        ("stale_verdict.mode", "checks.stale-verdict.mode", Tightens, modes()),
        ("claimed_pass.mode", "checks.claimed-pass.mode", Tightens, modes()),
        ("scope_lock.mode", "checks.scope-lock.mode", Tightens, modes()),
        (
            "scope_lock.window",
            "checks.scope-lock.window",
            Nothing,
            vec![json!(1), json!(3), json!(99)],
        ),
        (
            "scope_lock.decay_turns",
            "checks.scope-lock.decay_turns",
            Nothing,
            vec![json!(0), json!(5), json!(99)],
        ),
        (
            "scope_lock.hard_stop_reading",
            "checks.scope-lock.hard_stop_reading",
            Tightens,
            vec![json!(true), json!(false)],
        ),
        (
            "scope_lock.phrases",
            "checks.scope-lock.phrases",
            Nothing,
            vec![
                json!({}),
                json!({"de": {"expansions": ["mach weiter"]}}),
                json!({"de": {"corrections": ["nein"]}}),
            ],
        ),
        ("scope_drift.mode", "checks.scope-drift.mode", Tightens, modes()),
        ("plain_words.mode", "checks.plain-words.mode", Tightens, modes()),
        ("unproven_claim.mode", "checks.unproven-claim.mode", Tightens, modes()),
        ("malformed_tag.mode", "checks.malformed-tag.mode", Tightens, modes()),
        ("reply_length.mode", "checks.reply-length.mode", Tightens, modes()),
        (
            "reply_length.limit",
            "checks.reply-length.limit",
            Tightens,
            vec![json!(900), json!(150), json!(1)],
        ),
        ("judge.enabled", "judge.enabled", Nothing, switch()),
        (
            "judge.wait_seconds",
            "judge.wait_seconds",
            Nothing,
            vec![json!(1), json!(20), json!(50)],
        ),
        ("judge.prefilter", "judge.prefilter", Nothing, switch()),
        // A project's lists come beside the person's, from the project alone: another place, which is looked at below.
        (
            "judge.lists",
            "judge.lists",
            Nothing,
            vec![json!([]), json!(["words.toml"])],
        ),
        (
            "judge.skip",
            "judge.skip",
            Nothing,
            vec![json!([]), json!(["soft-words"])],
        ),
        (
            "judge.runner",
            "judge.runner",
            Nothing,
            vec![
                json!([]),
                json!([{"name": "a", "command": ["/bin/sh", "-c", "touch pwned"], "env": ["HOME"]}]),
            ],
        ),
        (
            "idle_minutes",
            "server.idle_minutes",
            Nothing,
            vec![json!(1), json!(30), json!(999)],
        ),
        (
            "keep_days",
            "ledger.keep_days",
            Nothing,
            vec![json!(0), json!(1), json!(180)],
        ),
        (
            "tools",
            "tools",
            Nothing,
            vec![json!({}), json!({"Bash": "neither"}), json!({"*": "observes"})],
        ),
    ]
}

/// The keys below a type of the schema; lists and tables with free names are one key each.
fn in_schema(definitions: &Value, of: &Value, before: &str, found: &mut BTreeSet<String>) {
    let of = match of["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        Some(name) => &definitions[name],
        None => of,
    };
    match of["properties"].as_object() {
        Some(members) => {
            for (name, member) in members {
                let path = if before.is_empty() {
                    name.clone()
                } else {
                    format!("{before}.{name}")
                };
                in_schema(definitions, member, &path, found);
            }
        }
        None => {
            found.insert(before.to_owned());
        }
    }
}

/// A file that sets one key.
fn file(path: &str, value: &Value) -> Value {
    path.rsplit('.')
        .fold(value.clone(), |inner, part| json!({ part: inner }))
}

/// The settings of a person's file and a project's, each with one key.
fn laid(path: &str, person: &Value, project: Option<&Value>) -> Settings {
    let mut settings = Settings::default();
    let bad = settings.lay_over(Layer::Person, "person", &file(path, person));
    assert!(bad.is_empty(), "{bad:?}");
    if let Some(project) = project {
        let bad = settings.lay_over(Layer::Project, "project", &file(path, project));
        assert!(bad.is_empty(), "{bad:?}");
        for list in settings.judge.project_lists.drain(..) {
            assert!(Path::new(&list).is_relative() && !list.contains(".."), "{list}");
        }
    }
    settings
}

#[test]
fn a_project_tightens_a_setting_or_does_nothing_for_every_key_there_is() {
    let document = proofmark_protocol::schema::document();
    let definitions = &document["$defs"];
    let mut there = BTreeSet::new();
    in_schema(definitions, &definitions["Settings"], "", &mut there);
    let known: BTreeSet<String> = keys().iter().map(|key| key.0.to_owned()).collect();
    assert_eq!(
        there, known,
        "a key that the settings have is not in the table, or the other way round"
    );
    for (_, path, rule, values) in keys() {
        for (was, person) in values.iter().enumerate() {
            for (wanted, project) in values.iter().enumerate() {
                let used = match rule {
                    Rule::Nothing => was,
                    Rule::Tightens => was.max(wanted),
                };
                let expected = laid(path, &values[used], None);
                assert_eq!(
                    laid(path, person, Some(project)),
                    expected,
                    "{path}: {person}, then {project}"
                );
            }
        }
        let differ = laid(path, &values[0], None) != laid(path, &values[values.len() - 1], None);
        assert!(differ, "{path} is not where the settings are read");
    }
}

#[test]
fn keys_that_no_project_may_have_are_no_settings_at_all() {
    let nothing = json!({
        "state_dir": "/x", "pause": true, "paused": "1h", "retention_days": 0, "ledger": {"prune": true}, "hooks": {"Stop": "x"},
        "judge": {"command": ["x"], "runners": [{"name": "a", "command": ["x"]}]}, "server": {"socket": "/x", "program": "/x"},
    });
    let mut settings = Settings::default();
    settings.lay_over(Layer::Project, "project", &nothing);
    assert_eq!(settings, Settings::default());
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let text = fs::read_to_string(workspace().join("SECURITY.md")).unwrap();
    let table = text
        .split("## What holds")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let rows = table
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| promise "));
    let mut promises = 0;
    for row in rows {
        let held = row.trim_end_matches('|').rsplit(" | ").next().unwrap_or_default();
        let mut source: Option<(String, String)> = None;
        let mut tests = 0;
        for name in held.split('`').skip(1).step_by(2) {
            if name.ends_with(".rs") {
                let read = fs::read_to_string(workspace().join(name));
                source = Some((name.to_owned(), read.unwrap_or_else(|error| panic!("{name}: {error}"))));
                continue;
            }
            let Some((path, code)) = &source else {
                panic!("{row}: no file before {name}")
            };
            // Their generated inputs are marked the same way within `proptest!`.
            let before = code
                .split(&format!("fn {name}("))
                .next()
                .filter(|before| before.len() < code.len());
            let marks = before.map_or("", |before| &before[before.rfind("\n\n").unwrap_or_default()..]);
            assert!(marks.contains("test]"), "{path} has no test {name}");
            tests += 1;
        }
        assert!(tests > 0, "no test holds this: {row}");
        promises += 1;
    }
    assert!(promises > 0, "the table of promises is not there");
}

/// Product code: what stands before a file's own tests.
fn sources(folder: &Path, found: &mut Vec<(String, String)>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" && name != "target" {
                sources(&path, found)?;
            }
        } else if name.ends_with(".rs") && name != "tests.rs" && name != "testing.rs" {
            let text = fs::read_to_string(&path)?;
            let product = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            found.push((path.display().to_string(), product.to_owned()));
        }
    }
    Ok(())
}

/// The doctor starts a hook as its harness does: by the line that stands in the person's own settings.
const WITH_A_SHELL: &[&str] = &["client/src/doctor/rehearsal.rs"];

#[test]
fn no_program_is_started_through_a_shell() {
    let mut found = Vec::new();
    for folder in ["protocol/src", "server/src", "client/src", "client/hook/src"] {
        sources(&workspace().join(folder), &mut found).unwrap();
    }
    let starts = |text: &str| text.contains("Command::new(");
    let shell = |text: &str| {
        [
            "\"sh\"",
            "\"/bin/sh\"",
            "\"bash\"",
            "\"/bin/bash\"",
            "\"-c\"",
            "\"-lc\"",
        ]
        .iter()
        .any(|word| text.contains(word))
    };
    let with_a_shell: Vec<&str> = found
        .iter()
        .filter(|(_, text)| starts(text) && shell(text))
        .map(|(path, _)| path.as_str())
        .collect();
    assert!(
        found.iter().filter(|(_, text)| starts(text)).count() >= 6,
        "the programs that are started were not found"
    );
    assert_eq!(with_a_shell.len(), WITH_A_SHELL.len(), "{with_a_shell:?}");
    assert!(
        with_a_shell
            .iter()
            .zip(WITH_A_SHELL)
            .all(|(path, known)| path.ends_with(known)),
        "{with_a_shell:?}"
    );
}
