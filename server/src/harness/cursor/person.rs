//! What stands in the person's place: their own words, a text of ours that Cursor submitted, what Cursor laid beside them.
//! Rows and blocks stay out.

use proofmark_protocol::decision::OWN_WORDS;

/// Around the person's own words, in every transcript that was met.
const OPENS: &str = "<user_query>";
const CLOSES: &str = "</user_query>";

/// What a text in the person's place is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said<'a> {
    /// The person's words.
    Prompt(&'a str),
    /// A text of ours, which Cursor submits as the next message after a stop.
    Ours,
    /// Skills, rules, reminders.
    Harness,
    /// Nothing.
    Nothing,
}

/// What a text in the person's place is.
pub(super) fn said(text: &str) -> Said<'_> {
    let query = match text.split_once(OPENS) {
        Some((_, query)) => query.rfind(CLOSES).map_or(query, |end| &query[..end]),
        None if is_envelope(text) => return Said::Harness,
        None => text,
    };
    let query = query.trim();
    if query.is_empty() {
        Said::Nothing
    } else if is_persons(query) {
        Said::Prompt(query)
    } else {
        Said::Ours
    }
}

/// See [`HarnessSpec::is_persons`](crate::harness::HarnessSpec::is_persons).
pub(super) fn is_persons(prompt: &str) -> bool {
    !prompt.trim_start().starts_with(OWN_WORDS.trim_end())
}

/// True for a text that one element holds as a whole: `<agent_skills>…</agent_skills>`.
fn is_envelope(text: &str) -> bool {
    let text = text.trim();
    let Some((name, _)) = text.strip_prefix('<').and_then(|rest| rest.split_once('>')) else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_lowercase() || matches!(c, '_' | '-');
    let name = name.split(' ').next().unwrap_or_default();
    !name.is_empty() && name.chars().all(is_name) && text.ends_with(&format!("</{name}>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_in_the_persons_place() {
        for (text, expected) in [
            ("plain words", Said::Prompt("plain words")),
            ("<user_query>\na\n</user_query>", Said::Prompt("a")),
            (
                "<timestamp>now</timestamp>\n<user_query>\nwhat is <user_query>?</user_query>\n</user_query>",
                Said::Prompt("what is <user_query>?</user_query>"),
            ),
            ("<user_query>\ncut off", Said::Prompt("cut off")),
            ("<user_query>\n\n</user_query>", Said::Nothing),
            ("", Said::Nothing),
            ("<user_query>\n[Proofmark] Try it.\n</user_query>", Said::Ours),
            (" [Proofmark] Try it.", Said::Ours),
            (
                "what does [Proofmark] want?",
                Said::Prompt("what does [Proofmark] want?"),
            ),
            ("<agent_skills>\n- a\n</agent_skills>", Said::Harness),
            ("<rules kind=\"x\">a</rules>", Said::Harness),
            ("<b> is wrong here", Said::Prompt("<b> is wrong here")),
            ("<", Said::Prompt("<")),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }
}
