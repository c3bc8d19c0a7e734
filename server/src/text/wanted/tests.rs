//! Which names a text limits the work to, and which it forbids: the cases as data, and what holds for any text.
//! What a name looks like is tested where it is read.

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::text::words::fixture_in;

#[derive(Deserialize)]
struct Case {
    text: String,
    #[serde(default)]
    only: Vec<String>,
    #[serde(default)]
    not: Vec<String>,
}

#[test]
fn the_cases_hold() {
    let cases: Vec<Case> = serde_json::from_str(&fixture_in("text", "wanted.json")).unwrap();
    assert!(cases.len() >= 40, "the cases are all there");
    let wrong: Vec<_> = cases
        .into_iter()
        .filter_map(|Case { text, only, not }| {
            let found = wanted_paths(&text);
            (found != Wanted { only, not }).then(|| format!("{text:?} gives {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

proptest! {
    #[test]
    fn any_text_is_read(text in any::<String>()) {
        wanted_paths(&text);
    }

    #[test]
    fn what_is_found_stands_in_the_text(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "only", " touch", " do not", " leave", " alone", " a.rs", " src/", ",", ".", "`", "\"", "*", "\n", " nothing", " outside", " not", " é", " and",
            ]),
            0..40,
        ),
    ) {
        let text = parts.concat();
        let found = wanted_paths(&text);
        prop_assert!(found.only.iter().chain(&found.not).all(|name| text.contains(name)));
    }

    #[test]
    fn what_names_something_is_not_passed_over(word in "[a-zA-Z0-9./*`_\\\\@,()\"é-]{0,12}") {
        use super::path::{may_name, named};
        prop_assert!(named(&word).is_none() || may_name(&word));
    }

    #[test]
    fn what_is_shown_or_quoted_limits_nothing(shown in prop::sample::select(vec!["only touch src/a", "do not edit a.rs"])) {
        prop_assert_ne!(wanted_paths(shown), Wanted::default());
        for text in [format!("> {shown}"), format!("```\n{shown}\n```"), format!("\"{shown}\""), format!("<log>\n{shown}\n</log>")] {
            prop_assert_eq!(wanted_paths(&text), Wanted::default(), "{}", text);
        }
    }
}

#[test]
fn no_more_is_kept_than_a_check_can_use() {
    let names: Vec<String> = (0..1000).map(|at| format!("a{at}.rs")).collect();
    for text in [
        format!("only touch {}", names.join(", ")),
        format!("do not touch {}", names.join(" or ")),
    ] {
        let found = wanted_paths(&text);
        assert_eq!(found.only.len() + found.not.len(), MOST);
    }
}
