//! A scripted stand-in for the service that a harness asks for its model's words; it notes what it was asked.
//! It understands nothing: replies come from the script, and no check is known here.

mod http;
mod messages;
mod responses;

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use self::http::{Request, Response, Server};

/// The lane that answers what an agent with tools asks.
pub const MAIN: &str = "main";
/// The lane for requests that offer no tools: titles, topics and other side work of a harness.
const AUX: &str = "aux";
/// The lane for requests that want the conversation summed up.
const COMPACT: &str = "compact";
/// What a lane says that has run out.
const EXHAUSTED: &str = "SCRIPT EXHAUSTED";
/// After so many requests the model answers with errors, so that no loop fills the memory.
const MAX_ASKED: usize = 500;

/// What the model will say: lanes by name, each a list of turns, each a list of blocks.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The lanes. A lane is chosen by `[[lane:NAME]]` in the first message of the conversation; else it is `main`
    /// for a request that offers tools and `aux` for one that does not.
    lanes: BTreeMap<String, VecDeque<Vec<Block>>>,
}

/// One block of a turn.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Block {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// Reasoning before the words.
    Thinking {
        /// The reasoning.
        thinking: String,
    },
    /// A tool call.
    Tool {
        /// The tool's name as the harness spells it.
        tool: String,
        /// The tool's input.
        input: Value,
        /// The group of tools that it belongs to, where the harness has such groups.
        #[serde(default)]
        namespace: Option<String>,
    },
}

impl Block {
    fn text(text: &str) -> Self {
        Self::Text { text: text.to_owned() }
    }
}

/// What a lane is chosen by; each API finds it in its own request shape.
struct Gist {
    first_user_text: String,
    last_user_text: String,
    offers_tools: bool,
}

impl Script {
    fn lane_for(gist: &Gist) -> String {
        let named = gist
            .first_user_text
            .split_once("[[lane:")
            .and_then(|(_, rest)| rest.split_once("]]"));
        if let Some((name, _)) = named {
            return name.to_owned();
        }
        let last = gist.last_user_text.to_lowercase();
        // The two wordings with which Claude Code 2.1.197 to 2.1.332 asks for one.
        if last.contains("create a detailed summary") || last.contains("summary of the conversation") {
            return COMPACT.to_owned();
        }
        if gist.offers_tools { MAIN } else { AUX }.to_owned()
    }

    fn next_turn(&mut self, lane: &str) -> Vec<Block> {
        if let Some(turn) = self.lanes.get_mut(lane).and_then(VecDeque::pop_front) {
            return turn;
        }
        vec![Block::text(match lane {
            AUX => r#"{"title": "A scripted title", "isNewTopic": false}"#,
            COMPACT => "<summary>\nWhat was said before, in short.\n</summary>",
            _ => EXHAUSTED,
        })]
    }
}

/// One request for words.
#[derive(Debug, Clone)]
struct Asked {
    /// The lane that answered.
    lane: String,
    /// The request's body.
    body: Value,
}

/// What the connections share.
#[derive(Debug)]
struct State {
    script: Script,
    asked: Vec<Asked>,
    ids: u64,
}

impl State {
    fn new_id(&mut self, prefix: &str) -> String {
        self.ids += 1;
        format!("{prefix}_01Scripted{:016}", self.ids)
    }
}

/// The running stand-in, on loopback; it stops when dropped.
#[derive(Debug)]
pub struct Model {
    server: Server,
    state: Arc<Mutex<State>>,
}

impl Model {
    /// Starts it.
    ///
    /// # Errors
    /// No port can be bound on loopback.
    pub fn start(script: Script) -> Result<Self> {
        let state = Arc::new(Mutex::new(State {
            script,
            asked: Vec::new(),
            ids: 0,
        }));
        let shared = Arc::clone(&state);
        let server = Server::start(move |request| answer(&shared, request)).context("the scripted model")?;
        Ok(Self { server, state })
    }

    /// The base URL for a harness.
    pub fn url(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// What one lane was asked so far, in order.
    pub fn asked(&self, lane: &str) -> Vec<Value> {
        lock(&self.state)
            .asked
            .iter()
            .filter(|asked| asked.lane == lane)
            .map(|asked| asked.body.clone())
            .collect()
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn answer(state: &Mutex<State>, request: &Request) -> Response {
    match (request.method.as_str(), request.path.as_str()) {
        ("POST", "/v1/messages") => messages::reply(&mut lock(state), &request.body),
        ("POST", "/v1/responses") => responses::reply(&mut lock(state), &request.body),
        ("POST", "/v1/messages/count_tokens") => messages::count_tokens(&request.body),
        // A harness asks with HEAD whether anybody is there.
        ("HEAD", _) => Response::json(200, &json!({})),
        _ => Response::json(
            404,
            &json!({"error": {"type": "not_found_error", "message": "not scripted"}}),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_chosen_by_mark_then_wish_then_tools() {
        let cases = [
            ("fix it", "fix it", true, "main"),
            ("fix it", "fix it", false, "aux"),
            ("do [[lane:helper-1]] it", "go on", true, "helper-1"),
            ("do [[lane:helper-1]] it", "Create a detailed summary", true, "helper-1"),
            (
                "fix it",
                "Your task is to create a detailed summary of it",
                true,
                "compact",
            ),
            ("[[lane:open", "x", true, "main"),
        ];
        for (first, last, tools, lane) in cases {
            let gist = Gist {
                first_user_text: first.to_owned(),
                last_user_text: last.to_owned(),
                offers_tools: tools,
            };
            assert_eq!(Script::lane_for(&gist), lane, "{first:?} {last:?}");
        }
    }

    #[test]
    fn a_lane_gives_its_turns_in_order_and_then_says_so() {
        let mut script: Script = serde_json::from_value(json!({"lanes": {
            "main": [[{"text": "one"}], [{"thinking": "hm"}, {"tool": "Bash", "input": {"command": "ls"}}]]
        }}))
        .unwrap();
        assert_eq!(script.next_turn("main"), [Block::text("one")]);
        assert!(
            matches!(&script.next_turn("main")[..], [Block::Thinking { .. }, Block::Tool { tool, .. }] if tool == "Bash")
        );
        assert_eq!(script.next_turn("main"), [Block::text(EXHAUSTED)]);
        assert_eq!(script.next_turn("elsewhere"), [Block::text(EXHAUSTED)]);
        assert_ne!(script.next_turn("aux"), [Block::text(EXHAUSTED)]);
    }

    #[test]
    fn a_misspelt_script_is_refused() {
        for script in [r#"{"lane": {}}"#, r#"{"lanes": {"main": [[{"txt": "x"}]]}}"#] {
            assert!(serde_json::from_str::<Script>(script).is_err(), "{script}");
        }
    }
}
