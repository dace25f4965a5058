//! Requests to the pages without a socket: who may see what, and what is refused.

mod stand;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use stand::{PASSWORD, Stand};
use std::sync::Arc;
use tower::ServiceExt;
use web::{App, PAUSE, Peer, WRONG_PASSWORDS, document, router};

const VIEWS: [&str; 6] =
    ["/api/counters", "/api/users", "/api/disks", "/api/spool", "/api/log", "/api/consoles/OPERATOR"];

/// A browser at an address.
struct Browser {
    router: Router,
    address: &'static str,
    cookie: String,
}

impl Browser {
    fn new(system: &Arc<Stand>, secure: bool) -> Browser {
        let router = router(App::new(system.clone(), secure));
        Browser { router, address: "127.0.0.1:5000", cookie: String::new() }
    }

    /// Sends a request with these headers; status, headers and text of the answer.
    async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (StatusCode, HeaderMap, String) {
        let mut request = Request::builder().method(method).uri(path).header("host", "vm.example:8080");
        request = request.extension(Peer(self.address.parse().unwrap()));
        if !self.cookie.is_empty() {
            request = request.header("cookie", format!("other=1; {}", self.cookie));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let answer = self.router.clone().oneshot(request.body(Body::from(body.to_string())).unwrap()).await.unwrap();
        let (parts, body) = answer.into_parts();
        let text = String::from_utf8(to_bytes(body, 1 << 20).await.unwrap().to_vec()).unwrap();
        (parts.status, parts.headers, text)
    }

    async fn get(&self, path: &str) -> (StatusCode, String) {
        let (status, _, text) = self.send("GET", path, &[], "").await;
        (status, text)
    }

    async fn try_password(&self, userid: &str, password: &str) -> (StatusCode, HeaderMap, String) {
        let body = format!(r#"{{"userid":"{userid}","password":"{password}"}}"#);
        let headers = [("origin", "http://vm.example:8080"), ("content-type", "application/json")];
        self.send("POST", "/api/session", &headers, &body).await
    }

    async fn log_on(&mut self, userid: &str) {
        let (status, headers, text) = self.try_password(userid, PASSWORD).await;
        assert_eq!(status, StatusCode::OK, "{text}");
        let cookie = headers["set-cookie"].to_str().unwrap();
        self.cookie = cookie.split(';').next().unwrap().to_string();
    }
}

#[tokio::test]
async fn each_sees_what_the_classes_say() {
    let system = Stand::new();
    let mut browser = Browser::new(&system, false);
    for path in VIEWS.iter().chain(&["/metrics", "/api/session", "/api/terminal"]) {
        assert_eq!(browser.get(path).await.0, StatusCode::UNAUTHORIZED, "{path}");
    }
    browser.log_on("cmsuser").await;
    for path in VIEWS.iter().chain(&["/metrics"]) {
        let (status, text) = browser.get(path).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
        assert!(text.contains("class"), "{text}");
    }
    let (status, text) = browser.get("/api/consoles/cmsuser?from=3").await;
    assert_eq!((status, text.as_str()), (StatusCode::OK, r#"{"first":3,"lines":["of CMSUSER"]}"#));
    browser.log_on("OPERATOR").await;
    for path in VIEWS {
        assert_eq!(browser.get(path).await.0, StatusCode::OK, "{path}");
    }
    assert_eq!(browser.get("/api/consoles/NOBODY").await.0, StatusCode::NOT_FOUND);
    assert_eq!(browser.get("/api/log?from=x").await.0, StatusCode::BAD_REQUEST);
    let origin = [("origin", "http://vm.example:8080")];
    assert_eq!(browser.send("DELETE", "/api/session", &origin, "").await.0, StatusCode::NO_CONTENT);
    assert_eq!(browser.get("/api/session").await.0, StatusCode::UNAUTHORIZED, "the session has ended");
}

#[tokio::test]
async fn another_page_can_do_nothing() {
    let system = Stand::new();
    let mut browser = Browser::new(&system, false);
    browser.log_on("CMSUSER").await;
    let body = format!(r#"{{"userid":"CMSUSER","password":"{PASSWORD}"}}"#);
    let json = ("content-type", "application/json");
    for origin in ["http://evil.example", "null", "https://vm.example:8080", "http://vm.example:8080.evil.example", ""]
    {
        for (method, path) in [("POST", "/api/session"), ("DELETE", "/api/session")] {
            let (status, ..) = browser.send(method, path, &[("origin", origin), json], &body).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{method} {path} of {origin:?}");
        }
        let upgrade = [
            ("origin", origin),
            ("connection", "upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ];
        assert_eq!(browser.send("GET", "/api/terminal", &upgrade, "").await.0, StatusCode::FORBIDDEN, "{origin:?}");
        assert_eq!(browser.send("GET", "/api/terminal", &upgrade[1..], "").await.0, StatusCode::FORBIDDEN);
    }
    assert_eq!(browser.send("DELETE", "/api/session", &[], "").await.0, StatusCode::FORBIDDEN, "without an origin");
    assert_eq!(browser.get("/api/session").await.0, StatusCode::OK, "the session is still there");
}

#[tokio::test]
async fn passwords_cannot_be_tried_for_long() {
    let system = Stand::new();
    let mut browser = Browser::new(&system, false);
    for _ in 0..WRONG_PASSWORDS {
        let (status, headers, text) = browser.try_password("OPERATOR", "GUESS42").await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        assert!(!headers.contains_key("set-cookie") && !text.contains("GUESS42"), "{text}");
    }
    let (status, headers, text) = browser.try_password("OPERATOR", PASSWORD).await;
    assert_eq!(status, StatusCode::TOO_MANY_REQUESTS, "the right one has to wait, too");
    let after: u64 = headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=PAUSE.as_secs() + 1).contains(&after), "{text}");
    let basic = [("authorization", "Basic T1BFUkFUT1I6U0VDUkVUMQ==")];
    assert_eq!(browser.send("GET", "/metrics", &basic, "").await.0, StatusCode::TOO_MANY_REQUESTS, "nor by this way");
    browser.address = "192.0.2.7:5000";
    assert_eq!(browser.try_password("OPERATOR", PASSWORD).await.0, StatusCode::OK, "its owner elsewhere does not wait");
    assert_eq!(browser.try_password("CMSUSER", PASSWORD).await.0, StatusCode::OK);
    let told = system.told.lock().unwrap().clone();
    assert_eq!(told, ["HTTP LOGON OF OPERATOR FROM 127.0.0.1: TOO MANY WRONG PASSWORDS"]);
}

#[tokio::test]
async fn programs_give_a_password_with_each_request() {
    let browser = Browser::new(&Stand::new(), false);
    // OPERATOR:SECRET1, as `curl -u` sends it.
    let (status, headers, text) =
        browser.send("GET", "/metrics", &[("authorization", "Basic T1BFUkFUT1I6U0VDUkVUMQ==")], "").await;
    assert_eq!(status, StatusCode::OK, "{text}");
    assert!(headers["content-type"].to_str().unwrap().starts_with("application/openmetrics-text"));
    assert!(text.ends_with("# EOF\n"), "{text}");
    assert!(text.contains("endicott_users 2\n"), "{text}");
    assert!(text.contains("endicott_processor_busy_seconds_total{processor=\"1\"} 1.5\n"), "{text}");
    let names = |mark: &str| text.lines().filter(|line| line.starts_with(mark)).count();
    assert_eq!(names("# HELP"), names("# TYPE"), "each has its help");
    for wrong in ["Basic", "Basic !", "Basic /////w==", "Basic T1BFUkFUT1I=", "Bearer x"] {
        let (status, ..) = browser.send("GET", "/metrics", &[("authorization", wrong)], "").await;
        assert_eq!(status, StatusCode::UNAUTHORIZED, "{wrong}");
    }
}

#[tokio::test]
async fn answers_tell_browsers_to_be_careful() {
    let mut browser = Browser::new(&Stand::new(), true);
    let secure = [("origin", "https://vm.example:8080"), ("content-type", "application/json")];
    let body = format!(r#"{{"userid":"CMSUSER","password":"{PASSWORD}"}}"#);
    let (_, headers, text) = browser.send("POST", "/api/session", &secure, &body).await;
    let cookie = headers["set-cookie"].to_str().unwrap();
    for mark in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/"] {
        assert!(cookie.contains(mark), "{cookie}");
    }
    let token = cookie.split(['=', ';']).nth(1).unwrap().to_string();
    assert!(token.len() == 64 && !text.contains(&token) && !text.contains(PASSWORD), "{text}");
    browser.cookie = format!("endicott={token}");
    for path in ["/", "/main.js", "/style.css", "/api/session", "/api/openapi.json", "/absent", "/api/terminal"] {
        let (status, headers, text) = browser.send("GET", path, &[], "").await;
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{path}: {policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert!(headers.contains_key("strict-transport-security"), "{path}");
        assert!(!text.contains(&token), "{path}");
        assert_eq!(status.is_success(), !["/absent", "/api/terminal"].contains(&path), "{path}: {status}");
    }
    let (_, page) = browser.get("/").await;
    let handlers = page.split(" on").skip(1).filter(|rest| {
        let name = rest.trim_start_matches(|c: char| c.is_ascii_lowercase());
        name.len() < rest.len() && name.starts_with('=')
    });
    assert_eq!((handlers.count(), page.matches("style=").count()), (0, 0), "nothing inline");
    assert!(page.matches("<script").count() == 1 && page.contains("src=\"/main.js\"></script>"), "{page}");
    let (status, ..) = browser.send("POST", "/api/session", &secure, &"x".repeat(5000)).await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
}

#[tokio::test]
async fn the_document_names_what_is_answered() {
    let mut browser = Browser::new(&Stand::new(), false);
    browser.log_on("OPERATOR").await;
    let (status, text) = browser.get("/api/openapi.json").await;
    assert_eq!(status, StatusCode::OK);
    let told: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told, serde_json::to_value(document()).unwrap());
    assert!(told["openapi"].as_str().unwrap().starts_with("3."), "{}", told["openapi"]);
    let paths = told["paths"].as_object().unwrap();
    for path in VIEWS.map(|path| path.replace("OPERATOR", "{userid}")) {
        assert!(paths.contains_key(&path), "{path}");
    }
    for path in paths.keys().map(|path| path.replace("{userid}", "OPERATOR")) {
        let (status, _, text) = browser.send("GET", &path, &[], "").await;
        assert_ne!(status, StatusCode::NOT_FOUND, "{path}: {text}");
    }
    // What is answered has the fields that the document says.
    let counters: serde_json::Value = serde_json::from_str(&browser.get("/api/counters").await.1).unwrap();
    let said = told["components"]["schemas"]["Counters"]["properties"].as_object().unwrap();
    assert!(counters.as_object().unwrap().keys().all(|key| said.contains_key(key)), "{said:?}");
}
