//! The settings a person can make, and how layers of them add up.
//! Reading files and the environment stays out; layers arrive as JSON values.

mod reply;

use std::collections::BTreeMap;

pub use reply::{Judge, JudgeRunner, MAX_WAIT_SECONDS, Optional, Refusing, ReplyLength};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a check may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// It does not run.
    Off,
    /// It says what it finds.
    Advise,
    /// It sends the agent back.
    Refuse,
}

/// When open claims are brought up at a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reminder {
    /// Never.
    Off,
    /// Once they are 3 turns old.
    Stale,
    /// At the next prompt.
    NextPrompt,
}

/// How a tool that Proofmark does not know is to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ToolEffect {
    /// It looks at something.
    Observes,
    /// It changes something.
    Mutates,
    /// It does neither.
    Neither,
}

/// Settings of the check `untried-claim`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct UntriedClaim {
    /// What it may do.
    pub mode: Mode,
    /// Refuse any tag in prose.
    pub strict: bool,
    /// When open claims are brought up.
    pub reminder: Reminder,
    /// Tell the agent the tag's form when a session or a helper agent starts.
    pub teach: bool,
}

impl Default for UntriedClaim {
    fn default() -> Self {
        Self {
            mode: Mode::Refuse,
            strict: false,
            reminder: Reminder::NextPrompt,
            teach: true,
        }
    }
}

/// Settings of a check that has a mode and no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Advisory {
    /// What it may do.
    pub mode: Mode,
}

impl Default for Advisory {
    fn default() -> Self {
        Self { mode: Mode::Advise }
    }
}

/// Phrases of one language, beside the shipped English ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct PhraseSet {
    /// Phrases that correct the direction of the work, in any letter case.
    pub corrections: Vec<String>,
    /// Phrases that ask for more, and so take a correction back.
    pub expansions: Vec<String>,
}

/// Settings of the check `scope-lock`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ScopeLock {
    /// What it may do; `off` records nothing either.
    pub mode: Mode,
    /// How many of the agent's turns before a correction are looked at for something that was changed; 1 at least.
    pub window: u64,
    /// After so many turns of the person under a contract, without a further correction, earlier corrections no longer
    /// count.
    pub decay_turns: u64,
    /// Let the agent look at things while all its tools are stopped.
    pub hard_stop_reading: bool,
    /// More phrases, by a name of the person's own.
    pub phrases: BTreeMap<String, PhraseSet>,
}

impl Default for ScopeLock {
    fn default() -> Self {
        Self {
            mode: Mode::Refuse,
            window: 1,
            decay_turns: 5,
            hard_stop_reading: false,
            phrases: BTreeMap::new(),
        }
    }
}

/// All settings, with every default filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Settings {
    /// `[checks.untried-claim]`.
    pub untried_claim: UntriedClaim,
    /// `[checks.stale-verdict]`.
    pub stale_verdict: Advisory,
    /// `[checks.claimed-pass]`.
    pub claimed_pass: Advisory,
    /// `[checks.scope-lock]`.
    pub scope_lock: ScopeLock,
    /// `[checks.scope-drift]`.
    pub scope_drift: Advisory,
    /// `[checks.plain-words]`.
    pub plain_words: Refusing,
    /// `[checks.unproven-claim]`.
    pub unproven_claim: Optional,
    /// `[checks.malformed-tag]`.
    pub malformed_tag: Refusing,
    /// `[checks.reply-length]`.
    pub reply_length: ReplyLength,
    /// `[judge]`.
    pub judge: Judge,
    /// `[server] idle_minutes`: the server exits after so many minutes without an event or an editor.
    pub idle_minutes: u64,
    /// `[ledger] keep_days`: sessions that were not heard of for so many days are removed; 0 keeps them all.
    pub keep_days: u64,
    /// `[tools]`: what tools do, by name or by prefix with a final `*`.
    pub tools: BTreeMap<String, ToolEffect>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            untried_claim: UntriedClaim::default(),
            stale_verdict: Advisory::default(),
            claimed_pass: Advisory::default(),
            scope_lock: ScopeLock::default(),
            scope_drift: Advisory::default(),
            plain_words: Refusing::default(),
            unproven_claim: Optional::default(),
            malformed_tag: Refusing::default(),
            reply_length: ReplyLength::default(),
            judge: Judge::default(),
            idle_minutes: 30,
            keep_days: 180,
            tools: BTreeMap::new(),
        }
    }
}

/// Who wrote a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layer {
    /// The person's own file or environment: it may set anything.
    Person,
    /// A project's file: it may only tighten.
    Project,
}

impl Settings {
    /// Lays one more layer over these settings. Unknown keys are ignored; each bad value is named in the answer and changes nothing.
    pub fn lay_over(&mut self, layer: Layer, source: &str, value: &Value) -> Vec<String> {
        let mut reader = Reader {
            source,
            layer,
            bad: Vec::new(),
        };
        let checks = reader.table(value, "checks", "checks");
        let check = reader.table(checks, "checks.untried-claim", "untried-claim");
        let server = reader.table(value, "server", "server");
        let ledger = reader.table(value, "ledger", "ledger");
        let claim = &mut self.untried_claim;
        reader.set(check, "checks.untried-claim", "mode", &mut claim.mode, |old, new| {
            new > old
        });
        reader.set(check, "checks.untried-claim", "strict", &mut claim.strict, |_, new| {
            *new
        });
        reader.set(
            check,
            "checks.untried-claim",
            "reminder",
            &mut claim.reminder,
            |_, _| false,
        );
        reader.set(check, "checks.untried-claim", "teach", &mut claim.teach, |_, _| false);
        for (code, slot) in [
            ("stale-verdict", &mut self.stale_verdict),
            ("claimed-pass", &mut self.claimed_pass),
            ("scope-drift", &mut self.scope_drift),
        ] {
            let path = format!("checks.{code}");
            let check = reader.table(checks, &path, code);
            reader.set(check, &path, "mode", &mut slot.mode, |old, new| new > old);
        }
        reader.scope_lock(checks, &mut self.scope_lock);
        let replies = reply::Replies {
            judge: &mut self.judge,
            plain_words: &mut self.plain_words,
            malformed_tag: &mut self.malformed_tag,
            unproven_claim: &mut self.unproven_claim,
            reply_length: &mut self.reply_length,
        };
        reader.replies(value, checks, replies);
        reader.set(server, "server", "idle_minutes", &mut self.idle_minutes, |_, _| false);
        reader.set(ledger, "ledger", "keep_days", &mut self.keep_days, |_, _| false);
        if layer == Layer::Person {
            let tools = reader.table(value, "tools", "tools");
            for name in tools.as_object().into_iter().flat_map(serde_json::Map::keys) {
                let mut effect = None;
                reader.set(tools, "tools", name, &mut effect, |_, _| true);
                if let Some(effect) = effect {
                    self.tools.insert(name.clone(), effect);
                }
            }
        }
        reader.bad
    }

    /// The same, where nothing can be held up: what would be refused is only said.
    #[must_use]
    pub fn advising(&self) -> Self {
        let mut advising = self.clone();
        for mode in advising.modes_mut() {
            *mode = (*mode).min(Mode::Advise);
        }
        advising
    }

    /// The mode of every check.
    pub fn modes_mut(&mut self) -> [&mut Mode; 9] {
        [
            &mut self.untried_claim.mode,
            &mut self.stale_verdict.mode,
            &mut self.claimed_pass.mode,
            &mut self.scope_lock.mode,
            &mut self.scope_drift.mode,
            &mut self.plain_words.mode,
            &mut self.unproven_claim.mode,
            &mut self.malformed_tag.mode,
            &mut self.reply_length.mode,
        ]
    }

    /// What the person said a tool does: its exact name first, then the longest prefix.
    pub fn tool_effect(&self, tool: &str) -> Option<ToolEffect> {
        let by_prefix = || {
            let fits = |pattern: &&String| pattern.strip_suffix('*').is_some_and(|prefix| tool.starts_with(prefix));
            self.tools.keys().filter(fits).max_by_key(|pattern| pattern.len())
        };
        self.tools.get(tool).or_else(|| self.tools.get(by_prefix()?)).copied()
    }
}

/// Reads single values of one layer and keeps what was wrong with them.
struct Reader<'a> {
    source: &'a str,
    layer: Layer,
    bad: Vec<String>,
}

impl Reader<'_> {
    /// The table at `parent[key]`; null where there is none. A single value in its place sets nothing, so it is a bad one.
    fn table<'v>(&mut self, parent: &'v Value, path: &str, key: &str) -> &'v Value {
        let found = &parent[key];
        if !found.is_object() && !found.is_null() {
            self.bad.push(format!(
                "{}: {path} = {found} is no table and changes nothing",
                self.source
            ));
        }
        found
    }

    fn scope_lock(&mut self, checks: &Value, lock: &mut ScopeLock) {
        const PATH: &str = "checks.scope-lock";
        let check = self.table(checks, PATH, "scope-lock");
        self.set(check, PATH, "mode", &mut lock.mode, |old, new| new > old);
        self.set(check, PATH, "window", &mut lock.window, |_, _| false);
        self.set(check, PATH, "decay_turns", &mut lock.decay_turns, |_, _| false);
        self.set(
            check,
            PATH,
            "hard_stop_reading",
            &mut lock.hard_stop_reading,
            |_, new| !*new,
        );
        let phrases = self.table(check, "checks.scope-lock.phrases", "phrases");
        for name in phrases.as_object().into_iter().flat_map(serde_json::Map::keys) {
            let mut set = None;
            self.set(phrases, "checks.scope-lock.phrases", name, &mut set, |_, _| false);
            lock.phrases.extend(set.map(|set| (name.clone(), set)));
        }
    }

    /// Keeps what is wrong with a value in a way that its type does not tell.
    fn name_bad(&mut self, what: String) {
        self.bad.push(format!("{}: {what}", self.source));
    }

    /// Sets `slot` from `table[key]`; a project's value is taken only where `tightens(old, new)`.
    fn set<T>(&mut self, table: &Value, path: &str, key: &str, slot: &mut T, tightens: fn(&T, &T) -> bool)
    where
        T: for<'de> Deserialize<'de>,
    {
        let Some(value) = table.get(key) else { return };
        match serde_json::from_value::<T>(value.clone()) {
            Ok(new) if self.layer == Layer::Person || tightens(slot, &new) => *slot = new,
            Ok(_) => {}
            Err(_) => self.bad.push(format!(
                "{}: {path}.{key} = {value} is not known and changes nothing",
                self.source
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_bad_value_is_named_and_changes_nothing() {
        let mut settings = Settings::default();
        let bad = settings.lay_over(
            Layer::Person,
            "config.toml",
            &json!({"checks": {"untried-claim": {"reminder": "loud", "strict": true}, "later": {"mode": 3}}, "x": 1}),
        );
        assert_eq!(bad.len(), 1);
        assert!(bad[0].contains("\"loud\""), "{bad:?}");
        assert!(settings.untried_claim.strict);
        assert_eq!(settings.untried_claim.reminder, Reminder::NextPrompt);
    }

    #[test]
    fn a_value_where_a_table_belongs_is_named_and_changes_nothing() {
        for (value, named) in [
            (
                json!({"checks": {"untried-claim": "off"}}),
                "checks.untried-claim = \"off\"",
            ),
            (json!({"checks": false}), "checks = false"),
            (json!({"server": [30]}), "server = [30]"),
            (json!({"tools": "neither"}), "tools = \"neither\""),
        ] {
            let mut settings = Settings::default();
            let bad = settings.lay_over(Layer::Person, "config.toml", &value);
            assert_eq!(bad, [format!("config.toml: {named} is no table and changes nothing")]);
            assert_eq!(settings, Settings::default());
        }
        let nothing = Settings::default().lay_over(Layer::Person, "environment", &Value::Null);
        assert!(nothing.is_empty(), "{nothing:?}");
    }

    #[test]
    fn a_project_only_tightens() {
        let mut settings = Settings::default();
        let project = json!({"checks": {"untried-claim": {"mode": "off", "strict": true, "teach": false}}, "tools": {"Bash": "neither"}});
        assert!(settings.lay_over(Layer::Project, "proofmark.toml", &project).is_empty());
        assert_eq!(
            settings.untried_claim,
            UntriedClaim {
                strict: true,
                ..UntriedClaim::default()
            }
        );
        assert!(settings.tools.is_empty());
        settings.untried_claim.mode = Mode::Off;
        settings.lay_over(
            Layer::Project,
            "proofmark.toml",
            &json!({"checks": {"untried-claim": {"mode": "refuse"}}}),
        );
        assert_eq!(settings.untried_claim.mode, Mode::Refuse);
    }

    #[test]
    fn a_project_makes_a_scope_lock_no_easier_to_lift() {
        let mut settings = Settings::default();
        let person = json!({"checks": {"scope-lock": {
            "mode": "advise", "window": 2, "hard_stop_reading": true,
            "phrases": {"de": {"corrections": ["das wollte ich nicht"]}, "it": 3},
        }}});
        let bad = settings.lay_over(Layer::Person, "config.toml", &person);
        assert_eq!(bad.len(), 1, "{bad:?}");
        assert!(bad[0].contains("scope-lock.phrases.it"), "{bad:?}");
        let project = json!({"checks": {"scope-lock": {
            "mode": "refuse", "window": 9, "decay_turns": 0, "hard_stop_reading": false,
            "phrases": {"fr": {"corrections": ["oui"]}},
        }}});
        assert!(settings.lay_over(Layer::Project, "proofmark.toml", &project).is_empty());
        let corrections = vec!["das wollte ich nicht".to_owned()];
        let german = PhraseSet {
            corrections,
            expansions: Vec::new(),
        };
        assert_eq!(
            settings.scope_lock,
            ScopeLock {
                window: 2,
                phrases: BTreeMap::from([("de".to_owned(), german)]),
                ..ScopeLock::default()
            }
        );
    }

    #[test]
    fn a_tool_is_found_by_name_then_by_longest_prefix() {
        let mut settings = Settings::default();
        let tools = json!({"tools": {"mcp__*": "neither", "mcp__db__*": "observes", "mcp__db__write": "mutates"}});
        settings.lay_over(Layer::Person, "config.toml", &tools);
        assert_eq!(settings.tool_effect("mcp__db__write"), Some(ToolEffect::Mutates));
        assert_eq!(settings.tool_effect("mcp__db__read"), Some(ToolEffect::Observes));
        assert_eq!(settings.tool_effect("mcp__x"), Some(ToolEffect::Neither));
        assert_eq!(settings.tool_effect("Bash"), None);
    }
}
