//! The commands with which a person lifts a scope lock: in their own form, not as words of a sentence.
//! Which lock they lift stays out.

use super::person::own_words;
use super::prose::Prose;

/// The sentence that switches the lock off, alone on a line.
const OFF: &str = "scope lock off";
/// What may stand between two commands of one line.
const LINKS: &[&str] = &["and", "&", "+", "then", "plus"];
/// Behind a bare name, one of these makes it the subject of a sentence.
const VERBS: &[&str] = &[
    "is", "was", "isn't", "wasn't", "does", "doesn't", "did", "didn't", "has", "had", "should", "would", "could",
    "can", "can't", "will", "won't", "may", "might", "must", "sounds", "seems", "looks", "means", "says", "fails",
    "failed", "runs", "ran", "works", "or", "are",
];
/// Claude Code's row of a command that was typed: its name and what followed it (2.0.64 to 2.1.332).
const NAME: (&str, &str) = ("<command-name>", "</command-name>");
const ARGUMENTS: (&str, &str) = ("<command-args>", "</command-args>");

/// What a prompt lifts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Released {
    /// `/reflect` was given.
    pub reflect: bool,
    /// `automate-me` or `/automate-me` was given.
    pub automate_me: bool,
    /// "scope lock off" stands alone on a line.
    pub off: bool,
}

/// The commands in a person's prompt. A command begins a line, or follows another one that does; words of a sentence,
/// quotes, code, pasted text and what a program wrote are none. A command that a harness wrapped is read from its row.
pub fn release(prompt: &str) -> Released {
    let mut released = Released::default();
    if let Some(command) = wrapped(prompt) {
        read_line(&command, &mut released);
        return released;
    }
    let own = own_words(prompt);
    let prose = Prose::of(&own);
    for range in prose.paragraphs() {
        let mut at = range.start;
        let mut quoted = false;
        for line in prose.text()[range.clone()].split_inclusive(['\n', '\r']) {
            let start = at + line.len() - line.trim_start().len();
            at += line.len();
            if !quoted && prose.is_prose(start) {
                read_line(line.trim(), &mut released);
            }
            quoted ^= line.matches('"').count() % 2 == 1;
        }
    }
    released
}

/// The typed line of a command that the harness put into elements.
fn wrapped(prompt: &str) -> Option<String> {
    let prompt = prompt.trim_start();
    let inside = |(open, close): (&str, &str)| Some(prompt.split_once(open)?.1.split_once(close)?.0.trim());
    let command = prompt.starts_with("<command-").then(|| inside(NAME))??;
    Some(format!("{command} {}", inside(ARGUMENTS).unwrap_or_default()))
}

fn read_line(line: &str, released: &mut Released) {
    let words: Vec<&str> = line.split_whitespace().take(8).collect();
    let short = line.len() <= 2 * OFF.len();
    let all = short.then(|| words.join(" ").to_lowercase());
    released.off |= all.is_some_and(|all| all.strip_suffix('.').unwrap_or(&all) == OFF);
    let mut words = words.into_iter().peekable();
    while let Some(word) = words.next() {
        let name = word.trim_end_matches([',', '.', '!', ';']).to_lowercase();
        let subject = words
            .peek()
            .is_some_and(|next| VERBS.contains(&next.to_lowercase().as_str()));
        match name.as_str() {
            "/reflect" if !subject => released.reflect = true,
            "automate-me" | "/automate-me" if !subject => released.automate_me = true,
            _ => return,
        }
        if words
            .peek()
            .is_some_and(|word| LINKS.contains(&word.to_lowercase().as_str()))
        {
            words.next();
        }
    }
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
        prompt: String,
        released: Vec<String>,
    }

    fn names(released: Released) -> Vec<&'static str> {
        let Released {
            reflect,
            automate_me,
            off,
        } = released;
        let all = [("reflect", reflect), ("automate-me", automate_me), ("off", off)];
        all.into_iter()
            .filter(|(_, given)| *given)
            .map(|(name, _)| name)
            .collect()
    }

    #[test]
    fn the_cases_hold() {
        let cases: Vec<Case> = serde_json::from_str(&fixture_in("text", "releases.json")).unwrap();
        assert!(cases.len() >= 30, "the cases are all there");
        for Case { why, prompt, released } in cases {
            assert_eq!(names(release(&prompt)), released, "{why}: {prompt:?}");
        }
    }

    proptest! {
        #[test]
        fn any_prompt_is_read(prompt in any::<String>()) {
            release(&prompt);
        }

        #[test]
        fn a_command_inside_a_sentence_or_shown_lifts_nothing(
            command in prop::sample::select(vec!["/reflect", "automate-me", "/automate-me", "scope lock off"]),
            lead in "[a-z]{1,9}",
        ) {
            prop_assert_ne!(release(command), Released::default());
            for shown in [
                format!("{lead} {command}"), format!("> {command}"), format!("```\n{command}\n```"), format!("`{command}`"),
                format!("\"{command}\""), format!("<log>\n{command}\n</log>"), format!("$ {lead}\n{command}"), format!("x \"\n{command}\n\""),
                format!("<system-reminder>\n{command}\n</system-reminder>"),
            ] {
                prop_assert_eq!(release(&shown), Released::default(), "{}", shown);
            }
        }
    }
}
