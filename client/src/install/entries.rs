//! Our entries among the hooks of a settings file: finding them, telling what else the file says, taking them out.
//! What has to be put in stands in `wanted`.

use serde_json::Value;

use super::harness::{Shape, Spec};
use super::language::Language;
use super::program::{self, Line};
use super::splice::{self, Edit};
use super::toml;
use super::tree::{Kind, Member, Node, Unparsed};

/// A hook in a settings file.
#[derive(Debug, Clone)]
pub(crate) struct Hook<'a> {
    /// Its event.
    pub(crate) event: &'a str,
    /// Its group within the event, from 0; always 0 where there are no groups.
    pub(crate) group: usize,
    /// Its place within the group, or within the event, from 0.
    pub(crate) place: usize,
    /// Its group's matcher.
    pub(crate) matcher: Option<&'a str>,
    /// What it says.
    pub(crate) node: &'a Node,
    /// What it has to do with us.
    pub(crate) whose: Whose,
}

/// What a hook has to do with us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Whose {
    /// It runs our hook, by a command line: the program's path, and where in the line the program is named.
    Line(String, std::ops::Range<usize>),
    /// It runs our hook with arguments, without a shell: the program's path.
    Direct(String),
    /// It runs our hook together with something else.
    Mixed,
    /// It is somebody else's.
    Foreign,
}

impl Hook<'_> {
    /// True when it runs our hook and nothing else.
    pub(crate) fn is_ours(&self) -> bool {
        matches!(self.whose, Whose::Line(..) | Whose::Direct(_))
    }
}

/// The events of a file, without what only looks like one: in Codex's TOML the trust in hooks stands beside them.
pub(crate) fn events(root: &Node) -> impl Iterator<Item = &Member> {
    let members = root.get("hooks").and_then(Node::members).unwrap_or_default();
    members.iter().filter(|event| event.name != "state")
}

/// Every hook of a file, in the order in which they stand there.
pub(crate) fn hooks<'a>(root: &'a Node, spec: &Spec) -> Vec<Hook<'a>> {
    let mut found = Vec::new();
    for event in events(root) {
        let entries = event.value.elements().unwrap_or_default();
        for (group, entry) in entries.iter().enumerate() {
            let handlers = match spec.shape {
                Shape::Grouped => entry.get("hooks").and_then(Node::elements).unwrap_or_default(),
                Shape::Flat => std::slice::from_ref(entry),
            };
            found.extend(handlers.iter().enumerate().map(|(nth, node)| Hook {
                event: &event.name,
                group: if spec.shape == Shape::Grouped { group } else { 0 },
                place: if spec.shape == Shape::Grouped { nth } else { group },
                matcher: entry.get("matcher").and_then(Node::text),
                node,
                whose: whose(node, spec),
            }));
        }
    }
    found
}

fn whose(node: &Node, spec: &Spec) -> Whose {
    let Some(command) = node.get("command").and_then(Node::text) else {
        return Whose::Foreign;
    };
    if node.get("type").is_some_and(|kind| kind.text() != Some("command")) {
        return Whose::Foreign;
    }
    if let Some(arguments) = node.get("args") {
        let arguments = arguments.elements().unwrap_or_default();
        let arguments: Vec<&str> = arguments.iter().map(|node| node.text().unwrap_or_default()).collect();
        let direct = program::direct(command, &arguments, spec.harness);
        return direct.map_or(Whose::Foreign, |program| Whose::Direct(program.to_owned()));
    }
    match program::line(command, spec.harness) {
        Line::Ours { program, words } => Whose::Line(program, words),
        Line::Mixed => Whose::Mixed,
        Line::Foreign => Whose::Foreign,
    }
}

/// What a file says apart from our entries and from what is empty without them. Two files that are alike in this differ
/// in our entries alone.
pub(crate) fn rest(root: Option<&Node>, spec: &Spec) -> Value {
    let Some(root) = root else { return Value::Null };
    let mut said = root.meaning();
    let ours: Vec<Hook<'_>> = hooks(root, spec).into_iter().filter(Hook::is_ours).collect();
    let Some(whole) = said.as_object_mut() else { return said };
    if let Some(all) = whole.get_mut("hooks").and_then(Value::as_object_mut) {
        for (event, entries) in all.iter_mut() {
            let ours: Vec<_> = ours.iter().filter(|hook| hook.event == event).collect();
            let Some(entries) = entries.as_array_mut() else {
                continue;
            };
            for hook in ours.iter().rev() {
                if spec.shape == Shape::Flat {
                    entries.remove(hook.place);
                } else if let Some(handlers) = entries[hook.group]["hooks"].as_array_mut() {
                    handlers.remove(hook.place);
                    if handlers.is_empty() {
                        entries.remove(hook.group);
                    }
                }
            }
        }
        all.retain(|_, entries| entries.as_array().is_none_or(|entries| !entries.is_empty()));
        if all.is_empty() {
            whole.remove("hooks");
        }
    }
    if spec.shape == Shape::Flat {
        whole.remove("version");
    }
    if whole.is_empty() { Value::Null } else { said }
}

/// The text without those of our entries that are chosen. Groups, events and `hooks` that are empty then go as well, save
/// what `before` (the file as it was before us) had too.
///
/// # Errors
/// The text can't be read.
pub(crate) fn without(
    text: &str,
    language: Language,
    spec: &Spec,
    chosen: &dyn Fn(&Hook<'_>) -> bool,
    before: Option<Before<'_>>,
) -> Result<String, Unparsed> {
    let Some(root) = language.parse(text)? else {
        return Ok(text.to_owned());
    };
    let all = hooks(&root, spec);
    let going: Vec<&Hook<'_>> = all.iter().filter(|hook| hook.is_ours() && chosen(hook)).collect();
    if going.is_empty() {
        return Ok(text.to_owned());
    }
    let had = |path: &[&str]| before.is_some_and(|before| before.root.at(path).is_some());
    let as_it_was = |path: &[&str], now: &Node| {
        let then = before.and_then(|before| before.empty(path))?;
        (!language.has_comment(&text[now.span.clone()])).then(|| Edit::replace(now.span.clone(), then))
    };
    let mut edits = Vec::new();
    let mut emptied = Vec::new();
    // What TOML spreads over lines goes with its lines.
    let is_enclosed = root
        .get("hooks")
        .is_some_and(|hooks| matches!(hooks.kind, Kind::Object(_)));
    for event in events(&root) {
        let going: Vec<&&Hook<'_>> = going.iter().filter(|hook| hook.event == event.name).collect();
        let entries = event.value.elements().unwrap_or_default();
        let mut gone = Vec::new();
        for (nth, entry) in entries.iter().enumerate() {
            let within: Vec<usize> = match spec.shape {
                Shape::Flat => going.iter().filter(|hook| hook.place == nth).map(|_| 0).collect(),
                Shape::Grouped => {
                    let own = going.iter().filter(|hook| hook.group == nth);
                    own.map(|hook| hook.place).collect()
                }
            };
            let handlers = entry.get("hooks");
            let count = handlers.and_then(Node::elements).map_or(1, <[Node]>::len);
            match handlers {
                _ if within.is_empty() => {}
                Some(handlers) if within.len() < count => edits.extend(parts_out(text, handlers, language, &within)),
                _ => gone.push(nth),
            }
        }
        let is_emptied = !gone.is_empty() && gone.len() == entries.len() && is_enclosed;
        if is_emptied && !had(&["hooks", &event.name]) && !language.has_comment(&text[event.span.clone()]) {
            emptied.push(event.name.as_str());
        } else if !gone.is_empty()
            && gone.len() == entries.len()
            && let Some(edit) = as_it_was(&["hooks", &event.name], &event.value)
        {
            edits.push(edit);
        } else {
            edits.extend(parts_out(text, &event.value, language, &gone));
        }
    }
    let count = root.get("hooks").and_then(Node::members).map_or(0, <[Member]>::len);
    let mut from_root = Vec::new();
    if let Some(hooks) = root.get("hooks").filter(|_| !emptied.is_empty()) {
        let stays = had(&["hooks"]) || spec.keeps_deleted || language.has_comment(&text[hooks.span.clone()]);
        if emptied.len() == count && !stays {
            from_root.push("hooks");
        } else if emptied.len() == count
            && let Some(edit) = as_it_was(&["hooks"], hooks)
        {
            edits.push(edit);
        } else {
            edits.extend(members_out(text, hooks, language, &emptied));
        }
    }
    if spec.shape == Shape::Flat && before.is_some_and(|before| before.root.get("version").is_none()) {
        from_root.push("version");
    }
    edits.extend(members_out(text, &root, language, &from_root));
    let changed = splice::apply(text, edits);
    Ok(match language {
        Language::Json => changed,
        Language::Toml => toml::ended_as(text, changed),
    })
}

/// A file as it was before our entries came into it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Before<'a> {
    pub(crate) text: &'a str,
    pub(crate) root: &'a Node,
}

impl<'a> Before<'a> {
    /// The text of a list or an object that had nothing in it; white space stood there, or nothing at all.
    fn empty(self, path: &[&str]) -> Option<&'a str> {
        let node = self.root.at(path)?;
        let is_empty = match (node.elements(), node.members()) {
            (Some(elements), _) => elements.is_empty(),
            (None, members) => members.is_some_and(<[Member]>::is_empty),
        };
        is_empty.then(|| &self.text[node.span.clone()])
    }
}

fn parts_out(text: &str, node: &Node, language: Language, which: &[usize]) -> Vec<Edit> {
    match &node.kind {
        Kind::Tables(tables) => which
            .iter()
            .flat_map(|nth| toml::take_out(text, &tables[*nth]))
            .collect(),
        _ if which.is_empty() => Vec::new(),
        _ => splice::take_out(text, node, language.comments(), which),
    }
}

fn members_out(text: &str, node: &Node, language: Language, names: &[&str]) -> Vec<Edit> {
    let members = node.members().unwrap_or_default().iter().enumerate();
    let which: Vec<usize> = members
        .filter(|(_, member)| names.contains(&member.name.as_str()))
        .map(|(nth, _)| nth)
        .collect();
    match which.is_empty() {
        true => Vec::new(),
        false => splice::take_out(text, node, language.comments(), &which),
    }
}
