//! The words of a line of a configuration, where a name with blanks is in quotation marks.

use std::borrow::Cow;

/// The words of `line` up to the character `comment`: parted by blanks, but what begins with " or ' (as the word, or
/// after its =) goes on to the next such mark. A mark without another one is a character as any.
pub fn words(line: &str, comment: Option<char>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut rest = line.trim_start();
    while let Some(first) = rest.chars().next().filter(|first| Some(*first) != comment) {
        let mut word = String::new();
        let mut at = first;
        loop {
            let begins = word.is_empty() || word.ends_with('=');
            let end = if begins && matches!(at, '"' | '\'') { rest[1..].find(at) } else { None };
            match end {
                Some(end) => {
                    word.push_str(&rest[1..1 + end]);
                    rest = &rest[end + 2..];
                }
                None => {
                    word.push(at);
                    rest = &rest[at.len_utf8()..];
                }
            }
            match rest.chars().next() {
                Some(next) if !next.is_whitespace() => at = next,
                _ => break,
            }
        }
        words.push(word);
        rest = rest.trim_start();
    }
    words
}

/// `name` as a word of such a line.
pub fn quoted(name: &str) -> Cow<'_, str> {
    match name.contains(char::is_whitespace) {
        true => format!("\"{name}\"").into(),
        false => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_blanks_is_one_word() {
        let of = |line| words(line, Some('#'));
        assert_eq!(of("0200 3390 \"my disks/a b.cckd\" ro # the first"), ["0200", "3390", "my disks/a b.cckd", "ro"]);
        assert_eq!(of("  0200\t3390 'it is' sf='a *.cckd'"), ["0200", "3390", "it is", "sf=a *.cckd"]);
        assert_eq!(of("the user's \"disk"), ["the", "user's", "\"disk"]);
        assert_eq!(of("\"\" a"), ["", "a"]);
        assert_eq!((of("# all of it"), of("")), (vec![], vec![]));
        assert_eq!(words("a #b", None), ["a", "#b"]);
        assert_eq!(words(&quoted("a b"), None), ["a b"]);
        assert_eq!(quoted("a.b"), "a.b");
    }
}
