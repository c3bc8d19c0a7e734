//! What the installer remembers: the bytes that were there before it, and what it made of them.
//! Settings files themselves, and what is in them, stay out.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use proofmark_protocol::Harness;
use proofmark_server::state_folder;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::files;
use super::trust::hex;

/// How long another installer is waited for.
const WAIT: Duration = Duration::from_secs(10);
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(20);

/// One settings file that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Its path, as it was asked for.
    pub(crate) file: PathBuf,
    /// Whose settings it has.
    pub(crate) harness: Harness,
    /// Whether it is a project's.
    pub(crate) project: bool,
    /// The hash of what was there before; none where nothing was.
    pub(crate) before: Option<String>,
    /// The file within the folder of backups that has what was there before.
    pub(crate) backup: Option<String>,
    /// Hashes of what was written: the newest last, and before it the one it took the place of.
    pub(crate) after: Vec<String>,
    /// The version of Proofmark that wrote it.
    pub(crate) version: String,
    /// When, in milliseconds since 1970.
    pub(crate) when: u64,
    /// Folders that were made for it, outermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// All that is remembered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Memory {
    /// The files that were changed.
    #[serde(default)]
    pub(crate) records: Vec<Record>,
    /// Why the events of helper agents are left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) without_subagents: Option<String>,
}

impl Memory {
    /// What is remembered of a file.
    pub(crate) fn of(&self, file: &Path) -> Option<&Record> {
        self.records.iter().find(|record| record.file == file)
    }
}

/// The installer's own folder within the state folder.
#[derive(Debug)]
pub(crate) struct Store {
    folder: PathBuf,
}

/// Bytes as the memory names them.
pub(crate) fn fingerprint(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

impl Store {
    /// The folder of a state folder.
    pub(crate) fn of(state_dir: &Path) -> Self {
        Self {
            folder: state_dir.join("install"),
        }
    }

    /// Where what was there before is kept.
    pub(crate) fn backups(&self) -> PathBuf {
        self.folder.join("backups")
    }

    /// Keeps other installers out until the lock is dropped. Makes the folder.
    ///
    /// # Errors
    /// Another one is still at work after 10 s; the folder can't be made.
    pub(crate) fn lock(&self) -> anyhow::Result<File> {
        for folder in [&self.folder, &self.backups()] {
            state_folder::make(folder).with_context(|| format!("{} can't be made", folder.display()))?;
        }
        let path = self.folder.join("lock");
        let lock = state_folder::open(OpenOptions::new().write(true).create(true).truncate(false), &path)
            .with_context(|| format!("{} can't be opened", path.display()))?;
        let deadline = Instant::now() + WAIT;
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(LOOK),
                Err(TryLockError::WouldBlock) => {
                    bail!(
                        "another `proofmark install` or `uninstall` has been at work for {} seconds; nothing was written",
                        WAIT.as_secs()
                    )
                }
                Err(TryLockError::Error(error)) => {
                    return Err(error).with_context(|| format!("{} can't be locked", path.display()));
                }
            }
        }
    }

    /// What is remembered.
    ///
    /// # Errors
    /// It is there and can't be read: going on would forget what it says.
    pub(crate) fn load(&self) -> anyhow::Result<Memory> {
        let path = self.manifest();
        let Some(bytes) = files::read(&path).with_context(|| path.display().to_string())? else {
            return Ok(Memory::default());
        };
        serde_json::from_slice(&bytes)
            .with_context(|| format!("{} can't be read; move it away to go on without it", path.display()))
    }

    /// Remembers this instead of what was remembered; on the disk when it returns.
    ///
    /// # Errors
    /// It can't be written.
    pub(crate) fn save(&self, memory: &Memory) -> anyhow::Result<()> {
        let path = self.manifest();
        let was = files::read(&path).with_context(|| path.display().to_string())?;
        let now = serde_json::to_vec_pretty(memory)?;
        files::write(&path, was.as_deref(), &now).with_context(|| path.display().to_string())
    }

    /// Keeps bytes, and gives the name under which they lie; on the disk when it returns.
    ///
    /// # Errors
    /// They can't be written.
    pub(crate) fn keep(&self, harness: Harness, file: &Path, bytes: &[u8]) -> anyhow::Result<String> {
        let print = fingerprint(bytes);
        let title = file.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{harness}-{title}-{}", print.get(..16).unwrap_or(&print));
        let path = self.backups().join(&name);
        let was = files::read(&path).with_context(|| path.display().to_string())?;
        if was.as_deref() != Some(bytes) {
            files::write(&path, was.as_deref(), bytes).with_context(|| path.display().to_string())?;
        }
        Ok(name)
    }

    /// What was there before a file was changed; none where nothing was, or what was kept is not it any more.
    pub(crate) fn kept(&self, record: &Record) -> Option<Vec<u8>> {
        let bytes = fs::read(self.backups().join(record.backup.as_ref()?)).ok()?;
        (Some(fingerprint(&bytes)) == record.before).then_some(bytes)
    }

    fn manifest(&self) -> PathBuf {
        self.folder.join("manifest.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_and_a_damaged_backup_does_not() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::of(dir.path());
        assert_eq!(store.load().unwrap(), Memory::default());
        let _lock = store.lock().unwrap();
        let file = Path::new("/h/settings.json");
        let name = store.keep(Harness::ClaudeCode, file, b"{}\r\n").unwrap();
        assert_eq!(store.keep(Harness::ClaudeCode, file, b"{}\r\n").unwrap(), name);
        let record = Record {
            file: file.to_owned(),
            harness: Harness::ClaudeCode,
            project: false,
            before: Some(fingerprint(b"{}\r\n")),
            backup: Some(name.clone()),
            after: vec!["a".to_owned()],
            version: "1".to_owned(),
            when: 1,
            folders: Vec::new(),
        };
        let memory = Memory {
            records: vec![record.clone()],
            without_subagents: Some("why".to_owned()),
        };
        store.save(&memory).unwrap();
        assert_eq!(store.load().unwrap(), memory);
        assert_eq!(store.kept(&record).unwrap(), b"{}\r\n");
        fs::write(store.backups().join(&name), "{").unwrap();
        assert_eq!(store.kept(&record), None);
        fs::write(store.manifest(), "{").unwrap();
        assert!(store.load().unwrap_err().to_string().contains("move it away"));
    }
}
