//! From a session's findings to the diagnostics of an editor, and the actions that go with them.
//! When they are sent stays out.

use std::collections::BTreeMap;

use proofmark_protocol::Severity;
use proofmark_protocol::findings::{Item, SessionFindings};
use serde_json::json;
use tower_lsp::ls_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Uri,
};

use super::editor::Setup;
use super::pages;
use super::place::{self, Place};

/// What the diagnostics say who speaks.
const SOURCE: &str = "proofmark";

/// The diagnostics of sessions, by place.
pub(super) fn of<'a>(
    sessions: impl IntoIterator<Item = &'a SessionFindings>,
    setup: &Setup,
    state_dir: &std::path::Path,
) -> BTreeMap<Uri, Vec<Diagnostic>> {
    let mut places: BTreeMap<Uri, Vec<Diagnostic>> = BTreeMap::new();
    for session in sessions {
        for item in &session.items {
            let Some(report) = place::in_document(&session.document, item.line, setup.encoding) else {
                continue;
            };
            let cited = place::cited(&item.cited, session.cwd.as_deref(), &setup.folders, setup.encoding);
            let (place, report) = match cited {
                Some(place) => (place, Some(report)),
                None => (report, None),
            };
            let page = pages::uri(state_dir, &item.code);
            let diagnostic = diagnostic(session, item, &place, report.filter(|_| setup.related), page);
            places.entry(place.uri).or_default().push(diagnostic);
        }
    }
    places
}

fn diagnostic(
    session: &SessionFindings,
    item: &Item,
    place: &Place,
    report: Option<Place>,
    page: Option<Uri>,
) -> Diagnostic {
    let severity = match item.severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Information => DiagnosticSeverity::INFORMATION,
    };
    let related = report.map(|report| {
        vec![DiagnosticRelatedInformation {
            location: Location {
                uri: report.uri,
                range: report.range,
            },
            message: format!("Turn {} in the session's document", item.turn),
        }]
    });
    Diagnostic {
        range: place.range,
        severity: Some(severity),
        code: Some(NumberOrString::String(item.code.clone())),
        code_description: page.map(|href| CodeDescription { href }),
        source: Some(SOURCE.to_owned()),
        message: item.message.clone(),
        related_information: related,
        tags: None,
        data: Some(json!({
            "id": item.id,
            "claim": item.claim,
            "harness": session.harness,
            "session": session.session,
            "turn": item.turn,
            "docs": pages::name(&item.code),
        })),
    }
}
