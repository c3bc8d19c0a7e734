//! A home with settings files and harness programs of its own, and our commands run in it.
//! What is looked for in them is the tests' business.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proofmark_protocol::Harness;
use proofmark_tests::process::{self, Finished};
use proofmark_tests::world::World;

/// No command of ours takes so long.
const LIMIT: Duration = Duration::from_secs(30);

/// The path of the hook in fixtures.
pub(crate) const HOOK: &str = "/opt/proofmark/bin/proofmark-hook";

/// Files with their bytes.
pub(crate) type Files = BTreeMap<PathBuf, Vec<u8>>;

/// A home with what people have in it.
pub(crate) struct Stage {
    pub(crate) world: World,
    pub(crate) home: PathBuf,
    bin: PathBuf,
}

impl Stage {
    /// An empty home.
    pub(crate) fn new() -> Self {
        Self::at("")
    }

    /// A home in a folder of this name.
    pub(crate) fn at(name: &str) -> Self {
        let world = World::without_state("state").unwrap();
        let home = world.home().join(name);
        let bin = world.home().with_file_name("bin");
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&bin).unwrap();
        Self { world, home, bin }
    }

    /// The folder of a harness's settings.
    pub(crate) fn folder(&self, harness: Harness) -> PathBuf {
        self.home.join(match harness {
            Harness::ClaudeCode => ".claude",
            Harness::Codex => ".codex",
            Harness::Cursor => ".cursor",
        })
    }

    /// Writes a settings file.
    pub(crate) fn put(&self, harness: Harness, file: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder(harness).join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Puts a program on `PATH` that says its version.
    pub(crate) fn program(&self, name: &str, version: &str) {
        let path = self.bin.join(name);
        fs::write(&path, format!("#!/bin/sh\necho '{version}'\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// The program of a harness, of this version.
    pub(crate) fn version(&self, harness: Harness, version: &str) {
        let name = match harness {
            Harness::ClaudeCode => "claude",
            Harness::Codex => "codex",
            Harness::Cursor if version.starts_with("20") => "cursor-agent",
            Harness::Cursor => "cursor",
        };
        self.program(name, version);
    }

    /// `proofmark` with arguments, not started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(&self.world.program("proofmark"), arguments)
    }

    /// Another `proofmark` with arguments, not started.
    pub(crate) fn command_of(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = self.world.command(program);
        let path = std::env::join_paths([&self.bin, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
        command.args(arguments).env("HOME", &self.home).env("PATH", path);
        command
    }

    /// Runs `proofmark`.
    pub(crate) fn run(&self, arguments: &[&str]) -> Finished {
        process::run(&mut self.command(arguments), b"", LIMIT).unwrap()
    }

    /// Runs `proofmark`, which has to end with exit code 0.
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        self.run(arguments).success().unwrap().stdout
    }

    /// Every file of the home, links as what they lead to is left out.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new();
        let mut open = vec![self.home.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    let bytes = fs::read(&path).unwrap_or_default();
                    files.insert(path.strip_prefix(&self.home).unwrap().to_owned(), bytes);
                }
            }
        }
        files
    }

    /// The hook that is beside the program under test.
    pub(crate) fn hook(&self) -> String {
        self.world.program("proofmark-hook").to_str().unwrap().to_owned()
    }
}

/// Runs a command that was made ready.
pub(crate) fn run(command: &mut Command) -> Finished {
    process::run(command, b"", LIMIT).unwrap()
}

/// How often a text stands in another.
pub(crate) fn count(text: impl AsRef<[u8]>, part: &str) -> usize {
    String::from_utf8_lossy(text.as_ref()).matches(part).count()
}
