//! `proofmark judge`: puts one reply to the judge of the person's settings, and shows what it says.
//! Who is asked, and what an answer is worth, is the server's business.

use std::io::Read;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use proofmark_protocol::judge::{JudgeReply, JudgeReplyParams, JudgeVerdict};
use proofmark_protocol::method;
use proofmark_protocol::settings::MAX_WAIT_SECONDS;
use proofmark_server::engine::judge_once;

use crate::output::{Look, say, say_json, styled};
use crate::place::Place;
use crate::socket::call;

/// A reply that is longer than this is not read from stdin, in bytes.
const MAX_REPLY: u64 = 4 * 1024 * 1024;
/// Beside the wait for the judge, what a server needs to answer.
const ANSWER_TIME: Duration = Duration::from_secs(5);
/// Exit codes beside 0 for a clean reply.
const HIT: u8 = 1;
const UNCHECKED: u8 = 2;

/// The command's arguments.
#[derive(Args)]
pub(crate) struct Arguments {
    /// The reply, or - to read it from stdin.
    reply: String,
    /// Judge it as one of this session: words that its person used first are no finding.
    #[arg(long)]
    session: Option<String>,
    /// Use only this list; may be given several times.
    #[arg(long = "list", value_name = "NAME")]
    lists: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command: exit code 0 for a clean reply, 1 for a hit, 2 when nobody judged it.
pub(crate) fn run(place: &Place, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let params = JudgeReplyParams {
        session: arguments.session.clone(),
        reply: reply(&arguments.reply)?,
        lists: (!arguments.lists.is_empty()).then(|| arguments.lists.clone()),
        cwd: std::env::current_dir()
            .ok()
            .and_then(|cwd| cwd.to_str().map(str::to_owned)),
    };
    let limit = Duration::from_secs(MAX_WAIT_SECONDS) + ANSWER_TIME;
    let judged = match call::<JudgeReply>(&place.state_dir, method::JUDGE_REPLY, &params, limit)? {
        Some(judged) => judged,
        None => {
            place.make()?;
            judge_once(&place.state_dir, params)?
        }
    };
    if arguments.json {
        say_json(&judged)?;
    } else {
        say(&text(&judged))?;
    }
    Ok(match judged.verdict {
        JudgeVerdict::Clean => ExitCode::SUCCESS,
        JudgeVerdict::Hit => ExitCode::from(HIT),
        JudgeVerdict::Unchecked => ExitCode::from(UNCHECKED),
    })
}

fn reply(given: &str) -> anyhow::Result<String> {
    if given != "-" {
        return Ok(given.to_owned());
    }
    let mut bytes = Vec::new();
    let stdin = std::io::stdin().lock();
    stdin
        .take(MAX_REPLY + 1)
        .read_to_end(&mut bytes)
        .context("stdin can't be read")?;
    if bytes.len() as u64 > MAX_REPLY {
        bail!("the reply on stdin is longer than {MAX_REPLY} bytes");
    }
    String::from_utf8(bytes).context("the reply on stdin is not UTF-8")
}

fn text(judged: &JudgeReply) -> String {
    let verdict = match judged.verdict {
        JudgeVerdict::Hit => styled(Look::HEAD, "hit"),
        JudgeVerdict::Clean => styled(Look::GOOD, "clean"),
        JudgeVerdict::Unchecked => styled(Look::DIM, "unchecked"),
    };
    let mut lines = vec![format!("{verdict}: {}", judged.reason)];
    lines.extend(judged.runner.iter().map(|runner| format!("  answered by {runner}")));
    let tries = judged.tries.iter();
    lines.extend(tries.map(|failed| format!("  {} was tried: {}", failed.runner, failed.why)));
    lines.join("\n")
}
