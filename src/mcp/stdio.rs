//! MCP over stdio: the lines of a client in, the answers out, and a clean end.
//!
//! Closes what rmcp's own transport leaves open: a line that is no message is answered; after end
//! of input the calls that were accepted are still answered, within a grace; an id that is in use
//! is refused, and one that is used again after its call was cancelled never gets the first call's
//! answer; a client that is gone ends the process instead of filling its log.

use super::StdioOptions;
use super::call_sequence::CallSequence;
use super::jsonrpc::{self, Incoming};
use super::long_calls::LongCalls;
use rmcp::RoleServer;
use rmcp::model::{
    ClientNotification, ClientRequest, GetExtensions as _, JsonRpcMessage, RequestId,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, BufRead, Read as _, Write};
use std::mem;
use std::sync::Arc;
use std::thread;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

/// Messages that are read ahead of the server.
const READ_AHEAD: usize = 64;
/// Time that stopped calls have to write their last answer.
const LAST_WORDS: Duration = Duration::from_secs(3);

#[derive(Debug)]
pub(super) struct StdioTransport {
    incoming: mpsc::Receiver<RxJsonRpcMessage<RoleServer>>,
    writer: Writer,
    calls: Arc<Calls>,
    order: Arc<CallSequence>,
    grace: Duration,
    shutdown: CancellationToken,
}

impl StdioTransport {
    /// Starts the threads that read `input` and write `output`. `shutdown` is cancelled when the
    /// client is gone or the grace after end of input is over; whoever runs calls stops them then.
    pub(super) fn start(
        input: impl io::Read + Send + 'static,
        output: impl Write + Send + 'static,
        options: StdioOptions,
        shutdown: CancellationToken,
    ) -> io::Result<Self> {
        let (sender, incoming) = mpsc::channel(READ_AHEAD);
        let calls = Arc::new(Calls::default());
        let writer = Writer::start(output, shutdown.clone())?;
        let reader = Reader {
            sender,
            writer: writer.clone(),
            calls: Arc::clone(&calls),
            long: LongCalls::default(),
            max_line: options.max_request,
        };
        thread::Builder::new()
            .name("stdin".into())
            .spawn(move || reader.read(io::BufReader::with_capacity(1 << 16, input)))?;
        Ok(Self { incoming, writer, calls, order: Arc::default(), grace: options.grace, shutdown })
    }
}

impl Transport<RoleServer> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (writer, calls) = (self.writer.clone(), Arc::clone(&self.calls));
        async move {
            let mut item = item;
            let id = match &mut item {
                JsonRpcMessage::Response(response) => Some(&mut response.id),
                JsonRpcMessage::Error(error) => error.id.as_mut(),
                JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
            };
            // The id is free before the client can see the answer; the call counts as open until it
            // is written. One that was cancelled has no answer.
            let Some(_writing) = calls.answer(id) else { return Ok(()) };
            let line = serde_json::to_vec(&item)?;
            writer.send(line).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let stopped = async {
            self.shutdown.cancelled().await;
            self.calls.all_ended().await;
        };
        let message = tokio::select! {
            biased;
            message = self.incoming.recv() => message,
            // Whatever was accepted has its answer, and input may never end.
            () = stopped => return None,
        };
        if let Some(mut message) = message {
            self.order.mark(&mut message);
            return Some(message);
        }
        // End of input. `None` makes rmcp leave, so it is held back until every accepted call is
        // answered.
        tokio::select! {
            () = self.calls.all_ended() => {}
            () = self.shutdown.cancelled() => {}
            () = tokio::time::sleep(self.grace) => {}
        }
        self.shutdown.cancel();
        let _ = tokio::time::timeout(LAST_WORDS, self.calls.all_ended()).await;
        None
    }

    async fn close(&mut self) -> io::Result<()> {
        self.incoming.close();
        Ok(())
    }
}

/// The id that the client gave a call; travels with it.
#[derive(Debug, Clone)]
pub(super) struct ClientId(pub(super) RequestId);

/// Requests that were accepted and not answered yet. rmcp gets each under a number that is never
/// used again.
#[derive(Debug, Default)]
struct Calls(watch::Sender<Open>);

#[derive(Debug, Default)]
struct Open {
    numbers: HashMap<RequestId, i64>,
    ids: HashMap<i64, RequestId>,
    last: i64,
    /// Number of the request that begins the connection, which nobody may cancel.
    handshake: Option<i64>,
    /// Answers on their way out.
    writing: usize,
}

impl Calls {
    /// The number of the request `id`; `None` if the id is in use.
    fn begin(&self, id: &RequestId, is_handshake: bool) -> Option<RequestId> {
        let mut number = None;
        self.0.send_if_modified(|open| {
            if open.numbers.contains_key(id) {
                return false;
            }
            open.last += 1;
            open.numbers.insert(id.clone(), open.last);
            open.ids.insert(open.last, id.clone());
            number = Some(RequestId::Number(open.last));
            open.handshake = open.handshake.or(is_handshake.then_some(open.last));
            true
        });
        number
    }

    /// Makes `id` free, whose call gets no answer any more; gives its number.
    fn cancel(&self, id: &RequestId) -> Option<RequestId> {
        let mut number = None;
        self.0.send_if_modified(|open| {
            number = open.numbers.get(id).copied().filter(|number| open.handshake != Some(*number));
            number.is_some_and(|number| {
                open.numbers.remove(id);
                open.ids.remove(&number).is_some()
            })
        });
        number.map(RequestId::Number)
    }

    /// An answer that is about to be written, from now on with the client's id; dropped when it is.
    /// `None` if the call was cancelled.
    fn answer(&self, id: Option<&mut RequestId>) -> Option<Writing<'_>> {
        let is_wanted = self.0.send_if_modified(|open| {
            if let Some(id) = id {
                let RequestId::Number(number) = id else { return false };
                let Some(known) = open.ids.remove(number) else { return false };
                open.numbers.remove(&known);
                *id = known;
            }
            open.writing += 1;
            true
        });
        is_wanted.then_some(Writing(self))
    }

    async fn all_ended(&self) {
        let is_none = |open: &Open| open.ids.is_empty() && open.writing == 0;
        // The sender lives as long as we do.
        let _ = self.0.subscribe().wait_for(is_none).await;
    }
}

struct Writing<'a>(&'a Calls);

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|open| open.writing -= 1);
    }
}

struct Reader {
    sender: mpsc::Sender<RxJsonRpcMessage<RoleServer>>,
    writer: Writer,
    calls: Arc<Calls>,
    long: LongCalls,
    max_line: usize,
}

impl Reader {
    /// Reads until end of input or until nobody listens.
    fn read(&self, mut input: impl BufRead) {
        let mut line = Vec::new();
        loop {
            match next_line(&mut input, &mut line, self.max_line) {
                Ok(NextLine::Whole) => {
                    let found = jsonrpc::parse(&line);
                    let bytes = if jsonrpc::is_long(line.len()) {
                        // Its memory would be kept while the next line is waited for.
                        mem::take(&mut line).len() / found.len().max(1)
                    } else {
                        0
                    };
                    for incoming in found {
                        if self.dispatch(incoming, bytes).is_none() {
                            return;
                        }
                    }
                }
                Ok(NextLine::TooLong) => {
                    let beginning = mem::take(&mut line);
                    self.writer.post(&jsonrpc::too_long(&beginning, self.max_line));
                }
                Ok(NextLine::End) => return,
                Err(error) => {
                    tracing::warn!(%error, "failed to read from stdin");
                    return;
                }
            }
        }
    }

    /// Hands on a message that holds so many bytes, or answers it. `None` when the server has left.
    fn dispatch(&self, incoming: Incoming, bytes: usize) -> Option<()> {
        let mut message = match incoming {
            Incoming::Reply(error) => {
                self.writer.post(&error);
                return Some(());
            }
            Incoming::Message(message) => *message,
        };
        if bytes > 0
            && let Err(busy) = self.long.begin(&mut message, bytes)
        {
            self.writer.post(&busy);
            return Some(());
        }
        match &mut message {
            JsonRpcMessage::Request(request) => {
                let is_handshake = matches!(request.request, ClientRequest::InitializeRequest(_));
                let Some(number) = self.calls.begin(&request.id, is_handshake) else {
                    let id = serde_json::to_value(&request.id).ok();
                    let why = jsonrpc::ID_IN_USE;
                    self.writer.post(&jsonrpc::error(id, jsonrpc::INVALID_REQUEST, why));
                    return Some(());
                };
                let id = ClientId(mem::replace(&mut request.id, number));
                if let ClientRequest::CallToolRequest(call) = &mut request.request {
                    call.extensions_mut().insert(id);
                }
            }
            JsonRpcMessage::Notification(notification) => {
                // rmcp answers a cancelled call with silence, as the specification asks.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &mut notification.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    // There may be none any more.
                    let Some(number) = self.calls.cancel(id) else { return Some(()) };
                    *id = number;
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.sender.blocking_send(message).ok()
    }
}

enum NextLine {
    Whole,
    TooLong,
    End,
}

/// Reads one line without its end. Of a line that is longer than `max` bytes only the beginning is
/// kept. A last line without a newline counts: clients that are piped from a file end so.
fn next_line(input: &mut impl BufRead, line: &mut Vec<u8>, max: usize) -> io::Result<NextLine> {
    line.clear();
    // One byte more than a line may have is either its newline or too much.
    if input.take(max as u64 + 1).read_until(b'\n', line)? == 0 {
        return Ok(NextLine::End);
    }
    if line.pop_if(|last| *last == b'\n').is_none() && line.len() > max {
        input.skip_until(b'\n')?;
        return Ok(NextLine::TooLong);
    }
    Ok(NextLine::Whole)
}

type Posted = (Vec<u8>, Option<oneshot::Sender<io::Result<()>>>);

/// The thread that writes lines: one message a line, each flushed.
#[derive(Debug, Clone)]
struct Writer(mpsc::UnboundedSender<Posted>);

impl Writer {
    fn start(mut output: impl Write + Send + 'static, gone: CancellationToken) -> io::Result<Self> {
        let (sender, mut lines) = mpsc::unbounded_channel::<Posted>();
        thread::Builder::new().name("stdout".into()).spawn(move || {
            while let Some((mut line, done)) = lines.blocking_recv() {
                line.push(b'\n');
                let written = output.write_all(&line).and_then(|()| output.flush());
                if written.is_err() {
                    // Nobody reads any more: whatever runs is not wanted.
                    gone.cancel();
                }
                if let Some(done) = done {
                    // The sender may have been dropped; the line is out all the same.
                    let _ = done.send(written);
                }
            }
        })?;
        Ok(Self(sender))
    }

    async fn send(&self, line: Vec<u8>) -> io::Result<()> {
        let (done, written) = oneshot::channel();
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.send((line, Some(done))).map_err(|_| gone())?;
        written.await.map_err(|_| gone())?
    }

    fn post(&self, message: &Value) {
        // Fails only when the server is leaving.
        let _ = self.0.send((message.to_string().into_bytes(), None));
    }
}
