//! Where browsers connect: an address, TLS, connections and their limits.

use crate::api::router;
use crate::app::{App, Peer, Reach};
use crate::system::System;
use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustix::process::{Resource, getrlimit};
use rustls::ServerConfig;
use say::listening::Listening;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

/// The option with the address of the server.
const LISTENING: Listening = Listening { option: "--http", what: "Pages", here: "127.0.0.1:8080", all: "0.0.0.0:8443" };
/// Connections at most: each terminal has one, and each page up to six.
const CONNECTIONS: usize = 4000;
/// The part of this process's descriptors that they may be at most. Each terminal has two more.
const SHARE_OF_DESCRIPTORS: usize = 4;
/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 16 << 10;
/// How long a browser may take with a request's head, and with the keys of TLS.
const HEAD: Duration = Duration::from_secs(10);
/// Threads for what waits for CP's locks, and for passwords.
const THREADS: usize = 8;

/// A server that runs on threads of its own for as long as this is kept.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // What waits for a lock goes on, and is not waited for.
            runtime.shutdown_background();
        }
    }
}

/// Serves the pages of `system` at `address`, by TLS if there is `tls`. Passwords go over the wire: without TLS only
/// this computer's own browsers are served, unless `plain` says that a proxy or a tunnel keeps the wire safe. The error
/// says what to do about it.
pub fn serve(
    address: &str,
    tls: Option<Arc<ServerConfig>>,
    plain: bool,
    system: Arc<dyn System>,
) -> Result<Running, String> {
    let explain = |error: io::Error| LISTENING.refused(address, &error);
    let parsed = LISTENING.address(address)?;
    let reach = match (&tls, plain) {
        (None, false) => Reach::Here,
        (None, true) => Reach::Proxy,
        (Some(_), false) => Reach::Tls,
        (Some(_), true) => {
            return Err("SYSTEM CONFIG has a TLS statement, so pages come by TLS: leave --http-plain out".into());
        }
    };
    if reach == Reach::Here && !parsed.ip().to_canonical().is_loopback() {
        return Err(format!(
            "{address} can be reached from other computers, and passwords would cross the network in clear: give \
             SYSTEM CONFIG a TLS statement, --http an address such as 127.0.0.1:8080, or say --http-plain if a proxy \
             has the TLS"
        ));
    }
    let listener = TcpListener::bind(parsed).map_err(explain)?;
    listener.set_nonblocking(true).map_err(explain)?;
    let bound = listener.local_addr().map_err(explain)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(THREADS)
        .thread_name("http")
        .enable_all()
        .build()
        .map_err(|error| format!("the host has no threads for --http: {error}"))?;
    let app = App::new(system, reach);
    let listener = {
        let _inside = runtime.enter();
        tokio::net::TcpListener::from_std(listener).map_err(explain)?
    };
    runtime.spawn(accept(listener, tls.map(TlsAcceptor::from), router(app)));
    Ok(Running { address: bound, runtime: Some(runtime) })
}

async fn accept(listener: tokio::net::TcpListener, tls: Option<TlsAcceptor>, router: Router) {
    let descriptors = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |all| all as usize);
    let places = Arc::new(Semaphore::new((descriptors / SHARE_OF_DESCRIPTORS).clamp(1, CONNECTIONS)));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let (stream, peer) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(_) => {
                // A connection that is gone already, or no more file descriptors: those come back.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let (tls, router) = (tls.clone(), router.clone());
        // A keystroke's answer does not wait for more to send with it.
        let _ = stream.set_nodelay(true);
        tokio::spawn(async move {
            match tls {
                None => talk(stream, peer, router).await,
                Some(tls) => {
                    if let Ok(Ok(stream)) = timeout(HEAD, tls.accept(stream)).await {
                        talk(stream, peer, router).await;
                    }
                }
            }
            drop(place);
        });
    }
}

/// Answers the requests of one connection.
async fn talk<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(stream: S, peer: SocketAddr, router: Router) {
    let service = tower::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Peer(peer));
        let router = router.clone();
        tower::ServiceExt::oneshot(router, request.map(axum::body::Body::new) as Request)
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(LONGEST_HEAD);
    let connection = server.serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    // A browser that breaks off, or does not speak HTTP, ends its own connection and nothing else.
    let _ = connection.with_upgrades().await;
}
