//! A 3270 in front of CP, as records of the data stream: what a TN3270 client gets and sends, and what users of a load
//! get that sit inside the process.

use crate::painter::{Painter, View};
use consoles::display::Key;
use consoles::sessions::Sessions;
use consoles::terminal::Terminal;
use std::sync::Arc;
use tn3270::Size;
use tn3270::codepage::CodePage;

/// A display of CP's, with what stands between CP's screen and the data stream.
pub struct Station {
    terminal: Arc<Terminal>,
    painter: Painter,
    /// The display shows the screen of the guest itself.
    guest: bool,
}

impl Station {
    /// The display that this terminal is; `size` is its alternate size. Panics if the terminal is a typewriter, as soon
    /// as records are asked for.
    pub fn new(terminal: Arc<Terminal>, size: Size, page: CodePage) -> Station {
        Station { terminal, painter: Painter::new(size, page), guest: false }
    }

    /// A record has come from the display: CP or the guest gets it.
    pub fn inbound(&mut self, cp: &dyn Sessions, record: &[u8]) {
        if self.guest {
            cp.inbound(self.terminal.id, record);
        } else if let Some((key, fields)) = self.painter.read(record) {
            cp.key(self.terminal.id, key, &fields);
        }
    }

    /// SYSREQ: it leaves the session and its screen, so the display has nothing more of what was painted.
    pub fn system_request(&mut self, cp: &dyn Sessions) {
        self.painter.forget();
        cp.key(self.terminal.id, Key::Pa1, &[]);
    }

    /// The records that bring the display up to date.
    pub fn records(&mut self) -> Vec<Vec<u8>> {
        if let Some(records) = self.terminal.guest_records() {
            self.guest = true;
            return records;
        }
        if std::mem::take(&mut self.guest) {
            self.painter.forget();
        }
        let screen = self.terminal.screen().expect("a terminal with a painter is a display");
        let view = match self.terminal.shows_logo() {
            true => View::Logo { system: screen.system },
            false => View::Screen(Box::new(screen)),
        };
        self.painter.paint(view).into_iter().collect()
    }
}
