//! One change of one settings file: first what was there is kept and remembered, then the file is written.
//! What is written and why stays out.

use std::fs;

use anyhow::Context;
use proofmark_server::engine::now;

use super::files;
use super::harness::Spec;
use super::settings::Settings;
use super::store::{Memory, Record, Store, fingerprint};

/// The installer's memory, and where it writes.
pub(crate) struct Ledger {
    /// Where it is kept.
    pub(crate) store: Store,
    /// What is remembered.
    pub(crate) memory: Memory,
    /// Nothing is written.
    pub(crate) dry: bool,
}

impl Ledger {
    /// Writes `now` in the place of what a settings file holds. `clean` is what it would hold without us.
    ///
    /// # Errors
    /// The backup, the memory or the file can't be written; then the file is as it was.
    pub(crate) fn write(
        &mut self,
        spec: &Spec,
        project: bool,
        settings: &Settings,
        clean: Option<&[u8]>,
        bytes: &[u8],
    ) -> anyhow::Result<()> {
        if self.dry || settings.bytes.as_deref() == Some(bytes) {
            return Ok(());
        }
        let shown = || settings.asked.display().to_string();
        let folders = files::make_folder(&settings.real).with_context(shown)?;
        let (remembered, print) = (self.memory.clone(), fingerprint(bytes));
        let found = settings.bytes.as_deref().map(fingerprint);
        let known = self.memory.of(&settings.asked).cloned();
        // A file that is as we left it goes back to what was there before us; any other one to itself without us.
        let known = known.filter(|record| found.as_ref().is_some_and(|found| record.after.contains(found)));
        // The very bytes are kept too, where they hold older entries of ours that do not come back.
        if let Some(whole) = settings.bytes.as_deref().filter(|_| known.is_none()) {
            self.store.keep(spec.harness, &settings.asked, whole)?;
        }
        let record = match known {
            Some(record) => Record {
                after: found.into_iter().chain([print]).collect(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
                when: now(),
                ..record
            },
            None => Record {
                file: settings.asked.clone(),
                harness: spec.harness,
                project,
                before: clean.map(fingerprint),
                backup: match clean {
                    Some(clean) => Some(self.store.keep(spec.harness, &settings.asked, clean)?),
                    None => None,
                },
                after: vec![print],
                version: env!("CARGO_PKG_VERSION").to_owned(),
                when: now(),
                folders,
            },
        };
        self.memory.records.retain(|old| old.file != settings.asked);
        self.memory.records.push(record);
        self.store.save(&self.memory)?;
        if let Err(trouble) = files::write(&settings.real, settings.bytes.as_deref(), bytes) {
            self.memory = remembered;
            self.store.save(&self.memory)?;
            return Err(settings.trouble(trouble));
        }
        Ok(())
    }

    /// Forgets a file, and takes away the folders that were made for it and are empty now.
    ///
    /// # Errors
    /// The memory can't be written.
    pub(crate) fn forget(&mut self, settings: &Settings) -> anyhow::Result<()> {
        if self.dry {
            return Ok(());
        }
        files::sweep(&settings.real);
        let Some(record) = self.memory.of(&settings.asked).cloned() else {
            return Ok(());
        };
        for folder in record.folders.iter().rev() {
            // One that is in use by now stays.
            let _in_use = fs::remove_dir(folder);
        }
        self.memory.records.retain(|old| old.file != settings.asked);
        self.store.save(&self.memory)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::install::harness::SPECS;
    use crate::install::language::Language;

    fn ledger(folder: &Path) -> Ledger {
        let store = Store::of(folder);
        drop(store.lock().unwrap());
        Ledger {
            memory: store.load().unwrap(),
            store,
            dry: false,
        }
    }

    fn settings(file: &Path) -> Settings {
        Settings::read(file.to_owned(), Language::Json).unwrap()
    }

    #[test]
    fn the_first_bytes_are_remembered_over_later_changes_of_ours_and_not_over_those_of_others() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        fs::write(&file, "{\n}").unwrap();
        let mut ledger = ledger(dir.path());
        for now in ["{\"a\": 1}", "{\"a\": 2}"] {
            let found = settings(&file);
            let clean = found.bytes.clone();
            ledger
                .write(SPECS[0], false, &found, clean.as_deref(), now.as_bytes())
                .unwrap();
        }
        let record = ledger.store.load().unwrap().of(&file).cloned().unwrap();
        assert_eq!(ledger.store.kept(&record).unwrap(), b"{\n}");
        // Killed before the second change, the file would be as the first one left it: that is ours, too.
        let both = [fingerprint(b"{\"a\": 1}"), fingerprint(b"{\"a\": 2}")];
        assert_eq!(record.after, both);
        fs::write(&file, "{\"theirs\": 1}").unwrap();
        let found = settings(&file);
        ledger
            .write(SPECS[0], false, &found, Some(b"{ }"), b"{\"a\": 3}")
            .unwrap();
        let record = ledger.memory.of(&file).unwrap();
        assert_eq!(ledger.store.kept(record).unwrap(), b"{ }");
        assert_eq!(record.after, [fingerprint(b"{\"a\": 3}")]);
    }

    #[test]
    fn what_could_not_be_written_is_not_remembered() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("settings.json");
        fs::write(&file, "{}").unwrap();
        let mut ledger = ledger(dir.path());
        let found = settings(&file);
        fs::write(&file, "{\"theirs\": 1}").unwrap();
        let failed = ledger.write(SPECS[0], false, &found, Some(b"{}"), b"{\"a\": 1}");
        assert!(format!("{:#}", failed.unwrap_err()).contains("changed by somebody else"));
        assert_eq!(fs::read(&file).unwrap(), b"{\"theirs\": 1}");
        assert!(ledger.memory.records.is_empty() && ledger.store.load().unwrap().records.is_empty());
    }
}
