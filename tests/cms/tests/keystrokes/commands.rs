//! What the model's subcommands do. It knows the spellings that sessions use.

use crate::model::{Model, TRUNCATION};
use crate::target::{Range, Target, number, parse};

const REMEMBERED: usize = 8;
const NO_LINE: &str = "521E There is no such line";

fn several(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

impl Model {
    /// A line of the command line: subcommands between LINEND characters.
    pub(crate) fn perform_line(&mut self, line: &str) {
        let mut line = line.trim();
        if line.is_empty() {
            return;
        }
        if !line.starts_with(['?', '=']) {
            self.remembered.insert(0, line.to_owned());
            self.remembered.truncate(REMEMBERED);
            self.recalled = 0;
        }
        if let Some(rest) = line.strip_prefix('&') {
            self.command_next = Some(line.to_owned());
            line = rest;
        }
        self.perform_several(line, true);
    }

    pub(crate) fn perform_several(&mut self, line: &str, keep: bool) {
        for part in line.split('#') {
            if keep && !part.starts_with(['?', '=']) && !part.trim().is_empty() {
                part.clone_into(&mut self.last);
            }
            self.perform(part.trim());
            if self.over {
                return;
            }
        }
    }

    fn perform(&mut self, command: &str) {
        if command.is_empty() {
            return;
        }
        if command == "=" {
            return self.perform(self.last.clone().trim());
        }
        if command == "?" {
            if let Some(line) = self.remembered.get(self.recalled) {
                self.command_next = Some(line.clone());
                self.recalled = (self.recalled + 1) % self.remembered.len();
            }
            return;
        }
        if command.starts_with(|c: char| ":+-*./~".contains(c) || c.is_ascii_digit()) {
            return self.locate(command);
        }
        let length = command.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(command.len());
        let (name, rest) = command.split_at(length);
        let operand = rest.trim();
        let count = number(operand).map_or(1, |(n, _)| n);
        // One blank is between the name and a text.
        let text = rest.strip_prefix(' ').unwrap_or(rest);
        match name {
            "top" => self.go(0),
            "bottom" => self.go(self.before(self.end())),
            "up" | "down" | "next" | "u" | "n" => {
                let up = name.starts_with('u');
                let found = match operand {
                    "*" => self.find(&Target::All { up }, false),
                    _ => self.find(&Target::Relative { up, count }, false),
                };
                self.go(found.expect("there is always a line").line);
            }
            "forward" | "backward" => self.scroll(name == "backward", count),
            "locate" => self.locate(operand),
            "find" | "nfind" | "findup" | "nfindup" => self.look(name, text.trim_end()),
            "add" | "input" | "replace" | "recover" | "put" | "putd" | "get" => self.perform_lines(name, operand, text),
            "delete" | "copy" | "move" | "duplicat" | "sort" => self.perform_blocks(name, operand),
            "change" | "c" => self.change(operand),
            "count" => self.count(operand),
            "uppercas" | "lowercas" | "shift" => self.convert(name, operand),
            "overlay" | "cappend" | "cinsert" | "creplace" | "coverlay" | "cdelete" => {
                self.perform_columns(name, operand, text);
            }
            "cfirst" => self.column = 1,
            "clast" => self.column = TRUNCATION,
            "clocate" => self.column = self.column_target(operand),
            "split" => self.split(self.current(), count, false),
            "join" => self.join(self.current(), count, false),
            "spltjoin" => self.split_or_join(),
            "left" | "right" => {
                let by = if name == "left" { -(count as i32) } else { count as i32 };
                self.shift = if by == 0 { 0 } else { self.shift + by };
            }
            "rgtleft" => self.shift = if self.shift == 0 { 54 } else { 0 },
            "all" => self.all(operand),
            "set" => self.set_option(operand),
            "reset" => self.pending.clear(),
            "quit" if self.alterations > 0 => self.say("577E File has been changed; type QQUIT to quit anyway"),
            "quit" => self.over = true,
            "sos" => self.sos_lineadd(),
            "cursor" => self.cursor_home(),
            _ => panic!("the model has no {command}"),
        }
    }

    fn set_option(&mut self, words: &str) {
        let (name, value) = words.split_once(' ').expect("an option has a value");
        let on = value == "on";
        match name {
            "stay" => self.stay = on,
            "wrap" => self.wrap = on,
            "shadow" => self.shadow = on,
            "number" => self.number = on,
            "scope" => self.scope_all = value == "all",
            "case" => {}
            _ => panic!("the model has no {words}"),
        }
    }

    /// Targets one after the other, then perhaps a subcommand.
    fn locate(&mut self, text: &str) {
        let mut rest = text;
        while !rest.trim().is_empty() {
            let Some((target, after)) = parse(rest) else { return self.perform(rest.trim()) };
            let Some(found) = self.find(&target, self.wrap) else {
                if let Target::Strings { up, .. } = target
                    && !self.stay
                {
                    self.go(if up { 0 } else { self.end() });
                }
                let name = matches!(target, Target::Name(_));
                return self.say(if name { "539E Named line not found" } else { "546E Target not found" });
            };
            self.go(found.line);
            rest = after;
        }
    }

    fn scroll(&mut self, up: bool, count: usize) {
        let edge = if up { 0 } else { self.end() };
        if self.current() == edge {
            return self.go(self.end() - edge);
        }
        let found = self.find(&Target::Relative { up, count: 18 * count }, false);
        self.go(found.expect("there is always a line").line);
    }

    /// FIND: a blank matches any character.
    fn look(&mut self, name: &str, text: &str) {
        let (up, like) = (name.ends_with("up"), name.starts_with('f'));
        let begins = |line: &str| {
            let mut line = line.chars();
            text.chars().all(|c| {
                let here = line.next().unwrap_or(' ');
                c == ' ' || here == if c == '_' { ' ' } else { c }
            })
        };
        let mut at = self.current();
        loop {
            at = if up { self.before(at) } else { self.after(at) };
            if !self.is_line(at) {
                break;
            }
            if begins(self.text(at)) == like {
                return self.go(at);
            }
        }
        if !self.stay {
            self.go(at);
        }
        self.say("586E Not found");
    }

    /// Where lines are added: after the current one, at the End of File before that.
    fn place_to_add(&self) -> usize {
        self.current().min(self.size())
    }

    fn perform_lines(&mut self, name: &str, operand: &str, text: &str) {
        let (here, after) = (self.current(), self.place_to_add());
        match name {
            "add" => {
                let count = number(operand).map_or(1, |(n, _)| n);
                self.go(after);
                (0..count).for_each(|n| self.add(after + n, ""));
                self.cursor_on(after + 1, 1, 60);
            }
            "input" => {
                self.add(after, text);
                self.go(after + 1);
            }
            "replace" if self.is_line(here) => self.set(here, text),
            "replace" => self.say(NO_LINE),
            "recover" => {
                let there = self.deleted.len();
                let count = if operand == "*" { there } else { number(operand).map_or(1, |(n, _)| n).min(there) };
                let back = self.deleted.split_off(there - count);
                let at = here.max(1);
                for (n, text) in back.iter().enumerate() {
                    self.add(at - 1 + n, text);
                }
                if count > 0 {
                    self.go(at);
                }
                self.say(format!("502I {count} line{} recovered", several(count)));
            }
            "get" => match self.kept.clone() {
                None => self.say("562E No line saved by PUT or PUTD"),
                Some(kept) => {
                    kept.iter().enumerate().for_each(|(n, text)| self.add(after + n, text));
                    self.go(after + kept.len());
                }
            },
            _ => self.put(name == "putd", operand),
        }
    }

    fn put(&mut self, delete: bool, operand: &str) {
        let (target, _) = parse(operand).expect("sessions say how many");
        let Some(range) = self.range(&target) else { return };
        let kept: Vec<_> = range.lines.iter().map(|n| self.text(*n).to_owned()).collect();
        self.kept = Some(kept).filter(|kept| !kept.is_empty());
        if delete {
            return self.perform_blocks("delete", operand);
        }
        match (range.up, range.lines.first().zip(range.lines.last())) {
            _ if self.stay => {}
            (false, Some((_, last))) => self.go(self.after(*last)),
            _ => self.pass(&range),
        }
    }

    fn perform_blocks(&mut self, name: &str, operand: &str) {
        match name {
            "delete" => {
                let target = parse(operand).map_or(Target::Relative { up: false, count: 1 }, |(target, _)| target);
                let Some(range) = self.range(&target) else { return };
                let (count, Some(last)) = (range.lines.len(), range.lines.last()) else { return };
                range.lines.iter().rev().for_each(|n| self.delete(*n));
                // In the order in which they stood.
                let from = self.deleted.len() - count;
                self.deleted[from..].reverse();
                self.go(self.after(last - count));
                if count > 1 {
                    self.say(format!("501I {count} line{} deleted", several(count)));
                }
            }
            "duplicat" => {
                let (times, rest) = number(operand).expect("sessions say how often");
                let target = parse(rest).map_or(Target::Relative { up: false, count: 1 }, |(target, _)| target);
                let Some(range) = self.range(&target) else { return };
                let Some(span) = range.span() else { return self.say(NO_LINE) };
                let mut after = span.1;
                for _ in 0..times {
                    after += self.copy_lines(span, after);
                    if !self.stay {
                        self.go(after);
                    }
                }
            }
            "sort" => self.sort(operand),
            _ => self.copy_or_move(name == "move", operand),
        }
    }

    fn copy_or_move(&mut self, moves: bool, operand: &str) {
        let (first, rest) = parse(operand).expect("sessions have two targets");
        let (second, _) = parse(rest).expect("sessions have two targets");
        let Some(range) = self.range(&first) else { return };
        let Some(found) = self.find(&second, self.wrap) else {
            return self.say(match second {
                Target::Name(_) => "539E Named line not found",
                _ => "546E Target not found",
            });
        };
        let to = found.line.min(self.size());
        let Some((first, last)) = range.span() else { return self.say(NO_LINE) };
        if to >= first && to < last + usize::from(moves) {
            return self.say("505E The line is one of those that are copied or moved");
        }
        let (count, at) = match moves {
            true => self.move_lines((first, last), to),
            false => (self.copy_lines((first, last), to), to),
        };
        if !self.stay {
            self.go(at + count);
        }
        let (number, done) = if moves { (506, "moved") } else { (507, "copied") };
        self.say(format!("{number}I {count} line{} {done}", several(count)));
    }

    /// Those in scope, once more after a line; how many.
    pub(crate) fn copy_lines(&mut self, (first, last): (usize, usize), after: usize) -> usize {
        let lines: Vec<_> = (first..=last).filter(|n| self.in_scope(*n)).map(|n| self.lines[n - 1].clone()).collect();
        for (n, line) in lines.iter().enumerate() {
            self.insert(after + n, &line.text, line.level);
        }
        lines.len()
    }

    /// Those in scope go after a line that is none of them; how many, and after which line they are then.
    pub(crate) fn move_lines(&mut self, (first, last): (usize, usize), to: usize) -> (usize, usize) {
        let wanted: Vec<_> = (first..=last).filter(|n| self.in_scope(*n)).collect();
        let mut lines: Vec<_> = wanted.iter().rev().map(|n| self.remove(*n)).collect();
        let at = to - wanted.iter().filter(|n| **n <= to).count();
        self.alterations += lines.len();
        let count = lines.len();
        lines.reverse();
        self.lines.splice(at..at, lines);
        (count, at)
    }

    fn sort(&mut self, operand: &str) {
        let (target, rest) = parse(operand).expect("sessions have a target");
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [order, from, to] = words[..] else { panic!("sessions have an order and columns: {operand}") };
        let [from, to] = [from, to].map(|word| word.parse::<usize>().expect("a number"));
        let Some(range) = self.range(&target) else { return };
        let mut texts: Vec<_> = range.lines.iter().map(|n| self.text(*n).to_owned()).collect();
        let key = |text: &String| {
            base::ebcdic::from_str(&format!("{text:to$}").chars().take(to).skip(from - 1).collect::<String>())
        };
        texts.sort_by(|a, b| if order == "d" { key(b).cmp(&key(a)) } else { key(a).cmp(&key(b)) });
        for (line, text) in range.lines.iter().zip(texts) {
            self.set(*line, &text);
        }
    }

    /// A string, its delimiter, and the rest.
    fn strings(operand: &str, count: usize) -> (Vec<String>, &str) {
        let delimiter = operand.chars().next().expect("sessions have a string");
        let mut rest = &operand[1..];
        let mut strings = Vec::new();
        for _ in 0..count {
            let end = rest.find(delimiter).unwrap_or(rest.len());
            strings.push(rest[..end].to_owned());
            rest = rest.get(end + 1..).unwrap_or("");
        }
        (strings, rest)
    }

    fn change(&mut self, operand: &str) {
        let operand = if operand.is_empty() { self.last_change.clone() } else { operand.to_owned() };
        if operand.is_empty() {
            return self.say("545E Missing operand(s)");
        }
        operand.clone_into(&mut self.last_change);
        let (strings, rest) = Model::strings(&operand, 2);
        let (from, to) = (&strings[0], &strings[1]);
        let (target, rest) = parse(rest).unwrap_or((Target::Relative { up: false, count: 1 }, ""));
        let counts =
            rest.split_whitespace().map(|word| if word == "*" { usize::MAX } else { word.parse().expect("a number") });
        let counts: Vec<usize> = counts.collect();
        let (count, first) = (counts.first().copied().unwrap_or(1), counts.get(1).copied().unwrap_or(1));
        let Some(range) = self.range(&target) else { return };
        let (mut changed, mut lines) = (0, 0);
        for line in &range.lines {
            let (text, times) = replaced(self.text(*line), from, to, count, first.max(1));
            self.unsure |= text.len() > TRUNCATION;
            changed += times;
            lines += usize::from(times > 0);
            self.set(*line, &text);
        }
        if !self.stay {
            self.pass(&range);
        }
        self.say(match lines {
            0 => "585E No line(s) changed".into(),
            _ => format!("517I {changed} occurrence(s) changed on {lines} line(s)"),
        });
    }

    fn count(&mut self, operand: &str) {
        let (strings, rest) = Model::strings(operand, 1);
        let (target, _) = parse(rest).unwrap_or((Target::Relative { up: false, count: 1 }, ""));
        let Some(range) = self.range(&target) else { return };
        let all: usize = range.lines.iter().map(|n| self.text(*n).matches(strings[0].as_str()).count()).sum();
        if !self.stay {
            self.pass(&range);
        }
        self.say(format!("522I {all} occurrence{}", several(all)));
    }

    fn convert(&mut self, name: &str, operand: &str) {
        let (way, rest) = if name == "shift" { operand.split_once(' ').expect("a way") } else { ("", operand) };
        let (by, rest) = if name == "shift" { number(rest).expect("a number") } else { (0, rest) };
        let (target, _) = parse(rest).unwrap_or((Target::Relative { up: false, count: 1 }, ""));
        let Some(range) = self.range(&target) else { return };
        let before = self.alterations;
        for line in &range.lines {
            let text = self.text(*line);
            let text = match (name, way) {
                ("uppercas", _) => text.to_uppercase(),
                ("lowercas", _) => text.to_lowercase(),
                (_, "left") => text.chars().skip(by).collect(),
                _ => format!("{}{text}", " ".repeat(by)),
            };
            self.unsure |= text.trim_end().len() > TRUNCATION;
            self.set(*line, &text);
        }
        if name != "shift" && self.alterations == before {
            return self.say("585E No line(s) changed");
        }
        if !self.stay {
            self.pass(&range);
        }
    }

    fn all(&mut self, operand: &str) {
        self.lines.iter_mut().for_each(|line| line.level = 0);
        self.display = (0, 0);
        if operand.is_empty() {
            return;
        }
        let (target, _) = parse(operand).expect("sessions have a target");
        let here = self.at;
        self.go(0);
        while let Some(found) = self.find(&target, false) {
            self.lines[found.line - 1].level = 1;
            self.go(found.line);
        }
        self.at = here;
        match self.lines.iter().position(|line| line.level == 1) {
            None => self.say("546E Target not found"),
            Some(first) => {
                self.display = (1, 1);
                self.go(first + 1);
            }
        }
    }
}

impl Range {
    /// The first and the last.
    fn span(&self) -> Option<(usize, usize)> {
        self.lines.first().copied().zip(self.lines.last().copied())
    }
}

/// A text with some occurrences of a string replaced, and how many; an empty one is there once, in front.
fn replaced(text: &str, from: &str, to: &str, count: usize, first: usize) -> (String, usize) {
    if from.is_empty() {
        return if first == 1 && count > 0 { (format!("{to}{text}"), 1) } else { (text.to_owned(), 0) };
    }
    let (mut made, mut rest, mut seen, mut times) = (String::new(), text, 0, 0);
    while let Some(at) = rest.find(from).filter(|_| times < count) {
        seen += 1;
        let wanted = seen >= first;
        times += usize::from(wanted);
        made += &rest[..at];
        made += if wanted { to } else { from };
        rest = &rest[at + from.len()..];
    }
    (made + rest, times)
}
