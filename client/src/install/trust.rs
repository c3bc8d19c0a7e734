//! Trust in Codex's hooks: the hash and the key of each, and writing both into the person's `config.toml`.
//! Whether trust is given at all is the person's to say.

use std::path::Path;

use sha2::{Digest, Sha256};

use super::entries::Hook;
use super::language::{Language, Out, literal};
use super::splice::{self, Comments, Edit, Layout};
use super::toml;
use super::tree::{Kind, Node, Unparsed};

/// The events whose hooks are told apart by their group's matcher (Codex 0.171.0).
const MATCHED: &[&str] = &[
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "SessionStart",
    "SessionEnd",
    "PreCompact",
    "PostCompact",
    "SubagentStart",
    "SubagentStop",
];
/// The events whose hooks have 1 s if they ask for nothing, and never more than 3 s.
const SHORT: &[&str] = &["SessionEnd", "Interrupt"];
/// The seconds that every other hook has if it asks for nothing.
const TIMEOUT: u64 = 600;

/// What Codex knows a hook by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trust {
    /// File, event, group and place.
    pub(crate) key: String,
    /// Of what the hook says.
    pub(crate) hash: String,
}

/// What Codex (0.171.0) knows a hook of this file by. It takes the file's path as it is, without following links.
pub(crate) fn of(hook: &Hook<'_>, file: &Path) -> Trust {
    Trust {
        key: format!("{}:{}:{}:{}", file.display(), snake(hook.event), hook.group, hook.place),
        hash: hash(hook),
    }
}

/// What a hook says, as far as Codex knows it again by that; defaults filled in.
pub(crate) struct Definition<'a> {
    /// The event, as its key below `hooks`.
    pub(crate) event: &'a str,
    /// The command line.
    pub(crate) command: &'a str,
    /// Its time, in seconds.
    pub(crate) timeout: u64,
    /// False when Codex does not wait for it.
    pub(crate) waits: bool,
    /// What is shown while it runs.
    pub(crate) status: Option<&'a str>,
    /// The matcher of its group, for an event that has one.
    pub(crate) matcher: Option<&'a str>,
}

impl Definition<'_> {
    /// SHA-256 over it as JSON without white space, its names in the order of the alphabet (Codex 0.171.0).
    pub(crate) fn hash(&self) -> String {
        let json = |text: &str| serde_json::Value::from(text).to_string();
        let status = self
            .status
            .map(|status| format!(r#""statusMessage":{},"#, json(status)));
        let matcher = self.matcher.map(|matcher| format!(r#","matcher":{}"#, json(matcher)));
        let text = format!(
            r#"{{"event_name":{},"hooks":[{{"async":{},"command":{},{}"timeout":{},"type":"command"}}]{}}}"#,
            json(&snake(self.event)),
            !self.waits,
            json(self.command),
            status.unwrap_or_default(),
            self.timeout,
            matcher.unwrap_or_default(),
        );
        format!("sha256:{}", hex(&Sha256::digest(text)))
    }
}

fn hash(hook: &Hook<'_>) -> String {
    let is_short = SHORT.contains(&hook.event);
    let asked = hook.node.get("timeout").and_then(Node::whole);
    let timeout = asked.unwrap_or(if is_short { 1 } else { TIMEOUT }).max(1);
    let timeout = if is_short { timeout.min(3) } else { timeout };
    let text = |name: &str| hook.node.get(name).and_then(Node::text);
    let waits = hook.node.get("async").map(|node| &node.kind) != Some(&Kind::Bool(true));
    let definition = Definition {
        event: hook.event,
        command: text("command").unwrap_or_default(),
        timeout,
        waits,
        status: text("statusMessage"),
        matcher: hook.matcher.filter(|_| MATCHED.contains(&hook.event)),
    };
    definition.hash()
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `PreToolUse` as `pre_tool_use`.
pub(crate) fn snake(event: &str) -> String {
    let mut name = String::new();
    for (nth, c) in event.chars().enumerate() {
        if c.is_ascii_uppercase() && nth > 0 {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// What `config.toml` says of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Nothing, or it is about another content.
    Untrusted,
    /// It is trusted as it is.
    Trusted,
    /// It is switched off.
    Off,
}

/// What `config.toml` says of a hook.
pub(crate) fn state(toml: Option<&Node>, trust: &Trust) -> State {
    let Some(entry) = toml.and_then(|toml| toml.at(&["hooks", "state", &trust.key])) else {
        return State::Untrusted;
    };
    match entry.get("trusted_hash").and_then(Node::text) {
        _ if entry.get("enabled").map(|node| &node.kind) == Some(&Kind::Bool(false)) => State::Off,
        Some(hash) if hash == trust.hash => State::Trusted,
        _ => State::Untrusted,
    }
}

/// `config.toml` with trust in these hooks.
///
/// # Errors
/// The text can't be read; its hooks stand on one line, where no table can be added.
pub(crate) fn with(text: &str, hooks: &[Trust]) -> Result<String, Unparsed> {
    let root = toml::parse(text)?;
    let layout = Layout::of(text, Some(&root), Comments::Hash);
    let (mut edits, mut blocks) = (Vec::new(), Vec::new());
    for trust in hooks
        .iter()
        .filter(|trust| state(Some(&root), trust) == State::Untrusted)
    {
        let line = Language::Toml.member("trusted_hash", &Out::Text(trust.hash.clone()), None, &layout);
        match root.at(&["hooks", "state", &trust.key]) {
            None => blocks.push(format!("[hooks.state.{}]{}{line}", literal(&trust.key), layout.newline)),
            Some(entry) if entry.members().is_none() => return Err(no_table(text, entry)),
            Some(entry) => match entry.get("trusted_hash") {
                Some(hash) => edits.push(Edit::replace(hash.span.clone(), literal(&trust.hash))),
                None => edits.push(toml::put_line(text, entry, layout.newline, &line)),
            },
        }
    }
    let enclosing = [&["hooks"][..], &["hooks", "state"]];
    let enclosing = enclosing.into_iter().find_map(|path| {
        let node = root.at(path)?;
        (!matches!(node.kind, Kind::Table(_))).then_some(node)
    });
    if let Some(node) = enclosing.filter(|_| !blocks.is_empty()) {
        if node.members().is_none() {
            return Err(no_table(text, node));
        }
        return Err(Unparsed::at(
            text,
            node.span.start,
            "the hooks stand between braces on one line, where trust can't be added",
        ));
    }
    if !blocks.is_empty() {
        edits.push(toml::put_at_end(text, layout.newline, &blocks));
    }
    Ok(splice::apply(text, edits))
}

/// Where a table belongs stands something else: what is added below it could not be read.
fn no_table(text: &str, node: &Node) -> Unparsed {
    Unparsed::at(text, node.span.start, "this is no table, so trust can't be added")
}

/// `config.toml` without trust in these hooks, as far as it is trust in exactly them.
///
/// # Errors
/// The text can't be read.
pub(crate) fn without(text: &str, hooks: &[Trust]) -> Result<String, Unparsed> {
    let root = toml::parse(text)?;
    let mut edits = Vec::new();
    let all = root.at(&["hooks", "state"]);
    let members = all.and_then(Node::members).unwrap_or_default();
    let is_ours = |key: &str, entry: &Node| {
        let hash = entry.get("trusted_hash").and_then(Node::text);
        hooks
            .iter()
            .any(|trust| trust.key == key && Some(trust.hash.as_str()) == hash)
    };
    let ours = members
        .iter()
        .enumerate()
        .filter(|(_, member)| is_ours(&member.name, &member.value));
    let ours: Vec<(usize, &Node)> = ours.map(|(nth, member)| (nth, &member.value)).collect();
    for (_, entry) in ours.iter().filter(|(_, entry)| matches!(entry.kind, Kind::Table(_))) {
        edits.extend(toml::take_out(text, entry));
    }
    if let Some(all) = all.filter(|all| matches!(all.kind, Kind::Object(_)) && !ours.is_empty()) {
        let places: Vec<usize> = ours.iter().map(|(nth, _)| *nth).collect();
        edits.extend(splice::take_out(text, all, Comments::Hash, &places));
    }
    Ok(toml::ended_as(text, splice::apply(text, edits)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::install::entries;
    use crate::install::harness::spec;
    use crate::install::json;

    /// What Codex 0.171.0 itself says of these hooks (`hooks/list` of its app server).
    #[test]
    fn hooks_are_known_by_what_codex_knows_them_by() {
        let text = r#"{"hooks":{
            "Stop":[{"hooks":[{"type":"command","command":"/opt/pm/proofmark-hook codex","timeout":60}]}],
            "PreToolUse":[{"matcher":"Bash|apply_patch","hooks":[
                {"type":"command","command":"'/é b/proofmark-hook' codex","timeout":10,"statusMessage":"say \"x\""},
                {"type":"command","command":"/opt/pm/proofmark-hook codex"}]}],
            "SessionEnd":[{"matcher":"m","hooks":[{"type":"command","command":"/opt/pm/proofmark-hook codex","timeout":10}]},
                {"hooks":[{"type":"command","command":"/opt/pm/proofmark-hook codex"}]}],
            "UserPromptSubmit":[{"matcher":"m","hooks":[{"type":"command","command":"/opt/pm/proofmark-hook codex","timeout":0,"async":true}]}],
            "SubagentStop":[{"matcher":"","hooks":[{"type":"command","command":"/opt/pm/proofmark-hook codex","timeout":3}]}]}}"#;
        let root = json::parse(text).unwrap().unwrap();
        let hooks = entries::hooks(&root, spec(proofmark_protocol::Harness::Codex));
        let found: Vec<Trust> = hooks.iter().map(|hook| of(hook, Path::new("/c/hooks.json"))).collect();
        let known = [
            (
                "stop:0:0",
                "7169ec8d5405814589e875f0a335a065cea05e854ba42c7713cc46bfd00b6639",
            ),
            (
                "pre_tool_use:0:0",
                "bf17ca169f36ab5984b1574701f689a81a5d4117b32625454e309423e676cf90",
            ),
            (
                "pre_tool_use:0:1",
                "a468f72aea01a2160f4b103cec5a0ca173f1eebf8dcc89bc387aecb612fe4ac8",
            ),
            (
                "session_end:0:0",
                "49aa51cba514a2e7bcf5803d097ce85a8e7188e8894fca65e0811639860e2e9e",
            ),
            (
                "session_end:1:0",
                "b00d20bbb3d0c09ba55f3cb6a03fc85ee0eb5678e279da44e5de2085238e59ac",
            ),
            (
                "user_prompt_submit:0:0",
                "489abe69b1ca4e8a36a1e933ea5d676e1b6df430de08ca6978cce0b403f98e5d",
            ),
            (
                "subagent_stop:0:0",
                "1d4970541a4ebe379cb30c6da76d0bc0422fd5980a1e50a6aea5e6ec4ed8665d",
            ),
        ];
        let known = known.map(|(key, hash)| Trust {
            key: format!("/c/hooks.json:{key}"),
            hash: format!("sha256:{hash}"),
        });
        assert_eq!(found, known);
        assert!(hooks.iter().all(Hook::is_ours));
    }

    fn given(nth: u8) -> Trust {
        Trust {
            key: format!("/h \"x\"/hooks.json:stop:{nth}:0"),
            hash: format!("sha256:{nth}"),
        }
    }

    #[test]
    fn trust_is_written_once_and_taken_back_to_the_byte() {
        for text in [
            "",
            "model = \"x\"\n",
            "model = \"x\"",
            "model = \"x\"\r\n\r\n[features]\r\nhooks = true # on\r\n",
            "[hooks.state]\n\"a\" = { trusted_hash = \"sha256:9\" }\n",
            "[hooks.state.\"b\"]\ntrusted_hash = \"sha256:9\"\n\n# the end\n",
            "hooks.Stop = []\n",
        ] {
            let both = [given(0), given(1)];
            let with = with(text, &both).unwrap();
            let root = toml::parse(&with).unwrap();
            for trust in &both {
                assert_eq!(state(Some(&root), trust), State::Trusted, "{with}");
            }
            assert_eq!(super::with(&with, &both).unwrap(), with);
            assert_eq!(without(&with, &both).unwrap(), text, "{with}");
        }
    }

    #[test]
    fn only_trust_in_exactly_this_hook_counts_and_is_taken_back() {
        let other = "[hooks.state.'/h \"x\"/hooks.json:stop:0:0']\ntrusted_hash = \"sha256:old\"\nenabled = true\n";
        let root = toml::parse(other).unwrap();
        assert_eq!(state(Some(&root), &given(0)), State::Untrusted);
        assert_eq!(without(other, &[given(0)]).unwrap(), other);
        assert_eq!(
            with(other, &[given(0)]).unwrap(),
            other.replace("sha256:old", "sha256:0")
        );
        let off = other.replace("true", "false").replace("sha256:old", "sha256:0");
        assert_eq!(state(Some(&toml::parse(&off).unwrap()), &given(0)), State::Off);
        assert_eq!(
            with(&off, &[given(0)]).unwrap(),
            off,
            "what a person has switched off stays so"
        );
        for no_place in [
            "hooks = { Stop = [] }\n",
            "hooks = true\n",
            "hooks.state = []\n",
            "[[hooks]]\n",
            "[hooks.state]\n'/h \"x\"/hooks.json:stop:0:0' = true\n",
        ] {
            assert!(with(no_place, &[given(0)]).is_err(), "{no_place}");
        }
    }
}
