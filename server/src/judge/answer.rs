//! What a runner printed, read as an answer to the question: one JSON object, wherever it stands.
//! Whether its quote stands in the reply is for the check to say.

use serde_json::{Map, Value};
use thiserror::Error;

use super::question::Question;
use crate::checks::plain_words::Answer;
use crate::text::terms;

/// Places at which an object is looked for.
const MAX_TRIES: usize = 32;

/// Why what was printed is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub(super) enum Unusable {
    /// There is no JSON object in it.
    #[error("it printed no JSON object")]
    NoObject,
    /// The object does not say whether something matches.
    #[error("its answer has no `match`")]
    NoMatch,
    /// The known answer came back wrong.
    #[error("it got the control example wrong")]
    WrongCanary,
    /// The known answer is missing, and nothing else shows that the lists were applied.
    #[error("it left out the control example, so that nothing was found says nothing")]
    NoCanary,
}

/// Reads what a runner printed. A hit without the known answer may still be proved by its quote; nothing proves a miss.
pub(super) fn read(printed: &str, question: &Question) -> Result<Answer, Unusable> {
    let object = last_object(printed).ok_or(Unusable::NoObject)?;
    let hit = match object.get("match") {
        Some(value) => value == &Value::Bool(true),
        None => return Err(Unusable::NoMatch),
    };
    match object.get("canary").map(|value| value.as_str().unwrap_or_default()) {
        Some(canary) if same(canary, &question.canary) => {}
        Some(_) => return Err(Unusable::WrongCanary),
        None if hit => {}
        None => return Err(Unusable::NoCanary),
    }
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let list = question.lists.iter().find(|list| *list == text("category").trim());
    Ok(Answer {
        hit,
        list: list.cloned(),
        closest: text("closest").to_owned(),
    })
}

fn same(a: &str, b: &str) -> bool {
    let words = |text: &str| terms(text).into_iter().map(|term| term.word).collect::<Vec<_>>();
    words(a) == words(b)
}

/// The last line that is a JSON object; without one, the last object that begins a line or stands inside of one.
fn last_object(printed: &str) -> Option<Map<String, Value>> {
    let object = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    let lines = || printed.lines().rev().map(str::trim);
    if let Some(found) = lines().filter(|line| line.starts_with('{')).find_map(object) {
        return Some(found);
    }
    // Written over several lines, or with prose around it.
    let mut starts = Vec::new();
    for (at, _) in printed.match_indices('{') {
        let before = printed[..at].trim_end_matches([' ', '\t']);
        starts.push((before.is_empty() || before.ends_with('\n'), at));
    }
    let own: Vec<usize> = starts.iter().filter(|(own, _)| *own).map(|(_, at)| *at).collect();
    let inside: Vec<usize> = starts.iter().map(|(_, at)| *at).collect();
    [own, inside].iter().find_map(|starts| {
        starts.iter().rev().take(MAX_TRIES).find_map(|at| {
            let mut values = serde_json::Deserializer::from_str(&printed[*at..]).into_iter::<Map<String, Value>>();
            values.next()?.ok().filter(|found| found.contains_key("match"))
        })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn question() -> Question {
        Question {
            text: String::new(),
            canary: "veltrok nimyor".to_owned(),
            lists: vec!["plain-words-status-words".to_owned()],
        }
    }

    fn told(printed: &str) -> Result<(bool, Option<String>, String), Unusable> {
        read(printed, &question()).map(|answer| (answer.hit, answer.list, answer.closest))
    }

    const HIT: &str =
        r#"{"canary": "veltrok nimyor", "match": true, "category": "plain-words-status-words", "closest": "a b"}"#;
    const CLEAN: &str = r#"{"canary": "Veltrok nimyor.", "match": false, "category": "", "closest": ""}"#;

    #[test]
    fn an_answer_is_found_wherever_it_stands() {
        let hit = Ok((true, Some("plain-words-status-words".to_owned()), "a b".to_owned()));
        let spread = HIT.replace(", ", ",\n  ");
        for printed in [
            HIT.to_owned(),
            format!("{HIT}\n"),
            format!("thinking…\n{CLEAN}\n{HIT}\n"),
            format!("```json\n{HIT}\n```\n"),
            format!("The answer is {HIT}. Done."),
            format!("Sure:\n{spread}\nbye"),
            format!("{{nonsense\n{HIT}"),
        ] {
            assert_eq!(told(&printed), hit, "{printed}");
        }
    }

    #[test]
    fn only_true_is_a_hit() {
        for value in ["false", "\"true\"", "1", "null", "[true]", "{}"] {
            let printed = CLEAN.replace("false", value);
            assert_eq!(told(&printed), Ok((false, None, String::new())), "{value}");
        }
    }

    #[test]
    fn what_is_no_answer_is_told_apart() {
        for (printed, why) in [
            ("", Unusable::NoObject),
            ("yes it matches", Unusable::NoObject),
            ("[{}]", Unusable::NoObject),
            ("true", Unusable::NoObject),
            (r#"{"canary": "veltrok nimyor"}"#, Unusable::NoMatch),
            (r#"{"match": false}"#, Unusable::NoCanary),
            (r#"{"match": "true"}"#, Unusable::NoCanary),
            (
                r#"{"match": true, "canary": "velvet rope", "closest": "a b"}"#,
                Unusable::WrongCanary,
            ),
            (r#"{"match": false, "canary": 7}"#, Unusable::WrongCanary),
        ] {
            assert_eq!(told(printed), Err(why), "{printed}");
        }
    }

    #[test]
    fn a_hit_may_do_without_the_known_answer_and_an_invented_list_has_no_name() {
        let told = told(r#"{"match": true, "category": "words-of-mine", "closest": "a b"}"#);
        assert_eq!(told, Ok((true, None, "a b".to_owned())));
    }

    proptest! {
        #[test]
        fn nothing_printed_panics(printed in "[{}\"matchtrue:, \n]{0,300}") {
            let _told = told(&printed);
        }
    }
}
