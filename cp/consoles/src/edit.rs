//! Line editing: TERMINAL LINEND, LINEDEL, CHARDEL, ESCAPE.
//!
//! What a user types is one or more logical lines, separated by the line end character. Within a line the character
//! delete character takes back the one before it, the line delete character everything before it, and the escape
//! character makes the next one an ordinary character. A logical line that begins with `CP` right after a line end
//! character is for CP whatever the virtual machine is doing: that is how `#CP` works.

/// The editing characters; `None` is OFF.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Editing {
    /// TERMINAL LINEND: separates logical lines.
    pub line_end: Option<char>,
    /// TERMINAL LINEDEL: erases the line up to it.
    pub line_delete: Option<char>,
    /// TERMINAL CHARDEL: erases the character before it.
    pub character_delete: Option<char>,
    /// TERMINAL ESCAPE: makes the next character an ordinary one.
    pub escape: Option<char>,
}

impl Default for Editing {
    fn default() -> Editing {
        Editing { line_end: Some('#'), line_delete: None, character_delete: None, escape: Some('"') }
    }
}

impl From<directory::Editing> for Editing {
    fn from(editing: directory::Editing) -> Editing {
        Editing {
            line_end: editing.line_end,
            line_delete: editing.line_delete,
            character_delete: editing.char_delete,
            escape: editing.escape,
        }
    }
}

/// A logical line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Logical {
    /// For the side that reads: CP in CP READ, else the virtual machine.
    Reader(String),
    /// For CP: `#CP` and what followed. Empty means that CP READ is wanted.
    Cp(String),
}

impl Editing {
    /// The logical lines of what was typed; one empty line if nothing was.
    pub fn split(&self, typed: &str) -> Vec<Logical> {
        let mut lines = Vec::new();
        let mut line = String::new();
        let mut after_line_end = false;
        let mut characters = typed.chars();
        while let Some(c) = characters.next() {
            match Some(c) {
                c if c == self.escape => line.extend(characters.next()),
                c if c == self.line_end => {
                    // A line end at the very front is the front half of #CP, not an empty line.
                    if !(line.is_empty() && lines.is_empty() && !after_line_end) {
                        lines.push(logical(std::mem::take(&mut line), after_line_end));
                    }
                    after_line_end = true;
                }
                c if c == self.character_delete => {
                    line.pop();
                }
                c if c == self.line_delete => line.clear(),
                _ => line.push(c),
            }
        }
        if !line.is_empty() || lines.is_empty() {
            lines.push(logical(line, after_line_end));
        }
        lines
    }
}

fn logical(line: String, after_line_end: bool) -> Logical {
    if after_line_end
        && let Some((front, rest)) = line.split_at_checked(2)
        && front.eq_ignore_ascii_case("CP")
        && !rest.starts_with(|c: char| !c.is_ascii_whitespace())
    {
        return Logical::Cp(rest.trim_ascii().to_string());
    }
    Logical::Reader(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reader(line: &str) -> Logical {
        Logical::Reader(line.into())
    }

    fn cp(line: &str) -> Logical {
        Logical::Cp(line.into())
    }

    #[test]
    fn line_end_separates_and_cp_after_it_is_for_cp() {
        let editing = Editing::default();
        assert_eq!(editing.split("q time#q names"), [reader("q time"), reader("q names")]);
        assert_eq!(editing.split("#cp q time"), [cp("q time")]);
        assert_eq!(editing.split("#cp"), [cp("")]);
        assert_eq!(editing.split("ls#CP Q N#pwd"), [reader("ls"), cp("Q N"), reader("pwd")]);
        assert_eq!(editing.split("cp q time"), [reader("cp q time")]);
        assert_eq!(editing.split("#cpu"), [reader("cpu")]);
        assert_eq!(editing.split(""), [reader("")]);
        assert_eq!(editing.split("a##b"), [reader("a"), reader(""), reader("b")]);
    }

    #[test]
    fn characters_are_taken_back_and_escaped() {
        let editing = Editing { character_delete: Some('@'), line_delete: Some('['), ..Editing::default() };
        assert_eq!(editing.split("qq@ tim@me"), [reader("q time")]);
        assert_eq!(editing.split("nonsense[q time"), [reader("q time")]);
        assert_eq!(editing.split("a\"#b\"\"c\"@"), [reader("a#b\"c@")]);
        assert_eq!(editing.split("@@@"), [reader("")]);
    }
}
