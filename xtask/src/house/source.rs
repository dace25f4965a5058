//! One source file, read closely enough to count in it: what is code, what is text, what is there for tests alone.

/// A file without its comments and tests.
pub(super) struct Source {
    /// The code. What is left out (comments, what stands in quotes, items for tests) is blank here, line by line.
    pub code: String,
    /// What stands in double quotes outside tests.
    pub strings: Vec<String>,
    /// Lines outside tests, comments and blank ones included.
    pub lines: usize,
    /// The modules that the file declares for tests alone, `mod tests;`.
    pub test_modules: Vec<String>,
}

impl Source {
    pub(super) fn new(text: &str) -> Source {
        let (code, strings) = code_and_strings(text);
        let mut source = Source { code: String::new(), strings: Vec::new(), lines: 0, test_modules: Vec::new() };
        let mut kept = vec![true; code.len()];
        for (at, _) in code.match_indices("#[cfg(").filter(|&(at, _)| for_tests(&code[at..])) {
            let end = item_end(&code, at);
            kept[at..end].fill(false);
            if let Some((_, name)) = code[at..end].strip_suffix(';').and_then(|item| item.rsplit_once("mod ")) {
                source.test_modules.push(name.trim().to_owned());
            }
        }
        let dropped = |at: usize| !kept[at];
        source.strings = strings.into_iter().filter(|(at, _)| !dropped(*at)).map(|(_, string)| string).collect();
        let mut start = 0;
        for line in code.split_inclusive('\n') {
            // A line counts unless all of it belongs to an item for tests.
            let first = start + (line.len() - line.trim_start().len()).min(line.len() - 1);
            source.lines += usize::from(!dropped(first));
            start += line.len();
        }
        let blank = |(at, byte): (usize, u8)| if dropped(at) && byte != b'\n' { b' ' } else { byte };
        let code: Vec<u8> = code.bytes().enumerate().map(blank).collect();
        source.code = String::from_utf8(code).expect("what is left is ASCII");
        source
    }

    /// How many lines each function takes, from the line of its `fn` to that of its closing brace, comments and blank
    /// lines included. A function inside another counts for both.
    pub(super) fn functions(&self) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        for (at, _) in self.code.match_indices("fn ") {
            if self.code[..at].ends_with(is_word) {
                continue;
            }
            let name: String =
                self.code[at + 3..].trim_start().chars().take_while(|&c| is_word(c) || c == '$').collect();
            let end = item_end(&self.code, at);
            if !name.is_empty() && self.code[..end].ends_with('}') {
                found.push((name, self.code[at..end].lines().count()));
            }
        }
        found
    }
}

pub(super) fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether this `#[cfg(...)]` holds in tests alone.
fn for_tests(attribute: &str) -> bool {
    attribute.starts_with("#[cfg(test)]") || attribute.starts_with("#[cfg(all(test,")
}

/// Where the item that begins at `start` ends: after its braces, or after a semicolon before there are any.
fn item_end(code: &str, start: usize) -> usize {
    let (mut braces, mut others) = (0, 0);
    for (at, byte) in code.bytes().enumerate().skip(start) {
        match byte {
            b'(' | b'[' => others += 1,
            b')' | b']' => others -= 1,
            b'{' => braces += 1,
            b'}' => {
                braces -= 1;
                if braces <= 0 && others <= 0 {
                    return at + 1;
                }
            }
            b';' if braces == 0 && others == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

/// The text with everything blank that is no code, byte for byte, and what stands in double quotes with where it
/// begins.
fn code_and_strings(text: &str) -> (String, Vec<(usize, String)>) {
    let bytes = text.as_bytes();
    let mut code: Vec<u8> = bytes.iter().map(|&byte| if byte == b'\n' { b'\n' } else { b' ' }).collect();
    let mut strings = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match rest {
            [b'/', b'/', ..] => rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len()),
            [b'/', b'*', ..] => comment(rest),
            [b'"', ..] => {
                let (len, inside) = quoted(rest);
                strings.push((at, inside));
                len
            }
            [b'r', ..] if raw(rest).is_some() && !text[..at].ends_with(|c: char| is_word(c) && c != 'b') => {
                let (len, inside) = raw(rest).expect("looked at a moment ago");
                strings.push((at, inside));
                len
            }
            [b'\'', ..] => character(rest),
            [byte, ..] => {
                if byte.is_ascii() {
                    code[at] = *byte;
                }
                1
            }
            [] => unreachable!("at is before the end"),
        };
    }
    (String::from_utf8(code).expect("other than ASCII is left out"), strings)
}

/// How long a comment between `/*` and `*/` is; one may hold others.
fn comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match &rest[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// How long what is in double quotes is with them, and what it says.
fn quoted(rest: &[u8]) -> (usize, String) {
    let mut end = 1;
    while end < rest.len() && rest[end] != b'"' {
        end += if rest[end] == b'\\' { 2 } else { 1 };
    }
    let end = end.min(rest.len());
    (end + 1, String::from_utf8_lossy(&rest[1..end]).into_owned())
}

/// As [`quoted`], for `r"..."` and `r#"..."#`.
fn raw(rest: &[u8]) -> Option<(usize, String)> {
    let hashes = rest[1..].iter().take_while(|&&byte| byte == b'#').count();
    let start = 1 + hashes + 1;
    if rest.get(start - 1) != Some(&b'"') {
        return None;
    }
    let close: Vec<u8> = [b'"'].into_iter().chain(std::iter::repeat_n(b'#', hashes)).collect();
    let len = rest[start..].windows(close.len()).position(|window| window == close)?;
    Some((start + len + close.len(), String::from_utf8_lossy(&rest[start..start + len]).into_owned()))
}

/// How long a character in quotes is with them; 1 where the quote begins a lifetime.
fn character(rest: &[u8]) -> usize {
    match rest {
        [_, b'\\', _, tail @ ..] => 4 + tail.iter().position(|&byte| byte == b'\'').unwrap_or(0),
        [_, first, tail @ ..] => {
            let more = tail.iter().take_while(|byte| **byte & 0xc0 == 0x80).count();
            let closed = tail.get(more) == Some(&b'\'') && *first != b'\'';
            if closed { 3 + more } else { 1 }
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::Source;

    #[test]
    fn comments_and_quotes_are_no_code() {
        let source =
            Source::new("a(\"b // {\", 'c', '\\'', \"\\\"\"); // d {\n/* e /* f */ g */ h::<'i>(r#\"j\"k\"#) '\u{e9}'");
        let code: String = source.code.split_whitespace().collect();
        assert_eq!(code, "a(,,,);h::<i>()");
        assert_eq!(source.strings, ["b // {", "\\\"", "j\"k"]);
    }

    #[test]
    fn what_is_for_tests_alone_is_left_out() {
        let text = "a();\n#[cfg(test)]\nmod tests {\n    \"x\";\n}\n#[cfg(test)]\nmod trial;\nb(\"y\");\n";
        let source = Source::new(text);
        assert_eq!(source.code.split_whitespace().collect::<String>(), "a();b();");
        assert_eq!((source.lines, &source.strings[..]), (2, &["y".to_owned()][..]));
        assert_eq!(source.test_modules, ["trial"]);
    }

    #[test]
    fn functions_are_as_long_as_from_fn_to_brace() {
        let text =
            "trait T {\n    fn a();\n    fn b(\n        x: [u8; 2],\n    ) -> fn(u8) {\n        loop {}\n    }\n}\n";
        assert_eq!(Source::new(text).functions(), [("b".to_owned(), 5)]);
    }
}
