//! Targets of the model: lines, names and strings, and the lines from the current one up to one.

use crate::model::{Model, Place};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Line(usize),
    Relative { up: bool, count: usize },
    All { up: bool },
    Name(String),
    Strings { up: bool, terms: Vec<Term> },
}

/// A string that is to be in a line or not, and what joins it to those before: & or |.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    joined: char,
    absent: bool,
    text: String,
}

/// Where a target is; `beyond` says that there are fewer lines than were asked for.
pub(crate) struct Found {
    pub(crate) line: usize,
    pub(crate) beyond: bool,
}

/// The lines that a subcommand works on, all of them in scope.
pub(crate) struct Range {
    pub(crate) lines: Vec<usize>,
    pub(crate) up: bool,
    pub(crate) edge: bool,
}

/// A number at the beginning, and what is after it.
pub(crate) fn number(text: &str) -> Option<(usize, &str)> {
    let length = text.chars().take_while(char::is_ascii_digit).count();
    Some((text[..length].parse().ok()?, &text[length..]))
}

/// A target at the beginning of a text, and what is after it.
pub(crate) fn parse(text: &str) -> Option<(Target, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix(':') {
        let (line, rest) = number(rest)?;
        return Some((Target::Line(line), rest));
    }
    if text.starts_with('.') {
        let length = text.find(' ').unwrap_or(text.len());
        return Some((Target::Name(text[..length].to_uppercase()), &text[length..]));
    }
    let (up, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if let Some(rest) = rest.strip_prefix('*') {
        return Some((Target::All { up }, rest));
    }
    if let Some((count, rest)) = number(rest) {
        return Some((Target::Relative { up, count }, rest));
    }
    let (mut terms, mut rest, mut joined) = (Vec::new(), rest, '&');
    loop {
        let absent = rest.starts_with('~');
        let inner = rest.trim_start_matches('~').strip_prefix('/')?;
        let end = inner.find('/').unwrap_or(inner.len());
        terms.push(Term { joined, absent, text: inner[..end].to_owned() });
        rest = inner.get(end + 1..).unwrap_or("");
        match rest.chars().next() {
            Some(sign @ ('&' | '|')) => (joined, rest) = (sign, &rest[1..]),
            _ => return Some((Target::Strings { up, terms }, rest)),
        }
    }
}

fn matches(text: &str, terms: &[Term]) -> bool {
    terms.iter().fold(true, |so_far, term| {
        let here = text.contains(&term.text) != term.absent;
        if term.joined == '|' { so_far || here } else { so_far && here }
    })
}

impl Model {
    pub(crate) fn find(&mut self, target: &Target, wrap: bool) -> Option<Found> {
        let here = self.current();
        let found = |line| Some(Found { line, beyond: false });
        match target {
            Target::Line(line) => Some(Found { line: (*line).min(self.end()), beyond: *line > self.size() }),
            Target::All { up } => found(if *up { 0 } else { self.end() }),
            Target::Relative { count: 0, .. } => found(here),
            Target::Relative { up, count } => {
                let on_the_way = self.on_the_way(here, *up);
                let line = on_the_way.get(count - 1).or(on_the_way.last()).copied().unwrap_or(here);
                Some(Found { line, beyond: *count > on_the_way.len() })
            }
            Target::Name(name) => {
                let id = *self.names.get(name)?;
                found(self.number(Place::Line(id)))
            }
            Target::Strings { up, terms } => {
                let fits = |n: &usize| self.is_line(*n) && matches(self.text(*n), terms);
                let ahead = self.on_the_way(here, *up).into_iter().find(fits);
                if ahead.is_some() || !wrap {
                    return found(ahead?);
                }
                let all = self.on_the_way(if *up { self.end() } else { 0 }, *up);
                let line = all.into_iter().filter(|n| if *up { *n >= here } else { *n <= here }).find(fits)?;
                self.say("592W Wrapped");
                Some(Found { line, beyond: false })
            }
        }
    }

    /// Lines in scope from one on, not including it, and the end that comes after them.
    fn on_the_way(&self, from: usize, up: bool) -> Vec<usize> {
        let scope = |n: &usize| self.in_scope(*n);
        match up {
            true if from == 0 => Vec::new(),
            true => (1..from).rev().filter(scope).chain([0]).collect(),
            false if from == self.end() => Vec::new(),
            false => (from + 1..self.end()).filter(scope).chain([self.end()]).collect(),
        }
    }

    /// From the current line up to the target, which is not one of them; none without a message.
    pub(crate) fn range(&mut self, target: &Target) -> Option<Range> {
        let here = self.current();
        let Some(found) = self.find(target, false) else {
            self.say(match target {
                Target::Name(_) => "539E Named line not found",
                _ => "546E Target not found",
            });
            return None;
        };
        let backward = matches!(
            target,
            Target::Relative { up: true, .. } | Target::All { up: true } | Target::Strings { up: true, .. }
        );
        let up = found.line < here || (found.line == here && backward);
        let span = if up { found.line + 1..here + 1 } else { here..found.line };
        let lines = span.filter(|n| self.is_line(*n) && self.in_scope(*n)).collect();
        Some(Range { lines, up, edge: found.beyond || matches!(target, Target::All { .. }) })
    }

    /// The line pointer is at the last line that was worked on, or at the end that was reached.
    pub(crate) fn pass(&mut self, range: &Range) {
        let last = if range.up { range.lines.first() } else { range.lines.last() };
        match last {
            _ if range.edge => self.go(if range.up { 0 } else { self.end() }),
            Some(line) => self.go(*line),
            None => {}
        }
    }
}
