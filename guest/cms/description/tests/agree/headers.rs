//! Headers say which file a name is from: the comment on its line, or the last one above it that names a file.

use std::collections::BTreeMap;
use std::fs;

use crate::{agree, source};
use description::c::{self, Statement};

/// A comment: where it is, whether a line begins with it, and the files that it names, in the header's folder if
/// they have none.
struct Comment {
    from: usize,
    to: usize,
    begins: bool,
    files: Vec<String>,
}

fn comments(raw: &str, folder: &str) -> Vec<Comment> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(from) = raw[at..].find("/*").map(|found| at + found) {
        let to = raw[from..].find("*/").map_or(raw.len(), |end| from + end + 2);
        let begins = raw[..from].rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
        let words = raw[from..to].split(|c: char| !(c.is_ascii_alphanumeric() || "_./".contains(c)));
        let words = words.map(|word| word.trim_end_matches('.'));
        let files =
            words.filter(|word| [".c", ".S", ".ld"].iter().any(|end| word.len() > end.len() && word.ends_with(end)));
        let files = files.map(|file| {
            if file.contains('/') || file.ends_with(".ld") { file.to_owned() } else { format!("{folder}/{file}") }
        });
        all.push(Comment { from, to, begins, files: files.collect() });
        at = to;
    }
    all
}

/// The files that say that they have a statement of a header.
fn named<'a>(raw: &str, comments: &'a [Comment], statement: &Statement) -> &'a [String] {
    let line_end = raw[statement.to..].find('\n').map_or(raw.len(), |end| statement.to + end);
    let beside =
        comments.iter().find(|comment| (statement.to..line_end).contains(&comment.from) && !comment.files.is_empty());
    let above =
        || comments.iter().rfind(|comment| comment.begins && comment.to <= statement.from && !comment.files.is_empty());
    beside.or_else(above).map_or(&[], |comment| &comment.files)
}

/// Which files define each name that others may use.
fn definitions() -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in c::files(&source(), "c") {
        let functions = file.functions.iter().filter(|function| !function.own).map(|function| function.name.clone());
        for name in functions.chain(c::variables(&file.text)) {
            all.entry(name).or_default().push(file.path.clone());
        }
    }
    let text = |path: &str| fs::read_to_string(source().join(path)).unwrap();
    // Labels, and those that a macro of it makes.
    let (assembler, layout) = (text("nucleus/start.S"), text("nucleus.ld"));
    let labels = assembler.lines().filter_map(|line| {
        let line = line.trim();
        match line.strip_prefix("interruption ") {
            Some(macro_line) => macro_line.split(',').next(),
            None => line.split_once(':').map(|(label, _)| label),
        }
    });
    labels.for_each(|name| all.entry(name.to_owned()).or_default().push("nucleus/start.S".into()));
    let of_lua = text("lua/start.S");
    let labels = of_lua.lines().filter_map(|line| line.trim().split_once(':').map(|(label, _)| label));
    labels.for_each(|name| all.entry(name.to_owned()).or_default().push("lua/start.S".into()));
    // What the linker is told.
    let names = layout.match_indices(" = ").map(|(at, _)| c::last_word(&layout[..at]));
    names.for_each(|name| all.entry(name.to_owned()).or_default().push("nucleus.ld".into()));
    all
}

/// A part is linked with the nucleus's names as they are: of two things with one name it would get the nucleus's.
#[test]
fn parts_have_names_of_their_own() {
    let in_part = |path: &String| ["window/", "pipe/", "csl/"].iter().any(|folder| path.starts_with(folder));
    let twice = definitions()
        .into_iter()
        .filter(|(name, paths)| !name.is_empty() && paths.iter().any(in_part) && paths.len() > 1)
        // Enumerators are no names to the linker. What all parts begin with, and what stands for the nucleus where
        // pipelines are tried on the host.
        .filter(|(name, _)| name != "head" && name.bytes().any(|byte| byte.is_ascii_lowercase()))
        .filter(|(_, paths)| !paths.iter().any(|path| path == "pipe/host.c"));
    agree(&twice.map(|(name, paths)| format!("{name} is in {paths:?}")).collect::<Vec<_>>());
}

#[test]
fn headers_say_which_file_a_name_is_from() {
    let definitions = definitions();
    let (mut wrong, mut names) = (Vec::new(), 0);
    for header in c::files(&source(), "h") {
        let (folder, _) = header.path.split_once('/').expect("each is in a folder");
        let raw = fs::read_to_string(source().join(&header.path)).unwrap();
        let comments = comments(&raw, folder);
        for statement in c::statements(&header.text) {
            let named = named(&raw, &comments, &statement);
            for name in c::declared(&statement.text) {
                names += 1;
                let there = definitions.get(&name).map_or(&[][..], Vec::as_slice);
                if named.is_empty() || !named.iter().all(|file| there.contains(file)) {
                    let line = raw[..statement.from].matches('\n').count() + 1;
                    wrong.push(format!("{}:{line}: {name} is in {there:?}, not in {named:?}", header.path));
                }
            }
        }
    }
    assert!(names > 600, "{names}");
    agree(&wrong);
}
