//! What a settings file shall say of us, and the smallest change that makes it say so.
//! Where files are, and who else is told, stays out.

use super::entries::{Hook, Whose, events, hooks, rest, without};
use super::harness::{Event, Shape, Spec};
use super::language::{Language, Out, literal};
use super::program::{command_line, quoted};
use super::splice::{self, Edit, Layout, Render, indentation, put_in};
use super::toml;
use super::tree::{Kind, Node, Unparsed};

/// What a settings file shall say of us.
pub(crate) struct Wanted<'a> {
    /// Whose settings they are.
    pub(crate) spec: &'a Spec,
    /// The hook's path.
    pub(crate) hook: &'a str,
    /// The events that get an entry.
    pub(crate) events: Vec<&'a Event>,
    /// Whether the harness starts programs with arguments itself; none when its version is not known.
    pub(crate) direct: Option<bool>,
    /// Whether an event that is not among [`events`](Self::events) may keep the entry that it has.
    pub(crate) keeps: bool,
    /// Events about helper agents have no entry, whatever stands there.
    pub(crate) no_helpers: bool,
}

/// Why a file is not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// It can't be read, or the harness would not take it.
    #[error("{0}")]
    Unparsed(#[from] Unparsed),
    /// The change would have reached beyond our entries.
    #[error("the change would have touched more than Proofmark's own entries")]
    Beyond,
}

/// The text with our entries as wanted; the same text where it has them.
///
/// # Errors
/// [`Refused`]; then nothing should be written.
pub(crate) fn with(text: &str, language: Language, wanted: &Wanted<'_>) -> Result<String, Refused> {
    let spec = wanted.spec;
    let before = language.parse(text)?;
    let mut seen: Vec<String> = Vec::new();
    let keep = before.as_ref().map(|root| wanted.kept(root)).unwrap_or_default();
    let pruned = without(
        text,
        language,
        spec,
        &|hook| !keep.contains(&(hook.event.to_owned(), hook.group, hook.place)),
        None,
    )?;
    let root = language.parse(&pruned)?;
    let mut edits = Vec::new();
    if let Some(root) = &root {
        let layout = Layout::of(&pruned, Some(root), language.comments());
        for hook in hooks(root, spec).iter().filter(|hook| hook.is_ours()) {
            seen.push(hook.event.to_owned());
            if let Some(event) = spec.events.iter().find(|event| event.name == hook.event) {
                edits.extend(wanted.mend(&pruned, language, &layout, hook, event));
            }
        }
    }
    let missing: Vec<&Event> = wanted
        .events
        .iter()
        .copied()
        .filter(|event| !seen.iter().any(|name| name == event.name))
        .collect();
    edits.extend(match language {
        Language::Json => wanted.add_json(&pruned, root.as_ref(), &missing),
        Language::Toml => root
            .as_ref()
            .map_or_else(Vec::new, |root| wanted.add_toml(&pruned, root, &missing)),
    });
    let after = splice::apply(&pruned, edits);
    let read = language.parse(&after)?;
    if rest(before.as_ref(), spec) != rest(read.as_ref(), spec) {
        return Err(Refused::Beyond);
    }
    Ok(after)
}

impl Wanted<'_> {
    /// Which of our entries stay: one for each event.
    fn kept(&self, root: &Node) -> Vec<(String, usize, usize)> {
        let mut kept: Vec<(String, usize, usize)> = Vec::new();
        for hook in hooks(root, self.spec).iter().filter(|hook| hook.is_ours()) {
            let event = self.spec.events.iter().find(|event| event.name == hook.event);
            let is_wanted = self.events.iter().any(|event| event.name == hook.event)
                || self.keeps && event.is_some_and(|event| !(self.no_helpers && event.helper));
            if is_wanted && !kept.iter().any(|(event, ..)| event == hook.event) {
                kept.push((hook.event.to_owned(), hook.group, hook.place));
            }
        }
        kept
    }

    /// The members of an entry.
    fn entry(&self, event: &Event, direct: bool) -> Vec<(String, Out)> {
        let text = |name: &str, text: String| (name.to_owned(), Out::Text(text));
        let harness = self.spec.harness;
        let mut members = Vec::new();
        if self.spec.shape == Shape::Grouped {
            members.push(text("type", "command".to_owned()));
        }
        if direct {
            members.push(text("command", self.hook.to_owned()));
            members.push(("args".to_owned(), Out::List(vec![Out::Text(harness.to_string())])));
        } else {
            members.push(text("command", command_line(self.hook, harness)));
        }
        members.push(("timeout".to_owned(), Out::Number(event.timeout)));
        members.extend(
            event
                .more
                .iter()
                .map(|(name, number)| ((*name).to_owned(), Out::Number(*number))),
        );
        members
    }

    /// What is added to an event: a group, where there are groups.
    fn added(&self, event: &Event) -> Out {
        let entry = Out::Object(self.entry(event, self.direct == Some(true)));
        match self.spec.shape {
            Shape::Flat => entry,
            Shape::Grouped => Out::Object(vec![("hooks".to_owned(), Out::List(vec![entry]))]),
        }
    }

    /// Brings an entry of ours up to date; whatever else a person has written into it stays.
    fn mend(&self, text: &str, language: Language, layout: &Layout, hook: &Hook<'_>, event: &Event) -> Vec<Edit> {
        let node = hook.node;
        let Some(command) = node.get("command") else {
            return Vec::new();
        };
        let line = command.text().unwrap_or_default();
        let mut edits = Vec::new();
        let is_direct = matches!(hook.whose, Whose::Direct(_));
        // A line with more in it than the program and its argument is the person's, and needs the shell.
        let is_plain = match &hook.whose {
            Whose::Line(_, words) => words.start == 0 && line[words.end..].trim() == self.spec.harness.as_str(),
            _ => true,
        };
        let direct = if is_plain {
            self.direct.unwrap_or(is_direct)
        } else {
            false
        };
        if direct != is_direct {
            let indent = text[node.span.clone()]
                .contains('\n')
                .then(|| indentation(text, node.span.start));
            let entry = Out::Object(self.entry(event, direct));
            return vec![Edit::replace(node.span.clone(), language.write(&entry, indent, layout))];
        }
        match &hook.whose {
            Whose::Line(program, words) if program != self.hook => {
                let line = format!("{}{}{}", &line[..words.start], quoted(self.hook), &line[words.end..]);
                edits.push(Edit::replace(command.span.clone(), literal(&line)));
            }
            Whose::Direct(program) => {
                if program != self.hook {
                    edits.push(Edit::replace(command.span.clone(), literal(self.hook)));
                }
                let harness = self.spec.harness.as_str();
                // `proofmark hook HARNESS`, in the form of before.
                let first = |args: &&Node| args.elements().and_then(|args| args.first()?.text()) != Some(harness);
                let arguments = Out::List(vec![Out::Text(harness.to_owned())]);
                let args = node.get("args").filter(first);
                edits.extend(
                    args.map(|args| Edit::replace(args.span.clone(), language.write(&arguments, None, layout))),
                );
            }
            _ => {}
        }
        let mut missing = Vec::new();
        for (name, out) in self.entry(event, direct) {
            match (node.get(&name), &out) {
                (None, _) => missing.push((name, out)),
                // A person may give us more time, not less than we may need.
                (Some(given), Out::Number(least))
                    if name == "timeout" && given.number().is_none_or(|given| given < *least as f64) =>
                {
                    edits.push(Edit::replace(given.span.clone(), least.to_string()));
                }
                _ => {}
            }
        }
        if missing.is_empty() {
            return edits;
        }
        if let Kind::Table(_) = node.kind {
            let lines: Vec<String> = missing
                .iter()
                .map(|(name, out)| language.member(name, out, None, layout))
                .collect();
            edits.push(toml::put_line(text, node, layout.newline, &lines.join(layout.newline)));
        } else {
            let parts: Vec<Box<Render<'_>>> = missing
                .iter()
                .map(|(name, out)| member(language, layout, name.clone(), out.clone()))
                .collect();
            edits.extend(put_in(text, node, layout, &parts));
        }
        edits
    }

    fn add_json(&self, text: &str, root: Option<&Node>, missing: &[&Event]) -> Vec<Edit> {
        let language = Language::Json;
        let layout = Layout::of(text, root, language.comments());
        let version = || ("version".to_owned(), Out::Number(1));
        let event = |event: &&Event| (event.name.to_owned(), Out::List(vec![self.added(event)]));
        let all = || ("hooks".to_owned(), Out::Object(missing.iter().map(event).collect()));
        let is_flat = self.spec.shape == Shape::Flat;
        let Some(root) = root else {
            if missing.is_empty() {
                return Vec::new();
            }
            let members = is_flat.then(version).into_iter().chain([all()]).collect();
            let document = language.write(&Out::Object(members), Some(""), &layout);
            let ended = text.trim().is_empty() || text.ends_with('\n');
            let before = if ended { "" } else { layout.newline };
            return vec![Edit::insert(
                text.len(),
                format!("{before}{document}{}", layout.newline),
            )];
        };
        let put = |node: &Node, members: Vec<(String, Out)>| {
            let parts: Vec<Box<Render<'_>>> = members
                .into_iter()
                .map(|(name, out)| member(language, &layout, name, out))
                .collect();
            put_in(text, node, &layout, &parts)
        };
        let mut to_root = Vec::new();
        if is_flat && root.get("version").is_none() {
            to_root.push(version());
        }
        let mut edits = Vec::new();
        match root.get("hooks") {
            _ if missing.is_empty() => {}
            None => to_root.push(all()),
            Some(hooks) => {
                let mut new = Vec::new();
                for wanted in missing {
                    match hooks.get(wanted.name) {
                        None => new.push(event(wanted)),
                        Some(list) => {
                            let (added, layout) = (self.added(wanted), &layout);
                            let part: Box<Render<'_>> = Box::new(move |indent| language.write(&added, indent, layout));
                            edits.extend(put_in(text, list, layout, &[part]));
                        }
                    }
                }
                if !new.is_empty() {
                    edits.extend(put(hooks, new));
                }
            }
        }
        if !to_root.is_empty() {
            edits.extend(put(root, to_root));
        }
        edits
    }

    fn add_toml(&self, text: &str, root: &Node, missing: &[&Event]) -> Vec<Edit> {
        let language = Language::Toml;
        let layout = Layout::of(text, Some(root), language.comments());
        let hooks = root.get("hooks");
        let is_enclosed = hooks.is_some_and(|hooks| matches!(hooks.kind, Kind::Object(_)));
        let (mut edits, mut new, mut blocks) = (Vec::new(), Vec::new(), Vec::new());
        for event in missing {
            match events(root).find(|there| there.name == event.name) {
                Some(there) if matches!(there.value.kind, Kind::Array(_)) => {
                    let (added, layout) = (self.added(event), &layout);
                    let part: Box<Render<'_>> = Box::new(move |indent| language.write(&added, indent, layout));
                    edits.extend(put_in(text, &there.value, layout, &[part]));
                }
                _ if is_enclosed => new.push(member(
                    language,
                    &layout,
                    event.name.to_owned(),
                    Out::List(vec![self.added(event)]),
                )),
                _ => blocks.push(self.block(event, &layout)),
            }
        }
        if let Some(hooks) = hooks.filter(|_| !new.is_empty()) {
            edits.extend(put_in(text, hooks, &layout, &new));
        }
        if !blocks.is_empty() {
            edits.push(toml::put_at_end(text, layout.newline, &blocks));
        }
        edits
    }

    /// A group with one hook, as tables with headers.
    fn block(&self, event: &Event, layout: &Layout) -> String {
        let name = event.name;
        let mut lines = vec![
            format!("[[hooks.{name}]]"),
            String::new(),
            format!("[[hooks.{name}.hooks]]"),
        ];
        let members = self.entry(event, false);
        lines.extend(
            members
                .iter()
                .map(|(name, out)| Language::Toml.member(name, out, None, layout)),
        );
        lines.join(layout.newline)
    }
}

fn member<'a>(language: Language, layout: &'a Layout, name: String, out: Out) -> Box<Render<'a>> {
    Box::new(move |indent| language.member(&name, &out, indent, layout))
}

#[cfg(test)]
mod tests;
