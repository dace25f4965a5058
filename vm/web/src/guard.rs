//! What every request is asked before it is answered, and what every answer tells the browser.

use crate::app::{App, Origin, Reach, Refused, blocking};
use crate::system::{View, Visitor};
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use data_encoding::BASE64;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// The longest body of a request, in bytes: a user ID and a password.
const BODY: usize = 4096;
/// How long a browser may take with it.
const PATIENCE: Duration = Duration::from_secs(10);

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

/// Answers what [`refusal`] lets through, and adds [`HEADERS`].
pub(crate) async fn guard(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let mut response = match refusal(&request, app.reach) {
        Some(refused) => refused.into_response(),
        None => match whole(request).await {
            Ok(request) => next.run(request).await,
            Err(refused) => refused.into_response(),
        },
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Why a request is not answered, whatever it asks. No other page's request may change anything or have a terminal. Nor
/// may a page whose name was made to mean this computer after it was loaded: it would be of the same address.
fn refusal(request: &Request, reach: Reach) -> Option<Refused> {
    let headers = request.headers();
    if reach == Reach::Here && !is_for_this_computer(headers) {
        let text = "pages for this computer alone are at 127.0.0.1, [::1] or localhost; with --http-plain they have \
                    other names, too";
        return Some(Refused::new(StatusCode::MISDIRECTED_REQUEST, text));
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD);
    let wants_terminal = headers.contains_key(header::UPGRADE);
    let foreign = (changes || wants_terminal) && !is_of_own_page(headers, reach);
    foreign.then(|| Refused::new(StatusCode::FORBIDDEN, "this request is not from a page of this system"))
}

/// The request with its whole body: one that is long, or does not come to its end, is refused.
async fn whole(request: Request) -> Result<Request, Refused> {
    let (parts, body) = request.into_parts();
    let slow = |_| Refused::new(StatusCode::REQUEST_TIMEOUT, "the request has not come to its end in time");
    let long = |_| Refused::new(StatusCode::PAYLOAD_TOO_LARGE, &format!("a request has at most {BODY} bytes"));
    let body = timeout(PATIENCE, to_bytes(body, BODY)).await.map_err(slow)?.map_err(long)?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

/// A header's text.
fn text(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name)?.to_str().ok()
}

/// Whether the browser means this computer by the address that it has.
fn is_for_this_computer(headers: &HeaderMap) -> bool {
    let Some(Ok(host)) = text(headers, header::HOST).map(str::parse::<Authority>) else { return false };
    let name = host.host();
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.to_canonical().is_loopback())
}

/// Whether the page that sends this lies at the address that it is sent to. Browsers say so in `Origin` with each
/// request that changes something, and with each WebSocket.
fn is_of_own_page(headers: &HeaderMap, reach: Reach) -> bool {
    let (Some(page), Some(host)) = (text(headers, header::ORIGIN), text(headers, header::HOST)) else { return false };
    let schemes: &[&str] = match reach {
        Reach::Here => &["http://"],
        Reach::Tls => &["https://"],
        // A proxy has TLS, or a tunnel has something else.
        Reach::Proxy => &["https://", "http://"],
    };
    schemes.iter().any(|scheme| page.strip_prefix(scheme).is_some_and(|at| at.eq_ignore_ascii_case(host)))
}

/// Whether the page of a request has come by TLS, from here or from a proxy.
pub(crate) fn is_by_tls(headers: &HeaderMap) -> bool {
    text(headers, header::ORIGIN).is_some_and(|page| page.starts_with("https://"))
}

/// The tokens that a request's cookies have: one, of a browser.
pub(crate) fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().strip_prefix(COOKIE)?.strip_prefix('='))
}

/// User ID and password of Basic authentication, as programs give them: Prometheus, say.
fn basic(headers: &HeaderMap) -> Option<(String, String)> {
    let coded = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Basic ")?;
    let text = String::from_utf8(BASE64.decode(coded.trim().as_bytes()).ok()?).ok()?;
    let (userid, password) = text.split_once(':')?;
    Some((userid.into(), password.into()))
}

/// The user that asks: by the cookie of a session, else by Basic authentication.
pub(crate) struct Asking {
    pub visitor: Visitor,
    /// The session's token; none by Basic authentication.
    pub token: Option<String>,
}

impl Asking {
    /// Refuses what this user may not see.
    pub(crate) fn wants(&self, view: View) -> Result<(), Refused> {
        if self.visitor.may(view) {
            return Ok(());
        }
        let classes: Vec<String> = view.classes().chars().map(String::from).collect();
        Err(Refused::new(StatusCode::FORBIDDEN, &format!("this is for users of class {}", classes.join(" or "))))
    }
}

impl FromRequestParts<Arc<App>> for Asking {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, app: &Arc<App>) -> Result<Asking, Refused> {
        let from = Origin::from_request_parts(parts, app).await?;
        if let Some(token) = tokens(&parts.headers).next()
            && let Some(userid) = app.gate.user(token, from.local, Instant::now())
        {
            let system = app.system.clone();
            let found = blocking(move || system.classes(&userid).map(|classes| Visitor { userid, classes })).await?;
            let Some(visitor) = found else {
                app.gate.close(token);
                return Err(Refused::log_on());
            };
            return Ok(Asking { visitor, token: Some(token.into()) });
        }
        let (userid, password) = basic(&parts.headers).ok_or_else(Refused::log_on)?;
        let visitor = app.admit(userid, password, from).await?;
        Ok(Asking { visitor, token: None })
    }
}
