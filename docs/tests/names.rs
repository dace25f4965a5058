//! What the pages name is there: where their links lead, and the files, types and functions of the source.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of the root that are no part of the source.
const DERIVED: [&str; 5] = [".git", "target", "cache", "sample", "shared"];

/// The pages about the source: what stands in their backquotes is looked for, too.
const ABOUT_THE_SOURCE: [&str; 8] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/house.md",
    "docs/life-of-a-logon.md",
    "docs/life-of-a-translation.md",
    "docs/life-of-an-instruction.md",
    "docs/life-of-an-io.md",
];

/// What names are looked for in.
const SOURCES: [&str; 3] = [".rs", ".c", ".h"];
/// What is a file even where a page names no folder.
const FILES: [&str; 7] = [".rs", ".c", ".h", ".md", ".txt", ".toml", ".vec"];

/// Every file and folder, as a path from the root.
struct Tree(BTreeSet<String>);

impl Tree {
    fn new() -> Tree {
        let mut tree = Tree(BTreeSet::new());
        tree.walk("");
        tree
    }

    fn walk(&mut self, folder: &str) {
        for entry in fs::read_dir(at(folder)).expect("it is a folder") {
            let entry = entry.expect("a folder of the tree can be read");
            let name = entry.file_name().to_string_lossy().into_owned();
            if folder.is_empty() && DERIVED.contains(&name.as_str()) {
                continue;
            }
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if entry.file_type().expect("it is there").is_dir() {
                self.walk(&path);
            }
            self.0.insert(path);
        }
    }

    /// Whether that is a path from the root, or the end of one.
    fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.0.iter().any(|known| known.strip_suffix(path).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')))
    }

    fn with<'a>(&'a self, ends: &'a [&str]) -> impl Iterator<Item = &'a String> {
        self.0.iter().filter(|path| ends.iter().any(|end| path.ends_with(end)))
    }
}

fn at(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn read(path: &str) -> String {
    fs::read_to_string(at(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A page without its fenced blocks, cut at its backquotes: every second piece stands between two of them.
struct Page {
    path: String,
    text: String,
}

impl Page {
    fn new(path: &str) -> Page {
        let (mut text, mut fenced) = (String::new(), false);
        for line in read(path).lines() {
            let fence = line.trim_start().starts_with("```");
            fenced ^= fence;
            if !fence && !fenced {
                text.push_str(line.trim());
                text.push(' ');
            }
        }
        Page { path: path.into(), text }
    }

    fn pieces(&self) -> Vec<&str> {
        self.text.split('`').collect()
    }

    /// Where a link of the page leads, from the root, and the place in it.
    fn target<'a>(&self, link: &'a str) -> (String, &'a str) {
        let (file, place) = link.split_once('#').unwrap_or((link, ""));
        if file.is_empty() {
            return (self.path.clone(), place);
        }
        let mut parts: Vec<&str> = self.path.split('/').collect();
        parts.pop();
        for part in file.split('/') {
            match part {
                ".." => drop(parts.pop()),
                "" | "." => {}
                part => parts.push(part),
            }
        }
        (parts.join("/"), place)
    }

    /// The file that a piece in backquotes is a link to: what stands before it, and after it.
    fn linked(&self, before: &str, after: &str) -> Option<String> {
        let (link, _) = after.strip_prefix("](").filter(|_| before.ends_with('['))?.split_once(')')?;
        Some(self.target(link).0)
    }
}

/// How a heading is named in links.
fn place(heading: &str) -> String {
    let kept = heading.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

/// Whether the page has a heading of that name.
fn has_place(page: &str, named: &str) -> bool {
    let is = |line: &str| line.starts_with('#') && place(line.trim_start_matches('#').trim()) == named;
    read(page).lines().any(is)
}

fn is_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The parts of a name as the source has it: `Emitter::cross`, `perform`, `HOT`.
fn parts(name: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = name.split("::").collect();
    let good = |part: &&str| part.chars().all(is_of_a_word) && part.starts_with(|c: char| !c.is_ascii_digit());
    parts.iter().all(good).then_some(parts)
}

fn is_path(text: &str) -> bool {
    let plain = text.chars().all(|c| is_of_a_word(c) || "./-".contains(c));
    let file = FILES.iter().any(|end| text.strip_suffix(end).is_some_and(|name| !name.is_empty()));
    let elsewhere = text.starts_with('/') || DERIVED.iter().any(|name| text.split('/').next() == Some(name));
    plain && (file || text.contains('/')) && !elsewhere
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_link_leads_to_something() {
    let tree = Tree::new();
    let mut wrong = Vec::new();
    for path in tree.with(&[".md"]) {
        let page = Page::new(path);
        let pieces = page.pieces();
        let links = pieces.iter().step_by(2).flat_map(|piece| piece.split("](").skip(1));
        for link in links.filter_map(|rest| rest.split_once(')')).map(|(link, _)| link) {
            if link.contains("://") {
                continue;
            }
            let (target, named) = page.target(link);
            if !tree.0.contains(&target) || !named.is_empty() && !has_place(&target, named) {
                wrong.push(format!("{path}: {link}"));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_path_is_in_the_tree() {
    let tree = Tree::new();
    let mut wrong = Vec::new();
    for path in ABOUT_THE_SOURCE {
        let page = Page::new(path);
        let pieces = page.pieces();
        for (n, text) in pieces.iter().enumerate().skip(1).step_by(2).filter(|(_, text)| is_path(text)) {
            let linked = pieces.get(n + 1).and_then(|after| page.linked(pieces[n - 1], after));
            let file = FILES.iter().any(|end| text.ends_with(end));
            if !tree.has(text) {
                wrong.push(format!("{path}: `{text}`"));
            } else if let Some(target) = linked.filter(|target| file && !target.ends_with(text)) {
                wrong.push(format!("{path}: `{text}` leads to {target}"));
            }
        }
    }
    assert_none(&wrong);
}

#[test]
fn every_name_stands_in_the_source() {
    let tree = Tree::new();
    let texts: Vec<(&String, String)> = tree.with(&SOURCES).map(|path| (path, read(path))).collect();
    let sources: Vec<(&String, HashSet<&str>)> =
        texts.iter().map(|(path, text)| (*path, text.split(|c| !is_of_a_word(c)).collect())).collect();
    let words = |file: &str| sources.iter().find(|(path, _)| *path == file).map(|(_, words)| words);
    let mut wrong = Vec::new();
    for path in ABOUT_THE_SOURCE {
        let page = Page::new(path);
        let pieces = page.pieces();
        for n in (1..pieces.len()).step_by(2) {
            // `trait Cpu` is Cpu.
            let name = pieces[n].strip_suffix("()").unwrap_or(pieces[n]);
            let name = name.strip_prefix("trait ").unwrap_or(name);
            let Some(parts) = parts(name) else { continue };
            let last = parts.last().expect("a name has a part");
            let piece = |n: usize| pieces.get(n).copied().unwrap_or_default();
            // The file that the name is a link to, or that the next words are.
            let own = page.linked(piece(n - 1), piece(n + 1));
            let follows = [" ([", ", [", " in [", " of ["].contains(&piece(n + 1));
            let next = page.linked(piece(n + 1), piece(n + 3)).filter(|_| follows);
            let file = own.or(next).filter(|file| SOURCES.iter().any(|end| file.ends_with(end)));
            let there = match &file {
                // A crate or a module may be named by its file.
                Some(file) => {
                    file.split(['/', '.']).any(|part| part == *last)
                        || words(file).is_some_and(|all| all.contains(last))
                }
                None => sources.iter().any(|(_, all)| parts.iter().all(|part| all.contains(part))),
            };
            if !there {
                wrong.push(format!("{path}: `{name}` in {}", file.as_deref().unwrap_or("any file")));
            }
        }
    }
    assert_none(&wrong);
}
