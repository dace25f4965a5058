//! What all requests share: the system, the gate, where they come from, and answers that are none.

use crate::gate::Gate;
use crate::system::{System, Visitor};
use axum::Json;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::header::{self, HeaderName, HeaderValue};
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

/// How browsers reach the pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reach {
    /// Without TLS, from this computer alone.
    Here,
    /// By TLS.
    Tls,
    /// Without TLS, through a proxy or a tunnel that keeps the wire safe: no connection tells where a browser is.
    Proxy,
}

/// What all requests share.
pub struct App {
    pub(crate) system: Arc<dyn System>,
    pub(crate) gate: Gate,
    pub(crate) reach: Reach,
    pub(crate) terminals: Arc<Semaphore>,
    passwords: Semaphore,
}

impl App {
    /// For the pages of `system`, which browsers reach so.
    pub fn new(system: Arc<dyn System>, reach: Reach) -> Arc<App> {
        let (terminals, passwords) = (Arc::new(Semaphore::new(TERMINALS)), Semaphore::new(PASSWORDS));
        Arc::new(App { system, gate: Gate::default(), reach, terminals, passwords })
    }

    /// The user, if the password is right and there is no pause because others were wrong.
    pub(crate) async fn admit(&self, userid: String, password: String, from: Origin) -> Result<Visitor, Refused> {
        let userid = userid.trim().to_uppercase();
        // What is no user ID is refused as one that is not there would be; the operator does not read it.
        let known = (1..=8).contains(&userid.len()) && userid.bytes().all(|byte| byte.is_ascii_graphic());
        let name = if known { userid.clone() } else { String::new() };
        let address = from.peer.ip().to_canonical();
        let _turn = self.passwords.acquire().await.map_err(|_| Refused::ended())?;
        if let Some(left) = self.gate.pause(address, &name, Instant::now()) {
            return Err(Refused::pause(left));
        }
        let system = self.system.clone();
        let local = from.local;
        let visitor = blocking(move || if known { system.admit(&userid, &password, local) } else { None }).await?;
        let Some(visitor) = visitor else {
            if self.gate.wrong(address, &name, Instant::now()) {
                let system = self.system.clone();
                let of = if name.is_empty() { String::new() } else { format!(" OF {name}") };
                let text = format!("HTTP LOGON{of} FROM {address}: TOO MANY WRONG PASSWORDS");
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

/// The other end of a request's connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peer(pub SocketAddr);

/// Where a request comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Origin {
    /// The other end of the connection: a browser, or a proxy.
    pub peer: SocketAddr,
    /// The browser is on this host.
    pub local: bool,
}

/// What a proxy adds to a request that it passes on: where the browser is, this host cannot know.
const PASSED_ON: [HeaderName; 5] = [
    header::FORWARDED,
    header::VIA,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-real-ip"),
];

impl FromRequestParts<Arc<App>> for Origin {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Origin, Refused> {
        let without = || Refused::new(StatusCode::INTERNAL_SERVER_ERROR, "the connection has no address");
        let Peer(peer) = parts.extensions.get::<Peer>().copied().ok_or_else(without)?;
        let passed_on = app.reach == Reach::Proxy || PASSED_ON.iter().any(|name| parts.headers.contains_key(name));
        Ok(Origin { peer, local: !passed_on && peer.ip().to_canonical().is_loopback() })
    }
}
