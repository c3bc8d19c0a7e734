//! Homes in which one thing is not as it should be, and exactly what the doctor has to say of each.
//! How it is worded stays out.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

use proofmark_protocol::paths;
use rusqlite::Connection;
use rustix::process::{Pid, Signal, kill_process};

use crate::stage::{Stage, amiss};

const CLAUDE: &str = ".claude/settings.json";
const CODEX: &str = ".codex/hooks.json";
const TOML: &str = ".codex/config.toml";
const CURSOR: &str = ".cursor/hooks.json";

/// One broken home: what is done to a sound one, and all that must not pass then.
type Case = (&'static str, fn(&Stage), &'static [&'static str]);

fn hold(cases: &[Case]) {
    for (name, break_it, expected) in cases {
        let stage = Stage::sound();
        break_it(&stage);
        let report = stage.run(&["doctor", "--json"]);
        assert_eq!(amiss(&report), *expected, "{name}: {}", report.stdout);
    }
}

#[test]
fn settings_of_claude_code() {
    hold(&[
        (
            "no JSON",
            |stage| stage.edit(CLAUDE, |text| text.replacen('{', "{,", 1)),
            &["claude-code/settings=fail"],
        ),
        (
            "a comment",
            |stage| stage.edit(CLAUDE, |text| format!("// mine\n{text}")),
            &["claude-code/settings=fail"],
        ),
        (
            "taken out",
            |stage| {
                stage.done(&["uninstall", "claude-code"]);
            },
            // Cursor then has its own entries alone.
            &["claude-code/entries=fail"],
        ),
        (
            "one event is missing",
            |stage| {
                stage.edit(CLAUDE, |text| {
                    text.replacen("\"SubagentStop\"", "\"SubagentStopped\"", 1)
                })
            },
            &["claude-code/entries=fail", "claude-code/current=fail"],
        ),
        (
            "switched off",
            |stage| stage.edit(CLAUDE, |text| text.replacen('{', "{\"disableAllHooks\": true,", 1)),
            &["claude-code/switches=fail"],
        ),
        (
            "the program was moved",
            |stage| {
                let hook = stage.world.program("proofmark-hook").display().to_string();
                stage.edit(CLAUDE, |text| text.replace(&hook, "/nowhere/proofmark-hook"));
            },
            &["claude-code/current=fail", "claude-code/self-test=fail"],
        ),
        (
            "another Proofmark",
            |stage| {
                let hook = stage.world.program("proofmark-hook");
                let other = stage.home("proofmark-hook");
                fs::copy(&hook, &other).unwrap();
                let (hook, other) = (hook.display().to_string(), other.display().to_string());
                stage.edit(CLAUDE, |text| text.replace(&hook, &other));
            },
            &["claude-code/current=fail"],
        ),
        (
            "something in the program's place that says nothing",
            |stage| {
                let silent = stage.home("proofmark-hook");
                fs::write(&silent, "#!/bin/sh\ncat >/dev/null\n").unwrap();
                fs::set_permissions(&silent, Permissions::from_mode(0o755)).unwrap();
                let hook = stage.world.program("proofmark-hook").display().to_string();
                stage.edit(CLAUDE, |text| text.replace(&hook, &silent.display().to_string()));
            },
            &["claude-code/current=fail", "claude-code/self-test=fail"],
        ),
        (
            "its folder is a file",
            |stage| {
                fs::remove_dir_all(stage.home(".claude")).unwrap();
                fs::write(stage.home(".claude"), "").unwrap();
            },
            &["claude-code/settings=unchecked"],
        ),
        (
            "the project has hooks as well",
            |stage| {
                stage.done(&["install", "claude-code", "--scope", "project"]);
            },
            &["claude-code/doubled=fail"],
        ),
        (
            "the project's settings can't be read",
            |stage| {
                fs::create_dir(stage.world.project().join(".claude")).unwrap();
                fs::write(stage.world.project().join(CLAUDE), "{").unwrap();
            },
            &["claude-code/doubled=unchecked"],
        ),
        (
            "no version",
            |stage| stage.program("claude", "exit 1"),
            &["claude-code/version=unchecked"],
        ),
    ]);
}

#[test]
fn settings_and_trust_of_codex() {
    hold(&[
        (
            "not trusted any more",
            |stage| stage.list("modified"),
            &["codex/trust=fail"],
        ),
        (
            "Codex does not answer",
            |stage| stage.program("codex", "[ \"$1\" = app-server ] || echo 'codex-cli 0.171.0'"),
            &["codex/trust=unchecked"],
        ),
        (
            "Codex does not answer, and the settings trust nothing",
            |stage| {
                stage.program("codex", "[ \"$1\" = app-server ] || echo 'codex-cli 0.171.0'");
                fs::write(stage.home(TOML), "").unwrap();
            },
            &["codex/trust=fail"],
        ),
        (
            "hooks are off",
            |stage| stage.edit(TOML, |text| format!("{text}\n[features]\nhooks = false\n")),
            &["codex/switches=fail"],
        ),
        (
            "a version without hooks in exec",
            |stage| stage.edit("../bin/codex", |script| script.replace("0.171.0", "0.137.0")),
            &["codex/current=fail", "codex/switches=fail"],
        ),
        (
            "an entry twice",
            |stage| {
                stage.edit(CODEX, |text| {
                    let hook = "\"hooks\": [\n          {";
                    let from = text.find(hook).unwrap();
                    let entry = text[from..].find(']').unwrap();
                    let handlers = &text[from + "\"hooks\": [".len()..from + entry];
                    text.replacen(handlers, &format!("{handlers},{handlers}"), 1)
                });
            },
            &["codex/entries=fail", "codex/current=fail", "codex/trust=fail"],
        ),
        (
            "a folder in the file's place",
            |stage| {
                fs::remove_file(stage.home(CODEX)).unwrap();
                fs::create_dir(stage.home(CODEX)).unwrap();
            },
            &["codex/settings=fail"],
        ),
        (
            "a key that Codex does not take",
            |stage| stage.edit(CODEX, |text| text.replacen('{', "{\"$schema\": \"x\",", 1)),
            &["codex/settings=fail"],
        ),
        (
            "TOML that is none",
            |stage| fs::write(stage.home(TOML), "x = = 1\n").unwrap(),
            &["codex/settings=fail"],
        ),
    ]);
}

#[test]
fn settings_of_cursor() {
    hold(&[
        (
            "an event that nobody knows",
            |stage| {
                stage.edit(CURSOR, |text| {
                    text.replacen("\"hooks\": {", "\"hooks\": {\"onIdle\": [],", 1)
                })
            },
            &["cursor/settings=fail"],
        ),
        (
            "a byte order mark",
            |stage| stage.edit(CURSOR, |text| format!("\u{feff}{text}")),
            &["cursor/settings=fail"],
        ),
        (
            "a link",
            |stage| {
                let file = stage.home(CURSOR);
                fs::rename(&file, stage.home("hooks.json")).unwrap();
                symlink(stage.home("hooks.json"), file).unwrap();
            },
            &["cursor/switches=fail"],
        ),
        (
            "too little time for the judge",
            |stage| {
                stage.edit(CURSOR, |text| text.replace("\"timeout\": 60", "\"timeout\": 22"));
                let config = stage.home(".config/proofmark/config.toml");
                fs::create_dir_all(config.parent().unwrap()).unwrap();
                fs::write(config, "[judge]\nenabled = true\nwait_seconds = 20\n").unwrap();
            },
            &["cursor/current=fail", "cursor/timeouts=fail"],
        ),
        (
            "heard through Claude Code's settings alone",
            |stage| {
                stage.done(&["uninstall", "cursor"]);
            },
            &["cursor/entries=fail", "cursor/doubled=unchecked"],
        ),
    ]);
}

/// What nobody can tell without a ledger.
const UNHEARD: &[&str] = &[
    "claude-code/heard=unchecked",
    "codex/heard=unchecked",
    "cursor/heard=unchecked",
];

#[test]
fn the_server_and_its_state() {
    hold(&[
        (
            "a server that hangs",
            |stage| {
                let owner = stage.world.owner().unwrap().unwrap();
                kill_process(Pid::from_raw(owner).unwrap(), Signal::STOP).unwrap();
            },
            // The ledger has what was written down at each stop.
            &[
                "claude-code/self-test=unchecked",
                "codex/self-test=unchecked",
                "cursor/self-test=unchecked",
                "server/server=fail",
            ],
        ),
        (
            "a folder that is open to others",
            |stage| fs::set_permissions(stage.world.state(), Permissions::from_mode(0o755)).unwrap(),
            &["server/state-folder=fail", "server/socket=fail"],
        ),
    ]);
    let newer = |stage: &Stage| {
        stage.done(&["stop"]);
        let ledger = Connection::open(paths::ledger(&stage.world.state())).unwrap();
        ledger.pragma_update(None, "user_version", 1_000).unwrap();
    };
    let broken = |stage: &Stage| {
        stage.done(&["stop"]);
        fs::write(
            paths::ledger(&stage.world.state()),
            "this is no ledger, whatever its name may say",
        )
        .unwrap();
    };
    let all = [UNHEARD, &["server/ledger=fail", "server/times=unchecked"]].concat();
    for break_it in [newer as fn(&Stage), broken] {
        let stage = Stage::sound();
        break_it(&stage);
        assert_eq!(amiss(&stage.run(&["doctor", "--json"])), all);
    }
}
