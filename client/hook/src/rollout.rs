//! Where Codex keeps a session's record, for payloads that do not say it.
//! What is in the record stays out.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::{env, fs};

const DAY: u64 = 24 * 60 * 60 * 1000;

/// The record of a session whose payload names none; none when there is none, as with `--ephemeral`.
pub(crate) fn of(session: &str) -> Option<PathBuf> {
    find(&folder(|name| env::var_os(name))?, session)
}

/// `$CODEX_HOME/sessions`, else `~/.codex/sessions` (0.171.0).
fn folder(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("CODEX_HOME").or_else(|| Some(set("HOME")?.join(".codex")));
    Some(home?.join("sessions"))
}

/// The file `<year>/<month>/<day>/rollout-<time>-<session>.jsonl` of the day on which the session began, by its id. The
/// folders are named by local time, so the days before and after are looked at, too.
fn find(sessions: &Path, session: &str) -> Option<PathBuf> {
    let day = began(session)? / DAY;
    let ending = format!("-{session}.jsonl");
    [day, day.saturating_sub(1), day + 1].into_iter().find_map(|day| {
        let (year, month, day) = date(day);
        let folder = sessions.join(format!("{year:04}/{month:02}/{day:02}"));
        let files = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        files.into_iter().find(|path| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with("rollout-") && name.ends_with(&ending))
        })
    })
}

/// When a session began, in milliseconds since 1970: its id is a UUID of version 7, which begins with that. None for any
/// other text, so that no id leads elsewhere.
fn began(session: &str) -> Option<u64> {
    let parts: Vec<&str> = session.split('-').collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let hex = parts
        .iter()
        .all(|part| part.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if !hex || lengths != [8, 4, 4, 4, 12] || !parts[2].starts_with('7') {
        return None;
    }
    u64::from_str_radix(&format!("{}{}", parts[0], parts[1]), 16).ok()
}

/// Year, month and day, of a day counted from 1970. Counted from a first of March, a leap day is the last one of its year.
fn date(day: u64) -> (u64, u64, u64) {
    let day = day + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSION: &str = "01a22d7c-0269-72b1-9946-c6b7a91d3845";

    #[test]
    fn days_are_counted_as_a_calendar_does() {
        for (day, expected) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (11_017, (2000, 3, 1)),
            (20_787, (2026, 11, 30)),
            (20_788, (2026, 12, 1)),
            (47_540, (2100, 2, 28)),
            (47_541, (2100, 3, 1)),
        ] {
            assert_eq!(date(day), expected, "{day}");
        }
    }

    #[test]
    fn a_record_is_found_by_the_day_of_its_session() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(find(root.path(), SESSION), None);
        for (day, found) in [
            ("2026/11/28", false),
            ("2026/12/01", true),
            ("2026/11/29", true),
            ("2026/11/30", true),
        ] {
            let folder = root.path().join(day);
            fs::create_dir_all(&folder).unwrap();
            let path = folder.join(format!("rollout-2026-11-30T18-23-51-{SESSION}.jsonl"));
            fs::write(&path, "").unwrap();
            // Each is nearer than the one before, and the nearest counts.
            assert_eq!(find(root.path(), SESSION), found.then_some(path), "{day}");
        }
    }

    #[test]
    fn only_a_uuid_that_holds_a_time_is_looked_for() {
        assert_eq!(began(SESSION).map(|time| time / DAY), Some(20_787));
        for session in [
            "",
            "main",
            "../../../etc",
            "01a22d7c-0269-42b1-9946-c6b7a91d3845",
            "01a22d7c-0269-72b1-9946-c6b7a91d384",
            "01a22d7c-0269-72b1-9946-c6b7a91d384/",
            "é1a22d7-0269-72b1-9946-c6b7a91d3845",
        ] {
            assert_eq!(began(session), None, "{session}");
        }
    }

    #[test]
    fn the_persons_place_for_sessions_counts() {
        type Case<'a> = (&'a [(&'a str, &'a str)], Option<&'a str>);
        let cases: [Case; 4] = [
            (&[("HOME", "/h")], Some("/h/.codex/sessions")),
            (&[("HOME", "/h"), ("CODEX_HOME", "/c")], Some("/c/sessions")),
            (&[("HOME", "/h"), ("CODEX_HOME", "")], Some("/h/.codex/sessions")),
            (&[], None),
        ];
        for (vars, expected) in cases {
            let var = |name: &str| {
                vars.iter()
                    .find(|(key, _)| *key == name)
                    .map(|(_, value)| (*value).into())
            };
            assert_eq!(folder(var).as_deref(), expected.map(Path::new), "{vars:?}");
        }
    }
}
