//! The owner's socket as a file: bound, looked after, and removed only where it is the owner's own.
//! What is said over it stays out.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tokio::net::UnixListener;

/// A bound socket and the file that leads to it.
pub(super) struct Socket {
    path: PathBuf,
    pub(super) listener: UnixListener,
    file: (u64, u64),
}

impl Socket {
    /// Binds the socket. What lies there is removed: the caller holds the owner's lock, so it belongs to nobody.
    pub(super) fn bind(path: &Path) -> io::Result<Self> {
        remove(path)?;
        let listener = UnixListener::bind(path)?;
        let file = identity(&std::fs::symlink_metadata(path)?);
        Ok(Self {
            path: path.to_owned(),
            listener,
            file,
        })
    }

    /// True when clients that look for the socket find this one.
    pub(super) fn is_in_place(&self) -> bool {
        std::fs::symlink_metadata(&self.path).is_ok_and(|found| identity(&found) == self.file)
    }

    /// Takes no more connections; the file goes too, unless it leads to somebody else's socket by now.
    pub(super) fn close(self) -> io::Result<()> {
        if self.is_in_place() { remove(&self.path) } else { Ok(()) }
    }
}

/// True when `path` still leads to this open file.
pub(super) fn leads_to(path: &Path, file: &File) -> bool {
    let (found, open) = (std::fs::metadata(path), file.metadata());
    matches!((found, open), (Ok(found), Ok(open)) if identity(&found) == identity(&open))
}

fn identity(metadata: &Metadata) -> (u64, u64) {
    (metadata.dev(), metadata.ino())
}

fn remove(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
