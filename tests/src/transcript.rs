//! The short transcript events of a case, as the lines that Claude Code 2.1.332 writes.
//! Which file they go to, and when, stays out.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

/// One growing record.
#[derive(Debug, Default)]
pub struct Transcript {
    lines: Vec<String>,
    /// The ids of shell calls: their results always say whether they failed.
    shell: BTreeSet<String>,
}

impl Transcript {
    /// Adds events, as rows of a session. `rows` counts the rows of a whole case: each has an id of its own.
    ///
    /// # Errors
    /// An event is of no known form.
    pub fn append(&mut self, events: &[Value], session: &str, rows: &mut u64) -> Result<()> {
        for event in events {
            *rows += 1;
            self.note_shell(event);
            let line = match (event.get("raw"), event.get("codex")) {
                (Some(raw), _) => raw.as_str().context("`raw` is no text")?.to_owned(),
                (None, Some(item)) => json!({"type": "response_item", "payload": item}).to_string(),
                (None, None) => self.row(event, session, *rows)?.to_string(),
            };
            self.lines.push(line);
        }
        Ok(())
    }

    /// True when it holds items of Codex.
    pub fn is_codex(&self) -> bool {
        self.lines.iter().any(|line| line.contains("\"response_item\""))
    }

    /// The record as it stands in its file, with `torn` behind its last line.
    pub fn text(&self, torn: &str) -> String {
        let mut text = self.lines.join("\n");
        if !text.is_empty() {
            text.push('\n');
        }
        text + torn
    }

    fn note_shell(&mut self, event: &Value) {
        let one = std::slice::from_ref(event);
        let calls = event["tools"].as_array().map_or(one, Vec::as_slice);
        let ids = calls
            .iter()
            .filter(|call| call["tool"] == "Bash")
            .filter_map(|call| call["id"].as_str());
        self.shell.extend(ids.map(str::to_owned));
    }

    fn row(&self, event: &Value, session: &str, number: u64) -> Result<Value> {
        let list = |name: &str| event[name].as_array().map(Vec::as_slice);
        let mut row = if let Some(user) = event.get("user") {
            message("user", user.clone())
        } else if let Some(text) = event.get("assistant") {
            message("assistant", json!([{"type": "text", "text": text}]))
        } else if let Some(calls) = list("tools") {
            message("assistant", calls.iter().map(call).collect())
        } else if event.get("tool").is_some() {
            message("assistant", json!([call(event)]))
        } else if let Some(results) = list("results") {
            message("user", results.iter().map(|result| self.result(result)).collect())
        } else if let Some(shown) = event.get("result") {
            let mut row = message("user", json!([self.result(event)]));
            if let Some(exit) = event.get("exit") {
                row.insert(
                    "toolUseResult".to_owned(),
                    json!({"stdout": shown, "stderr": "", "exitCode": exit}),
                );
            }
            row
        } else {
            bail!("no known transcript event: {event}");
        };
        row.insert("uuid".to_owned(), json!(format!("u{number:06}")));
        row.insert("sessionId".to_owned(), json!(session));
        row.insert("isSidechain".to_owned(), json!(event["sidechain"] == true));
        if event["meta"] == true {
            row.insert("isMeta".to_owned(), json!(true));
        }
        if let Some(more) = event["row"].as_object() {
            row.extend(more.clone());
        }
        Ok(Value::Object(row))
    }

    fn result(&self, event: &Value) -> Value {
        let mut block = json!({"type": "tool_result", "tool_use_id": event["id"], "content": event["result"]});
        let error = event["error"] == true;
        if error || event["id"].as_str().is_some_and(|id| self.shell.contains(id)) {
            block["is_error"] = json!(error);
        }
        block
    }
}

fn message(role: &str, content: Value) -> Map<String, Value> {
    let mut row = Map::new();
    row.insert("type".to_owned(), json!(role));
    row.insert("message".to_owned(), json!({"role": role, "content": content}));
    row
}

fn call(event: &Value) -> Value {
    json!({"type": "tool_use", "id": event["id"], "name": event["tool"], "input": event["input"]})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(events: Value) -> Vec<Value> {
        let mut transcript = Transcript::default();
        transcript.append(events.as_array().unwrap(), "s", &mut 0).unwrap();
        transcript
            .text("")
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    #[test]
    fn events_become_rows() {
        let rows = rows(json!([
            {"user": "go", "meta": true},
            {"tools": [{"tool": "Bash", "id": "t1", "input": {"command": "ls"}}, {"tool": "Read", "id": "t2", "input": {}}]},
            {"results": [{"result": "a", "id": "t1"}, {"result": "b", "id": "t2"}]},
            {"result": "c", "id": "t1", "error": true, "exit": 1, "sidechain": true, "row": {"version": "2.1.332"}}
        ]));
        assert_eq!(rows[0]["isMeta"], true);
        assert_eq!(
            (&rows[0]["uuid"], &rows[0]["sessionId"]),
            (&json!("u000001"), &json!("s"))
        );
        assert_eq!(rows[1]["message"]["content"][1]["name"], "Read");
        let results = &rows[2]["message"]["content"];
        assert_eq!(
            (&results[0]["is_error"], &results[1]["is_error"]),
            (&json!(false), &Value::Null)
        );
        assert_eq!(rows[3]["message"]["content"][0]["is_error"], true);
        assert_eq!(
            (&rows[3]["toolUseResult"]["exitCode"], &rows[3]["isSidechain"]),
            (&json!(1), &json!(true))
        );
        assert_eq!(rows[3]["version"], "2.1.332");
    }

    #[test]
    fn raw_and_torn_lines_stay_as_they_are_and_nonsense_is_an_error() {
        let mut transcript = Transcript::default();
        transcript.append(&[json!({"raw": "{broken"})], "s", &mut 0).unwrap();
        assert_eq!(transcript.text("{to"), "{broken\n{to");
        assert!(!transcript.is_codex());
        let mut codex = Transcript::default();
        codex
            .append(&[json!({"codex": {"type": "message"}})], "s", &mut 0)
            .unwrap();
        assert!(codex.is_codex(), "{}", codex.text(""));
        assert!(transcript.append(&[json!({"usr": "x"})], "s", &mut 0).is_err());
    }
}
