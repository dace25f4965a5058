//! What every request is asked before it is answered, and what every answer tells the browser.

use crate::app::{App, Refused, blocking, peer};
use crate::system::{View, Visitor};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use data_encoding::BASE64;
use std::sync::Arc;
use std::time::Instant;

/// The name of the cookie with a session's token.
pub(crate) const COOKIE: &str = "endicott";

/// What answers tell browsers: scripts, styles and connections are from here alone, and no other page shows this one.
const HEADERS: [(HeaderName, &str); 7] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Lets no other page's request change anything or have a terminal, and adds [`HEADERS`].
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let wants_terminal = request.headers().contains_key(header::UPGRADE);
    let mut response = match (changes || wants_terminal) && !is_of_own_page(request.headers(), app.secure) {
        true => Refused::new(StatusCode::FORBIDDEN, "this request is not from a page of this system").into_response(),
        false => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if app.secure {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// Whether the page that sends this lies at the address that it is sent to. Browsers say so in `Origin` with each
/// request that changes something, and with each WebSocket.
fn is_of_own_page(headers: &HeaderMap, secure: bool) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let (Some(origin), Some(host)) = (text(header::ORIGIN), text(header::HOST)) else { return false };
    let scheme = if secure { "https://" } else { "http://" };
    origin.strip_prefix(scheme).is_some_and(|at| at.eq_ignore_ascii_case(host))
}

/// The token that a request's cookie has.
pub(crate) fn token(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|line| line.split(';')).find_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// User ID and password of Basic authentication, as programs give them: Prometheus, say.
fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let coded = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?;
    let text = String::from_utf8(BASE64.decode(coded.trim().as_bytes()).ok()?).ok()?;
    let (userid, password) = text.split_once(':')?;
    Some((userid.into(), password.into()))
}

/// The user that asks: by the cookie of a session, else by Basic authentication.
pub(crate) struct Asking(pub Visitor);

impl Asking {
    /// Refuses what this user may not see.
    pub(crate) fn wants(&self, view: View) -> Result<(), Refused> {
        let text = format!("this is for users of class {}", view.classes().split("").collect::<Vec<_>>().join(" "));
        if self.0.may(view) { Ok(()) } else { Err(Refused::new(StatusCode::FORBIDDEN, text.replace("  ", " ").trim())) }
    }
}

impl FromRequestParts<Arc<App>> for Asking {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Asking, Refused> {
        let peer = peer(parts)?;
        if let Some(token) = token(&parts.headers)
            && let Some(userid) = app.gate.user(token, peer.is_local(), Instant::now())
        {
            let system = app.system.clone();
            let found =
                blocking(move || system.classes(&userid).map(|classes| Visitor { userid: userid.clone(), classes }));
            return found.await?.map(Asking).ok_or_else(Refused::log_on);
        }
        let (userid, password) = basic(&parts.headers).ok_or_else(Refused::log_on)?;
        app.clone().admit(userid, password, peer).await.map(Asking)
    }
}
