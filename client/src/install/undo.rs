//! Uninstalling from one harness: back to the bytes from before where nobody wrote since, else without our entries.
//! How a text is changed, and what is remembered of it, stays out.

use std::path::PathBuf;

use super::Request;
use super::commit::Ledger;
use super::entries::{self, Before};
use super::files;
use super::harness::{Shape, Spec};
use super::language::Language;
use super::report;
use super::settings::{Settings, shown, unmarked};
use super::setup::{DRY, tell_moved, trusts, user_toml};
use super::store::fingerprint;
use super::tree::Node;
use super::trust::{self, Trust};
use crate::output::say;

/// What is left of a file that we made for a harness that does not notice when it goes.
const EMPTIED: &str = "{\n  \"version\": 1,\n  \"hooks\": {}\n}\n";

/// Uninstalls from one harness.
///
/// # Errors
/// A file can't be read or written; it is as it was then. What came before it is undone.
pub(crate) fn uninstall(spec: &Spec, request: &Request<'_>, ledger: &mut Ledger) -> anyhow::Result<()> {
    let mut changed = false;
    let mut given: Vec<Trust> = Vec::new();
    let mut looked = Vec::new();
    for file in files_of(spec, request, ledger) {
        let settings = Settings::read(file.0, file.1)?;
        looked.push(settings.asked.clone());
        if spec.asks_trust
            && let Some(root) = &settings.root
        {
            given.extend(trusts(spec, request, &settings, root));
        }
        changed |= undo(spec, request, ledger, &settings, &given)?;
    }
    // A project's hooks are trusted in the person's own file.
    if let Some(toml) = user_toml(spec, request)?.filter(|toml| !looked.contains(&toml.asked)) {
        changed |= undo(spec, request, ledger, &toml, &given)?;
    }
    if !changed {
        let looked: Vec<String> = looked.iter().map(|file| shown(file)).collect();
        say(&format!("Nothing of Proofmark's in {}.", looked.join(" or ")))?;
    } else if ledger.dry {
        say(DRY)?;
    } else {
        say("Undone. Sessions that run go on asking Proofmark until they end.")?;
    }
    Ok(())
}

/// The files that may have something of ours: those of today's folders, and those that were written into before. The file
/// with the trust comes last.
fn files_of(spec: &Spec, request: &Request<'_>, ledger: &Ledger) -> Vec<(PathBuf, Language)> {
    let project = request.project.is_some();
    let mut files: Vec<(PathBuf, Language)> = Vec::new();
    for folder in spec.folders(request.env, request.project.as_deref()) {
        files.push((folder.join(spec.file), Language::Json));
        files.extend(spec.toml.map(|file| (folder.join(file), Language::Toml)));
    }
    let records = ledger.memory.records.iter();
    for record in records.filter(|record| record.harness == spec.harness && !project && !record.project) {
        let is_toml = spec
            .toml
            .is_some_and(|file| record.file.file_name() == Some(file.as_ref()));
        let language = if is_toml { Language::Toml } else { Language::Json };
        if !files.iter().any(|(file, _)| *file == record.file) {
            files.push((record.file.clone(), language));
        }
    }
    files.sort_by_key(|(_, language)| *language == Language::Toml);
    files
}

/// What a file becomes.
enum Becomes {
    /// What it is.
    Same,
    /// Nothing.
    Gone,
    /// These bytes.
    Bytes(Vec<u8>),
}

fn undo(
    spec: &Spec,
    request: &Request<'_>,
    ledger: &mut Ledger,
    settings: &Settings,
    given: &[Trust],
) -> anyhow::Result<bool> {
    let becomes = becomes(spec, ledger, settings, given)?;
    let (now, was) = match (&becomes, settings.bytes.as_deref()) {
        (Becomes::Same, _) | (_, None) => {
            ledger.forget(settings)?;
            return Ok(false);
        }
        (Becomes::Gone, Some(was)) => (None, was),
        (Becomes::Bytes(now), Some(was)) => (Some(now.as_slice()), was),
    };
    report::difference(settings, now)?;
    if !ledger.dry {
        match now {
            None => files::delete(&settings.real, was),
            Some(now) => files::write(&settings.real, Some(was), now),
        }
        .map_err(|trouble| settings.trouble(trouble))?;
        ledger.forget(settings)?;
    }
    if spec.keeps_deleted && !now.is_some_and(|now| has_hooks(settings, now)) {
        say(&format!(
            "Note: {} may go on with the old hooks until it is started anew: the file says nothing about hooks now.",
            spec.title
        ))?;
    }
    tell_moved(spec, request, settings, now)?;
    Ok(true)
}

fn becomes(spec: &Spec, ledger: &Ledger, settings: &Settings, given: &[Trust]) -> anyhow::Result<Becomes> {
    let Some(bytes) = &settings.bytes else {
        return Ok(Becomes::Same);
    };
    let record = ledger.memory.of(&settings.asked);
    let emptied = || match spec.keeps_deleted {
        true => Becomes::Bytes(EMPTIED.as_bytes().to_vec()),
        false => Becomes::Gone,
    };
    let found = fingerprint(bytes);
    let kept = record.and_then(|record| ledger.store.kept(record));
    match record {
        Some(record) if record.before.as_ref() == Some(&found) => return Ok(Becomes::Same),
        Some(record) if record.after.contains(&found) && record.before.is_none() => return Ok(emptied()),
        Some(record) if record.after.contains(&found) => {
            if let Some(kept) = kept {
                return Ok(Becomes::Bytes(kept));
            }
        }
        _ => {}
    }
    // Somebody wrote since. What the file had before us tells which empty lists and objects are its own.
    let before = record
        .and_then(|record| ledger.store.kept(record))
        .and_then(|kept| String::from_utf8(unmarked(&kept).to_vec()).ok())
        .and_then(|text| Some((settings.language.parse(&text).ok().flatten()?, text)));
    let before = before.as_ref().map(|(root, text)| Before { text, root });
    let mut text = entries::without(&settings.text, settings.language, spec, &|_| true, before)?;
    if settings.language == Language::Toml {
        text = trust::without(&text, given)?;
    }
    if text == settings.text {
        return Ok(Becomes::Same);
    }
    let root = settings.language.parse(&text)?;
    let is_made = record.is_some_and(|record| record.before.is_none());
    if is_made && says_nothing(root.as_ref(), spec) && !text.contains(['#', '/']) {
        return Ok(emptied());
    }
    Ok(Becomes::Bytes(settings.encode(&text, true)))
}

fn has_hooks(settings: &Settings, bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(unmarked(bytes));
    let root = settings.language.parse(&text).ok().flatten();
    root.is_some_and(|root| root.get("hooks").is_some())
}

/// True when nothing is left in a file but what every file has.
fn says_nothing(root: Option<&Node>, spec: &Spec) -> bool {
    let members = root.and_then(Node::members).unwrap_or_default();
    members.iter().all(|member| {
        let is_empty = member.value.members().is_some_and(<[_]>::is_empty);
        member.name == "hooks" && is_empty || member.name == "version" && spec.shape == Shape::Flat
    })
}
