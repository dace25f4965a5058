//! What the model does at the column pointer and at the cursor.

use crate::model::{Model, TRUNCATION};
use crate::target::{Target, parse};

const NO_LINE: &str = "521E There is no such line";

impl Model {
    /// The column of a target; 0 and the one after the last are the ends.
    pub(crate) fn column_target(&self, operand: &str) -> usize {
        let column = match parse(operand).map(|(target, _)| target) {
            Some(Target::Line(column)) => column,
            Some(Target::Relative { up: true, count }) => self.column.saturating_sub(count),
            Some(Target::Relative { up: false, count }) => self.column + count,
            Some(Target::All { up: true }) => 0,
            Some(Target::All { up: false }) => TRUNCATION + 1,
            _ => self.column + 1,
        };
        column.min(TRUNCATION + 1)
    }

    pub(crate) fn perform_columns(&mut self, name: &str, operand: &str, text: &str) {
        let here = self.current();
        if !self.is_line(here) {
            return self.say(NO_LINE);
        }
        let mut line: Vec<char> = self.text(here).chars().collect();
        let end = line.len();
        match name {
            "overlay" => put_over(&mut line, 0, text, true),
            "cappend" => {
                self.column = end + 1;
                line.extend(text.chars());
            }
            "cdelete" => {
                let to = self.column_target(operand);
                let (first, last) = if to > self.column { (self.column, to - 1) } else { (to + 1, self.column) };
                if first == 0 || first > end {
                    return;
                }
                line.drain(first - 1..last.min(end));
            }
            _ if self.column == 0 || self.column > TRUNCATION => return self.say(NO_LINE),
            "cinsert" => {
                line.resize(end.max(self.column - 1), ' ');
                line.splice(self.column - 1..self.column - 1, text.chars());
            }
            _ => put_over(&mut line, self.column - 1, text, name == "coverlay"),
        }
        let line: String = line.into_iter().collect();
        self.unsure |= line.trim_end().len() > TRUNCATION;
        self.set(here, &line);
    }

    /// What is from a column on goes to a line of its own, under the first character of this one.
    pub(crate) fn split(&mut self, line: usize, column: usize, aligned: bool) {
        if !self.is_line(line) {
            return self.say(NO_LINE);
        }
        let text = self.text(line).to_owned();
        let at = (column - 1).min(text.len());
        let indent = if aligned { text.len() - text.trim_start().len() } else { 0 };
        self.set(line, &text[..at]);
        self.add(line, &format!("{}{}", " ".repeat(indent), &text[at..]));
    }

    /// The next line comes to this one's column.
    pub(crate) fn join(&mut self, line: usize, column: usize, aligned: bool) {
        if !self.is_line(line) || !self.is_line(line + 1) {
            return self.say(NO_LINE);
        }
        let next = self.remove(line + 1);
        self.names.retain(|_, id| *id != next.id);
        let more = if aligned { next.text.trim_start() } else { &next.text };
        let mut text: Vec<char> = self.text(line).chars().collect();
        let end = text.len();
        text.resize(end.max(column - 1 + more.len()), ' ');
        for (n, c) in more.chars().enumerate() {
            text[column - 1 + n] = c;
        }
        let text: String = text.into_iter().collect();
        self.unsure |= text.len() > TRUNCATION;
        self.set(line, &text);
    }

    /// The line and the column of the file that the cursor is in.
    fn cursor_in_file(&self) -> Option<(usize, usize)> {
        let line = self.number(self.key_line?);
        let column = self.key_at.1 as i32 - 6 + self.shift;
        (self.is_line(line) && (7..80).contains(&self.key_at.1) && column > 0).then_some((line, column as usize))
    }

    pub(crate) fn split_or_join(&mut self) {
        let Some((line, column)) = self.cursor_in_file() else {
            return self.say("561E The cursor is not on a valid data field");
        };
        if column <= self.text(line).len() {
            self.split(line, column, true);
        } else {
            self.join(line, column, true);
        }
    }

    /// A line after that of the cursor, or after the current one.
    pub(crate) fn sos_lineadd(&mut self) {
        let line = self.key_line.map_or(self.current(), |place| self.number(place)).min(self.size());
        self.add(line, "");
        self.cursor_on(line + 1, 1, 60);
    }

    /// From the command line to where the cursor was, else to the command line.
    pub(crate) fn cursor_home(&mut self) {
        let at_command = self.key_at.0 >= 23;
        match self.home.filter(|_| at_command) {
            Some((row, column)) => self.cursor_at(row, column, 255),
            None => {
                if !at_command {
                    self.home = Some(self.key_at);
                }
                self.cursor_at(23, 7, 255);
            }
        }
    }
}

/// Characters over those of a line; `overlay`: a blank keeps what is there, an underscore makes one.
fn put_over(line: &mut Vec<char>, from: usize, text: &str, overlay: bool) {
    let end = line.len();
    line.resize(end.max(from + text.len()), ' ');
    for (n, c) in text.chars().enumerate() {
        match c {
            ' ' if overlay => {}
            '_' if overlay => line[from + n] = ' ',
            c => line[from + n] = c,
        }
    }
}
