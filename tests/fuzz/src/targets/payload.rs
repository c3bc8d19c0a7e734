//! Hook payloads: any bytes become one well-formed request, or none; then what the server makes of the call in it.
//! What is answered stands in `answer`.

use proofmark_hook::fuzzing::{Put, request};
use proofmark_protocol::event::{
    PostToolUseParams, PreToolUseParams, PromptParams, ReplyParams, SessionEndParams, SessionRef, SessionStartParams,
    StopParams, SubagentStartParams,
};
use proofmark_protocol::frame::{IncomingRequest, MAX_FRAME};
use proofmark_protocol::method;
use proofmark_server::harness::spec;
use serde::de::DeserializeOwned;

use crate::input::Input;

/// A member that no harness has, as the first one of an object.
const UNKNOWN: &[u8] = br#"{"fuzz-unknown":[{"hook_event_name":null},"\""],"#;

/// The first byte is the harness that registered the hook, the rest the payload.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let registered = input.harness();
    let payload = input.rest();
    let read = request(registered, payload);
    assert_eq!(read, request(registered, payload), "the same payload says the same");
    if let Ok(Some(put)) = &read {
        holds(put);
    }
    if let (Ok(put), Some(more)) = (&read, with_unknown(payload)) {
        assert_eq!(request(registered, &more).as_ref(), Ok(put), "an unknown member changes nothing");
    }
}

fn holds(put: &Put) {
    let (last, before) = put.line.split_last().expect("a request is not empty");
    assert!(*last == b'\n' && put.line.len() <= MAX_FRAME);
    assert!(!before.contains(&b'\n') && !before.contains(&b'\r'), "a request is one line");
    let request: IncomingRequest<'_> = serde_json::from_slice(before).expect("a request is JSON");
    assert!(request.proofmark.is_some() && request.id.is_some());
    let params = request.params.expect("a request has params").get();
    let tools = |_: &str| None;
    let spec = spec(put.harness).expect("every harness has a reader");
    let at = match request.method.as_str() {
        method::ON_SESSION_START => params_of::<SessionStartParams>(params).at,
        method::ON_PROMPT => {
            let prompt = params_of::<PromptParams>(params);
            (spec.is_persons)(&prompt.prompt);
            prompt.at
        }
        method::ON_PRE_TOOL_USE => {
            let call = params_of::<PreToolUseParams>(params);
            let announced = (spec.announced)(&call.call.tool, call.call.input.as_deref(), &tools);
            assert!(announced.changes.iter().all(|path| !path.is_empty()));
            call.at
        }
        method::ON_POST_TOOL_USE => {
            let ended = params_of::<PostToolUseParams>(params);
            if let Some(observed) = spec.observed {
                observed(&ended, &tools);
            }
            ended.at
        }
        method::ON_REPLY => params_of::<ReplyParams>(params).at,
        method::ON_STOP | method::ON_SUBAGENT_STOP => {
            let stop = params_of::<StopParams>(params);
            let reply = stop.reply.unwrap_or_default();
            assert!(reply.contains((spec.own_words)(&reply)));
            stop.at
        }
        method::ON_SUBAGENT_START => params_of::<SubagentStartParams>(params).at,
        method::ON_SESSION_END => params_of::<SessionEndParams>(params).at,
        other => panic!("the hook has called {other}"),
    };
    lies_where_it_may(&at);
    assert_eq!(at.harness, put.harness);
}

/// A helper's record is only looked for beside the session's own.
fn lies_where_it_may(at: &SessionRef) {
    let (Some(transcript), Some(agent)) = (&at.transcript, &at.agent) else {
        return;
    };
    let spec = spec(at.harness).expect("every harness has a reader");
    if let Some(path) = (spec.agent_transcript)(transcript.as_ref(), agent) {
        assert!(
            !path.components().any(|part| part.as_os_str() == "..") || transcript.contains(".."),
            "{transcript} and {agent} lead to {path:?}"
        );
    }
}

fn params_of<T: DeserializeOwned>(params: &str) -> T {
    serde_json::from_str(params).unwrap_or_else(|error| panic!("{error}: {params}"))
}

fn with_unknown(payload: &[u8]) -> Option<Vec<u8>> {
    let object = payload.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(payload).trim_ascii();
    let inside = object.strip_prefix(b"{")?;
    let is_empty = inside.trim_ascii_start().starts_with(b"}");
    (!is_empty).then(|| [UNKNOWN, inside].concat())
}
