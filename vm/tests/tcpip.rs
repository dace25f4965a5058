//! TCP/IP for users of CMS: stages of pipelines, PING, NETSTAT, TELNET and FTP, with servers and clients on this host.

mod support;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream, UdpSocket};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use support::line::Line;
use support::{System, change, cms, install_cms};

const LOCAL: Ipv4Addr = Ipv4Addr::LOCALHOST;
const ANSWER: Duration = Duration::from_secs(60);

/// A sample system with CMS whose SYSTEM CONFIG says this of TCPIP.
fn system(name: &str, cms: &Path, tcpip: &str) -> System {
    System::start(name, |folder| {
        install_cms(folder, cms);
        change(folder, "SYSTEM CONFIG", |text| {
            let with = |line: &str| if line.starts_with("TCPIP ") { tcpip.to_owned() } else { line.to_owned() };
            text.lines().map(with).collect::<Vec<_>>().join("\n")
        });
    })
}

fn has_line(said: &str, wanted: &str) -> bool {
    said.lines().any(|line| line.trim() == wanted)
}

fn user(system: &System, name: &str) -> Line {
    let mut line = Line::log_on(system, name);
    line.until("Ready;");
    line
}

/// A server that does this with each connection; its port.
fn serve(each: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let server = TcpListener::bind((LOCAL, 0)).expect("the host has ports");
    let port = server.local_addr().expect("it is bound").port();
    let each = Arc::new(each);
    thread::spawn(move || {
        for stream in server.incoming() {
            let each = each.clone();
            thread::spawn(move || each(stream.expect("a connection")));
        }
    });
    port
}

fn echo(mut stream: TcpStream) {
    let mut space = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut space) {
        if stream.write_all(&space[..count]).is_err() {
            break;
        }
    }
}

#[test]
fn pipelines_talk_to_servers() {
    let Some(cms) = cms() else { return };
    let system = system("tcpip-client", &cms, "TCPIP ON HOSTACCESS ON");
    let port = serve(echo);
    let mut line = user(&system, "CMSUSER");
    let said = line.say(&format!("pipe literal Hello|tcpclient 10.0.2.2 {port} linger 1|console"), "Ready");
    assert!(has_line(&said, "Hello"), "{said}");
    // As many bytes as there are in a big file, there and back; GROUP puts them together.
    let said = line.say(
        &format!(
            "pipe literal x|dup 9999|specs 1-* 1 /{}/ next|strliteral append /end/|tcpclient 127.0.0.1 {port} \
             group /end/ linger 60|take 1|count bytes|console",
            "0123456789".repeat(4)
        ),
        "Ready",
    );
    assert!(said.contains("410003"), "{said}");
    let ask = format!("pipe literal a|dup 4|tcpclient 127.0.0.1 {port} oneresponse");
    let said = line.say(&format!("{ask}|count lines|console"), "Ready");
    assert!(has_line(&said, "5"), "{said}");
    // HTTP, as everybody does it first.
    let http = serve(|mut stream| {
        let mut lines = BufReader::new(stream.try_clone().expect("a second handle")).lines();
        let asked = lines.next().expect("a line").expect("it can be read");
        lines.find(|line| line.as_ref().is_ok_and(String::is_empty));
        let _ = stream.write_all(format!("HTTP/1.0 200 OK\r\n\r\nYou said {asked}\r\n").as_bytes());
    });
    let said = line.say(
        &format!(
            "pipe strliteral append //|literal GET / HTTP/1.0|xlate e2a|specs 1-* 1 x0D0A next|tcpclient host.endicott \
             {http} linger 60|deblock string x0D0A|xlate a2e|console"
        ),
        "Ready",
    );
    assert!(said.contains("HTTP/1.0 200 OK") && said.contains("You said GET / HTTP/1.0"), "{said}");

    // What goes wrong is said, with a return code.
    let closed = TcpListener::bind((LOCAL, 0)).expect("a port").local_addr().expect("it is bound").port();
    let said = line.say(&format!("pipe literal x|tcpclient 127.0.0.1 {closed}|console"), "Ready");
    assert!(said.contains("FPLTCP421E CONNECT has failed: error 61") && said.contains("Ready(00421)"), "{said}");
    for (pipe, wanted) in [
        ("tcpclient 127.0.0.1 70000", "FPLTCP424E 70000 is no port"),
        ("tcpclient 127.0.0.1", "FPLTCP113E"),
        ("tcpclient 127.0.0.1 80 deblock", "FPLTCP014E Option \"deblock\" not valid"),
        ("literal x|tcpdata", "FPLTCP423E First record is no connection"),
        ("literal x|udp 0", "FPLUDP425E Record of 1 bytes"),
        ("literal no/host|hostbyname|console", "FPLHOS421E RESOLVE has failed"),
    ] {
        let said = line.say(&format!("pipe {pipe}"), "Ready(");
        assert!(said.contains(wanted), "{pipe}: {said}");
    }
    line.say("#cp logoff", "LOGOFF AT");
}

#[test]
fn pipelines_are_servers() {
    let Some(cms) = cms() else { return };
    let system = system("tcpip-server", &cms, "TCPIP ON");
    let port = TcpListener::bind((LOCAL, 0)).expect("a port").local_addr().expect("it is bound").port();
    let mut server = user(&system, "CMSUSER");
    server.enter(&format!("pipe tcplisten {port} | take 1 | f: faninany | tcpdata | elastic | f:"));
    let began = Instant::now();
    let mut stream = loop {
        match TcpStream::connect((LOCAL, port)) {
            Ok(stream) => break stream,
            Err(error) => assert!(began.elapsed() < ANSWER, "{error}"),
        }
    };
    stream.set_read_timeout(Some(ANSWER)).expect("a socket has a timeout");
    for text in ["one", "two", "three"] {
        stream.write_all(text.as_bytes()).expect("it is connected");
        let mut back = vec![0; text.len()];
        stream.read_exact(&mut back).expect("it comes back");
        assert_eq!(back, text.as_bytes());
    }
    stream.shutdown(Shutdown::Write).expect("it is connected");
    server.until("Ready;");
    // HI ends one that waits, and its port is free again.
    server.enter(&format!("pipe tcplisten {port} reuseaddr | hole"));
    let began = Instant::now();
    while TcpStream::connect((LOCAL, port)).is_err() {
        assert!(began.elapsed() < ANSWER, "it listens");
    }
    server.enter("hi");
    server.until("Ready");
    assert!(TcpStream::connect((LOCAL, port)).is_err());

    // Another user reaches a server of CMS, and the host's loopback is closed to both.
    server.enter(&format!("pipe tcplisten {port} reuseaddr | take 1 | tcpdata linger 60 | xlate a2e | console"));
    let mut client = user(&system, "MAINT");
    let began = Instant::now();
    loop {
        let said = client.say(&format!("pipe literal Hello there|xlate e2a|tcpclient 127.0.0.1 {port}"), "Ready");
        if said.contains("Ready;") {
            break;
        }
        assert!(began.elapsed() < ANSWER, "{said}");
    }
    server.until("Hello there");
    server.until("Ready;");
    let echo = serve(echo);
    let said = client.say(&format!("pipe literal x|tcpclient 127.0.0.1 {echo}"), "Ready(");
    assert!(said.contains("error 61"), "{said}");
    // One without IUCV *TCPIP has none.
    let mut other = Line::log_on(&system, "LINUX1");
    other.say("ipl cms parm autocr", "Ready;");
    let said = other.say("pipe hostid|console", "Ready(");
    assert!(said.contains("FPLHOS420E CP has no sockets for you: IUCV's code is 15"), "{said}");
}

#[test]
fn datagrams_are_asked_and_answered() {
    let Some(cms) = cms() else { return };
    let system = system("tcpip-udp", &cms, "TCPIP ON HOSTACCESS ON");
    let peer = UdpSocket::bind((LOCAL, 0)).expect("a port");
    let port = peer.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        let mut space = [0; 512];
        while let Ok((count, from)) = peer.recv_from(&mut space) {
            space[..count].reverse();
            let _ = peer.send_to(&space[..count], from);
        }
    });
    let mut line = user(&system, "CMSUSER");
    let ask = format!("pipe literal AF_INET {port} 127.0.0.1|ip2socka|specs 1-* 1 /abc/ next|dup 1|udp 0");
    let said = line.say(&format!("{ask}|socka2ip|sort unique|console"), "Ready");
    assert!(said.contains(&format!("AF_INET {port} 127.0.0.1")), "{said}");
    let said = line.say(&format!("{ask}|count lines|console"), "Ready");
    assert!(has_line(&said, "2"), "an answer to each: {said}");
    let said = line.say(
        &format!("pipe literal AF_INET {port} 127.0.0.1|ip2socka|specs 1-* 1 /abc/ next|udp 0|specs 17-* 1|console"),
        "Ready",
    );
    assert!(said.contains("cba"), "{said}");
}

#[test]
fn ping_netstat_and_telnet_are_programs() {
    let Some(cms) = cms() else { return };
    let system = system("tcpip-programs", &cms, "TCPIP ON HOSTACCESS ON");
    let heard: Arc<Mutex<Vec<u8>>> = Arc::default();
    let kept = heard.clone();
    let telnet = serve(move |mut stream| {
        let mut read = BufReader::new(stream.try_clone().expect("a second handle"));
        // DO TERMINAL-TYPE and WILL ECHO, which a session of lines refuses.
        let _ = stream.write_all(b"\xff\xfd\x18\xff\xfb\x01Welcome\r\nlogin: ");
        let mut line = Vec::new();
        while let Ok(1..) = read.read_until(b'\n', &mut line) {
            let bye = line.ends_with(b"bye\r\n");
            kept.lock().expect("no test has failed").extend_from_slice(&line);
            line.clear();
            let _ = stream.write_all(if bye { b"Goodbye\r\n" } else { b"Hello, and now?\r\n$ " });
            if bye {
                break;
            }
        }
    });
    let mut line = user(&system, "CMSUSER");
    // The examples that HELP has.
    for (name, example, shown) in [
        ("ping", "ping 10.0.2.2 (count 3", "PING: Ping #3 response took 0.000 seconds. Successes so far 3."),
        ("netstat", "netstat sockets", "User Id  Name     Sock Type Bytes in"),
    ] {
        let help = line.say(&format!("help {name}"), "Ready;");
        assert!(has_line(&help, example), "{help}");
        let said = line.say(example, "Ready;");
        assert!(said.contains(shown), "{said}");
    }
    for (name, example) in [("telnet", "telnet 10.0.2.2 2323"), ("ftp", "'FTP ftp.example.org'")] {
        let help = line.say(&format!("help {name}"), "Ready;");
        assert!(has_line(&help, example), "{help}");
    }
    let tasks = line.say("help task network", "Ready;");
    assert!(["FTP", "NETSTAT", "PING", "TELNET"].iter().all(|name| tasks.contains(name)), "{tasks}");
    let said = line.say("ping", "Ready(");
    assert!(said.contains("DMSPNG050E Parameter missing after PING") && said.contains("Ready(00024)"), "{said}");
    let said = line.say("ping localhost (frob 1", "Ready(");
    assert!(said.contains("DMSPNG003E Invalid option: FROB"), "{said}");
    line.say("netstat home", "Home address: ");
    line.say("netstat frob", "DMSNST070E Invalid parameter FROB");

    line.enter(&format!("telnet 127.0.0.1 {telnet}"));
    line.until("login:");
    line.say("joe", "Hello, and now?");
    // Another sees the connection.
    let mut other = user(&system, "MAINT");
    let said = other.say("netstat", "Ready");
    assert!(said.contains(&format!("127.0.0.1..{telnet}")) && said.contains("CMSUSER"), "{said}");
    let said = other.say("netstat sockets", "Ready");
    assert!(said.contains("PIPE"), "{said}");
    line.say("bye", "Goodbye");
    line.until("The host has ended the connection.");
    line.until("Ready;");
    assert_eq!(*heard.lock().expect("no test has failed"), b"\xff\xfc\x18\xff\xfe\x01joe\r\nbye\r\n");
    // HI ends a session, and LOGOFF takes what there is.
    line.enter(&format!("telnet 127.0.0.1 {telnet}"));
    line.until("login:");
    line.say("hi", "Ready");
    let said = other.say("netstat allconn", "Ready");
    assert!(!said.contains("CMSUSER"), "{said}");
}

type Files = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// A server of FTP for one who knows what to ask: a session.
fn ftp(mut stream: TcpStream, files: &Files) {
    let mut say = {
        let mut stream = stream.try_clone().expect("a second handle");
        move |text: &str| drop(stream.write_all(format!("{text}\r\n").as_bytes()))
    };
    say("220-A server for tests");
    say("220 ready");
    let mut waiting: Option<TcpListener> = None;
    let accept = |waiting: &mut Option<TcpListener>| waiting.take().expect("PASV comes first").accept().unwrap().0;
    let lines = BufReader::new(stream.try_clone().expect("a second handle")).lines();
    for line in lines.map_while(Result::ok) {
        let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let file = files.lock().expect("no test has failed").get(rest).cloned();
        match (verb, file) {
            ("USER", _) => say("331 password, please"),
            ("PASS", _) if rest == "secret" => say("230 come in"),
            ("PASS", _) => say("530 no"),
            ("TYPE", _) => say("200 done"),
            ("PASV", _) => {
                let listener = TcpListener::bind((LOCAL, 0)).expect("a port");
                let port = listener.local_addr().expect("it is bound").port();
                waiting = Some(listener);
                say(&format!("227 Entering Passive Mode (127,0,0,1,{},{})", port >> 8, port & 255));
            }
            ("LIST", _) => {
                say("150 here it comes");
                let names: Vec<String> = files.lock().unwrap().keys().map(|name| format!("{name}\r\n")).collect();
                let _ = accept(&mut waiting).write_all(names.concat().as_bytes());
                say("226 done");
            }
            ("RETR", Some(file)) => {
                say("150 here it comes");
                let _ = accept(&mut waiting).write_all(&file);
                say("226 done");
            }
            ("STOR", _) => {
                say("150 go on");
                let mut bytes = Vec::new();
                let _ = accept(&mut waiting).read_to_end(&mut bytes);
                files.lock().unwrap().insert(rest.to_owned(), bytes);
                say("226 done");
            }
            ("DELE", Some(_)) => {
                files.lock().unwrap().remove(rest);
                say("250 gone");
            }
            ("RETR" | "DELE", None) => say("550 no such file"),
            ("QUIT", _) => {
                say("221 good-bye");
                break;
            }
            _ => say("500 what?"),
        }
    }
    let _ = stream.flush();
}

#[test]
fn ftp_brings_files_and_takes_them() {
    let Some(cms) = cms() else { return };
    let system = system("tcpip-ftp", &cms, "TCPIP ON HOSTACCESS ON");
    let files: Files = Arc::default();
    let all: Vec<u8> = (0..=255).cycle().take(800).collect();
    files.lock().unwrap().insert("bytes".into(), all.clone());
    files.lock().unwrap().insert("read.me".into(), b"First line\r\n\r\nLast line\r\n".to_vec());
    let kept = files.clone();
    let port = serve(move |stream| ftp(stream, &kept));
    let mut line = user(&system, "CMSUSER");
    line.say("pipe literal two|literal one|> up text a", "Ready;");
    line.say(&format!("ftp 127.0.0.1 {port}"), "USER (identify yourself to the host):");
    line.say("joe", "Password:");
    line.say("secret", "Command:");
    assert!(line.say("dir", "Command:").contains("read.me"));
    line.say("get read.me", "Command:");
    assert!(line.say("get read.me", "Command:").contains("READ ME A is there already"));
    line.say("put up.text from-cms", "Command:");
    line.say("binary fixed 80", "Command:");
    line.say("get bytes bytes.data", "Command:");
    line.say("put bytes.data back", "Command:");
    assert!(line.say("get nothing", "Command:").contains("550 no such file"));
    line.say("delete bytes", "250 gone");
    line.until("Command:");
    // The worst of all: a file that was there already.
    line.say("quit", "Ready(00028);");
    assert!(line.say("type read me", "Ready;").contains("Last line"));
    assert!(line.say("listfile bytes data a (label", "Ready;").contains("F         80         10"));
    let files = files.lock().unwrap();
    assert_eq!(files["from-cms"], b"one\r\ntwo\r\n");
    assert_eq!(files["back"], all);
    assert!(!files.contains_key("bytes"));
    drop(files);
    // An exec stacks what it wants, as HELP shows it.
    let queue = "queue 'joe'; queue 'secret'; queue 'get read.me again.text'; queue 'quit'";
    line.say(&format!("pipe literal 'FTP 127.0.0.1 {port}'|literal {queue}|literal /* */|> fetch exec a"), "Ready;");
    line.say("fetch", "Ready;");
    assert!(line.say("type again text", "Ready;").contains("First line"));
    line.say("#cp logoff", "LOGOFF AT");
}
