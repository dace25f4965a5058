//! `cargo x house`: what is large, tangled or done by hand in the tree, as numbers that may only fall.
//!
//! Counted is what is built of each crate's `src`, without items and modules for tests and without the crates below
//! `tests/`. It is read as text: see [`source`] for what is code, and [`circles`] for which file uses which.

mod by_hand;
mod circles;
mod source;

use crate::host::{self, Outcome, at};
use source::{Source, is_word};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const LONG_FILE: usize = 800;
const LONG_FUNCTION: usize = 100;
const WIDE: usize = 120;

/// Where CP as a whole is at home: what performs commands and interceptions, what runs users, what samples all of it.
const CP_ROOMS: [&str; 8] =
    ["command/", "command.rs", "intercept.rs", "lib.rs", "logon.rs", "monitoring/", "monitoring.rs", "system.rs"];

/// Crates that may name mnemonics: that of the table, and what prints it.
const KNOW_MNEMONICS: [&str; 2] = ["docs", "processor/isa"];

const HEAD: &str = "\
The house, as `cargo x house` counts it. What is marked * may not grow: `make ci` compares. Tests do not count.

lines      all lines of the files, comments and blank ones included
long       files of more than 800 lines
longfn     functions of more than 100, from the line of `fn` to the closing brace
circled    files that lie in a circle: each leads to each by paths that begin with crate, super or self
largest    the files of the largest circle
by-hand    places that pack or pick big-endian bytes: `from_be_bytes(` and `to_be_bytes(`
";

/// Prints the counts, or with `--by-hand` the list of what packs bytes by hand; with `--check FILE`, compares them with
/// those in FILE instead.
pub(crate) fn house(words: &[&str]) -> Outcome {
    match words {
        [] => {
            print!("{}", House::new(&host::root())?.report());
            Ok(())
        }
        ["--by-hand"] => {
            let root = host::root();
            let list = fs::read_to_string(root.join(by_hand::LIST)).unwrap_or_default();
            print!("{}", by_hand::list(&list, &House::new(&root)?.by_hand()));
            Ok(())
        }
        ["--check", file] => check(Path::new(file)),
        _ => Err("cargo x house takes nothing, --by-hand, or --check FILE.".into()),
    }
}

/// Fails where a count is larger than in `file`, or a place by hand has no reason.
pub(crate) fn check(file: &Path) -> Outcome {
    let recorded = held(&at(file, fs::read_to_string(file))?);
    let root = host::root();
    let house = House::new(&root)?;
    let (mut grown, mut fallen) = compare(&recorded, &held(&house.report()));
    let list = root.join(by_hand::LIST);
    let (wrong, better) = by_hand::compare(&at(&list, fs::read_to_string(&list))?, &house.by_hand());
    grown.extend(wrong);
    fallen.extend(better);
    if !grown.is_empty() {
        let file = file.display();
        return Err(format!(
            "These counts have grown (cargo x house says where):\n  {}\n\
             Make them smaller, or change {file} and say why.",
            grown.join("\n  ")
        )
        .into());
    }
    if !fallen.is_empty() {
        println!("Better than {}: {}. Record it: cargo x house > docs/house.txt", file.display(), fallen.join("; "));
    }
    Ok(())
}

/// Where the poison of locks is handled for all.
const LOCKS: &str = "arch/base";

/// One crate: the numbers of its row, and where they come from.
#[derive(Default)]
struct Crate {
    files: usize,
    lines: usize,
    long_files: Vec<(usize, String)>,
    long_functions: Vec<(usize, String)>,
    circles: Vec<Vec<String>>,
    by_hand: Vec<(usize, String)>,
}

struct House {
    crates: BTreeMap<String, Crate>,
    /// Numbers that are not of one crate, by their names.
    others: Vec<(&'static str, usize)>,
    /// Files of CP outside [`CP_ROOMS`] that take the whole of it.
    take_cp: Vec<String>,
    /// Files outside `isa` with strings that are mnemonics, or lists of them, and how many.
    mnemonics: Vec<(usize, String)>,
}

impl House {
    fn new(root: &Path) -> Outcome<House> {
        let mut house =
            House { crates: BTreeMap::new(), others: Vec::new(), take_cp: Vec::new(), mnemonics: Vec::new() };
        let manifest = root.join("Cargo.toml");
        let manifest = at(&manifest, fs::read_to_string(&manifest))?;
        let mnemonics = mnemonics(root)?;
        let (mut compared, mut poison) = (Vec::new(), 0);
        for name in members(&manifest).filter(|name| !name.starts_with("tests/")) {
            let sources = sources(&root.join(name).join("src"))?;
            if !KNOW_MNEMONICS.contains(&name) {
                // Only a file that names the table or a mnemonic can compare one; elsewhere SET and ST are words.
                let knows =
                    |code: &str| code.contains("mnemonic") || code.split(|c| !is_word(c)).any(|word| word == "isa");
                let files = sources.values().filter(|(_, source)| knows(&source.code));
                let files = files.filter_map(|(file, source)| {
                    let lists = source.strings.iter().filter(|string| names_instructions(string, &mnemonics));
                    Some((lists.count(), format!("{name}/src/{file}"))).filter(|(number, _)| *number > 0)
                });
                compared.extend(files);
            }
            if name == "cp/nucleus" {
                let outside = sources.values().filter(|(file, _)| !CP_ROOMS.iter().any(|room| file.starts_with(room)));
                house.take_cp =
                    outside.filter(|(_, source)| takes_cp(&source.code)).map(|(file, _)| file.clone()).collect();
            }
            if name != LOCKS {
                poison += sources.values().map(|(_, source)| poison_by_hand(&source.code)).sum::<usize>();
            }
            house.crates.insert(name.to_owned(), Crate::new(sources));
        }
        let derived = ["target", "cache", "sample", "shared", "docs/reference"].map(|name| root.join(name));
        let wide = |extension| -> Outcome<usize> {
            let mut files = Vec::new();
            walk(root, extension, &derived, &mut files)?;
            let wide = |text: String| text.lines().filter(|line| line.chars().count() > WIDE).count();
            files.iter().map(|file| at(file, fs::read_to_string(file)).map(wide)).sum()
        };
        house.others = vec![
            ("lines over 120 columns in .rs files, tests too", wide("rs")?),
            ("lines over 120 columns in .md files, docs/reference apart", wide("md")?),
            ("lines over 120 columns in .c and .h files", wide("c")? + wide("h")?),
            (
                "strings that are mnemonics outside isa, in files that use isa or a mnemonic",
                compared.iter().map(|file| file.0).sum(),
            ),
            ("files that take &Cp outside the rooms where it is at home", house.take_cp.len()),
            ("locks whose poison is handled otherwise than by base::Held", poison),
        ];
        house.mnemonics = compared;
        Ok(house)
    }

    /// The files with places that pack or pick bytes by hand, and how many.
    fn by_hand(&self) -> BTreeMap<String, usize> {
        let files = |(name, one): (&String, &Crate)| -> Vec<(String, usize)> {
            one.by_hand.iter().map(|(number, file)| (format!("{name}/src/{file}"), *number)).collect()
        };
        self.crates.iter().flat_map(files).collect()
    }

    fn report(&self) -> String {
        let mut text = format!("{HEAD}\n");
        let columns = ["files", "lines", "long*", "longfn*", "circled*", "largest*", "by-hand*"];
        let mut row = |name: &str, cells: &[String]| {
            let _ = write!(text, "{name:18}");
            for cell in cells {
                let _ = write!(text, "{cell:>9}");
            }
            text.push('\n');
        };
        row("crate", &columns.map(str::to_owned));
        let mut total = [0; 7];
        for (name, one) in &self.crates {
            let numbers = one.numbers();
            for (sum, number) in total.iter_mut().zip(numbers) {
                *sum += number;
            }
            row(name, &numbers.map(|number| number.to_string()));
        }
        total[5] = self.crates.values().map(|one| one.numbers()[5]).max().unwrap_or(0);
        row("all", &total.map(|number| number.to_string()));
        text.push('\n');
        for (name, number) in &self.others {
            let _ = writeln!(text, "* {name}: {number}");
        }
        let mut list = |title: String, mut lines: Vec<(usize, String)>| {
            lines.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
            let _ = writeln!(text, "\n{title}");
            for (number, line) in lines {
                let _ = writeln!(text, "{number:7}  {line}");
            }
        };
        let of = |name: &String, lines: &[(usize, String)]| -> Vec<_> {
            lines.iter().map(|(number, line)| (*number, format!("{name}/src/{line}"))).collect()
        };
        let all = || self.crates.iter();
        list(
            format!("Files of more than {LONG_FILE} lines"),
            all().flat_map(|(n, one)| of(n, &one.long_files)).collect(),
        );
        let functions = all().flat_map(|(n, one)| of(n, &one.long_functions)).collect();
        list(format!("Functions of more than {LONG_FUNCTION} lines"), functions);
        let circles =
            all().flat_map(|(n, one)| one.circles.iter().map(move |c| (c.len(), format!("{n}: {}", c.join(" ")))));
        list("Circles".into(), circles.collect());
        list(
            "Files outside isa with strings that are mnemonics (SVC is a class of interruptions, too)".into(),
            self.mnemonics.clone(),
        );
        let _ = writeln!(text, "\nFiles of cp/nucleus that take &Cp outside {}", CP_ROOMS.join(", "));
        for file in &self.take_cp {
            let _ = writeln!(text, "         {file}");
        }
        text
    }
}

impl Crate {
    fn new(sources: BTreeMap<circles::Module, (String, Source)>) -> Crate {
        let mut one = Crate { files: sources.len(), ..Crate::default() };
        let mut names = Vec::new();
        let mut modules = BTreeMap::new();
        for (module, (file, source)) in sources {
            one.lines += source.lines;
            if source.lines > LONG_FILE {
                one.long_files.push((source.lines, file.clone()));
            }
            let long = source.functions().into_iter().filter(|&(_, lines)| lines > LONG_FUNCTION);
            one.long_functions.extend(long.map(|(name, lines)| (lines, format!("{file}: {name}"))));
            let by_hand = by_hand::count(&source.code);
            if by_hand > 0 {
                one.by_hand.push((by_hand, file.clone()));
            }
            names.push(file);
            modules.insert(module, source);
        }
        let circles = circles::circles(&circles::uses(&modules));
        one.circles = circles.iter().map(|circle| circle.iter().map(|&n| names[n].clone()).collect()).collect();
        one
    }

    /// The row, in the order of the columns.
    fn numbers(&self) -> [usize; 7] {
        let circled = self.circles.iter().map(Vec::len).sum();
        let largest = self.circles.iter().map(Vec::len).max().unwrap_or(0);
        let by_hand = self.by_hand.iter().map(|file| file.0).sum();
        [self.files, self.lines, self.long_files.len(), self.long_functions.len(), circled, largest, by_hand]
    }
}

/// The numbers of a report that may not grow, by what they are called.
fn held(report: &str) -> BTreeMap<String, usize> {
    let mut found = BTreeMap::new();
    let mut columns: Option<Vec<&str>> = None;
    for line in report.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let Some((name, number)) = line.strip_prefix("* ").and_then(|line| line.rsplit_once(": ")) {
            found.extend(number.parse().ok().map(|number| (name.to_owned(), number)));
        } else if words.first() == Some(&"crate") {
            columns = Some(words);
        } else if words.is_empty() {
            columns = None;
        } else if let Some(columns) = &columns {
            let cells = columns.iter().zip(&words).filter_map(|(column, word)| {
                Some((format!("{} of {}", column.strip_suffix('*')?, words[0]), word.parse().ok()?))
            });
            found.extend(cells);
        }
    }
    found
}

/// What has grown and what has fallen, in words. What was not there before was 0.
fn compare(recorded: &BTreeMap<String, usize>, counted: &BTreeMap<String, usize>) -> (Vec<String>, Vec<String>) {
    let (mut grown, mut fallen) = (Vec::new(), Vec::new());
    for (name, &now) in counted {
        let before = recorded.get(name).copied().unwrap_or(0);
        let line = format!("{name}: {now}, was {before}");
        match now.cmp(&before) {
            std::cmp::Ordering::Greater => grown.push(line),
            std::cmp::Ordering::Less => fallen.push(line),
            std::cmp::Ordering::Equal => {}
        }
    }
    (grown, fallen)
}

/// The folders of the workspace's crates.
fn members(manifest: &str) -> impl Iterator<Item = &str> {
    let list =
        manifest.split_once("members = [").and_then(|(_, rest)| rest.split_once(']')).map_or("", |(list, _)| list);
    list.split('"').skip(1).step_by(2)
}

/// The files below `src` that are not for tests alone, with their paths from there.
fn sources(src: &Path) -> Outcome<BTreeMap<circles::Module, (String, Source)>> {
    let mut files = Vec::new();
    walk(src, "rs", &[], &mut files)?;
    let mut sources = BTreeMap::new();
    for path in files {
        let file = path.strip_prefix(src).expect("it was found there").to_string_lossy().into_owned();
        let source = Source::new(&at(&path, fs::read_to_string(&path))?);
        // A program beside a library is a root of its own, which the library cannot name.
        let module = if file == "main.rs" && src.join("lib.rs").exists() {
            vec!["main program".to_owned()]
        } else {
            circles::module(&file)
        };
        sources.insert(module, (file, source));
    }
    let tests: Vec<circles::Module> = sources
        .iter()
        .flat_map(|(module, (_, source))| {
            source.test_modules.iter().map(|name| [module, std::slice::from_ref(name)].concat())
        })
        .collect();
    sources.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
    Ok(sources)
}

/// Finds the files with this extension below `folder`, without what is hidden or in one of `left_out`.
fn walk(folder: &Path, extension: &str, left_out: &[PathBuf], found: &mut Vec<PathBuf>) -> Outcome {
    for entry in at(folder, fs::read_dir(folder))?.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && !name.starts_with('.') && !left_out.contains(&path) {
            walk(&path, extension, left_out, found)?;
        } else if kind.is_file() && path.extension().is_some_and(|its| its == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(())
}

/// The mnemonics in the rows of the instruction table: `0x5e AL RXa ...`.
fn mnemonics(root: &Path) -> Outcome<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for file in host::files(&root.join("processor/isa/src/table"), |name| name.ends_with(".rs")) {
        let text = at(&file, fs::read_to_string(&file))?;
        let rows = text.lines().filter_map(|line| line.trim_start().strip_prefix("0x"));
        found.extend(rows.filter_map(|row| row.split_whitespace().nth(1)).map(str::to_owned));
    }
    Ok(found)
}

/// Whether the string is a mnemonic, or a list of several.
fn names_instructions(string: &str, mnemonics: &BTreeSet<String>) -> bool {
    let mut words = string.split_ascii_whitespace().peekable();
    words.peek().is_some() && words.all(|word| mnemonics.contains(word))
}

/// How often a lock's poison is handled where the lock is taken.
fn poison_by_hand(code: &str) -> usize {
    [".lock().expect(", ".lock().unwrap", "PoisonError"].iter().map(|way| code.matches(way).count()).sum()
}

/// Whether `&Cp` or `&Arc<Cp>` is in the code.
fn takes_cp(code: &str) -> bool {
    let words = code.split('&').skip(1).map(|rest| {
        // A lifetime's quote is blank, its name is not.
        let name = rest.trim_start();
        let shorter = name.trim_start_matches(|c: char| is_word(c) && c.is_ascii_lowercase()).trim_start();
        if rest.starts_with(' ') { shorter } else { name }
    });
    words.map(|word| word.strip_prefix("Arc<").unwrap_or(word)).any(|word| {
        word.strip_prefix("Cp").is_some_and(|behind| !behind.starts_with(is_word) && !behind.starts_with("::"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poison_that_is_handled_by_hand_is_counted() {
        let code =
            "a.lock().held(); b.lock().expect(HELD); c.lock().unwrap(); d.unwrap_or_else(PoisonError::into_inner)";
        assert_eq!(poison_by_hand(code), 3);
    }

    #[test]
    fn a_report_is_held_to_its_own_numbers() {
        let mut house = House {
            crates: BTreeMap::new(),
            others: vec![("wide lines: all of them", 3)],
            take_cp: vec![],
            mnemonics: vec![],
        };
        let circles = vec![vec!["b.rs".into(), "c.rs".into()]];
        house.crates.insert(
            "a".into(),
            Crate { files: 7, lines: 900, circles, by_hand: vec![(4, "b.rs".into())], ..Crate::default() },
        );
        let numbers = held(&house.report());
        let expected =
            [("circled of a", 2), ("largest of a", 2), ("by-hand of all", 4), ("wide lines: all of them", 3)];
        assert!(expected.iter().all(|(name, number)| numbers.get(*name) == Some(number)), "{numbers:?}");
        assert!(!numbers.keys().any(|name| name.contains("lines of") || name.contains("files of")), "{numbers:?}");
        let mut more = numbers.clone();
        more.insert("by-hand of b".into(), 1);
        more.insert("circled of a".into(), 0);
        let said = (vec!["by-hand of b: 1, was 0".to_owned()], vec!["circled of a: 0, was 2".to_owned()]);
        assert_eq!(compare(&numbers, &more), said);
    }

    #[test]
    fn who_takes_cp() {
        for code in ["f(cp: &Cp)", "f(cp: &Arc<Cp>)", "f(cp: & a Cp)"] {
            assert!(takes_cp(code), "{code}");
        }
        for code in ["f(cp: Cp)", "&Cpu", "a & b", "&Cp::new()", "&cp"] {
            assert!(!takes_cp(code), "{code}");
        }
    }

    #[test]
    fn members_are_the_folders_in_the_list() {
        assert_eq!(
            members("[workspace]\nmembers = [\n  \"a/b\", \"c\",\n]\n[x]\ny = [\"z\"]").collect::<Vec<_>>(),
            ["a/b", "c"]
        );
    }
}
