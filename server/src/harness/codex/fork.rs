//! The beginning of a helper's file that is a copy of its parent's: the helper was forked, and its own work comes after.
//! A person's fork is another thing: its copied turns are its own past, and count as such.

use serde::{Deserialize, Serialize};

use crate::harness::json::Members;

/// The longest pause inside a copy, in milliseconds: it is written in one go (0.118.0: 8 ms in all), and whatever the
/// helper does itself waits for its model.
const PAUSE: u64 = 100;
/// How the result begins that joins copy and own work (0.118.0).
const JOIN: &str = "You are the newly spawned agent.";
/// What a task from another agent says of itself (0.144.0).
const TASK: &str = "Message Type: NEW_TASK";

/// A copy that is being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Copying {
    /// When the last line of it was written, in milliseconds since midnight.
    last: u64,
}

impl Copying {
    /// The copy that begins behind the first line of a file; none when the file is no forked helper's, or the line does
    /// not say when it was written.
    pub(super) fn begun(meta: &Members<'_>, timestamp: &str) -> Option<Self> {
        let helper = meta.object("source").object("subagent").says("thread_spawn");
        let forked = helper && meta.says("forked_from_id");
        Some(Self {
            last: time(timestamp).filter(|_| forked)?,
        })
    }

    /// True when a line still belongs to the copy, by the time it was written.
    pub(super) fn goes_on(&mut self, timestamp: &str) -> bool {
        let Some(now) = time(timestamp) else { return false };
        let near = now.checked_sub(self.last).is_some_and(|pause| pause <= PAUSE);
        self.last = now;
        near
    }
}

/// True for the result behind which the helper's own work begins.
pub(super) fn joins(output: &str) -> bool {
    output.starts_with(JOIN)
}

/// True for a message that gives a helper its task.
pub(super) fn is_task(text: &str) -> bool {
    text.starts_with(TASK)
}

/// Milliseconds since midnight in a time such as `2026-04-11T20:27:39.462Z`.
fn time(timestamp: &str) -> Option<u64> {
    let (_, clock) = timestamp.split_once('T')?;
    let (clock, millis) = clock.strip_suffix('Z')?.split_once('.')?;
    let mut parts = clock
        .split(':')
        .map(|part| part.parse::<u64>().ok().filter(|part| *part < 100));
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let millis: u64 = millis.get(..3)?.parse().ok()?;
    Some(((hours * 60 + minutes) * 60 + seconds) * 1000 + millis)
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn a_copy_goes_on_without_a_pause() {
        let spawned = r#"{"source":{"subagent":{"thread_spawn":{}}},"forked_from_id":"a"}"#;
        let begun = |meta: &str| {
            let raw: &RawValue = serde_json::from_str(meta).unwrap();
            Copying::begun(&Members::read(Some(raw)), "2026-04-11T20:27:39.462Z")
        };
        for other in [
            r#"{"source":"cli","forked_from_id":"a"}"#,
            r#"{"source":{"subagent":{"thread_spawn":{}}}}"#,
            r#"{"source":{"subagent":"review"},"forked_from_id":"a"}"#,
            "{}",
        ] {
            assert_eq!(begun(other), None, "{other}");
        }
        let mut copying = begun(spawned).unwrap();
        for (timestamp, goes_on) in [
            ("2026-04-11T20:27:39.470Z", true),
            ("2026-04-11T20:27:39.570Z", true),
            ("2026-04-11T20:27:39.671Z", false),
            ("2026-04-11T20:27:39.000Z", false),
            ("", false),
            ("2026-04-11T20:27:39Z", false),
            ("T99999999999999999999:1:1.000Z", false),
            ("Té:1:1.0é0Z", false),
        ] {
            assert_eq!(copying.goes_on(timestamp), goes_on, "{timestamp}");
        }
    }
}
