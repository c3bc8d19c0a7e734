//! From sessions' findings to the diagnostics of an editor: place, message, what goes with it, and how many a file takes.
//! When they are sent, and what can be done about one, stays out.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use proofmark_protocol::findings::{Item, SessionFindings};
use proofmark_protocol::{Evidence, Severity};
use serde_json::json;
use tower_lsp::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri,
};

use super::anchor::Anchors;
use super::editor::Setup;
use super::files::Workspace;
use super::pages;
use super::place::{self, Place, Spot};
use crate::text::{is_redacted, quote};

/// What the diagnostics say who speaks.
const SOURCE: &str = "proofmark";
/// The longest command that is offered, in characters.
const MAX_COMMAND: usize = 1_000;
/// Diagnostics of one file at most; the last of more says how many are left out.
pub(super) const MAX_IN_FILE: usize = 50;

/// The diagnostics of sessions, by place.
pub(super) fn of(
    sessions: &[SessionFindings],
    setup: &Setup,
    state_dir: &Path,
    anchors: &mut Anchors,
) -> BTreeMap<Uri, Vec<Diagnostic>> {
    let items = || {
        sessions
            .iter()
            .flat_map(|session| session.items.iter().map(move |item| (session, item)))
    };
    anchors.keep_only(items());
    let mut workspace = Workspace::new(&setup.folders, setup.encoding);
    let mut places: BTreeMap<Uri, Vec<Diagnostic>> = BTreeMap::new();
    for (session, item) in items() {
        let Some(spot) = place::spot(session, item, &mut workspace, anchors) else {
            continue;
        };
        let related = setup.related.then(|| related(session, item, &spot, &mut workspace));
        let diagnostic = diagnostic(session, item, &spot, related, pages::uri(state_dir, &item.code));
        places.entry(spot.place.uri).or_default().push(diagnostic);
    }
    places.values_mut().for_each(bound);
    places
}

/// Leaves the ones that matter most, of these the newest, and says how many went.
fn bound(shown: &mut Vec<Diagnostic>) {
    if shown.len() <= MAX_IN_FILE {
        return;
    }
    let mut order: Vec<usize> = (0..shown.len()).collect();
    // An error is the smallest of LSP's severities.
    order.sort_by_key(|at| (shown.get(*at).and_then(|one| one.severity), Reverse(*at)));
    let mut left_out = order.split_off(MAX_IN_FILE - 1);
    left_out.sort_unstable();
    let first = left_out.first().and_then(|at| shown.get(*at)).map(|one| one.range);
    let count = left_out.len();
    let mut nth = 0..;
    shown.retain(|_| nth.next().is_some_and(|at| left_out.binary_search(&at).is_err()));
    shown.push(Diagnostic {
        range: first.unwrap_or_default(),
        severity: Some(DiagnosticSeverity::INFORMATION),
        source: Some(SOURCE.to_owned()),
        message: format!("{count} more findings of this file stand in the documents of their sessions."),
        ..Diagnostic::default()
    });
}

/// Where else to look: the line in the session's document, the place that has gone, and what a kept finding rests on.
fn related(
    session: &SessionFindings,
    item: &Item,
    spot: &Spot,
    workspace: &mut Workspace,
) -> Vec<DiagnosticRelatedInformation> {
    let at = |place: &Place, message: String| DiagnosticRelatedInformation {
        location: Location {
            uri: place.uri.clone(),
            range: place.range,
        },
        message,
    };
    let mut related = Vec::new();
    if let Some(report) = &spot.report {
        related.push(at(report, format!("Turn {} in the session's document", item.turn)));
    }
    if let Some(former) = &spot.former {
        related.push(at(
            former,
            "The line it was about has changed; it stood here".to_owned(),
        ));
    }
    if item.finding.is_none() {
        return related;
    }
    let report = spot.report.as_ref().unwrap_or(&spot.place);
    for evidence in &item.evidence {
        let cited = evidence.place.as_ref();
        let place = cited.and_then(|cited| place::cited(cited, session.cwd.as_deref(), workspace));
        related.push(at(place.as_ref().unwrap_or(report), what(evidence)));
    }
    related
}

fn what(evidence: &Evidence) -> String {
    match evidence.turn {
        Some(turn) => format!("{} (turn {turn})", evidence.what),
        None => evidence.what.clone(),
    }
}

fn diagnostic(
    session: &SessionFindings,
    item: &Item,
    spot: &Spot,
    related: Option<Vec<DiagnosticRelatedInformation>>,
    page: Option<Uri>,
) -> Diagnostic {
    let severity = match item.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Information => DiagnosticSeverity::INFORMATION,
    };
    Diagnostic {
        range: spot.place.range,
        severity: Some(severity),
        code: Some(NumberOrString::String(item.code.clone())),
        code_description: page.map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message: item.message.clone(),
        related_information: related.filter(|related| !related.is_empty()),
        tags: None,
        data: Some(json!({
            "id": item.id,
            "claim": item.claim,
            "finding": item.finding,
            "harness": session.harness,
            "session": session.session,
            "transcript": session.transcript,
            "turn": item.turn,
            "command": command(item),
            "scope": session.scope.as_ref().map(|scope| scope.phase),
            "docs": pages::name(&item.code),
        })),
    }
}

/// The command of an item's check, where a person can see all of it on one line: a terminal runs what stands before a line
/// end as soon as it is typed there, and text that nobody sees should not be run at all. Nor should one from which a secret
/// was taken: it is another command.
pub(super) fn command(item: &Item) -> Option<&str> {
    let command = item.check.as_ref()?.command.as_str();
    let visible = |text: &str| text.split_whitespace().collect::<String>();
    let is_plain = !command.contains(char::is_control) && visible(&quote(command, MAX_COMMAND)) == visible(command);
    (is_plain && !is_redacted(command) && !command.trim().is_empty()).then_some(command)
}
