//! A screen in memory: what a host writes, what an operator does, what both then see.

use tn3270::codepage::CodePage;
use tn3270::datastream::{Attribute, Color, Highlight, Outbound, QueryReply, Size, Wcc, read_partition_query};
use tn3270::screen::{ReplyMode, ScreenError};
use tn3270::{Aid, Inbound, Screen};

const DEFAULT: Size = Size::new(24, 80);
const ALTERNATE: Size = Size::new(32, 80);

fn logon() -> (Screen, Vec<u8>) {
    let mut w = Outbound::erase_write(DEFAULT, Wcc::UNLOCK);
    w.at(0, 0).extended_field(Attribute::TEXT, Color::Blue, Highlight::Default).text("Who are you?");
    w.at(2, 0).field(Attribute::TEXT).text("USERID   ===>");
    w.field(Attribute::INPUT).cursor().at(2, 25).field(Attribute::SKIP);
    w.at(3, 0).field(Attribute::TEXT).text("PASSWORD ===>");
    w.field(Attribute::HIDDEN).at(3, 25).field(Attribute::SKIP);
    (Screen::new(DEFAULT, ALTERNATE), w.finish())
}

#[test]
fn a_golden_screen() {
    let (mut screen, record) = logon();
    let effect = screen.apply(&record).expect("a screen");
    assert!(effect.unlocked && !effect.alarm && effect.reply.is_none());
    assert_eq!(screen.text(), " Who are you?\n\n USERID   ===>\n PASSWORD ===>");
    assert_eq!(screen.size().row_col(screen.cursor()), (2, 15));
    assert_eq!(screen.cell(0).color, Color::Blue);
    assert_eq!(screen.field_of(80), Some((0, Attribute::TEXT)));
    // The last field goes around the end of the screen, up to the first.
    assert_eq!(screen.field_of(1919).map(|(start, _)| start), Some(DEFAULT.at(3, 25)));
}

#[test]
fn a_buffer_that_was_read_is_taken_over() {
    /// Set Reply Mode: extended fields, and characters with highlighting and colour.
    const MODES: [&[u8]; 3] =
        [&[0xf3, 0, 5, 0x09, 0, 0], &[0xf3, 0, 5, 0x09, 0, 1], &[0xf3, 0, 7, 0x09, 0, 2, 0x41, 0x42]];
    for mode in MODES {
        let (mut host, record) = logon();
        host.apply(&record).expect("a screen");
        let mut display = host.clone();
        display.apply(mode).expect("a mode");
        assert!(display.type_text("maint"));
        display.tab();
        assert!(display.type_text("maint"));
        let buffer = display.read_buffer(Aid::Pa(2));
        assert!(host.accept_buffer(&buffer));
        assert_eq!((host.text(), host.cursor()), (display.text(), display.cursor()));
        assert_eq!(host.read_modified(Aid::Enter)[3..], display.read_modified(Aid::Enter)[3..]);
        // What was modified is no buffer, nor is a part of one.
        assert!(!host.accept_buffer(&display.read_modified(Aid::Enter)));
        assert!(!host.accept_buffer(&buffer[..buffer.len() - 1]) && !host.accept_buffer(&[]));
    }
}

#[test]
fn an_operator_logs_on() {
    let (mut screen, record) = logon();
    assert!(!screen.type_text("x"), "the keyboard is locked until the host unlocks it");
    screen.apply(&record).expect("a screen");
    assert!(screen.type_text("maint"));
    screen.tab();
    assert!(screen.type_text("[secret]"));
    let sent = screen.press(Aid::Enter).expect("an unlocked keyboard");
    assert_eq!(screen.press(Aid::Enter), None);
    assert_eq!(screen.row(3), " PASSWORD ===>", "a password does not show");
    assert_eq!(screen.field_text(DEFAULT.at(3, 14)), "[secret]");

    let inbound = Inbound::parse(&sent).expect("a record");
    assert_eq!((inbound.aid, inbound.cursor), (Aid::Enter, Some(DEFAULT.at(3, 23))));
    assert_eq!(inbound.field(DEFAULT.at(2, 15), CodePage::Bracket).as_deref(), Some("maint"));
    assert_eq!(inbound.field(DEFAULT.at(3, 15), CodePage::Bracket).as_deref(), Some("[secret]"));

    // The host's copy becomes the same.
    let (mut copy, record) = logon();
    copy.apply(&record).expect("a screen");
    copy.accept(&inbound);
    assert_eq!(copy.text(), screen.text());
    assert_eq!(copy.read_modified(Aid::Enter), sent);
    assert!(copy.is_locked());
}

#[test]
fn protected_positions_cannot_be_typed_into() {
    let (mut screen, record) = logon();
    screen.apply(&record).expect("a screen");
    screen.set_cursor(5);
    assert!(!screen.type_text("x"));
    screen.set_cursor(0);
    assert!(!screen.type_text("x"));
    screen.set_cursor(DEFAULT.at(2, 24));
    assert!(!screen.type_text("xy"), "the field is full after one character");
    assert_eq!(screen.row(2), " USERID   ===>          x");
}

#[test]
fn short_reads_send_the_key_alone() {
    let (mut screen, record) = logon();
    screen.apply(&record).expect("a screen");
    screen.type_text("maint");
    assert_eq!(screen.press(Aid::Pa(1)), Some(vec![0x6c]));
    assert_eq!(screen.read_modified_all(Aid::Pa(1))[3..6], [0x11, 0xc2, 0x6f]);
    screen.apply(&[0xf1, Wcc::NONE.restore().byte()]).expect("a write");
    assert_eq!(screen.press(Aid::Clear), Some(vec![0x6d]));
    assert!(!screen.is_formatted());
    assert_eq!(screen.text(), "");
}

#[test]
fn alternate_and_default_size() {
    let mut screen = Screen::new(DEFAULT, ALTERNATE);
    let mut w = Outbound::erase_write_alternate(ALTERNATE, Wcc::UNLOCK.alarm());
    w.at(31, 76).text("LAST");
    assert!(screen.apply(&w.finish()).expect("a screen").alarm);
    assert_eq!(screen.size(), ALTERNATE);
    assert_eq!(screen.row(31).trim_start(), "LAST");
    assert_eq!(screen.row(32), "");
    screen.apply(&[0xf5, 0xc3]).expect("an erase");
    assert_eq!(screen.size(), DEFAULT);
}

#[test]
fn a_write_begins_where_the_cursor_is() {
    let mut screen = Screen::new(DEFAULT, ALTERNATE);
    screen.apply(&[0xf5, 0xc3]).expect("an erase");
    screen.set_cursor(3);
    screen.apply(&[0xf1, 0xc3, 0xc1]).expect("a write");
    assert_eq!((screen.row(0).as_str(), screen.cursor()), ("   A", 3));
}

#[test]
fn repeat_erase_and_tab() {
    let (mut screen, record) = logon();
    screen.apply(&record).expect("a screen");
    screen.type_text("maint");
    let mut w = Outbound::write(DEFAULT, Wcc::UNLOCK);
    w.at(5, 0).repeat_to(5, 4, 0x60).at(0, 0).tab().text("op").tab().cursor();
    screen.apply(&w.finish()).expect("a write");
    assert_eq!(screen.row(5), "----");
    assert_eq!(screen.row(2), " USERID   ===> op", "a tab after data clears the rest of the field");
    assert_eq!(screen.cursor(), DEFAULT.at(3, 15));
    let mut w = Outbound::write(DEFAULT, Wcc::UNLOCK);
    w.at(0, 0).erase_unprotected_to(3, 0);
    screen.apply(&w.finish()).expect("a write");
    assert_eq!(screen.text(), " Who are you?\n\n USERID   ===>\n PASSWORD ===>\n\n----");
    // Erase All Unprotected goes to the first field.
    screen.type_text("secret");
    screen.apply(&[0x6f]).expect("an erase");
    assert_eq!(screen.cursor(), DEFAULT.at(2, 15));
    assert_eq!(screen.read_modified(Aid::Enter).len(), 3);
}

#[test]
fn queries_are_answered() {
    let mut screen = Screen::new(DEFAULT, ALTERNATE);
    let reply = screen.apply(&read_partition_query()).expect("a query").reply.expect("its answer");
    let replies = QueryReply::all(&Inbound::parse(&reply).expect("structured fields"));
    assert!(replies.contains(&QueryReply::UsableArea(ALTERNATE)));
    assert!(replies.contains(&QueryReply::ImplicitPartition { default: DEFAULT, alternate: ALTERNATE }));
    assert!(replies.contains(&QueryReply::Color { values: 8, real: true }));
}

#[test]
fn structured_fields() {
    let mut screen = Screen::new(DEFAULT, ALTERNATE);
    // Erase/Reset to the alternate size, then Outbound 3270DS with a write of one character.
    screen.apply(&[0xf3, 0, 4, 3, 0x80, 0, 7, 0x40, 0, 0xf1, 0xc2, 0xc1]).expect("structured fields");
    assert_eq!((screen.size(), screen.row(0).as_str()), (ALTERNATE, "A"));
    assert!(!screen.is_locked());
    // Set Reply Mode, character, with colours.
    screen.apply(&[0xf3, 0, 6, 9, 0, 2, 0x42]).expect("a reply mode");
    assert_eq!(screen.reply_mode(), ReplyMode::Character { highlight: false, color: true });
    screen.apply(&[0xf1, 0xc2, 0x28, 0x42, 0xf2, 0xc1, 0x28, 0x42, 0x00]).expect("a red character");
    assert_eq!(screen.read_buffer(Aid::Enter)[3..8], [0x28, 0x42, 0xf2, 0xc1, 0x28]);
    assert_eq!(screen.apply(&[0xf3, 0, 4, 0x77, 0]), Err(ScreenError::StructuredField(0x77)));
}

#[test]
fn what_a_display_refuses() {
    let mut screen = Screen::new(DEFAULT, ALTERNATE);
    assert_eq!(screen.apply(&[]), Err(ScreenError::UnknownCommand));
    assert_eq!(screen.apply(&[0xc1]), Err(ScreenError::UnknownCommand));
    assert_eq!(screen.apply(&[0xf5, 0xc3, 0x11, 0x40]), Err(ScreenError::Truncated));
    assert_eq!(screen.apply(&[0xf5, 0xc3, 0x11, 0x07, 0x80]), Err(ScreenError::Address(1920)));
    assert_eq!(screen.apply(&[0xf5, 0xc3, 0x3c, 0x40, 0x40, 0x11]), Err(ScreenError::Character(0x11)));
    assert_eq!(screen.apply(&[0xf3, 0, 9, 1]), Err(ScreenError::Truncated));
    assert_eq!(screen.apply(&[0xf3, 0, 6, 0x40, 0, 0xf3]), Err(ScreenError::Truncated));
    // A write inside a write inside a write is none.
    assert_eq!(screen.apply(&[0xf3, 0, 5, 0x40, 0, 0xf3]), Err(ScreenError::StructuredField(0x40)));
    assert_eq!(ScreenError::Address(1920).to_string(), "buffer address 1920 is beyond the screen");
}
