//! Where a reply's own words end: behind them stand what the client reads for itself, and plans that are no report yet.
//! What the words mean stays out.

/// How such an ending begins, at the start of a line: a plan that the person is to accept, and references to memories.
const ENDINGS: [&str; 2] = ["<proposed_plan>", "<oai-mem-citation>"];

/// The reply without its endings: those above, and lines at its end that ask the client for something, such as
/// `::git-stage{cwd="/p"}` (Codex Desktop from 0.133 on).
pub(super) fn own_words(reply: &str) -> &str {
    let ending = |line: &str| ENDINGS.iter().any(|ending| line.trim_start().starts_with(ending));
    let mut at = 0;
    let mut end = reply.len();
    for line in reply.split_inclusive('\n') {
        if ending(line) {
            end = at;
            break;
        }
        at += line.len();
    }
    let mut words = reply[..end].trim_end();
    while let Some(rest) = without_directive(words) {
        words = rest.trim_end();
    }
    if words.len() == reply.trim_end().len() {
        reply
    } else {
        words
    }
}

/// The text before its last line, when that is a directive: `::name{...}`.
fn without_directive(text: &str) -> Option<&str> {
    let start = text.rfind('\n').map_or(0, |at| at + 1);
    let (name, _) = text[start..].trim_start().strip_prefix("::")?.split_once('{')?;
    let named = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (named && text.ends_with('}')).then(|| &text[..start])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_are_no_words_of_the_reply() {
        for (reply, words) in [
            ("Done.\n", "Done.\n"),
            ("", ""),
            ("Done.\n\n::git-stage{cwd=\"/p\"}\n::git-commit{cwd=\"/p\"}", "Done."),
            ("::git-stage{cwd=\"/p\"}", ""),
            ("Done.\n<oai-mem-citation>\n<citation_entries>\n", "Done."),
            ("See:\n<proposed_plan>\n# Mend it\n</proposed_plan>\nThen go.", "See:"),
            ("<proposed_plan>\n# Mend it", ""),
            ("Use `<proposed_plan>` here.", "Use `<proposed_plan>` here."),
            ("a ::b{c}", "a ::b{c}"),
            ("a\n::{c}", "a\n::{c}"),
            ("a\n::b c{d}", "a\n::b c{d}"),
            ("a\n::b{c} d", "a\n::b{c} d"),
        ] {
            assert_eq!(own_words(reply), words, "{reply:?}");
        }
        let many = format!("a\n{}", "::b{c}\n".repeat(100_000));
        assert_eq!(own_words(&many), "a");
    }
}
