//! What a person has set for their editor: read member by member, so that one bad member spoils nothing.
//! What is done with it stays out.

use std::collections::BTreeMap;

use proofmark_protocol::Severity;
use proofmark_protocol::findings::EditorOptions;
use serde::Deserialize;
use serde_json::Value;

/// Lays what a client sends over what holds. A member that is not named or can't be read stays as it was; null sets it
/// back. A severity that can't be read leaves that code as the server has it.
pub(super) fn lay_over(options: &mut EditorOptions, sent: &Value) {
    let default = EditorOptions::default();
    let flag = |name: &str, old: bool, default: bool| match sent.get(name) {
        Some(Value::Null) => default,
        Some(Value::Bool(new)) => *new,
        _ => old,
    };
    options.code_lens = flag("codeLens", options.code_lens, default.code_lens);
    options.sessions = flag("sessions", options.sessions, default.sessions);
    match sent.get("severity") {
        Some(Value::Null) => options.severity = default.severity,
        Some(Value::Object(codes)) => {
            let known =
                |(code, severity): (&String, &Value)| Some((code.clone(), Severity::deserialize(severity).ok()?));
            options.severity = codes.iter().filter_map(known).collect::<BTreeMap<_, _>>();
        }
        _ => {}
    }
    match sent.get("maxAgeHours") {
        Some(Value::Null) => options.max_age_hours = default.max_age_hours,
        Some(hours) => {
            if let Some(hours) = hours.as_f64().filter(|hours| *hours > 0.0) {
                options.max_age_hours = hours.min(default.max_age_hours);
            }
        }
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_member_counts_for_itself_and_what_can_not_be_read_changes_nothing() {
        let set = json!({
            "codeLens": false, "sessions": true, "severity": {"stale-verdict": "information"}, "maxAgeHours": 2,
        });
        let all = |lens: bool, sessions: bool, severity: &[(&str, Severity)], hours: f64| EditorOptions {
            code_lens: lens,
            sessions,
            severity: severity.iter().map(|(code, to)| ((*code).to_owned(), *to)).collect(),
            max_age_hours: hours,
        };
        let stale = [("stale-verdict", Severity::Information)];
        let after_set = all(false, true, &stale, 2.0);
        for (sent, expected) in [
            (Value::Null, after_set.clone()),
            (json!("rubbish"), after_set.clone()),
            (json!([true]), after_set.clone()),
            (json!({}), after_set.clone()),
            (json!({"other": 1, "code_lens": true}), after_set.clone()),
            (
                json!({"codeLens": {"enabled": true}, "sessions": "no", "severity": ["error"], "maxAgeHours": "1"}),
                after_set.clone(),
            ),
            (json!({"maxAgeHours": -1}), after_set.clone()),
            (json!({"maxAgeHours": 0}), after_set.clone()),
            (json!({"codeLens": true}), all(true, true, &stale, 2.0)),
            (json!({"sessions": false}), all(false, false, &stale, 2.0)),
            (json!({"maxAgeHours": 0.5}), all(false, true, &stale, 0.5)),
            (json!({"maxAgeHours": 1e9}), all(false, true, &stale, 168.0)),
            (
                json!({"severity": {"stale-verdict": "loud", "untried-claim": "warning", "x": 3, "y": null}}),
                all(false, true, &[("untried-claim", Severity::Warning)], 2.0),
            ),
            (json!({"severity": {}}), all(false, true, &[], 2.0)),
            (
                json!({"codeLens": null, "sessions": null, "severity": null, "maxAgeHours": null}),
                EditorOptions::default(),
            ),
        ] {
            let mut options = EditorOptions::default();
            lay_over(&mut options, &set);
            assert_eq!(options, after_set);
            lay_over(&mut options, &sent);
            assert_eq!(options, expected, "{sent}");
        }
    }
}
