//! The client's end of a connection against the host's end, and against hosts that break the rules.

use support::Random;
use tn3270::{Caller, Client, Config, Event, FromHost, Functions, Protocol, Reject, Session, Terminal, sizes};

fn caller(terminal_type: &str, tn3270e: bool) -> Caller {
    Caller { terminal_type: terminal_type.into(), device_name: None, tn3270e }
}

/// Carries bytes both ways, cut anywhere, until both are silent.
fn carry(client: &mut Client, session: &mut Session, random: &mut Random) {
    loop {
        let (down, up) = (session.take_output(), client.take_output());
        if down.is_empty() && up.is_empty() {
            return;
        }
        let pieces = |bytes: &[u8], random: &mut Random| -> Vec<Vec<u8>> {
            let at = random.below(bytes.len() + 1);
            vec![bytes[..at].to_vec(), bytes[at..].to_vec()]
        };
        pieces(&down, random).iter().for_each(|piece| client.receive(piece));
        pieces(&up, random).iter().for_each(|piece| session.receive(piece));
    }
}

#[test]
fn records_travel_both_ways_in_either_protocol() {
    for (host, wanted, protocol) in
        [(true, true, Protocol::Tn3270e), (true, false, Protocol::Tn3270), (false, true, Protocol::Tn3270)]
    {
        let mut random = Random::seeded(u64::from(host) * 2 + u64::from(wanted));
        let mut session = Session::new(Config { query: false, tn3270e: host, ..Config::default() });
        let mut client = Client::new(caller("IBM-3279-4", wanted));
        carry(&mut client, &mut session, &mut random);
        let Some(FromHost::Ready { protocol: used, .. }) = client.next_event() else { panic!("{protocol:?}") };
        assert_eq!(used, protocol);
        let Some(Event::Ready(Terminal::Screen(display))) = session.next_event() else { panic!("{protocol:?}") };
        assert_eq!((display.protocol, display.rows, display.cols), (protocol, 43, 80));
        for _ in 0..20 {
            let (length, back) = (random.below(300usize) + 1, random.below(300usize) + 1);
            let (down, up) = (random.bytes(length), random.bytes(back));
            session.send_3270(&down);
            client.send(&up);
            carry(&mut client, &mut session, &mut random);
            assert_eq!(client.next_event(), Some(FromHost::Record(down)));
            assert_eq!(session.next_event(), Some(Event::Inbound(up)));
        }
        session.close();
        carry(&mut client, &mut session, &mut random);
        let ended = matches!(client.next_event(), Some(FromHost::Closed(_)));
        assert_eq!(ended, protocol == Protocol::Tn3270e, "classic TN3270 has the socket's end alone");
    }
}

#[test]
fn what_the_host_wants_confirmed_is() {
    let (mut session, mut random) = (Session::new(Config { query: false, ..Config::default() }), Random::seeded(1));
    let mut client = Client::new(caller("IBM-3278-2-E", true));
    carry(&mut client, &mut session, &mut random);
    session.next_event();
    let sequence = session.send_3270_confirmed(&[0xf1, 0xc3]).expect("both can");
    carry(&mut client, &mut session, &mut random);
    let Some(Event::Response { sequence: confirmed, response }) = session.next_event() else { panic!("no response") };
    assert_eq!((confirmed, response), (sequence, tn3270::Response::Positive));
}

#[test]
fn names_are_asked_for_and_refusals_say_why() {
    let mut client = Client::new(Caller { device_name: Some("GRAF01".into()), ..caller("IBM-3278-2", true) });
    client.receive(&[255, 253, 40, 255, 250, 40, 8, 2, 255, 240]);
    let asked = client.take_output();
    assert!(asked.windows(6).any(|part| part == b"GRAF01"), "{asked:?}");
    client.receive(&[255, 250, 40, 2, 6, 5, Reject::DeviceInUse as u8, 255, 240]);
    let Some(FromHost::Closed(why)) = client.next_event() else { panic!("it goes on") };
    assert_eq!(why, "the host refuses IBM-3278-2 as GRAF01: the device is in use");
}

#[test]
fn a_host_may_want_fewer_functions() {
    let mut client = Client::new(caller("IBM-3278-2", true));
    client.receive(&[255, 253, 40]);
    client.take_output();
    // DATA-STREAM-CTL is not for displays: the client says what is left.
    client.receive(&[255, 250, 40, 3, 7, 1, 2, 255, 240]);
    assert_eq!(client.take_output(), [255, 250, 40, 3, 7, 2, 255, 240]);
    assert_eq!(client.next_event(), None);
    client.receive(&[255, 250, 40, 3, 4, 2, 255, 240]);
    assert!(matches!(client.next_event(), Some(FromHost::Ready { protocol: Protocol::Tn3270e, .. })));
    assert!(Functions::DISPLAY.has(tn3270::Function::Responses));
}

#[test]
fn whatever_a_host_sends_is_taken_or_ends_it() {
    for seed in 0..300 {
        let mut random = Random::seeded(seed);
        let mut client = Client::new(caller("IBM-3278-2-E", true));
        for _ in 0..40 {
            let length = random.below(30usize);
            let mut bytes = random.bytes(length);
            if random.one_in(2) {
                bytes.splice(0..0, [255, random.pick(&[239, 250, 251, 252, 253, 254]), random.pick(&[0, 24, 25, 40])]);
            }
            client.receive(&bytes);
            client.send(&bytes);
            client.take_output();
            while client.next_event().is_some() {}
        }
    }
}

#[test]
fn terminal_types_have_sizes() {
    let [default, alternate] = sizes("IBM-3278-5-E").expect("it is one");
    assert_eq!((default.rows, default.cols, alternate.rows, alternate.cols), (24, 80, 27, 132));
    assert_eq!(sizes("VT220"), None);
}
