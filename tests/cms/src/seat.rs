//! A person at a 3270: what is seen, and what is typed and pressed.

use crate::system::Site;
use base::ebcdic;
use consoles::display::Key;
use consoles::terminal::{Entry, Terminal};
use std::sync::Arc;
use tn3270::datastream::Aid;
use tn3270::{Screen, Size};

/// How many time slices a guest gets after a key.
const SLICES: u32 = 4000;

/// A person at a display of a system.
pub struct Seat {
    /// The system.
    pub site: Site,
    terminal: Arc<Terminal>,
    screen: Screen,
    shown: Vec<String>,
    /// How many time slices a guest gets after a key; one that is counted needs many.
    pub slices: u32,
    /// Bytes and records that the guest has sent to the display.
    pub sent: (usize, usize),
}

impl Seat {
    /// Sits down at a display of so many rows and columns.
    pub fn new(site: Site, rows: u16, columns: u16) -> Seat {
        let terminal = site.display(rows.into(), columns.into());
        let screen = Screen::new(Size::new(24, 80), Size::new(rows, columns));
        Seat { site, terminal, screen, shown: Vec::new(), slices: SLICES, sent: (0, 0) }
    }

    /// A key of CP's screen, with what stands in the input area.
    fn cp_key(&self, key: Key, typed: &str) {
        self.site.cp.key(self.terminal.id, key, &[typed.to_owned()]);
        let _ = self.site.runs(self.slices);
    }

    /// Logs CMSUSER on and IPLs CMS from its disk.
    pub fn log_on(&mut self) {
        self.log_on_with("ipl 190 parm autocr");
    }

    /// Logs CMSUSER on and IPLs CMS by this command.
    pub fn log_on_with(&mut self, ipl: &str) {
        self.cp_key(Key::Clear, "");
        self.cp_key(Key::Enter, "logon cmsuser cmsuser");
        assert_eq!(self.terminal.entry(), Entry::Owned, "{}", self.cp_screen());
        self.cp_key(Key::Clear, "");
        self.cp_key(Key::Enter, ipl);
        assert!(self.cp_screen().contains("Ready;"), "{}", self.cp_screen());
    }

    /// What CP shows.
    pub fn cp_screen(&self) -> String {
        self.terminal.screen().map(|screen| screen.to_string()).unwrap_or_default()
    }

    /// Whether the guest has the display; what it has written is on the screen then.
    pub fn is_guests(&mut self) -> bool {
        let Some(records) = self.terminal.guest_records() else { return false };
        let mut answers = Vec::new();
        for record in records {
            self.sent = (self.sent.0 + record.len(), self.sent.1 + 1);
            answers.extend(self.screen.apply(&record).expect("a display obeys it").reply);
        }
        if answers.is_empty() {
            return true;
        }
        for answer in answers {
            self.site.cp.inbound(self.terminal.id, &answer);
            let _ = self.site.runs(self.slices);
        }
        self.is_guests()
    }

    /// Types text, and presses ENTER: on the guest's screen where the cursor is, else in CP's input area.
    pub fn says(&mut self, text: &str) {
        if self.is_guests() {
            assert!(self.screen.type_text(text), "{text} cannot be typed at {:?}", self.cursor());
            return self.presses(Aid::Enter);
        }
        self.cp_key(Key::Clear, "");
        self.cp_key(Key::Enter, text);
    }

    /// Moves the cursor of the guest's screen, from row 1 and column 1 on, and types.
    pub fn types_at(&mut self, row: u16, column: u16, text: &str) {
        assert!(self.is_guests(), "{}", self.cp_screen());
        self.screen.set_cursor((row - 1) * self.screen.size().cols + column - 1);
        assert!(self.screen.type_text(text), "{text} cannot be typed at {row} {column}");
    }

    /// Presses a key of the guest's screen.
    pub fn presses(&mut self, aid: Aid) {
        if !self.is_guests() {
            return self.cp_key(if aid == Aid::Clear { Key::Clear } else { Key::Pa1 }, "");
        }
        let record = self.screen.press(aid).expect("the keyboard is not locked");
        self.site.cp.inbound(self.terminal.id, &record);
        let _ = self.site.runs(self.slices);
    }

    /// A key by its name: ENTER, CLEAR, PA1, PF12.
    pub fn presses_named(&mut self, name: &str) {
        let number = |name: &str| name.parse().expect("a number of a key");
        let aid = match name {
            "ENTER" => Aid::Enter,
            "CLEAR" => Aid::Clear,
            _ => match name.split_at(2) {
                ("PF", n) => Aid::Pf(number(n)),
                (_, n) => Aid::Pa(number(n)),
            },
        };
        self.presses(aid);
    }

    /// Row and column of the cursor, from 1 on.
    pub fn cursor(&self) -> (u16, u16) {
        let columns = self.screen.size().cols;
        (self.screen.cursor() / columns + 1, self.screen.cursor() % columns + 1)
    }

    /// The rows of the guest's screen; field attributes are blanks.
    pub fn rows(&mut self) -> Vec<String> {
        self.is_guests();
        let size = self.screen.size();
        (0..size.rows).map(|row| self.screen.row(row).trim_end().to_owned()).collect()
    }

    /// The number and the text of each row that has changed since the last time, and where the cursor is; of CP's
    /// screen, its lines.
    pub fn news(&mut self) -> Vec<String> {
        if !self.is_guests() {
            self.shown.clear();
            return self.cp_screen().lines().map(|line| format!("= {line}")).collect();
        }
        let rows = self.rows();
        let is_new = |n: usize, row: &str| self.shown.get(n).map_or(!row.is_empty(), |old| old != row);
        let changed = rows.iter().enumerate().filter(|(n, row)| is_new(*n, row));
        let mut news: Vec<String> =
            changed.map(|(n, row)| format!("{:2} {row}", n + 1).trim_end().to_owned()).collect();
        let (row, column) = self.cursor();
        news.push(format!("cursor {row} {column}"));
        self.shown = rows;
        news
    }

    /// What the break key and CP's command answer; the guest goes on afterwards.
    pub fn asks_cp(&mut self, command: &str) -> String {
        self.site.cp.inbound(self.terminal.id, &[0x6c]);
        let _ = self.site.runs(self.slices);
        self.cp_key(Key::Clear, "");
        self.cp_key(Key::Enter, command);
        let answer = self.cp_screen();
        self.cp_key(Key::Clear, "");
        self.cp_key(Key::Enter, "begin");
        answer
    }

    /// Colours and highlighting of so many characters from a place on, as the data stream says them; 0: the field's.
    pub fn looks(&self, row: u16, column: u16, count: u16) -> Vec<(u8, u8)> {
        let from = (row - 1) * self.screen.size().cols + column - 1;
        (from..from + count)
            .map(|at| self.screen.cell(at))
            .map(|cell| (cell.color as u8, cell.highlight as u8))
            .collect()
    }

    /// Sends a record as a terminal might that obeys no rule.
    /// Whether the guest waits then.
    pub fn sends(&mut self, record: &[u8]) -> bool {
        self.site.cp.inbound(self.terminal.id, record);
        self.site.runs(self.slices)
    }
}

/// A text as a display sends it.
pub fn encoded(text: &str) -> Vec<u8> {
    ebcdic::from_str(text)
}
