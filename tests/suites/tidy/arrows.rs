//! Which crate may depend on which, read from the manifests.
//! What a crate does with what it depends on stays out.

use std::collections::BTreeSet;

use serde_json::Value;

/// Each crate's folder, and the crates of the workspace that it may depend on.
const ARROWS: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("server", &["proofmark-protocol"]),
    ("client/hook", &["proofmark-protocol"]),
    ("client", &["proofmark-hook", "proofmark-protocol", "proofmark-server"]),
    ("tests", &["proofmark-protocol", "proofmark-server"]),
];
/// All that the hook is made of: it is started for every event.
const HOOK: &[&str] = &["proofmark-protocol", "serde", "serde_json"];

/// Every dependency that is against the arrows. `manifest` gives the text of a file.
pub(crate) fn offenders<'a>(manifest: &dyn Fn(&str) -> Option<&'a str>) -> Vec<String> {
    let read = |path: &str| {
        manifest(path)
            .and_then(|text| toml::from_str::<Value>(text).ok())
            .unwrap_or_default()
    };
    let members = &read("Cargo.toml")["workspace"]["members"];
    let members: BTreeSet<&str> = members
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let mut offenders = Vec::new();
    if members != ARROWS.iter().map(|(folder, _)| *folder).collect() {
        offenders.push(format!(
            "the crates of the workspace are {members:?}, the arrows know others"
        ));
    }
    for (folder, allowed) in ARROWS {
        let crate_manifest = read(&format!("{folder}/Cargo.toml"));
        if crate_manifest["package"]["name"].is_null() {
            offenders.push(format!("{folder} has no manifest"));
        }
        let own = |name: &String| name.starts_with("proofmark") && !allowed.contains(&name.as_str());
        let wrong = dependencies(&crate_manifest, true).into_iter().filter(own);
        offenders.extend(wrong.map(|name| format!("{folder} depends on {name}")));
    }
    let hook = dependencies(&read("client/hook/Cargo.toml"), false);
    if hook.iter().ne(HOOK.iter()) {
        offenders.push(format!("the hook depends on {hook:?}, and has to on {HOOK:?} alone"));
    }
    offenders
}

/// The packages that a manifest names, those of single systems included.
fn dependencies(manifest: &Value, with_tests: bool) -> BTreeSet<String> {
    let systems = manifest["target"]
        .as_object()
        .into_iter()
        .flat_map(|systems| systems.values());
    let mut names = BTreeSet::new();
    for place in std::iter::once(manifest).chain(systems) {
        for section in ["dependencies", "build-dependencies", "dev-dependencies"] {
            if section == "dev-dependencies" && !with_tests {
                continue;
            }
            let renamed = |(name, value): (&String, &Value)| value["package"].as_str().unwrap_or(name).to_owned();
            names.extend(place[section].as_object().into_iter().flatten().map(renamed));
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &[(&str, &str)] = &[
        (
            "Cargo.toml",
            "[workspace]\nmembers = ['protocol', 'server', 'client', 'client/hook', 'tests']",
        ),
        (
            "protocol/Cargo.toml",
            "[package]\nname = 'p'\n[dependencies]\nserde = '1'",
        ),
        (
            "server/Cargo.toml",
            "[package]\nname = 's'\n[dependencies]\nproofmark-protocol = {}",
        ),
        (
            "client/Cargo.toml",
            "[package]\nname = 'c'\n[dependencies]\nproofmark-server = {}",
        ),
        (
            "client/hook/Cargo.toml",
            "[package]\nname = 'h'\n[dependencies]\nproofmark-protocol = {}\nserde = {}\nserde_json = {}",
        ),
        ("tests/Cargo.toml", "[package]\nname = 't'"),
    ];

    fn told(path: &str, added: &str) -> Vec<String> {
        let changed: Vec<(&str, String)> = GOOD
            .iter()
            .map(|(name, text)| {
                (
                    *name,
                    if *name == path {
                        format!("{text}\n{added}")
                    } else {
                        (*text).to_owned()
                    },
                )
            })
            .collect();
        offenders(&|wanted| {
            changed
                .iter()
                .find(|(name, _)| *name == wanted)
                .map(|(_, text)| text.as_str())
        })
    }

    #[test]
    fn an_arrow_that_points_back_is_told_wherever_it_hides() {
        assert_eq!(told("", ""), Vec::<String>::new());
        for (path, added) in [
            ("protocol/Cargo.toml", "proofmark-server = {}"),
            ("protocol/Cargo.toml", "[dev-dependencies]\nproofmark-server = {}"),
            ("server/Cargo.toml", "x = { package = 'proofmark' }"),
            (
                "server/Cargo.toml",
                "[target.'cfg(unix)'.dependencies]\nproofmark-hook = {}",
            ),
            ("client/hook/Cargo.toml", "libc = '1'"),
            ("client/hook/Cargo.toml", "[build-dependencies]\ncc = '1'"),
            ("Cargo.toml", "[workspace]"),
            ("tests/Cargo.toml", "rubbish"),
        ] {
            assert!(!told(path, added).is_empty(), "{path} {added}");
        }
        assert!(told("client/hook/Cargo.toml", "[dev-dependencies]\ninsta = '1'").is_empty());
    }
}
