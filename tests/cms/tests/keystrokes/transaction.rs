//! A transaction of the model: what is typed on its screen and the key that ends it.

use crate::model::{Model, Place};
use crate::screen::Row;
use std::fmt;

/// A key that ends a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Enter,
    Clear,
    Pf(u8),
}

/// Characters that are typed from a row and a column on.
#[derive(Clone, Debug)]
pub(crate) struct Typed {
    pub(crate) row: usize,
    pub(crate) column: usize,
    pub(crate) text: String,
}

/// What is typed, where the cursor is then, and the key.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) typed: Vec<Typed>,
    pub(crate) cursor: (usize, usize),
    pub(crate) key: Key,
}

pub(crate) const COMMAND: (usize, usize) = (23, 7);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Enter => write!(f, "ENTER"),
            Key::Clear => write!(f, "CLEAR"),
            Key::Pf(n) => write!(f, "PF{n}"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for typed in &self.typed {
            writeln!(f, "at {} {} {}", typed.row, typed.column, typed.text.trim_end())?;
        }
        let (row, column) = self.cursor;
        writeln!(f, "at {row} {column}\nkey {}", self.key)
    }
}

fn over(shown: &str, at: usize, text: &str) -> String {
    let mut cells: Vec<char> = shown.chars().collect();
    cells.resize(cells.len().max(at + text.len()), ' ');
    for (n, c) in text.chars().enumerate() {
        cells[at + n] = c;
    }
    cells.into_iter().collect()
}

impl Model {
    /// What a row shows, with messages over it.
    pub(crate) fn row_shown(&self, row: usize) -> Row {
        let covered = row < 2 + self.messages.len().min(2);
        if covered { Row::Nothing } else { self.layout().get(row).copied().unwrap_or(Row::Nothing) }
    }

    /// Whether the screen takes it there. What waits in a prefix area is only taken back.
    pub(crate) fn takes(&self, typed: &Typed) -> bool {
        let shown = self.row_shown(typed.row);
        let takes_back = typed.text == "*    " || typed.text == "     ";
        match shown {
            _ if typed.row == COMMAND.0 => typed.column >= COMMAND.1,
            Row::Nothing => false,
            _ if typed.column < 6 && !takes_back && !self.is_empty_prefix(shown) => false,
            Row::Shadow(..) => typed.column < 6,
            Row::Line(line) => typed.column < 6 || (typed.column > 6 && self.is_line(line)),
        }
    }

    /// Typed over the columns of a line that its row shows.
    fn take_data(&mut self, place: Place, at: usize, text: &str) {
        let line = self.number(place);
        let mut now = self.text(line).to_owned();
        for (n, c) in text.chars().enumerate() {
            let column = (at + n) as i32 + self.shift;
            self.unsure |= column >= 80;
            // Left of column 1 there is nothing.
            if column >= 0 {
                now = over(&now, column as usize, &c.to_string());
            }
        }
        self.set(line, &now);
    }

    /// The key is pressed, with what has been typed. Messages that do not fit on the screen are returned.
    pub(crate) fn press(&mut self, step: &Step) -> Vec<String> {
        self.cursor = None;
        if step.key == Key::Clear {
            self.command.clear();
            return Vec::new();
        }
        let typed: Vec<&Typed> = step.typed.iter().filter(|typed| self.takes(typed)).collect();
        let rows: Vec<Row> = typed.iter().map(|typed| self.row_shown(typed.row)).collect();
        let prefixes: Vec<String> = rows.iter().map(|row| self.prefix_shown(*row)).collect();
        self.key_at = step.cursor;
        self.key_line = match self.row_shown(step.cursor.0) {
            Row::Line(line) => Some(self.place(line)),
            _ => None,
        };
        self.messages.clear();
        for (typed, row) in typed.iter().zip(&rows) {
            match *row {
                _ if typed.row == COMMAND.0 => {
                    self.command = over(&self.command, typed.column - COMMAND.1, &typed.text);
                }
                Row::Line(line) if typed.column > 6 => {
                    self.take_data(self.place(line), typed.column - 7, &typed.text);
                }
                _ => {}
            }
        }
        for ((typed, row), prefix) in typed.iter().zip(&rows).zip(&prefixes) {
            if typed.column < 6 {
                self.prefix_typed(*row, &over(prefix, typed.column - 1, &typed.text));
            }
        }
        self.perform_prefixes();
        self.perform_keys(step.key);
        self.command = self.command_next.take().unwrap_or_default();
        if self.messages.len() > 2 { std::mem::take(&mut self.messages) } else { Vec::new() }
    }

    fn perform_keys(&mut self, key: Key) {
        let command = self.command.clone();
        let (text, only) = match key {
            Key::Pf(2) => ("sos lineadd", false),
            Key::Pf(3) => ("quit", false),
            Key::Pf(6) => ("?", true),
            Key::Pf(7) => ("backward", false),
            Key::Pf(8) => ("forward", false),
            Key::Pf(9) => ("=", true),
            Key::Pf(10) => ("rgtleft", false),
            Key::Pf(11) => ("spltjoin", false),
            Key::Pf(12) => ("cursor home", false),
            _ => ("", false),
        };
        self.perform_several(text, false);
        if self.over {
            return;
        }
        if !only {
            self.perform_line(&command);
        } else if self.command_next.is_none() {
            self.command_next = Some(command);
        }
    }

    /// Where the cursor is when the screen is shown again.
    pub(crate) fn cursor_shown(&self, step: &Step) -> (usize, usize) {
        match (self.cursor, step.key) {
            (Some(cursor), _) => (cursor.row, cursor.column),
            (None, Key::Pf(_)) if self.key_at.0 < 24 => self.key_at,
            _ => COMMAND,
        }
    }
}
