//! Rows of type `assistant`.
//! What tools are for is tested beside their table.

use serde_json::json;

use super::{main, read, with};
use crate::harness::Stream;
use crate::session::{Entry, Injection, ToolKind};

#[test]
fn an_agents_row_shows_prose_and_calls_in_their_order() {
    let content = json!([
        {"type": "thinking", "thinking": "hm", "text": "hm"},
        {"type": "text", "text": "First."},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
        {"type": "text", "text": " \n"},
        {"type": "tool_use"},
        {"type": "text", "text": "cut \u{fffd}"},
    ]);
    let row = json!({"type": "assistant", "uuid": "a1", "message": {"model": "m", "content": content}});
    // Half a surrogate pair, as it stands where a harness cut text in the middle of a character.
    let line = row.to_string().replace('\u{fffd}', "\\ud83d");
    let text = |text: &str| Entry::Text {
        row: "a1".to_owned(),
        text: text.to_owned(),
    };
    let call = |id: &str, tool: &str, kind, input: &str| Entry::Call {
        row: "a1".to_owned(),
        id: id.to_owned(),
        tool: tool.to_owned(),
        kind,
        input: input.to_owned(),
        changes: Vec::new(),
    };
    let expected = [
        text("First."),
        call(
            "t1",
            "Bash",
            ToolKind::Shell {
                command: "ls".to_owned(),
            },
            "ls",
        ),
        call("", "", ToolKind::Unknown, ""),
        text("cut \u{fffd}\u{fffd}\u{fffd}"),
    ];
    assert_eq!(read(line.as_bytes(), Stream::Main), expected);
    let cut_off = Entry::Injected {
        injection: Injection::Interruption,
        turn: None,
    };
    assert_eq!(main(&with(row.clone(), json!({"isApiErrorMessage": true}))), [cut_off]);
    let text_alone = json!({"type": "assistant", "uuid": "a1", "message": {"content": "First."}});
    assert_eq!(main(&text_alone), [text("First.")]);
    let synthetic =
        json!({"type": "assistant", "message": {"model": "<synthetic>", "content": "No response requested."}});
    assert_eq!(main(&synthetic), []);
}
