//! The body of a response on its way out: while it is there, its socket is in use.

use super::socket_table::Activity;
use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Sleep, sleep};

/// How long a stream lives on which nothing was asked. Its client opens another, or is gone and
/// nobody noticed.
const LIFE: Duration = Duration::from_hours(1);

/// A socket in use; idle again when dropped.
#[derive(Debug)]
pub(super) struct Busy(Arc<Activity>);

/// A body that hyper drops when it is sent, but for what [`super::sockets`] lets it buffer.
#[derive(Debug)]
pub(super) struct Outgoing {
    body: Body,
    end: Option<Pin<Box<Sleep>>>,
    _busy: Busy,
}

impl Busy {
    pub(super) fn begin(activity: &Arc<Activity>) -> Self {
        activity.begin();
        Self(Arc::clone(activity))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Outgoing {
    /// A body; a stream on which nothing was asked ends after [`LIFE`].
    pub(super) fn new(body: Body, busy: Busy, is_stream: bool) -> Self {
        let end = is_stream.then(|| Box::pin(sleep(LIFE)));
        Self { body, end, _busy: busy }
    }
}

impl hyper::body::Body for Outgoing {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(end) = &mut self.end
            && end.as_mut().poll(cx).is_ready()
        {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
