//! The server's socket as a transport of jsonrpsee's client: one message a line, each way.
//! Which messages there are stays out.

use std::io;
use std::path::Path;

use jsonrpsee::core::client::{Client, ClientBuilder, ReceivedMessage, TransportReceiverT, TransportSenderT};
use proofmark_protocol::frame::MAX_FRAME;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

/// A client of the server behind a socket.
///
/// # Errors
/// Nobody listens there, or the socket is somebody else's.
pub(super) async fn connect(socket: &Path) -> io::Result<Client> {
    let stream = UnixStream::connect(socket).await?;
    if stream.peer_cred()?.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    let (read, write) = stream.into_split();
    Ok(ClientBuilder::new().build_with_tokio(Sending(write), Receiving(BufReader::new(read))))
}

struct Sending(OwnedWriteHalf);

impl TransportSenderT for Sending {
    type Error = io::Error;

    async fn send(&mut self, mut message: String) -> io::Result<()> {
        message.push('\n');
        self.0.write_all(message.as_bytes()).await
    }
}

struct Receiving(BufReader<OwnedReadHalf>);

impl TransportReceiverT for Receiving {
    type Error = io::Error;

    async fn receive(&mut self) -> io::Result<ReceivedMessage> {
        let mut line = Vec::new();
        // What many sessions have to say may be longer than a request; a line without an end is still cut off somewhere.
        let mut bounded = (&mut self.0).take(4 * MAX_FRAME as u64);
        bounded.read_until(b'\n', &mut line).await?;
        match line.last() {
            Some(b'\n') => Ok(ReceivedMessage::Bytes(line)),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}
