//! A live session as data: what the person says, what the model answers, and what has to come of it.
//! How a harness is run is that harness's room.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use crate::model::{MAIN, Model, Script};
use crate::process;
use crate::world::World;

/// A harness that holds one session with the scripted model.
pub trait Client {
    /// Submits a prompt and waits until the turn has ended.
    ///
    /// # Errors
    /// It does not end in time, or the session takes no prompt.
    fn prompt(&mut self, text: &str) -> Result<()>;

    /// Ends the session.
    ///
    /// # Errors
    /// It does not end.
    fn finish(self: Box<Self>) -> Result<Ended>;
}

/// Starts a session in a world, for a model.
pub type Start<'a> = dyn for<'w> Fn(&'w World, &Model) -> Result<Box<dyn Client + 'w>> + 'a;

/// What a session left when it ended by itself.
#[derive(Debug, Default)]
pub struct Ended {
    /// The exit code; none when a signal ended it.
    pub code: Option<i32>,
    /// The lines it printed.
    pub lines: Vec<String>,
    /// What it printed as errors.
    pub stderr: String,
}

/// A harness writes a turn down within this time after its end.
const READ_LIMIT: Duration = Duration::from_secs(10);
/// The project's folder in a recording.
pub const RECORDED_PROJECT: &str = "/home/dev/dates";
/// Stands in a scenario for the path of the project.
const PROJECT: &str = "@PROJECT@";

/// One session of a harness.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it shows.
    pub about: String,
    /// Files in the project before the session, by path relative to it.
    #[serde(default)]
    files: BTreeMap<PathBuf, String>,
    /// What happens, in order.
    steps: Vec<Step>,
    /// What the model says.
    script: Script,
    /// What has to come of it.
    expect: Expect,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    /// The person submits a prompt, and the turn runs to its end.
    Prompt(String),
    /// The server is killed, as a crash would.
    KillServer,
    /// The person reads what the agent said: its harness has written that down by then.
    Read(String),
    /// The person runs `proofmark` with these arguments, in a terminal of their own.
    Proofmark(Vec<String>),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    /// How often the model is asked by the agent.
    requests: usize,
    /// What single requests tell the model.
    told: Vec<Told>,
    /// The same for helper agents, by the model's lane that answers them.
    #[serde(default)]
    helpers: BTreeMap<String, Asked>,
    /// The claims that are open on the ledger afterwards, in any order.
    open: BTreeSet<String>,
    /// What the checks found and kept, a code each, in the order in which it was found.
    #[serde(default)]
    findings: Vec<String>,
    /// Files in the project afterwards, by path relative to it, with what they hold; none for a file that is not there.
    #[serde(default)]
    files: BTreeMap<PathBuf, Option<String>>,
    /// Where the scope stands afterwards.
    #[serde(default)]
    scope: Option<String>,
}

/// What a helper agent asks the model.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// How often.
    requests: usize,
    /// What single requests tell the model.
    told: Vec<Told>,
}

/// What one request tells the model that the request before it did not.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Told {
    /// Which request, counted from 1.
    request: usize,
    /// Pieces of text that are new in it, beside the model's own words.
    #[serde(default)]
    holds: Vec<String>,
    /// Pieces of text that are not new in it.
    #[serde(default)]
    lacks: Vec<String>,
}

/// The folder of this repository's test data.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("fixtures")
}

/// A scenario from `fixtures/live`, by its name without the extension.
///
/// # Errors
/// There is no such file, or it is no scenario.
pub fn load(name: &str, world: &World) -> Result<Scenario> {
    let path = fixtures().join("live").join(name).with_extension("json");
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let project = world
        .project()
        .to_str()
        .context("the project's path is no UTF-8")?
        .to_owned();
    serde_json::from_str(&text.replace(PROJECT, &project)).with_context(|| path.display().to_string())
}

impl Scenario {
    /// Writes the files that are in the project before the session.
    ///
    /// # Errors
    /// One can't be written.
    pub(crate) fn lay(&self, world: &World) -> Result<()> {
        for (path, text) in &self.files {
            let path = world.project().join(path);
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// Plays it with a harness in a fresh world, and checks what came of it.
    ///
    /// # Errors
    /// The session cannot be run, or anything is not as expected; the error says what, and what the model was told.
    pub fn play(&self, start: &Start<'_>, world: &World) -> Result<()> {
        self.lay(world)?;
        let model = Model::start(self.script.clone())?;
        let mut session = start(world, &model)?;
        for step in &self.steps {
            match step {
                Step::Prompt(text) => {
                    session.prompt(text)?;
                    ensure!(world.is_served()?, "no server runs after {text:?}");
                }
                Step::KillServer => world.kill_server()?,
                Step::Read(text) => {
                    let written = process::until(READ_LIMIT, || world.is_recorded(text).then_some(()));
                    ensure!(written.is_some(), "no record holds {text:?}");
                }
                Step::Proofmark(arguments) => {
                    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
                    let run = world.proofmark(&arguments)?;
                    ensure!(run.code == Some(0), "proofmark {arguments:?}: {run:?}");
                }
            }
        }
        let ended = session.finish()?;
        let told = fresh(&model.asked(MAIN));
        let helpers = self.expect.helpers.iter().try_for_each(|(lane, expected)| {
            expect_asked(&fresh(&model.asked(lane)), expected.requests, &expected.told).with_context(|| lane.clone())
        });
        let checked = helpers
            .and_then(|()| self.check(&ended, &told, &world.claims()?))
            .and_then(|()| self.expect.left(world));
        checked.with_context(|| {
            let shown: Vec<String> = told
                .iter()
                .enumerate()
                .map(|(at, text)| format!("--- request {}\n{text}", at + 1))
                .collect();
            let notices = notices(&ended.lines).join("\n");
            format!(
                "{}\n{}\nnotices: {notices}\nstderr: {}",
                self.about,
                shown.join("\n"),
                ended.stderr
            )
        })
    }

    fn check(&self, ended: &Ended, told: &[String], claims: &[Value]) -> Result<()> {
        ensure!(ended.code == Some(0), "exit code {:?}", ended.code);
        for line in &ended.lines {
            let reported = serde_json::from_str::<Value>(line).unwrap_or_default();
            // Claude Code reports each turn's result; Codex has an event of its own for one that failed.
            let failed = match reported["type"].as_str() {
                Some("result") => reported["is_error"] != false,
                Some("turn.failed") => true,
                _ => false,
            };
            ensure!(!failed, "a turn failed: {line}");
        }
        expect_asked(told, self.expect.requests, &self.expect.told)?;
        let open = claims.iter().filter(|claim| claim["state"] == "open");
        let open: Vec<&str> = open.filter_map(|claim| claim["claim"].as_str()).collect();
        // The lengths as well: one claim on the ledger twice is a failure.
        let same = open.len() == self.expect.open.len() && open.iter().all(|claim| self.expect.open.contains(*claim));
        ensure!(same, "the open claims are {open:?}, of {claims:#?}");
        Ok(())
    }
}

impl Expect {
    /// Holds what is left on the ledger and in the project to what was expected.
    fn left(&self, world: &World) -> Result<()> {
        let findings = world.told(&["findings", "--json"])?;
        let list = findings.as_array().context("no list of findings")?;
        let found: Vec<&str> = list.iter().filter_map(|finding| finding["code"].as_str()).collect();
        ensure!(found == self.findings, "the findings are {found:?}, of {findings:#?}");
        for (path, expected) in &self.files {
            let text = fs::read_to_string(world.project().join(path)).ok();
            ensure!(text == *expected, "{} holds {text:?}", path.display());
        }
        if let Some(phase) = &self.scope {
            let status = world.told(&["status", "--json"])?;
            let sessions = status["sessions"].as_array().context("no list of sessions")?;
            let there = |session: &Value| session["scope"]["phase"] == phase.as_str();
            ensure!(!sessions.is_empty() && sessions.iter().all(there), "{sessions:#?}");
        }
        Ok(())
    }
}

/// Holds what an agent asked the model to what was expected.
fn expect_asked(told: &[String], requests: usize, expected: &[Told]) -> Result<()> {
    ensure!(
        told.len() == requests,
        "{} requests, not {requests}: {told:#?}",
        told.len()
    );
    for expected in expected {
        let at = expected.request;
        let text = at.checked_sub(1).and_then(|index| told.get(index));
        let text = text.with_context(|| format!("there is no request {at}"))?;
        for piece in &expected.holds {
            ensure!(text.contains(piece), "request {at} does not tell {piece:?}");
        }
        for piece in &expected.lacks {
            ensure!(!text.contains(piece), "request {at} tells {piece:?}");
        }
    }
    Ok(())
}

/// What the harness told the person beside the model's words: there a check that could not be done is named.
fn notices(lines: &[String]) -> Vec<&str> {
    let is_notice = |line: &&String| {
        let line = serde_json::from_str::<Value>(line).unwrap_or_default();
        line["type"] == "system" && line["subtype"] != "init"
    };
    lines.iter().filter(is_notice).map(String::as_str).collect()
}

/// For each request the text in those messages that the request before did not have, without the model's own.
fn fresh(requests: &[Value]) -> Vec<String> {
    let mut known = 0;
    let mut told = Vec::new();
    for request in requests {
        // The Messages API calls them messages; in the Responses API results of calls stand among them.
        let messages = request["messages"].as_array().or_else(|| request["input"].as_array());
        let messages = messages.map(Vec::as_slice).unwrap_or_default();
        let mut text = String::new();
        for message in messages
            .iter()
            .skip(known)
            .filter(|message| message["role"] != "assistant")
        {
            gather(&message["content"], &mut text);
            gather(&message["output"], &mut text);
        }
        known = messages.len();
        told.push(text);
    }
    told
}

/// Every string inside a value, one a line.
fn gather(value: &Value, into: &mut String) {
    match value {
        Value::String(text) => {
            into.push_str(text);
            into.push('\n');
        }
        Value::Array(values) => values.iter().for_each(|value| gather(value, into)),
        Value::Object(fields) => fields.values().for_each(|value| gather(value, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_is_new_and_not_the_models_counts_as_told() {
        let prompt = json!({"role": "user", "content": "first"});
        let reply = json!({"role": "assistant", "content": [{"type": "text", "text": "said"}]});
        let feedback = json!({"role": "user", "content": [{"type": "tool_result", "content": [{"text": "no"}]}]});
        let requests = [
            json!({"messages": [prompt]}),
            json!({"messages": [prompt, reply, feedback]}),
        ];
        assert_eq!(fresh(&requests)[0], "first\n");
        let second = &fresh(&requests)[1];
        assert!(
            second.contains("no\n") && !second.contains("first") && !second.contains("said"),
            "{second}"
        );
    }

    #[test]
    fn each_expectation_can_fail() {
        let scenario: Scenario = serde_json::from_value(json!({
            "about": "x", "steps": ["kill_server", {"prompt": "x"}], "script": {"lanes": {}},
            "expect": {
                "requests": 2,
                "told": [{"request": 2, "holds": ["held"], "lacks": ["loose"]}],
                "open": ["c"]
            }
        }))
        .unwrap();
        let open = json!({"claim": "c", "state": "open", "id": "1"});
        let closed = json!({"claim": "c", "state": "closed"});
        let (fine, failed) = (
            r#"{"type":"result","is_error":false}"#,
            r#"{"type":"result","is_error":true}"#,
        );
        let told = vec!["a", "it is held"];
        let cases = [
            (Some(0), fine, told.clone(), vec![open.clone()], None),
            (Some(0), failed, told.clone(), vec![open.clone()], Some("a turn failed")),
            (
                Some(0),
                r#"{"type":"turn.failed"}"#,
                told.clone(),
                vec![open.clone()],
                Some("a turn failed"),
            ),
            (Some(1), fine, told.clone(), vec![open.clone()], Some("exit code")),
            (None, fine, told.clone(), vec![open.clone()], Some("exit code")),
            (
                Some(0),
                fine,
                vec!["it is held"],
                vec![open.clone()],
                Some("1 requests, not 2"),
            ),
            (
                Some(0),
                fine,
                vec!["held", "other"],
                vec![open.clone()],
                Some("does not tell"),
            ),
            (
                Some(0),
                fine,
                vec!["a", "held and loose"],
                vec![open.clone()],
                Some("tells \"loose\""),
            ),
            (Some(0), fine, told.clone(), vec![], Some("the open claims are")),
            (Some(0), fine, told.clone(), vec![closed], Some("the open claims are")),
            (
                Some(0),
                fine,
                told,
                vec![open.clone(), open],
                Some("the open claims are"),
            ),
        ];
        for (code, line, told, claims, failure) in cases {
            let ended = Ended {
                code,
                lines: vec![line.to_owned()],
                stderr: String::new(),
            };
            let told: Vec<String> = told.into_iter().map(str::to_owned).collect();
            let found = scenario
                .check(&ended, &told, &claims)
                .err()
                .map(|failure| failure.to_string());
            match failure {
                None => assert_eq!(found, None),
                Some(piece) => assert!(
                    found.as_ref().is_some_and(|found| found.contains(piece)),
                    "{piece}: {found:?}"
                ),
            }
        }
    }
}
