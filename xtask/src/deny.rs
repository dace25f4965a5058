//! What dependencies may be: where they are from and under which licences, as `deny.toml` says.
//!
//! `cargo x deny` is cargo-deny, which takes minutes to build. [`check`] is what every machine can look at in a moment.

use crate::host::{self, Outcome, at, cargo, output, run};
use std::fs;

/// The whole of it.
pub(crate) fn deny() -> Outcome {
    check()?;
    if !cargo(&["deny", "--version"]).output().is_ok_and(|output| output.status.success()) {
        return Err("cargo-deny is not on this machine; cargo install --locked cargo-deny builds it.".into());
    }
    run(&mut cargo(&["deny", "check", "licenses", "bans", "sources"]))
}

/// Fails where `Cargo.lock` names another source than `deny.toml` allows, or what is built here has another licence.
pub(crate) fn check() -> Outcome {
    let read = |name| {
        let path = host::root().join(name);
        at(&path, fs::read_to_string(&path))
    };
    let rules = read("deny.toml")?;
    let (licences, registries) = (list(&rules, "allow"), list(&rules, "allow-registry"));
    let lock = read("Cargo.lock")?;
    let sources = lock.lines().filter_map(|line| line.strip_prefix("source = ")).map(|source| source.trim_matches('"'));
    let mut wrong: Vec<String> = sources
        .filter(|source| !source.strip_prefix("registry+").is_some_and(|registry| registries.contains(&registry)))
        .map(|source| format!("a source: {source}"))
        .collect();
    let tree = [
        "tree",
        "--workspace",
        "--edges",
        "normal,build,dev",
        "--prefix",
        "none",
        "--no-dedupe",
        "--format",
        "{p}|{l}",
    ];
    for line in output(&mut cargo(&tree))?.lines() {
        let Some((package, licence)) = line.split_once('|') else { continue };
        if !permitted(licence, &licences) {
            wrong.push(format!("{package}: {}", if licence.is_empty() { "no licence" } else { licence }));
        }
    }
    wrong.sort();
    wrong.dedup();
    if wrong.is_empty() {
        return Ok(());
    }
    Err(format!("Dependencies that deny.toml does not allow:\n  {}", wrong.join("\n  ")).into())
}

/// The strings of the list `key = [...]` in a file of rules.
fn list<'a>(rules: &'a str, key: &str) -> Vec<&'a str> {
    let mut lines = rules.lines().map(|line| line.split('#').next().unwrap_or(""));
    let is_key = |line: &&str| line.split('=').next().is_some_and(|name| name.trim() == key);
    let Some(first) = lines.by_ref().find(is_key) else { return Vec::new() };
    let mut found = Vec::new();
    for line in [first].into_iter().chain(lines) {
        found.extend(line.split('"').skip(1).step_by(2));
        if line.contains(']') {
            break;
        }
    }
    found
}

/// Whether a licence expression (SPDX; older ones have `/` for OR) can be met with the licences that are allowed.
fn permitted(expression: &str, allowed: &[&str]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    !words.is_empty() && any(&mut words.into_iter().peekable(), allowed)
}

type Words<'a> = std::iter::Peekable<std::vec::IntoIter<&'a str>>;

/// `all OR all ...`
fn any(words: &mut Words, allowed: &[&str]) -> bool {
    let mut met = all(words, allowed);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words, allowed);
    }
    met
}

/// `one AND one ...`, where one is a licence, perhaps WITH an exception, or an expression in parentheses.
fn all(words: &mut Words, allowed: &[&str]) -> bool {
    let mut met = true;
    loop {
        if words.next_if_eq(&"(").is_some() {
            met &= any(words, allowed);
            words.next();
        } else {
            let mut licence = words.next().unwrap_or("").to_owned();
            if words.next_if_eq(&"WITH").is_some() {
                licence = format!("{licence} WITH {}", words.next().unwrap_or(""));
            }
            met &= allowed.contains(&&*licence);
        }
        if words.next_if_eq(&"AND").is_none() {
            return met;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{list, permitted};

    #[test]
    fn expressions_are_met_by_what_is_allowed() {
        let allowed = ["MIT", "ISC", "Apache-2.0"];
        for good in ["MIT", "GPL-3.0 OR MIT", "Apache-2.0/X", "(X OR MIT) AND ISC", "X WITH Y OR ISC AND MIT"] {
            assert!(permitted(good, &allowed), "{good}");
        }
        for bad in ["", "X", "MIT AND X", "(MIT OR ISC) AND X", "MIT WITH Y", "X OR ISC AND Y"] {
            assert!(!permitted(bad, &allowed), "{bad}");
        }
    }

    #[test]
    fn lists_are_read_from_the_rules() {
        let rules = "[a]\nallow = [\n  \"x\", # \"no\"\n  \"y\",\n]\nallow-more = [\"z\"]\n";
        assert_eq!(list(rules, "allow"), ["x", "y"]);
        assert_eq!(list(rules, "allow-more"), ["z"]);
        assert!(list(rules, "all").is_empty());
    }
}
