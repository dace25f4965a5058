//! Exchanges as the RFCs show them: what a client says, what the server answers, what the owner is told.

use tn3270::datastream::{Outbound, Size, Wcc};
use tn3270::{Config, Display, Event, Function, Functions, Model, Protocol, Reject, Response, Session, Terminal};

const IAC: u8 = 255;
const DONT: u8 = 254;
const DO: u8 = 253;
const WONT: u8 = 252;
const WILL: u8 = 251;
const SB: u8 = 250;
const AO: u8 = 245;
const IP: u8 = 244;
const BRK: u8 = 243;
const SE: u8 = 240;
const EOR: u8 = 239;

const BINARY: u8 = 0;
const ECHO: u8 = 1;
const TT: u8 = 24;
const REC: u8 = 25;
const TN3270E: u8 = 40;

/// `IAC SB option text IAC SE`.
fn sub(option: u8, codes: &[u8], text: &str) -> Vec<u8> {
    [&[IAC, SB, option], codes, text.as_bytes(), &[IAC, SE]].concat()
}

/// Feeds `bytes` and returns the answer.
fn say(session: &mut Session, bytes: &[u8]) -> Vec<u8> {
    session.receive(bytes);
    session.take_output()
}

fn events(session: &mut Session) -> Vec<Event> {
    std::iter::from_fn(|| session.next_event()).collect()
}

fn display(events: Vec<Event>) -> Display {
    match events.into_iter().next() {
        Some(Event::Ready(Terminal::Screen(display))) => *display,
        other => panic!("not a display: {other:?}"),
    }
}

fn session() -> Session {
    Session::new(Config { query: false, ..Config::default() })
}

/// A session as far as FUNCTIONS, for `device_type`.
fn tn3270e(mut session: Session, device_type: &str) -> Session {
    assert_eq!(session.take_output(), [IAC, DO, TN3270E]);
    assert_eq!(say(&mut session, &[IAC, WILL, TN3270E]), sub(TN3270E, &[8, 2], ""));
    let answer = say(&mut session, &sub(TN3270E, &[2, 7], device_type));
    assert_eq!(answer, sub(TN3270E, &[2, 4], &format!("{device_type}\x01L0001")));
    session
}

/// A ready TN3270E session with `functions`.
fn ready(functions: &[u8]) -> Session {
    let mut session = tn3270e(session(), "IBM-3278-2");
    say(&mut session, &sub(TN3270E, &[&[3, 7], functions].concat(), ""));
    assert!(matches!(events(&mut session)[..], [Event::Ready(_)]));
    session
}

/// A ready classic TN3270 session.
fn classic(terminal_type: &str) -> Session {
    let mut session = session();
    session.take_output();
    assert_eq!(say(&mut session, &[IAC, WONT, TN3270E]), [IAC, DO, TT]);
    assert_eq!(say(&mut session, &[IAC, WILL, TT]), sub(TT, &[1], ""));
    let answer = say(&mut session, &sub(TT, &[0], terminal_type));
    assert_eq!(answer, [IAC, DO, REC, IAC, WILL, REC, IAC, DO, BINARY, IAC, WILL, BINARY]);
    assert_eq!(say(&mut session, &[IAC, WILL, REC, IAC, DO, REC, IAC, WILL, BINARY, IAC, DO, BINARY]), []);
    session
}

#[test]
fn tn3270e_with_every_function() {
    let mut session = tn3270e(session(), "IBM-3278-4");
    let answer = say(&mut session, &sub(TN3270E, &[3, 7, 0, 2, 4], ""));
    let is = sub(TN3270E, &[3, 4, 0, 2, 4], "");
    assert_eq!(answer[..is.len()], is);
    // BIND-IMAGE was agreed, so the BIND comes before anything else.
    assert_eq!(answer[is.len()..is.len() + 6], [3, 0, 0, 0, 0, 0x31]);
    assert_eq!(answer[answer.len() - 2..], [IAC, EOR]);
    let display = display(events(&mut session));
    assert_eq!((display.protocol, display.model, display.rows, display.cols), (Protocol::Tn3270e, Model::M4, 43, 80));
    assert_eq!((display.device_name.as_str(), display.extended), ("L0001", false));
    assert_eq!(display.functions, Functions::DISPLAY);
}

#[test]
fn functions_that_a_display_has_not_are_bargained_away() {
    let mut session = tn3270e(session(), "IBM-3278-2");
    // DATA-STREAM-CTL and what later drafts added are not ours.
    assert_eq!(say(&mut session, &sub(TN3270E, &[3, 7, 0, 1, 2, 5], "")), sub(TN3270E, &[3, 7, 0, 2], ""));
    assert_eq!(events(&mut session), []);
    let answer = say(&mut session, &sub(TN3270E, &[3, 4, 2], ""));
    assert_eq!(answer, []);
    assert_eq!(display(events(&mut session)).functions, Functions::NONE.with(Function::Responses));
}

#[test]
fn functions_nobody_offered_end_the_session() {
    let mut session = tn3270e(session(), "IBM-3278-2");
    say(&mut session, &sub(TN3270E, &[3, 4, 0], ""));
    assert!(matches!(events(&mut session)[..], [Event::Closed(_)]));
}

#[test]
fn a_client_may_ask_for_a_device_name() {
    let names = |asked: Option<&str>| match asked {
        Some("BUSY") => Err(Reject::DeviceInUse),
        Some(name) => Ok(name.to_string()),
        None => Ok("L0009".to_string()),
    };
    let mut session = Session::with_names(Config { query: false, ..Config::default() }, Box::new(names));
    say(&mut session, &[IAC, WILL, TN3270E]);
    let ask =
        |session: &mut Session, name: &str| say(session, &sub(TN3270E, &[2, 7], &format!("IBM-3278-2\x01{name}")));
    assert_eq!(ask(&mut session, "BUSY"), sub(TN3270E, &[2, 6, 5, 1], ""));
    assert_eq!(ask(&mut session, "NAMETOOLONG"), sub(TN3270E, &[2, 6, 5, 3], ""));
    assert_eq!(ask(&mut session, "GRAF01"), sub(TN3270E, &[2, 4], "IBM-3278-2\x01GRAF01"));
    say(&mut session, &sub(TN3270E, &[3, 7], ""));
    assert_eq!(display(events(&mut session)).device_name, "GRAF01");
}

#[test]
fn a_printer_is_no_display() {
    let mut session = session();
    session.take_output();
    say(&mut session, &[IAC, WILL, TN3270E]);
    assert_eq!(say(&mut session, &sub(TN3270E, &[2, 7], "IBM-3287-1")), sub(TN3270E, &[2, 6, 5, 4], ""));
    assert_eq!(say(&mut session, &sub(TN3270E, &[2, 7], "IBM-3278-2\x00L1")), sub(TN3270E, &[2, 6, 5, 2], ""));
    // It may give TN3270E up and try the older way.
    assert_eq!(say(&mut session, &[IAC, WONT, TN3270E]), [IAC, DONT, TN3270E, IAC, DO, TT]);
    // But not for ever.
    let mut session = self::session();
    say(&mut session, &[IAC, WILL, TN3270E]);
    for _ in 0..40 {
        say(&mut session, &sub(TN3270E, &[2, 7], "IBM-3287-1"));
    }
    assert!(matches!(events(&mut session)[..], [Event::Closed(_)]));
}

#[test]
fn tn3270e_records_both_ways() {
    let mut session = ready(&[]);
    session.send_3270(&[0xf5, 0xc3, 0xff]);
    assert_eq!(session.take_output(), [0, 0, 0, 0, 0, 0xf5, 0xc3, 255, 255, IAC, EOR]);
    assert_eq!(session.send_3270_confirmed(&[0xf1, 0xc3]), None, "RESPONSES is not in use");
    assert_eq!(session.take_output(), [0, 0, 0, 0, 1, 0xf1, 0xc3, IAC, EOR]);
    session.receive(&[0, 0, 0, 0, 7, 0x7d, 0x40, 0x40, 255, 255, IAC, EOR]);
    assert_eq!(events(&mut session), [Event::Inbound(vec![0x7d, 0x40, 0x40, 0xff])]);
    session.receive(&[5, 0, 0, 0, 0, b'h', b'i', b'\r', b'\n', IAC, EOR]);
    assert_eq!(events(&mut session), [Event::Line("hi".into())]);
}

#[test]
fn responses_carry_the_number_of_their_record() {
    let mut session = ready(&[2]);
    session.send_3270(&[0xf5, 0xc3]);
    assert_eq!(session.send_3270_confirmed(&[0xf1, 0xc3]), Some(1));
    assert_eq!(session.take_output()[9..], [0, 0, 2, 0, 1, 0xf1, 0xc3, IAC, EOR]);
    session.receive(&[2, 0, 0, 0, 1, 0, IAC, EOR, 2, 0, 1, 0, 9, 2, IAC, EOR]);
    assert_eq!(
        events(&mut session),
        [
            Event::Response { sequence: 1, response: Response::Positive },
            Event::Response { sequence: 9, response: Response::OperationCheck }
        ]
    );
}

#[test]
fn attn_and_sysreq() {
    let mut session = ready(&[4]);
    session.receive(&[IAC, BRK, IAC, IP, IAC, AO]);
    assert_eq!(events(&mut session), [Event::Attention, Event::Attention, Event::SysReq]);
    // What is typed then comes as SSCP-LU data.
    session.receive(&[7, 0, 0, 0, 0, 0x93, 0x96, 0x87, IAC, EOR]);
    assert_eq!(events(&mut session), [Event::Line("log".into())]);
}

#[test]
fn an_extended_terminal_is_asked_what_it_is() {
    let mut session = tn3270e(Session::new(Config::default()), "IBM-DYNAMIC");
    let answer = say(&mut session, &sub(TN3270E, &[3, 7], ""));
    assert!(answer.ends_with(&[0xf3, 0, 5, 1, 0xff, 0xff, 2, IAC, EOR]), "{answer:02x?}");
    assert_eq!(events(&mut session), []);
    let screen = tn3270::Screen::new(Size::new(24, 80), Size::new(62, 160));
    let mut record = vec![0, 0, 0, 0, 0];
    for b in screen.query_reply() {
        record.push(b);
        if b == IAC {
            record.push(b);
        }
    }
    record.extend([IAC, EOR]);
    session.receive(&record);
    let display = display(events(&mut session));
    assert_eq!((display.rows, display.cols), (62, 160));
    assert!(display.extended && display.color && display.highlighting);
    assert_eq!(display.query_record, screen.query_reply());
    // Later replies belong to the caller.
    session.receive(&record);
    assert!(matches!(events(&mut session)[..], [Event::Inbound(_)]));
}

#[test]
fn a_terminal_that_does_not_answer_the_query_is_ready_all_the_same() {
    let query = || {
        let mut session = tn3270e(Session::new(Config::default()), "IBM-3278-3-E");
        say(&mut session, &sub(TN3270E, &[3, 7], ""));
        session
    };
    let mut early = query();
    early.receive(&[0, 0, 0, 0, 0, 0x6d, IAC, EOR]);
    assert!(matches!(&events(&mut early)[..], [Event::Ready(_), Event::Inbound(r)] if r == &[0x6d]));
    let mut silent = query();
    assert!(silent.is_negotiating());
    silent.silence();
    assert_eq!(display(events(&mut silent)).rows, 32);
    // The answer that comes too late is not taken for an operator's key.
    silent.receive(&[0, 0, 0, 0, 0, 0x88, 0, 4, 0x81, 0x80, IAC, EOR]);
    assert_eq!(events(&mut silent), []);
}

#[test]
fn classic_tn3270() {
    let mut session = classic("IBM-3279-5");
    let display = display(events(&mut session));
    assert_eq!((display.protocol, display.rows, display.cols), (Protocol::Tn3270, 27, 132));
    assert_eq!(display.device_name, "L0001");
    let mut w = Outbound::erase_write(Size::new(24, 80), Wcc::UNLOCK);
    w.text("A");
    session.send_3270(&w.finish());
    assert_eq!(session.take_output(), [0xf5, 0xc3, 0xc1, IAC, EOR]);
    session.receive(&[0x6c, IAC, EOR, IAC, EOR]);
    assert_eq!(events(&mut session), [Event::Inbound(vec![0x6c])]);
    session.receive(&[IAC, WONT, BINARY]);
    assert!(matches!(events(&mut session)[..], [Event::Closed(_)]));
}

#[test]
fn classic_tn3270_with_a_device_name() {
    let mut session = classic("IBM-3278-2-E@GRAF07");
    let display = display(events(&mut session));
    assert_eq!((display.device_name.as_str(), display.terminal_type.as_str()), ("GRAF07", "IBM-3278-2-E"));
}

#[test]
fn a_client_may_offer_its_options_first() {
    let mut session = session();
    session.take_output();
    let answer = say(&mut session, &[IAC, WILL, TT, IAC, WILL, REC, IAC, DO, REC, IAC, WILL, BINARY, IAC, DO, BINARY]);
    assert_eq!(answer, [IAC, DO, TT, IAC, DO, REC, IAC, WILL, REC, IAC, DO, BINARY, IAC, WILL, BINARY]);
    assert_eq!(say(&mut session, &[IAC, WONT, TN3270E]), sub(TT, &[1], ""));
    assert_eq!(say(&mut session, &sub(TT, &[0], "IBM-3278-2")), []);
    assert_eq!(display(events(&mut session)).rows, 24);
}

#[test]
fn a_terminal_type_among_several() {
    let mut session = session();
    say(&mut session, &[IAC, WONT, TN3270E, IAC, WILL, TT]);
    assert_eq!(say(&mut session, &sub(TT, &[0], "XTERM")), sub(TT, &[1], ""));
    assert_eq!(say(&mut session, &sub(TT, &[0], "IBM-3278-3"))[..3], [IAC, DO, REC]);
}

#[test]
fn telnet_comes_down_to_lines() {
    let mut session = session();
    say(&mut session, &[IAC, WONT, TN3270E, IAC, WILL, TT]);
    // Typed ahead.
    session.receive(b"early\r\n");
    say(&mut session, &sub(TT, &[0], "XTERM"));
    assert_eq!(events(&mut session), []);
    assert_eq!(say(&mut session, &sub(TT, &[0], "XTERM")), []);
    let terminal = Terminal::Line { terminal_type: Some("XTERM".into()) };
    assert_eq!(events(&mut session), [Event::Ready(terminal), Event::Line("early".into())]);
    session.send_text("a\nb\r");
    assert_eq!(session.take_output(), b"a\r\nb\r\0");
    session.receive(&[b"logon\r\n", &[IAC, IP, IAC, DO, 6][..]].concat());
    assert_eq!(events(&mut session), [Event::Line("logon".into()), Event::Attention]);
    assert_eq!(session.take_output(), [IAC, WILL, 6], "the timing mark a telnet waits for after an interrupt");
}

#[test]
fn passwords_do_not_show() {
    let mut session = session();
    say(&mut session, &[IAC, WONT, TN3270E, IAC, WONT, TT]);
    assert_eq!(events(&mut session), [Event::Ready(Terminal::Line { terminal_type: None })]);
    session.set_echo(false);
    assert_eq!(session.take_output(), [IAC, WILL, ECHO]);
    assert_eq!(say(&mut session, &[IAC, DO, ECHO]), []);
    assert_eq!(say(&mut session, b"secret\r\0"), b"\r\n");
    session.set_echo(true);
    assert_eq!(session.take_output(), [IAC, WONT, ECHO]);
    assert_eq!(say(&mut session, &[IAC, DONT, ECHO]), []);
    assert_eq!(say(&mut session, b"open\r\n"), []);
    assert_eq!(events(&mut session), [Event::Line("secret".into()), Event::Line("open".into())]);
}

#[test]
fn a_bare_socket_is_a_line_terminal_once_it_speaks() {
    let mut session = session();
    session.receive(b"hello\n");
    assert!(matches!(&events(&mut session)[..], [Event::Ready(_), Event::Line(l)] if l == "hello"));
    let mut silent = self::session();
    silent.silence();
    assert!(matches!(events(&mut silent)[..], [Event::Ready(Terminal::Line { .. })]));
}

#[test]
fn a_client_that_stops_halfway_is_given_up() {
    let mut session = tn3270e(session(), "IBM-3278-2");
    session.silence();
    assert!(matches!(events(&mut session)[..], [Event::Closed(_)]));
    assert!(session.is_closed());
}

#[test]
fn a_session_can_move_to_a_thread() {
    fn can_move<T: Send>(_: &T) {}
    can_move(&session());
}

#[test]
fn closing_unbinds() {
    let mut session = ready(&[0]);
    session.take_output();
    session.close();
    assert_eq!(session.take_output(), [4, 0, 0, 0, 0, 1, IAC, EOR]);
    session.send_3270(&[0xf5, 0xc3]);
    session.keep_alive();
    assert_eq!(session.take_output(), []);
}

#[test]
fn what_breaks_the_rules_closes_with_a_reason() {
    let closed = |bytes: &[u8]| {
        let mut session = ready(&[]);
        session.receive(bytes);
        match &events(&mut session)[..] {
            [Event::Closed(why)] => !why.is_empty(),
            other => panic!("{bytes:02x?}: {other:?}"),
        }
    };
    assert!(closed(&[0, 0, IAC, EOR]));
    assert!(closed(&[IAC, WONT, TN3270E]));
    assert!(closed(&[IAC, SE]));
    assert!(closed(&sub(TN3270E, &[9, 9], "")));
    assert!(closed(&sub(TN3270E, &[2, 7], "IBM-3278-2")));
    assert!(closed(&vec![0; 1 << 18]));
}

#[test]
fn it_does_not_matter_where_packets_are_cut() {
    let mut stream = vec![IAC, WILL, TN3270E];
    stream.extend(sub(TN3270E, &[2, 7], "IBM-3278-2-E\x01GRAF01"));
    stream.extend(sub(TN3270E, &[3, 7, 0, 2, 4], ""));
    stream.extend([0, 0, 0, 0, 0, 0x88, 0, 4, 0x81, 0x80, IAC, EOR]);
    stream.extend([0, 0, 0, 0, 1, 0x7d, 0x40, 255, 255, 0xc1, IAC, EOR, IAC, BRK]);
    let whole = {
        let mut session = Session::new(Config::default());
        let out = [session.take_output(), say(&mut session, &stream)].concat();
        (out, events(&mut session))
    };
    assert_eq!(whole.1.len(), 3);
    for cut in 1..stream.len() {
        let mut session = Session::new(Config::default());
        let mut out = session.take_output();
        out.extend(say(&mut session, &stream[..cut]));
        out.extend(say(&mut session, &stream[cut..]));
        assert_eq!((out, events(&mut session)), whole, "cut at {cut}");
    }
}
