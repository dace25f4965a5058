//! The last lines of a console, for whatever else looks at it: kept from the first look on.

use std::collections::VecDeque;

/// How many lines are kept.
const LINES: usize = 500;
/// The longest line, in characters: the rest of a longer one is lost.
const WIDTH: usize = 512;

/// The last lines. What users type is not among them: it may be secret.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Tail {
    lines: VecDeque<String>,
    /// Lines that are gone.
    gone: u64,
    /// A line that is not ended yet.
    open: String,
}

impl Tail {
    /// A whole line.
    pub fn line(&mut self, text: &str) {
        self.end();
        self.print(text);
        self.end();
    }

    /// New lines separate lines, and what follows the last one is not ended yet.
    pub fn print(&mut self, text: &str) {
        for (n, part) in text.split('\n').enumerate() {
            if n > 0 {
                self.push();
            }
            let room = WIDTH.saturating_sub(self.open.chars().count());
            self.open.extend(part.chars().filter(|c| !c.is_control()).take(room));
        }
    }

    /// The number of the first line that is there from number `from` on, and the lines.
    pub fn from(&self, from: u64) -> (u64, Vec<String>) {
        let first = from.clamp(self.gone, self.gone + self.lines.len() as u64);
        (first, self.lines.iter().skip((first - self.gone) as usize).cloned().collect())
    }

    fn end(&mut self) {
        if !self.open.is_empty() {
            self.push();
        }
    }

    fn push(&mut self) {
        if self.lines.len() == LINES {
            self.lines.pop_front();
            self.gone += 1;
        }
        self.lines.push_back(std::mem::take(&mut self.open));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_numbers() {
        let mut tail = Tail::default();
        tail.print("one\ntw");
        assert_eq!(tail.from(0), (0, vec!["one".into()]));
        tail.print("o\x07");
        tail.line("three");
        assert_eq!(tail.from(1), (1, vec!["two".into(), "three".into()]));
        assert_eq!(tail.from(9), (3, vec![]));
        (0..LINES).for_each(|n| tail.line(&n.to_string()));
        assert_eq!(tail.from(0), (3, (0..LINES).map(|n| n.to_string()).collect()));
        tail.line(&"x".repeat(WIDTH + 1));
        assert_eq!(tail.from(LINES as u64 + 3).1, ["x".repeat(WIDTH)]);
    }
}
