//! Paints a display's screen as 3270 data streams: all of it at first, afterwards only what changed.
//!
//! What a user is typing must not be disturbed, so the input area is written only when CP has changed it. Rows of one
//! intensity are one field. Where the intensity changes, the attribute takes the last column of the row before; the
//! first row's stands in the last position of the screen.

use consoles::display::{Key, Screen, Tone};
use tn3270::codepage::CodePage;
use tn3270::datastream::{Attribute, Wcc};
use tn3270::{Aid, Inbound, Outbound, Size};

/// What can be on a display.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum View {
    Logo { system: String },
    Screen(Box<Screen>),
}

/// What one display shows.
pub(crate) struct Painter {
    size: Size,
    default: Size,
    page: CodePage,
    shown: Option<View>,
    /// A key has locked the keyboard, and nothing has unlocked it yet.
    locked: bool,
}

impl Painter {
    /// For a display of this alternate size, whose default size is that of a model 2.
    pub(crate) fn new(size: Size, page: CodePage) -> Painter {
        Painter { size, default: Size::new(24, 80), page, shown: None, locked: false }
    }

    /// The display shows something that was not painted here.
    pub(crate) fn forget(&mut self) {
        self.shown = None;
    }

    /// The record that makes the display show `view`, if it does not yet.
    pub(crate) fn paint(&mut self, view: View) -> Option<Vec<u8>> {
        let record = match (&self.shown, &view) {
            (Some(shown), view) if shown == view => {
                if !self.locked {
                    return None;
                }
                Outbound::write(self.size, Wcc::NONE.restore()).finish()
            }
            (Some(View::Screen(old)), View::Screen(new)) => self.update(old, new),
            (_, View::Screen(new)) => self.whole(new),
            (_, View::Logo { system }) => self.logo(system),
        };
        self.locked = false;
        self.shown = Some(view);
        Some(record)
    }

    /// Takes what the display sent: the key, and the contents of the fields that CP reads.
    pub(crate) fn read(&mut self, record: &[u8]) -> Option<(Key, Vec<String>)> {
        let inbound = Inbound::parse(record).ok()?;
        let key = match inbound.aid {
            Aid::Enter => Key::Enter,
            Aid::Clear => Key::Clear,
            Aid::Pa(1) | Aid::SysReq => Key::Pa1,
            Aid::Pa(2) => Key::Pa2,
            Aid::Pa(_) => Key::Pa3,
            Aid::Pf(number) => Key::Pf(number),
            _ => return None,
        };
        self.locked = true;
        let logo = matches!(self.shown, Some(View::Logo { .. }));
        if key == Key::Clear {
            // The terminal has emptied its screen itself.
            self.shown = None;
        }
        let text = |position| inbound.field(position, self.page).unwrap_or_default();
        let fields = if logo {
            (0..3).map(|n| text(self.size.at(self.logo_row(n), LOGO_COLUMN))).collect()
        } else {
            vec![text(self.input())]
        };
        Some((key, fields))
    }

    fn input(&self) -> u16 {
        self.size.at(self.size.rows - 2, 0)
    }

    /// Where the attribute before the status stands.
    fn status(&self) -> u16 {
        self.size.at(self.size.rows - 1, self.size.cols - 21)
    }

    fn start(&self, wcc: Wcc) -> Outbound {
        let mut out = match self.size == self.default {
            true => Outbound::erase_write(self.size, wcc),
            false => Outbound::erase_write_alternate(self.size, wcc),
        };
        out.code_page(self.page);
        out
    }

    fn whole(&self, screen: &Screen) -> Vec<u8> {
        let mut out = self.start(Wcc::UNLOCK);
        out.position(self.size.positions() - 1).field(self.attribute(screen, 0));
        for row in 0..self.size.rows - 2 {
            self.row(&mut out, row, &self.cells(screen, row));
        }
        self.write_input(&mut out, screen);
        self.write_status(&mut out, screen);
        out.finish()
    }

    fn update(&self, old: &Screen, new: &Screen) -> Vec<u8> {
        let input = old.input != new.input;
        let mut wcc = if self.locked { Wcc::NONE.restore() } else { Wcc::NONE };
        if input {
            wcc = wcc.reset_mdt();
        }
        if old.alarm != new.alarm {
            wcc = wcc.alarm();
        }
        let mut out = Outbound::write(self.size, wcc);
        out.code_page(self.page);
        if self.attribute(old, 0) != self.attribute(new, 0) {
            out.position(self.size.positions() - 1).field(self.attribute(new, 0));
        }
        for row in 0..self.size.rows - 2 {
            let cells = self.cells(new, row);
            if self.cells(old, row) != cells {
                self.row(&mut out, row, &cells);
            }
        }
        if (old.status, &old.system) != (new.status, &new.system) {
            self.write_status(&mut out, new);
        }
        if input {
            self.write_input(&mut out, new);
        }
        out.finish()
    }

    /// A row's text, and the attribute in its last column if there is one.
    fn cells(&self, screen: &Screen, row: u16) -> (String, Option<Attribute>) {
        let text = screen.rows.get(usize::from(row)).map_or("", |row| row.text.as_str());
        let next = self.attribute(screen, row + 1);
        // The input area begins after the last row, with an attribute of its own that is not written here.
        let last = row == self.size.rows - 3;
        let change = !last && next != self.attribute(screen, row);
        let room = usize::from(self.size.cols) - usize::from(last || change);
        (text.chars().take(room).collect(), change.then_some(next))
    }

    /// The attribute of a row of the output area. It stands in the last column of the row before; where a character is
    /// there, the row looks like that one: nothing that was said is lost.
    fn attribute(&self, screen: &Screen, row: u16) -> Attribute {
        let before = row.checked_sub(1).and_then(|before| screen.rows.get(usize::from(before)));
        if before.is_some_and(|before| before.text.chars().count() >= self.size.cols.into()) {
            return self.attribute(screen, row - 1);
        }
        match screen.rows.get(usize::from(row)) {
            Some(row) if row.tone != Tone::Normal => Attribute::SKIP.intensified(),
            _ => Attribute::SKIP,
        }
    }

    fn row(&self, out: &mut Outbound, row: u16, (text, attribute): &(String, Option<Attribute>)) {
        let end = self.size.cols - u16::from(attribute.is_some() || row == self.size.rows - 3);
        out.at(row, 0).text(text);
        if text.chars().count() < usize::from(end) {
            // Up to the end of the row: position 0 of the next one, unless the last column is taken.
            let (row, col) = if end == self.size.cols { (row + 1, 0) } else { (row, end) };
            out.repeat_to(row, col, 0);
        }
        if let Some(attribute) = attribute {
            out.at(row, self.size.cols - 1).field(*attribute);
        }
    }

    fn write_input(&self, out: &mut Outbound, screen: &Screen) {
        let attribute = if screen.input.hidden { Attribute::HIDDEN } else { Attribute::INPUT };
        // What CP has put there must come back with ENTER although the user has not typed it.
        out.position(self.input() - 1).field(attribute.modified(!screen.input.text.is_empty()));
        let room = usize::from(self.status() - self.input());
        out.text(&format!("{:.room$}", screen.input.text)).cursor();
        // Repeated up to where it is already, a character would fill the whole screen.
        if screen.input.text.chars().count() < room {
            let (row, col) = self.size.row_col(self.status());
            out.repeat_to(row, col, 0);
        }
    }

    fn write_status(&self, out: &mut Outbound, screen: &Screen) {
        out.position(self.status()).field(Attribute::SKIP.intensified());
        let text = format!("{:<9} {}", screen.status, screen.system);
        out.text(&format!("{text:<19.19}"));
    }

    fn logo_row(&self, field: u16) -> u16 {
        self.size.rows - 5 + field
    }

    fn logo(&self, system: &str) -> Vec<u8> {
        let mut out = self.start(Wcc::UNLOCK);
        let left = (self.size.cols - LOGO[0].len() as u16) / 2;
        for (n, line) in LOGO.iter().enumerate() {
            out.at(3 + n as u16, left - 1).field(Attribute::SKIP.intensified()).text(line);
        }
        let hint = self.size.rows - 7;
        out.at(hint, 0).field(Attribute::SKIP).text("Fill in your USERID and PASSWORD and press ENTER");
        out.at(hint + 1, 0).field(Attribute::SKIP).text("(Your password will not appear when you type it)");
        for (n, name) in consoles::terminal::LOGO_FIELDS.iter().enumerate() {
            let row = self.logo_row(n as u16);
            let attribute = if n == 1 { Attribute::HIDDEN } else { Attribute::INPUT };
            out.at(row, 0).field(Attribute::SKIP.intensified()).text(&format!("{name:<8} ===>"));
            out.at(row, LOGO_COLUMN - 1).field(attribute);
            let end = if n == 2 { self.size.cols - 1 } else { LOGO_COLUMN + 9 };
            out.at(row, end).field(Attribute::SKIP);
        }
        out.position(self.status()).field(Attribute::SKIP.intensified()).text(&format!("RUNNING   {system:.8}"));
        out.at(self.logo_row(0), LOGO_COLUMN).cursor();
        out.finish()
    }
}

/// Where the input fields of the logo begin.
const LOGO_COLUMN: u16 = 15;

const LOGO: [&str; 6] = [
    r" _____           _ _           _   _   ",
    r"| ____|_ __   __| (_) ___ ___ | |_| |_ ",
    r"|  _| | '_ \ / _` | |/ __/ _ \| __| __|",
    r"| |___| | | | (_| | | (_| (_) | |_| |_ ",
    r"|_____|_| |_|\__,_|_|\___\___/ \__|\__|",
    r"   virtual machines for everybody      ",
];

#[cfg(test)]
mod tests {
    use super::*;
    use consoles::display::{Display, Size as Rows};

    fn painter() -> Painter {
        Painter::new(Size::new(24, 80), CodePage::default())
    }

    fn view(display: &Display) -> View {
        View::Screen(Box::new(display.screen()))
    }

    fn display() -> Display {
        Display::new(Rows { rows: 24, columns: 80 }, "ENDICOTT")
    }

    /// A terminal that shows what it is sent.
    fn terminal(records: &[Vec<u8>]) -> tn3270::Screen {
        let mut screen = tn3270::Screen::new(tn3270::datastream::Size::new(24, 80), Size::new(24, 80));
        for record in records {
            screen.apply(record).expect("we send only what a terminal takes");
        }
        screen
    }

    #[test]
    fn what_changes_is_painted_over_what_was() {
        let mut painter = painter();
        let mut display = display();
        display.write("hello, this is a line", Tone::Normal, base::Tod(0));
        let first = painter.paint(view(&display)).expect("nothing was shown before");
        assert_eq!(painter.paint(view(&display)), None);
        display.erase();
        display.write("short", Tone::Urgent, base::Tod(0));
        let second = painter.paint(view(&display)).expect("there is a difference");
        let screen = terminal(&[first, second]);
        assert_eq!(screen.row(0).trim_end(), "short");
        assert!(screen.row(23).contains("CP READ   ENDICOTT"), "{}", screen.row(23));
    }

    #[test]
    fn a_line_as_wide_as_the_display_keeps_its_last_character() {
        let mut painter = painter();
        let mut display = display();
        display.write(&"x".repeat(80), Tone::Normal, base::Tod(0));
        display.write("typed", Tone::Input, base::Tod(0));
        display.write(&"y".repeat(80), Tone::Input, base::Tod(0));
        display.write("said", Tone::Normal, base::Tod(0));
        let screen = terminal(&[painter.paint(view(&display)).expect("nothing was shown before")]);
        let rows: Vec<String> = (0..4).map(|row| screen.row(row).trim_end().to_string()).collect();
        assert_eq!(rows, ["x".repeat(80), "typed".into(), "y".repeat(80), "said".into()]);
    }

    #[test]
    fn a_long_status_and_a_long_input_line_leave_the_rest_alone() {
        let mut painter = painter();
        let mut display = display();
        display.write("still there", Tone::Normal, base::Tod(0));
        display.more = (50, 10);
        (0..30).for_each(|n| display.write(&format!("line {n}"), Tone::Normal, base::Tod(0)));
        let first = painter.paint(view(&display)).expect("nothing was shown before");
        display.key(Key::Enter, "too early", base::Tod(0));
        display.put_input("x".repeat(200));
        let second = painter.paint(view(&display)).expect("there is a difference");
        let screen = terminal(&[first, second]);
        assert_eq!(screen.row(0).trim_end(), "still there");
        assert!(screen.row(23).contains("NOT ACCEPTED ENDIC"), "{}", screen.row(23));
        assert!(screen.row(22).starts_with("xxxx"), "{}", screen.row(22));
    }

    #[test]
    fn a_key_brings_the_field_and_unlocks_the_keyboard() {
        let mut painter = painter();
        let mut shown = display();
        painter.paint(view(&shown));
        let address = Size::new(24, 80).encode(22 * 80);
        let mut record = vec![Aid::Enter.byte(), address[0], address[1], 0x11, address[0], address[1]];
        record.extend(base::ebcdic::from_str("q time"));
        assert_eq!(painter.read(&record), Some((Key::Enter, vec!["q time".into()])));
        assert!(painter.paint(view(&shown)).is_some(), "the keyboard is to be unlocked though nothing changed");
        assert_eq!(painter.paint(view(&shown)), None);
        shown.key(Key::Enter, "", base::Tod(0));
        assert!(painter.paint(view(&shown)).is_some());
    }
}
