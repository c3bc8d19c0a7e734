//! Settings files on disk: where a path leads, reading, and writing so that nobody ever sees half a file.
//! What is in them stays out.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Gid, Uid};

/// No settings file is longer, in bytes.
const MAX_SIZE: u64 = 16 * 1024 * 1024;
/// As many symbolic links in a row as Linux follows.
const MAX_LINKS: usize = 40;
/// Who may read a file that is new: settings hold no secrets of ours, and a project's are shared.
const MODE: u32 = 0o644;

/// Why a file is not read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    /// The system said no.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// It is a folder or a device.
    #[error("it is no file")]
    NoFile,
    /// It is longer than any settings file.
    #[error("it is longer than 16 MiB")]
    Long,
    /// Its links lead nowhere.
    #[error("its symbolic links lead in a circle")]
    Circle,
    /// Somebody wrote it between our reading and our writing.
    #[error("it was changed by somebody else in this moment; run the command again")]
    Changed,
}

fn system(what: &'static str) -> impl Fn(io::Error) -> Trouble {
    move |error| Trouble::System { what, error }
}

/// The file that a path leads to, over symbolic links; also where that file does not exist yet.
///
/// # Errors
/// The links lead in a circle, or can't be read.
pub(crate) fn follow(path: &Path) -> Result<PathBuf, Trouble> {
    let mut at = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&at) {
            Ok(target) => at = at.parent().unwrap_or(Path::new("/")).join(target),
            // It is no link, or not there.
            Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::NotFound) => return Ok(at),
            Err(error) => return Err(system("can't be looked at")(error)),
        }
    }
    Err(Trouble::Circle)
}

/// What is in a file; none where there is none.
///
/// # Errors
/// It is no file, or too long, or can't be read.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, Trouble> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(system("can't be looked at")(error)),
    };
    if !found.is_file() {
        return Err(Trouble::NoFile);
    }
    if found.len() > MAX_SIZE {
        return Err(Trouble::Long);
    }
    fs::read(path).map(Some).map_err(system("can't be read"))
}

/// Makes a file's folder and those above it where they are missing, and names those it made, outermost first.
///
/// # Errors
/// One of them can't be made.
pub(crate) fn make_folder(file: &Path) -> Result<Vec<PathBuf>, Trouble> {
    let folders = file.ancestors().skip(1);
    let mut missing: Vec<PathBuf> = folders
        .take_while(|folder| !folder.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    for folder in &missing {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                return Err(system("its folder can't be made")(error));
            }
            _ => {}
        }
    }
    Ok(missing)
}

/// Puts new content in the place of what `was` there (none: nothing), in one step: whoever reads the file sees the old
/// one or the new one, also after a crash. Mode and owner stay.
///
/// # Errors
/// It no longer holds what was there; the system says no. The file is then as it was.
pub(crate) fn write(path: &Path, was: Option<&[u8]>, now: &[u8]) -> Result<(), Trouble> {
    let draft = draft(path);
    let written = put(&draft, path, was, now);
    if written.is_err() {
        sweep(path);
    }
    written
}

/// Where a file's new content is written before it takes its place. The name is always the same, so that what a killed
/// process left is found again.
fn draft(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.proofmark-draft"))
}

/// Takes away what a process that was killed while it wrote a file has left beside it.
pub(crate) fn sweep(path: &Path) {
    // Nearly always there is none.
    let _none = fs::remove_file(draft(path));
}

fn put(draft: &Path, path: &Path, was: Option<&[u8]>, now: &[u8]) -> Result<(), Trouble> {
    sweep(path);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(draft)
        .map_err(system("its folder can't be written to"))?;
    file.write_all(now).map_err(system("can't be written"))?;
    let mode = match fs::metadata(path) {
        Ok(old) => {
            let own = file.metadata().map_err(system("can't be written"))?;
            if (own.uid(), own.gid()) != (old.uid(), old.gid()) {
                let (uid, gid) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
                rustix::fs::fchown(&file, Some(uid), Some(gid))
                    .map_err(|error| system("belongs to somebody else, and would not any more")(error.into()))?;
            }
            old.permissions().mode() & 0o7777
        }
        Err(_) => MODE,
    };
    file.set_permissions(Permissions::from_mode(mode))
        .map_err(system("its mode can't be kept"))?;
    file.sync_all().map_err(system("can't be written"))?;
    if read(path)?.as_deref() != was {
        return Err(Trouble::Changed);
    }
    fs::rename(draft, path).map_err(system("can't be put in its place"))?;
    sync(path.parent().unwrap_or(Path::new("/")))
}

/// Deletes a file that still holds what `was` there.
///
/// # Errors
/// It holds something else by now; the system says no.
pub(crate) fn delete(path: &Path, was: &[u8]) -> Result<(), Trouble> {
    if read(path)?.as_deref() != Some(was) {
        return Err(Trouble::Changed);
    }
    fs::remove_file(path).map_err(system("can't be deleted"))?;
    sync(path.parent().unwrap_or(Path::new("/")))
}

fn sync(folder: &Path) -> Result<(), Trouble> {
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(system("its folder can't be brought to the disk"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_also_where_they_lead_to_no_file_yet() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::create_dir(at("dots")).unwrap();
        fs::write(at("dots/real"), "x").unwrap();
        symlink("dots/real", at("relative")).unwrap();
        symlink(at("relative"), at("absolute")).unwrap();
        symlink("dots/new", at("dangling")).unwrap();
        symlink("loop", at("loop")).unwrap();
        for (link, file) in [
            ("relative", "dots/real"),
            ("absolute", "dots/real"),
            ("dangling", "dots/new"),
            ("dots/real", "dots/real"),
            ("absent", "absent"),
        ] {
            assert_eq!(follow(&at(link)).unwrap(), at(file), "{link}");
        }
        assert!(matches!(follow(&at("loop")), Err(Trouble::Circle)));
        assert!(matches!(read(&at("dots")), Err(Trouble::NoFile)));
    }

    #[test]
    fn a_file_that_somebody_else_changed_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        fs::write(&file, "theirs").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        for was in [Some(&b"read before"[..]), None] {
            assert!(matches!(write(&file, was, b"ours"), Err(Trouble::Changed)));
        }
        assert!(matches!(delete(&file, b"read before"), Err(Trouble::Changed)));
        assert_eq!(fs::read(&file).unwrap(), b"theirs");
        // Left by a process that was killed while it wrote.
        fs::write(draft(&file), "half").unwrap();
        write(&file, Some(b"theirs"), b"ours").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"ours");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "a draft was left behind");
    }
}
