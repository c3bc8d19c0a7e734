//! Who speaks in a message: the person, the agent, a hook, a helper, or the client itself.
//! What the words mean stays out.

use std::hash::Hasher;

use fnv::FnvHasher;
use serde_json::value::RawValue;

use super::fork;
use super::memory::{Run, Shown};
use super::reading::{End, Reading};
use super::reply::own_words;
use crate::harness::json::{Members, Text, look};
use crate::session::{Ending, Entry, Injection};

/// What the client puts before a person's words, in one text with them (Codex Desktop, editors): the words come last.
const REQUEST: &str = "## My request for Codex:";
/// A task that comes from another thread.
const DELEGATION: &str = "<codex_delegation>";
/// A helper agent has ended.
const NOTIFICATION: &str = "<subagent_notification>";

/// How a text begins that is not the person's though it stands in their place, and what it is; none for what changes
/// nothing. `<turn_aborted>` is told by an event as well.
const ENVELOPES: [(&str, Option<Injection>); 18] = [
    ("<hook_prompt", Some(Injection::HookFeedback)),
    (NOTIFICATION, Some(Injection::Notification)),
    ("<user_shell_command>", Some(Injection::Command)),
    ("# AGENTS.md instructions", None),
    ("<INSTRUCTIONS>", None),
    ("<agents_md", None),
    ("<apps_instructions>", None),
    ("<collaboration_mode>", None),
    ("<environment_context>", None),
    ("<multi_agent_mode>", None),
    ("<permissions instructions>", None),
    ("<personality_spec>", None),
    ("<plugins_instructions>", None),
    ("<recommended_plugins>", None),
    ("<skill>", None),
    ("<skills_instructions>", None),
    ("<turn_aborted>", None),
    ("<user_instructions>", None),
];

/// Whether a prompt, as it is submitted, is the person's: no envelope, and no task from another thread.
pub(super) fn is_persons(prompt: &str) -> bool {
    envelope(prompt).is_none() && !prompt.trim_start().starts_with(DELEGATION)
}

/// Shows what a message says that stands in the conversation with the model.
pub(super) fn message(reading: &mut Reading<'_>, message: &Members<'_>) {
    let texts = texts(message, "content");
    if message.is("role", "assistant") {
        answer(reading, message, &texts.join("\n"));
    } else if message.is("role", "user") {
        said(reading, message, &texts);
    }
}

/// What stands in the person's place in the conversation with the model.
fn said(reading: &mut Reading<'_>, message: &Members<'_>, texts: &[String]) {
    if let Some((at, injection)) = texts.iter().find_map(|text| Some((text, envelope(text)?))) {
        if at.trim_start().starts_with(NOTIFICATION) {
            helper_ended(reading, at);
        }
        if let Some(injection) = injection {
            reading.inject(injection);
        }
        return;
    }
    // Newer files tell prompts by items; the message is that to the model.
    if !reading.memory.paginated {
        let own: Vec<&str> = texts
            .iter()
            .map(String::as_str)
            .filter(|text| !is_image(text))
            .collect();
        prompt(reading, message.text("id"), &own.join("\n"));
        reading.memory.shown = Some(Shown::PromptMessage);
    }
}

/// Shows a prompt that an event tells, unless the message before it did.
pub(super) fn submitted(reading: &mut Reading<'_>, id: Option<String>, text: &str) {
    if reading.memory.shown == Some(Shown::PromptMessage) {
        reading.memory.shown = None;
    } else if envelope(text).is_none() {
        prompt(reading, id, text);
    }
}

/// Shows a prompt. Where its line has no id, turn and number name it: they are the same in a copy of the line.
fn prompt(reading: &mut Reading<'_>, id: Option<String>, text: &str) {
    let memory = &mut *reading.memory;
    memory.untasked = false;
    memory.prompts += 1;
    let queued = memory.run == Run::Works;
    if memory.run == Run::Begun {
        memory.run = Run::Works;
    }
    let turn = memory.turn.clone();
    let numbered = || turn.as_ref().map(|turn| format!("{turn}#{}", memory.prompts));
    let row = id.or_else(numbered).unwrap_or_default();
    reading.show(Entry::Prompt {
        row,
        turn,
        text: words(text).to_owned(),
        queued,
    });
}

/// Begins a forked helper's turn where its record does not hold what it was told to do: what it does is no part of the
/// turn that was copied.
pub(super) fn begin(reading: &mut Reading<'_>) {
    if reading.memory.untasked {
        prompt(reading, None, "");
    }
}

/// Shows what the agent says, by the message to the person. Nothing for what only the model was told: the summary in a
/// compaction, in newer files.
fn answer(reading: &mut Reading<'_>, message: &Members<'_>, text: &str) {
    let known = match &reading.memory.shown {
        Some(Shown::TextEvent) => true,
        Some(Shown::TextMessage(shown)) => *shown == hash(text),
        Some(Shown::PromptMessage) | None => false,
    };
    if known {
        reading.memory.shown = None;
    } else if !reading.memory.paginated {
        spoken(reading, message.text("id"), text, Shown::TextMessage(hash(text)));
    }
}

/// Shows what the agent says, by the event, unless the message did.
pub(super) fn told(reading: &mut Reading<'_>, id: Option<String>, text: &str) {
    if reading.memory.shown == Some(Shown::TextMessage(hash(text))) {
        reading.memory.shown = None;
    } else {
        spoken(reading, id, text, Shown::TextEvent);
    }
}

fn spoken(reading: &mut Reading<'_>, id: Option<String>, text: &str, shown: Shown) {
    if text.trim().is_empty() {
        return;
    }
    begin(reading);
    let entry = Entry::Text {
        row: id.unwrap_or_default(),
        text: own_words(text).to_owned(),
    };
    reading.show_once(entry, shown);
}

fn hash(text: &str) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// Shows a message from another agent: a task begins a turn, as a person's prompt would; others only report.
pub(super) fn from_agent(reading: &mut Reading<'_>, message: &Members<'_>) {
    if is_task(message) {
        let text = texts(message, "content").join("\n");
        prompt(reading, message.text("id"), &text);
    } else {
        reading.inject(Injection::Notification);
    }
}

/// True for a message that gives an agent its task.
pub(super) fn is_task(message: &Members<'_>) -> bool {
    texts(message, "content")
        .first()
        .is_some_and(|text| fork::is_task(text))
}

/// The report that a helper has ended ends the call that started it, where that is known.
fn helper_ended(reading: &mut Reading<'_>, text: &str) {
    let inside = text.trim_start().strip_prefix(NOTIFICATION).unwrap_or_default();
    let inside = inside.split("</subagent_notification>").next().unwrap_or_default();
    let report = Members::parse(inside.trim());
    let thread = ["agent_id", "thread_id", "agent_path"]
        .iter()
        .find_map(|name| report.text(name));
    let Some(thread) = thread else { return };
    if report.object("status").says("completed") || report.object("status").says("errored") {
        ended(reading, &thread, report.object("status").text("completed").as_deref());
    }
}

/// Shows that a helper has ended, by the call that started it.
pub(super) fn ended(reading: &mut Reading<'_>, thread: &str, words: Option<&str>) {
    let Some(call) = reading.memory.helpers.get(thread).cloned() else {
        return;
    };
    if reading.memory.ended.get(&call).is_none() {
        let mut end = End::new(Ending::Succeeded, None, words.unwrap_or_default());
        end.helper = Some(thread.to_owned());
        reading.end(&call, end);
    }
}

/// The texts in a member that holds blocks.
pub(super) fn texts(payload: &Members<'_>, name: &str) -> Vec<String> {
    let text = |block: &RawValue| Members::read(Some(block)).raw("text").map(string);
    payload.list(name).into_iter().filter_map(text).collect()
}

fn string(raw: &RawValue) -> String {
    look::<Option<Text<'_>>>(Some(raw)).map_or(String::new(), |text| text.0.into_owned())
}

/// What a text is that is not the person's; none when it may be.
fn envelope(text: &str) -> Option<Option<Injection>> {
    let text = text.trim_start();
    let (_, injection) = ENVELOPES.iter().find(|(beginning, _)| text.starts_with(beginning))?;
    Some(*injection)
}

/// True for what stands around an attached image: `<image name=[Image #1]>` and its end.
fn is_image(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with("<image") && text.ends_with('>') && !text.contains('\n')) || text == "</image>"
}

/// A person's own words in a prompt: behind what the client puts before them, or inside a task from another thread.
fn words(text: &str) -> &str {
    let trimmed = text.trim();
    if trimmed.starts_with("# ")
        && let Some((_, request)) = trimmed.rsplit_once(REQUEST)
    {
        return request.trim();
    }
    if trimmed.starts_with(DELEGATION)
        && let Some((_, input)) = trimmed.split_once("<input>")
    {
        return input.rsplit_once("</input>").map_or(input, |(input, _)| input).trim();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persons_words_stand_behind_what_the_client_adds() {
        for (text, expected) in [
            ("Go on.\n", "Go on.\n"),
            (
                "\n# Files mentioned by the user:\n\n## a: /a\n\n## My request for Codex:\nlook\n",
                "look",
            ),
            (
                "# In app browser:\n- a\n\n## My request for Codex:\n## My request for Codex:\nlook",
                "look",
            ),
            (
                "Say: ## My request for Codex: look",
                "Say: ## My request for Codex: look",
            ),
            (
                "<codex_delegation>\n  <source_thread_id>a</source_thread_id>\n  <input>look</input>\n</codex_delegation>",
                "look",
            ),
            ("<codex_delegation>", "<codex_delegation>"),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn not_every_prompt_is_the_persons() {
        for (text, is) in [
            ("Go on.", true),
            ("", true),
            ("# Files mentioned by the user:\n## My request for Codex:\nlook", true),
            (" <environment_context>\n</environment_context>", false),
            ("# AGENTS.md instructions for /p", false),
            ("<hook_prompt hook_run_id=\"a\">b</hook_prompt>", false),
            ("<codex_delegation><input>drop it</input></codex_delegation>", false),
            ("<b>bold</b> words", true),
        ] {
            assert_eq!(is_persons(text), is, "{text}");
        }
    }
}
