//! Pages of a system for browsers: a 3270, and what an operator looks at.
//!
//! * [`system`]: what the pages see of a system, as a trait; the program around CP implements it.
//! * [`listen`]: addresses, TLS, connections. Nothing but this crate has an asynchronous runtime: one thread's.
//! * `app`: what all requests share. `gate`: sessions and wrong passwords. `guard`: what every request is asked, what
//!   every answer says.
//! * `api`: the requests with their answers in JSON, which the OpenAPI document is made of; `metrics`, for Prometheus.
//! * `terminal`: a WebSocket as the wire of a TN3270 client. `page`: the files of the page, compiled from `page/src`.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod api;
mod app;
mod gate;
mod guard;
pub mod listen;
mod metrics;
mod page;
pub mod system;
mod terminal;

pub use api::{document, router};
pub use app::{App, Peer, Reach, Refused};
pub use gate::{PAUSE, WRONG_PASSWORDS};
