//! What all requests share: the system, the gate, and answers that are none.

use crate::gate::Gate;
use crate::system::{System, Visitor};
use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderValue};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;
use utoipa::ToSchema;

/// Terminals in browsers at most.
const TERMINALS: usize = 1000;
/// Passwords that are looked at at once: each takes tens of milliseconds and megabytes.
const PASSWORDS: usize = 2;

/// What all requests share.
pub struct App {
    pub(crate) system: Arc<dyn System>,
    pub(crate) gate: Gate,
    /// Browsers come by TLS.
    pub(crate) secure: bool,
    pub(crate) terminals: Arc<Semaphore>,
    passwords: Semaphore,
}

impl App {
    /// For the pages of `system`. `secure` says that browsers come by TLS.
    pub fn new(system: Arc<dyn System>, secure: bool) -> Arc<App> {
        let (terminals, passwords) = (Arc::new(Semaphore::new(TERMINALS)), Semaphore::new(PASSWORDS));
        Arc::new(App { system, gate: Gate::default(), secure, terminals, passwords })
    }

    /// The user, if the password is right and there is no pause because others were wrong.
    pub(crate) async fn admit(
        self: Arc<App>,
        userid: String,
        password: String,
        peer: Peer,
    ) -> Result<Visitor, Refused> {
        let userid = userid.trim().to_uppercase();
        // What is no user ID is refused as one that is not there would be; the operator does not read it.
        let known = (1..=8).contains(&userid.len()) && userid.bytes().all(|byte| byte.is_ascii_graphic());
        let name = if known { userid.clone() } else { String::new() };
        let address = peer.0.ip().to_canonical();
        let _turn = self.passwords.acquire().await.map_err(|_| Refused::ended())?;
        if let Some(left) = self.gate.pause(address, &name, Instant::now()) {
            return Err(Refused::pause(left));
        }
        let system = self.system.clone();
        let local = peer.is_local();
        let visitor = blocking(move || if known { system.admit(&userid, &password, local) } else { None }).await?;
        let Some(visitor) = visitor else {
            if self.gate.wrong(address, &name, Instant::now()) {
                let system = self.system.clone();
                let text = format!("HTTP LOGON OF {name} FROM {address}: TOO MANY WRONG PASSWORDS");
                blocking(move || system.tell_operator(&text)).await?;
            }
            return Err(Refused::new(StatusCode::UNAUTHORIZED, "user ID or password is wrong"));
        };
        self.gate.right(address, &visitor.userid);
        Ok(visitor)
    }
}

/// Does what may wait for a lock of CP's on a thread that may wait.
pub(crate) async fn blocking<T: Send + 'static>(what: impl FnOnce() -> T + Send + 'static) -> Result<T, Refused> {
    tokio::task::spawn_blocking(what).await.map_err(|_| Refused::ended())
}

/// An answer that is none.
#[derive(Debug)]
pub struct Refused {
    status: StatusCode,
    why: Why,
    after: Option<Duration>,
}

/// Why a request is refused.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Why {
    /// In words.
    error: String,
}

impl Refused {
    pub(crate) fn new(status: StatusCode, error: &str) -> Refused {
        Refused { status, why: Why { error: error.into() }, after: None }
    }

    pub(crate) fn log_on() -> Refused {
        Refused::new(StatusCode::UNAUTHORIZED, "log on first: POST /api/session with userid and password")
    }

    pub(crate) fn ended() -> Refused {
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, "the system cannot answer now; try again")
    }

    fn pause(left: Duration) -> Refused {
        let text = format!("too many wrong passwords; try again in {} seconds", left.as_secs() + 1);
        Refused { after: Some(left), ..Refused::new(StatusCode::TOO_MANY_REQUESTS, &text) }
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.why)).into_response();
        if let Some(left) = self.after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(left.as_secs() + 1));
        }
        response
    }
}

impl FromRequestParts<Arc<App>> for Peer {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<App>) -> Result<Peer, Refused> {
        peer(parts)
    }
}

/// Where a request comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer(pub SocketAddr);

impl Peer {
    /// Whether that is this host.
    pub fn is_local(self) -> bool {
        self.0.ip().to_canonical().is_loopback()
    }
}

/// Where a request comes from.
pub(crate) fn peer(parts: &Parts) -> Result<Peer, Refused> {
    let peer = parts.extensions.get::<Peer>().copied();
    peer.ok_or_else(|| Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "the connection has no address"))
}
