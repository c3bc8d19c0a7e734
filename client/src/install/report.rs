//! What people read of a change: the difference line by line, and sentences about it.
//! How the change comes about stays out.

use similar::{ChangeTag, TextDiff};

use super::settings::{Settings, shown};
use crate::output::{Look, say, styled};

/// Lines around a change that are shown with it.
const AROUND: usize = 3;

/// Shows how a file changes: as `diff -u` does.
///
/// # Errors
/// Nobody reads any more.
pub(crate) fn difference(settings: &Settings, now: Option<&[u8]>) -> anyhow::Result<()> {
    let was = settings.bytes.as_deref().map(String::from_utf8_lossy);
    let now = now.map(String::from_utf8_lossy);
    let name = shown(&settings.asked);
    say(&styled(
        Look::DIM,
        &format!("--- {}", if was.is_some() { &name } else { "/dev/null" }),
    ))?;
    say(&styled(
        Look::DIM,
        &format!("+++ {}", if now.is_some() { &name } else { "/dev/null" }),
    ))?;
    for line in lines(was.as_deref().unwrap_or_default(), now.as_deref().unwrap_or_default()) {
        say(&match line.as_bytes().first() {
            Some(b'+') => styled(Look::GOOD, &line),
            Some(b'-') => styled(Look::BAD, &line),
            _ => styled(Look::DIM, &line),
        })?;
    }
    Ok(())
}

fn lines(was: &str, now: &str) -> Vec<String> {
    let difference = TextDiff::from_lines(was, now);
    let mut lines = Vec::new();
    for hunk in difference.unified_diff().context_radius(AROUND).iter_hunks() {
        lines.push(hunk.header().to_string());
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            lines.push(format!("{sign}{}", change.value().trim_end_matches(['\n', '\r'])));
            if change.missing_newline() {
                lines.push("\\ No newline at end of file".to_owned());
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_each_line_with_its_sign() {
        let shown = lines("{\n  \"a\": 1\n}", "{\n  \"a\": 1,\n  \"b\": 2\n}");
        assert_eq!(
            shown,
            [
                "@@ -1,3 +1,4 @@",
                " {",
                "-  \"a\": 1",
                "+  \"a\": 1,",
                "+  \"b\": 2",
                " }",
                "\\ No newline at end of file"
            ]
        );
        assert!(lines("a\n", "a\n").is_empty());
    }
}
