//! What a terminal may send: telnet, TN3270E negotiation and 3270 records, whole, damaged and cut anywhere; and what
//! a guest may send a terminal: 3270 data streams on our model of a screen.

use tn3270::{Config, Event, Inbound, Screen, Session, Terminal};

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "terminal", about: "telnet, TN3270E and 3270 data streams", run };

/// Pieces of real conversations (RFC 854, 1091, 1576 and 2355; GA23-0059 for the records).
const PIECES: &[&[u8]] = &[
    b"\xFF\xFB\x28",                                      // WILL TN3270E
    b"\xFF\xFC\x28",                                      // WONT TN3270E
    b"\xFF\xFA\x28\x02\x07IBM-3278-2-E\xFF\xF0",          // DEVICE-TYPE REQUEST
    b"\xFF\xFA\x28\x02\x07IBM-3279-5-E\x01L0001\xFF\xF0", // ... CONNECT
    b"\xFF\xFA\x28\x02\x07IBM-DYNAMIC\xFF\xF0",
    b"\xFF\xFA\x28\x03\x07\x00\x02\x04\xFF\xF0",         // FUNCTIONS REQUEST
    b"\xFF\xFA\x28\x03\x04\xFF\xF0",                     // FUNCTIONS IS, none
    b"\xFF\xFB\x18\xFF\xFA\x18\x00IBM-3278-4-E\xFF\xF0", // WILL TERMINAL-TYPE, IS
    b"\xFF\xFA\x18\x00xterm\xFF\xF0",
    b"\xFF\xFB\x19\xFF\xFD\x19\xFF\xFB\x00\xFF\xFD\x00", // END-OF-RECORD and BINARY both ways
    b"\xFF\xEF",                                         // end of record
    b"\xFF\xF3",
    b"\xFF\xF4",                                                     // break, interrupt process
    b"\x00\x00\x00\x00\x00",                                         // TN3270E header: 3270 data
    b"\x02\x00\x00\x00\x01\x00",                                     // a positive response
    b"\x7D\x5B\x6B\x11\x5B\x60\x98\x85\x93\x97",                     // ENTER, cursor, a field
    b"\x88\x00\x0E\x81\x80\x80\x81\x84\x85\x86\x87\x88\x95\xA1\xA6", // query reply summary
    b"\x88\x00\x17\x81\x81\x01\x00\x00\x50\x00\x2B\x01\x00\x0A\x02\xE5\x00\x02\x00\x6F\x09\x0C\x0D\x70", // usable area
    b"\x6D",                                                         // CLEAR
    b"logon linux1\r\n",
    b"\x03\x08\x15\x7F\r\0",
];

/// Commands and orders of the outbound data stream with their operands.
const ORDERS: &[&[u8]] = &[
    b"\xF1\xC3",
    b"\xF5\xC3",
    b"\x7E\xC3",
    b"\x6F",
    b"\xF6",
    b"\xF2",
    b"\x6E",
    b"\xF3\x00\x05\x01\xFF\x02",
    b"\xF3\x00\x06\x40\x00\xF1\xC2",
    b"\x11\x40\x40",
    b"\x11\x5D\x7F",
    b"\x11\xFF\xFF",
    b"\x1D\xF0",
    b"\x1D\x60",
    b"\x29\x03\xC0\xF0\x42\xF2\x41\xF4",
    b"\x28\x42\xF1",
    b"\x2C\x01\x41\xF2",
    b"\x13",
    b"\x05",
    b"\x3C\x40\x40\x00",
    b"\x3C\x5D\x7F\x08\x40",
    b"\x12\x5B\x60",
    b"\x08\xF1",
    b"\xC8\xC5\xD3\xD3\xD6",
    b"\x0E\x42\x43\x0F",
];

fn run(chance: &mut Chance) {
    if chance.one_in(2) { client(chance) } else { host(chance) }
}

/// A conversation, from the host's side.
fn client(chance: &mut Chance) {
    let config = Config { tn3270e: !chance.one_in(3), query: !chance.one_in(3), ..Config::default() };
    let mut session = Session::new(config);
    let mut input = Vec::new();
    for _ in 0..chance.below(24) {
        input.extend_from_slice(chance.pick(PIECES));
    }
    if chance.one_in(2) {
        chance.damage(&mut input);
    }
    let mut rest = &input[..];
    while !rest.is_empty() {
        let (part, later) = rest.split_at(1 + chance.below(rest.len().min(40)));
        session.receive(part);
        rest = later;
        while let Some(event) = session.next_event() {
            match event {
                Event::Ready(Terminal::Screen(_)) => session.send_3270(&chance.bytes(40)),
                Event::Inbound(record) => {
                    let _ = Inbound::parse(&record);
                    let _ = session.send_3270_confirmed(b"\xF5\xC3\x11\x40\x40\xFF");
                }
                Event::Line(line) => session.send_text(&line),
                _ => {}
            }
        }
        match chance.below(16) {
            0 => session.silence(),
            1 => session.keep_alive(),
            2 => session.set_echo(chance.one_in(2)),
            _ => drop(session.take_output()),
        }
        if session.is_closed() {
            session.receive(b"more");
            break;
        }
    }
    session.close();
}

/// A guest's records on a screen, and the screen's answers read back.
fn host(chance: &mut Chance) {
    let size = |rows, cols| tn3270::Size::checked(rows, cols).expect("a size that terminals have");
    let alternate = [(24, 80), (32, 80), (43, 80), (27, 132)][chance.below(4)];
    let mut screen = Screen::new(size(24, 80), size(alternate.0, alternate.1));
    for _ in 0..chance.below(8) {
        let mut record = Vec::new();
        for _ in 0..chance.below(12) {
            record.extend_from_slice(chance.pick(ORDERS));
        }
        if chance.one_in(2) {
            chance.damage(&mut record);
        }
        let _ = screen.apply(&record);
        screen.set_cursor(chance.word() as u16);
        screen.type_text("QUERY \u{e9}NAMES");
        screen.tab();
        let aid = tn3270::Aid::from_byte(chance.byte());
        for record in [screen.read_modified(aid), screen.read_buffer(aid), screen.query_reply()] {
            if let Ok(inbound) = Inbound::parse(&record) {
                screen.accept(&inbound);
            }
        }
        let _ = (screen.press(aid), screen.text());
    }
}
