//! How a call ended, by the text that the model got for it: exit codes, running commands, refusals.
//! What a code means stays out, and so do the events that tell one in a member of its own.

use crate::harness::json::Members;
use crate::session::Ending;

/// Lines before the output that may tell something; 0.171.0 writes five.
const HEAD: usize = 12;
/// What stands before the output.
const OUTPUT: &str = "Output:";
/// How a result begins of a call that never ran: a hook, the person, a rule or the harness's own look at it refused it.
const DENIALS: [&str; 7] = [
    "Command blocked by PreToolUse hook",
    "Tool call blocked by PreToolUse hook",
    "apply_patch verification failed",
    "exec_command failed",
    "failed to parse function arguments",
    "unsupported call",
    "exec command rejected by user",
];
/// How the line begins that says that the person stopped the call: alone, or after the time it took.
const ABORTED: &str = "aborted by user";

/// What a result's text tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Told<'a> {
    pub(super) ending: Ending,
    pub(super) exit: Option<i32>,
    /// The command goes on, under this number.
    pub(super) process: Option<i64>,
    /// What was shown.
    pub(super) output: std::borrow::Cow<'a, str>,
}

/// Reads the result of a shell command, of a look at one, or of a patch.
///
/// - 0.118 puts `Command: ...` before the rest, up to its `Chunk ID` line.
/// - Before 0.133 results of patches, and of the older shell tools, are JSON with `metadata.exit_code`.
/// - A patch typed into the shell has a patch's result for its output (0.171.0).
/// - A text without a code says nothing of how the command ended.
pub(super) fn of_command(text: &str) -> Told<'_> {
    if let Some(told) = refused(text) {
        return told;
    }
    if text.trim_start().starts_with('{') {
        let object = Members::parse(text);
        if let Some(code) = object.object("metadata").number("exit_code") {
            let output = object.text("output").unwrap_or_default();
            return exited(code, output.into());
        }
    }
    let own = if text.starts_with("Command: ") {
        text.find("\nChunk ID: ").map_or(text, |at| &text[at + 1..])
    } else {
        text
    };
    let (head, output) = split(own);
    let number = |sign: &str| -> Option<i64> {
        head.lines()
            .find_map(|line| line.strip_prefix(sign)?.trim().parse().ok())
    };
    let told = number("Process exited with code ").or_else(|| number("Exit code: "));
    if let Some(code) = told {
        return exited(code, output.into());
    }
    if let Some(process) = number("Process running with session ID ") {
        return Told {
            ending: Ending::Background,
            exit: None,
            process: Some(process),
            output: output.into(),
        };
    }
    if head.lines().any(|line| line.starts_with(ABORTED)) {
        return plain(Ending::Interrupted, output);
    }
    if let Some(code) = output.lines().next().and_then(|line| line.strip_prefix("Exit code: ")) {
        let (_, shown) = split(output);
        return match code.trim().parse() {
            Ok(code) => exited(code, shown.into()),
            Err(_) => plain(Ending::Untold, output),
        };
    }
    plain(Ending::Untold, output)
}

/// Reads the result of any other call: its text says nothing but that it was refused or stopped.
pub(super) fn of_other(text: &str) -> Told<'_> {
    if let Some(told) = refused(text) {
        return told;
    }
    let ending = if text.lines().take(2).any(|line| line.starts_with(ABORTED)) {
        Ending::Interrupted
    } else {
        Ending::Succeeded
    };
    plain(ending, text)
}

/// How a command with this code ended. Codex writes -1 for one that it killed itself: that is no code of the command's.
pub(super) fn by_code(code: i64) -> (Ending, Option<i32>) {
    match i32::try_from(code) {
        Ok(-1) => (Ending::Interrupted, None),
        Ok(0) => (Ending::Succeeded, Some(0)),
        Ok(code) => (Ending::Failed, Some(code)),
        Err(_) => (Ending::Failed, None),
    }
}

fn exited(code: i64, output: std::borrow::Cow<'_, str>) -> Told<'_> {
    let (ending, exit) = by_code(code);
    Told {
        ending,
        exit,
        process: None,
        output,
    }
}

fn refused(text: &str) -> Option<Told<'_>> {
    let denied = DENIALS.iter().any(|denial| text.starts_with(denial));
    denied.then(|| plain(Ending::Denied, text))
}

fn plain(ending: Ending, output: &str) -> Told<'_> {
    Told {
        ending,
        exit: None,
        process: None,
        output: output.into(),
    }
}

/// What stands before the output, and the output; all is the output where no line announces it.
fn split(text: &str) -> (&str, &str) {
    let mut at = 0;
    for line in text.split_inclusive('\n').take(HEAD) {
        if line.trim_end() == OUTPUT {
            return (&text[..at], &text[at + line.len()..]);
        }
        at += line.len();
    }
    (&text[..at], text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commands_result_tells_its_end() {
        let chunk = "Chunk ID: 1\nWall time: 0.1 seconds\n";
        let cases = [
            (
                format!("{chunk}Process exited with code 0\nOutput:\nok\n"),
                Ending::Succeeded,
                Some(0),
                None,
                "ok\n",
            ),
            (
                format!("{chunk}Process exited with code 137\nOutput:\n"),
                Ending::Failed,
                Some(137),
                None,
                "",
            ),
            (
                format!("Command: /bin/zsh -lc 'echo\nOutput:\n'\n{chunk}Process exited with code 2\nOutput:\nno"),
                Ending::Failed,
                Some(2),
                None,
                "no",
            ),
            (
                format!("{chunk}Process running with session ID 17\nOutput:\nProcess exited with code 1\n"),
                Ending::Background,
                None,
                Some(17),
                "Process exited with code 1\n",
            ),
            (
                "Exit code: 1\nWall time: 0 seconds\nOutput:\nno".to_owned(),
                Ending::Failed,
                Some(1),
                None,
                "no",
            ),
            (
                "Wall time: 0.0 seconds\nOutput:\nExit code: 0\nWall time: 0 seconds\nOutput:\nA f\n".to_owned(),
                Ending::Succeeded,
                Some(0),
                None,
                "A f\n",
            ),
            (
                r#"{"output":"M f\n","metadata":{"exit_code":1,"duration_seconds":0.0}}"#.to_owned(),
                Ending::Failed,
                Some(1),
                None,
                "M f\n",
            ),
            (
                r#"{"output":"M f"}"#.to_owned(),
                Ending::Untold,
                None,
                None,
                r#"{"output":"M f"}"#,
            ),
            (
                "aborted by user after 29.7s".to_owned(),
                Ending::Interrupted,
                None,
                None,
                "aborted by user after 29.7s",
            ),
            (
                "Wall time: 1.4 seconds\naborted by user".to_owned(),
                Ending::Interrupted,
                None,
                None,
                "Wall time: 1.4 seconds\naborted by user",
            ),
            (
                "unsupported call: x".to_owned(),
                Ending::Denied,
                None,
                None,
                "unsupported call: x",
            ),
            (
                "Command blocked by PreToolUse hook: no. Command: Process exited with code 0".to_owned(),
                Ending::Denied,
                None,
                None,
                "Command blocked by PreToolUse hook: no. Command: Process exited with code 0",
            ),
            ("redo it".to_owned(), Ending::Untold, None, None, "redo it"),
            (String::new(), Ending::Untold, None, None, ""),
        ];
        for (text, ending, exit, process, output) in cases {
            let told = of_command(&text);
            assert_eq!(
                (told.ending, told.exit, told.process, &*told.output),
                (ending, exit, process, output),
                "{text:?}"
            );
        }
    }

    #[test]
    fn what_other_calls_show_tells_no_end() {
        for (text, ending) in [
            ("Process exited with code 1", Ending::Succeeded),
            ("Exit code: 1\nOutput:", Ending::Succeeded),
            (r#"{"metadata":{"exit_code":1}}"#, Ending::Succeeded),
            ("Wall time: 1 seconds\naborted by user", Ending::Interrupted),
            ("Tool call blocked by PreToolUse hook: no. Tool: x", Ending::Denied),
        ] {
            let told = of_other(text);
            assert_eq!((told.ending, told.exit, &*told.output), (ending, None, text));
        }
    }

    #[test]
    fn a_killed_command_has_no_code() {
        assert_eq!(by_code(-1), (Ending::Interrupted, None));
        assert_eq!(by_code(-2), (Ending::Failed, Some(-2)));
        assert_eq!(by_code(1 << 40), (Ending::Failed, None));
    }
}
