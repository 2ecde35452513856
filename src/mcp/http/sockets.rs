//! Sockets: accepted, served, and let go of. Who sends nothing, or half a request, or does not read
//! its answer, does not hold one for long; and who has shown no credential holds next to nothing.
//!
//! `axum::serve` has no limit for that, and the time limit of `tower-http` begins after the head.

use super::descriptors::Shares;
use super::outgoing::{Busy, Outgoing};
use super::paced::{Farewell, Paced};
use super::reply::try_later;
use super::socket_table::{Activity, Listed, NoRoom, SocketTable};
use crate::host::{Seat, WaitingRoom, lock};
use crate::job::Caller;
use axum::Router;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request};
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower_service::Service as _;

/// Time until the next try when a connection cannot be accepted: usually there are too many files
/// open.
const PAUSE: Duration = Duration::from_millis(100);
/// Time for a head that may show a credential, and that each connection has for it whoever else
/// comes.
const STRANGER: Duration = Duration::from_secs(5);
const CERTAIN: Duration = Duration::from_millis(250);
/// Bytes of a head, and of what is read ahead.
const MAX_BUFFER: usize = 32 << 10;

/// What all sockets share.
#[derive(Debug, Clone)]
pub(super) struct SocketServer {
    /// How long a client may take to send the head of a request, or to go on reading an answer.
    patience: Duration,
    room: Arc<WaitingRoom>,
    table: Arc<SocketTable>,
}

/// The socket that a request came over; an extension of the request.
#[derive(Debug, Clone)]
pub(super) struct Socket(Arc<OpenSocket>);

#[derive(Debug)]
struct OpenSocket {
    sockets: SocketServer,
    activity: Arc<Activity>,
    /// Cancelled when another socket needs the place.
    close: CancellationToken,
    farewell: Arc<Mutex<Farewell>>,
    place: Mutex<Place>,
}

#[derive(Debug)]
enum Place {
    Stranger { _seat: Seat },
    Known(Listed),
}

impl SocketServer {
    pub(super) fn new(patience: Duration, shares: Shares) -> Self {
        let room = WaitingRoom::new(shares.strangers, shares.of_address, CERTAIN);
        let table = SocketTable::new(shares.of_all, shares.of_one);
        Self { patience, room, table }
    }

    /// Accepts connections until `leave` is cancelled, then waits for those that are there to end.
    pub(super) async fn serve(
        self,
        listener: TcpListener,
        app: Router,
        leave: CancellationToken,
    ) -> io::Result<()> {
        let open = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                () = leave.cancelled() => break,
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, address)) => {
                    let seat = self.room.enter(address.ip()).await;
                    let conversation =
                        self.clone().converse(stream, address, seat, app.clone(), leave.clone());
                    open.spawn(conversation);
                }
                // The client is gone already.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    tracing::warn!(%error, "failed to accept a connection");
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
        drop(listener);
        open.close();
        open.wait().await;
        Ok(())
    }

    async fn converse(
        self,
        stream: TcpStream,
        address: SocketAddr,
        seat: Seat,
        app: Router,
        leave: CancellationToken,
    ) {
        // Without it the last bytes of an answer wait for the client's acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "no `TCP_NODELAY`");
        }
        let patience = self.patience;
        let needed = seat.leave.clone();
        let socket = Socket::new(self, seat);
        let (activity, farewell) = (&socket.0.activity, &socket.0.farewell);
        let io = Paced::new(stream, patience, Arc::clone(activity), Arc::clone(farewell));
        let ours = socket.clone();
        let service = service_fn(move |request| ours.clone().answer(app.clone(), address, request));
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(patience).max_buf_size(MAX_BUFFER);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(io), service));
        let served = async {
            tokio::select! {
                ended = connection.as_mut() => ended,
                () = leave.cancelled() => {
                    // The request that is under way is answered.
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            }
        };
        tokio::select! {
            ended = served => if let Err(error) = ended {
                tracing::debug!(%error, "a connection broke off");
            },
            () = needed.cancelled() => {
                tracing::debug!("a connection without a credential makes room");
            }
            () = socket.0.close.cancelled() => tracing::debug!("an idle connection makes room"),
            () = socket.stays_strange(patience.min(STRANGER)) => {
                tracing::debug!("a connection showed no credential in time");
            }
        }
    }
}

/// A request came from `caller`. Refuses it by 503 if there is no room for its socket.
pub(super) fn known(request: &Request, caller: Caller) -> Result<(), Box<Response>> {
    let Some(socket) = request.extensions().get::<Socket>() else { return Ok(()) };
    socket.known(caller).map_err(|NoRoom| {
        let why = "requests are under way on all connections that one client may have; try again \
                   in a moment";
        try_later(StatusCode::SERVICE_UNAVAILABLE, None, why).into()
    })
}

impl Socket {
    fn new(sockets: SocketServer, seat: Seat) -> Self {
        Self(Arc::new(OpenSocket {
            sockets,
            activity: Activity::new(),
            close: CancellationToken::new(),
            farewell: Arc::new(Mutex::new(Farewell::Stranger)),
            place: Mutex::new(Place::Stranger { _seat: seat }),
        }))
    }

    fn known(&self, caller: Caller) -> Result<(), NoRoom> {
        let OpenSocket { sockets, activity, close, place, .. } = &*self.0;
        let mut place = lock(place);
        if !matches!(&*place, Place::Known(listed) if listed.caller == caller) {
            *place = Place::Known(sockets.table.list(caller, activity, close)?);
        }
        Ok(())
    }

    fn caller(&self) -> Option<Caller> {
        match &*lock(&self.0.place) {
            Place::Stranger { .. } => None,
            Place::Known(listed) => Some(listed.caller),
        }
    }

    /// Returns when a head has not become whole for so long, while nobody is known.
    async fn stays_strange(&self, patience: Duration) {
        while self.caller().is_none() {
            let left = match self.0.activity.half_head() {
                Some(age) => patience.saturating_sub(age),
                // It costs nothing but its place.
                None => patience,
            };
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
        pending::<()>().await;
    }

    async fn answer(
        self,
        mut app: Router,
        address: SocketAddr,
        request: hyper::Request<Incoming>,
    ) -> Result<Response, Infallible> {
        let busy = Busy::begin(&self.0.activity);
        let is_get = request.method() == Method::GET;
        let mut request: Request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(address));
        request.extensions_mut().insert(self.clone());
        let mut response = app.call(request).await?;
        let caller = self.caller();
        // What else comes over such a connection is worth nothing, and there may be much of it.
        let refused = match response.status() {
            StatusCode::REQUEST_TIMEOUT
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::SERVICE_UNAVAILABLE => true,
            status => caller.is_none() && !status.is_success(),
        };
        *lock(&self.0.farewell) = match caller {
            None => Farewell::Stranger,
            Some(_) if refused => Farewell::Caller,
            Some(_) => Farewell::None,
        };
        let headers = response.headers_mut();
        if refused {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let is_stream = is_get
            && headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == "text/event-stream");
        Ok(response.map(|body| Body::new(Outgoing::new(body, busy, is_stream))))
    }
}
