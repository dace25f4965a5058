//! A terminal in a browser: its WebSocket carries what a TN3270 client sends and gets, byte for byte. It lives as long
//! as its session.

use crate::app::{App, Origin, Refused, blocking};
use crate::guard::Asking;
use axum::extract::State;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade, close_code};
use axum::http::StatusCode;
use axum::response::Response;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::time::{Instant, interval, timeout};

/// The longest message of a browser: more than the largest screen, all fields changed.
const MESSAGE: usize = 64 << 10;
/// How often a browser is asked whether it is there.
const ASKED: Duration = Duration::from_secs(20);
/// One that says nothing for so long is not.
const SILENCE: Duration = Duration::from_secs(60);
/// How long a browser may take with what it is sent.
const PATIENCE: Duration = Duration::from_secs(20);
/// What a browser is told of a session's end.
const ENDED: CloseFrame =
    CloseFrame { code: close_code::POLICY, reason: Utf8Bytes::from_static("the session has ended") };

/// A WebSocket as the wire of a TN3270 client: each binary message is a piece of the telnet connection. It is closed
/// with code 1008 when the session ends.
#[utoipa::path(get, path = "/api/terminal", responses((status = 101), (status = 401), (status = 403), (status = 503)))]
pub(crate) async fn open(
    State(app): State<Arc<App>>,
    asking: Asking,
    from: Origin,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Result<Response, Refused> {
    let upgrade = upgrade.map_err(|_| Refused::new(StatusCode::BAD_REQUEST, "a terminal is a WebSocket"))?;
    let token = asking.token.ok_or_else(Refused::log_on)?;
    let full = || Refused::new(StatusCode::SERVICE_UNAVAILABLE, "there are too many terminals: close some");
    let seat = app.terminals.clone().try_acquire_owned().map_err(|_| full())?;
    let mut session = app.gate.terminal(&token, Instant::now().into_std()).ok_or_else(full)?;
    let system = app.system.clone();
    let lost = |error: std::io::Error| {
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, &format!("the host has no connection for a terminal: {error}"))
    };
    let wire = blocking(move || system.terminal(from.peer, from.local)).await?.map_err(lost)?;
    wire.set_nonblocking(true).map_err(lost)?;
    let wire = UnixStream::from_std(wire).map_err(lost)?;
    let upgrade = upgrade.max_message_size(MESSAGE).max_frame_size(MESSAGE);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let (mut to_browser, from_browser) = socket.split();
        let gone = tokio::select! {
            // Nothing is ever sent this way: what comes is the session's end.
            _ = session.changed() => Message::Close(Some(ENDED)),
            () = carry(&app, &token, &mut to_browser, from_browser, wire) => Message::Close(None),
        };
        let _ = timeout(PATIENCE, to_browser.send(gone)).await;
        drop(seat);
    }))
}

/// Carries bytes both ways until one end is gone.
async fn carry(
    app: &App,
    token: &str,
    to_browser: &mut SplitSink<WebSocket, Message>,
    mut from_browser: SplitStream<WebSocket>,
    wire: UnixStream,
) {
    let (mut from_host, mut to_host) = wire.into_split();
    let mut clock = interval(ASKED);
    let mut heard = Instant::now();
    let mut buffer = vec![0; 16 << 10];
    loop {
        let message = tokio::select! {
            read = from_host.read(&mut buffer) => match read {
                Ok(count @ 1..) => Message::Binary(buffer[..count].to_vec().into()),
                _ => break,
            },
            got = from_browser.next() => {
                heard = Instant::now();
                match got {
                    Some(Ok(Message::Binary(bytes))) => {
                        app.gate.renew(token, heard.into_std());
                        match timeout(PATIENCE, to_host.write_all(&bytes)).await {
                            Ok(Ok(())) => continue,
                            _ => break,
                        }
                    }
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    _ => break,
                }
            },
            now = clock.tick() => {
                app.gate.expire(token, now.into_std());
                match heard.elapsed() < SILENCE {
                    true => Message::Ping(Vec::new().into()),
                    false => break,
                }
            },
        };
        if !matches!(timeout(PATIENCE, to_browser.send(message)).await, Ok(Ok(()))) {
            break;
        }
    }
}
