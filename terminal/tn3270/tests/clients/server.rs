//! A tiny server around a `Session`, and a driver for the `s3270` program.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tn3270::datastream::{Attribute, Color, Highlight, Wcc};
use tn3270::{Aid, Config, Display, Event, Inbound, Screen, Session, Terminal};

/// Where the demonstration program's input field begins: row and column.
pub(crate) const INPUT: (u16, u16) = (4, 10);

/// What the server saw, in order.
pub(crate) type Log = Arc<Mutex<Vec<Event>>>;

/// Serves one client with the demonstration program; returns the port and what will be seen.
pub(crate) fn serve(config: Config) -> (u16, Log) {
    // Long enough for a client on a busy machine.
    serve_with_patience(config, Duration::from_secs(20))
}

/// The same, taking a client as it is after `patience` without a word.
pub(crate) fn serve_with_patience(config: Config, patience: Duration) -> (u16, Log) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a loopback port");
    let port = listener.local_addr().expect("the port").port();
    let log = Log::default();
    let seen = log.clone();
    std::thread::spawn(move || {
        let (socket, _) = listener.accept().expect("a client");
        // The client going away is the end of the test, whatever form it takes.
        let _ = converse(socket, config, patience, &seen);
    });
    (port, log)
}

fn converse(mut socket: TcpStream, config: Config, patience: Duration, seen: &Log) -> std::io::Result<()> {
    socket.set_read_timeout(Some(patience))?;
    let mut session = Session::new(config);
    let mut program = Program::default();
    let mut buffer = [0; 4096];
    loop {
        while let Some(event) = session.next_event() {
            seen.lock().expect("the log").push(event.clone());
            program.event(&mut session, event);
        }
        socket.write_all(&session.take_output())?;
        if session.is_closed() {
            return Ok(());
        }
        match socket.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(n) => session.receive(&buffer[..n]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => session.silence(),
            Err(e) => return Err(e),
        }
    }
}

/// Shows what it knows and what was typed; keeps its own copy of the screen.
#[derive(Default)]
struct Program {
    display: Option<Display>,
    copy: Option<Screen>,
    lines: u32,
}

impl Program {
    fn event(&mut self, session: &mut Session, event: Event) {
        match event {
            Event::Ready(Terminal::Screen(display)) => {
                self.copy = Some(display.screen());
                self.display = Some(*display);
                self.paint(session, "WELCOME", "");
            }
            Event::Ready(Terminal::Line { .. }) => session.send_text("WELCOME\nNAME: "),
            Event::Inbound(record) => {
                let inbound = Inbound::parse(&record).expect("a record of a real client");
                if let Some(copy) = &mut self.copy {
                    copy.accept(&inbound);
                }
                let (display, copy) = (self.display.as_ref().expect("a display"), self.copy.as_ref().expect("a copy"));
                let (row, col) = INPUT;
                let field = display.size().at(row, col);
                let typed = inbound.field(field, display.code_page).unwrap_or_default();
                let cursor = inbound.cursor.unwrap_or(0);
                let kept = if inbound.aid.is_short() { String::new() } else { copy.field_text(field - 1) };
                self.paint(session, &format!("{:?} {cursor} {typed}", inbound.aid), &kept);
            }
            Event::Line(line) if self.display.is_none() => {
                self.lines += 1;
                session.set_echo(self.lines != 1);
                session.send_text(&format!("LINE {} <{line}>\n", self.lines));
                if line == "bye" {
                    session.close();
                }
            }
            Event::Attention if self.display.is_none() => session.send_text("!\n"),
            Event::Attention => self.paint(session, "ATTENTION", ""),
            Event::SysReq => self.paint(session, "SYSREQ", ""),
            Event::Line(_) | Event::Response { .. } | Event::Closed(_) => {}
        }
    }

    fn paint(&mut self, session: &mut Session, heading: &str, kept: &str) {
        let display = self.display.as_ref().expect("a display");
        let size = display.size();
        let mut w = display.erase_write(Wcc::UNLOCK);
        w.at(0, 0);
        if display.extended {
            w.extended_field(Attribute::TEXT, Color::Turquoise, Highlight::Reverse);
        } else {
            w.field(Attribute::TEXT.intensified());
        }
        w.text(heading);
        w.at(1, 0)
            .field(Attribute::TEXT)
            .text(&format!("{}x{} {} {:?}", display.rows, display.cols, display.device_name, display.protocol));
        w.at(2, 0).field(Attribute::TEXT).text(kept);
        w.at(3, 0).field(Attribute::TEXT).text("[brackets] {braces} ^ | ~ ! \\ ` é ¬ ¢");
        let (row, col) = INPUT;
        w.at(row, 1).text("INPUT");
        w.at(row, col - 1).field(Attribute::INPUT).cursor().at(row, col + 40).field(Attribute::SKIP);
        w.at(size.rows - 1, size.cols - 4).text("LAST");
        let record = w.finish();
        if let Some(copy) = &mut self.copy {
            copy.apply(&record).expect("a record of our own");
        }
        session.send_3270_confirmed(&record);
    }
}

/// Whether a program that a test drives is there; says on standard output when it is not.
pub(crate) fn installed(program: &str, version: &str) -> bool {
    let there = Command::new(program).arg(version).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("skipped: {program} is not installed (Debian package of the same name)");
    }
    there
}

/// A running `s3270`.
pub(crate) struct Client {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Client {
    /// Starts `s3270` with these options and connects it to `host` (prefixes and LU name, without the port).
    pub(crate) fn connect(options: &[&str], host: &str, port: u16) -> Client {
        let mut child = Command::new("s3270")
            .args(["-utf8"])
            .args(options)
            .arg(format!("{host}127.0.0.1:{port}"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("s3270 starts");
        let out = BufReader::new(child.stdout.take().expect("its output"));
        let mut client = Client { child, out };
        client.act("Wait(30,InputField)");
        client
    }

    /// Performs an action that must succeed: the data lines it prints and the status line.
    pub(crate) fn act(&mut self, action: &str) -> (Vec<String>, String) {
        let input = self.child.stdin.as_mut().expect("its input");
        writeln!(input, "{action}").expect("s3270 takes actions");
        let (mut data, mut status) = (Vec::new(), String::new());
        loop {
            let mut line = String::new();
            let n = self.out.read_line(&mut line).expect("s3270 answers");
            assert!(n > 0, "s3270 ended at {action}");
            let line = line.trim_end_matches('\n');
            if let Some(text) = line.strip_prefix("data: ") {
                data.push(text.to_string());
            } else if line == "ok" {
                return (data, status);
            } else if line == "error" {
                panic!("{action}: {data:?} {status}");
            } else {
                status = line.to_string();
            }
        }
    }

    /// Performs an action that makes the host paint the screen again, and waits for that.
    pub(crate) fn press(&mut self, action: &str) {
        self.act(action);
        self.act("Wait(30,InputField)");
    }

    /// Looks until the first row is `row`; for what the host does on its own.
    pub(crate) fn wait_for(&mut self, row: &str) {
        for _ in 0..400 {
            if self.screen().first().is_some_and(|first| first == row) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{row:?} does not come: {:#?}", self.screen());
    }

    /// The screen, trailing blanks left out.
    pub(crate) fn screen(&mut self) -> Vec<String> {
        self.act("Ascii()").0.iter().map(|row| row.trim_end().to_string()).collect()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The display that the server was told of.
pub(crate) fn display_of(log: &Log) -> Display {
    match log.lock().expect("the log").first() {
        Some(Event::Ready(Terminal::Screen(display))) => (**display).clone(),
        other => panic!("not a display: {other:?}"),
    }
}

/// How the demonstration program shows that `aid` arrived.
pub(crate) fn heading(aid: Aid) -> String {
    format!(" {aid:?} ")
}
