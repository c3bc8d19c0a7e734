//! Trust in hooks in a person's `config.toml`: it is given once, nothing else changes, and it is taken back.
//! Whether trust is given at all stays out.

use std::path::Path;

use proofmark_protocol::Harness;
use serde_json::Value;

use crate::input::Input;
use crate::install::entries::hooks;
use crate::install::harness::spec;
use crate::install::language::Language;
use crate::install::program;
use crate::install::toml;
use crate::install::tree::Node;
use crate::install::trust::{State, Trust, of, state, with, without};

/// The file that the trusted hooks stand in.
const FILE: &str = "/home/p/.codex/hooks.json";
/// Two hooks of it.
const HOOKS: &str = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/o/proofmark-hook codex"}]}],
"SessionStart": [{"matcher": "a", "hooks": [{"type": "command", "command": "/o/proofmark-hook codex", "timeout": 9}]}]}}"#;

/// All of it is `config.toml`; each of its lines is also a command line.
pub fn run(data: &[u8]) {
    let text = Input::new(data).text();
    for line in text.lines() {
        command(line);
    }
    let Ok(before) = toml::parse(&text) else { return };
    let trusts = trusts();
    let Ok(after) = with(&text, &trusts) else { return };
    let root = toml::parse(&after).expect("what was written can be read");
    for trust in &trusts {
        let is_off = state(Some(&before), trust) == State::Off;
        let expected = if is_off { State::Off } else { State::Trusted };
        assert_eq!(state(Some(&root), trust), expected);
    }
    assert_eq!(with(&after, &trusts).expect("it can be read"), after, "the same twice");
    assert_eq!(rest(&before), rest(&root), "nothing else changes");
    let out = without(&after, &trusts).expect("it can be read");
    let left = toml::parse(&out).expect("what is left can be read");
    assert_eq!(rest(&before), rest(&left), "nothing else goes");
    let knew = |node: &Node| trusts.iter().any(|trust| node.at(&["hooks", "state", &trust.key]).is_some());
    if !knew(&before) {
        assert!(!knew(&left), "no trust is left");
        assert_eq!(out, text, "to the byte");
    }
}

fn trusts() -> Vec<Trust> {
    let root = Language::Json.parse(HOOKS).expect("the hooks can be read").expect("and are there");
    hooks(&root, spec(Harness::Codex)).iter().map(|hook| of(hook, Path::new(FILE))).collect()
}

/// What the file says beside our trust, and beside tables that are empty without it.
fn rest(root: &Node) -> Value {
    let mut said = root.meaning();
    let keys: Vec<String> = trusts().into_iter().map(|trust| trust.key).collect();
    let hooks = said.get_mut("hooks").and_then(Value::as_object_mut);
    if let Some(hooks) = hooks {
        if let Some(all) = hooks.get_mut("state").and_then(Value::as_object_mut) {
            all.retain(|key, _| !keys.contains(key));
            if all.is_empty() {
                hooks.remove("state");
            }
        }
        if hooks.is_empty() {
            said.as_object_mut().map(|said| said.remove("hooks"));
        }
    }
    said
}

/// A command line is read the same with the program quoted anew.
fn command(line: &str) {
    let harness = Harness::Codex;
    if let program::Line::Ours { program, words } = program::line(line, harness) {
        let again = format!("{}{}{}", &line[..words.start], program::quoted(&program), &line[words.end..]);
        let program::Line::Ours { program: read, .. } = program::line(&again, harness) else {
            // `proofmark hook` has lost its second word.
            assert!(!program.ends_with("proofmark-hook"), "{again}");
            return;
        };
        assert_eq!(read, program);
    }
}
