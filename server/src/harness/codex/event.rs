//! Events: where turns begin and end, what was said, and, in older files, what ran.
//! Items, which tell the same in newer files, stay out.

use super::memory::Run;
use super::reading::Reading;
use super::{item, person};
use crate::harness::json::Members;
use crate::session::Injection;

/// A turn begins.
pub(super) fn task_started(reading: &mut Reading<'_>, event: &Members<'_>) {
    reading.memory.turn = event.text("turn_id").or_else(|| reading.memory.turn.take());
    reading.memory.run = Run::Begun;
}

/// Shows what an event tells. Most tell what other lines do, or nothing of anybody's words and deeds.
pub(super) fn entries(reading: &mut Reading<'_>, event: &Members<'_>) {
    match event.text("type").as_deref() {
        Some("task_complete") => {
            reading.memory.run = Run::Over;
            // The model failed: no stop is raised then.
            if event.says("error") {
                reading.inject(Injection::Interruption);
            }
        }
        Some("turn_aborted") => {
            reading.memory.run = Run::Over;
            reading.inject(Injection::Interruption);
        }
        Some("user_message") => person::submitted(reading, None, &event.text("message").unwrap_or_default()),
        Some("agent_message") => person::told(reading, None, &event.text("message").unwrap_or_default()),
        Some("item_completed") => item::entries(reading, &event.object("item")),
        Some("exec_command_end") => item::command(reading, "call_id", event),
        Some("patch_apply_end") => item::patch(reading, "call_id", event),
        Some("mcp_tool_call_end") => item::mcp_ended(reading, event),
        Some("collab_agent_spawn_end") => item::spawn_ended(reading, event),
        _ => {}
    }
}
