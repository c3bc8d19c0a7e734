//! A program in Codex's place: a script of the test's, and the wrapper around it.
//! What scripts do stands with the tests.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use proofmark_tests::process;
use proofmark_tests::world::World;

/// No run of a test takes so long.
pub(crate) const LIMIT: Duration = Duration::from_secs(60);

/// A world whose Codex is a script.
pub(crate) struct StandIn {
    pub(crate) world: World,
    program: PathBuf,
}

/// What a run left.
pub(crate) struct Left {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

impl Left {
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.stderr).into_owned()
    }
}

impl StandIn {
    /// A shell runs the script's lines, with Codex's arguments.
    pub(crate) fn new(script: &str) -> Self {
        let world = World::new().unwrap();
        fs::create_dir(world.home().join("tmp")).unwrap();
        let program = world.home().join("codex");
        write_program(&program, script);
        Self { world, program }
    }

    /// The folder for the wrapper's temporary files.
    pub(crate) fn temporary(&self) -> PathBuf {
        self.world.home().join("tmp")
    }

    /// The wrapper in front of the script; `arguments` are the wrapper's own up to `--`.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.world.command(&self.world.program("proofmark"));
        self.surround(&mut command);
        command.arg("codex").args(arguments);
        command
    }

    /// Gives a command what the wrapper looks for in its surroundings.
    pub(crate) fn surround(&self, command: &mut Command) {
        command
            .env("TMPDIR", self.temporary())
            .env("PROOFMARK_CODEX", &self.program);
    }

    /// Runs the wrapper to its end.
    pub(crate) fn run(&self, arguments: &[&str], input: &[u8]) -> Left {
        run(&mut self.command(arguments), input)
    }

    /// What a run may leave: nothing of it runs, and its temporary files are gone.
    pub(crate) fn assert_nothing_is_left(&self) {
        let left: Vec<_> = fs::read_dir(self.temporary()).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Writes a script that may be run.
pub(crate) fn write_program(path: &Path, script: &str) {
    fs::write(path, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs a command to its end, byte for byte.
pub(crate) fn run(command: &mut Command, input: &[u8]) -> Left {
    let mut child = start(command);
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = thread::spawn(move || stdin.write_all(&input));
    let left = finish(child);
    // A program may end without having read all.
    let _fed = feeder.join().unwrap();
    left
}

/// Starts a command in a group of its own, with pipes.
pub(crate) fn start(command: &mut Command) -> Child {
    use std::os::unix::process::CommandExt;
    command
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits for the end of a started command.
pub(crate) fn finish(mut child: Child) -> Left {
    let (stdout, stderr) = (gather(child.stdout.take()), gather(child.stderr.take()));
    let Some(status) = process::wait(&mut child, LIMIT).unwrap() else {
        child.kill().unwrap();
        panic!("not done within {LIMIT:?}");
    };
    Left {
        status,
        stdout: stdout.join().unwrap(),
        stderr: stderr.join().unwrap(),
    }
}

fn gather(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A pipe that was read before, up to what the test waited for, is none any more.
        if let Some(mut pipe) = pipe {
            pipe.read_to_end(&mut bytes).unwrap();
        }
        bytes
    })
}
