//! Installing into one harness: what is there, what its files shall say, what the person has to know.
//! How a text is changed, and what is remembered of it, stays out.

use std::path::{Path, PathBuf};

use super::Request;
use super::commit::Ledger;
use super::entries::{self, Hook};
use super::harness::{Event, Spec, Surroundings};
use super::json;
use super::language::Language;
use super::report;
use super::settings::{Settings, shown, unmarked};
use super::tree::{Node, Unparsed};
use super::trust::{self, State, Trust};
use super::version::{self, Version};
use super::wanted::{self, Wanted};
use crate::output::say;

/// What is said in place of what was done.
pub(crate) const DRY: &str = "Nothing was written: this was a dry run.";

/// What is there of a harness.
#[derive(Debug)]
pub(crate) struct Found {
    /// Its programs on `PATH`.
    pub(crate) programs: Vec<PathBuf>,
    /// The versions of all that was found of it; empty when one of them can't be told.
    pub(crate) versions: Vec<Version>,
    /// Its folders of settings.
    pub(crate) folders: Vec<PathBuf>,
}

impl Found {
    /// Looks for a harness, and asks its programs for their versions.
    pub(crate) fn of(spec: &Spec, request: &Request<'_>) -> Self {
        let path = (request.env)("PATH");
        let programs: Vec<PathBuf> = spec
            .programs
            .iter()
            .filter_map(|name| version::on_path(name, path.as_deref()))
            .collect();
        let told = programs.iter().map(|program| version::ask(program));
        let packed = spec.packages.iter().filter_map(|package| std::fs::read(package).ok());
        let packed = packed.map(|package| {
            let package: serde_json::Value = serde_json::from_slice(&package).ok()?;
            Version::read(package["version"].as_str()?)
        });
        let versions: Option<Vec<Version>> = told.chain(packed).collect();
        Self {
            programs,
            versions: versions.unwrap_or_default(),
            folders: spec.folders(request.env, request.project.as_deref()),
        }
    }

    /// True when there is a program or a folder of it.
    pub(crate) fn is_there(&self, spec: &Spec, request: &Request<'_>) -> bool {
        let homes = spec.folders(request.env, None);
        !self.programs.is_empty() || homes.iter().chain(&self.folders).any(|folder| folder.is_dir())
    }

    /// Name and versions, as a heading.
    pub(crate) fn heading(&self, spec: &Spec) -> String {
        let versions: Vec<String> = self.versions.iter().map(Version::to_string).collect();
        match versions.is_empty() {
            true => format!("{}, version not known", spec.title),
            false => format!("{} {}", spec.title, versions.join(" and ")),
        }
    }
}

/// The two files of a folder that may have hooks: the harness's own, and a TOML file where it has one.
pub(crate) struct Pair {
    /// The file that is there for hooks.
    pub(crate) own: Settings,
    /// The TOML file.
    pub(crate) toml: Option<Settings>,
}

impl Pair {
    /// Reads both.
    ///
    /// # Errors
    /// One of them can't be read.
    pub(crate) fn read(spec: &Spec, folder: &Path) -> anyhow::Result<Self> {
        Ok(Self {
            own: Settings::read(folder.join(spec.file), Language::Json)?,
            toml: match spec.toml {
                Some(file) => Some(Settings::read(folder.join(file), Language::Toml)?),
                None => None,
            },
        })
    }

    /// The file for our hooks, and the other one. They stay where they are; where there are none, they go to those that
    /// are in the TOML file already: Codex warns about hooks in both.
    pub(crate) fn order(&self, spec: &Spec) -> (&Settings, Option<&Settings>) {
        let Some(toml) = &self.toml else {
            return (&self.own, None);
        };
        let ours = |settings: &Settings| {
            let root = settings.root.as_ref();
            root.is_some_and(|root| entries::hooks(root, spec).iter().any(Hook::is_ours))
        };
        let has_hooks = toml
            .root
            .as_ref()
            .is_some_and(|root| entries::events(root).next().is_some());
        let in_toml = ours(toml) || self.own.bytes.is_none() && has_hooks;
        match in_toml && !ours(&self.own) {
            true => (toml, Some(&self.own)),
            false => (&self.own, Some(toml)),
        }
    }
}

/// The events that get an entry.
pub(crate) fn events(spec: &Spec, found: &Found, no_helpers: bool) -> Vec<&'static Event> {
    let known = spec.events(&found.versions).into_iter();
    known.filter(|event| !(no_helpers && event.helper)).collect()
}

/// What the files of a harness shall say of us.
pub(crate) fn wanted<'a>(spec: &'a Spec, found: &Found, request: &Request<'a>, no_helpers: bool) -> Wanted<'a> {
    Wanted {
        spec,
        hook: request.hook,
        events: events(spec, found, no_helpers),
        direct: (spec.direct_since.is_none() || !found.versions.is_empty()).then(|| spec.is_direct(&found.versions)),
        keeps: found.versions.is_empty(),
        no_helpers,
    }
}

/// Installs into one folder of a harness.
///
/// # Errors
/// A file can't be read or written, or the harness would not take it; it is as it was then.
pub(crate) fn install(
    spec: &Spec,
    found: &Found,
    folder: &Path,
    request: &Request<'_>,
    ledger: &mut Ledger,
) -> anyhow::Result<()> {
    let pair = Pair::read(spec, folder)?;
    let (main, other) = pair.order(spec);
    if let Some(why) = main.root.as_ref().and_then(|root| (spec.refuses)(&main.text, root)) {
        let what = format!(
            "{why}. {} would not take the file with this; nothing was written into it",
            spec.title
        );
        return Err(main.trouble(anyhow::anyhow!(what)));
    }
    let no_helpers = ledger.memory.without_subagents.is_some();
    let mut wanted = self::wanted(spec, found, request, no_helpers);
    let text = wanted::with(&main.text, main.language, &wanted).map_err(|why| main.trouble(why))?;
    let mut changed = put(spec, request, ledger, main, &text)?;
    wanted.events.clear();
    wanted.keeps = false;
    if let Some(other) = other {
        let text = wanted::with(&other.text, other.language, &wanted).map_err(|why| other.trouble(why))?;
        changed |= put(spec, request, ledger, other, &text)?;
    }
    say(&match changed {
        true if ledger.dry => DRY.to_owned(),
        true if main.bytes.is_none() => "Written. Sessions that run need a restart.".to_owned(),
        true => format!(
            "Written. Sessions that run need a restart. What was there before is kept in {}.",
            shown(&ledger.store.backups())
        ),
        false => "Up to date: nothing to change.".to_owned(),
    })?;
    let root = main.language.parse(&text)?;
    let toml = user_toml(spec, request)?;
    if spec.asks_trust
        && let Some(root) = &root
        && let Some(toml) = &toml
    {
        give_trust(spec, request, ledger, main, root, toml)?;
    }
    let around = Surroundings {
        root: root.as_ref(),
        toml: toml.as_ref().and_then(|toml| toml.root.as_ref()),
        versions: &found.versions,
        is_link: main.is_link(),
        project: request.project.is_some(),
    };
    let notes = (spec.stops)(&around).into_iter().chain((spec.notes)(&around));
    for note in notes.chain(own_notes(spec, main, root.as_ref(), request)) {
        say(&format!("Note: {note}"))?;
    }
    Ok(())
}

/// Shows and writes one file. True when it changes.
fn put(
    spec: &Spec,
    request: &Request<'_>,
    ledger: &mut Ledger,
    settings: &Settings,
    text: &str,
) -> anyhow::Result<bool> {
    let keeps_mark = spec.reads_mark || settings.language == Language::Toml;
    if text == settings.text && (keeps_mark || !settings.mark) {
        return Ok(false);
    }
    let bytes = settings.encode(text, keeps_mark);
    let clean = entries::without(&settings.text, settings.language, spec, &|_| true, None)?;
    let clean = settings.bytes.is_some().then(|| settings.encode(&clean, true));
    report::difference(settings, Some(&bytes))?;
    ledger.write(spec, request.project.is_some(), settings, clean.as_deref(), &bytes)?;
    tell_moved(spec, request, settings, Some(&bytes))?;
    if settings.mark && !keeps_mark {
        say(&format!(
            "Note: the byte order mark at the start of the file is gone: {} reads no file with one, so none of its hooks ran.",
            spec.title
        ))?;
    }
    Ok(true)
}

/// Names the hooks of others that were trusted where they stood, and stand somewhere else now.
pub(crate) fn tell_moved(
    spec: &Spec,
    request: &Request<'_>,
    settings: &Settings,
    now: Option<&[u8]>,
) -> anyhow::Result<()> {
    if !spec.asks_trust {
        return Ok(());
    }
    let toml = user_toml(spec, request)?;
    let toml = toml.as_ref().and_then(|toml| toml.root.as_ref());
    let path = known_path(spec, request, &settings.asked);
    let text = String::from_utf8_lossy(unmarked(now.unwrap_or_default()));
    let after = settings.language.parse(&text)?;
    let after = after.iter().flat_map(|root| entries::hooks(root, spec));
    let after: Vec<Trust> = after.map(|hook| trust::of(&hook, &path)).collect();
    let before = settings.root.iter().flat_map(|root| entries::hooks(root, spec));
    for hook in before.filter(|hook| !hook.is_ours()) {
        let known = trust::of(&hook, &path);
        if trust::state(toml, &known) == State::Trusted && !after.contains(&known) {
            say(&format!(
                "Note: {} knows a hook by its place, and “{}” ({}) has moved up: it is skipped until you trust it again with /hooks.",
                spec.title,
                hook.node.get("command").and_then(Node::text).unwrap_or_default(),
                hook.event
            ))?;
        }
    }
    Ok(())
}

/// The person's TOML settings, which have the trust in every hook, also in a project's.
pub(crate) fn user_toml(spec: &Spec, request: &Request<'_>) -> anyhow::Result<Option<Settings>> {
    let (Some(file), Some(folder)) = (spec.toml, spec.folders(request.env, None).into_iter().next()) else {
        return Ok(None);
    };
    Settings::read(folder.join(file), Language::Toml).map(Some)
}

/// The path by which the harness knows a file: what its variable names is looked up on the disk, all else is not.
pub(crate) fn known_path(spec: &Spec, request: &Request<'_>, file: &Path) -> PathBuf {
    let is_named =
        (request.env)(spec.folder_variable).is_some_and(|value| !value.is_empty()) && request.project.is_none();
    let (folder, name) = (file.parent().unwrap_or(file), file.file_name().unwrap_or_default());
    match std::fs::canonicalize(folder) {
        Ok(folder) if is_named => folder.join(name),
        _ => file.to_owned(),
    }
}

/// What a harness that asks for trust knows our hooks in a file by.
pub(crate) fn trusts(spec: &Spec, request: &Request<'_>, settings: &Settings, root: &Node) -> Vec<Trust> {
    let path = known_path(spec, request, &settings.asked);
    let hooks = entries::hooks(root, spec);
    hooks
        .iter()
        .filter(|hook| hook.is_ours())
        .map(|hook| trust::of(hook, &path))
        .collect()
}

/// Says which hooks wait for the person's trust, and writes it where the person said so.
fn give_trust(
    spec: &Spec,
    request: &Request<'_>,
    ledger: &mut Ledger,
    main: &Settings,
    root: &Node,
    toml: &Settings,
) -> anyhow::Result<()> {
    let state = |trust: &Trust| trust::state(toml.root.as_ref(), trust);
    let all = trusts(spec, request, main, root);
    for off in all.iter().filter(|trust| state(trust) == State::Off) {
        say(&format!(
            "Note: {} is switched off in config.toml (`enabled = false`); it stays so.",
            off.key
        ))?;
    }
    let waiting: Vec<Trust> = all
        .into_iter()
        .filter(|trust| state(trust) == State::Untrusted)
        .collect();
    if waiting.is_empty() {
        return Ok(());
    }
    if !request.trust {
        say(&format!(
            "{} skips these hooks, without a word, until you trust them: start `codex`, type /hooks and review them, or run this with --trust.",
            spec.title
        ))?;
        for trust in waiting {
            say(&format!("  {}\n    {}", shown(Path::new(&trust.key)), trust.hash))?;
        }
        return Ok(());
    }
    let text = trust::with(&toml.text, &waiting).map_err(|why| {
        toml.trouble(why)
            .context("trust was not written; review the hooks with `/hooks` in Codex instead")
    })?;
    let clean = entries::without(&toml.text, toml.language, spec, &|_| true, None)?;
    let clean = toml.bytes.is_some().then(|| toml.encode(&clean, true));
    let bytes = toml.encode(&text, true);
    report::difference(toml, Some(&bytes))?;
    ledger.write(spec, false, toml, clean.as_deref(), &bytes)?;
    say(if ledger.dry { DRY } else { "Trust is written." })
}

/// What holds for every harness.
fn own_notes(spec: &Spec, main: &Settings, root: Option<&Node>, request: &Request<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    let liberty = json::liberty(&main.text).filter(|_| main.language == Language::Json && main.root.is_some());
    match (liberty, spec.reads_liberties) {
        (Some(Unparsed { line, what, .. }), Some(false)) => notes.push(format!(
            "{} reads plain JSON only: because of line {line} ({}) it takes nothing from this file, and no hook in it runs. What stands there was kept; take it out to have the file read.",
            spec.title,
            what.to_lowercase()
        )),
        (Some(Unparsed { line, what, .. }), None) => notes.push(format!(
            "it is not known whether {} reads a file that is no plain JSON (line {line}: {}).",
            spec.title,
            what.to_lowercase()
        )),
        _ => {}
    }
    let hooks = root.map(|root| entries::hooks(root, spec)).unwrap_or_default();
    for mixed in hooks.iter().filter(|hook| hook.whose == entries::Whose::Mixed) {
        let command = mixed.node.get("command").and_then(Node::text).unwrap_or_default();
        notes.push(format!(
            "an entry of “{}” runs Proofmark together with something else, and was left alone: {command}",
            mixed.event
        ));
    }
    if request.project.is_some() {
        notes.push(format!(
            "the file names {}, which is this machine's, and projects share their files.",
            request.hook
        ));
    }
    notes
}
