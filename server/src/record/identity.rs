//! Telling whether a path still leads to the file that was read, and whether that file only grew.
//! Cutting into lines stays out.

use std::fs::{File, Metadata, OpenOptions};
use std::hash::Hasher;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

use fnv::FnvHasher;
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

/// So many bytes from the file's beginning make it recognisable: a harness's first line names session and time.
const HEAD: u64 = 256;
/// So many bytes before the place up to which it was read.
const TAIL: u64 = 64;

/// Opens a regular file for reading, through symbolic links; none when something else stands there.
///
/// # Errors
/// What looking and opening answer.
pub(super) fn open(path: &Path) -> io::Result<Option<(File, Metadata)>> {
    // Opening alone may wake a device, so look first; a swap in between meets the flag and the second look.
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some((file, metadata)))
}

/// What a file looked like when it was read up to some place. A change between head and tail alone goes unseen: reading
/// all of it again at each event would cost more than records that are only ever appended to are worth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
    /// Hash of the bytes at its beginning.
    head: u64,
    /// Hash of the bytes before the place.
    tail: u64,
}

impl Identity {
    /// The identity of `file` when read up to `place`; none when it does not reach that far.
    ///
    /// # Errors
    /// What reading answers.
    pub(super) fn at(file: &File, metadata: &Metadata, place: u64) -> io::Result<Option<Self>> {
        let tail = TAIL.min(place);
        let hashes = hash(file, 0, HEAD.min(place)).and_then(|head| Ok((head, hash(file, place - tail, tail)?)));
        match hashes {
            Ok((head, tail)) => Ok(Some(Self {
                device: metadata.dev(),
                inode: metadata.ino(),
                head,
                tail,
            })),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// Hash of `len` bytes of `file`, the same in every process.
fn hash(file: &File, from: u64, len: u64) -> io::Result<u64> {
    let mut bytes = [0; HEAD as usize];
    let bytes = &mut bytes[..len as usize];
    file.read_exact_at(bytes, from)?;
    let mut hasher = FnvHasher::default();
    hasher.write(bytes);
    Ok(hasher.finish())
}
