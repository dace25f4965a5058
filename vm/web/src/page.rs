//! The files of the page: they lie in `page/dist`, as `cargo x page` compiles them from `page/src`.

use crate::app::App;
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use std::sync::Arc;

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

/// Where each file is served, what it is, and its contents.
const FILES: [(&str, &str, &str); 10] = [
    ("/", HTML, include_str!("../page/index.html")),
    ("/style.css", STYLE, include_str!("../page/style.css")),
    ("/icon.svg", IMAGE, include_str!("../page/icon.svg")),
    ("/main.js", SCRIPT, include_str!("../page/dist/main.js")),
    ("/telnet.js", SCRIPT, include_str!("../page/dist/telnet.js")),
    ("/screen.js", SCRIPT, include_str!("../page/dist/screen.js")),
    ("/stream.js", SCRIPT, include_str!("../page/dist/stream.js")),
    ("/terminal.js", SCRIPT, include_str!("../page/dist/terminal.js")),
    ("/dashboard.js", SCRIPT, include_str!("../page/dist/dashboard.js")),
    ("/curve.js", SCRIPT, include_str!("../page/dist/curve.js")),
];

/// The routes of the page's files. They have nothing that is secret.
pub(crate) fn files() -> Router<Arc<App>> {
    FILES.iter().fold(Router::new(), |router, &(path, kind, text)| {
        router.route(path, get(move || async move { ([(CONTENT_TYPE, kind)], text) }))
    })
}
