//! What a command answers.

/// What a command answers: lines, and a return code that is 0 unless a command says otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Response {
    /// The lines, in their order.
    pub lines: Vec<String>,
    /// The return code.
    pub code: u16,
}

impl Response {
    /// No lines.
    pub fn none() -> Response {
        Response::default()
    }

    /// The lines of another response as well, and its return code if it has one.
    pub fn add(&mut self, other: Response) {
        self.lines.extend(other.lines);
        self.code = self.code.max(other.code);
    }

    /// Adds a line.
    pub fn push(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }
}

impl From<String> for Response {
    fn from(line: String) -> Response {
        Response { lines: vec![line], code: 0 }
    }
}

impl From<&str> for Response {
    fn from(line: &str) -> Response {
        line.to_string().into()
    }
}

impl From<Vec<String>> for Response {
    fn from(lines: Vec<String>) -> Response {
        Response { lines, code: 0 }
    }
}
