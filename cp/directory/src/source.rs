//! From the text of a source to statements: 80-column cards, of which columns 1 to 72 count.
//!
//! A card whose first word begins with `*`, or that is blank, is a comment. A comma at the end of a card continues the
//! statement on the next card that is not a comment. Columns 73 to 80 hold sequence numbers and are not read; text
//! that merely runs too far to the right would be cut there without a word, so that is reported instead.
//!
//! A card that begins a user is taken for that whatever is wrong with it or the card before: what is wrong in one user
//! stays in that user.

/// The last column that is read.
const LAST_COLUMN: usize = 72;

/// One statement: its words in upper case, and the text as written, for operands where case counts.
#[derive(Clone, Debug)]
pub(crate) struct Statement {
    /// The line of its first card, from 1.
    pub line: usize,
    /// Its cards joined by blanks, without sequence columns and continuation commas.
    pub text: String,
    /// Where each word lies in `text`, as byte offsets.
    words: Vec<(usize, usize)>,
}

impl Statement {
    /// Word `n` (the keyword is word 0), in upper case.
    pub(crate) fn word(&self, n: usize) -> Option<String> {
        self.words.get(n).map(|&(from, to)| self.text[from..to].to_uppercase())
    }

    /// How many words there are, with the keyword; at least one.
    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    /// The text from word `n` to the end, as written.
    pub(crate) fn rest(&self, n: usize) -> &str {
        self.words.get(n).map_or("", |&(from, _)| self.text[from..].trim_end())
    }
}

/// A card that could not be read as it stands: its line and what is wrong with it.
pub(crate) struct BadCard {
    pub line: usize,
    pub problem: String,
    pub expected: String,
}

/// All statements of `text`, and the cards that are no good.
pub(crate) fn statements(text: &str) -> (Vec<Statement>, Vec<BadCard>) {
    let (mut done, mut bad) = (Vec::new(), Vec::new());
    let mut open: Option<(usize, String)> = None;
    for (n, raw) in text.lines().enumerate() {
        let line = n + 1;
        let card = match card(raw) {
            Ok(card) => card,
            Err((problem, expected)) => {
                bad.push(BadCard { line, problem, expected });
                if !begins(raw) {
                    continue;
                }
                raw.chars().take(LAST_COLUMN).collect()
            }
        };
        let card = card.trim_end();
        if card.trim_start().is_empty() || card.trim_start().starts_with('*') {
            continue;
        }
        let (card, continued) = match card.strip_suffix(',') {
            Some(rest) => (rest, true),
            None => (card, false),
        };
        if let Some((line, text)) = open.take_if(|_| begins(card)) {
            bad.push(BadCard {
                line,
                problem: "the next user begins in the middle of this statement".into(),
                expected: "another card after the comma, or no comma".into(),
            });
            done.extend(split(line, text));
        }
        let (line, mut text) = open.take().unwrap_or((line, String::new()));
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(card);
        if continued {
            open = Some((line, text));
        } else {
            done.extend(split(line, text));
        }
    }
    if let Some((line, text)) = open {
        bad.push(BadCard {
            line,
            problem: "the source ends in the middle of a statement".into(),
            expected: "another card after the comma".into(),
        });
        done.extend(split(line, text));
    }
    (done, bad)
}

/// The columns of a line that count. Tabs go to the next multiple of eight, as on a terminal.
fn card(raw: &str) -> Result<String, (String, String)> {
    if !raw.contains('\t') && raw.len() <= LAST_COLUMN {
        return Ok(raw.to_string());
    }
    let mut columns: Vec<char> = Vec::with_capacity(80);
    for c in raw.trim_end().chars() {
        match c {
            '\t' => columns.resize((columns.len() / 8 + 1) * 8, ' '),
            c => columns.push(c),
        }
    }
    if columns.len() <= LAST_COLUMN || columns.iter().find(|c| !c.is_whitespace()) == Some(&'*') {
        columns.truncate(LAST_COLUMN);
        return Ok(columns.into_iter().collect());
    }
    let sequence = &columns[LAST_COLUMN..];
    let is_sequence = sequence.len() == 8 && sequence.iter().all(char::is_ascii_alphanumeric);
    let runs_on = columns[LAST_COLUMN - 1] != ' ' && sequence[0] != ' ' && !is_sequence;
    if columns.len() > 80 || runs_on {
        return Err((
            format!("the text runs past column {LAST_COLUMN}"),
            "a comma at the end of the card, and the rest on the next".into(),
        ));
    }
    columns.truncate(LAST_COLUMN);
    Ok(columns.into_iter().collect())
}

/// Whether this card begins a user or the like: the word in column 1, and another.
fn begins(card: &str) -> bool {
    let mut words = card.split_whitespace();
    let first = words.next().filter(|_| card.starts_with(|c: char| !c.is_whitespace()));
    let begins = ["USER", "PROFILE", "IDENTITY", "SUBCONFIG"];
    first.is_some_and(|word| begins.iter().any(|name| word.eq_ignore_ascii_case(name))) && words.next().is_some()
}

fn split(line: usize, text: String) -> Option<Statement> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices() {
        // A byte-order mark is within a source that was put together from several.
        match (c.is_whitespace() || c.is_control() || c == '\u{feff}', start) {
            (true, Some(from)) => {
                words.push((from, at));
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    words.extend(start.map(|from| (from, text.len())));
    (!words.is_empty()).then_some(Statement { line, text, words })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Vec<String>> {
        let (statements, bad) = statements(text);
        assert!(bad.is_empty());
        statements.iter().map(|s| (0..s.len()).map(|n| s.word(n).unwrap()).collect()).collect()
    }

    #[test]
    fn comments_and_blank_cards_are_skipped_and_a_comma_continues() {
        let text = "* head\n\nUser maint x\n  option lnknopas,\n* in between\n   diag88 ,\n maxconn 5\n";
        assert_eq!(words(text), [vec!["USER", "MAINT", "X"], vec!["OPTION", "LNKNOPAS", "DIAG88", "MAXCONN", "5"]]);
        assert_eq!(statements(text).0[1].line, 4);
    }

    #[test]
    fn columns_73_to_80_are_not_read() {
        let card = format!("{:<72}{}\n", "ACCOUNT 1", "00010000");
        assert_eq!(words(&card), [vec!["ACCOUNT", "1"]]);
        let full = format!("{:X<72}00010000\n", "IPL CMS PARM ");
        assert_eq!(words(&full)[0][3].len(), 59);
    }

    #[test]
    fn text_that_would_be_cut_is_reported() {
        let (_, bad) = statements(&format!("* fine\n{:X<76}\n", "IPL CMS PARM "));
        assert_eq!((bad.len(), bad[0].line), (1, 2));
        assert_eq!(statements(&format!("{:<90}X\n", "ACCOUNT")).1.len(), 1);
        assert_eq!(statements(&format!("{:*<200}\n", "")).1.len(), 0);
        assert_eq!(statements("ACCOUNT 1,\n").1.len(), 1);
    }
}
