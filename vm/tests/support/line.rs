//! A terminal in telnet's line mode that is nothing but a socket.

use super::System;
use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const IAC: u8 = 255;
const DONT: u8 = 254;
const DO: u8 = 253;
const WONT: u8 = 252;
const WILL: u8 = 251;
/// The first command with an operand is WILL; BREAK is one without.
const BREAK: u8 = 243;

/// How long an answer may take on a busy machine.
pub(crate) const ANSWER: Duration = Duration::from_secs(60);

/// A connected terminal.
pub(crate) struct Line {
    socket: TcpStream,
    /// What has come and has not been looked at.
    raw: Vec<u8>,
    text: String,
    ended: bool,
}

impl Line {
    /// A terminal that refuses everything telnet offers.
    pub(crate) fn connect(system: &System) -> Line {
        Line::connect_to("127.0.0.1", system.port)
    }

    /// The same at another address of the host.
    pub(crate) fn connect_to(address: &str, port: u16) -> Line {
        let socket = TcpStream::connect((address, port)).expect("the system answers");
        socket.set_read_timeout(Some(Duration::from_millis(50))).expect("a socket has a timeout");
        Line { socket, raw: Vec::new(), text: String::new(), ended: false }
    }

    /// The same, and a user logged on by a name that is the password.
    pub(crate) fn log_on(system: &System, user: &str) -> Line {
        let mut line = Line::connect(system);
        line.say(&format!("logon {user} {user}"), "LOGON AT");
        line
    }

    fn receive(&mut self) {
        let mut buffer = [0; 4096];
        match self.socket.read(&mut buffer) {
            Ok(0) => self.ended = true,
            Ok(count) => self.raw.extend_from_slice(&buffer[..count]),
            // Interrupted: the process was stopped for a while, as hosts do.
            Err(error) => self.ended = !matches!(error.kind(), WouldBlock | TimedOut | Interrupted),
        }
        let mut at = 0;
        while at < self.raw.len() {
            let rest = &self.raw[at..];
            match *rest {
                [IAC, verb @ WILL..=DONT, option, ..] => {
                    let refusal = match verb {
                        DO => Some(WONT),
                        WILL => Some(DONT),
                        _ => None,
                    };
                    if let Some(refusal) = refusal {
                        // A server that has gone needs no answer.
                        let _ = self.socket.write_all(&[IAC, refusal, option]);
                    }
                    at += 3;
                }
                [IAC] | [IAC, WILL..=DONT] => break,
                [IAC, _, ..] => at += 2,
                [byte, ..] => {
                    self.text.push(byte as char);
                    at += 1;
                }
                [] => break,
            }
        }
        self.raw.drain(..at);
    }

    /// Reads until `mark` has come; returns all that came up to there.
    pub(crate) fn until(&mut self, mark: &str) -> String {
        self.until_within(mark, ANSWER)
    }

    /// The same for what may take longer.
    pub(crate) fn until_within(&mut self, mark: &str, limit: Duration) -> String {
        let began = Instant::now();
        loop {
            if let Some(at) = self.text.find(mark) {
                // The rest of that line belongs to it.
                if let Some(end) = self.text[at + mark.len()..].find('\n') {
                    return self.text.drain(..at + mark.len() + end + 1).collect();
                }
            }
            assert!(!self.ended, "the connection ended before {mark}: {}", self.text);
            assert!(began.elapsed() < limit, "{mark} did not come: {}", self.text);
            self.receive();
        }
    }

    /// Types a line.
    pub(crate) fn enter(&mut self, line: &str) {
        self.socket.write_all(format!("{line}\r\n").as_bytes()).expect("the system listens");
    }

    /// Types a line and reads until `mark` has come after it.
    pub(crate) fn say(&mut self, line: &str, mark: &str) -> String {
        self.enter(line);
        self.until(mark)
    }

    /// The break key.
    pub(crate) fn attention(&mut self) {
        self.socket.write_all(&[IAC, BREAK]).expect("the system listens");
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        // The system may have hung up in the middle of them.
        let _ = self.socket.write_all(bytes);
    }

    /// The whole lines that have come so far.
    pub(crate) fn lines(&mut self) -> String {
        self.receive();
        let end = self.text.rfind('\n').map_or(0, |at| at + 1);
        self.text.drain(..end).collect()
    }

    /// Reads until the system hangs up; returns what came.
    pub(crate) fn until_the_end(&mut self) -> String {
        let began = Instant::now();
        while !self.ended {
            assert!(began.elapsed() < ANSWER, "the system does not hang up: {}", self.text);
            self.receive();
        }
        std::mem::take(&mut self.text)
    }
}
