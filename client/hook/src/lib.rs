//! What a harness starts for each event: payload to request, one round trip, decision to the harness's own answer.
//! Nothing is decided here, and nothing of a turn is remembered.

mod answer;
mod claude_code;
mod codex;
mod cursor;
mod dialect;
mod fault;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod host;
mod payload;
mod request;
mod rollout;
mod server;
mod start;

use std::io::{self, Read};
use std::process::ExitCode;

pub use answer::Answer;
pub use dialect::turn_member;
use dialect::{Ask, Dialect, Exchange};
use fault::Fault;
pub use host::{Deadlines, Host};
use payload::{Payload, Unreadable};

/// Handles the event on stdin for the harness that registered the hook (`claude-code`, `codex`, `cursor`), and answers
/// on stdout, stderr and by the exit code: 0 passes, 2 refuses. Whatever goes wrong on the way, the event passes.
pub fn run(harness: Option<String>) -> ExitCode {
    if host::is_judge_child() {
        let unread = harness
            .as_deref()
            .and_then(dialect::named)
            .map_or("", |dialect| dialect.unread);
        return Answer::pass(unread).emit();
    }
    respond(harness.as_deref(), io::stdin().lock(), &Host::this()).emit()
}

/// The answer to the event on `stdin`; what [`run`] does, with its surroundings as arguments.
pub fn respond(harness: Option<&str>, stdin: impl Read, host: &Host) -> Answer {
    let Some(registered) = harness.and_then(dialect::named) else {
        return Answer::pass_because("", "the first argument has to be claude-code, codex or cursor");
    };
    (host.on_panic)(registered.unread);
    answer(registered, stdin, host).unwrap_or_else(|why| Answer::pass_because(registered.unread, why))
}

fn answer(registered: &'static Dialect, stdin: impl Read, host: &Host) -> Result<Answer, Unreadable> {
    let bytes = payload::take(stdin)?;
    let payload = Payload::read(&bytes)?;
    let dialect = dialect::of(&payload, registered);
    let silence = (dialect.silence)(&payload.event());
    (host.on_panic)(silence);
    let Some(exchange) = &dialect.exchange else {
        return Ok(Answer::pass(silence));
    };
    let ask = match (exchange.ask)(&payload) {
        Ok(Some(ask)) => ask,
        Ok(None) => return Ok(Answer::pass(silence)),
        // Whose event it is, is known: its own silence may be more than that of whoever registered the hook.
        Err(why) => return Ok(Answer::pass_because(silence, why)),
    };
    Ok(match server::ask(&ask.line, ask.wait, host) {
        Ok(decision) => (exchange.answer)(ask.event, &decision),
        Err(fault) => tell(&fault, &ask, exchange, host).unwrap_or_else(|| Answer::pass(silence)),
    })
}

/// Tells the person about a fault of ours, where the event can and it has not been done.
fn tell(fault: &Fault, ask: &Ask, exchange: &Exchange, host: &Host) -> Option<Answer> {
    let answer = (exchange.tell)(ask.event, &fault.for_person())?;
    fault::first_time(host.state_dir.as_deref(), &ask.session, fault.kind(), ask.opens).then_some(answer)
}
