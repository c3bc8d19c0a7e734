//! Settings about replies: the judge with its runners, and the checks that need no model.
//! Starting a runner, and reading the lists that are named here, stays out.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Layer, Mode, Reader};

/// The longest wait for the judge, in seconds: the shortest limit that a harness sets for a hook is 60 s (Cursor 3.x),
/// and the rest of a stop has to fit below it too.
pub const MAX_WAIT_SECONDS: u64 = 50;

/// A program that answers the judge's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct JudgeRunner {
    /// What it is called in messages.
    pub name: String,
    /// The program and its arguments; the question goes to its stdin. No shell reads this.
    pub command: Vec<String>,
    /// Variables of the server's environment that it may see, beside the few that every program needs.
    #[serde(default)]
    pub env: Vec<String>,
}

/// Settings of the judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Judge {
    /// Whether replies are put to a model at all.
    pub enabled: bool,
    /// How long a turn waits for the answer, in seconds, all runners together; 1 to 50.
    pub wait_seconds: u64,
    /// Whether a reply is left out in which nothing could be quoted: all of it is code, or the person's own words.
    pub prefilter: bool,
    /// Files with more word lists, seen from the settings file's folder.
    pub lists: Vec<String>,
    /// Names of lists that are not used.
    pub skip: Vec<String>,
    /// The runners, in the order in which they are tried.
    pub runner: Vec<JudgeRunner>,
    /// Files with word lists that the project's own settings name, seen from its folder.
    #[serde(skip)]
    pub project_lists: Vec<String>,
}

impl Default for Judge {
    fn default() -> Self {
        Self {
            enabled: false,
            wait_seconds: 20,
            prefilter: false,
            lists: Vec::new(),
            skip: Vec::new(),
            runner: Vec::new(),
            project_lists: Vec::new(),
        }
    }
}

/// Settings of a check that refuses by default and has nothing else to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Refusing {
    /// What it may do.
    pub mode: Mode,
}

impl Default for Refusing {
    fn default() -> Self {
        Self { mode: Mode::Refuse }
    }
}

/// Settings of a check that is off by default and has nothing else to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Optional {
    /// What it may do.
    pub mode: Mode,
}

impl Default for Optional {
    fn default() -> Self {
        Self { mode: Mode::Off }
    }
}

/// Settings of the check `reply-length`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct ReplyLength {
    /// What it may do.
    pub mode: Mode,
    /// How many words a reply may have, code and tables not counted.
    pub limit: u64,
}

impl Default for ReplyLength {
    fn default() -> Self {
        Self {
            mode: Mode::Off,
            limit: 150,
        }
    }
}

/// The settings of this file, as they stand in all settings.
pub(super) struct Replies<'a> {
    pub(super) judge: &'a mut Judge,
    pub(super) plain_words: &'a mut Refusing,
    pub(super) malformed_tag: &'a mut Refusing,
    pub(super) unproven_claim: &'a mut Optional,
    pub(super) reply_length: &'a mut ReplyLength,
}

impl Reader<'_> {
    /// Lays the part of a layer over that is about replies; `root` is the layer, `checks` its table of checks.
    pub(super) fn replies(&mut self, root: &Value, checks: &Value, replies: Replies<'_>) {
        for (code, mode) in [
            ("plain-words", &mut replies.plain_words.mode),
            ("malformed-tag", &mut replies.malformed_tag.mode),
            ("unproven-claim", &mut replies.unproven_claim.mode),
            ("reply-length", &mut replies.reply_length.mode),
        ] {
            let path = format!("checks.{code}");
            let check = self.table(checks, &path, code);
            self.set(check, &path, "mode", mode, |old, new| new > old);
        }
        let limit = &mut replies.reply_length.limit;
        self.set(
            &checks["reply-length"],
            "checks.reply-length",
            "limit",
            limit,
            |old, new| new < old,
        );
        self.judge(root, replies.judge);
    }

    fn judge(&mut self, root: &Value, judge: &mut Judge) {
        let table = self.table(root, "judge", "judge");
        self.set(table, "judge", "enabled", &mut judge.enabled, |_, _| false);
        self.set(table, "judge", "prefilter", &mut judge.prefilter, |_, _| false);
        self.set(table, "judge", "skip", &mut judge.skip, |_, _| false);
        let mut wait = judge.wait_seconds;
        self.set(table, "judge", "wait_seconds", &mut wait, |_, _| false);
        judge.wait_seconds = wait.clamp(1, MAX_WAIT_SECONDS);
        if judge.wait_seconds != wait {
            let used = judge.wait_seconds;
            self.name_bad(format!(
                "judge.wait_seconds = {wait} is not within 1 and {MAX_WAIT_SECONDS}, which stays below the limits of the \
                 harnesses; {used} is used"
            ));
        }
        // What is run is the person's alone to say.
        let mut runners: Option<Vec<JudgeRunner>> = None;
        self.set(table, "judge", "runner", &mut runners, |_, _| false);
        let runs =
            |runner: &JudgeRunner| !runner.name.is_empty() && runner.command.first().is_some_and(|it| !it.is_empty());
        match runners {
            Some(runners) if runners.iter().all(runs) => judge.runner = runners,
            Some(_) => self.name_bad("judge.runner needs a name and a command in each, and changes nothing".to_owned()),
            None => {}
        }
        let mut lists = Vec::<String>::new();
        if self.layer == Layer::Person {
            self.set(table, "judge", "lists", &mut judge.lists, |_, _| true);
            return;
        }
        self.set(table, "judge", "lists", &mut lists, |_, _| true);
        for list in lists {
            if judge.project_lists.contains(&list) {
                continue;
            }
            if Path::new(&list)
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
            {
                judge.project_lists.push(list);
            } else {
                self.name_bad(format!("judge.lists: {list} leads out of the project and is not read"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Settings;
    use super::*;

    #[test]
    fn the_judge_is_off_and_a_project_neither_turns_it_on_nor_names_what_is_run() {
        let mut settings = Settings::default();
        assert!(!settings.judge.enabled);
        let project = json!({"judge": {
            "enabled": true, "wait_seconds": 1, "skip": ["x"], "runner": [{"name": "a", "command": ["b"]}],
            "lists": ["words/own.toml", "../other.toml", "/etc/list.toml"],
        }});
        let bad = settings.lay_over(Layer::Project, "proofmark.toml", &project);
        assert_eq!(bad.len(), 2, "{bad:?}");
        // The same file twice is the same once.
        assert_eq!(settings.lay_over(Layer::Project, "proofmark.toml", &project), bad);
        let judge = Judge {
            project_lists: vec!["words/own.toml".to_owned()],
            ..Judge::default()
        };
        assert_eq!(settings.judge, judge);
    }

    #[test]
    fn a_wait_beyond_the_harnesses_limits_is_named_and_bounded() {
        for (given, used, named) in [(1, 1, 0), (50, 50, 0), (51, 50, 1), (0, 1, 1)] {
            let mut settings = Settings::default();
            let bad = settings.lay_over(Layer::Person, "c", &json!({"judge": {"wait_seconds": given}}));
            assert_eq!(
                (settings.judge.wait_seconds, bad.len()),
                (used, named),
                "{given}: {bad:?}"
            );
        }
    }

    #[test]
    fn a_runner_needs_a_command() {
        for (runner, taken) in [
            (json!([{"name": "a", "command": ["b", "c"], "env": ["KEY"]}]), 1),
            (json!([{"name": "a", "command": []}]), 0),
            (json!([{"name": "a", "command": "b c"}]), 0),
            (json!([{"name": "", "command": ["b"]}]), 0),
        ] {
            let mut settings = Settings::default();
            let bad = settings.lay_over(Layer::Person, "c", &json!({"judge": {"runner": runner}}));
            assert_eq!(settings.judge.runner.len(), taken, "{runner}");
            assert_eq!(bad.len(), 1 - taken, "{runner}: {bad:?}");
        }
    }

    #[test]
    fn a_project_tightens_the_checks_of_replies() {
        let mut settings = Settings::default();
        let mut lay = |length: Value| {
            settings.lay_over(
                Layer::Project,
                "p",
                &json!({"checks": {"reply-length": length, "plain-words": {"mode": "off"}}}),
            );
            (settings.reply_length.mode, settings.reply_length.limit)
        };
        assert_eq!(lay(json!({"mode": "refuse", "limit": 200})), (Mode::Refuse, 150));
        assert_eq!(lay(json!({"mode": "advise", "limit": 90})), (Mode::Refuse, 90));
        assert_eq!(settings.plain_words.mode, Mode::Refuse);
    }
}
