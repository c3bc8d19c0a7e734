//! One line and its answer, for the fuzz targets: without a socket, and with methods that only repeat.
//! What ought to come of it stands with the targets.

use futures_util::FutureExt;
use jsonrpsee::RpcModule;

use super::*;

/// The method that answers with its params, as text.
pub const ECHO: &str = "echo";

/// What lines are answered with.
pub struct Answering {
    methods: Methods,
}

impl Default for Answering {
    fn default() -> Self {
        let mut module = RpcModule::new(());
        // The only name there is.
        let _registered = module.register_method(ECHO, |params, _, _| params.as_str().unwrap_or_default().to_owned());
        Self { methods: module.into() }
    }
}

impl Answering {
    /// The answer to a line, as it goes over the socket; none where none is given.
    pub fn answer(&self, line: &[u8]) -> Option<Vec<u8>> {
        let connection = Connection {
            methods: &self.methods,
            control: &Control::default(),
            id: ConnectionId(1),
            subscriptions: BoundedSubscriptions::new(1),
            sink: mpsc::channel(WAITING).0,
        };
        // No method here waits for anything.
        connection.answer(line).now_or_never().flatten()
    }
}
