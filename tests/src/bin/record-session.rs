//! Plays a scenario with the newest pinned Claude Code and keeps its transcript, with general paths, as a fixture.
//! Text that is the harness vendor's own is cut out; nothing is added to what the harness wrote.

use std::env;
use std::fs;
use std::io::{self, Write};

use anyhow::{Context, Result, ensure};
use proofmark_tests::claude_code::{starter, transcripts};
use proofmark_tests::need;
use proofmark_tests::packages::{Cache, pin};
use proofmark_tests::scenario::{self, RECORDED_PROJECT as PROJECT, fixtures};
use proofmark_tests::world::World;
use serde_json::{Value, json};

const VERSION: &str = "2.1.332";
/// A recording that is longer is refused, in bytes.
const MAX_RECORDING: usize = 150_000;

fn main() -> Result<()> {
    let name = env::args()
        .nth(1)
        .context("usage: record-session SCENARIO (a file in fixtures/live, without .json)")?;
    ensure!(need::only_loopback()?, "only in a network namespace with loopback only");
    let program = Cache::from_env()?.program(&pin("claude-code", VERSION)?);
    let program = program.with_context(|| format!("claude-code {VERSION} is not in the cache: run fetch-packages"))?;
    let world = World::new()?;
    scenario::load(&name, &world)?.play(&starter(program), &world)?;
    let found = transcripts(&world)?;
    let [transcript] = &found[..] else {
        anyhow::bail!("one session left {} transcripts", found.len())
    };
    let recording = tidy(&fs::read_to_string(transcript)?, &general_paths(&world)?)?;
    ensure!(
        recording.len() <= MAX_RECORDING,
        "the recording has {} bytes",
        recording.len()
    );
    let root = world
        .home()
        .parent()
        .and_then(|root| root.file_name()?.to_str().map(str::to_owned));
    let root = root.context("the world has no name")?;
    ensure!(!recording.contains(&root), "the recording still names {root}");
    let target = fixtures()
        .join("claude-code")
        .join("recorded")
        .join(name)
        .with_extension("jsonl");
    fs::create_dir_all(target.with_file_name(""))?;
    fs::write(&target, &recording)?;
    writeln!(
        io::stdout(),
        "{}: {} lines, {} bytes",
        target.display(),
        recording.lines().count(),
        recording.len()
    )?;
    Ok(())
}

/// What stands in the recording for the paths of this machine, longer paths first.
fn general_paths(world: &World) -> Result<Vec<(String, String)>> {
    let text = |path: std::path::PathBuf| path.into_os_string().into_string().ok().context("a path is no UTF-8");
    let project = text(world.project())?;
    Ok(vec![
        (slug(&project), slug(PROJECT)),
        (project, PROJECT.to_owned()),
        (text(world.home())?, "/home/dev".to_owned()),
        (
            text(world.program("proofmark-hook"))?,
            "/home/dev/.cargo/bin/proofmark-hook".to_owned(),
        ),
    ])
}

/// How Claude Code names the folder of a project's transcripts.
fn slug(path: &str) -> String {
    path.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}

/// The transcript line by line: paths made general, copies of API requests dropped, the vendor's words cut out.
fn tidy(transcript: &str, paths: &[(String, String)]) -> Result<String> {
    let mut tidied = String::new();
    for line in transcript.lines() {
        let line = paths
            .iter()
            .fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
        let mut row: Value = serde_json::from_str(&line).context("a line of the transcript is no JSON")?;
        // These repeat the system prompt, the tools and the whole conversation (2.1.332).
        if row["type"].as_str().is_some_and(|kind| kind.starts_with("api-request")) {
            continue;
        }
        cut(&mut row);
        tidied.push_str(&format!("{row}\n"));
    }
    Ok(tidied)
}

/// Cuts the vendor's words out of one row and leaves its shape.
fn cut(row: &mut Value) {
    for field in ["rendered", "hookTextLead"] {
        if let Some(value) = row.get_mut(field) {
            elide(value);
        }
    }
    // Only hooks' attachments are ours or the person's; the others carry prompts, tools, skills and the machine.
    if let Some(attachment) = row.get_mut("attachment") {
        let kind = attachment["type"].as_str().unwrap_or_default().to_owned();
        if !kind.starts_with("hook_") {
            *attachment = json!({"type": kind, "content": elided(&attachment.to_string())});
        }
    }
    cut_reminders(row);
}

/// Replaces every string inside a value.
fn elide(value: &mut Value) {
    match value {
        Value::String(text) => *text = elided(text),
        Value::Array(values) => values.iter_mut().for_each(elide),
        Value::Object(fields) => fields.values_mut().for_each(elide),
        _ => {}
    }
}

fn elided(text: &str) -> String {
    format!("[elided: {} chars]", text.chars().count())
}

/// Empties the reminders that the harness puts between the words of others.
fn cut_reminders(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_reminders(text),
        Value::Array(values) => values.iter_mut().for_each(cut_reminders),
        Value::Object(fields) => fields.values_mut().for_each(cut_reminders),
        _ => {}
    }
}

fn without_reminders(text: &str) -> String {
    const OPEN: &str = "<system-reminder>";
    const CLOSE: &str = "</system-reminder>";
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        let Some((inside, behind)) = after.split_once(CLOSE) else {
            break;
        };
        kept.push_str(&format!("{before}{OPEN}{}{CLOSE}", elided(inside)));
        rest = behind;
    }
    kept + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_row_keeps_its_shape_and_loses_the_vendors_words() {
        let cases = [
            (
                json!({"type": "user", "message": {"content": "fix /tmp/pm-1/project/a.py"}}),
                Some(json!({"type": "user", "message": {"content": "fix /home/dev/dates/a.py"}})),
            ),
            (json!({"type": "api-request-blob", "text": "secret"}), None),
            (
                json!({"type": "attachment", "attachment": {"type": "skill_listing", "names": ["a"]}}),
                Some(json!({"type": "attachment", "attachment":
                    {"type": "skill_listing", "content": "[elided: 38 chars]"}})),
            ),
            (
                json!({"attachment": {"type": "hook_success", "stdout": "ours"}, "rendered": [{"content": "äb", "n": 1}]}),
                Some(json!({"attachment": {"type": "hook_success", "stdout": "ours"},
                    "rendered": [{"content": "[elided: 2 chars]", "n": 1}]})),
            ),
            (
                json!({"hookTextLead": "follow it", "message": "Stop hook feedback"}),
                Some(json!({"hookTextLead": "[elided: 9 chars]", "message": "Stop hook feedback"})),
            ),
            (
                json!({"content": ["a<system-reminder>bc</system-reminder>d", "<system-reminder>open"]}),
                Some(json!({"content":
                    ["a<system-reminder>[elided: 2 chars]</system-reminder>d", "<system-reminder>open"]})),
            ),
        ];
        let paths = [("/tmp/pm-1/project".to_owned(), PROJECT.to_owned())];
        for (row, expected) in cases {
            let tidied = tidy(&format!("{row}\n"), &paths).unwrap();
            let found: Option<Value> = tidied.lines().next().map(|line| serde_json::from_str(line).unwrap());
            assert_eq!(found, expected, "{row}");
        }
    }

    #[test]
    fn a_broken_line_is_no_recording() {
        assert!(tidy("{\"type\":", &[]).is_err());
    }
}
