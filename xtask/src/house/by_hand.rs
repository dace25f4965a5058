//! Places that pack or pick big-endian bytes by hand, which layouts (see the first page of `arch`) make rare.
//! `docs/by-hand.txt` lists what is left, a file a line, with the reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The list, from the root.
pub(super) const LIST: &str = "docs/by-hand.txt";
/// Places in all files together, at most.
const MOST: usize = 60;

const HEAD: &str = "\
Places that pack or pick big-endian bytes by hand, and why. `cargo x house --check` wants each file here that has some,
with no fewer than it has, and 60 in all at most. docs/decisions/0006 has the rule. `cargo x house --by-hand` writes the
list with the numbers of today; a file that is new there wants its reason.

";

/// How many places there are in the code of a file.
pub(super) fn count(code: &str) -> usize {
    code.matches("from_be_bytes(").count() + code.matches("to_be_bytes(").count()
}

/// The files of a list, with their numbers and reasons.
fn entries(list: &str) -> BTreeMap<&str, (usize, &str)> {
    let rows = list.lines().filter_map(|line| {
        let (number, rest) = line.trim_start().split_once(' ')?;
        let (file, reason) = rest.trim_start().split_once(": ").unwrap_or((rest.trim_start(), ""));
        Some((file, (number.parse().ok()?, reason.trim())))
    });
    rows.collect()
}

/// The list with the numbers of today. The reasons stay; a file that is new has none.
pub(super) fn list(listed: &str, counted: &BTreeMap<String, usize>) -> String {
    let entries = entries(listed);
    let mut text = HEAD.to_owned();
    for (file, number) in counted {
        let reason = entries.get(file.as_str()).map_or("", |entry| entry.1);
        let _ = writeln!(text, "{number:4}  {file}: {reason}");
    }
    text
}

/// What is wrong with a list, in words, and what could be better.
pub(super) fn compare(listed: &str, counted: &BTreeMap<String, usize>) -> (Vec<String>, Vec<String>) {
    let entries = entries(listed);
    let (mut wrong, mut better) = (Vec::new(), Vec::new());
    for (file, &now) in counted {
        match entries.get(file.as_str()) {
            None | Some((_, "")) => wrong.push(format!("{now} by hand in {file}, without a reason in {LIST}")),
            Some(&(listed, _)) if now > listed => wrong.push(format!("by hand in {file}: {now}, was {listed}")),
            Some(_) => {}
        }
    }
    for (file, &(listed, _)) in &entries {
        let now = counted.get(*file).copied().unwrap_or(0);
        if now < listed {
            better.push(format!("by hand in {file}: {now}, was {listed}"));
        }
    }
    let all: usize = counted.values().sum();
    if all > MOST {
        wrong.push(format!("{all} places by hand, more than {MOST}"));
    }
    (wrong, better)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_a_reason() {
        let counted: BTreeMap<String, usize> =
            [("a/src/x.rs", 2), ("a/src/y.rs", 1), ("b/src/z.rs", 50)].map(|(file, n)| (file.to_owned(), n)).into();
        let good = "Head: 5\n\n   2  a/src/x.rs: one number\n   1  a/src/y.rs: another\n  50  b/src/z.rs: large\n";
        assert_eq!(compare(good, &counted), (vec![], vec![]));
        let (wrong, better) = compare(&good.replace("   2  ", "   1  ").replace("another", ""), &counted);
        assert_eq!(
            wrong,
            ["by hand in a/src/x.rs: 2, was 1", "1 by hand in a/src/y.rs, without a reason in docs/by-hand.txt"]
        );
        assert!(better.is_empty());
        let (wrong, better) = compare(&good.replace("   2  ", "   3  "), &counted);
        assert_eq!((wrong, better), (vec![], vec!["by hand in a/src/x.rs: 2, was 3".to_owned()]));
        let many = BTreeMap::from([("b/src/z.rs".to_owned(), 61)]);
        assert_eq!(compare("  61  b/src/z.rs: large\n", &many).0, ["61 places by hand, more than 60"]);
    }

    #[test]
    fn a_new_list_keeps_the_reasons() {
        let counted = [("x.rs".to_owned(), 1), ("y.rs".to_owned(), 2)].into();
        let text = list("   3  x.rs: it is: so\n   9  gone.rs: no\n", &counted);
        assert_eq!(text.strip_prefix(HEAD), Some("   1  x.rs: it is: so\n   2  y.rs: \n"));
    }
}
