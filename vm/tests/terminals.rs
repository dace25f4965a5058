//! Terminals in front of a running system: every model, TLS, telnet, all the keys; and terminals that misbehave.

mod support;

use ::support::Random;
use std::fs;
use std::io::Write;
use std::net::{IpAddr, TcpStream, UdpSocket};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::line::Line;
use support::{Client, System, certificate, endicott, has_openssl, has_s3270};

const ANSWER: Duration = Duration::from_secs(60);

#[test]
fn every_model_logs_on() {
    if !has_s3270() {
        return;
    }
    let system = System::start("models", |_| {});
    for (model, rows, columns) in [("2", 24, 80), ("3", 32, 80), ("4", 43, 80), ("5", 27, 132)] {
        for (kind, prefix) in [("3279", ""), ("3278", "N:")] {
            let mut client = Client::connect_as(&system, &["-model", &format!("{kind}-{model}")], prefix);
            let logo = client.act("Ascii()");
            assert_eq!((logo.len(), logo[0].chars().count()), (rows, columns), "{kind}-{model}");
            client.log_on("CMSUSER");
            client.say("query userid", "CMSUSER  AT ENDICOTT", ANSWER);
            assert_eq!(client.status(), "CP READ   ENDICOTT");
            assert_eq!(client.act("Ascii()").len(), rows, "{kind}-{model}");
            client.say("logoff", "LOGOFF AT", ANSWER);
        }
    }
}

#[test]
fn a_display_has_every_key_and_every_status() {
    if !has_s3270() {
        return;
    }
    let system = System::start("keys", |_| {});
    let mut client = Client::connect_as(&system, &["-model", "3279-2"], "");
    client.log_on("CMSUSER");
    client.until_status("CP READ", ANSWER);

    // A program that enables the console's subchannel, reads a line and loops: VM READ, then RUNNING.
    client.say("store s200 58100280b234030096800305b2320300b2330290a7f40000", "STORE COMPLETE", ANSWER);
    client.say("store s280 00010000", "STORE COMPLETE", ANSWER);
    client.say("store s290 000000000080ff00000002c0", "STORE COMPLETE", ANSWER);
    client.say("store s2c0 0a20005000000400", "STORE COMPLETE", ANSWER);
    client.enter("begin 200");
    client.until_status("VM READ", ANSWER);
    client.enter("a line for the program");
    client.until_status("RUNNING", ANSWER);
    client.say("#cp display t400.10", "a line for the p", ANSWER);
    client.until_status("RUNNING", ANSWER);

    // The break key, and back. The program loops all the time.
    client.act("PA(1)");
    client.until_status("CP READ", ANSWER);
    client.enter("begin");
    client.until_status("RUNNING", ANSWER);
    client.act("Clear()");

    // More than a page: MORE..., what is entered now is NOT ACCEPTED, ENTER holds, CLEAR and PA2 turn the page.
    let lines = "#cp query virtual all#cp query set#cp query terminal#cp query virtual all";
    client.enter(lines);
    client.until_status("MORE...", ANSWER);
    client.enter("query time");
    client.until_status("NOT ACCEPTED", ANSWER);
    client.until_status("MORE...", ANSWER);
    client.act("EraseInput()");
    client.act("Enter()");
    client.until_status("HOLDING", ANSWER);
    client.act("PA(2)");
    turn_pages(&mut client);
    client.enter(lines);
    client.until_status("MORE...", ANSWER);
    client.act("Clear()");
    turn_pages(&mut client);

    // RETRIEVE, and a PF key that enters what was typed.
    client.say("#cp set pf12 retrieve", "set pf12", ANSWER);
    client.say("#cp query userid", "CMSUSER  AT", ANSWER);
    client.act("Clear()");
    client.act("PF(12)");
    client.until("#cp query userid", ANSWER);
    client.act("Enter()");
    client.until("CMSUSER  AT", ANSWER);

    // Disconnected and back: the program has gone on.
    client.say("#cp disconnect", "DISCONNECT AT", ANSWER);
    client.act("Enter()");
    client.until("USERID", ANSWER);
    client.log_on_again("CMSUSER");
    client.until_status("CP READ", ANSWER);
    client.enter("begin");
    client.until_status("RUNNING", ANSWER);
    client.say("#cp logoff", "LOGOFF AT", ANSWER);
}

/// SYSREQ of TN3270E takes the display out of its session and empties the screen: all of it is written again.
#[test]
fn the_screen_is_written_anew_after_sysreq() {
    if !has_s3270() {
        return;
    }
    let system = System::start("sysreq", |_| {});
    let mut client = Client::connect_as(&system, &["-model", "3279-2-E"], "");
    client.act("SysReq()");
    client.until("USERID", ANSWER);
    client.log_on("CMSUSER");
    client.until_status("CP READ", ANSWER);
    client.say("query userid", "CMSUSER  AT", ANSWER);
    // SYSREQ is an attention, too: a line for CP is one in either state of the machine.
    let mut there = "CMSUSER  AT";
    for (line, answer) in [("#cp query time", "TIME IS"), ("#cp query virtual storage", "STORAGE =")] {
        client.act("SysReq()");
        client.until(there, ANSWER);
        client.say(line, answer, ANSWER);
        there = answer;
    }
    client.say("#cp logoff", "LOGOFF AT", ANSWER);
}

fn turn_pages(client: &mut Client) {
    let began = Instant::now();
    while client.status() != "RUNNING   ENDICOTT" {
        assert!(began.elapsed() < ANSWER, "{}", client.rows().join("\n"));
        if client.status().starts_with("MORE") {
            client.act("Clear()");
        }
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_terminal_over_tls() {
    if !has_openssl() {
        return;
    }
    let system = System::start("tls", certificate);
    assert!(system.log().contains("with TLS"), "{}", system.log());
    // A client that speaks no TLS, and one that goes in the middle of the handshake, get no session and do no harm.
    let mut plain = Line::connect(&system);
    plain.send(b"logon maint maint\r\n");
    plain.until_the_end();
    let mut hasty = TcpStream::connect(("127.0.0.1", system.port)).expect("the system answers");
    hasty.write_all(&[0x16, 0x03, 0x01, 0x02, 0x00, 0x01]).expect("the system listens");
    drop(hasty);

    let mut telnet = Command::new("timeout")
        .args(["10", "openssl", "s_client", "-quiet", "-connect", &format!("127.0.0.1:{}", system.port)])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("openssl starts");
    let mut input = telnet.stdin.take().expect("the input is piped");
    // It never answers in negotiation and is a typewriter after some seconds.
    thread::sleep(Duration::from_secs(5));
    input.write_all(b"logon cmsuser cmsuser\r\nquery userid\r\nlogoff\r\n").expect("openssl listens");
    let said = telnet.wait_with_output().expect("openssl ends");
    drop(input);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("CMSUSER  AT ENDICOTT"), "{said}");

    if has_s3270() {
        let mut client = Client::connect_as(&system, &["-noverifycert", "-model", "3279-4"], "L:");
        client.log_on("MAINT");
        client.say("query userid", "MAINT    AT ENDICOTT", ANSWER);
        client.say("logoff", "LOGOFF AT", ANSWER);
    }
}

#[test]
fn plain_telnet_logs_on_in_line_mode() {
    let system = System::start("telnet", |_| {});
    let mut line = Line::connect(&system);
    line.enter("logon cmsuser");
    line.until("ENTER PASSWORD");
    let welcome = line.say("cmsuser", "LOGON AT");
    assert!(welcome.contains("FILES:"), "{welcome}");
    line.say("query userid", "CMSUSER  AT ENDICOTT");
    line.say("logoff", "LOGOFF AT");

    // The telnet that people have: it negotiates a terminal type and stays a typewriter.
    let mut telnet = Command::new("timeout")
        .args(["60", "telnet", "127.0.0.1", &system.port.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("timeout starts");
    let mut input = telnet.stdin.take().expect("the input is piped");
    for words in ["logon maint maint\n", "query userid\n", "logoff\n"] {
        thread::sleep(Duration::from_secs(1));
        let _ = input.write_all(words.as_bytes());
    }
    thread::sleep(Duration::from_secs(1));
    drop(input);
    let said = telnet.wait_with_output().expect("telnet ends");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    if said.is_empty() {
        println!("skipped: telnet is not installed (Debian package of the same name)");
        return;
    }
    assert!(said.contains("MAINT    AT ENDICOTT"), "{said}");
}

#[test]
fn wrong_passwords_and_unknown_users() {
    let system = System::start("passwords", |_| {});
    let mut line = Line::connect(&system);
    let refused = "HCPLGA050E LOGON unsuccessful--incorrect userid and/or password";
    line.say("logon maint wrong", refused);
    line.say("logon stranger wrong", refused);
    line.say("logon maint", "ENTER PASSWORD");
    line.say("wrong", refused);
    line.say("logon maint wrong", refused);
    line.say("logon maint wrong", "HCPLGA115E LOGON invalid; excessive incorrect passwords");
    // Another terminal does not suffer.
    Line::log_on(&system, "maint").say("logoff", "LOGOFF AT");
    assert_eq!(system.log().matches("panicked").count(), 0, "{}", system.log());
}

/// An address of this host that is not the loopback address, if there is one.
fn outside_address() -> Option<IpAddr> {
    // Nothing is sent: the host only chooses the address that it would send from.
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then_some(address)
}

#[test]
fn an_initial_password_is_good_only_from_this_host() {
    let Some(address) = outside_address() else {
        println!("skipped: this host has no address but its own");
        return;
    };
    let system = System::start_at("outside", "0.0.0.0", |folder| {
        let directory = fs::read_to_string(folder.join("USER DIRECT")).expect("the sample has one");
        let changed = directory.replace("USER MAINT MAINT ", "USER MAINT SECRET ");
        assert_ne!(changed, directory);
        fs::write(folder.join("USER DIRECT"), changed).expect("the folder is there");
    });
    let mut outside = Line::connect_to(&address.to_string(), system.port);
    outside.say("logon cmsuser cmsuser", "HCPLGA050E");
    outside.say("logon maint secret", "LOGON AT");
    Line::log_on(&system, "cmsuser").say("logoff", "LOGOFF AT");
}

#[test]
fn a_changed_password_is_good_at_once() {
    let system = System::start("password", |_| {});
    Line::log_on(&system, "maint").say("logoff", "LOGOFF AT");
    let mut change = endicott();
    change.args(["password", "--system"]).arg(&system.folder).arg("maint");
    let mut child = change.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("endicott starts");
    child.stdin.take().expect("the input is piped").write_all(b"newsecrt\n").expect("it asks for the password");
    assert!(child.wait().expect("it ends").success());
    let mut line = Line::connect(&system);
    line.say("logon maint maint", "HCPLGA050E");
    line.say("logon maint newsecrt", "LOGON AT");
}

/// A query of everything there is, by one user, and another who works: CP answers both.
#[test]
fn a_long_response_does_not_hold_up_other_terminals() {
    let system = System::start("long", |_| {});
    let mut long = Line::log_on(&system, "maint");
    let mut short = Line::log_on(&system, "cmsuser");
    long.say("define storage 1g", "STORAGE = 1G");
    let began = std::time::Instant::now();
    (0..20).for_each(|_| long.enter("display tk0-end"));
    short.say("query userid", "AT ENDICOTT");
    let took = began.elapsed();
    assert!(took < Duration::from_secs(10), "{took:?}");
}

#[test]
fn a_terminal_that_goes_leaves_its_user_disconnected() {
    let system = System::start("gone", |_| {});
    let mut maint = Line::log_on(&system, "maint");
    let mut user = Line::log_on(&system, "cmsuser");
    user.say("store s200 a7f40000", "STORE COMPLETE");
    user.enter("begin 200");
    user.say("#cp query userid", "CMSUSER  AT");
    // In the middle of a telnet command, and of a line.
    user.send(&[b'q', b' ', 255]);
    drop(user);
    until_named(&mut maint, "CMSUSER  - DSC");
    if has_s3270() {
        let mut client = Client::connect_as(&system, &["-model", "3279-2"], "");
        client.log_on_again("CMSUSER");
        client.until_status("CP READ", ANSWER);
        client.enter("begin");
        client.until_status("RUNNING", ANSWER);
        drop(client);
        until_named(&mut maint, "CMSUSER  - DSC");
    }
    let mut user = Line::connect(&system);
    user.say("logon cmsuser cmsuser", "RECONNECTED AT");
    user.say("#cp query userid", "CMSUSER  AT");
    user.say("#cp logoff", "LOGOFF AT");
    maint.say("query names", "MAINT");
}

fn until_named(line: &mut Line, who: &str) {
    let began = Instant::now();
    while !line.say("query names", "MAINT").contains(who) {
        assert!(began.elapsed() < ANSWER, "no {who}");
        thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn clients_that_send_rubbish_or_go_while_negotiating_do_no_harm() {
    let system = System::start("rubbish", |_| {});
    let mut maint = Line::log_on(&system, "maint");
    let connect = || TcpStream::connect(("127.0.0.1", system.port)).expect("the system answers");
    const IAC: u8 = 255;
    const SB: u8 = 250;
    // Each goes after a piece of a conversation that a TN3270E client begins.
    let conversation: &[u8] =
        &[IAC, 251, 40, IAC, SB, 40, 2, 7, b'I', b'B', b'M', b'-', b'3', b'2', b'7', b'9', b'-', b'2'];
    for length in 0..conversation.len() {
        connect().write_all(&conversation[..length]).expect("the system listens");
    }
    // Numbers without a meaning, from a generator with a fixed seed; some hear all of them, some hang up first.
    let mut random = Random::seeded(1);
    for round in 0..24 {
        let bytes: Vec<u8> = (0..8192)
            .map(|n| {
                // Telnet's own commands more often than chance brings them.
                if n % (2 + round % 5) == 0 { IAC } else { random.byte() }
            })
            .collect();
        let _ = connect().write_all(&bytes);
    }
    // A line and a subnegotiation that do not end.
    let endless = [vec![IAC, SB, 24, 0], vec![b'x'; 1 << 20]].concat();
    let _ = connect().write_all(&endless);
    let _ = connect().write_all(&vec![b'x'; 1 << 20]);
    maint.say("query users", "USERS");
    maint.say("logoff", "LOGOFF AT");
    assert!(!system.log().contains("panicked"), "{}", system.log());
}

/// Kilobytes of storage that a process occupies.
fn resident_kib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or("0");
    line.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// A channel program that types for ever: a write, chained to a TIC to itself.
fn type_for_ever(mut say: impl FnMut(&str)) {
    say("store s200 58100280b234030096800305b2320300b2330290820002a0");
    say("store s280 00010000");
    say("store s290 000000000080ff00000002c0");
    say("store s2a0 020a000080000000");
    say("store s2c0 0960005000000400");
    say("store s2c8 08000000000002c0");
    say("store s400 c1c2c3c4c5c6c7c8");
}

#[test]
fn a_client_that_never_reads_is_given_up() {
    let system = System::start("deaf", |_| {});
    let mut maint = Line::log_on(&system, "maint");
    let mut deaf = Line::log_on(&system, "cmsuser");
    type_for_ever(|line| drop(deaf.say(line, "STORE COMPLETE")));
    let before = resident_kib(system.process());
    deaf.enter("begin 200");
    until_named(&mut maint, "CMSUSER  - DSC");
    let after = resident_kib(system.process());
    assert!(after < before + (64 << 10), "{before} KiB became {after} KiB");
    maint.enter("force cmsuser");
    let began = Instant::now();
    while maint.say("query names", "MAINT").contains("CMSUSER") {
        assert!(began.elapsed() < ANSWER, "CMSUSER does not go");
    }
}

#[test]
fn a_program_that_types_faster_than_its_user_reads_waits() {
    if !has_s3270() {
        return;
    }
    let system = System::start("typist", |_| {});
    let mut client = Client::connect_as(&system, &["-model", "3279-2"], "");
    client.log_on("CMSUSER");
    type_for_ever(|line| drop(client.say(line, "STORE COMPLETE", ANSWER)));
    let before = resident_kib(system.process());
    client.enter("begin 200");
    client.until_status("MORE...", ANSWER);
    // The page is not turned.
    thread::sleep(Duration::from_secs(3));
    let after = resident_kib(system.process());
    assert!(after < before + (16 << 10), "{before} KiB became {after} KiB");
    // The program goes on when it is turned, and the break key works.
    client.act("Clear()");
    client.until_status("MORE...", ANSWER);
    client.act("PA(1)");
    client.act("Clear()");
    let began = Instant::now();
    while !client.status().starts_with("CP READ") {
        assert!(began.elapsed() < ANSWER, "{}", client.rows().join("\n"));
        client.act("Clear()");
    }
    client.say("logoff", "LOGOFF AT", ANSWER);
}
