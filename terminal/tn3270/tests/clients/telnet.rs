//! Line mode over a real socket: a bare connection, and the `telnet` program.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::server::{installed, serve, serve_with_patience};
use tn3270::{Config, Event, Terminal};

/// Reads until `end` has come; everything read.
fn read_until(stream: &mut impl Read, end: &str) -> Vec<u8> {
    let (mut all, mut byte) = (Vec::new(), [0]);
    while !all.ends_with(end.as_bytes()) {
        let n = stream.read(&mut byte).expect("more to read");
        assert!(n == 1, "the end instead of {end:?}: {:?}", String::from_utf8_lossy(&all));
        all.push(byte[0]);
    }
    all
}

#[test]
fn a_bare_socket() {
    let (port, log) = serve(Config::default());
    let mut socket = TcpStream::connect(("127.0.0.1", port)).expect("the server");
    socket.set_read_timeout(Some(Duration::from_secs(30))).expect("a timeout");
    let mut offer = [0; 3];
    socket.read_exact(&mut offer).expect("the offer");
    assert_eq!(offer, [255, 253, 40]);
    // Nothing but "no" to every offer, each in two pieces.
    for part in [&[255][..], &[252, 40], &[255, 252], &[24]] {
        socket.write_all(part).expect("a socket");
        std::thread::sleep(Duration::from_millis(20));
    }
    let greeting = read_until(&mut socket, "NAME: ");
    assert_eq!(greeting, [&[255, 253, 24][..], b"WELCOME\r\nNAME: "].concat());
    socket.write_all(b"maint\r\n").expect("a socket");
    assert_eq!(read_until(&mut socket, ">\r\n"), [&[255, 251, 1][..], b"LINE 1 <maint>\r\n"].concat());
    socket.write_all(&[&[255, 253, 1][..], b"secret\r\n"].concat()).expect("a socket");
    assert_eq!(read_until(&mut socket, ">\r\n"), [b"\r\n", &[255, 252, 1][..], b"LINE 2 <secret>\r\n"].concat());
    socket.write_all(&[255, 254, 1, 255, 244]).expect("a socket");
    assert_eq!(read_until(&mut socket, "!\r\n"), b"!\r\n");
    assert!(matches!(
        log.lock().expect("the log")[..],
        [Event::Ready(Terminal::Line { .. }), Event::Line(_), Event::Line(_), Event::Attention]
    ));
}

#[test]
fn a_socket_that_says_nothing() {
    let (port, _log) = serve_with_patience(Config::default(), Duration::from_millis(500));
    let mut socket = TcpStream::connect(("127.0.0.1", port)).expect("the server");
    socket.set_read_timeout(Some(Duration::from_secs(20))).expect("a timeout");
    assert!(read_until(&mut socket, "NAME: ").ends_with(b"WELCOME\r\nNAME: "));
}

#[test]
fn the_telnet_program() {
    if !installed("telnet", "--version") {
        return;
    }
    let (port, log) = serve(Config::default());
    // Under `timeout`, so that a telnet that waits for what does not come ends.
    let mut child = Command::new("timeout")
        .args(["30", "telnet", "127.0.0.1", &port.to_string()])
        .env("TERM", "xterm")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("telnet starts");
    let mut out = child.stdout.take().expect("its output");
    let mut input = child.stdin.take().expect("its input");
    read_until(&mut out, "NAME: ");
    for (n, line) in ["maint", "secret", "grüße [x]", "bye"].iter().enumerate() {
        writeln!(input, "{line}").expect("telnet takes lines");
        // This telnet writes the end of a line as the host system does, so it is not looked at.
        let answer = String::from_utf8(read_until(&mut out, ">")).expect("text");
        assert!(answer.ends_with(&format!("LINE {} <{line}>", n + 1)), "{answer:?}");
    }
    drop(input);
    child.wait().expect("telnet ends");
    let log = log.lock().expect("the log");
    let Some(Event::Ready(Terminal::Line { terminal_type: Some(kind) })) = log.first() else { panic!("{log:?}") };
    assert!(kind.eq_ignore_ascii_case("xterm"), "{kind}");
}
