//! What is known of one editor: what it can do, what it was told, what it may still hold of ours.
//! Sending, and asking the owner, stay out.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use proofmark_protocol::Harness;
use proofmark_protocol::findings::{
    DismissedFinding, EditorOptions, FindingsChanged, Item, RetiredClaim, SessionFindings,
};
use tower_lsp::ls_types::{Diagnostic, InitializeParams, MarkupKind, NumberOrString, Range, Uri};

use super::anchor::Anchors;
use super::place::Encoding;
use super::shown::{self, Told};
use super::{diagnostics, options};
use crate::engine::now;

/// What an editor said at its start.
#[derive(Debug, Clone)]
pub(super) struct Setup {
    /// How it counts characters.
    pub(super) encoding: Encoding,
    /// The folders of its workspace.
    pub(super) folders: Vec<PathBuf>,
    /// It shows related information.
    pub(super) related: bool,
    /// It takes actions that are more than a command.
    pub(super) literal_actions: bool,
    /// It opens a document when it is asked to.
    pub(super) shows_documents: bool,
    /// It reads Markdown in a hover.
    pub(super) markdown: bool,
    /// What the person has set.
    pub(super) options: EditorOptions,
    /// It asks for the lenses again when it is told to.
    pub(super) refreshes_lenses: bool,
}

impl Setup {
    /// Reads it from `initialize`.
    pub(super) fn of(params: &InitializeParams) -> Self {
        let offered = params
            .capabilities
            .general
            .as_ref()
            .and_then(|general| general.position_encodings.as_deref());
        let document = params.capabilities.text_document.as_ref();
        let (workspace, window) = (
            params.capabilities.workspace.as_ref(),
            params.capabilities.window.as_ref(),
        );
        let mut options = EditorOptions::default();
        if let Some(sent) = &params.initialization_options {
            options::lay_over(&mut options, sent);
        }
        let named = params
            .workspace_folders
            .as_ref()
            .map(|folders| folders.iter().map(|folder| &folder.uri).collect());
        #[expect(deprecated, reason = "editors that know no workspace folders still send it")]
        let uris: Vec<&Uri> = named.unwrap_or_else(|| params.root_uri.iter().collect());
        Self {
            encoding: Encoding::negotiated(offered),
            folders: uris.into_iter().filter_map(folder).collect(),
            related: document
                .and_then(|document| document.publish_diagnostics.as_ref())
                .is_some_and(|publish| publish.related_information == Some(true)),
            literal_actions: document
                .and_then(|document| document.code_action.as_ref())
                .is_some_and(|action| action.code_action_literal_support.is_some()),
            shows_documents: window
                .and_then(|window| window.show_document.as_ref())
                .is_some_and(|show| show.support),
            markdown: document
                .and_then(|document| document.hover.as_ref()?.content_format.as_ref())
                .is_some_and(|formats| formats.contains(&MarkupKind::Markdown)),
            options,
            refreshes_lenses: workspace
                .and_then(|workspace| workspace.code_lens.as_ref()?.refresh_support)
                .unwrap_or_default(),
        }
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            encoding: Encoding::Utf16,
            folders: Vec::new(),
            related: false,
            literal_actions: false,
            shows_documents: false,
            markdown: false,
            options: EditorOptions::default(),
            refreshes_lenses: false,
        }
    }
}

/// The path behind a folder's URI; none for a scheme that names no files here.
pub(super) fn folder(uri: &Uri) -> Option<PathBuf> {
    let file = uri.scheme().as_str().eq_ignore_ascii_case("file");
    uri.to_file_path()
        .filter(|path| file && path.is_absolute())
        .map(std::borrow::Cow::into_owned)
}

/// One editor.
pub(super) struct Editor {
    state_dir: PathBuf,
    held: Mutex<Held>,
    anchors: Mutex<Anchors>,
}

#[derive(Default)]
struct Held {
    setup: Setup,
    sessions: BTreeMap<(Harness, String), SessionFindings>,
    /// What was published by place; none where it is not known what the editor holds.
    published: BTreeMap<Uri, Option<Vec<Diagnostic>>>,
    told: Told,
    /// Folders or options have changed since the editor was last told something.
    changed: Changed,
}

/// What the editor itself has changed.
#[derive(Debug, Clone, Copy, Default)]
struct Changed {
    /// Something that decides what is shown.
    view: bool,
    /// Whether lenses are wanted.
    lenses: bool,
}

/// What has to be published: a place and everything that is to be shown there.
pub(super) type Change = (Uri, Vec<Diagnostic>);

/// Everything that an editor has to be told.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// The places with something else to show, in their order.
    pub(super) places: Vec<Change>,
    /// The sessions with something else to say, for an editor that asked for them.
    pub(super) sessions: Option<FindingsChanged>,
    /// Other lenses belong to the places, whatever is shown there.
    pub(super) lenses: bool,
    /// When there is something else to show, though nothing happens.
    pub(super) again_in: Option<Duration>,
}

impl Editor {
    /// An editor of which nothing is known yet.
    pub(super) fn new(state_dir: PathBuf) -> Self {
        Self {
            state_dir,
            held: Mutex::default(),
            anchors: Mutex::default(),
        }
    }

    /// Proofmark's own folder.
    pub(super) fn state_dir(&self) -> &Path {
        &self.state_dir
    }

    /// What it said at its start.
    pub(super) fn setup(&self) -> Setup {
        self.held().setup.clone()
    }

    /// Takes what it says at its start.
    pub(super) fn set_up(&self, setup: Setup) {
        self.held().setup = setup;
    }

    /// Folders join its workspace and leave it.
    pub(super) fn change_folders(&self, added: Vec<PathBuf>, removed: &[PathBuf]) {
        let mut held = self.held();
        held.setup.folders.retain(|folder| !removed.contains(folder));
        held.setup.folders.extend(added);
        held.changed.view = true;
    }

    /// Takes what the person has set anew.
    pub(super) fn change_options(&self, sent: &serde_json::Value) {
        let mut held = self.held();
        let before = held.setup.options.clone();
        options::lay_over(&mut held.setup.options, sent);
        let now = &held.setup.options;
        let (view, lenses) = (*now != before, now.code_lens != before.code_lens);
        held.changed.view |= view;
        held.changed.lenses |= lenses;
    }

    /// Takes what sessions have to say.
    pub(super) fn take(&self, changed: FindingsChanged) {
        let mut held = self.held();
        if changed.whole {
            held.sessions.clear();
        }
        for session in changed.sessions {
            held.sessions
                .insert((session.harness, session.session.clone()), session);
        }
    }

    /// Places at which it may hold something from an earlier process.
    pub(super) fn may_hold(&self, uris: &[String]) {
        let mut held = self.held();
        for uri in uris.iter().filter_map(|uri| Uri::from_str(uri).ok()) {
            held.published.entry(uri).or_insert(None);
        }
    }

    /// Everything is to be published once more.
    pub(super) fn forget_published(&self) {
        let mut held = self.held();
        held.told.forget();
        held.changed.lenses = true;
        held.published.values_mut().for_each(|diagnostics| *diagnostics = None);
    }

    /// What it has to be told now. Reads the files that are named.
    pub(super) fn changes(&self) -> Changes {
        let (setup, sessions, changed) = {
            let mut held = self.held();
            let sessions: Vec<_> = held.sessions.values().cloned().collect();
            (held.setup.clone(), sessions, std::mem::take(&mut held.changed))
        };
        let now = now();
        let shown = shown::of(sessions.iter(), &setup.folders, &setup.options, now);
        let mut wanted = {
            let mut anchors = self.anchors.lock().unwrap_or_else(PoisonError::into_inner);
            diagnostics::of(&shown, &setup, &self.state_dir, &mut anchors)
        };
        let held = self.held();
        for uri in held.published.keys() {
            wanted.entry(uri.clone()).or_default();
        }
        wanted.retain(|uri, diagnostics| held.published.get(uri).and_then(Option::as_ref) != Some(diagnostics));
        let wants = setup.options.sessions;
        Changes {
            places: wanted.into_iter().collect(),
            sessions: wants.then(|| held.told.next(&shown, changed.view)).flatten(),
            lenses: changed.lenses,
            again_in: shown::until_the_first_is_old(&shown, &setup.options, now),
        }
    }

    /// Notes that it was told of the sessions.
    pub(super) fn told_sessions(&self, told: &FindingsChanged) {
        self.held().told.take(told);
    }

    /// Notes that it was told. The answer is true when other lenses belong to the place now.
    pub(super) fn told(&self, (uri, diagnostics): Change) -> bool {
        let mut held = self.held();
        let lenses = |shown: &[Diagnostic]| -> Vec<Diagnostic> { shown.iter().filter(has_lens).cloned().collect() };
        let new = lenses(&diagnostics);
        let old = if diagnostics.is_empty() {
            held.published.remove(&uri)
        } else {
            held.published.insert(uri, Some(diagnostics))
        };
        old.flatten().map_or_else(Vec::new, |old| lenses(&old)) != new
    }

    /// The published diagnostics of a file.
    pub(super) fn of_file(&self, uri: &Uri) -> Vec<Diagnostic> {
        let held = self.held();
        // Editors spell the same path in their own way; the path itself is what counts.
        let same = |known: &Uri| known == uri || known.to_file_path() == uri.to_file_path();
        let there = held
            .published
            .iter()
            .filter(|(known, _)| same(known))
            .filter_map(|(_, told)| told.as_ref());
        there.flatten().cloned().collect()
    }

    /// The published diagnostics of a file on the lines of a range.
    pub(super) fn at(&self, uri: &Uri, range: Range) -> Vec<Diagnostic> {
        let mut there = self.of_file(uri);
        there.retain(|diagnostic| touch(diagnostic.range, range));
        there
    }

    /// The retired claims that stand in a session's document on the lines of a range.
    pub(super) fn retired_at(&self, uri: &Uri, range: Range) -> Vec<RetiredClaim> {
        self.in_document(uri, |session| &session.retired, |claim| claim.line, range)
    }

    /// The dismissed findings that stand there.
    pub(super) fn dismissed_at(&self, uri: &Uri, range: Range) -> Vec<DismissedFinding> {
        self.in_document(uri, |session| &session.dismissed, |finding| finding.line, range)
    }

    fn in_document<T: Clone>(
        &self,
        uri: &Uri,
        rows: impl Fn(&SessionFindings) -> &[T],
        line: impl Fn(&T) -> u32,
        range: Range,
    ) -> Vec<T> {
        let held = self.held();
        let Some(path) = uri.to_file_path() else {
            return Vec::new();
        };
        let here = held
            .sessions
            .values()
            .filter(|session| *path == *Path::new(&session.document));
        let touched = |row: &&T| (range.start.line..=range.end.line).contains(&line(row));
        here.flat_map(|session| rows(session).iter().filter(touched))
            .cloned()
            .collect()
    }

    /// What is shown under an id, in a session where one is named, and the session.
    pub(super) fn item(&self, id: &str, session: Option<&str>) -> Option<(Item, SessionFindings)> {
        let held = self.held();
        let is_it = |item: &&Item| item.id == id || [&item.claim, &item.finding].contains(&&Some(id.to_owned()));
        let mut sessions = held
            .sessions
            .values()
            .filter(|known| session.is_none_or(|session| session == known.session));
        sessions.find_map(|session| {
            let item = session.items.iter().find(is_it)?;
            Some((item.clone(), session.clone()))
        })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// True when two ranges share a line: the cursor may stand anywhere on it.
fn touch(one: Range, other: Range) -> bool {
    one.start.line <= other.end.line && other.start.line <= one.end.line
}

/// The code whose findings have a lens: a verdict of record that a reply leaves out.
const LENS_CODE: &str = "stale-verdict";

/// True for a finding that has a lens.
pub(super) fn has_lens(diagnostic: &&Diagnostic) -> bool {
    matches!(&diagnostic.code, Some(NumberOrString::String(code)) if code == LENS_CODE)
}
