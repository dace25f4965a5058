//! Tables: rows of cells under columns, as text and as JSON.

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};
use std::fmt::Write;

/// A cell.
#[derive(Clone, PartialEq, Debug)]
pub enum Cell {
    /// Words, on the left of the column.
    Text(String),
    /// A number with so many digits after the point; `None`: there are no records of it.
    Number(Option<f64>, usize),
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Number(Some(number), digits) => format!("{number:.digits$}"),
            Cell::Number(None, _) => "-".into(),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Cell::Text(text) => to.serialize_str(text),
            Cell::Number(Some(number), _) if number.fract() == 0.0 && number.abs() < 1e15 => {
                to.serialize_i64(*number as i64)
            }
            Cell::Number(number, _) => number.serialize(to),
        }
    }
}

/// A column: its key in JSON, its heading, and its cell in a row.
pub struct Column<R> {
    /// The key.
    pub key: &'static str,
    /// The heading.
    pub head: &'static str,
    /// The cell.
    pub of: fn(&R) -> Cell,
}

/// A table.
#[derive(Clone, PartialEq, Debug)]
pub struct Table {
    /// The report that it is of.
    pub report: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// The interval that it is of, by its number; `None`: all that were chosen.
    pub interval: Option<usize>,
    keys: Vec<&'static str>,
    heads: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// A table of rows.
    pub fn new<R>(report: &'static str, title: &'static str, columns: &[Column<R>], rows: &[R]) -> Table {
        Table {
            report,
            title,
            interval: None,
            keys: columns.iter().map(|column| column.key).collect(),
            heads: columns.iter().map(|column| column.head).collect(),
            rows: rows.iter().map(|row| columns.iter().map(|column| (column.of)(row)).collect()).collect(),
        }
    }

    /// The table as one of an interval.
    pub fn of_interval(mut self, interval: Option<usize>) -> Table {
        self.interval = interval;
        self
    }

    /// The cells of a column, by its key.
    pub fn column(&self, key: &str) -> Option<impl Iterator<Item = &Cell>> {
        let at = self.keys.iter().position(|&it| it == key)?;
        Some(self.rows.iter().filter_map(move |row| row.get(at)))
    }

    /// Its lines.
    pub fn lines(&self) -> String {
        let mut lines = match self.interval {
            Some(number) => format!("{}: {}, interval {number}\n", self.report, self.title),
            None => format!("{}: {}\n", self.report, self.title),
        };
        let rows: Vec<Vec<String>> = self.rows.iter().map(|row| row.iter().map(Cell::text).collect()).collect();
        let width = |n: usize| rows.iter().map(|row| row[n].chars().count()).chain([self.heads[n].len()]).max();
        let widths: Vec<usize> = (0..self.heads.len()).map(|n| width(n).unwrap_or(0)).collect();
        let left = |n: usize| self.rows.iter().any(|row| matches!(row[n], Cell::Text(_)));
        let lefts: Vec<bool> = (0..widths.len()).map(left).collect();
        let mut line = |cells: &mut dyn Iterator<Item = &str>| {
            let mut line = String::new();
            for ((cell, width), left) in cells.zip(&widths).zip(&lefts) {
                let _ = if *left { write!(line, "  {cell:<width$}") } else { write!(line, "  {cell:>width$}") };
            }
            lines.push_str(line.trim_end());
            lines.push('\n');
        };
        line(&mut self.heads.iter().copied());
        rows.iter().for_each(|row| line(&mut row.iter().map(String::as_str)));
        lines
    }
}

/// A row with the keys of its columns.
struct Row<'a>(&'a [&'static str], &'a [Cell]);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        self.0.iter().zip(self.1).try_for_each(|(key, cell)| map.serialize_entry(key, cell))?;
        map.end()
    }
}

impl Serialize for Table {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let rows: Vec<Row<'_>> = self.rows.iter().map(|row| Row(&self.keys, row)).collect();
        let mut table = to.serialize_struct("Table", 4)?;
        table.serialize_field("report", self.report)?;
        table.serialize_field("title", self.title)?;
        table.serialize_field("interval", &self.interval)?;
        table.serialize_field("rows", &rows)?;
        table.end()
    }
}
