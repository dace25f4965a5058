//! Which files of a crate use which, and the circles among them.
//!
//! A file uses another where it names it by a path that begins with `crate`, `super` or `self`. A name that a file took
//! over from elsewhere (`pub use`) leads on to where it is from. Paths that begin with a module of the file itself, as
//! in
//! `use child::Thing`, count for nothing: that a file knows its own parts is no circle.

use super::source::{Source, is_word};
use std::collections::{BTreeMap, BTreeSet};

/// A path of modules from the crate's root, which is the empty one.
pub(super) type Module = Vec<String>;

/// The module that a file is, by where it lies in `src`: `a/mod.rs` and `a.rs` are both `a`.
pub(super) fn module(file: &str) -> Module {
    let names = file.strip_suffix(".rs").unwrap_or(file);
    let mut module: Module = names.split('/').map(str::to_owned).collect();
    let last = module.last().map(String::as_str);
    if last == Some("mod") || (module.len() == 1 && matches!(last, Some("lib" | "main"))) {
        module.pop();
    }
    module
}

/// A path as the source has it, and the name under which it is known where it stands, if it is taken over.
#[derive(Debug, PartialEq, Eq)]
struct Mention {
    path: Vec<String>,
    name: Option<String>,
}

/// Which modules each module uses, by their numbers in the order of `files`.
pub(super) fn uses(files: &BTreeMap<Module, Source>) -> Vec<BTreeSet<usize>> {
    let mentions: BTreeMap<&Module, Vec<Mention>> =
        files.iter().map(|(m, source)| (m, mentions(&source.code))).collect();
    let number = |module: &Module| files.keys().position(|other| other == module);
    let mut found = Vec::new();
    for (module, all) in &mentions {
        let mut used: BTreeSet<usize> = all
            .iter()
            .filter(|mention| matches!(mention.path[0].as_str(), "crate" | "super" | "self"))
            .filter_map(|mention| number(&resolve(&mentions, module, &mention.path, 8)?))
            .collect();
        used.retain(|&other| Some(other) != number(module));
        found.push(used);
    }
    found
}

/// The module that defines what `path` names when it is written in `here`. Takes at most `hops` steps from name to
/// name.
fn resolve(all: &BTreeMap<&Module, Vec<Mention>>, here: &Module, path: &[String], hops: usize) -> Option<Module> {
    let mut at = here.clone();
    for (n, name) in path.iter().enumerate() {
        match name.as_str() {
            "crate" => at.clear(),
            "self" => {}
            "super" => {
                at.pop()?;
            }
            _ => {
                let child: Module = at.iter().chain([name]).cloned().collect();
                if all.contains_key(&child) {
                    at = child;
                    continue;
                }
                let taken = all.get(&at)?.iter().find(|mention| mention.name.as_ref() == Some(name));
                let Some(taken) = taken.filter(|_| hops > 0) else { return (n > 0).then_some(at) };
                let longer: Vec<String> = taken.path.iter().chain(&path[n + 1..]).cloned().collect();
                // A name from another crate: what this module makes of it is what is used.
                return resolve(all, &at, &longer, hops - 1).or(Some(at));
            }
        }
    }
    Some(at)
}

/// The paths in `code`: those of its `use` items, and all that begin with `crate`, `super` or `self`.
fn mentions(code: &str) -> Vec<Mention> {
    let tokens = tokens(code);
    let mut found = Vec::new();
    // Where modules within the file begin: `super` there is the file itself.
    let (mut depth, mut inner) = (0, Vec::new());
    let mut at = 0;
    while at < tokens.len() {
        let before = at.checked_sub(1).map(|n| tokens[n]);
        let first = found.len();
        match tokens[at] {
            "{" => {
                depth += 1;
                if at >= 2 && tokens[at - 2] == "mod" {
                    inner.push(depth);
                }
            }
            "}" => {
                if inner.last() == Some(&depth) {
                    inner.pop();
                }
                depth -= 1;
            }
            "use" => {
                at = tree(&tokens, at + 1, &[], true, &mut found);
                out_of(&mut found, first, inner.len());
                continue;
            }
            "crate" | "super" | "self" if before != Some("::") && tokens.get(at + 1) == Some(&"::") => {
                at = tree(&tokens, at, &[], false, &mut found);
                out_of(&mut found, first, inner.len());
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Rewrites the mentions from `first` on that stand `inner` modules deep within their file, as they would be outside.
fn out_of(found: &mut Vec<Mention>, first: usize, inner: usize) {
    if inner == 0 {
        return;
    }
    for mention in &mut found[first..] {
        mention.name = None;
        let up = mention.path.iter().take_while(|name| *name == "super").count();
        mention.path.drain(..up.min(inner));
        if up > 0 && up <= inner {
            mention.path.insert(0, "self".into());
        }
    }
    found.retain(|mention| !mention.path.is_empty());
}

/// Reads one path at `at`, with what is in braces after it, and returns where it ends.
fn tree(tokens: &[&str], mut at: usize, before: &[String], taken_over: bool, found: &mut Vec<Mention>) -> usize {
    let mut path = before.to_vec();
    let leading = tokens.get(at) == Some(&"::");
    at += usize::from(leading);
    while let Some(token) = tokens.get(at) {
        match *token {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|token| *token != "}") {
                    let start = at;
                    at = tree(tokens, at, &path, taken_over, found);
                    at += usize::from(tokens.get(at) == Some(&",") || at == start);
                }
                return at + 1;
            }
            "*" if taken_over => {
                found.extend((!path.is_empty()).then_some(Mention { path, name: None }));
                return at + 1;
            }
            word if word.starts_with(is_word) => path.push(word.to_owned()),
            _ => break,
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            break;
        }
        at += 1;
    }
    let mut name = path.last().cloned();
    if path.len() > 1 && name.as_deref() == Some("self") {
        path.pop();
        name = path.last().cloned();
    }
    if taken_over && tokens.get(at) == Some(&"as") {
        name = tokens.get(at + 1).map(|name| (*name).to_owned());
        at += 2;
    }
    if !path.is_empty() && !leading {
        found.push(Mention { path, name: name.filter(|_| taken_over) });
    }
    at
}

/// The words of the code, `::`, and every other character that is not blank.
fn tokens(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let len = match first {
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ if rest.starts_with("::") => 2,
            c => c.len_utf8(),
        };
        let (token, behind) = rest.split_at(len);
        found.push(token);
        rest = behind.trim_start();
    }
    found
}

/// The circles of a graph: its strongly connected components of more than one node, the largest first (Tarjan).
pub(super) fn circles(uses: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let mut walk =
        Walk { uses, order: vec![None; uses.len()], low: vec![0; uses.len()], next: 0, open: vec![], found: vec![] };
    for node in 0..uses.len() {
        if walk.order[node].is_none() {
            walk.visit(node);
        }
    }
    walk.found.sort_by_key(|circle| (std::cmp::Reverse(circle.len()), circle[0]));
    walk.found
}

struct Walk<'a> {
    uses: &'a [BTreeSet<usize>],
    /// When each node was first visited.
    order: Vec<Option<usize>>,
    /// The earliest open node that each is known to lead to.
    low: Vec<usize>,
    next: usize,
    /// Visited, and in no component yet.
    open: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Walk<'_> {
    fn visit(&mut self, node: usize) {
        let order = self.next;
        self.next += 1;
        self.order[node] = Some(order);
        self.low[node] = order;
        self.open.push(node);
        let uses = self.uses;
        for &other in &uses[node] {
            match self.order[other] {
                None => {
                    self.visit(other);
                    self.low[node] = self.low[node].min(self.low[other]);
                }
                Some(earlier) if self.open.contains(&other) => self.low[node] = self.low[node].min(earlier),
                Some(_) => {}
            }
        }
        if self.low[node] == order {
            let from = self.open.iter().position(|&other| other == node).expect("it is open until now");
            let mut circle = self.open.split_off(from);
            circle.sort_unstable();
            if circle.len() > 1 {
                self.found.push(circle);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(usize, usize)]) -> Vec<BTreeSet<usize>> {
        let nodes = edges.iter().map(|&(from, to)| from.max(to) + 1).max().unwrap_or(0);
        let of = |node| edges.iter().filter(|edge| edge.0 == node).map(|edge| edge.1).collect();
        (0..nodes).map(of).collect()
    }

    #[test]
    fn circles_are_found_and_nothing_else() {
        assert!(circles(&graph(&[(0, 1), (1, 2), (0, 2)])).is_empty());
        assert_eq!(circles(&graph(&[(0, 1), (1, 0), (1, 2), (2, 3), (3, 4), (4, 2)])), [vec![2, 3, 4], vec![0, 1]]);
        // A longer way round makes one circle of two.
        assert_eq!(circles(&graph(&[(0, 1), (1, 0), (1, 2), (2, 3), (3, 2), (3, 0)])), [vec![0, 1, 2, 3]]);
    }

    #[test]
    fn a_file_is_the_module_of_its_place() {
        for (file, expected) in
            [("lib.rs", ""), ("a.rs", "a"), ("a/mod.rs", "a"), ("a/b.rs", "a::b"), ("a/main.rs", "a::main")]
        {
            assert_eq!(module(file).join("::"), expected);
        }
    }

    /// What each of these files uses, as text.
    fn used(files: &[(&str, &str)]) -> Vec<String> {
        let files: BTreeMap<Module, Source> =
            files.iter().map(|(file, text)| (module(file), Source::new(text))).collect();
        let names: Vec<String> = files.keys().map(|module| module.join("::")).collect();
        let line = |(n, others): (usize, BTreeSet<usize>)| {
            let others: Vec<&str> = others.into_iter().map(|other| names[other].as_str()).collect();
            format!("{} -> {}", names[n], others.join(" "))
        };
        uses(&files).into_iter().enumerate().filter(|(_, others)| !others.is_empty()).map(line).collect()
    }

    #[test]
    fn paths_lead_to_the_files_that_they_name() {
        let root = ("lib.rs", "mod a; mod b; mod c; pub use a::Thing; pub use std::io;");
        let tells = |text| used(&[root, ("a.rs", ""), ("a/d.rs", text), ("b.rs", ""), ("c.rs", "pub fn f() {}")]);
        assert_eq!(tells("use crate::{b, c::f};"), ["a::d -> b c"]);
        assert_eq!(tells("fn g() { crate::c::f::<u8>(); super::h() }"), ["a::d -> a c"]);
        assert_eq!(tells("use super::super::{b::{self, x}, c as e};"), ["a::d -> b c"]);
        // Through what the root took over: to where it is from, or no further than the root.
        assert_eq!(tells("use crate::Thing;"), ["a::d -> a"]);
        assert_eq!(tells("use crate::io::Read;"), ["a::d -> "]);
        // `super` within a module of the file is the file.
        assert_eq!(tells("mod inner { use super::x; use super::super::y; }"), ["a::d -> a"]);
        // Nothing of this crate, nothing that is used, and nothing of its own.
        assert!(
            tells("use std::fmt; /* crate::b */ mod e; use e::f; fn g(self) { self.crate_(\"crate::b\"); }").is_empty()
        );
    }
}
