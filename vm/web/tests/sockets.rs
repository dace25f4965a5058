//! The pages at a real address: what it may be, WebSockets, and clients that send anything at all.

mod stand;

use futures_util::{SinkExt, StreamExt};
use stand::{PASSWORD, Stand, offer};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;
use support::Random;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{self, Message};
use web::listen::{Running, serve};

fn start() -> Running {
    serve("127.0.0.1:0", None, false, Stand::new()).expect("the host has a port")
}

/// What the server answers to these bytes until it ends the connection, or says no more.
fn answer(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
    // A server that has seen enough may end the connection before it has all.
    let _ = stream.write_all(bytes);
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => text.extend_from_slice(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => (),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// The cookie of a session of CMSUSER.
fn cookie(address: SocketAddr) -> String {
    let body = offer("CMSUSER", PASSWORD);
    let length = body.len();
    let text = answer(
        address,
        format!(
            "POST /api/session HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .as_bytes(),
    );
    let line = text.lines().find_map(|line| line.strip_prefix("set-cookie: ")).expect(&text);
    line.split(';').next().unwrap().to_string()
}

fn request(address: SocketAddr, cookie: &str) -> tungstenite::handshake::client::Request {
    let mut request = format!("ws://{address}/api/terminal").into_client_request().unwrap();
    request.headers_mut().insert("cookie", cookie.parse().unwrap());
    request.headers_mut().insert("origin", format!("http://{address}").parse().unwrap());
    request
}

#[test]
fn an_address_that_cannot_be_says_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (address, remedy) in [
        (taken.as_str(), "is in use by another program"),
        ("0.0.0.0:0", "give SYSTEM CONFIG a TLS statement"),
        ("[::]:0", "--http-plain"),
        ("192.0.2.1:0", "TLS"),
        ("127.0.0.1", "an address and a port"),
        ("", "an address and a port"),
    ] {
        let why = serve(address, None, false, Stand::new()).err().expect(address);
        assert!(why.contains(remedy), "{address}: {why}");
    }
    let why = serve("192.0.2.1:0", None, true, Stand::new()).err().expect("it is no address of this host");
    assert!(why.contains("is no address of this computer"), "{why}");
    assert!(serve("0.0.0.0:0", None, true, Stand::new()).is_ok(), "with --http-plain");
}

#[test]
fn a_session_belongs_to_one_server() {
    let (one, two) = (start(), start());
    let cookie = cookie(one.address);
    for (address, status) in [(one.address, "HTTP/1.1 200"), (two.address, "HTTP/1.1 401")] {
        let text = answer(
            address,
            format!("GET /api/session HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\nconnection: close\r\n\r\n")
                .as_bytes(),
        );
        assert!(text.starts_with(status), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_goes_in_comes_out_and_no_more() {
    let server = start();
    let address = server.address;
    let cookie = tokio::task::spawn_blocking(move || cookie(address)).await.unwrap();
    let (mut socket, _) = tokio_tungstenite::connect_async(request(address, &cookie)).await.unwrap();
    let mut random = Random::seeded(28);
    for _ in 0..200 {
        let length = 1 + random.below(3000);
        let bytes = random.bytes(length);
        socket.send(Message::Binary(bytes.clone().into())).await.unwrap();
        let mut got = Vec::new();
        while got.len() < bytes.len() {
            match socket.next().await.unwrap().unwrap() {
                Message::Binary(part) => got.extend_from_slice(&part),
                Message::Ping(_) => (),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(got, bytes);
    }
    // Text is none of telnet's: the connection ends.
    socket.send(Message::Text("x".into())).await.unwrap();
    loop {
        match socket.next().await {
            Some(Ok(Message::Close(_))) | Some(Err(_)) | None => break,
            Some(Ok(_)) => (),
        }
    }
    let (mut socket, _) = tokio_tungstenite::connect_async(request(address, &cookie)).await.unwrap();
    let _ = socket.send(Message::Binary(vec![0; 1 << 20].into())).await;
    let mut echoed = 0;
    while let Some(Ok(message)) = socket.next().await {
        echoed += if let Message::Binary(part) = message { part.len() } else { 0 };
    }
    assert_eq!(echoed, 0, "a message that is too long is not taken");
}

type Socket = tokio_tungstenite::WebSocketStream<tokio_tungstenite::MaybeTlsStream<tokio::net::TcpStream>>;

/// What a terminal says when it ends, as code and reason; pings before that are passed over.
async fn end(mut socket: Socket) -> Option<(u16, String)> {
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Close(close) = message {
            return close.map(|close| (close.code.into(), close.reason.to_string()));
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_ends_with_its_session() {
    let server = start();
    let address = server.address;
    let (one, other) = tokio::task::spawn_blocking(move || (cookie(address), cookie(address))).await.unwrap();
    let mut terminals = Vec::new();
    for cookie in [&one, &one, &other] {
        terminals.push(tokio_tungstenite::connect_async(request(address, cookie)).await.unwrap().0);
    }
    let log_off = format!(
        "DELETE /api/session HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncookie: {one}\r\n\
         connection: close\r\n\r\n"
    );
    let said = tokio::task::spawn_blocking(move || answer(address, log_off.as_bytes())).await.unwrap();
    assert!(said.starts_with("HTTP/1.1 204"), "{said}");
    let mut others = terminals.pop().unwrap();
    for terminal in terminals {
        assert_eq!(end(terminal).await, Some((1008, "the session has ended".into())));
    }
    assert!(tokio_tungstenite::connect_async(request(address, &one)).await.is_err(), "nor is there another");
    others.send(Message::Binary(vec![1, 2, 3].into())).await.unwrap();
    loop {
        match others.next().await.unwrap().unwrap() {
            Message::Binary(bytes) => break assert_eq!(bytes.as_ref(), [1, 2, 3], "another session's goes on"),
            Message::Ping(_) => (),
            message => panic!("{message:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_wants_a_session() {
    let server = start();
    let mut by_password = request(server.address, "");
    // CMSUSER:SECRET1.
    by_password.headers_mut().insert("authorization", "Basic Q01TVVNFUjpTRUNSRVQx".parse().unwrap());
    match tokio_tungstenite::connect_async(by_password).await {
        Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status(), 401),
        other => panic!("{other:?}"),
    }
}

/// The host's clock runs here: a slow client has ten seconds for its request.
#[test]
fn clients_that_wait_are_not_waited_for() {
    let server = start();
    let address = server.address;
    let half = format!("POST /api/session HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\n");
    let body = format!("{half}content-type: application/json\r\ncontent-length: 50\r\n\r\n{{");
    let idle = format!("GET /icon.svg HTTP/1.1\r\nhost: {address}\r\n\r\n");
    std::thread::scope(|scope| {
        for said in [String::new(), half, body, idle] {
            scope.spawn(move || {
                let mut stream = TcpStream::connect(address).expect("it listens");
                stream.write_all(said.as_bytes()).unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
                let ended = std::io::copy(&mut stream, &mut std::io::sink());
                assert!(!ended.is_err_and(|error| error.kind() == ErrorKind::WouldBlock), "{said:?} is waited for");
            });
        }
    });
}

/// Random requests and random frames, in which some bytes of good ones are changed: the server answers the next one.
#[test]
fn clients_that_send_anything_harm_no_other() {
    let server = start();
    let address = server.address;
    let cookie = cookie(address);
    let good = [
        format!("GET / HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n"),
        format!("GET /api/consoles/CMSUSER?from=1 HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\n\r\n"),
        format!(
            "POST /api/session HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncontent-length: 9\r\n\r\n\
             {{\"a\":\"b\"}}"
        ),
        format!(
            "GET /api/terminal HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncookie: {cookie}\r\n\
             connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n\
             sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        ),
    ];
    let frames: [&[u8]; 4] =
        [&[0x82, 0x81, 1, 2, 3, 4, 5], &[0x89, 0x80, 0, 0, 0, 0], &[0x88, 0x80, 0, 0, 0, 0], &[0x82, 0xff, 0xff, 0xff]];
    let mut random = Random::seeded(3270);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let mut random = Random::seeded(random.word());
            let good = &good;
            scope.spawn(move || {
                for _ in 0..12 {
                    let mut bytes = good[random.below(good.len())].clone().into_bytes();
                    for _ in 0..random.below(3) {
                        bytes.extend_from_slice(random.pick(&frames));
                    }
                    for _ in 0..random.below(6) {
                        let at = random.below(bytes.len());
                        match random.below(3) {
                            0 => bytes[at] = random.byte(),
                            1 => bytes.truncate(at.max(1)),
                            _ => bytes.insert(at, random.byte()),
                        }
                    }
                    let text = answer(address, &bytes);
                    assert!(!text.contains("500 Internal"), "{text} after {:?}", String::from_utf8_lossy(&bytes));
                }
            });
        }
    });
    let text = answer(address, good[0].as_bytes());
    assert!(text.starts_with("HTTP/1.1 200"), "{text}");
}
