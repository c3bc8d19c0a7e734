//! Which state folder a command is about, and what lies in it.
//! What the files say is read elsewhere.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;

use anyhow::{Context, bail};
use proofmark_protocol::paths;
use proofmark_server::ledger::Ledger;

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

    /// The process that owns the folder, by the lock it holds; none when nobody does. A process id is 0 while it starts.
    pub(crate) fn owner(&self) -> anyhow::Result<Option<u32>> {
        let mut lock = match File::open(paths::owner_lock(&self.state_dir)) {
            Ok(lock) => lock,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).context("the owner's lock can't be opened"),
        };
        match lock.try_lock_shared() {
            Ok(()) => Ok(None),
            Err(TryLockError::WouldBlock) => {
                let mut pid = String::new();
                lock.read_to_string(&mut pid)
                    .context("the owner's lock can't be read")?;
                Ok(Some(pid.trim().parse().unwrap_or(0)))
            }
            Err(TryLockError::Error(error)) => Err(error).context("the owner's lock can't be tried"),
        }
    }
}
