//! How a played session looks on a terminal.
//! What came of it is in the report.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use proofmark_protocol::Outcome;
use proofmark_protocol::query::ClaimState;
use proofmark_server::evidence::verdict::Verdict;
use proofmark_server::text::quote;

use super::board::{Check, Run};
use super::{Answer, Report, Turn};
use crate::claims;
use crate::output::{Look, count, styled};

/// Events from which on, and bytes from which on, a progress bar helps.
const LONG: (usize, usize) = (60, 8 * 1024 * 1024);
/// Turns that are all shown; of more only those with something to say.
const FEW: usize = 12;
/// Checks that are shown, and the newest runs of each.
const MAX_CHECKS: usize = 30;
const MAX_RUNS: usize = 8;
/// Width of the text, in characters.
const WIDTH: usize = 96;

/// A bar for a long session, on a terminal; hidden otherwise.
pub(crate) fn progress(events: usize, bytes: usize, json: bool) -> ProgressBar {
    if json || (events < LONG.0 && bytes < LONG.1) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(events as u64);
    if let Ok(style) = ProgressStyle::with_template("{wide_bar} {pos}/{len} events, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// The whole report.
pub(crate) fn text(report: &Report, path: Option<&Path>) -> String {
    let what = path.map_or_else(
        || "A recorded Claude Code session, played through the hook and a server of its own.".to_owned(),
        |path| format!("{} ({}), played as if it were live.", path.display(), report.harness),
    );
    let mut blocks = vec![styled(Look::HEAD, &what)];
    let all = report.turns.len() <= FEW;
    let told = |turn: &&Turn| all || turn.decision != Outcome::Allow;
    blocks.extend(report.turns.iter().filter(told).map(turn));
    blocks.push(summary(report));
    blocks.extend(checks(&report.board));
    blocks.join("\n\n")
}

fn turn(turn: &Turn) -> String {
    let head = format!("Turn {}", turn.index);
    let mut lines = vec![format!(
        "{}  {}",
        styled(Look::HEAD, &head),
        styled(Look::DIM, &format!("“{}”", quote(&turn.prompt, 80)))
    )];
    for answer in &turn.answers {
        lines.extend(answer_lines(answer));
    }
    lines.join("\n")
}

fn answer_lines(answer: &Answer) -> Vec<String> {
    let mut lines = Vec::new();
    let is_prompt = answer.reply.is_none();
    if let Some(reply) = &answer.reply {
        let who = if answer.agent.is_some() {
            "a helper says"
        } else {
            "the agent says"
        };
        lines.push(format!(
            "  {who:<17} {}",
            styled(Look::DIM, &format!("“{}”", quote(reply, 120)))
        ));
    }
    match answer.decision {
        Outcome::Refuse => lines.push(labelled(Look::BAD, "refused", "the agent is sent back with this:")),
        Outcome::Advise if is_prompt => {}
        Outcome::Advise | Outcome::Allow if !is_prompt => lines.push(labelled(Look::GOOD, "passes", "")),
        Outcome::Advise | Outcome::Allow => {}
    }
    if let Some(text) = &answer.to_agent {
        if is_prompt {
            lines.push(labelled(Look::NOTE, "reminder", "goes to the agent with the prompt:"));
        }
        lines.extend(indented(text));
    }
    if let Some(text) = &answer.to_person {
        lines.push(labelled(Look::NOTE, "note", "the person sees:"));
        lines.extend(indented(text));
    }
    lines
}

fn labelled(style: anstyle::Style, label: &str, text: &str) -> String {
    let padding = if text.is_empty() {
        0
    } else {
        18_usize.saturating_sub(label.len())
    };
    format!("  {}{}{text}", styled(style, label), " ".repeat(padding))
}

/// A text broken into lines of the width, behind a margin.
fn indented(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if !line.is_empty() && line.chars().count() + word.chars().count() >= WIDTH {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
        .into_iter()
        .map(|line| format!("    │ {line}").trim_end().to_owned())
        .collect()
}

/// The verdict board; nothing when no check was run.
fn checks(board: &[Check]) -> Option<String> {
    let mut lines = vec![styled(
        Look::HEAD,
        &format!(
            "{}, as the record has {}:",
            count(board.len() as u64, "check"),
            if board.len() == 1 { "it" } else { "them" }
        ),
    )];
    for check in board.iter().take(MAX_CHECKS) {
        let agent = if check.agent.is_some() { " (a helper's)" } else { "" };
        let name = quote(&format!("{} {}", check.check, check.selection), WIDTH);
        lines.push(format!("  {}{agent}", styled(Look::NOTE, name.trim_end())));
        let left_out = check.runs.len().saturating_sub(MAX_RUNS);
        if left_out > 0 {
            lines.push(format!("    {} before", count(left_out as u64, "run")));
        }
        lines.extend(check.runs[left_out..].iter().map(run));
    }
    let left_out = board.len().saturating_sub(MAX_CHECKS) as u64;
    if left_out > 0 {
        lines.push(format!("  and {}; --json has them all", count(left_out, "more check")));
    }
    (!board.is_empty()).then(|| lines.join("\n"))
}

fn run(run: &Run) -> String {
    let (look, verdict) = match run.verdict {
        Verdict::Pass => (Look::GOOD, "pass"),
        Verdict::Fail => (Look::BAD, "fail"),
        Verdict::NothingChecked => (Look::NOTE, "nothing checked"),
        Verdict::Masked => (Look::DIM, "masked"),
        Verdict::Unknown => (Look::DIM, "unknown"),
    };
    let padding = " ".repeat(16_usize.saturating_sub(verdict.len()));
    let command = styled(Look::DIM, &format!("`{}`", quote(&run.command, 60)));
    format!(
        "    turn {:<4} {}{padding}{}  {command}",
        run.turn,
        styled(look, verdict),
        quote(&run.because, 120)
    )
}

fn summary(report: &Report) -> String {
    let of = |outcome| report.turns.iter().filter(|turn| turn.decision == outcome).count() as u64;
    let turns = count(report.turns.len() as u64, "turn");
    let mut lines = vec![styled(
        Look::HEAD,
        &format!(
            "{turns}: {} refused, {} with a note, {} passed in silence",
            of(Outcome::Refuse),
            of(Outcome::Advise),
            of(Outcome::Allow)
        ),
    )];
    let open = report
        .claims
        .iter()
        .filter(|claim| claim.state == ClaimState::Open)
        .count() as u64;
    lines.push(format!(
        "{} at the end{}",
        count(open, "open claim"),
        if report.claims.is_empty() { "." } else { "; the ledger:" }
    ));
    lines.extend(report.claims.iter().map(claims::row));
    lines.join("\n")
}
