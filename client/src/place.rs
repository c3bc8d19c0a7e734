//! Which state folder a command is about, and what lies in it.
//! What the files say is read elsewhere.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use anyhow::{Context, bail};
use proofmark_protocol::paths;
use proofmark_server::ledger::Ledger;
use proofmark_server::rpc::holder::Holder;
use proofmark_server::state_folder;

/// Longest text of a lock that is looked at, in bytes.
const MAX_TEXT: u64 = 256;

/// A state folder.
pub(crate) struct Place {
    pub(crate) state_dir: PathBuf,
}

impl Place {
    /// The state folder of this process's environment.
    pub(crate) fn of_process() -> anyhow::Result<Self> {
        let Some(state_dir) = paths::state_dir(|name| std::env::var_os(name)) else {
            bail!("none of PROOFMARK_STATE_DIR, XDG_STATE_HOME and HOME is set, so there is no state folder");
        };
        // The server works in another folder, so a relative path would name another place there.
        let state_dir = std::path::absolute(state_dir).context("the state folder's path can't be made out")?;
        Ok(Self { state_dir })
    }

    /// Makes the folder, closed to everybody else, where it is missing.
    pub(crate) fn make(&self) -> anyhow::Result<()> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.state_dir);
        made.with_context(|| format!("the state folder {} can't be made", self.state_dir.display()))
    }

    /// The ledger; none when nothing was ever written.
    pub(crate) fn ledger(&self) -> anyhow::Result<Option<Ledger>> {
        Ledger::open_existing(&self.state_dir)
            .with_context(|| format!("the ledger in {} can't be read", self.state_dir.display()))
    }

    /// The process that owns the folder, by the lock it holds; none when nobody does. Its process id is 0 while it starts.
    pub(crate) fn owner(&self) -> anyhow::Result<Option<Holder>> {
        let mut lock = match File::open(paths::owner_lock(&self.state_dir)) {
            Ok(lock) => lock,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context("the owner's lock can't be opened"),
        };
        match lock.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                let mut text = String::new();
                (&mut lock)
                    .take(MAX_TEXT)
                    .read_to_string(&mut text)
                    .context("the owner's lock can't be read")?;
                Ok(Some(Holder::parse(&text)))
            }
            Err(TryLockError::Error(error)) => Err(error).context("the owner's lock can't be tried"),
        }
    }

    /// The lock that whoever starts a server holds, until it is dropped; none when somebody else does.
    pub(crate) fn startup(&self) -> anyhow::Result<Option<File>> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let lock = state_folder::open(&mut options, &paths::startup_lock(&self.state_dir))
            .context("the startup lock can't be opened")?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error).context("the startup lock can't be taken"),
        }
    }
}
