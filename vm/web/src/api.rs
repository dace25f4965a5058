//! Requests, and their answers in JSON. The OpenAPI document is made of the same functions and types.

use crate::app::{App, Origin, Refused, Why, blocking};
use crate::guard::{self, Asking, COOKIE};
use crate::system::{Counters, Disk, Lines, SpoolFile, User, View, Visitor};
use crate::{metrics, page, terminal};
use axum::extract::{Path, Query, State};
use axum::http::header::{self, HeaderMap};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router, middleware};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use utoipa::{OpenApi, ToSchema};

/// A user ID and its password. Neither is ever answered, logged, or in a URL.
#[derive(Deserialize, ToSchema)]
struct LogOn {
    /// The user ID.
    userid: String,
    /// The password of the directory.
    password: String,
}

/// Who is logged on here.
#[derive(Serialize, ToSchema)]
struct Session {
    /// The user ID.
    userid: String,
    /// The privilege classes.
    classes: String,
    /// What this user may look at: counters, users, log, disks, spool, consoles.
    views: Vec<&'static str>,
}

impl From<Visitor> for Session {
    fn from(visitor: Visitor) -> Session {
        Session { views: visitor.views(), userid: visitor.userid, classes: visitor.classes }
    }
}

/// Which lines.
#[derive(Deserialize, utoipa::IntoParams)]
struct At {
    /// The number of the first line that is wanted.
    #[serde(default)]
    from: u64,
}

/// Logs on: the cookie of the answer is good for everything else.
#[utoipa::path(post, path = "/api/session", request_body = LogOn, responses(
    (status = 200, body = Session),
    (status = 401, body = Why),
    (status = 403, body = Why),
    (status = 429, body = Why)
))]
async fn log_on(
    State(app): State<Arc<App>>,
    from: Origin,
    headers: HeaderMap,
    Json(offered): Json<LogOn>,
) -> Result<Response, Refused> {
    let visitor = app.admit(offered.userid, offered.password, from).await?;
    // The browser has one cookie: what that was good for until now ends.
    guard::tokens(&headers).for_each(|token| app.gate.close(token));
    let token = app.gate.open(&visitor, from.local, Instant::now()).map_err(|_| Refused::ended())?;
    let secure = if guard::is_by_tls(&headers) { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict{secure}");
    Ok(([(header::SET_COOKIE, cookie)], Json(Session::from(visitor))).into_response())
}

/// Tells who is logged on.
#[utoipa::path(get, path = "/api/session", responses((status = 200, body = Session), (status = 401, body = Why)))]
async fn session(asking: Asking) -> Json<Session> {
    Json(asking.visitor.into())
}

/// Logs off here, which ends the session's terminals. Virtual machines go on: those are logged off at their terminals.
#[utoipa::path(delete, path = "/api/session", responses((status = 204), (status = 403, body = Why)))]
async fn log_off(State(app): State<Arc<App>>, headers: HeaderMap) -> impl IntoResponse {
    guard::tokens(&headers).for_each(|token| app.gate.close(token));
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, format!("{COOKIE}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict"))])
}

/// What is counted of the system.
#[utoipa::path(get, path = "/api/counters", responses((status = 200, body = Counters), (status = 403, body = Why)))]
async fn counters(State(app): State<Arc<App>>, asking: Asking) -> Result<Json<Counters>, Refused> {
    asking.wants(View::Counters)?;
    blocking(move || app.system.counters()).await.map(Json)
}

/// Users that are logged on.
#[utoipa::path(get, path = "/api/users", responses((status = 200, body = Vec<User>), (status = 403, body = Why)))]
async fn users(State(app): State<Arc<App>>, asking: Asking) -> Result<Json<Vec<User>>, Refused> {
    asking.wants(View::Users)?;
    blocking(move || app.system.users()).await.map(Json)
}

/// Real disks, with the minidisks and the gaps on them.
#[utoipa::path(get, path = "/api/disks", responses((status = 200, body = Vec<Disk>), (status = 403, body = Why)))]
async fn disks(State(app): State<Arc<App>>, asking: Asking) -> Result<Json<Vec<Disk>>, Refused> {
    asking.wants(View::Disks)?;
    blocking(move || app.system.disks()).await.map(Json)
}

/// Spool files of all users.
#[utoipa::path(get, path = "/api/spool", responses((status = 200, body = Vec<SpoolFile>), (status = 403, body = Why)))]
async fn spool(State(app): State<Arc<App>>, asking: Asking) -> Result<Json<Vec<SpoolFile>>, Refused> {
    asking.wants(View::Spool)?;
    blocking(move || app.system.spool()).await.map(Json)
}

/// The operator's log.
#[utoipa::path(get, path = "/api/log", params(At), responses(
    (status = 200, body = Lines), (status = 403, body = Why), (status = 404, body = Why)))]
async fn log(State(app): State<Arc<App>>, asking: Asking, Query(at): Query<At>) -> Result<Json<Lines>, Refused> {
    asking.wants(View::Log)?;
    let lines = blocking(move || app.system.log(at.from)).await?;
    lines.map(Json).ok_or_else(|| Refused::new(StatusCode::NOT_FOUND, "no operator is logged on"))
}

/// The console of a user: one's own, or with class A or C another's.
#[utoipa::path(get, path = "/api/consoles/{userid}",
    params(("userid" = String, Path, description = "The user ID."), At),
    responses((status = 200, body = Lines), (status = 403, body = Why), (status = 404, body = Why)))]
async fn console(
    State(app): State<Arc<App>>,
    asking: Asking,
    Path(userid): Path<String>,
    Query(at): Query<At>,
) -> Result<Json<Lines>, Refused> {
    let userid = userid.to_uppercase();
    if userid != asking.visitor.userid {
        asking.wants(View::Consoles)?;
    }
    let lines = blocking(move || app.system.console(&userid, at.from)).await?;
    lines.map(Json).ok_or_else(|| Refused::new(StatusCode::NOT_FOUND, "this user is not logged on"))
}

/// The characters of the 256 bytes that a display shows, in their order.
#[utoipa::path(get, path = "/api/codepage", responses((status = 200, body = String)))]
async fn code_page() -> Json<String> {
    let page = tn3270::codepage::CodePage::default();
    Json((0..=u8::MAX).map(|byte| page.decode(byte)).collect())
}

/// What is counted, for Prometheus: OpenMetrics. A user of class A, C or E, by cookie or by Basic authentication.
#[utoipa::path(get, path = "/metrics", responses((status = 200, body = String), (status = 403, body = Why)))]
async fn openmetrics(State(app): State<Arc<App>>, asking: Asking) -> Result<Response, Refused> {
    asking.wants(View::Counters)?;
    let text = blocking(move || metrics::text(&app.system.counters())).await?;
    Ok(([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], text).into_response())
}

/// The OpenAPI document.
#[derive(OpenApi)]
#[openapi(
    info(title = "Endicott", description = "What the pages of an Endicott system ask it."),
    paths(
        log_on,
        session,
        log_off,
        counters,
        users,
        disks,
        spool,
        log,
        console,
        code_page,
        openmetrics,
        terminal::open
    )
)]
struct Document;

/// The OpenAPI document of everything that [`router`] answers.
pub fn document() -> utoipa::openapi::OpenApi {
    Document::openapi()
}

/// Everything that is answered.
pub fn router(app: Arc<App>) -> Router {
    let absent = |uri: Uri| async move {
        Refused::new(StatusCode::NOT_FOUND, &format!("there is no {}: /api/openapi.json has what there is", uri.path()))
    };
    Router::new()
        .route("/api/session", post(log_on).get(session).delete(log_off))
        .route("/api/counters", get(counters))
        .route("/api/users", get(users))
        .route("/api/disks", get(disks))
        .route("/api/spool", get(spool))
        .route("/api/log", get(log))
        .route("/api/consoles/{userid}", get(console))
        .route("/api/codepage", get(code_page))
        .route("/api/terminal", get(terminal::open))
        .route("/api/openapi.json", get(|| async { Json(document()) }))
        .route("/metrics", get(openmetrics))
        .merge(page::files())
        .fallback(absent)
        .layer(middleware::from_fn_with_state(app.clone(), guard::guard))
        .with_state(app)
}
