//! A terminal in front of the wrapper: what a person types reaches Codex, and Ctrl-C and Ctrl-Z do what they always do.
//! The real Codex's own screen is `live_codex`'s.

use std::path::Path;
use std::time::Duration;

use proofmark_tests::need;
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
fn an_interrupt_from_the_keyboard_is_codexs_and_comes_once() -> anyhow::Result<()> {
    if !has_setsid() {
        return need::missing("setsid");
    }
    // Counted until some quiet has passed: a second one would be the wrapper's.
    let script = "count=0; trap 'count=$((count+1)); echo got $count' INT; echo ready; \
                  while [ $count = 0 ]; do sleep 0.05; done; sleep 0.5; sleep 0.1; echo in all $count; exit 4";
    let codex = StandIn::new(script);
    let mut terminal = terminal(&codex, &codex.world.program("proofmark"), &["codex", "--", "exec"]);
    terminal.shows("ready", 1, LIMIT).unwrap();
    terminal.press("\u{3}").unwrap();
    terminal.shows("in all 1", 1, LIMIT).unwrap();
    assert_eq!(terminal.end(LIMIT).unwrap().unwrap().code(), Some(4));
    codex.assert_nothing_is_left();
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
