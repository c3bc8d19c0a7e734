//! Which program is run, and what is said when there is none.
//! What it then does stays out.

use std::fs;
use std::os::unix::fs::symlink;

use crate::stand_in::{StandIn, run, write_program};

#[test]
fn the_first_codex_on_path_that_is_not_proofmark_itself() {
    let codex = StandIn::new("exit 9");
    let (own, real) = (codex.world.home().join("own"), codex.world.home().join("real"));
    for folder in [&own, &real] {
        fs::create_dir(folder).unwrap();
    }
    symlink(codex.world.program("proofmark"), own.join("codex")).unwrap();
    write_program(&real.join("codex"), "exit 8");
    let path = |folders: &[&std::path::Path]| std::env::join_paths(folders).unwrap();
    let run_on = |path| {
        run(
            codex.command(&["--"]).env_remove("PROOFMARK_CODEX").env("PATH", path),
            b"",
        )
    };
    let usual: &std::path::Path = "/usr/bin".as_ref();
    assert_eq!(run_on(path(&[&own, &real, usual])).status.code(), Some(8));
    let left = run_on(path(&[&own]));
    assert_eq!(left.status.code(), Some(127));
    assert!(left.stderr().contains("no `codex` is on PATH"), "{}", left.stderr());
    // The person's own word counts more than PATH, but for what can't be run.
    assert_eq!(codex.run(&["--"], b"").status.code(), Some(9));
    for (set, piece) in [
        (own.join("codex"), "can't wrap itself"),
        (own.clone(), "no program"),
        ("codex".into(), "absolute path"),
    ] {
        let left = run(codex.command(&["--quiet", "--"]).env("PROOFMARK_CODEX", set), b"");
        assert_eq!((left.status.code(), left.stdout.len()), (Some(127), 0));
        assert!(left.stderr().contains(piece), "{}", left.stderr());
    }
}

#[test]
fn a_codex_that_leads_back_to_proofmark_is_no_loop() {
    let codex = StandIn::new("exec \"$BACK\" codex -- \"$@\"");
    let left = run(
        codex
            .command(&["--", "exec", "x"])
            .env("BACK", codex.world.program("proofmark")),
        b"",
    );
    assert_eq!(left.status.code(), Some(127));
    assert!(left.stderr().contains("leads back to Proofmark"), "{}", left.stderr());
    codex.assert_nothing_is_left();
}

#[test]
fn a_program_that_cannot_be_started_is_said() {
    let codex = StandIn::new("exit 0");
    fs::write(codex.world.home().join("codex"), "#!/no/such/shell\n").unwrap();
    let left = codex.run(&["--"], b"");
    assert_eq!(left.status.code(), Some(127));
    assert!(left.stderr().contains("can't be started"), "{}", left.stderr());
    codex.assert_nothing_is_left();
}
