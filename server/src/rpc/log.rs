//! The file that a server in the background writes its last words to: it begins anew before it gets long.
//! What is written there stays out.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

use proofmark_protocol::paths;

use crate::state_folder;

/// A log that is longer begins anew, in bytes.
pub const MAX_LOG: u64 = 1024 * 1024;

/// Opens the log of a state folder to write on at its end. A long one begins anew.
///
/// # Errors
/// It can't be opened, or not be cut.
pub fn open(state_dir: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    let log = state_folder::open(&mut options, &paths::log(state_dir))?;
    cut(&log)?;
    Ok(log)
}

/// Has a log that got long begin anew while it is being written: whoever writes does so at its end, wherever that is.
///
/// # Errors
/// It can't be opened, or not be cut.
pub(super) fn bound(state_dir: &Path) -> io::Result<()> {
    match state_folder::open(OpenOptions::new().append(true), &paths::log(state_dir)) {
        Ok(log) => cut(&log),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn cut(log: &File) -> io::Result<()> {
    let found = log.metadata()?;
    if found.is_file() && found.len() > MAX_LOG {
        log.set_len(0)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_log_that_gets_long_begins_anew_under_the_one_who_writes_it() {
        let folder = tempfile::tempdir().unwrap();
        bound(folder.path()).unwrap();
        let mut log = open(folder.path()).unwrap();
        log.write_all(&vec![b'x'; 1024 * 1024]).unwrap();
        bound(folder.path()).unwrap();
        assert_eq!(log.metadata().unwrap().len(), MAX_LOG, "as long as it may be");
        log.write_all(b"x").unwrap();
        bound(folder.path()).unwrap();
        log.write_all(b"last words").unwrap();
        assert_eq!(std::fs::read(paths::log(folder.path())).unwrap(), b"last words");
    }
}
