//! Requests to the pages without a socket: who may see what, and what is refused.

mod stand;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use stand::{PASSWORD, Stand, offer};
use std::sync::Arc;
use tower::ServiceExt;
use web::{App, PAUSE, Peer, Reach, WRONG_PASSWORDS, document, router};

const VIEWS: [&str; 6] =
    ["/api/counters", "/api/users", "/api/disks", "/api/spool", "/api/log", "/api/consoles/OPERATOR"];

/// A browser at an address, in front of a page.
struct Browser {
    router: Router,
    address: &'static str,
    host: &'static str,
    /// Where its page lies.
    page: String,
    cookie: String,
}

impl Browser {
    /// On this computer, in front of a page of the system.
    fn new(system: &Arc<Stand>, reach: Reach) -> Browser {
        let router = router(App::new(system.clone(), reach));
        let host = if reach == Reach::Here { "localhost:8080" } else { "vm.example:8080" };
        let page = format!("http{}://{host}", if reach == Reach::Here { "" } else { "s" });
        Browser { router, address: "127.0.0.1:5000", host, page, cookie: String::new() }
    }

    /// Sends a request with these headers; status, headers and text of the answer.
    async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> (StatusCode, HeaderMap, String) {
        let mut request = Request::builder().method(method).uri(path).header("host", self.host);
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
        let headers = [("origin", self.page.as_str()), ("content-type", "application/json")];
        self.send("POST", "/api/session", &headers, &offer(userid, password)).await
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
    let mut browser = Browser::new(&system, Reach::Here);
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
    let origin = [("origin", browser.page.as_str())];
    assert_eq!(browser.send("DELETE", "/api/session", &origin, "").await.0, StatusCode::NO_CONTENT);
    assert_eq!(browser.get("/api/session").await.0, StatusCode::UNAUTHORIZED, "the session has ended");
}

#[tokio::test]
async fn another_page_can_do_nothing() {
    let system = Stand::new();
    let mut browser = Browser::new(&system, Reach::Here);
    browser.log_on("CMSUSER").await;
    let body = offer("CMSUSER", PASSWORD);
    let json = ("content-type", "application/json");
    for origin in ["http://evil.example", "null", "https://localhost:8080", "http://localhost:8080.evil.example", ""] {
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

/// A page whose name means this computer once it is loaded has the address that it sends to.
#[tokio::test]
async fn pages_for_this_computer_have_its_names_alone() {
    let system = Stand::new();
    let mut browser = Browser::new(&system, Reach::Here);
    for host in ["evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "192.0.2.1:8080", "", "::1"] {
        browser.host = host;
        browser.page = format!("http://{host}");
        let (status, headers, text) = browser.try_password("CMSUSER", PASSWORD).await;
        assert_eq!(status, StatusCode::MISDIRECTED_REQUEST, "{host}");
        assert!(!headers.contains_key("set-cookie") && text.contains("--http-plain"), "{text}");
        assert_eq!(browser.get("/").await.0, StatusCode::MISDIRECTED_REQUEST, "{host}");
    }
    for host in ["127.0.0.1:8080", "LOCALHOST", "[::1]:8080", "127.0.0.2"] {
        browser.host = host;
        browser.page = format!("http://{host}");
        assert_eq!(browser.try_password("CMSUSER", PASSWORD).await.0, StatusCode::OK, "{host}");
    }
    let told = system.told.lock().unwrap().clone();
    assert!(told.is_empty(), "no password was looked at: {told:?}");
}

/// What a proxy passes on comes from this host, and its browser does not.
#[tokio::test]
async fn a_proxy_makes_no_browser_one_of_this_host() {
    let system = Stand::new();
    let local = || system.local.lock().unwrap().take();
    let json = ("content-type", "application/json");
    let body = offer("CMSUSER", PASSWORD);
    let browser = Browser::new(&system, Reach::Here);
    for (name, expected) in
        [("accept", true), ("forwarded", false), ("x-forwarded-for", false), ("x-real-ip", false), ("via", false)]
    {
        let headers = [("origin", browser.page.as_str()), json, (name, "192.0.2.7")];
        let (status, headers, _) = browser.send("POST", "/api/session", &headers, &body).await;
        assert_eq!((status, local()), (StatusCode::OK, Some(expected)), "{name}");
        assert!(!headers["set-cookie"].to_str().unwrap().contains("Secure"), "it would not come back");
    }
    // The browser's page is by TLS, or by a tunnel without: both are the system's own.
    let mut browser = Browser::new(&system, Reach::Proxy);
    for (page, secure) in [("https://vm.example:8080", true), ("http://vm.example:8080", false)] {
        browser.page = page.into();
        let (status, headers, _) = browser.try_password("CMSUSER", PASSWORD).await;
        assert_eq!((status, local()), (StatusCode::OK, Some(false)), "{page}");
        assert_eq!(headers["set-cookie"].to_str().unwrap().contains("Secure"), secure, "{page}");
    }
    browser.page = "https://evil.example".into();
    assert_eq!(browser.try_password("CMSUSER", PASSWORD).await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_session_ends_with_its_user_and_with_the_next() {
    let system = Stand::new();
    let mut browser = Browser::new(&system, Reach::Here);
    browser.log_on("CMSUSER").await;
    let before = browser.cookie.clone();
    browser.log_on("OPERATOR").await;
    let now = std::mem::replace(&mut browser.cookie, before);
    assert_eq!(browser.get("/api/session").await.0, StatusCode::UNAUTHORIZED, "the browser has another cookie now");
    browser.cookie = now;
    assert_eq!(browser.get("/api/session").await.0, StatusCode::OK);
    *system.gone.lock().unwrap() = Some("OPERATOR".into());
    assert_eq!(browser.get("/api/session").await.0, StatusCode::UNAUTHORIZED);
    system.gone.lock().unwrap().take();
    assert_eq!(browser.get("/api/session").await.0, StatusCode::UNAUTHORIZED, "it does not come back");
}

#[tokio::test]
async fn passwords_cannot_be_tried_for_long() {
    let system = Stand::new();
    let mut browser = Browser::new(&system, Reach::Here);
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
    let browser = Browser::new(&Stand::new(), Reach::Here);
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
    let mut browser = Browser::new(&Stand::new(), Reach::Tls);
    let secure = [("origin", "https://vm.example:8080"), ("content-type", "application/json")];
    let body = offer("CMSUSER", PASSWORD);
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
    let mut browser = Browser::new(&Stand::new(), Reach::Here);
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
