//! The pages that have to keep up with the code: checks, settings, methods.
//! Whether they are well written stays out.

use serde_json::Value;

/// The check that a page is about; none when the file is no such page.
pub(crate) fn check_of(path: &str) -> Option<&str> {
    path.strip_prefix("docs/checks/")?.strip_suffix(".md")
}

/// Checks without a page, and pages without a check.
pub(crate) fn differences(codes: &[&str], pages: &[&str]) -> Vec<String> {
    let lonely = codes
        .iter()
        .filter(|code| !pages.contains(code))
        .map(|code| format!("docs/checks/{code}.md is missing"));
    let strange = pages.iter().filter(|page| !codes.contains(page));
    lonely
        .chain(strange.map(|page| format!("docs/checks/{page}.md is about no check")))
        .collect()
}

/// Names that do not stand as code in a page.
pub(crate) fn unnamed(names: &[&str], page: &str) -> Vec<String> {
    let missing = names.iter().filter(|name| !page.contains(&format!("`{name}`")));
    missing
        .map(|name| format!("docs/protocol.md does not name {name}"))
        .collect()
}

/// Methods that the schema says nothing about, and those that are none.
pub(crate) fn methods_without_schema(methods: &[&str], document: &Value) -> Vec<String> {
    let lacking = methods.iter().filter(|name| {
        let entry = &document["methods"][**name];
        !entry["params"].is_object() || !entry["result"].is_object()
    });
    let mut offenders: Vec<String> = lacking
        .map(|name| format!("the schema has no entry for {name}"))
        .collect();
    let described = document["methods"]
        .as_object()
        .into_iter()
        .flat_map(|methods| methods.keys());
    let strange = described.filter(|name| !methods.contains(&name.as_str()));
    offenders.extend(strange.map(|name| format!("the schema has an entry for {name}, which is no method")));
    offenders
}

/// One setting: its parts as the file spells them, the values it is limited to, its default.
struct Setting {
    section: Option<String>,
    name: String,
    values: Vec<String>,
    default: Value,
}

/// Settings that have no table row `| key | values | default | ... |` on the page, rows that miss a value or the default,
/// and rows about no setting.
pub(crate) fn settings(document: &Value, page: &str) -> Vec<String> {
    let settings = all_settings(document);
    let rows: Vec<Vec<&str>> = page.lines().filter(|line| line.starts_with("| `")).map(cells).collect();
    let mut offenders = Vec::new();
    for setting in &settings {
        let about = |row: &&Vec<&str>| row.first().is_some_and(|key| is_of(setting, key));
        let Some(row) = rows.iter().find(about) else {
            offenders.push(format!("docs/settings.md has no line for {}", setting.name));
            continue;
        };
        let cell = |at: usize| row.get(at).copied().unwrap_or_default();
        let lacking = setting
            .values
            .iter()
            .filter(|value| !cell(1).contains(&format!("`{value}`")));
        offenders
            .extend(lacking.map(|value| format!("docs/settings.md, {}: the value {value} is missing", setting.name)));
        let default = setting
            .default
            .as_str()
            .map_or_else(|| setting.default.to_string(), str::to_owned);
        if !setting.default.is_object() && cell(2) != format!("`{default}`") {
            offenders.push(format!("docs/settings.md, {}: the default is {default}", setting.name));
        }
    }
    let strange = rows
        .iter()
        .filter_map(|row| row.first())
        .filter(|key| !settings.iter().any(|setting| is_of(setting, key)));
    offenders.extend(strange.map(|key| format!("docs/settings.md: {key} is no setting")));
    offenders
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('|').split('|').map(str::trim).collect()
}

/// True when a row's key is the setting's: its section somewhere in it, its name at the end, or before the end for a table.
fn is_of(setting: &Setting, key: &str) -> bool {
    let parts: Vec<&str> = key.trim_matches('`').split('.').collect();
    let behind = usize::from(setting.default.is_object());
    parts.iter().rev().nth(behind) == Some(&setting.name.as_str())
        && setting
            .section
            .as_ref()
            .is_none_or(|section| parts.contains(&section.as_str()))
}

fn all_settings(document: &Value) -> Vec<Setting> {
    let defs = &document["$defs"];
    let mut settings = Vec::new();
    for (name, property) in properties(&defs["Settings"]) {
        let inner = referred(defs, property);
        let nested: Vec<Setting> = properties(inner)
            .map(|(key, property)| setting(defs, Some(name.replace('_', "-")), key, property))
            .collect();
        if nested.is_empty() {
            settings.push(setting(defs, None, name, property));
        }
        settings.extend(nested);
    }
    settings
}

fn setting(defs: &Value, section: Option<String>, name: &str, property: &Value) -> Setting {
    let kind = if property["additionalProperties"].is_object() {
        &property["additionalProperties"]
    } else {
        property
    };
    let kind = referred(defs, kind);
    let listed = kind["enum"].as_array().into_iter().flatten();
    let described = kind["oneOf"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|value| &value["const"]);
    let values = listed
        .chain(described)
        .filter_map(|value| value.as_str().map(str::to_owned))
        .collect();
    Setting {
        section,
        name: name.to_owned(),
        values,
        default: property["default"].clone(),
    }
}

fn properties(kind: &Value) -> impl Iterator<Item = (&String, &Value)> {
    kind["properties"].as_object().into_iter().flatten()
}

fn referred<'a>(defs: &'a Value, property: &'a Value) -> &'a Value {
    let name = property["$ref"]
        .as_str()
        .and_then(|reference| reference.strip_prefix("#/$defs/"));
    name.map_or(property, |name| &defs[name])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn checks_and_pages_go_together() {
        assert_eq!(check_of("docs/checks/a-b.md"), Some("a-b"));
        assert_eq!(check_of("docs/a-b.md"), None);
        assert!(differences(&["a", "b"], &["b", "a"]).is_empty());
        assert_eq!(differences(&["a", "b"], &["b", "c"]).len(), 2);
    }

    #[test]
    fn methods_are_named_and_described() {
        assert!(unnamed(&["onStop"], "call `onStop` then").is_empty());
        assert_eq!(unnamed(&["onStop"], "call onStop or `onStops`").len(), 1);
        let document = json!({"methods": {"a": {"params": {}, "result": {}}, "b": {"params": {}}}});
        assert!(
            methods_without_schema(&["a"], &document)
                .iter()
                .all(|told| told.contains(" b"))
        );
        assert_eq!(methods_without_schema(&["a", "b", "c"], &document).len(), 2);
    }

    #[test]
    fn a_setting_needs_its_key_its_values_and_its_default() {
        let document = json!({"$defs": {
            "Settings": {"properties": {
                "one_check": {"$ref": "#/$defs/One", "default": {"mode": "a"}},
                "minutes": {"type": "integer", "default": 30},
                "names": {"additionalProperties": {"$ref": "#/$defs/Kind"}, "default": {}},
            }},
            "One": {"properties": {"mode": {"$ref": "#/$defs/Kind", "default": "a"}}},
            "Kind": {"oneOf": [{"const": "a"}, {"const": "b"}]},
        }});
        let mode = "| `checks.one-check.mode` | `a`, `b` | `a` | x |\n";
        let minutes = "| `server.minutes` | number | `30` | x |\n";
        let names = "| `names.NAME` | `a`, `b` | | x |\n";
        assert_eq!(
            settings(&document, &[mode, minutes, names].concat()),
            Vec::<String>::new()
        );
        for page in [
            [mode, minutes].concat(),
            [mode, names].concat(),
            [minutes, names].concat(),
            [&mode.replace("one-check", "other"), minutes, names].concat(),
            [&mode.replace(", `b`", ""), minutes, names].concat(),
            [mode, &minutes.replace("30", "3"), names].concat(),
            [mode, minutes, names, "| `server.more` | number | `1` | x |\n"].concat(),
        ] {
            assert!(!settings(&document, &page).is_empty(), "{page}");
        }
    }
}
