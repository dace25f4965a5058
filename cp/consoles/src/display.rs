//! A 3270 display as CP uses it: the output area, the input area, and the status in the lower right corner.
//!
//! A pure state machine: output lines, keys and the time go in; [`Display::screen`] is what the display shows. The
//! output area is every row but the last two. When it is full and there is more to show, the status becomes MORE... and
//! the rest waits; CLEAR or PA2 turns the page, ENTER makes it HOLDING so that no timer turns it, and after the time of
//! TERMINAL MORE the page turns by itself. Input that is not accepted now is left where it was typed, and the status
//! says NOT ACCEPTED for three seconds.

use base::Tod;
use std::collections::VecDeque;

/// How long NOT ACCEPTED is shown, in microseconds.
const NOT_ACCEPTED: u64 = 3_000_000;
/// How many input lines RETRIEVE remembers.
const REMEMBERED: usize = 7;

/// Rows and columns of a display.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size {
    /// Rows of the whole screen.
    pub rows: usize,
    /// Columns of a row.
    pub columns: usize,
}

impl From<Size> for tn3270::Size {
    /// As the data stream has it.
    fn from(size: Size) -> tn3270::Size {
        tn3270::Size::new(size.rows as u16, size.columns as u16)
    }
}

impl Default for Size {
    fn default() -> Size {
        Size { rows: 24, columns: 80 }
    }
}

/// The keys that send something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    /// ENTER.
    Enter,
    /// CLEAR.
    Clear,
    /// Program access key 1.
    Pa1,
    /// Program access key 2.
    Pa2,
    /// Program access key 3.
    Pa3,
    /// PF1 to PF24.
    Pf(u8),
}

/// Which side is to act: the user for CP, the user for the virtual machine, or the virtual machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Turn {
    /// The user, for CP: the status is CP READ.
    #[default]
    CpRead,
    /// The user, for the virtual machine: VM READ.
    VmRead,
    /// The virtual machine: RUNNING.
    Running,
}

/// What kind of output a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// A response or the virtual machine's own output.
    Normal,
    /// Redisplayed input: intensified.
    Input,
    /// MSG and WNG: intensified, and with TERMINAL HOLD ON the page is held.
    Urgent,
}

/// A row of the output area.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its characters.
    pub text: String,
    /// How it is shown.
    pub tone: Tone,
}

/// What a key asks of CP.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// The display has dealt with it.
    None,
    /// An input line; empty if ENTER alone was pressed.
    Line(String),
    /// PA1: the break key.
    Break,
    /// PF1 to PF24, with what had been typed.
    Function(u8, String),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Page {
    Open,
    /// Full since this time; turned when the time of TERMINAL MORE is over.
    More(Tod),
    Holding,
}

/// What is seen: enough to draw the screen, and no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Screen {
    /// Rows and columns of the screen.
    pub size: Size,
    /// The output area, from the top.
    pub rows: Vec<Row>,
    /// The status field: RUNNING, say ([`Display::status`]).
    pub status: &'static str,
    /// The system identifier, at the lower right.
    pub system: String,
    /// The input area.
    pub input: Input,
    /// Changes each time the alarm is to sound.
    pub alarm: u32,
}

/// The input area.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Input {
    /// What CP has put there, for RETRIEVE.
    pub text: String,
    /// A password: not displayed when typed.
    pub hidden: bool,
    /// Changes each time CP writes the area, so that what a user is typing is left alone otherwise.
    pub generation: u32,
}

/// How many rows wait for the page to be turned at most: further ones are lost. Guests wait long before; users who send
/// messages do not.
const WAITING: usize = 20_000;

/// A display.
pub struct Display {
    size: Size,
    system: String,
    rows: Vec<Row>,
    waiting: VecDeque<Row>,
    page: Page,
    turn: Turn,
    rejected: Option<Tod>,
    input: Input,
    alarm: u32,
    alarm_due: bool,
    /// The page is to be turned before the guest gets its screen.
    kept: bool,
    /// The last row is the guest's unfinished line.
    open: bool,
    remembered: VecDeque<String>,
    retrieved: usize,
    /// TERMINAL MORE: seconds until the alarm, and from then until the page turns.
    pub more: (u64, u64),
    /// Whether a page with a message is held (TERMINAL HOLD).
    pub hold: bool,
    /// The display has no owner: what is typed may be a password and is neither shown again nor remembered.
    pub private: bool,
}

impl Display {
    /// An empty display of this size; `system` is the system identifier it shows.
    pub fn new(size: Size, system: &str) -> Display {
        Display {
            size,
            system: system.into(),
            rows: Vec::new(),
            waiting: VecDeque::new(),
            page: Page::Open,
            turn: Turn::CpRead,
            rejected: None,
            input: Input::default(),
            alarm: 0,
            alarm_due: false,
            kept: false,
            open: false,
            remembered: VecDeque::new(),
            retrieved: 0,
            more: (50, 10),
            hold: true,
            private: false,
        }
    }

    fn capacity(&self) -> usize {
        self.size.rows - 2
    }

    /// How many rows wait for the page to be turned.
    pub fn backlog(&self) -> usize {
        self.waiting.len()
    }

    /// Shows the guest's `text`: lines, the last of which may be unfinished and is then continued by what comes next,
    /// unless something else has been shown in between.
    pub fn print(&mut self, text: &str, now: Tod) {
        for line in text.split_inclusive('\n') {
            let whole = line.ends_with('\n');
            let line = line.trim_end_matches('\n');
            match self.rows.last_mut().filter(|_| self.open && self.waiting.is_empty()) {
                Some(row) if row.text.chars().count() + line.chars().count() <= self.size.columns => {
                    row.text.extend(line.chars().map(|c| if c.is_control() { ' ' } else { c }));
                }
                _ => self.write(line, Tone::Normal, now),
            }
            self.open = !whole;
        }
    }

    /// Shows `text`, folded to the width of the display.
    pub fn write(&mut self, text: &str, tone: Tone, now: Tod) {
        self.open = false;
        if self.waiting.len() >= WAITING {
            return;
        }
        let mut characters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        loop {
            let row: String = characters.by_ref().take(self.size.columns).collect();
            self.waiting.push_back(Row { text: row, tone });
            // Blanks at the end of a line are worth no row of their own.
            if characters.clone().all(|c| c == ' ') {
                break;
            }
        }
        if self.page == Page::Open {
            self.fill(now);
        }
    }

    fn fill(&mut self, now: Tod) {
        while let Some(row) = self.waiting.pop_front() {
            if self.rows.len() < self.capacity() {
                self.rows.push(row);
                continue;
            }
            if self.more == (0, 0) {
                self.rows.clear();
                self.rows.push(row);
                continue;
            }
            self.waiting.push_front(row);
            let urgent = self.hold && self.rows.iter().any(|row| row.tone == Tone::Urgent);
            self.page = if urgent { Page::Holding } else { Page::More(now) };
            self.alarm_due = true;
            return;
        }
        self.page = Page::Open;
    }

    fn turn_page(&mut self, now: Tod) {
        self.rows.clear();
        self.page = Page::Open;
        self.fill(now);
        self.kept &= self.page != Page::Open;
    }

    /// The guest has a screen to show: what is in the output area stays until the page is turned, as it does when it is
    /// full.
    pub fn keep(&mut self, now: Tod) {
        if self.rows.is_empty() || self.more == (0, 0) {
            return;
        }
        self.kept = true;
        if self.page == Page::Open {
            self.page = Page::More(now);
            self.alarm_due = true;
        }
    }

    /// Whether the page is to be turned before the guest gets its screen.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Erases the output area and what waits for it.
    pub fn erase(&mut self) {
        self.rows.clear();
        self.waiting.clear();
        self.page = Page::Open;
        self.kept = false;
    }

    /// Shows `lines` from row `first` on in place of what is there; what would be beyond the output area is left out.
    pub fn place(&mut self, first: usize, lines: &[String]) {
        self.open = false;
        for (row, line) in lines.iter().enumerate().map(|(n, line)| (first + n, line)) {
            if row >= self.capacity() {
                break;
            }
            while self.rows.len() <= row {
                self.rows.push(Row { text: String::new(), tone: Tone::Normal });
            }
            let text = line.chars().map(|c| if c.is_control() { ' ' } else { c }).take(self.size.columns);
            self.rows[row] = Row { text: text.collect(), tone: Tone::Normal };
        }
    }

    /// Says which side is to act now.
    pub fn set_turn(&mut self, turn: Turn) {
        self.turn = turn;
    }

    /// Which side is to act.
    pub fn turn(&self) -> Turn {
        self.turn
    }

    /// Makes the input area one for a password, or an ordinary one again; what is typed there now is erased.
    pub fn hide_input(&mut self, hidden: bool) {
        if self.input.hidden != hidden {
            self.input.hidden = hidden;
            self.put_input(String::new());
        }
    }

    /// Puts `text` into the input area, as RETRIEVE and delayed PF keys do.
    pub fn put_input(&mut self, text: String) {
        self.input.text = text;
        self.input.generation = self.input.generation.wrapping_add(1);
    }

    /// Puts an earlier input line into the input area; each call one further back, or with `forward` one later.
    pub fn retrieve(&mut self, forward: bool) {
        let count = self.remembered.len();
        if count == 0 {
            return;
        }
        self.retrieved = if forward { (self.retrieved + count - 2) % count + 1 } else { self.retrieved % count + 1 };
        self.put_input(self.remembered[self.retrieved - 1].clone());
    }

    /// A key was pressed while `typed` stood in the input area.
    pub fn key(&mut self, key: Key, typed: &str, now: Tod) -> Action {
        self.tick(now);
        let full = self.page != Page::Open;
        match key {
            Key::Clear | Key::Pa2 => {
                self.rejected = None;
                self.turn_page(now);
                if key == Key::Clear {
                    self.put_input(String::new());
                }
                Action::None
            }
            Key::Enter if full && typed.is_empty() => {
                self.page = Page::Holding;
                Action::None
            }
            Key::Enter | Key::Pf(_) if full => {
                self.rejected = Some(now);
                Action::None
            }
            Key::Enter => {
                self.accept(typed, now);
                Action::Line(typed.to_string())
            }
            Key::Pf(number) => Action::Function(number, typed.to_string()),
            Key::Pa1 => Action::Break,
            Key::Pa3 => Action::None,
        }
    }

    /// An input line is taken: it is shown in the output area, remembered, and gone from the input area.
    pub fn accept(&mut self, line: &str, now: Tod) {
        if !self.private && !self.input.hidden && !line.is_empty() {
            self.write(line, Tone::Input, now);
            self.remembered.retain(|earlier| earlier != line);
            self.remembered.push_front(line.to_string());
            self.remembered.truncate(REMEMBERED);
        }
        self.retrieved = 0;
        self.put_input(String::new());
    }

    /// Lets time pass.
    pub fn tick(&mut self, now: Tod) {
        if self.rejected.is_some_and(|since| now.micros_since(since) >= NOT_ACCEPTED) {
            self.rejected = None;
        }
        while let Page::More(since) = self.page {
            let (wait, alarm) = (self.more.0 * 1_000_000, self.more.1 * 1_000_000);
            let passed = now.micros_since(since);
            if self.alarm_due && passed >= wait {
                self.alarm_due = false;
                self.alarm = self.alarm.wrapping_add(1);
            }
            if passed < wait + alarm {
                return;
            }
            self.turn_page(since.plus_micros(wait + alarm));
        }
    }

    /// When [`Display::tick`] has something to do next.
    pub fn deadline(&self) -> Option<Tod> {
        let more = match self.page {
            Page::More(since) if self.alarm_due => Some(since.plus_micros(self.more.0 * 1_000_000)),
            Page::More(since) => Some(since.plus_micros((self.more.0 + self.more.1) * 1_000_000)),
            _ => None,
        };
        let rejected = self.rejected.map(|since| since.plus_micros(NOT_ACCEPTED));
        more.into_iter().chain(rejected).min()
    }

    /// The status field.
    pub fn status(&self) -> &'static str {
        match (self.rejected, self.page, self.turn) {
            (Some(_), ..) => "NOT ACCEPTED",
            (_, Page::More(_), _) => "MORE...",
            (_, Page::Holding, _) => "HOLDING",
            (_, _, Turn::CpRead) => "CP READ",
            (_, _, Turn::VmRead) => "VM READ",
            (_, _, Turn::Running) => "RUNNING",
        }
    }

    /// What the display shows now.
    pub fn screen(&self) -> Screen {
        Screen {
            size: self.size,
            rows: self.rows.clone(),
            status: self.status(),
            system: self.system.clone(),
            input: self.input.clone(),
            alarm: self.alarm,
        }
    }
}

impl std::fmt::Display for Screen {
    /// The screen as a picture, for golden tests: rows without trailing blanks, then the status.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for row in &self.rows {
            let mark = if row.tone == Tone::Normal { ' ' } else { '!' };
            writeln!(f, "{mark}{}", row.text)?;
        }
        let typed = if self.input.hidden { "(hidden)" } else { &self.input.text };
        writeln!(f, "[{typed}] {} {}", self.status, self.system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(n: u64) -> Tod {
        Tod(0).plus_micros(n * 1_000_000)
    }

    fn full() -> Display {
        let mut display = Display::new(Size { rows: 5, columns: 80 }, "ENDICOTT");
        display.set_turn(Turn::Running);
        for n in 1..=5 {
            display.write(&format!("line {n}"), Tone::Normal, seconds(0));
        }
        display
    }

    #[test]
    fn what_is_shown_is_kept_until_the_page_is_turned() {
        let mut display = Display::new(Size { rows: 5, columns: 80 }, "ENDICOTT");
        display.set_turn(Turn::Running);
        display.keep(seconds(0));
        assert!(!display.is_kept(), "nothing is shown");
        display.write("a line", Tone::Normal, seconds(0));
        display.keep(seconds(1));
        assert_eq!((display.is_kept(), display.status()), (true, "MORE..."));
        display.tick(seconds(60));
        assert!(display.is_kept());
        display.tick(seconds(61));
        assert_eq!((display.is_kept(), display.status()), (false, "RUNNING"));
        display.write("another", Tone::Normal, seconds(62));
        display.keep(seconds(62));
        display.key(Key::Clear, "", seconds(63));
        assert!(!display.is_kept() && display.screen().rows.is_empty());
        // TERMINAL MORE 0 0: nothing waits.
        display.more = (0, 0);
        display.write("a third", Tone::Normal, seconds(64));
        display.keep(seconds(64));
        assert!(!display.is_kept());
    }

    #[test]
    fn a_full_page_waits_and_turns_after_sixty_seconds() {
        let mut display = full();
        assert_eq!(display.screen().to_string(), " line 1\n line 2\n line 3\n[] MORE... ENDICOTT\n");
        assert_eq!(display.deadline(), Some(seconds(50)));
        display.tick(seconds(50));
        assert_eq!((display.screen().alarm, display.status()), (1, "MORE..."));
        assert_eq!(display.deadline(), Some(seconds(60)));
        display.tick(seconds(60));
        assert_eq!(display.screen().to_string(), " line 4\n line 5\n[] RUNNING ENDICOTT\n");
        assert_eq!(display.deadline(), None);
    }

    #[test]
    fn enter_holds_and_clear_releases() {
        let mut display = full();
        assert_eq!(display.key(Key::Enter, "", seconds(1)), Action::None);
        assert_eq!(display.status(), "HOLDING");
        display.tick(seconds(1000));
        assert_eq!(display.status(), "HOLDING");
        display.key(Key::Clear, "", seconds(1001));
        assert_eq!(display.screen().to_string(), " line 4\n line 5\n[] RUNNING ENDICOTT\n");
    }

    #[test]
    fn input_to_a_full_screen_is_not_accepted_and_stays() {
        let mut display = full();
        let generation = display.screen().input.generation;
        assert_eq!(display.key(Key::Enter, "q time", seconds(1)), Action::None);
        assert_eq!(display.status(), "NOT ACCEPTED");
        assert_eq!(display.screen().input.generation, generation, "what was typed is still there");
        display.tick(seconds(4));
        assert_eq!(display.status(), "MORE...");
    }

    #[test]
    fn a_message_holds_the_page_it_stands_on() {
        let mut display = Display::new(Size { rows: 4, columns: 80 }, "ENDICOTT");
        display.write("* MSG FROM MAINT   : hello", Tone::Urgent, seconds(0));
        display.write("one", Tone::Normal, seconds(0));
        display.write("two", Tone::Normal, seconds(0));
        assert_eq!(display.status(), "HOLDING");
    }

    #[test]
    fn without_more_the_page_turns_at_once() {
        let mut display = Display::new(Size { rows: 4, columns: 80 }, "ENDICOTT");
        display.more = (0, 0);
        (1..=3).for_each(|n| display.write(&n.to_string(), Tone::Normal, seconds(0)));
        assert_eq!(display.screen().to_string(), " 3\n[] CP READ ENDICOTT\n");
    }

    #[test]
    fn input_is_redisplayed_and_retrieved_but_not_a_password() {
        let mut display = Display::new(Size::default(), "ENDICOTT");
        assert_eq!(display.key(Key::Enter, "query time", seconds(0)), Action::Line("query time".into()));
        display.key(Key::Enter, "query names", seconds(0));
        display.hide_input(true);
        assert_eq!(display.key(Key::Enter, "secret", seconds(0)), Action::Line("secret".into()));
        display.hide_input(false);
        assert_eq!(display.screen().to_string(), "!query time\n!query names\n[] CP READ ENDICOTT\n");
        display.retrieve(false);
        assert_eq!(display.screen().input.text, "query names");
        display.retrieve(false);
        assert_eq!(display.screen().input.text, "query time");
        display.retrieve(true);
        assert_eq!(display.screen().input.text, "query names");
    }

    #[test]
    fn an_unfinished_line_is_continued() {
        let mut display = Display::new(Size::default(), "ENDICOTT");
        display.print("Starting", seconds(0));
        display.print(" ... done\n/ # ", seconds(0));
        display.key(Key::Enter, "ls", seconds(0));
        display.print("bin\n", seconds(0));
        assert_eq!(display.screen().to_string(), " Starting ... done\n / # \n!ls\n bin\n[] CP READ ENDICOTT\n");
    }

    #[test]
    fn long_lines_are_folded_and_control_characters_blanked() {
        let mut display = Display::new(Size { rows: 6, columns: 11 }, "E");
        display.write("0123456789abc\u{1b}", Tone::Normal, seconds(0));
        assert_eq!(display.screen().rows[0].text, "0123456789a");
        assert_eq!(display.screen().rows[1].text, "bc ");
        display.erase();
        display.write("0123456789a    ", Tone::Normal, seconds(0));
        assert_eq!(display.screen().rows.len(), 1);
    }
}
