//! One folder of the package cache: filled aside, and given its name only when it is whole.
//! What belongs into it is the business of whoever fills it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::packages::{Cache, Install};

/// The file whose presence says that an install is whole; it holds what was wanted when it was made.
const MARKER: &str = "installed.txt";

/// A folder of the cache, and the text that says what has to be in it.
#[derive(Debug, Clone)]
pub struct Shelf {
    folder: PathBuf,
    wanted: String,
}

impl Shelf {
    /// The folder of this name in a cache. `wanted` says what belongs into it, such as the text of a lock file.
    pub fn new(cache: &Cache, name: &str, wanted: String) -> Self {
        Self {
            folder: cache.root().join(name),
            wanted,
        }
    }

    /// The folder, which may not be there.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// True when exactly what is wanted was put there.
    pub fn is_whole(&self) -> bool {
        fs::read_to_string(self.folder.join(MARKER)).is_ok_and(|installed| installed == self.wanted)
    }

    /// Has `make` fill an empty folder, which then takes the place of whatever was there; does nothing when it is whole.
    ///
    /// # Errors
    /// `make` fails, and then nothing is left of what it made; the folder cannot be put in its place.
    pub fn fill(&self, make: impl FnOnce(&Path) -> Result<()>) -> Result<Install> {
        if self.is_whole() {
            return Ok(Install::Present);
        }
        let parent = self.folder.parent().context("the cache has no folder")?;
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        let staging = tempfile::Builder::new().prefix("fill-").tempdir_in(parent)?;
        make(staging.path())?;
        fs::write(staging.path().join(MARKER), &self.wanted)?;
        if self.folder.exists() && !self.is_whole() {
            fs::remove_dir_all(&self.folder)?;
        }
        match fs::rename(staging.path(), &self.folder) {
            // Somebody else's install may have come first, and is as good.
            Err(failure) if !self.is_whole() => {
                Err(failure).with_context(|| format!("cannot put {} in place", self.folder.display()))
            }
            _ => Ok(Install::Fetched),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shelf_is_filled_once_and_anew_when_something_else_is_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().to_owned());
        let shelf = |wanted: &str| Shelf::new(&cache, "a", wanted.to_owned());
        let fill = |wanted: &str| shelf(wanted).fill(|staging| Ok(fs::write(staging.join("x"), wanted)?));
        assert_eq!(fill("1").unwrap(), Install::Fetched);
        assert_eq!(fill("1").unwrap(), Install::Present);
        assert!(!shelf("2").is_whole());
        assert_eq!(fill("2").unwrap(), Install::Fetched);
        assert_eq!(fs::read_to_string(shelf("2").folder().join("x")).unwrap(), "2");
        fs::remove_file(shelf("2").folder().join(MARKER)).unwrap();
        assert_eq!(fill("2").unwrap(), Install::Fetched);
        let failure = shelf("3").fill(|_| anyhow::bail!("no network")).unwrap_err();
        assert!(failure.to_string().contains("no network") && shelf("2").is_whole());
        assert_eq!(
            fs::read_dir(folder.path()).unwrap().count(),
            1,
            "nothing is left beside it"
        );
    }
}
