//! The scripted model's Messages API, plain and streamed, as Claude Code 2.1.197 to 2.1.332 uses it.
//! Which lane answers and what it says is the script's business; bytes on a connection are the server's.

use serde_json::{Value, json};

use super::http::Response;
use super::{Asked, Block, Gist, MAX_ASKED, Script, State};

/// Text and tool input travel in pieces of so many characters, as a real stream's do.
const PIECE: usize = 300;

/// Answers `POST /v1/messages` with the next turn of the lane that the request belongs to.
pub(super) fn reply(state: &mut State, body: &[u8]) -> Response {
    let Ok(body) = serde_json::from_slice::<Value>(body) else {
        return refusal("the body is no JSON");
    };
    if state.asked.len() >= MAX_ASKED {
        return refusal("the script has been asked too often");
    }
    let lane = Script::lane_for(&gist(&body));
    let turn = state.script.next_turn(&lane);
    let message = message(state, &turn, &body["model"]);
    let streamed = body["stream"] == true;
    state.asked.push(Asked { lane, body });
    if streamed {
        Response::events(stream(&message))
    } else {
        Response::json(200, &message)
    }
}

/// Answers `POST /v1/messages/count_tokens` with a rough figure: four bytes a token.
pub(super) fn count_tokens(body: &[u8]) -> Response {
    Response::json(200, &json!({"input_tokens": body.len() / 4 + 1}))
}

/// A 400 makes a client give up; other errors would be tried again.
fn refusal(message: &str) -> Response {
    Response::json(
        400,
        &json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}}),
    )
}

fn gist(body: &Value) -> Gist {
    let users = || {
        body["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|message| message["role"] == "user")
    };
    Gist {
        first_user_text: users()
            .next()
            .map(|message| text_of(&message["content"]))
            .unwrap_or_default(),
        last_user_text: users()
            .next_back()
            .map(|message| text_of(&message["content"]))
            .unwrap_or_default(),
        offers_tools: body["tools"].as_array().is_some_and(|tools| !tools.is_empty()),
    }
}

/// The words in a message's content, which is a string or a list of blocks.
fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => String::new(),
    }
}

fn message(state: &mut State, turn: &[Block], model: &Value) -> Value {
    let content: Vec<Value> = turn
        .iter()
        .map(|block| match block {
            Block::Text { text } => json!({"type": "text", "text": text}),
            Block::Thinking { thinking } => {
                json!({"type": "thinking", "thinking": thinking, "signature": "c2NyaXB0ZWQ="})
            }
            Block::Tool { tool, input, .. } => {
                json!({"type": "tool_use", "id": state.new_id("toolu"), "name": tool, "input": input})
            }
        })
        .collect();
    let calls = content.iter().any(|block| block["type"] == "tool_use");
    json!({
        "id": state.new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": if calls { "tool_use" } else { "end_turn" },
        "stop_sequence": null,
        "usage": {
            "input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0
        },
    })
}

fn stream(message: &Value) -> String {
    let mut events = Events::default();
    let mut head = message.clone();
    head["content"] = json!([]);
    head["stop_reason"] = Value::Null;
    events.push("message_start", json!({"message": head}));
    for (index, block) in message["content"].as_array().into_iter().flatten().enumerate() {
        let (opening, deltas) = opened(block);
        events.push("content_block_start", json!({"index": index, "content_block": opening}));
        for delta in deltas {
            events.push("content_block_delta", json!({"index": index, "delta": delta}));
        }
        events.push("content_block_stop", json!({"index": index}));
    }
    let end = json!({"stop_reason": message["stop_reason"], "stop_sequence": null});
    events.push("message_delta", json!({"delta": end, "usage": message["usage"]}));
    events.push("message_stop", json!({}));
    events.text
}

/// How a block looks when it begins, and the pieces that fill it.
fn opened(block: &Value) -> (Value, Vec<Value>) {
    let words = |name: &str| block[name].as_str().unwrap_or_default().to_owned();
    match block["type"].as_str() {
        Some("tool_use") => {
            let mut opening = block.clone();
            opening["input"] = json!({});
            (
                opening,
                filled("input_json_delta", "partial_json", &block["input"].to_string()),
            )
        }
        Some("thinking") => {
            let mut deltas = filled("thinking_delta", "thinking", &words("thinking"));
            deltas.push(json!({"type": "signature_delta", "signature": block["signature"]}));
            (json!({"type": "thinking", "thinking": "", "signature": ""}), deltas)
        }
        _ => (
            json!({"type": "text", "text": ""}),
            filled("text_delta", "text", &words("text")),
        ),
    }
}

fn filled(kind: &str, field: &str, text: &str) -> Vec<Value> {
    let characters: Vec<char> = text.chars().collect();
    characters
        .chunks(PIECE)
        .map(|piece| json!({"type": kind, field: piece.iter().collect::<String>()}))
        .collect()
}

/// A stream of server-sent events under construction.
#[derive(Default)]
struct Events {
    text: String,
}

impl Events {
    fn push(&mut self, name: &str, mut data: Value) {
        data["type"] = name.into();
        self.text.push_str(&format!("event: {name}\ndata: {data}\n\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(script: Value) -> State {
        State {
            script: serde_json::from_value(script).unwrap(),
            asked: Vec::new(),
            ids: 0,
        }
    }

    fn body(response: &Response) -> Value {
        serde_json::from_slice(&response.body).unwrap()
    }

    /// Puts a stream's pieces together again, as a client does.
    fn replay(stream: &str) -> Vec<Value> {
        let mut blocks: Vec<Value> = Vec::new();
        for data in stream.lines().filter_map(|line| line.strip_prefix("data: ")) {
            let event: Value = serde_json::from_str(data).unwrap();
            let at = event["index"].as_u64().unwrap_or_default() as usize;
            let delta = &event["delta"];
            match event["type"].as_str().unwrap() {
                "content_block_start" => blocks.push(event["content_block"].clone()),
                "content_block_delta" => {
                    let (field, piece) = match delta["type"].as_str().unwrap() {
                        "text_delta" => ("text", &delta["text"]),
                        "thinking_delta" => ("thinking", &delta["thinking"]),
                        "signature_delta" => ("signature", &delta["signature"]),
                        _ => ("json", &delta["partial_json"]),
                    };
                    let so_far = blocks[at][field].as_str().unwrap_or_default().to_owned();
                    blocks[at][field] = (so_far + piece.as_str().unwrap()).into();
                }
                _ => {}
            }
        }
        blocks
    }

    #[test]
    fn a_stream_holds_what_the_plain_message_holds() {
        let long = "wörd ".repeat(500);
        let script = json!({"lanes": {"main": [[
            {"thinking": &long}, {"text": &long}, {"tool": "Write", "input": {"content": &long}}
        ]]}});
        let plain = body(&reply(&mut state(script.clone()), br#"{"model": "m", "tools": [{}]}"#));
        let streamed = reply(&mut state(script), br#"{"model": "m", "tools": [{}], "stream": true}"#);
        assert_eq!(streamed.content_type, "text/event-stream");
        let text = String::from_utf8(streamed.body).unwrap();
        let mut blocks = replay(&text);
        let input: Value = serde_json::from_str(blocks[2]["json"].as_str().unwrap()).unwrap();
        blocks[2].as_object_mut().unwrap().remove("json");
        blocks[2]["input"] = input;
        assert_eq!(Value::from(blocks), plain["content"]);
        assert_eq!(plain["stop_reason"], "tool_use");
        assert!(
            text.contains(r#""stop_reason":"tool_use""#) && text.contains("event: message_stop"),
            "{text}"
        );
    }

    #[test]
    fn each_request_is_noted_with_its_lane() {
        let mut state = state(json!({"lanes": {}}));
        reply(
            &mut state,
            br#"{"tools": [{}], "messages": [{"role": "user", "content": "hello"}]}"#,
        );
        reply(
            &mut state,
            br#"{"messages": [{"role": "user", "content": [{"type": "text", "text": "[[lane:x]]"}]}]}"#,
        );
        let lanes: Vec<&str> = state.asked.iter().map(|asked| asked.lane.as_str()).collect();
        assert_eq!(lanes, ["main", "x"]);
        assert_eq!(state.asked[0].body["messages"][0]["content"], "hello");
    }

    #[test]
    fn nonsense_and_endless_asking_are_refused() {
        let mut state = state(json!({"lanes": {}}));
        assert_eq!(reply(&mut state, b"{").status, 400);
        for _ in 0..MAX_ASKED {
            assert_eq!(reply(&mut state, b"{}").status, 200);
        }
        assert_eq!(reply(&mut state, b"{}").status, 400);
        assert_eq!(state.asked.len(), MAX_ASKED);
    }
}
