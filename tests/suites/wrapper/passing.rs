//! Streams, arguments and exit codes: what goes through the wrapper is what came.
//! Signals and terminals are tested beside this.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::stand_in::{StandIn, run};

/// Bytes of every value, in no order that a text would have.
fn bytes(count: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn a_mebibyte_of_anything_goes_through_each_stream_unchanged() {
    let codex = StandIn::new("cat >kept; cat kept; cat kept >&2");
    for input in [bytes(1 << 20), b"no line end".to_vec(), Vec::new()] {
        let left = codex.run(&["--", "exec", "-"], &input);
        assert!(left.status.success(), "{}", left.stderr());
        assert!(left.stdout == input, "stdout is another one");
        assert!(left.stderr == input, "stderr is another one");
    }
    codex.assert_nothing_is_left();
    assert!(
        !codex.world.is_served().unwrap(),
        "no session, and yet a server was started"
    );
}

#[test]
fn every_exit_code_is_the_childs() {
    let codex = StandIn::new("for last; do :; done; exit \"$last\"");
    for code in 0..=255 {
        let left = codex.run(&["--", &code.to_string()], b"");
        assert_eq!(left.status.code(), Some(code));
        assert!(left.stdout.is_empty() && left.stderr.is_empty(), "{}", left.stderr());
    }
    codex.assert_nothing_is_left();
}

#[test]
fn closed_streams_are_no_trouble() {
    for (redirect, code) in [("<&-", 0), (">&-", 3), ("2>&-", 3), ("<&- >&- 2>&-", 0)] {
        let script = "if read line; then exit 3; fi; exit 0";
        let codex = StandIn::new(script);
        let mut shell = codex.world.command("/bin/sh".as_ref());
        codex.surround(&mut shell);
        let program = codex.world.program("proofmark");
        shell.args(["-c", &format!("exec '{}' codex -- exec {redirect}", program.display())]);
        assert_eq!(run(&mut shell, b"a line\n").status.code(), Some(code), "{redirect}");
        codex.assert_nothing_is_left();
    }
}

#[test]
fn the_persons_arguments_come_whole_and_in_their_order() {
    // Each on a line of its own; ours stand in front of them, two for each event and two for the trust.
    let codex = StandIn::new("while [ $# -gt 0 ]; do printf '%s\\0' \"$1\"; shift; done");
    let own: Vec<OsString> = [
        "exec",
        "--json",
        "",
        "a b",
        "it's \"so\"\n",
        "--",
        "--fail-on",
        "-c",
        "hooks={}",
    ]
    .into_iter()
    .map(OsString::from)
    .chain([OsString::from_vec(b"\xff\xfe".to_vec())])
    .collect();
    let left = run(codex.command(&["--"]).args(&own), b"");
    let mut got: Vec<OsString> = left
        .stdout
        .split(|byte| *byte == 0)
        .map(|argument| OsString::from_vec(argument.to_vec()))
        .collect();
    assert_eq!(got.pop(), Some(OsString::new()));
    let (ours, persons) = got.split_at(got.len() - own.len());
    assert_eq!(persons, own);
    assert_eq!(ours.len(), 16, "{ours:?}");
    for pair in ours.chunks(2) {
        assert!(
            pair[0] == "-c" && pair[1].to_str().unwrap().starts_with("hooks."),
            "{pair:?}"
        );
    }
}

#[test]
fn what_cannot_be_combined_is_said_and_codex_runs() {
    let codex = StandIn::new("printf '%s\\n' \"$@\"; exit 4");
    let arguments = ["--", "-c", "hooks={Stop=[]}", "features"];
    let left = codex.run(&arguments, b"");
    assert_eq!(left.status.code(), Some(4));
    assert_eq!(
        String::from_utf8(left.stdout).unwrap(),
        "-c\nhooks={Stop=[]}\nfeatures\n"
    );
    assert!(String::from_utf8(left.stderr).unwrap().contains("`-c hooks=`"));
    let quiet: Vec<&str> = ["--quiet"].into_iter().chain(arguments).collect();
    assert_eq!(codex.run(&quiet, b"").stderr(), "");
}

#[test]
fn where_nothing_can_be_watched_codex_runs_all_the_same() {
    let codex = StandIn::new("printf '%s\\n' \"$@\"; exit 6");
    for spoil in ["TMPDIR", "PROOFMARK_STATE_DIR"] {
        let mut command = codex.command(&["--", "exec", "x"]);
        if spoil == "TMPDIR" {
            command.env(spoil, codex.world.home().join("nowhere"));
        } else {
            command.env_remove(spoil).env_remove("HOME");
        }
        let left = run(&mut command, b"");
        assert_eq!(left.status.code(), Some(6), "{spoil}");
        assert_eq!(left.stdout, b"exec\nx\n", "{spoil}");
        assert!(
            left.stderr().contains("did not check this run"),
            "{spoil}: {}",
            left.stderr()
        );
    }
}
