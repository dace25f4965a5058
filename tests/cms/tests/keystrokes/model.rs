//! A small editor, written from the description of XEDIT and not from its source: what its file and its screen are
//! after each key.
//!
//! A line keeps an identity as long as it is there. The current line, names and prefix subcommands hold on to lines,
//! not to numbers, so that nothing is to be adjusted when lines come and go.

use crate::prefix::Pending;
use std::collections::BTreeMap;

/// Columns that a line may have, and those that a row of the screen shows.
pub(crate) const TRUNCATION: usize = 80;

/// A line of the file.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) id: u32,
    pub(crate) text: String,
    /// The selection level.
    pub(crate) level: u8,
}

/// What the line pointer is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Top,
    Line(u32),
    End,
}

/// A place that CURSOR has chosen; a later one of the same priority wins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) priority: u32,
}

/// The editor with one file.
#[derive(Clone)]
pub(crate) struct Model {
    /// Name and type.
    pub(crate) file: (String, String),
    pub(crate) lines: Vec<Line>,
    pub(crate) at: Place,
    pub(crate) column: usize,
    pub(crate) alterations: usize,
    pub(crate) pending: Vec<Pending>,
    pub(crate) names: BTreeMap<String, u32>,
    pub(crate) deleted: Vec<String>,
    pub(crate) kept: Option<Vec<String>>,
    pub(crate) stay: bool,
    pub(crate) wrap: bool,
    pub(crate) scope_all: bool,
    pub(crate) shadow: bool,
    pub(crate) number: bool,
    pub(crate) display: (u8, u8),
    pub(crate) shift: i32,
    pub(crate) messages: Vec<String>,
    /// What the command line shows, and whether it is read again.
    pub(crate) command: String,
    pub(crate) command_next: Option<String>,
    pub(crate) last: String,
    pub(crate) last_change: String,
    pub(crate) remembered: Vec<String>,
    pub(crate) recalled: usize,
    pub(crate) cursor: Option<Cursor>,
    /// Where it was when the key was pressed.
    pub(crate) key_at: (usize, usize),
    /// The place of the file that the cursor's row showed then.
    pub(crate) key_line: Option<Place>,
    /// Where CURSOR HOME goes back to.
    pub(crate) home: Option<(usize, usize)>,
    /// The file has been left.
    pub(crate) over: bool,
    /// Something has happened that the model does not say: a line is too long.
    pub(crate) unsure: bool,
    next_id: u32,
}

impl Model {
    pub(crate) fn new(name: &str, text: &[String]) -> Model {
        let mut model = Model {
            file: (name.to_owned(), "DATA".into()),
            lines: Vec::new(),
            at: Place::Top,
            column: 1,
            alterations: 0,
            pending: Vec::new(),
            names: BTreeMap::new(),
            deleted: Vec::new(),
            kept: None,
            stay: false,
            wrap: false,
            scope_all: false,
            shadow: true,
            number: false,
            display: (0, 0),
            shift: 0,
            messages: Vec::new(),
            command: String::new(),
            command_next: None,
            last: String::new(),
            last_change: String::new(),
            remembered: Vec::new(),
            recalled: 0,
            cursor: None,
            key_at: (23, 7),
            key_line: None,
            home: None,
            over: false,
            unsure: false,
            next_id: 0,
        };
        for line in text {
            model.insert(model.size(), line, 0);
        }
        model.alterations = 0;
        model
    }

    pub(crate) fn size(&self) -> usize {
        self.lines.len()
    }

    /// The number of the End of File line.
    pub(crate) fn end(&self) -> usize {
        self.size() + 1
    }

    pub(crate) fn is_line(&self, number: usize) -> bool {
        (1..=self.size()).contains(&number)
    }

    pub(crate) fn number(&self, place: Place) -> usize {
        match place {
            Place::Top => 0,
            Place::End => self.end(),
            Place::Line(id) => 1 + self.lines.iter().position(|line| line.id == id).expect("it is there"),
        }
    }

    pub(crate) fn place(&self, number: usize) -> Place {
        match number {
            0 => Place::Top,
            n => self.lines.get(n - 1).map_or(Place::End, |line| Place::Line(line.id)),
        }
    }

    /// The number of the current line.
    pub(crate) fn current(&self) -> usize {
        self.number(self.at)
    }

    pub(crate) fn go(&mut self, number: usize) {
        self.at = self.place(number);
    }

    pub(crate) fn text(&self, number: usize) -> &str {
        &self.lines[number - 1].text
    }

    /// A new line after line `after`.
    pub(crate) fn insert(&mut self, after: usize, text: &str, level: u8) {
        self.next_id += 1;
        let line = Line { id: self.next_id, text: text.trim_end().to_owned(), level };
        self.lines.insert(after, line);
        self.alterations += 1;
    }

    /// The same with the level of what is displayed.
    pub(crate) fn add(&mut self, after: usize, text: &str) {
        self.insert(after, text, self.display.0);
    }

    pub(crate) fn set(&mut self, number: usize, text: &str) {
        let text = text.trim_end();
        self.unsure |= text.len() > TRUNCATION;
        if self.text(number) != text {
            text.clone_into(&mut self.lines[number - 1].text);
            self.alterations += 1;
        }
    }

    /// The line goes: the line pointer and the cursor are at what follows then, and what waits in its prefix area is
    /// nothing any more.
    pub(crate) fn remove(&mut self, number: usize) -> Line {
        let line = self.lines.remove(number - 1);
        if self.at == Place::Line(line.id) {
            self.at = self.place(number);
        }
        if self.key_line == Some(Place::Line(line.id)) {
            self.key_line = Some(self.place(number));
        }
        self.pending.retain(|pending| pending.place != Place::Line(line.id));
        self.alterations += 1;
        line
    }

    /// It can be brought back by RECOVER.
    pub(crate) fn delete(&mut self, number: usize) {
        let line = self.remove(number);
        self.names.retain(|_, id| *id != line.id);
        self.deleted.push(line.text);
    }

    pub(crate) fn is_shown(&self, number: usize) -> bool {
        !self.is_line(number) || (self.display.0..=self.display.1).contains(&self.lines[number - 1].level)
    }

    pub(crate) fn in_scope(&self, number: usize) -> bool {
        self.scope_all || self.is_shown(number)
    }

    /// The next line in scope, or the End of File.
    pub(crate) fn after(&self, number: usize) -> usize {
        (number + 1..self.end()).find(|n| self.in_scope(*n)).unwrap_or(self.end())
    }

    /// The one before, or the Top of File.
    pub(crate) fn before(&self, number: usize) -> usize {
        (1..number).rev().find(|n| self.in_scope(*n)).unwrap_or(0)
    }

    /// A current line that has gone or is not displayed any more leaves its place to the next that is.
    pub(crate) fn settle(&mut self) {
        let here = self.current();
        let shown = (here..=self.end()).find(|n| self.is_shown(*n)).expect("the End of File is");
        self.go(shown);
    }

    pub(crate) fn say(&mut self, message: impl Into<String>) {
        self.messages.push(message.into());
    }

    /// Puts the cursor on a line of the file, if the screen shows it.
    pub(crate) fn cursor_on(&mut self, line: usize, column: usize, priority: u32) {
        if let Some(row) = self.row_of(line) {
            let shown = column as i32 - self.shift;
            self.cursor_at(row, if (1..=73).contains(&shown) { 6 + shown as usize } else { 7 }, priority);
        }
    }

    pub(crate) fn cursor_at(&mut self, row: usize, column: usize, priority: u32) {
        if self.cursor.is_none_or(|was| priority >= was.priority) {
            self.cursor = Some(Cursor { row, column, priority });
        }
    }
}
