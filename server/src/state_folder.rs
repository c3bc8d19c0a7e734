//! Files that are written in the state folder: closed to other users, and never written through a symbolic link.
//! What is in them, and the ledger's own files, stays out.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::OFlags;

/// A file is written within milliseconds: one that is half written for so long is nobody's.
const ABANDONED: Duration = Duration::from_secs(10);

/// Files that this process has begun to put in place.
static BEGUN: AtomicU64 = AtomicU64::new(0);

/// Opens a file that nobody else may read, as `options` say. A symbolic link in its place is an error: whoever laid it
/// there would have us write somewhere else.
///
/// # Errors
/// What the system says.
pub fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW.bits().cast_signed();
    options
        .mode(0o600)
        .custom_flags(flags)
        .open(path)
        .map_err(|error| if is_link(path) { link(path) } else { error })
}

/// Makes a folder that nobody else may look into, where it is missing.
///
/// # Errors
/// A symbolic link stands in its place, or what the system says.
pub fn make(path: &Path) -> io::Result<()> {
    if is_link(path) {
        return Err(link(path));
    }
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Puts a file in place, whole, with its folder: another process may read or write it at the same time. A symbolic link in
/// its place gives way to it.
///
/// # Errors
/// As [`make`], or what the system says.
pub fn put(path: &Path, text: &str) -> io::Result<()> {
    if !is_link(path) && std::fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        make(parent)?;
    }
    // Its own name for each file of each process, so that two never write into one.
    let nth = BEGUN.fetch_add(1, Ordering::Relaxed);
    let staging = path.with_extension(format!("{}-{nth}.tmp", std::process::id()));
    let write = || {
        // What a process of the same number left, or somebody laid there.
        match std::fs::remove_file(&staging) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        open(OpenOptions::new().write(true).create_new(true), &staging)?.write_all(text.as_bytes())?;
        std::fs::rename(&staging, path)
    };
    let written = write();
    if written.is_err() {
        // What is left of it is of no use; the error that counts is the first one.
        let _removed = std::fs::remove_file(&staging);
    }
    written
}

/// Removes what processes that were killed in the middle of [`put`] have left in a folder: of those that are gone, and,
/// since their numbers come back, whatever was begun long ago. True when there is more that may have been left.
pub fn sweep(folder: &Path) -> bool {
    sweep_older(folder, ABANDONED)
}

fn sweep_older(folder: &Path, old: Duration) -> bool {
    let mut more = false;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(writer) else {
            continue;
        };
        let age = || entry.metadata().ok()?.modified().ok()?.elapsed().ok();
        if !is_running(process) || age().is_some_and(|age| age >= old) {
            // Somebody else may sweep at the same time.
            let _gone = std::fs::remove_file(entry.path());
        } else {
            more = true;
        }
    }
    more
}

/// The process that began to write a file of this name; none when it is whole.
fn writer(name: &str) -> Option<u32> {
    let (_, process) = name.strip_suffix(".tmp")?.rsplit_once('.')?;
    process.split_once('-')?.0.parse().ok()
}

/// True when there is such a process, also one of somebody else's.
pub fn is_running(process: u32) -> bool {
    let id = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw);
    id.is_some_and(|id| rustix::process::test_kill_process(id) != Err(rustix::io::Errno::SRCH))
}

fn is_link(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
}

fn link(path: &Path) -> io::Error {
    io::Error::other(format!(
        "{} is a symbolic link, which is not followed; move it away",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn nothing_is_written_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        std::fs::create_dir(at("elsewhere")).unwrap();
        std::fs::write(at("victim"), "theirs").unwrap();
        for (name, target) in [("link", "victim"), ("dangling", "new"), ("folder", "elsewhere")] {
            symlink(at(target), at(name)).unwrap();
        }
        for name in ["link", "dangling"] {
            let refused = open(OpenOptions::new().append(true).create(true), &at(name)).unwrap_err();
            assert!(refused.to_string().contains("symbolic link"), "{refused}");
        }
        assert!(make(&at("folder")).unwrap_err().to_string().contains("symbolic link"));
        assert!(put(&at("folder/a.md"), "ours").is_err());
        // A file that is put in place takes the link's place.
        for name in ["link", "dangling"] {
            put(&at(name), "ours").unwrap();
            assert_eq!(std::fs::read_to_string(at(name)).unwrap(), "ours");
        }
        assert_eq!(std::fs::read_to_string(at("victim")).unwrap(), "theirs");
        assert!(!at("new").exists() && std::fs::read_dir(at("elsewhere")).unwrap().next().is_none());
    }

    #[test]
    fn what_is_put_in_place_is_closed_to_others_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.md");
        for text in ["one", "two", "two"] {
            put(&path, text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn only_what_processes_that_are_gone_have_begun_is_swept() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path();
        let mut gone = std::process::Command::new("true").spawn().unwrap();
        gone.wait().unwrap();
        let (left, own) = (
            format!("a.{}-3.tmp", gone.id()),
            format!("b.{}-0.tmp", std::process::id()),
        );
        for name in [left.as_str(), &own, "c.md", "d.tmp", "e.x-1.tmp"] {
            std::fs::write(folder.join(name), "").unwrap();
        }
        let is_there = |name: &str| folder.join(name).exists();
        assert!(sweep(folder), "one may still be written");
        assert!(!is_there(&left) && is_there(&own));
        assert!(!sweep_older(folder, Duration::ZERO));
        assert!(!is_there(&own), "its number is somebody else's by now");
        assert!(["c.md", "d.tmp", "e.x-1.tmp"].iter().all(|name| is_there(name)));
        assert!(!sweep(&folder.join("nowhere")));
    }
}
