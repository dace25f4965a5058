//! The `.vec` file format.
//!
//! ```text
//! # a comment
//! AL   5E20F000  "AL 2,0(0,15)"      s370 esa390 z
//!   r2=FFFFFFFF r15=2000 @2000=00000001        -> r2=00000000 cc=2
//!   r2=FFFFFFFF r15=7FFFFFFC                   -> pgm=0005 ilc=2
//! ```
//!
//! The header names an instruction: mnemonic, text in hexadecimal, disassembly, and the architectures it is tested in.
//! Each indented line below is a case: what is set before the instruction (all else is zero, the state is the
//! supervisor state, the addressing mode the architecture's widest) and what is different after it. What is not
//! mentioned on the right must be as it was.

use crate::setting::Setting;
use cpu::Architecture;
use std::fmt::Write;

/// One case line.
#[derive(Clone, Debug)]
pub struct Case {
    /// Line number in the file, from 1.
    pub line: usize,
    /// What is set before the instruction.
    pub before: Vec<Setting>,
    /// What is expected after it.
    pub after: Vec<Setting>,
    /// A comment at the end of the line, with its `#`; empty if there is none.
    pub remark: String,
    /// Indented comment lines above it.
    pub above: Vec<String>,
}

/// One header line and its cases.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The header's line number in the file, from 1.
    pub line: usize,
    /// The mnemonic.
    pub mnemonic: String,
    /// The instruction's text: 2, 4 or 6 bytes.
    pub text: Vec<u8>,
    /// What the disassembler is to make of it.
    pub disassembly: String,
    /// The architecture modes in which the cases run.
    pub modes: Vec<Architecture>,
    /// The cases.
    pub cases: Vec<Case>,
}

/// A line of a file.
#[derive(Clone, Debug)]
pub enum Item {
    /// A comment or an empty line, kept as it is.
    Comment(String),
    /// A header line and its cases.
    Vector(Vector),
}

/// What an architecture is called in a header.
pub fn mode_name(mode: Architecture) -> &'static str {
    match mode {
        Architecture::S370 => "s370",
        Architecture::Esa => "esa390",
        Architecture::Z => "z",
    }
}

fn mode(name: &str) -> Option<Architecture> {
    [Architecture::S370, Architecture::Esa, Architecture::Z].into_iter().find(|m| mode_name(*m) == name)
}

/// Reads a file. The error names the line.
pub fn parse(text: &str) -> Result<Vec<Item>, String> {
    let mut items: Vec<Item> = Vec::new();
    let mut above = Vec::new();
    for (n, line) in text.lines().enumerate() {
        let at = n + 1;
        let trimmed = line.trim();
        if line.starts_with(char::is_whitespace) && trimmed.starts_with('#') {
            above.push(line.to_string());
        } else if trimmed.is_empty() || trimmed.starts_with('#') {
            items.push(Item::Comment(line.to_string()));
        } else if line.starts_with(char::is_whitespace) {
            let mut case = case(at, trimmed).map_err(|why| format!("line {at}: {why}"))?;
            case.above = std::mem::take(&mut above);
            match items.iter_mut().rev().find_map(|i| if let Item::Vector(v) = i { Some(v) } else { None }) {
                Some(vector) => vector.cases.push(case),
                None => return Err(format!("line {at}: a case before the first instruction")),
            }
        } else {
            items.push(Item::Vector(header(at, line).map_err(|why| format!("line {at}: {why}"))?));
        }
    }
    Ok(items)
}

fn header(line: usize, text: &str) -> Result<Vector, String> {
    let shape = || "a header is: MNEMONIC HEX \"disassembly\" modes".to_string();
    let (left, rest) = text.split_once('"').ok_or_else(shape)?;
    let (disassembly, modes) = rest.split_once('"').ok_or_else(shape)?;
    let mut words = left.split_whitespace();
    let (Some(mnemonic), Some(hex), None) = (words.next(), words.next(), words.next()) else {
        return Err(shape());
    };
    let bytes = match Setting::parse(&format!("@0={hex}")) {
        Some(Setting::Storage(_, bytes)) if matches!(bytes.len(), 2 | 4 | 6) => bytes,
        _ => return Err(format!("{hex} is not an instruction of 2, 4 or 6 bytes")),
    };
    let modes = modes
        .split_whitespace()
        .map(|m| mode(m).ok_or_else(|| format!("{m} is not one of s370 esa390 z")))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Vector {
        line,
        mnemonic: mnemonic.to_string(),
        text: bytes,
        disassembly: disassembly.to_string(),
        modes,
        cases: Vec::new(),
    })
}

fn case(line: usize, text: &str) -> Result<Case, String> {
    let (text, remark) = match text.find('#') {
        Some(at) => (&text[..at], text[at..].to_string()),
        None => (text, String::new()),
    };
    let (before, after) = text.split_once("->").ok_or("a case has -> between before and after")?;
    let list = |side: &str| {
        side.split_whitespace()
            .map(|s| Setting::parse(s).ok_or_else(|| format!("{s} is not a setting")))
            .collect::<Result<Vec<_>, _>>()
    };
    Ok(Case { line, before: list(before)?, after: list(after)?, remark, above: Vec::new() })
}

fn words(list: &[Setting]) -> String {
    list.iter().map(Setting::to_string).collect::<Vec<_>>().join(" ")
}

impl Case {
    /// The line as it stands in a file.
    pub fn text(&self) -> String {
        let mut line = format!("  {:<42} ->", words(&self.before));
        if !self.after.is_empty() {
            let _ = write!(line, " {}", words(&self.after));
        }
        if !self.remark.is_empty() {
            let _ = write!(line, "   {}", self.remark);
        }
        line
    }
}

impl Vector {
    /// The header line as it stands in a file.
    pub fn header(&self) -> String {
        let hex: String = self.text.iter().map(|b| format!("{b:02X}")).collect();
        let modes: Vec<_> = self.modes.iter().map(|m| mode_name(*m)).collect();
        let quoted = format!("\"{}\"", self.disassembly);
        format!("{:<6} {hex:<12} {quoted:<24} {}", self.mnemonic, modes.join(" "))
    }
}

/// A whole file from its items.
pub fn print(items: &[Item]) -> String {
    let mut out = String::new();
    for item in items {
        match item {
            Item::Comment(line) => {
                let _ = writeln!(out, "{line}");
            }
            Item::Vector(v) => {
                let _ = writeln!(out, "{}", v.header());
                for case in &v.cases {
                    for line in &case.above {
                        let _ = writeln!(out, "{line}");
                    }
                    let _ = writeln!(out, "{}", case.text());
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_and_written() {
        let text = "# add\nAL     5E20F000     \"AL 2,0(0,15)\"           s370 z\n  r2=FFFFFFFF r15=00002000 @2000=00000001    -> \
                    r2=00000000 cc=2\n  # not there\n  r15=7FFFFFFC                               -> pgm=0005 ilc=2   # beyond\n\n";
        assert_eq!(print(&parse(text).expect("a good file")), text);
    }

    #[test]
    fn errors_name_their_line() {
        assert_eq!(parse("\n  r1=0 -> r1=1").expect_err("no header"), "line 2: a case before the first instruction");
        assert!(parse("AR 1A12 \"AR 1,2\" vax").expect_err("mode").contains("vax is not one of"));
        assert!(parse("AR 1A12 \"AR 1,2\" z\n  r1=0").expect_err("no arrow").starts_with("line 2"));
    }
}
