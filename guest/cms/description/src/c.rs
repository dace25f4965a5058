//! C as far as it is read here and in the tests: functions, calls, and what an expression can be.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A function that a file defines.
#[derive(Debug)]
pub struct Function {
    /// What it is called.
    pub name: String,
    /// The names of its parameters.
    pub parameters: Vec<String>,
    /// With its braces.
    pub body: String,
    /// No other file can call it.
    pub own: bool,
}

/// A file, without comments.
#[derive(Debug)]
pub struct File {
    /// Its path below `guest/cms`.
    pub path: String,
    /// All of it.
    pub text: String,
    /// The functions that it defines.
    pub functions: Vec<Function>,
}

/// All files below the folders that make the nucleus, whose names end in `end`. Panics where they cannot be read.
pub fn files(source: &Path, end: &str) -> Vec<File> {
    let mut all = Vec::new();
    for folder in [
        "nucleus", "command", "pipe", "net", "assemble", "edf", "lib", "rexx", "xedit", "window", "volume", "csl",
        "lua", "os", "ddr",
    ] {
        let mut paths: Vec<_> = {
            let entries = fs::read_dir(source.join(folder)).expect("the sources of CMS are there");
            entries.map(|entry| entry.expect("the folder can be read").path()).collect()
        };
        paths.sort();
        for path in paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == end)) {
            let text = without_comments(&fs::read_to_string(path).expect("the file can be read"));
            let functions = functions(&text);
            let path = format!("{folder}/{}", path.file_name().unwrap().to_string_lossy());
            all.push(File { path, text, functions });
        }
    }
    all
}

impl File {
    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }

    /// A function, and all functions of this file that it calls, or that those call.
    pub fn reached<'a>(&'a self, from: &'a Function) -> Vec<&'a Function> {
        let mut all = vec![from];
        let mut at = 0;
        while at < all.len() {
            for other in &self.functions {
                let called = word_at(&all[at].body, &other.name)
                    .any(|place| all[at].body[place + other.name.len()..].starts_with('('));
                if called && !all.iter().any(|f| f.name == other.name) {
                    all.push(other);
                }
            }
            at += 1;
        }
        all
    }
}

/// The same text with blanks for comments.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let mut length = c.len_utf8();
        if rest.starts_with("/*") {
            length = rest.find("*/").map_or(rest.len(), |end| end + 2);
            out.extend(rest[..length].bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        } else {
            length = if c == '"' || c == '\'' { quoted(rest) } else { length };
            out += &rest[..length];
        }
        rest = &rest[length..];
    }
    out
}

/// The length of the literal that `text` begins with.
fn quoted(text: &str) -> usize {
    let quote = text.chars().next().unwrap_or_default();
    let mut escaped = true;
    let end = text.char_indices().find(|&(_, c)| {
        let ends = c == quote && !escaped;
        escaped = !escaped && c == '\\';
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The text with what literals hold, and lines for the preprocessor, made blank: brackets and commas are C's.
fn mask(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut at, mut line_begins) = (0, true);
    while at < text.len() {
        let rest = &text[at..];
        let c = rest.as_bytes()[0];
        let blank = match c {
            b'"' | b'\'' => quoted(rest),
            b'#' if line_begins => {
                let mut end = 0;
                for line in rest.split_inclusive('\n') {
                    end += line.len();
                    if !line.trim_end().ends_with('\\') {
                        break;
                    }
                }
                end
            }
            _ => 0,
        };
        line_begins = c == b'\n' || (line_begins && c == b' ') || (blank > 0 && c == b'#');
        match blank {
            0 => out.push(c),
            _ => out.resize(out.len() + blank, b' '),
        }
        at += blank.max(1);
    }
    out
}

/// The length of what a bracket at the beginning of `mask` encloses, with both brackets.
fn enclosed(mask: &[u8]) -> usize {
    let mut depth = 0;
    let end = mask.iter().position(|c| {
        depth += i32::from(matches!(c, b'(' | b'[' | b'{')) - i32::from(matches!(c, b')' | b']' | b'}'));
        depth == 0
    });
    end.map_or(mask.len(), |end| end + 1)
}

fn functions(text: &str) -> Vec<Function> {
    let mask = mask(text);
    let (mut all, mut at, mut begins) = (Vec::new(), 0, 0);
    while at < mask.len() {
        match mask[at] {
            b';' => begins = at + 1,
            b'(' => at += enclosed(&mask[at..]) - 1,
            b'{' => {
                let end = at + enclosed(&mask[at..]);
                all.extend(function(text, &mask, begins, at, end));
                (at, begins) = (end - 1, end);
            }
            _ => (),
        }
        at += 1;
    }
    all
}

fn function(text: &str, mask: &[u8], begins: usize, brace: usize, end: usize) -> Option<Function> {
    let head = text[begins..brace].trim_end();
    let masked = &mask[begins..begins + head.len()];
    let open = masked.iter().position(|c| *c == b'(').filter(|_| head.ends_with(')'))?;
    let name = last_word(&head[..open]);
    let parameters = arguments(&text[begins + open..], &mask[begins + open..]);
    let parameters = parameters.iter().map(|parameter| last_word(parameter).to_owned()).collect();
    let own = head[..open].split_whitespace().any(|word| word == "static");
    Some(Function { name: name.to_owned(), parameters, body: text[brace..end].to_owned(), own })
}

/// The last name in a text.
pub fn last_word(text: &str) -> &str {
    let text = text.trim_end().trim_end_matches(|c: char| !is_word(c));
    &text[text.rfind(|c| !is_word(c)).map_or(0, |at| at + 1)..]
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Where the word stands in the text.
pub fn word_at<'a>(text: &'a str, word: &'a str) -> impl Iterator<Item = usize> + 'a {
    let places = text.match_indices(word).map(|(at, _)| at);
    places.filter(move |at| !text[..*at].ends_with(is_word) && !text[*at + word.len()..].starts_with(is_word))
}

/// What stands between the brackets that `text` begins with, at their commas.
fn arguments(text: &str, mask: &[u8]) -> Vec<String> {
    let end = enclosed(mask) - 1;
    let (mut all, mut at, mut from) = (Vec::new(), 1, 1);
    while at < end {
        match mask[at] {
            b',' => {
                all.push(text[from..at].trim().to_owned());
                from = at + 1;
            }
            b'(' | b'[' | b'{' => at += enclosed(&mask[at..]) - 1,
            _ => (),
        }
        at += 1;
    }
    all.push(text[from..end.max(from)].trim().to_owned());
    all
}

/// The arguments of each call of `name`.
pub fn calls(text: &str, name: &str) -> Vec<Vec<String>> {
    let mask = mask(text);
    let open = |at: &usize| mask.get(at + name.len()) == Some(&b'(') && mask[*at] != b' ';
    let places = word_at(text, name).filter(open).map(|at| at + name.len());
    places.map(|at| arguments(&text[at..], &mask[at..])).collect()
}

/// A message's number in the source without what says which of its texts is meant.
pub fn without_choice(number: &str) -> &str {
    [" + MESSAGE_SECOND", " + MESSAGE_THIRD"].iter().find_map(|which| number.strip_suffix(which)).unwrap_or(number)
}

/// What an expression can be: both arms of each condition.
pub fn arms(expression: &str) -> Vec<String> {
    let expression = expression.trim();
    let mask = mask(expression);
    if mask.first() == Some(&b'(') && enclosed(&mask) == mask.len() {
        return arms(&expression[1..expression.len() - 1]);
    }
    let (mut at, mut question, mut nested) = (0, None, 0);
    while at < mask.len() {
        match mask[at] {
            b'(' | b'[' | b'{' => at += enclosed(&mask[at..]) - 1,
            b'?' if question.is_none() => question = Some(at),
            b'?' => nested += 1,
            b':' if nested > 0 => nested -= 1,
            b':' if question.is_some() => {
                let mut all = arms(&expression[question.unwrap_or_default() + 1..at]);
                all.extend(arms(&expression[at + 1..]));
                return all;
            }
            _ => (),
        }
        at += 1;
    }
    vec![expression.to_owned()]
}

/// What is given to a variable in a function's body.
pub fn given_to(body: &str, variable: &str) -> Vec<String> {
    let mask = mask(body);
    let mut all = Vec::new();
    for at in word_at(body, variable) {
        let rest = &body[at + variable.len()..];
        let Some(value) = rest.strip_prefix(" = ").filter(|_| mask[at] != b' ') else { continue };
        let from = body.len() - value.len();
        let mut end = from;
        while end < mask.len() && !matches!(mask[end], b',' | b';') {
            end += if matches!(mask[end], b'(' | b'[' | b'{') { enclosed(&mask[end..]) } else { 1 };
        }
        all.push(body[from..end.min(body.len())].to_owned());
    }
    all
}

/// The words in string literals.
pub fn strings(text: &str) -> BTreeSet<&str> {
    let mut all = BTreeSet::new();
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'']) {
        let end = at + quoted(&rest[at..]);
        if rest[at..].starts_with('"') {
            all.insert(&rest[at + 1..(end - 1).max(at + 1)]);
        }
        rest = &rest[end..];
    }
    all
}

/// A statement outside of functions, and where it is.
#[derive(Debug)]
pub struct Statement {
    /// The statement.
    pub text: String,
    /// Where it begins in the file's text.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
}

/// Those of a file, functions too.
pub fn statements(text: &str) -> Vec<Statement> {
    let mask = mask(text);
    let (mut all, mut at, mut begins) = (Vec::new(), 0, 0);
    while at < mask.len() {
        let mut ends = mask[at] == b';';
        match mask[at] {
            b'(' | b'[' => at += enclosed(&mask[at..]) - 1,
            b'{' => {
                ends = text[begins..at].trim_end().ends_with(')');
                at += enclosed(&mask[at..]) - 1;
            }
            _ => (),
        }
        at += 1;
        if ends {
            let blank = mask[begins..at].iter().take_while(|c| c.is_ascii_whitespace()).count();
            let text = text[begins + blank..at].to_owned();
            all.push(Statement { text, from: begins + blank, to: at });
            begins = at;
        }
    }
    all
}

/// The names that a statement of a header declares and another file defines.
pub fn declared(statement: &str) -> Vec<String> {
    let words = statement.split_whitespace().next().unwrap_or_default();
    if ["static", "typedef", "_Static_assert"].iter().any(|word| words.starts_with(word)) || statement.ends_with('}') {
        return Vec::new();
    }
    // A table may be declared with its type.
    let plain = match statement.rfind('}') {
        Some(end) if statement.starts_with("extern") => &statement[end + 1..],
        Some(_) => return Vec::new(),
        None => statement,
    };
    let plain = plain.strip_prefix("__attribute__((noreturn)) ").unwrap_or(plain);
    let plain = plain.split(" __attribute__").next().unwrap_or(plain).trim_end_matches(';').trim();
    let names = |list: &str| {
        let names = list.split(',').map(|name| last_word(name.split('[').next().unwrap_or(name)).to_owned());
        names.collect::<Vec<_>>()
    };
    match plain.find('(') {
        // FUNCTION(rx_abbrev)
        Some(at) if plain[..at].bytes().all(|c| c.is_ascii_uppercase()) => names(plain[at + 1..].trim_end_matches(')')),
        Some(at) => vec![last_word(&plain[..at]).to_owned()],
        None if statement.starts_with("extern") || words.ends_with("_function") => names(plain),
        None => Vec::new(),
    }
}

/// The variables of a file that others may use.
pub fn variables(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for statement in statements(text).into_iter().map(|statement| statement.text) {
        let other = ["static", "extern", "typedef", "_Static_assert"].iter().any(|word| statement.starts_with(word));
        let head = statement.split(" = ").next().unwrap_or_default();
        if other || head.contains('(') || statement.ends_with('}') {
            continue;
        }
        let head = head.rsplit('}').next().unwrap_or(head).trim_end_matches(';');
        all.extend(head.split(',').map(|name| last_word(name.split('[').next().unwrap_or(name)).to_owned()));
    }
    all
}

#[cfg(test)]
#[test]
fn c_is_read() {
    let text = "#define A \\\n {\nstatic int a(u32 n, const char *b) { f(\"}\", g(1, 2), ')'); }\n".to_owned()
        + "int b(void);\nint c(void)\n{\n}\n";
    let text = text.as_str();
    let all = functions(text);
    assert_eq!(all.iter().map(|f| (f.name.as_str(), f.own)).collect::<Vec<_>>(), [("a", true), ("c", false)]);
    assert_eq!(all[0].parameters, ["n", "b"]);
    assert_eq!(calls(text, "f"), [["\"}\"", "g(1, 2)", "')'"]]);
    assert_eq!(arms("x ? 1 : (y ? 2 : 3)"), ["1", "2", "3"]);
    assert_eq!(arms("x ? y ? 1 : 2 : 3"), ["1", "2", "3"]);
    assert_eq!(given_to("u32 n = f(1, 2), k; n = 3; n == 4;", "n"), ["f(1, 2)", "3"]);
    assert!(declared("struct x { int a(void); };").is_empty());
    assert_eq!(declared("extern u32 a[3], *b;"), ["a", "b"]);
    assert_eq!(declared("FUNCTION(c);"), ["c"]);
    assert_eq!(declared("void d(int (*e)(void)) __attribute__((noreturn));"), ["d"]);
    assert_eq!(variables("u32 a = f(1); static int b; struct c { int d; } e[2];"), ["a", "e"]);
    assert_eq!(strings(r#"f("a", '"', "b")"#), BTreeSet::from(["a", "b"]));
}
