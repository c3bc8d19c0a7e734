//! Whatever a settings file looks like: our entries are put in once, nothing else changes, and they can be taken out again.
//! The files of `fixtures/settings` are the cases; how files are written is tested elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

use proofmark_protocol::Harness;
use proptest::prelude::*;
use serde::Deserialize;

use super::super::entries::Before;
use super::*;
use crate::install::harness::spec;
use crate::install::version::Version;

const HOOK: &str = "/opt/proofmark/bin/proofmark-hook";

#[derive(Deserialize)]
struct Case {
    harness: Harness,
    name: String,
    version: Option<String>,
    #[serde(default = "yes")]
    taken_out: bool,
}

fn yes() -> bool {
    true
}

fn wanted<'a>(spec: &'a Spec, versions: &[Version]) -> Wanted<'a> {
    Wanted {
        spec,
        hook: HOOK,
        events: spec.events(versions),
        direct: (spec.direct_since.is_none() || !versions.is_empty()).then(|| spec.is_direct(versions)),
        keeps: versions.is_empty(),
        no_helpers: false,
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/settings")
}

fn text(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    text.trim_start_matches('\u{feff}').to_owned()
}

#[test]
fn what_was_put_in_is_taken_out_again_to_the_byte_from_any_file() {
    let cases: Vec<Case> = serde_json::from_str(&text(&folder().join("cases.json"))).unwrap();
    let mut seen = 0;
    for case in cases {
        let spec = spec(case.harness);
        let versions: Vec<Version> = case
            .version
            .iter()
            .filter_map(|version| Version::read(version))
            .collect();
        let before = folder().join(case.harness.as_str()).join(&case.name).join("before");
        let Ok(files) = fs::read_dir(&before) else { continue };
        for file in files {
            let path = file.unwrap().path();
            let is_toml = path.extension().is_some_and(|extension| extension == "toml");
            let language = if is_toml { Language::Toml } else { Language::Json };
            let before = text(&path);
            let root = language.parse(&before).unwrap();
            let wanted = wanted(spec, &versions);
            let after = with(&before, language, &wanted).unwrap();
            assert_eq!(with(&after, language, &wanted).unwrap(), after, "{}", case.name);
            let out = without(
                &after,
                language,
                spec,
                &|_| true,
                root.as_ref().map(|root| Before { text: &before, root }),
            )
            .unwrap();
            // Without a single thing in it a file does not tell how it was laid out.
            let says_something = root
                .as_ref()
                .and_then(Node::members)
                .is_some_and(|members| !members.is_empty());
            if case.taken_out && says_something {
                assert_eq!(out, before, "{} {}", case.harness, case.name);
                seen += 1;
            }
            assert_eq!(
                rest(root.as_ref(), spec),
                rest(language.parse(&out).unwrap().as_ref(), spec)
            );
        }
    }
    assert!(seen >= 40, "{seen} files only");
}

#[test]
fn a_person_s_own_changes_to_our_entries_stay() {
    let spec = spec(Harness::ClaudeCode);
    let entry = |entry: &str| format!("{{\"hooks\": {{\"Stop\": [{{\"matcher\": \"x\", \"hooks\": [{entry}]}}]}}}}");
    let versions = [Version(2, 1, 332)];
    for (was, stays) in [
        (
            r#"{"type": "command", "command": "/o/proofmark-hook", "args": ["claude-code"], "timeout": 90}"#,
            "\"timeout\": 90",
        ),
        (
            r#"{"type": "command", "command": "/o/proofmark-hook", "args": ["claude-code"], "timeout": 1}"#,
            "\"timeout\": 60",
        ),
        (
            r#"{"type": "command", "command": "/o/proofmark-hook", "args": ["claude-code"], "if": "x"}"#,
            "\"if\": \"x\", \"timeout\": 60",
        ),
        (
            r#"{"type": "command", "command": "A=1 /o/proofmark-hook claude-code"}"#,
            "A=1 /opt/proofmark/bin/proofmark-hook claude-code",
        ),
        (
            r#"{"type": "command", "command": "/o/proofmark", "args": ["hook", "claude-code"]}"#,
            r#""args": ["claude-code"], "timeout": 60"#,
        ),
    ] {
        let mut wanted = wanted(spec, &versions);
        wanted.events.retain(|event| event.name == "Stop");
        let after = with(&entry(was), Language::Json, &wanted).unwrap();
        assert!(
            after.contains(stays) && after.contains(HOOK) && after.contains("\"matcher\": \"x\""),
            "{after}"
        );
        assert!(!after.contains("/o/"), "{after}");
    }
}

#[test]
fn an_old_client_gets_its_command_line_back() {
    let spec = spec(Harness::ClaudeCode);
    let new = with("", Language::Json, &wanted(spec, &[Version(2, 1, 332)])).unwrap();
    let old = with(&new, Language::Json, &wanted(spec, &[Version(2, 0, 1)])).unwrap();
    assert_eq!(
        old,
        with("", Language::Json, &wanted(spec, &[Version(2, 0, 1)])).unwrap()
    );
    let unknown = wanted(spec, &[]);
    for text in [new, old] {
        assert_eq!(
            with(&text, Language::Json, &unknown).unwrap(),
            text,
            "an unknown version changes no form"
        );
    }
}

#[test]
fn events_of_helper_agents_can_be_kept_out_and_taken_in() {
    let spec = spec(Harness::Codex);
    let versions = [Version(0, 171, 0)];
    let all = with("", Language::Json, &wanted(spec, &versions)).unwrap();
    let mut fewer = wanted(spec, &versions);
    fewer.events.retain(|event| !event.helper);
    fewer.no_helpers = true;
    let without_them = with(&all, Language::Json, &fewer).unwrap();
    assert!(all.contains("SubagentStop") && !without_them.contains("Subagent") && without_them.contains("Stop"));
    fewer.keeps = true;
    assert!(
        !with(&all, Language::Json, &fewer).unwrap().contains("Subagent"),
        "an unknown version keeps what is there, but not these"
    );
}

/// Any JSON, laid out in any way, with and without hooks.
fn json() -> impl Strategy<Value = String> {
    let gap = prop_oneof![
        Just(""),
        Just(" "),
        Just("\n"),
        Just("\r\n  "),
        Just("\n\t"),
        Just(" /* c, } */ "),
        Just(" // c ]\n"),
    ];
    let handler = (gap.clone(), "[a-z ]{0,6}")
        .prop_map(|(gap, command)| format!("{{{gap}\"type\": \"command\",{gap}\"command\":{gap}\"{command}\"{gap}}}"));
    let ours = prop_oneof![
        Just(r#"{"type": "command", "command": "/old/proofmark-hook claude-code"}"#.to_owned()),
        Just(r#"{ "type": "command", "command": "/old/proofmark-hook", "args": ["claude-code"] }"#.to_owned()),
    ];
    let handler = prop_oneof![3 => handler, 1 => ours];
    let list = |parts: Vec<String>, gap: &str, comma: bool| {
        let comma = if comma && !parts.is_empty() { "," } else { "" };
        format!("[{gap}{}{comma}{gap}]", parts.join(&format!(",{gap}")))
    };
    let group = (prop::collection::vec(handler, 0..3), gap.clone(), any::<bool>())
        .prop_map(move |(handlers, gap, comma)| format!("{{{gap}\"hooks\": {}{gap}}}", list(handlers, gap, comma)));
    let event = (prop::collection::vec(group, 0..3), gap.clone(), any::<bool>())
        .prop_map(move |(groups, gap, comma)| list(groups, gap, comma));
    let names = prop::sample::subsequence(vec!["Stop", "SessionStart", "PostToolUse", "PreToolUse"], 0..4);
    let hooks =
        (names, prop::collection::vec(event, 4), gap.clone(), any::<bool>()).prop_map(|(names, events, gap, comma)| {
            let comma = if comma && !names.is_empty() { "," } else { "" };
            let members: Vec<String> = names
                .iter()
                .zip(events)
                .map(|(name, event)| format!("\"{name}\":{gap}{event}"))
                .collect();
            format!("{{{gap}{}{comma}{gap}}}", members.join(&format!(",{gap}")))
        });
    (prop::option::of(hooks), gap.clone(), any::<bool>(), any::<bool>(), gap).prop_map(
        |(hooks, gap, first, comma, end)| {
            let other = first.then(|| format!("\"model\":{gap}\"x\""));
            let hooks = hooks.map(|hooks| format!("\"hooks\": {hooks}"));
            let members: Vec<String> = other.into_iter().chain(hooks).collect();
            let comma = if comma && !members.is_empty() { "," } else { "" };
            format!(
                "{end}{{{gap}{}{comma}{gap}}}{end}",
                members.join(&format!("{gap},{gap}"))
            )
        },
    )
}

#[test]
fn white_space_in_an_empty_list_or_object_comes_back() {
    for (harness, language, text) in [
        (
            Harness::Cursor,
            Language::Json,
            "{\n\t\"version\": 1,\n\t\"hooks\": {\n\t\t\"stop\": [\n\t\t\t\t]\n\t}\n}\n",
        ),
        (
            Harness::Cursor,
            Language::Json,
            "{\n\t\"version\": 1,\n\t\"hooks\": {\n\n\t}\n}\n",
        ),
        (
            Harness::Codex,
            Language::Toml,
            "model = \"m\"\n[hooks]\nStop = [\n    ]\n",
        ),
        (Harness::Codex, Language::Toml, "hooks = {  }\nmodel = \"m\"\n"),
        (Harness::Codex, Language::Toml, "[hooks]\n\n[model]\na = 1\n"),
    ] {
        let spec = spec(harness);
        let after = with(text, language, &wanted(spec, &[])).unwrap();
        assert_ne!(after, text);
        let root = language.parse(text).unwrap();
        let before = root.as_ref().map(|root| Before { text, root });
        assert_eq!(without(&after, language, spec, &|_| true, before).unwrap(), text);
    }
}

proptest! {
    #[test]
    fn any_file_gets_one_entry_for_each_event_and_loses_nothing(text in json()) {
        let spec = spec(Harness::ClaudeCode);
        let wanted = wanted(spec, &[Version(2, 1, 332)]);
        let after = with(&text, Language::Json, &wanted).unwrap();
        let root = Language::Json.parse(&after).unwrap().unwrap();
        let ours: Vec<String> = hooks(&root, spec).iter().filter(|hook| hook.is_ours()).map(|hook| hook.event.to_owned()).collect();
        for event in &wanted.events {
            prop_assert_eq!(ours.iter().filter(|name| *name == event.name).count(), 1, "{}\n{}", event.name, after);
        }
        prop_assert_eq!(ours.len(), wanted.events.len());
        prop_assert_eq!(&with(&after, Language::Json, &wanted).unwrap(), &after);
        let before = Language::Json.parse(&text).unwrap();
        let out = without(&after, Language::Json, spec, &|_| true, before.as_ref().map(|root| Before { text: &text, root })).unwrap();
        prop_assert_eq!(rest(before.as_ref(), spec), rest(Language::Json.parse(&out).unwrap().as_ref(), spec));
        // What stands within an entry of ours goes with it.
        if !text.contains("proofmark-hook") {
            for comment in ["/* c", "// c"] {
                prop_assert_eq!(out.matches(comment).count(), text.matches(comment).count(), "{}\n{}", text, out);
            }
        }
    }

    #[test]
    fn no_text_makes_it_panic(text in "[\\[\\]{}\",:/*#=\\n a-zé]{0,60}") {
        let toml = wanted(spec(Harness::Codex), &[]);
        for (language, wanted) in [(Language::Json, wanted(spec(Harness::ClaudeCode), &[])), (Language::Toml, toml)] {
            if let Ok(after) = with(&text, language, &wanted) {
                prop_assert_eq!(&with(&after, language, &wanted).unwrap(), &after);
            }
        }
    }
}
