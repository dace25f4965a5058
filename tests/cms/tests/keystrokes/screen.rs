//! What the model's screen shows: 24 rows of 80 columns, the current line in the twelfth, the scale below it.

use crate::model::Model;

const CURRENT: usize = 12;
const SCALE: usize = 13;
const FIRST: usize = 3;
const LAST: usize = 22;
const DATA: usize = 73;

/// What a row shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Row {
    Nothing,
    /// A line of the file, Top of File and End of File, too.
    Line(usize),
    /// Lines that are not displayed: the first, and how many.
    Shadow(usize, usize),
}

impl Model {
    /// All that can be shown of the file, from its top on.
    fn items(&self) -> Vec<Row> {
        let mut items = Vec::new();
        let mut line = 0;
        while line <= self.end() {
            let hidden = (line..self.end()).take_while(|n| !self.is_shown(*n)).count();
            if hidden == 0 {
                items.push(Row::Line(line));
            } else if self.shadow {
                items.push(Row::Shadow(line, hidden));
            }
            line += hidden.max(1);
        }
        items
    }

    /// The rows, from 1 on; the file's are those from 3 to 22 without the scale's.
    pub(crate) fn layout(&self) -> Vec<Row> {
        let mut rows = vec![Row::Nothing; 25];
        let items = self.items();
        let here = self.current();
        let first = |row: &Row| match *row {
            Row::Line(line) => line,
            Row::Shadow(line, count) => line + count - 1,
            Row::Nothing => 0,
        };
        // A line that is not displayed is in its shadow line, or else the next one is in its place.
        let at = items.iter().position(|row| first(row) >= here).expect("the End of File is the last");
        let free = |row: &usize| *row != SCALE;
        for (row, item) in (CURRENT..=LAST).filter(free).zip(&items[at..]) {
            rows[row] = *item;
        }
        for (row, item) in (FIRST..CURRENT).rev().zip(items[..at].iter().rev()) {
            rows[row] = *item;
        }
        rows
    }

    pub(crate) fn row_of(&self, line: usize) -> Option<usize> {
        self.layout().iter().position(|row| *row == Row::Line(line))
    }

    /// The prefix area of a row.
    pub(crate) fn prefix_shown(&self, row: Row) -> String {
        let (Row::Line(line) | Row::Shadow(line, _)) = row else { return String::new() };
        let mut area = if self.number { format!("{line:05}") } else { "=====".into() };
        if let Some(pending) = self.pending.iter().find(|pending| self.number(pending.place) == line) {
            let text = format!("{}{}", if pending.wrong { "?" } else { "" }, pending.typed);
            let length = text.len().min(5);
            area.replace_range(..length, &text[..length]);
        }
        area
    }

    /// Whether nothing waits in the prefix area of a row.
    pub(crate) fn is_empty_prefix(&self, row: Row) -> bool {
        let (Row::Line(line) | Row::Shadow(line, _)) = row else { return true };
        !self.pending.iter().any(|pending| self.number(pending.place) == line)
    }

    /// The columns of a line that a row shows.
    pub(crate) fn data_shown(&self, line: usize) -> String {
        if line == 0 {
            return "* * * Top of File * * *".into();
        }
        if line == self.end() {
            return "* * * End of File * * *".into();
        }
        let text: Vec<char> = self.text(line).chars().collect();
        let column = |n: usize| usize::try_from(n as i32 + self.shift).ok().and_then(|at| text.get(at)).copied();
        (0..DATA).map(|n| column(n).unwrap_or(' ')).collect()
    }

    fn scale(&self) -> String {
        let mark = |n: usize| {
            let column = n as i32 + 1 + self.shift;
            match column {
                c if c == self.column as i32 && c > 0 => '|',
                ..=0 => ' ',
                80 => 'T',
                c if c % 10 == 0 => char::from_digit(c as u32 / 10 % 10, 10).expect("a digit"),
                c if c % 5 == 0 => '+',
                _ => '.',
            }
        };
        (0..DATA).map(mark).collect()
    }

    fn status(&self) -> String {
        match self.waiting() {
            Some(pending) => format!("{} pending...", pending.name),
            None => "X E D I T  1 File".into(),
        }
    }

    /// The rows as they are seen, from 1 on.
    pub(crate) fn rows(&self) -> Vec<String> {
        let mut rows = vec![String::new(); 25];
        let (name, kind) = &self.file;
        rows[1] = format!(
            " {name:8} {kind:8} A1  F 80  Trunc={TRUNC} Size={} Line={} Col={} Alt={}",
            self.size(),
            self.current(),
            self.column,
            self.alterations,
            TRUNC = crate::model::TRUNCATION
        );
        for (n, row) in self.layout().into_iter().enumerate() {
            rows[n] = match row {
                Row::Line(line) => format!("{} {}", self.prefix_shown(row), self.data_shown(line)),
                Row::Shadow(_, count) => {
                    let text = format!("{} {count} line(s) not displayed ", "-".repeat(20));
                    format!("{} {text:-<DATA$}", self.prefix_shown(row))
                }
                Row::Nothing => continue,
            };
        }
        rows[SCALE] = format!("      {}", self.scale());
        for (n, message) in self.messages.iter().enumerate().take(2) {
            rows[2 + n] = format!("DMSXXX{message}");
        }
        rows[23] = format!("====> {}", self.command);
        rows[24] = format!("{:60}{}", "", self.status());
        rows.iter().map(|row| row.trim_end().to_owned()).collect()
    }
}
