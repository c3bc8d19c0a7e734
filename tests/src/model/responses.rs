//! The scripted model's Responses API, streamed, as Codex 0.171.0 uses it.
//! Which lane answers and what it says is the script's business; bytes on a connection are the server's.

use serde_json::{Value, json};

use super::http::Response;
use super::{Asked, Block, Gist, MAX_ASKED, Script, State};

/// Answers `POST /v1/responses` with the next turn of the lane that the request belongs to.
pub(super) fn reply(state: &mut State, body: &[u8]) -> Response {
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return refusal("the body is no JSON");
    };
    if state.asked.len() >= MAX_ASKED {
        return refusal("the script has been asked too often");
    }
    let lane = Script::lane_for(&gist(&body));
    let turn = state.script.next_turn(&lane);
    let items: Vec<Value> = turn.iter().map(|block| item(state, block)).collect();
    let id = state.new_id("resp");
    state.asked.push(Asked { lane, body });
    Response::events(stream(&id, &items))
}

/// A 400 makes a client give up; other errors would be tried again.
fn refusal(message: &str) -> Response {
    Response::json(
        400,
        &json!({"error": {"type": "invalid_request_error", "message": message}}),
    )
}

fn gist(body: &Value) -> Gist {
    let users: Vec<String> = body["input"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|item| item["role"] == "user")
        .map(|item| text_of(&item["content"]))
        .collect();
    let listed = |list: &Value| list.as_array().is_some_and(|tools| !tools.is_empty());
    // In code mode the tools stand in an item of the conversation.
    let added = body["input"]
        .as_array()
        .into_iter()
        .flatten()
        .any(|item| listed(&item["tools"]));
    Gist {
        // What the client itself says in the person's place comes first, so the mark of a lane may stand in any of them.
        first_user_text: users.join("\n"),
        last_user_text: users.last().cloned().unwrap_or_default(),
        offers_tools: added || listed(&body["tools"]),
    }
}

fn text_of(content: &Value) -> String {
    let blocks = content.as_array().into_iter().flatten();
    let texts: Vec<&str> = blocks.filter_map(|block| block["text"].as_str()).collect();
    texts.join("\n")
}

fn item(state: &mut State, block: &Block) -> Value {
    match block {
        Block::Text { text } => json!({
            "type": "message", "id": state.new_id("msg"), "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Block::Thinking { thinking } => json!({
            "type": "reasoning", "id": state.new_id("rs"), "encrypted_content": null,
            "summary": [{"type": "summary_text", "text": thinking}],
        }),
        // A tool that takes a text and no arguments: a script of code mode, a patch.
        Block::Tool {
            tool,
            input: Value::String(text),
            ..
        } => json!({
            "type": "custom_tool_call", "id": state.new_id("ctc"), "call_id": state.new_id("call"), "name": tool,
            "input": text, "status": "completed",
        }),
        Block::Tool { tool, input, namespace } => {
            let mut call = json!({
                "type": "function_call", "id": state.new_id("fc"), "call_id": state.new_id("call"), "name": tool,
                "arguments": input.to_string(), "status": "completed",
            });
            if let Some(namespace) = namespace {
                call["namespace"] = json!(namespace);
            }
            call
        }
    }
}

fn stream(id: &str, items: &[Value]) -> String {
    let mut text = String::new();
    let mut push = |kind: &str, mut data: Value| {
        data["type"] = json!(kind);
        text += &format!("event: {kind}\ndata: {data}\n\n");
    };
    push(
        "response.created",
        json!({"response": {"id": id, "status": "in_progress"}}),
    );
    for (index, item) in items.iter().enumerate() {
        push(
            "response.output_item.done",
            json!({"output_index": index, "item": item}),
        );
    }
    let usage = json!({
        "input_tokens": 100, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 120,
    });
    push(
        "response.completed",
        json!({"response": {"id": id, "status": "completed", "usage": usage}}),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(script: &Value, body: &Value) -> (State, String) {
        let mut state = State {
            script: serde_json::from_value(script.clone()).unwrap(),
            asked: Vec::new(),
            ids: 0,
        };
        let response = reply(&mut state, body.to_string().as_bytes());
        let text = String::from_utf8(response.body).unwrap();
        (state, text)
    }

    #[test]
    fn a_turn_is_streamed_item_by_item() {
        let script = json!({"lanes": {"main": [[
            {"thinking": "hm"}, {"text": "I look."}, {"tool": "exec_command", "input": {"cmd": "ls"}},
            {"tool": "exec", "input": "text('hi')"}
        ]]}});
        let user =
            |text: &str| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
        let body = json!({"input": [user("<environment_context>"), user("go")], "tools": [{}], "stream": true});
        let (state, text) = asked(&script, &body);
        assert_eq!((state.asked.len(), state.asked[0].lane.as_str()), (1, "main"));
        let events: Vec<Value> = text
            .lines()
            .filter_map(|line| serde_json::from_str(line.strip_prefix("data: ")?).ok())
            .collect();
        let kinds: Vec<&str> = events.iter().filter_map(|event| event["type"].as_str()).collect();
        let done = "response.output_item.done";
        assert_eq!(
            kinds,
            ["response.created", done, done, done, done, "response.completed"]
        );
        assert_eq!(events[2]["item"]["content"][0]["text"], "I look.");
        assert_eq!(events[3]["item"]["arguments"], "{\"cmd\":\"ls\"}");
        let script = &events[4]["item"];
        assert_eq!(
            (script["type"].as_str(), script["input"].as_str()),
            (Some("custom_tool_call"), Some("text('hi')"))
        );
    }

    #[test]
    fn tools_may_stand_in_the_conversation() {
        let script = json!({"lanes": {"main": [[{"text": "with tools"}]]}});
        let item = json!({"type": "additional_tools", "role": "developer", "tools": [{"type": "namespace"}]});
        assert!(asked(&script, &json!({"input": [item]})).1.contains("with tools"));
        assert!(
            !asked(&script, &json!({"input": [], "tools": []}))
                .1
                .contains("with tools")
        );
    }

    #[test]
    fn a_lane_may_be_named_in_any_of_the_persons_messages() {
        let user = |text: &str| json!({"role": "user", "content": [{"text": text}]});
        let body = json!({"input": [user("<environment_context>"), user("[[lane:other]] go")], "tools": [{}]});
        let script = json!({"lanes": {"other": [[{"text": "from there"}]]}});
        assert!(asked(&script, &body).1.contains("from there"));
    }
}
