//! Starting a server where none answers: one at a time, with an environment of its own.
//! Talking to it is `server`'s business.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proofmark_protocol::environment::is_passed_on;
use proofmark_protocol::paths;

use crate::fault::Fault;
use crate::server::{Deadline, connect, is_exposed};

/// The program to start, as it is called in its folder.
const PROGRAM: &str = "proofmark";

/// A connection to a server that was started now, by this process or by another one that was faster. With `replace` the
/// server that listens at this moment is on its way out and is not asked.
pub(crate) fn server(
    state_dir: &Path,
    program: Option<&Path>,
    deadline: Deadline,
    replace: bool,
) -> Result<UnixStream, Fault> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state_dir)
        .map_err(Fault::StateDir)?;
    let _lock = lock(&paths::startup_lock(state_dir), deadline)?;
    if !replace && let Some(stream) = connect(state_dir, deadline)? {
        return Ok(stream);
    }
    spawn(&self::program(program)?, state_dir, deadline)?;
    match connect(state_dir, deadline)? {
        Some(stream) => Ok(stream),
        None if is_exposed(state_dir) => Err(Fault::Exposed),
        None => Err(Fault::NotStarted("nothing listens after its start".to_owned())),
    }
}

/// The lock that whoever starts a server holds; it is let go with the file.
fn lock(path: &Path, deadline: Deadline) -> Result<File, Fault> {
    // Looked at before, as the flag that says so differs between systems and this program has no table of them; whoever can
    // lay one here in between is this user.
    if fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
        let why = format!(
            "{} is a symbolic link, which is not followed; move it away",
            path.display()
        );
        return Err(Fault::StateDir(io::Error::other(why)));
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(Fault::StateDir)?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => deadline.pause()?,
            Err(TryLockError::Error(error)) => return Err(Fault::StateDir(error)),
        }
    }
}

/// Runs `proofmark serve --detach`, which ends as soon as the server that it leaves behind takes connections.
fn spawn(program: &Path, state_dir: &Path, deadline: Deadline) -> Result<(), Fault> {
    let mut child = serve(program, state_dir)?
        .spawn()
        .map_err(|error| Fault::NotStarted(error.to_string()))?;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(Fault::NotStarted(format!("`proofmark serve` ended with {status}"))),
            // A late server is left to come up: the next event finds it.
            Ok(None) => deadline.pause()?,
            Err(error) => return Err(Fault::NotStarted(error.to_string())),
        }
    }
}

/// Has somebody look after a server that let a deadline pass: `proofmark serve --detach --replace` asks it once more, and
/// puts another one in its place when it is deaf. Nobody waits for that, so the event is not held up by it.
pub(crate) fn replacement(state_dir: &Path, program: Option<&Path>) -> Result<(), Fault> {
    let mut command = serve(&self::program(program)?, state_dir)?;
    // A group of its own: a harness that ends the hook's group must not end this.
    let child = command.arg("--replace").process_group(0).spawn();
    child.map(drop).map_err(|error| Fault::NotStarted(error.to_string()))
}

fn program(given: Option<&Path>) -> Result<PathBuf, Fault> {
    match given {
        Some(program) => Ok(program.to_owned()),
        None => find(env::current_exe().ok().as_deref(), env::var_os("PATH").as_deref()).ok_or(Fault::NoProgram),
    }
}

/// `proofmark serve --detach` for a state folder.
fn serve(program: &Path, state_dir: &Path) -> Result<Command, Fault> {
    // The child stands in the folder, where a relative path to it would lead elsewhere.
    let state_dir = std::path::absolute(state_dir).map_err(Fault::StateDir)?;
    let mut command = Command::new(program);
    command
        .args(["serve", "--detach"])
        .current_dir(&state_dir)
        .env_clear()
        .envs(env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_passed_on)))
        .env("PROOFMARK_STATE_DIR", &state_dir)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(command)
}

/// The program beside the hook, else the first on `PATH`. A relative folder on `PATH` is passed over: it would be the
/// project's, and a project's files are never run.
fn find(hook: Option<&Path>, path: Option<&OsStr>) -> Option<PathBuf> {
    let beside = hook.and_then(Path::parent).map(Path::to_owned);
    let on_path = path
        .map(OsString::from)
        .into_iter()
        .flat_map(|path| env::split_paths(&path).collect::<Vec<_>>());
    beside
        .into_iter()
        .chain(on_path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(PROGRAM))
        .find(|program| fs::metadata(program).is_ok_and(|found| found.is_file() && found.mode() & 0o111 != 0))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_program_is_beside_the_hook_else_on_path_and_never_in_a_relative_folder() {
        let dir = tempfile::tempdir().unwrap();
        let install = |folder: &str, mode: u32| {
            let folder = dir.path().join(folder);
            fs::create_dir(&folder).unwrap();
            let program = folder.join(PROGRAM);
            fs::write(&program, "").unwrap();
            fs::set_permissions(&program, fs::Permissions::from_mode(mode)).unwrap();
            program
        };
        let beside = install("beside", 0o755);
        let on_path = install("on-path", 0o755);
        let no_program = install("no-program", 0o644);
        let path = env::join_paths([no_program.parent().unwrap(), on_path.parent().unwrap()]).unwrap();

        assert_eq!(
            find(Some(&beside.with_file_name("proofmark-hook")), Some(&path)),
            Some(beside)
        );
        assert_eq!(
            find(Some(&dir.path().join("proofmark-hook")), Some(&path)),
            Some(on_path)
        );
        assert_eq!(find(None, Some(OsStr::new(""))), None);
        assert_eq!(find(None, None), None);

        let here = env::current_dir().unwrap();
        let up = here.components().skip(1).map(|_| "..").collect::<PathBuf>();
        let relative = up.join(dir.path().strip_prefix("/").unwrap()).join("on-path");
        assert!(
            relative.join(PROGRAM).exists(),
            "the folder is found when relative ones are followed"
        );
        assert_eq!(find(None, Some(relative.as_os_str())), None);
    }
}
