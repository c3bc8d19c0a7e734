//! The scope contract in an agent's prose: its one line, what it says the work is held to.
//! Whether later work keeps to it stays out.

use super::prose::Prose;

const MARKER: &str = "SCOPE CONTRACT:";
/// How long what follows the marker may be, in characters.
const LENGTH: std::ops::RangeInclusive<usize> = 3..=500;
/// What the form asks for, in its own words.
const TEMPLATE: &str = "outcome and non-goals";

/// What the text's scope contract says: `SCOPE CONTRACT: <outcome and non-goals>` on a line of its own.
///
/// The line may be bold or an item of a list; it holds 3 to 500 characters behind the colon and two words at least, and is
/// not the template itself. Code, block quotes and quoted lines are not looked at. None when there are two such lines:
/// nobody could say which one holds.
pub fn contract(text: &str) -> Option<String> {
    // Every text of a record is asked, and hardly any holds one.
    if !text.contains(MARKER.trim_end_matches(':')) {
        return None;
    }
    let prose = Prose::of(text);
    let mut found = prose.paragraphs().iter().flat_map(|range| {
        let paragraph = &prose.text()[range.clone()];
        let mut at = range.start;
        let mut quoted = false;
        let (prose, mut lines) = (&prose, paragraph.split_inclusive(['\n', '\r']));
        std::iter::from_fn(move || {
            lines.next().map(|line| {
                let start = at + line.len() - line.trim_start().len();
                at += line.len();
                let said = (!quoted && prose.is_prose(start)).then(|| contract_of(line)).flatten();
                quoted = goes_on_quoted(line, quoted);
                said
            })
        })
        .flatten()
    });
    let first = found.next()?;
    let only = found.next().is_none();
    let (length, words) = (
        first.chars().count(),
        first.split_whitespace().filter(|word| has_letters(word)).count(),
    );
    (only && LENGTH.contains(&length) && words >= 2).then(|| first.to_owned())
}

/// What a line says behind the marker; none for the template.
fn contract_of(line: &str) -> Option<&str> {
    let line = line.trim();
    let item = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|bullet| line.strip_prefix(bullet))
        .unwrap_or(line);
    let plain = item.trim_start_matches(['*', '_', ' ']);
    let said = plain
        .strip_prefix(MARKER)
        .or_else(|| {
            // The bold may end before the colon.
            let behind = plain
                .strip_prefix(MARKER.trim_end_matches(':'))?
                .trim_start_matches(['*', '_']);
            behind.strip_prefix(':')
        })?
        .trim_start_matches(['*', '_'])
        .trim();
    let bold = item.len() > plain.len();
    let said = if bold {
        said.trim_end_matches(['*', '_']).trim_end()
    } else {
        said
    };
    (!is_template(said)).then_some(said)
}

/// True for the form with nothing filled in: what is in angle brackets is a gap.
fn is_template(said: &str) -> bool {
    let mut filled = String::new();
    let mut rest = said;
    while let Some((before, behind)) = rest.split_once('<') {
        let Some((_, behind)) = behind.split_once('>') else {
            break;
        };
        filled.push_str(before);
        rest = behind;
    }
    filled.push_str(rest);
    !filled.split_whitespace().any(has_letters) || said.to_lowercase().contains(TEMPLATE)
}

fn has_letters(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

/// Whether a quotation is open behind a line.
fn goes_on_quoted(line: &str, quoted: bool) -> bool {
    line.chars().fold(quoted, |quoted, c| match c {
        '"' => !quoted,
        '“' | '„' | '«' | '「' => true,
        '”' | '»' | '」' => false,
        _ => quoted,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde::Deserialize;

    use super::*;
    use crate::text::words::fixture_in;

    #[derive(Deserialize)]
    struct Case {
        why: String,
        text: String,
        contract: Option<String>,
    }

    #[test]
    fn the_cases_hold() {
        let cases: Vec<Case> = serde_json::from_str(&fixture_in("text", "contracts.json")).unwrap();
        assert!(cases.len() >= 40, "the cases are all there");
        for Case {
            why,
            text,
            contract: expected,
        } in cases
        {
            assert_eq!(contract(&text), expected, "{why}: {text:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in any::<String>()) {
            contract(&text);
        }

        #[test]
        fn what_is_found_has_the_form(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "SCOPE CONTRACT:", "SCOPE CONTRACT", "**", "_", "- ", "> ", "`", "```\n", "\n", "\r", "\"", "“", "<", ">", " a.rs", " é", ":",
                ]),
                0..40,
            ),
        ) {
            let text = parts.concat();
            if let Some(found) = contract(&text) {
                prop_assert!(LENGTH.contains(&found.chars().count()));
                prop_assert!(text.contains(&found) && !found.contains(['\n', '\r']));
            }
        }

        #[test]
        fn a_shown_or_quoted_contract_is_none(said in "[a-z]{2,9} [a-z]{2,9}") {
            let line = format!("{MARKER} {said}");
            prop_assert_eq!(contract(&line), Some(said.clone()));
            for shown in [format!("> {line}"), format!("```\n{line}\n```"), format!("`{line}`"), format!("\"{line}\""), format!("Write \"\n{line}\n\".")] {
                prop_assert_eq!(contract(&shown), None, "{}", shown);
            }
        }
    }

    #[test]
    fn the_time_grows_with_the_text_only() {
        for part in ["SCOPE CONTRACT: <", "SCOPE CONTRACT: a b\n", "<", "\"", "**"] {
            let text = part.repeat((1 << 18) / part.len());
            let started = std::time::Instant::now();
            contract(&text);
            assert!(started.elapsed().as_secs() < 10, "{part:?}");
        }
    }
}
