//! `proofmark pause`: for a while nothing is refused; findings are still made and shown.
//! How long is left is shown by `status`.

use std::process::ExitCode;

use anyhow::bail;
use clap::Args;
use proofmark_protocol::query::Pause;
use proofmark_server::engine::{now, queries};
use proofmark_server::ledger::Ledger;

use crate::output::{say, span};
use crate::place::Place;

/// Arguments of `proofmark pause`.
#[derive(Args)]
pub(crate) struct Arguments {
    /// How long: 90s, 30m, 2h, 1d; `off` ends the pause.
    #[arg(default_value = "30m")]
    duration: String,
    /// Only this session; without it every session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
}

/// Runs the command.
pub(crate) fn run(place: &Place, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let seconds = seconds(&arguments.duration)?;
    let ledger = match place.ledger()? {
        Some(ledger) => ledger,
        None => {
            place.make()?;
            Ledger::open(&place.state_dir)?.ledger
        }
    };
    let session = arguments.session.as_deref();
    let before = ledger.pauses(now())?;
    queries::pause(&ledger, session, seconds, now())?;
    say(&if seconds == 0 {
        ended(session, &before)
    } else {
        format!(
            "Paused for {} in {}: findings are shown, nothing is refused.{}",
            span(seconds * 1_000),
            whom(session),
            unheard(&ledger, session)?
        )
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What to say of a session that was never heard of: its id may be mistyped.
fn unheard(ledger: &Ledger, session: Option<&str>) -> anyhow::Result<&'static str> {
    let sessions = ledger.sessions()?;
    let heard = session.is_none_or(|session| sessions.iter().any(|row| row.key.session == session));
    Ok(if heard {
        ""
    } else {
        " No session of this id has been heard of yet; `proofmark status` lists them."
    })
}

fn whom(session: Option<&str>) -> String {
    session.map_or("every session".to_owned(), |session| format!("session {session}"))
}

/// What has ended, by the pauses there were, and which of them go on: a session's pause and that of all are two.
fn ended(session: Option<&str>, before: &[Pause]) -> String {
    let (over, left): (Vec<&Pause>, Vec<&Pause>) = before.iter().partition(|pause| pause.session.as_deref() == session);
    let mut text = if over.is_empty() {
        "There was no such pause.".to_owned()
    } else {
        format!("The pause of {} has ended.", whom(session))
    };
    if !left.is_empty() {
        let left: Vec<String> = left.iter().map(|pause| whom(pause.session.as_deref())).collect();
        text.push_str(&format!(" Still paused: {}.", left.join(", ")));
    }
    text
}

/// A duration as people write it, in seconds.
fn seconds(text: &str) -> anyhow::Result<u64> {
    if text == "off" {
        return Ok(0);
    }
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match &text[digits.len()..] {
        "s" => 1,
        "" | "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => 0,
    };
    match digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit)) {
        Some(seconds) if seconds > 0 && seconds <= 30 * 86_400 => Ok(seconds),
        _ => bail!("“{text}” is no duration: write 90s, 30m, 2h or 1d (30 days at most), or off"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_on_is_told_beside_what_has_ended() {
        let pause = |session: Option<&str>| Pause {
            session: session.map(str::to_owned),
            until: 1,
        };
        let (all, one) = (pause(None), pause(Some("s")));
        for (session, before, told) in [
            (None, vec![], "There was no such pause."),
            (None, vec![all.clone()], "The pause of every session has ended."),
            (
                None,
                vec![one.clone()],
                "There was no such pause. Still paused: session s.",
            ),
            (
                Some("s"),
                vec![all.clone(), one],
                "The pause of session s has ended. Still paused: every session.",
            ),
            (
                Some("t"),
                vec![all],
                "There was no such pause. Still paused: every session.",
            ),
        ] {
            assert_eq!(ended(session, &before), told);
        }
    }

    #[test]
    fn durations_read_as_people_write_them() {
        for (text, wanted) in [
            ("90s", 90),
            ("30m", 1_800),
            ("30", 1_800),
            ("2h", 7_200),
            ("1d", 86_400),
            ("off", 0),
        ] {
            assert_eq!(seconds(text).unwrap(), wanted, "{text}");
        }
        for text in ["", "m", "0m", "-3m", "5x", "31d", "99999999999999999999h", "3 0m", "é"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
