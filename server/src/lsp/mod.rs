//! The language server on stdio: what the owner knows, as an editor shows it; beside it our own methods.
//! What there is to show is decided elsewhere; starting an owner is handed in.

mod actions;
mod anchor;
mod ask;
mod backend;
mod beside;
mod diagnostics;
mod editor;
mod files;
mod frames;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
mod guarded;
mod link;
mod manifest;
mod options;
mod pages;
mod place;
mod publish;
mod shown;
mod stdio;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use proofmark_protocol::paths;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tower_lsp::Server;

use crate::engine::Engine;
use crate::ledger::LedgerError;
use crate::rpc::owner::Control;
use crate::rpc::registry::{self, Context};
use crate::state_folder;
use editor::Editor;
use guarded::Guarded;
use link::Link;
pub use link::Starter;
use publish::Publisher;
use stdio::{End, Traffic};

/// Requests that are worked on at once: those that wait for the owner must not hold up the others.
const AT_ONCE: usize = 64;
/// Bytes between the guard and the server.
const PIPE: usize = 64 * 1024;
/// Messages that wait for an editor that reads slowly.
const WAITING: usize = 64;
/// How long the last answers and the last findings may take when the input has ended.
const FINISH: Duration = Duration::from_secs(5);

/// How long the server may take to end when it was told to: nobody waits for what is still under way.
const EXIT: Duration = Duration::from_millis(500);

/// Why the language server could not run.
#[derive(Debug, Error)]
pub enum LspError {
    /// The system refused something.
    #[error("{what}: {error}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// What the system said.
        error: io::Error,
    },
    /// The ledger can't be used.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// Two methods have one name.
    #[error(transparent)]
    Methods(#[from] jsonrpsee::core::RegisterMethodError),
}

/// Who keeps the sessions.
pub enum Sessions {
    /// The owner of the state folder, which is started by this when there is none.
    Owner(Starter),
    /// This process itself.
    Here,
}

/// Serves an editor on stdin and stdout until it says `exit` or closes stdin. The answer is the exit code: 1 for an `exit`
/// without a `shutdown` before it.
///
/// # Errors
/// As [`LspError`] says; nothing was written to stdout then.
pub fn serve(state_dir: &Path, sessions: Sessions) -> Result<u8, LspError> {
    let io = |what| move |error| LspError::Io { what, error };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(io("starting the runtime"))?;
    let link = match sessions {
        Sessions::Owner(start) => Link::to_owner(paths::socket(state_dir), start),
        Sessions::Here => {
            let engine = Arc::new(engine(state_dir)?);
            let control = Arc::new(Control::default());
            let methods = registry::module(Context {
                engine,
                control: Arc::clone(&control),
            })?;
            Link::Here {
                methods: methods.into(),
                control,
            }
        }
    };
    let code = runtime.block_on(run(tokio::io::stdin(), tokio::io::stdout(), link, state_dir.to_owned()));
    // Reading stdin can't be called off, so its thread is left behind.
    runtime.shutdown_background();
    Ok(code)
}

/// An engine of this process's own, also beside an owner.
fn engine(state_dir: &Path) -> Result<Engine, LspError> {
    let io = |what| move |error| LspError::Io { what, error };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(state_dir)
        .map_err(io("making the state folder"))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let lock =
        state_folder::open(&mut options, &paths::owner_lock(state_dir)).map_err(io("opening the owner's lock"))?;
    // Only an owner may mend the ledger. With none about, this process is it for as long as opening takes, and no longer:
    // hooks have to find or start one that listens.
    match lock.try_lock() {
        Ok(()) => Ok(Engine::open(state_dir)?),
        Err(std::fs::TryLockError::WouldBlock) => Ok(Engine::beside(state_dir)?),
        Err(std::fs::TryLockError::Error(error)) => Err(io("taking the owner's lock")(error)),
    }
}

/// Serves one editor; the answer is the exit code.
async fn run<I, O>(input: I, output: O, link: Link, state_dir: PathBuf) -> u8
where
    I: AsyncRead + Unpin,
    O: AsyncWrite + Unpin + Send + 'static,
{
    let (out, frames) = mpsc::channel(WAITING);
    let writing = tokio::spawn(frames::write_all(output, frames));
    let (to_server, server_in) = tokio::io::duplex(PIPE);
    let (server_out, from_server) = tokio::io::duplex(PIPE);
    let link = Arc::new(link);
    let editor = Arc::new(Editor::new(state_dir));
    let traffic = Arc::new(Traffic::default());
    let (asks, asked) = mpsc::channel(publish::WAITING);
    let publisher = Publisher::new(Arc::clone(&editor), Arc::clone(&link), out.clone());
    let publishing = tokio::spawn(publisher.run(asked, traffic.ready()));
    let (service, socket) = backend::service(editor, link, asks.clone(), out.clone());
    let serving = tokio::spawn(
        Server::new(server_in, server_out, socket)
            .concurrency_level(AT_ONCE)
            .serve(Guarded(service)),
    );
    let passing = tokio::spawn(stdio::pass_on(from_server, out.clone(), Arc::clone(&traffic)));

    let (end, to_server) = stdio::guard(input, to_server, &out, &traffic).await;
    if end.is_quiet() {
        // A client that only closes its end, as a shell's pipe does, still gets what it asked for.
        let finish = async {
            traffic.settled().await;
            // One that never got as far as `initialize` is told nothing.
            if *traffic.ready().borrow() {
                publish::settle(&asks).await;
            }
        };
        let _in_time = tokio::time::timeout(FINISH, finish).await;
    }
    drop((to_server, asks));
    let last = async {
        // Each ends with what feeds it; one that panicked has nothing more to say either.
        let _served = serving.await;
        let _passed = passing.await;
        publishing.abort();
        drop(out);
        let _written = writing.await;
    };
    let _in_time = tokio::time::timeout(if end.is_quiet() { FINISH } else { EXIT }, last).await;
    match end {
        End::Exit { after_shutdown: false } => 1,
        End::Exit { after_shutdown: true } | End::Closed => 0,
    }
}
