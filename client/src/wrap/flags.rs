//! The person's arguments for Codex with our hooks among them: what they say of hooks themselves stays in force.
//! What the hooks are stands beside.

use std::ffi::OsString;

use toml::{Table, Value};

use super::hooks::{Commands, EVENTS};

/// The key below which Codex keeps the trust in hooks.
const STATE: &str = "hooks.state";

/// What Codex is started with.
pub(super) struct Flags {
    /// The arguments.
    pub(super) arguments: Vec<OsString>,
    /// What could not be combined, in plain words.
    pub(super) said: Vec<String>,
}

/// One `-c key=value` of the person.
struct Setting<'a> {
    /// Its place among the arguments.
    at: usize,
    /// What stands before the key in that argument.
    before: &'a str,
    key: &'a str,
    value: &'a str,
}

/// The person's arguments with our hooks added, each behind the person's own for the same event.
///
/// Settings of the command line replace each other by their keys, the last one counts (Codex 0.171.0). So ours stand
/// first, and where the person has one of the same key, ours is added to its value.
pub(super) fn with_hooks(arguments: &[OsString], commands: &Commands) -> Flags {
    let settings = settings(arguments);
    if settings.iter().any(|setting| setting.key == "hooks") {
        return Flags {
            arguments: arguments.to_vec(),
            said: vec![
                "`-c hooks=` replaces all hooks of the command line, so Proofmark's are left out; \
                 `-c hooks.EVENT=` can be combined with them"
                    .to_owned(),
            ],
        };
    }
    let last = |key: &str| settings.iter().rev().find(|setting| setting.key == key);
    let mut flags = Flags {
        arguments: arguments.to_vec(),
        said: Vec::new(),
    };
    let mut ours = Vec::new();
    let mut trust = Vec::new();
    for event in &EVENTS {
        let (key, group) = (format!("hooks.{}", event.name), commands.group(event));
        let Some(setting) = last(&key) else {
            ours.push(format!("{key}=[{group}]"));
            trust.extend(commands.trust(event, 0));
            continue;
        };
        match added_to_list(setting.value, &group) {
            Some((value, before)) => {
                flags.put(setting, &value);
                trust.extend(commands.trust(event, before));
            }
            None => flags.said.push(format!(
                "Proofmark's hook can't be added to `-c {key}=`, so it does not see this event"
            )),
        }
    }
    let trust = trust.join(",");
    match last(STATE) {
        None => ours.push(format!("{STATE}={{{trust}}}")),
        Some(setting) => match added_to_table(setting.value, &trust) {
            Some(value) => flags.put(setting, &value),
            None => flags.said.push(format!(
                "the trust in Proofmark's hooks can't be added to `-c {STATE}=`, so Codex will not run them"
            )),
        },
    }
    let ours = ours.into_iter().flat_map(|setting| ["-c".to_owned(), setting]);
    flags.arguments.splice(0..0, ours.map(OsString::from));
    flags
}

impl Flags {
    fn put(&mut self, setting: &Setting<'_>, value: &str) {
        if let Some(argument) = self.arguments.get_mut(setting.at) {
            *argument = format!("{}{}={value}", setting.before, setting.key).into();
        }
    }
}

/// True when the hooks of a run of this program are among the arguments: what was started as Codex has led back here.
pub(super) fn is_led_back(arguments: &[OsString], mark: &str) -> bool {
    settings(arguments)
        .iter()
        .any(|setting| setting.key == "hooks.SessionStart" && setting.value.contains(mark))
}

/// The settings among the arguments, in their order. Behind `--` there are none.
fn settings(arguments: &[OsString]) -> Vec<Setting<'_>> {
    let mut found = Vec::new();
    let mut is_next = false;
    // An argument that is no text is none of ours to read, but may be a setting's value.
    for (at, text) in arguments.iter().map(|argument| argument.to_str()).enumerate() {
        let text = text.unwrap_or_default();
        let before = if std::mem::take(&mut is_next) {
            ""
        } else if text == "--" {
            break;
        } else if text == "-c" || text == "--config" {
            is_next = true;
            continue;
        } else if let Some(before) = ["--config=", "-c=", "-c"]
            .iter()
            .find(|before| text.starts_with(**before))
        {
            before
        } else {
            continue;
        };
        if let Some((key, value)) = text[before.len()..].split_once('=') {
            let (key, value) = (key.trim(), value.trim());
            found.push(Setting { at, before, key, value });
        }
    }
    found
}

/// A list with one more element at its end, and how many there were before; none when it is no list that can take one.
fn added_to_list(value: &str, element: &str) -> Option<(String, usize)> {
    let old = read(value)?;
    let text = added(value, ']', element)?;
    let (old, new) = (old.as_array()?, read(&text)?);
    let (last, same) = new.as_array()?.split_last()?;
    (same == old && Some(last) == read(element).as_ref()).then_some((text, old.len()))
}

/// An inline table with more members at its end; none when it is no table that can take them.
fn added_to_table(value: &str, members: &str) -> Option<String> {
    let old = read(value)?;
    let text = added(value, '}', members)?;
    let mut whole = old.as_table()?.clone();
    whole.extend(read(&format!("{{{members}}}"))?.as_table()?.clone());
    (read(&text)?.as_table()? == &whole).then_some(text)
}

/// The text with something more before its last bracket. Whether that is what was meant is seen by reading it.
fn added(value: &str, close: char, more: &str) -> Option<String> {
    let inner = value[..value.rfind(close)?].trim_end();
    let inner = inner.strip_suffix(',').unwrap_or(inner);
    let comma = if inner.len() > 1 { "," } else { "" };
    Some(format!("{inner}{comma}{more}{close}"))
}

/// A value as Codex reads it.
fn read(value: &str) -> Option<Value> {
    let mut table: Table = format!("x = {value}").parse().ok()?;
    // A value with a line of its own behind it would be two.
    (table.len() == 1).then(|| table.remove("x")).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands() -> Commands {
        Commands {
            hook: "'/p/proofmark-hook' codex".to_owned(),
            note: "cat >>'/t/proofmark-codex-x/sessions'".to_owned(),
        }
    }

    fn with(arguments: &[&str]) -> (Vec<String>, Vec<String>) {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let flags = with_hooks(&arguments, &commands());
        let text = |argument: OsString| argument.into_string().unwrap();
        (flags.arguments.into_iter().map(text).collect(), flags.said)
    }

    /// What Codex makes of the arguments: the last setting of each key.
    fn effective(arguments: &[String]) -> std::collections::BTreeMap<String, Option<Value>> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        settings(&arguments)
            .iter()
            .map(|setting| (setting.key.to_owned(), read(setting.value)))
            .collect()
    }

    fn trusted(arguments: &[String]) -> Vec<String> {
        let state = effective(arguments).remove(STATE).unwrap().unwrap();
        state.as_table().unwrap().keys().cloned().collect()
    }

    #[test]
    fn ours_stand_first_and_what_the_person_said_follows_unchanged() {
        let own = [
            "exec",
            "--json",
            "-c",
            "model=\"x\"",
            "-cfeatures.a=true",
            "--",
            "-c",
            "hooks.Stop=[]",
        ];
        let (arguments, said) = with(&own);
        assert!(said.is_empty());
        assert_eq!(arguments[arguments.len() - own.len()..], own);
        assert_eq!(arguments.len() - own.len(), 2 * (EVENTS.len() + 1));
        let keys: Vec<&str> = arguments
            .iter()
            .step_by(2)
            .take(EVENTS.len() + 1)
            .map(String::as_str)
            .collect();
        assert_eq!(keys, ["-c"; 8]);
        for event in &EVENTS {
            let groups = effective(&arguments)
                .remove(&format!("hooks.{}", event.name))
                .unwrap()
                .unwrap();
            assert_eq!(groups.as_array().unwrap().len(), 1, "{}", event.name);
        }
        assert_eq!(trusted(&arguments).len(), EVENTS.len() + 1);
    }

    #[test]
    fn the_persons_own_hooks_of_the_command_line_stay_and_ours_come_behind_them() {
        let one = r#"[{hooks=[{type="command",command="mine"}]}]"#;
        let cases: &[(&[&str], usize, usize)] = &[
            (&["-c", &format!("hooks.Stop={one}")], 1, 1),
            (&["exec", &format!("-chooks.Stop={one}"), "x"], 1, 1),
            (&["exec", &format!("--config=hooks.Stop = {one} "), "x"], 1, 1),
            (&["exec", &format!("-c=hooks.Stop={one}"), "x"], 1, 1),
            (&["--config", "hooks.Stop=[]"], 0, 0),
            (&["-c", "hooks.Stop=[ {hooks=[]}, {hooks=[]}, ]"], 2, 2),
            // The last one of a key counts, so it is the one that is added to.
            (
                &[
                    "-c",
                    "hooks.Stop=[{hooks=[]},{hooks=[]}]",
                    "-c",
                    &format!("hooks.Stop={one}"),
                ],
                1,
                1,
            ),
        ];
        for (own, before, group) in cases {
            let (arguments, said) = with(own);
            assert!(said.is_empty(), "{own:?}: {said:?}");
            let stop = effective(&arguments).remove("hooks.Stop").unwrap().unwrap();
            let stop = stop.as_array().unwrap();
            assert_eq!(stop.len(), before + 1, "{own:?}");
            let ours = &stop[*before]["hooks"][0]["command"];
            assert_eq!(ours.as_str(), Some("'/p/proofmark-hook' codex"), "{own:?}");
            let key = format!("/<session-flags>/config.toml:stop:{group}:0");
            assert!(trusted(&arguments).contains(&key), "{own:?}");
        }
    }

    #[test]
    fn the_persons_own_trust_of_the_command_line_stays() {
        for own in [
            "hooks.state={}",
            "hooks.state={'/x:stop:0:0'={trusted_hash='sha256:1'}}",
            "hooks.state = { '/x:stop:0:0' = { trusted_hash = 'sha256:1' } } ",
        ] {
            let (arguments, said) = with(&["exec", "-c", own]);
            assert!(said.is_empty(), "{own}: {said:?}");
            let trusted = trusted(&arguments);
            assert!(trusted.len() > EVENTS.len(), "{own}");
            assert_eq!(trusted.contains(&"/x:stop:0:0".to_owned()), own.contains("/x"), "{own}");
        }
    }

    #[test]
    fn what_cannot_be_combined_is_left_as_it_is_and_said() {
        for (own, pieces) in [
            ("hooks={Stop=[]}", &["`-c hooks=`"][..]),
            ("hooks.Stop=rubbish", &["`-c hooks.Stop=`"]),
            ("hooks.Stop={}", &["`-c hooks.Stop=`"]),
            ("hooks.Stop=[1] # ]", &["`-c hooks.Stop=`"]),
            ("hooks.Stop=[\n1 # one\n]", &["`-c hooks.Stop=`"]),
            ("hooks.state=[]", &["`-c hooks.state=`"]),
            ("hooks.state=", &["`-c hooks.state=`"]),
            // A key that is ours as well: whose it is can't be told.
            (
                "hooks.state={'/<session-flags>/config.toml:stop:0:0'={enabled=false}}",
                &["`-c hooks.state=`"],
            ),
        ] {
            let (arguments, said) = with(&["-c", own]);
            assert_eq!(arguments.last().map(String::as_str), Some(own));
            assert_eq!(said.len(), pieces.len(), "{own}: {said:?}");
            assert!(said[0].contains(pieces[0]), "{own}: {said:?}");
        }
        assert_eq!(with(&["-c", "hooks={}"]).0, ["-c", "hooks={}"]);
    }

    #[test]
    fn an_argument_that_is_no_text_passes() {
        use std::os::unix::ffi::OsStringExt;
        let strange = OsString::from_vec(b"\xff-c".to_vec());
        let own = [OsString::from("-c"), strange.clone(), strange];
        let flags = with_hooks(&own, &commands());
        assert!(flags.arguments.ends_with(&own));
    }

    #[test]
    fn our_own_hooks_among_the_arguments_are_known() {
        let (arguments, _) = with(&["exec"]);
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        assert!(is_led_back(&arguments, "proofmark-codex-"));
        for other in [
            &["exec", "-c", "hooks.SessionStart=[]"][..],
            &["exec", "--", "-c", "hooks.SessionStart=[] # proofmark-codex-"],
            &["exec", "proofmark-codex-"],
        ] {
            let other: Vec<OsString> = other.iter().map(OsString::from).collect();
            assert!(!is_led_back(&other, "proofmark-codex-"), "{other:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_arguments_pass_and_stay_in_their_order(own in proptest::collection::vec("(-c|--config=|hooks.Stop=|[\\[\\]{}=,#\" a])*", 0..6)) {
            let given: Vec<OsString> = own.iter().map(OsString::from).collect();
            let flags = with_hooks(&given, &commands());
            let kept = &flags.arguments[flags.arguments.len() - given.len()..];
            for (kept, given) in kept.iter().zip(&given) {
                let (kept, given) = (kept.to_str().unwrap(), given.to_str().unwrap());
                // Only a setting of hooks is ever another one than before.
                proptest::prop_assert!(kept == given || given.contains("hooks.Stop"));
            }
        }
    }
}
