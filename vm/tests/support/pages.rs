//! The browsers' side of the pages: a session by HTTP, a terminal by WebSocket, and Chromium by its DevTools.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tn3270::{Caller, Client, FromHost, Screen};
use tungstenite::client::IntoClientRequest;
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

/// How long anything may take on a busy host.
const LIMIT: Duration = Duration::from_secs(30);

/// The header that says how long an answer is.
const LENGTH: &str = "content-length";

type Socket = WebSocket<MaybeTlsStream<TcpStream>>;

/// The status line and headers, and the text, of an answer.
pub(crate) fn ask(address: &str, method: &str, path: &str, cookie: &str, body: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("pages are served");
    stream.set_read_timeout(Some(LIMIT)).expect("a time");
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\ncookie: {cookie}\r\n\
         content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("it is taken");
    // Chromium keeps the connection, whatever it is asked.
    let mut stream = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert_ne!(stream.read_line(&mut head).expect("an answer"), 0, "headers end: {head}");
    }
    let length =
        head.lines().find_map(|line| line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case(LENGTH)));
    let length = length.map_or(0, |(_, value)| value.trim().parse().expect("a length"));
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("the whole answer");
    (head, String::from_utf8(body).expect("text"))
}

/// The cookie of a session of `user`, whose password is the name.
pub(crate) fn cookie(address: &str, user: &str) -> String {
    cookie_of(address, user, user)
}

/// The cookie of a session of `user`.
pub(crate) fn cookie_of(address: &str, user: &str, password: &str) -> String {
    let body = json!({"userid": user, "password": password}).to_string();
    let (head, text) = ask(address, "POST", "/api/session", "", &body);
    let line = head.lines().find_map(|line| line.strip_prefix("set-cookie: "));
    line.unwrap_or_else(|| panic!("{head}\n{text}")).split(';').next().expect("a first part").to_string()
}

/// Waits until something is so.
pub(crate) fn until(is_so: impl Fn() -> bool, what: &str) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < LIMIT, "not so: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A TN3270E client whose wire is a WebSocket: a model 2.
pub(crate) struct Glass {
    socket: Socket,
    client: Client,
    screen: Screen,
}

impl Glass {
    pub(crate) fn open(address: &str, cookie: &str) -> Glass {
        let mut request = format!("ws://{address}/api/terminal").into_client_request().expect("an address");
        request.headers_mut().insert("cookie", cookie.parse().expect("text"));
        request.headers_mut().insert("origin", format!("http://{address}").parse().expect("text"));
        let (socket, _) = tungstenite::connect(request).expect("a WebSocket");
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(LIMIT)).expect("a time");
        }
        let size = tn3270::Size::new(24, 80);
        let caller = Caller { terminal_type: "IBM-3278-2".into(), device_name: None, tn3270e: true };
        Glass { socket, client: Client::new(caller), screen: Screen::new(size, size) }
    }

    /// Sends bytes as they are; whether the system still takes them.
    pub(crate) fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.socket.send(Message::Binary(bytes.to_vec().into())).is_ok()
    }

    /// Sends a key, with text for the field that begins at `at` (row and column from 0).
    pub(crate) fn enter(&mut self, aid: u8, fields: &[((u16, u16), &str)]) {
        let mut record = vec![aid, 0, 0];
        for ((row, column), text) in fields {
            let at = row * 80 + column;
            record.extend([0x11, (at >> 8) as u8, at as u8]);
            record.extend(base::ebcdic::from_str(text));
        }
        self.client.send(&record);
        self.flush();
    }

    /// Takes what comes until the screen has `mark`; the screen.
    pub(crate) fn until(&mut self, mark: &str) -> String {
        let began = Instant::now();
        loop {
            let shown = self.screen.text();
            if shown.contains(mark) {
                return shown;
            }
            assert!(began.elapsed() < LIMIT, "no {mark} on\n{shown}");
            match self.socket.read().unwrap_or_else(|error| panic!("{error}: no {mark} on\n{shown}")) {
                Message::Binary(bytes) => self.client.receive(&bytes),
                _ => continue,
            }
            self.take();
        }
    }

    /// The code with which the system closes this, once it does.
    pub(crate) fn end(mut self) -> Option<u16> {
        loop {
            match self.socket.read() {
                Ok(Message::Close(close)) => return close.map(|close| close.code.into()),
                Ok(_) => (),
                Err(_) => return None,
            }
        }
    }

    /// Performs what has come, and sends what is to be answered.
    fn take(&mut self) {
        while let Some(event) = self.client.next_event() {
            match event {
                FromHost::Ready { .. } => (),
                FromHost::Record(record) => {
                    let _ = self.screen.apply(&record);
                }
                FromHost::Closed(why) => panic!("{why} on\n{}", self.screen.text()),
            }
        }
        self.flush();
    }

    fn flush(&mut self) {
        let bytes = self.client.take_output();
        assert!(bytes.is_empty() || self.try_send(&bytes), "the system is there");
    }
}

/// A headless Chromium with one page.
pub(crate) struct Browser {
    child: Child,
    socket: Socket,
    next: u64,
}

impl Browser {
    /// Opens `url`; `None`, and says so, where there is no Chromium.
    pub(crate) fn open(url: &str, folder: &Path) -> Option<Browser> {
        let mut command = Command::new("chromium");
        command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-port=0"]);
        command.arg(format!("--user-data-dir={}", folder.display())).arg("about:blank");
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let Ok(mut child) = child else {
            println!("skipped: there is no chromium");
            return None;
        };
        let lines = BufReader::new(child.stderr.take().expect("it is piped")).lines();
        let mut lines = lines.map_while(Result::ok);
        let found = lines.find_map(|line| Some(line.strip_prefix("DevTools listening on ws://")?.to_string()));
        let found = found.expect("chromium says where its DevTools are");
        // What it says further is read, or it would wait.
        std::thread::spawn(move || lines.for_each(drop));
        let address = found.split('/').next().expect("a first part").to_string();
        let (_, text) = ask(&address, "PUT", &format!("/json/new?{url}"), "", "");
        let page: Value = serde_json::from_str(&text).expect("chromium tells of the page");
        let at = page["webSocketDebuggerUrl"].as_str().expect("an address");
        let (socket, _) = tungstenite::connect(at).expect("DevTools answer");
        Some(Browser { child, socket, next: 0 })
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.next += 1;
        let text = json!({"id": self.next, "method": method, "params": parameters}).to_string();
        self.socket.send(Message::Text(text.into())).expect("chromium is there");
        loop {
            let Message::Text(text) = self.socket.read().expect("chromium answers") else { continue };
            let answer: Value = serde_json::from_str(&text).expect("it is JSON");
            if answer["id"] == self.next {
                return answer["result"].clone();
            }
        }
    }

    /// What an expression is.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let answer = self.call("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        answer["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&mut self, expression: &str) {
        let began = Instant::now();
        while self.value(expression) != json!(true) {
            let page = self.value("document.body.innerText");
            assert!(began.elapsed() < LIMIT, "{expression} is not so on\n{}", page.as_str().unwrap_or_default());
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits until the terminal shows `mark` and takes input; what it shows.
    pub(crate) fn until_shown(&mut self, mark: &str) -> String {
        const ROWS: &str = "[...document.querySelectorAll('#screen .row')].map(row => row.textContent).join('\\n')";
        let ready = "document.getElementById('status').textContent.includes('ready')";
        self.until(&format!("{ready} && {ROWS}.includes({})", json!(mark)));
        self.value(ROWS).as_str().unwrap_or_default().to_string()
    }

    /// Types text where the focus is.
    pub(crate) fn types(&mut self, text: &str) {
        for character in text.chars() {
            let key = character.to_string();
            self.call("Input.dispatchKeyEvent", json!({"type": "keyDown", "key": key, "text": key}));
            self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key}));
        }
    }

    /// Presses a key by its name and number.
    pub(crate) fn press(&mut self, key: &str, number: u32) {
        let text = if key == "Enter" { "\r" } else { "" };
        let down = json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": number, "text": text});
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": number}));
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
