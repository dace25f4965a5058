//! What the model does with what is typed in prefix areas.

use crate::model::{Model, Place};
use crate::screen::Row;

/// A subcommand that has been typed and not performed.
#[derive(Clone, Debug)]
pub(crate) struct Pending {
    pub(crate) place: Place,
    /// Of a shadow line, how many lines it stands for.
    pub(crate) hidden: usize,
    pub(crate) typed: String,
    pub(crate) name: String,
    pub(crate) sign: Option<char>,
    pub(crate) count: Option<usize>,
    /// It is shown with a question mark, and never performed.
    pub(crate) wrong: bool,
}

const BLOCKS: [&str; 7] = ["CC", "DD", "MM", "\"\"", ">>", "<<", "XX"];
const ALONE: [&str; 9] = ["A", "I", "D", "\"", "X", "S", ">", "<", "/"];
const COPIES: [&str; 4] = ["C", "M", "F", "P"];

/// Lines to be copied or moved, and the subcommands that say so.
struct Source {
    first: Place,
    last: Place,
    lines: (usize, usize),
    moves: bool,
}

impl Pending {
    /// A number before or after the name.
    fn parse(place: Place, hidden: usize, typed: &str) -> Pending {
        let digits = |text: &str| text.chars().take_while(char::is_ascii_digit).count();
        let before = digits(typed);
        let rest = typed[before..].trim_start();
        let mut count = typed[..before].parse().ok();
        let like = |c: char| match rest.chars().next() {
            Some('.') => true,
            Some(first) if !first.is_ascii_alphanumeric() => c == first,
            _ => c.is_ascii_alphabetic(),
        };
        let length = rest.chars().take_while(|c| like(*c)).count();
        let (name, after) = rest.split_at(length);
        let after = after.trim_start();
        let sign = after.chars().next().filter(|c| "*+-".contains(*c));
        let after = &after[sign.map_or(0, char::len_utf8)..];
        let number = digits(after);
        count = after[..number].parse().ok().or(count);
        let (name, wrong) = (name.to_uppercase(), number < after.len());
        Pending { place, hidden, typed: typed.to_owned(), name, sign, count, wrong }
    }

    fn is_block(&self) -> bool {
        BLOCKS.contains(&self.name.as_str())
    }

    fn times(&self) -> usize {
        self.count.unwrap_or(1).max(1)
    }
}

impl Model {
    /// The first that waits.
    pub(crate) fn waiting(&self) -> Option<&Pending> {
        self.pending.iter().find(|pending| !pending.wrong)
    }

    /// What is in the prefix area of a row now.
    pub(crate) fn prefix_typed(&mut self, row: Row, text: &str) {
        let (place, hidden) = match row {
            Row::Line(line) => (self.place(line), 0),
            Row::Shadow(line, count) => (self.place(line), count),
            Row::Nothing => return,
        };
        let old = self.prefix_shown(row);
        if old == text {
            return;
        }
        // What was there is not what was typed, nor are the signs of an empty area.
        let new = text.chars().zip(old.chars()).filter(|(now, was)| now != was && (*now != '=' || self.number));
        let typed: String = new.map(|(now, _)| now).collect();
        let typed = typed.trim();
        self.pending.retain(|pending| pending.place != place);
        if typed.is_empty() || typed == "*" {
            return;
        }
        let pending = Pending::parse(place, hidden, typed);
        if pending.wrong {
            self.say(format!("659E Invalid prefix subcommand: {}", pending.name));
        }
        let line = self.number(place);
        let at = self.pending.iter().take_while(|other| self.number(other.place) <= line).count();
        self.pending.insert(at, pending);
    }

    fn take_pending(&mut self, place: Place) -> Option<Pending> {
        let at = self.pending.iter().position(|pending| pending.place == place)?;
        Some(self.pending.remove(at))
    }

    fn reject(&mut self, place: Place, message: String) {
        if let Some(pending) = self.pending.iter_mut().find(|pending| pending.place == place) {
            pending.wrong = true;
        }
        self.say(message);
    }

    /// Top of File takes what adds after it, End of File what adds before it; as half of a block neither will do.
    fn reject_misplaced(&mut self) {
        for pending in self.pending.clone() {
            let name = pending.name.as_str();
            let fits = match pending.place {
                Place::Top => ["A", "I", "F", "/"].contains(&name),
                Place::End => ["P", "/"].contains(&name),
                Place::Line(_) => true,
            };
            if !fits && !pending.wrong {
                let message = format!("661E Prefix {name} is invalid for the line on which it was entered");
                self.reject(pending.place, message);
            }
        }
    }

    /// In the order of the lines: what needs no other, and blocks whose halves are there.
    fn perform_one(&mut self) -> bool {
        for pending in self.pending.clone() {
            let name = pending.name.as_str();
            if pending.wrong {
                continue;
            }
            if COPIES.contains(&name) || ["CC", "MM", "/"].contains(&name) {
                continue;
            }
            if pending.is_block() {
                let Some(other) = self.other_half(&pending) else { continue };
                let count = pending.count.or(other.count).unwrap_or(1).max(1);
                let lines = (self.number(pending.place), self.number(other.place));
                self.take_pending(pending.place);
                self.take_pending(other.place);
                self.do_lines(name.split_at(1).0, lines, count);
                return true;
            }
            if !ALONE.contains(&name) && !name.starts_with('.') {
                self.reject(pending.place, format!("659E Invalid prefix subcommand: {name}"));
                continue;
            }
            self.take_pending(pending.place);
            self.do_alone(&pending);
            return true;
        }
        false
    }

    fn other_half(&self, first: &Pending) -> Option<Pending> {
        let mut later = self.pending.iter().skip_while(|pending| pending.place != first.place).skip(1);
        later.find(|pending| !pending.wrong && pending.name == first.name).cloned()
    }

    fn do_alone(&mut self, pending: &Pending) {
        let (line, count) = (self.number(pending.place), pending.times());
        let last = (line + count - 1).min(self.size());
        match pending.name.as_str() {
            "A" | "I" => {
                for n in 0..count {
                    self.add(line + n, "");
                }
                self.cursor_on(line + 1, 1, 60);
            }
            "S" => self.show_again(pending, line),
            "D" | "X" => self.do_lines(&pending.name, (line, last), 1),
            "\"" | ">" | "<" => self.do_lines(&pending.name, (line, line), count),
            name => {
                let Place::Line(id) = pending.place else { return };
                self.names.insert(name.to_owned(), id);
            }
        }
    }

    /// What is done with each of some lines.
    fn do_lines(&mut self, name: &str, (first, last): (usize, usize), count: usize) {
        let here = self.current();
        match name {
            "D" => (first..=last).for_each(|_| self.delete(first)),
            "X" => {
                let level = self.display.1 + 1;
                self.lines[first - 1..last].iter_mut().for_each(|line| line.level = level);
            }
            "\"" => {
                let copies: Vec<_> = (first..=last).filter(|n| self.in_scope(*n)).collect();
                let copies: Vec<_> = copies.into_iter().map(|n| self.lines[n - 1].clone()).collect();
                for (to, line) in (last..).zip(copies.iter().cycle().take(copies.len() * count)) {
                    self.insert(to, &line.text, line.level);
                }
            }
            _ => {
                for line in (first..=last).filter(|n| self.in_scope(*n)).collect::<Vec<_>>() {
                    let text = self.text(line);
                    let moved = match name {
                        ">" => format!("{}{text}", " ".repeat(count)),
                        _ => text.chars().skip(count).collect(),
                    };
                    self.set(line, &moved);
                }
            }
        }
        if (first..=last).contains(&here) && ["D", "X"].contains(&name) {
            self.settle();
        }
    }

    /// S of a shadow line.
    fn show_again(&mut self, pending: &Pending, first: usize) {
        let all = pending.hidden;
        let wanted = match (pending.sign, pending.count) {
            (Some('*'), _) | (None, None) => all,
            (_, count) => count.unwrap_or(1).min(all),
        };
        let from = if pending.sign == Some('-') { first + all - wanted } else { first };
        let level = self.display.0;
        self.lines[from - 1..from - 1 + wanted].iter_mut().for_each(|line| line.level = level);
    }

    fn find_source(&self) -> Option<Source> {
        self.pending.iter().filter(|pending| !pending.wrong).find_map(|pending| {
            let first = self.number(pending.place);
            let (last, end) = match pending.name.as_str() {
                "C" | "M" => (pending.place, first + pending.times() - 1),
                "CC" | "MM" => {
                    let other = self.other_half(pending)?;
                    (other.place, self.number(other.place))
                }
                _ => return None,
            };
            let lines = (first, end.min(self.size()));
            Some(Source { first: pending.place, last, lines, moves: pending.name.starts_with('M') })
        })
    }

    /// C and M with their destination.
    fn perform_copy(&mut self) -> bool {
        let is_destination = |pending: &&Pending| !pending.wrong && ["F", "P"].contains(&pending.name.as_str());
        let Some(destination) = self.pending.iter().find(is_destination).cloned() else { return false };
        let Some(source) = self.find_source() else { return false };
        let (first, last) = source.lines;
        let to = self.number(destination.place) - usize::from(destination.name == "P");
        self.take_pending(destination.place);
        if to >= first && to < last + usize::from(source.moves) {
            self.say("505E The line is one of those that are copied or moved");
            return true;
        }
        self.take_pending(source.first);
        self.take_pending(source.last);
        let here = self.current();
        match source.moves {
            true => _ = self.move_lines(source.lines, to),
            false => _ = self.copy_lines(source.lines, to),
        }
        if source.moves && (first..=last).contains(&here) {
            self.settle();
        }
        true
    }

    /// All that can be performed; the line pointer moves last.
    pub(crate) fn perform_prefixes(&mut self) {
        self.reject_misplaced();
        while self.perform_one() || self.perform_copy() {}
        for pending in self.pending.clone() {
            if pending.name == "/" && !pending.wrong {
                self.take_pending(pending.place);
                self.at = pending.place;
                if let Some(column) = pending.count.filter(|n| (1..=80).contains(n)) {
                    self.column = column;
                }
            }
        }
    }
}
