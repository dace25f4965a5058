//! Register variables hold from where they are set to the instruction, and no longer: a call in between changes the
//! registers, and so does one before they are read.

use crate::{agree, source};
use description::c::{self, Function};

const BEGIN: &str = "register ";

/// Words that stand before a parenthesis and call nothing.
const NO_CALLS: [&str; 8] = ["if", "while", "for", "switch", "return", "sizeof", "__asm__", "volatile"];

/// What is called in a piece of C, as far as names in front of parentheses are that.
fn calls(text: &str) -> Option<&str> {
    text.match_indices('(').find_map(|(at, _)| {
        let before = text[..at].trim_end();
        let name = before.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next()?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        (is_name && !NO_CALLS.contains(&name)).then_some(name)
    })
}

/// The register variables of a function: the name, and what follows it from its initial value on.
fn variables(function: &Function) -> Vec<(String, &str)> {
    let places = function.body.match_indices(BEGIN).map(|(at, _)| &function.body[at..]);
    let variables = places.filter_map(|text| {
        let (declared, rest) = text.split_once("__asm__(")?;
        let name = declared.trim_end().rsplit([' ', '*']).next()?;
        Some((name.to_owned(), rest.split_once(')')?.1))
    });
    variables.collect()
}

/// What is wrong with a variable.
fn wrong(name: &str, rest: &str) -> Option<String> {
    let Some((between, after)) = rest.split_once("__asm__ volatile(") else { return Some("has no instruction".into()) };
    // Other register variables may come between.
    if let Some(called) = calls(&between.replace("__asm__(", "")) {
        return Some(format!("is set before {called} is called"));
    }
    let after = after.split_once(";\n").map_or("", |(_, after)| after);
    let uses = after.match_indices(name).filter(|(at, _)| {
        let edge = |c: Option<char>| c.is_none_or(|c| !(c.is_ascii_alphanumeric() || c == '_' || c == '"'));
        edge(after[..*at].chars().next_back()) && edge(after[at + name.len()..].chars().next())
    });
    let last = uses.map(|(at, _)| at).last()?;
    // Up to the statement that reads it last.
    let until = after[..last].rfind(';').map_or("", |end| &after[..end]);
    calls(until).map(|called| format!("is read after {called} was called"))
}

#[test]
fn nothing_is_called_between_a_register_and_its_instruction() {
    let files = c::files(&source(), "c");
    let mut told = Vec::new();
    let mut count = 0;
    for file in &files {
        for function in &file.functions {
            for (name, rest) in variables(function) {
                count += 1;
                told.extend(wrong(&name, rest).map(|why| format!("{}: {} {name} {why}", file.path, function.name)));
            }
        }
    }
    println!("{count} register variables");
    assert!(count > 40, "{count}");
    agree(&told);
}

#[test]
fn a_call_between_is_found() {
    let bad =
        "register u32 r2 __asm__(\"2\") = 1; u32 device = console_device(); __asm__ volatile(\"x\" : : \"d\"(r2));\n";
    let late = "register u32 r2 __asm__(\"2\") = 1; __asm__ volatile(\"x\" : : \"d\"(r2));\n call();\n return r2;\n";
    let good =
        "register u32 r2 __asm__(\"2\") = (u32)at; __asm__ volatile(\"x\" : : \"d\"(r2));\n x = r2;\n call(x);\n";
    let of = |body: &str| {
        let function = Function { name: "f".into(), parameters: Vec::new(), body: body.into(), own: true };
        variables(&function).into_iter().find_map(|(name, rest)| wrong(&name, rest))
    };
    assert_eq!(of(bad).as_deref(), Some("is set before console_device is called"));
    assert_eq!(of(late).as_deref(), Some("is read after call was called"));
    assert_eq!(of(good), None);
}
