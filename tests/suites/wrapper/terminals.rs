//! A terminal in front of the wrapper: what a person types reaches Codex, and Ctrl-C and Ctrl-Z do what they always do.
//! The real Codex's own screen is `live_codex`'s.

use std::path::Path;
use std::time::Duration;

use proofmark_tests::need;
use proofmark_tests::process::until;
use proofmark_tests::terminal::Terminal;

use crate::stand_in::{LIMIT, StandIn};

/// A terminal with the wrapper, or with a shell from which it is started.
fn terminal(codex: &StandIn, program: &Path, arguments: &[&str]) -> Terminal {
    let mut setsid = codex.world.command("setsid".as_ref());
    codex.surround(&mut setsid);
    setsid
        .env("PROOFMARK", codex.world.program("proofmark"))
        .env("PS1", "$ ");
    Terminal::start(setsid, program.as_os_str(), arguments).unwrap()
}

fn has_setsid() -> bool {
    std::process::Command::new("setsid").arg("--version").output().is_ok()
}

#[test]
fn the_terminal_is_codexs_own() -> anyhow::Result<()> {
    if !has_setsid() {
        return need::missing("setsid");
    }
    let script = "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size; read line; echo \"<$line>\"; exit 5";
    let codex = StandIn::new(script);
    let mut terminal = terminal(&codex, &codex.world.program("proofmark"), &["codex", "--"]);
    terminal.shows("40 120", 1, LIMIT).unwrap();
    terminal.press("typed\n").unwrap();
    terminal.shows("<typed>", 1, LIMIT).unwrap();
    assert_eq!(terminal.end(LIMIT).unwrap().unwrap().code(), Some(5));
    codex.assert_nothing_is_left();
    Ok(())
}

#[test]
fn an_interrupt_from_the_keyboard_reaches_codex() -> anyhow::Result<()> {
    if !has_setsid() {
        return need::missing("setsid");
    }
    let codex = StandIn::new("trap 'echo got it; exit 4' INT; echo ready; while :; do sleep 0.05; done");
    let mut terminal = terminal(&codex, &codex.world.program("proofmark"), &["codex", "--", "exec"]);
    terminal.shows("ready", 1, LIMIT).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.shows("got it", 1, LIMIT).unwrap();
    assert_eq!(terminal.end(LIMIT).unwrap().unwrap().code(), Some(4));
    codex.assert_nothing_is_left();
    Ok(())
}

#[test]
fn the_wrapper_adds_no_interrupt_to_the_keyboards() -> anyhow::Result<()> {
    if !has_setsid() {
        return need::missing("setsid");
    }
    // Out of the terminal's reach: an interrupt that comes here comes from the wrapper. It would come while this sleeps.
    let inner = "trap 'echo one too many; exit 9' INT; echo ready; read line; sleep 0.5; exit 4";
    let codex = StandIn::new(&format!("exec setsid sh -c \"{inner}\""));
    let mut terminal = terminal(&codex, &codex.world.program("proofmark"), &["codex", "--", "exec"]);
    terminal.shows("ready", 1, LIMIT).unwrap();
    terminal.press("\u{3}").unwrap();
    // The terminal drops what was typed before an interrupt, so it has to have taken that.
    terminal.shows("^C", 1, LIMIT).unwrap();
    terminal.press("go\n").unwrap();
    assert_eq!(terminal.end(LIMIT).unwrap().unwrap().code(), Some(4));
    Ok(())
}

#[test]
fn a_run_that_is_put_aside_comes_back() -> anyhow::Result<()> {
    if !has_setsid() {
        return need::missing("setsid");
    }
    // The second one stops itself alone, as a program may that reads its keys itself.
    for stop in ["read first", "kill -TSTP $$"] {
        let codex = StandIn::new(&format!(
            "echo ready; {stop}; echo back; read line; echo \"<$line>\"; exit 6"
        ));
        let mut terminal = terminal(&codex, Path::new("/bin/sh"), &["-i"]);
        terminal
            .press("\"$PROOFMARK\" codex -- exec; echo \"ended: $?\"\n")
            .unwrap();
        terminal.shows("ready", 1, LIMIT).unwrap();
        if stop.starts_with("read") {
            terminal.press("\u{1a}").unwrap();
        }
        // A shell that goes on after a job was stopped says so; only then the next line is its own.
        terminal.shows("Stopped", 1, LIMIT).unwrap();
        terminal.press("echo she''ll\n").unwrap();
        terminal.shows("shell", 1, LIMIT).unwrap();
        terminal.press("fg; echo \"at last: $?\"\n").unwrap();
        if stop.starts_with("read") {
            terminal.press("one\n").unwrap();
        }
        terminal.shows("back", 1, LIMIT).unwrap();
        terminal.press("two\n").unwrap();
        terminal.shows("<two>", 1, LIMIT).unwrap();
        terminal.shows("at last: 6", 1, LIMIT).unwrap();
        terminal.press("exit 0\n").unwrap();
        assert!(terminal.end(Duration::from_secs(20)).unwrap().is_some());
        codex.assert_nothing_is_left();
    }
    Ok(())
}

#[test]
fn a_run_that_goes_on_behind_the_shell_waits_there_for_the_keyboard() -> anyhow::Result<()> {
    if !has_setsid() {
        return need::missing("setsid");
    }
    let codex = StandIn::new("echo ready; read line; echo \"<$line>\"; exit 6");
    let mut terminal = terminal(&codex, Path::new("/bin/sh"), &["-i"]);
    terminal.press("\"$PROOFMARK\" codex -- exec\n").unwrap();
    terminal.shows("ready", 1, LIMIT).unwrap();
    terminal.press("\u{1a}").unwrap();
    terminal.shows("Stopped", 1, LIMIT).unwrap();
    terminal.press("bg\n").unwrap();
    // Shells tell of a job when they are about to prompt.
    let stopped = until(LIMIT, || {
        terminal.press("\n").unwrap();
        terminal.shows("tty input", 1, Duration::from_millis(100)).ok()
    });
    assert!(stopped.is_some(), "{}", terminal.shown());
    terminal.press("fg; echo \"at last: $?\"\n").unwrap();
    terminal.press("typed\n").unwrap();
    terminal.shows("<typed>", 1, LIMIT).unwrap();
    terminal.shows("at last: 6", 1, LIMIT).unwrap();
    terminal.press("exit 0\n").unwrap();
    assert!(terminal.end(Duration::from_secs(20)).unwrap().is_some());
    codex.assert_nothing_is_left();
    Ok(())
}
