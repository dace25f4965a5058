//! The C files of CMS do what `guest/cms/help` describes: each command has its function, each option that HELP lists is
//! taken, and each that is taken is listed; each message that is said is described with its severity, and is said; each
//! header says which file its names are from.

mod headers;
mod messages;
mod options;
mod pages;
mod registers;
mod stages;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use description::{Command, Description, c};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn description() -> Description {
    Description::read(&source()).unwrap_or_else(|why| panic!("{why}"))
}

/// The C file of a command; EXEC's runs those that are execs of the system.
fn c_file(command: &Command) -> &str {
    if command.file.ends_with(".c") { &command.file } else { "command/exec.c" }
}

/// Nothing is wrong, or all of it is told.
fn agree(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} disagreements:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_command_is_a_function_of_its_file() {
    let (description, files) = (description(), c::files(&source(), "c"));
    let mut wrong = Vec::new();
    for command in &description.commands {
        let file = files.iter().find(|file| file.path == c_file(command));
        let function = file.and_then(|file| file.function(&command.function));
        if function.is_none_or(|function| function.own) {
            wrong.push(format!("{} has no {} for {}", command.file, command.function, command.name));
        }
    }
    let known: BTreeSet<&str> = description.commands.iter().map(|command| command.function.as_str()).collect();
    let there = files.iter().flat_map(|file| &file.functions).filter(|function| !function.own);
    let unknown = there.filter(|function| {
        let takes_a_call = function.parameters.len() == 1 && CALLS.contains(&function.parameters[0].as_str());
        function.name.ends_with("_command") && takes_a_call && !known.contains(function.name.as_str())
    });
    wrong.extend(unknown.map(|function| format!("{} is of no command", function.name)));
    agree(&wrong);
}

/// What the functions of commands call their parameter.
const CALLS: [&str; 2] = ["call", "given"];

#[test]
fn names_are_in_order_and_tasks_are_known() {
    let description = description();
    let names: Vec<&str> = description.commands.iter().map(|command| command.name.as_str()).collect();
    assert!(names.len() > 60 && names.is_sorted_by(|one, next| one < next), "{names:?}");
    let tasks: BTreeSet<&str> = description.tasks.iter().map(|task| task.name.as_str()).collect();
    let of = |command: &description::Command| {
        let unknown = command.tasks.iter().find(|task| !tasks.contains(task.as_str()));
        match (unknown, command.tasks.is_empty()) {
            (Some(task), _) => Some(format!("{}: there is no task {task}", command.name)),
            (None, true) => Some(format!("{} is for no task", command.name)),
            (None, false) => None,
        }
    };
    agree(&description.commands.iter().filter_map(of).collect::<Vec<_>>());
}

/// Another name that the syntax shows, `SENDFile|SF`, is one that call.c knows, and no other is.
#[test]
fn other_names_are_known() {
    let files = c::files(&source(), "c");
    let call = files.iter().find(|file| file.path == "nucleus/call.c").expect("call.c is there");
    let (_, forms) = call.text.split_once("short_forms[] = {").expect("it has the other names");
    let (forms, _) = forms.split_once("};").expect("the table ends");
    let forms: Vec<&str> = forms.split('"').skip(1).step_by(2).collect();
    let shown = description().commands.into_iter().filter_map(|command| {
        let (_, other) = command.syntax.split(' ').next()?.split_once('|')?;
        Some([other.to_owned(), command.name])
    });
    assert_eq!(forms.chunks(2).map(|form| form.to_vec()).collect::<Vec<_>>(), shown.collect::<Vec<_>>());
}

/// HELP REXX has each built-in function.
#[test]
fn functions_of_rexx_are_explained() {
    let files = c::files(&source(), "c");
    let functions = files.iter().find(|file| file.path == "rexx/functions.c").expect("it is there");
    let names = functions.text.lines().filter_map(|line| {
        let name = line.trim().strip_prefix("{ \"")?.split_once('"')?.0;
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()).then_some(name)
    });
    let names: BTreeSet<&str> = names.collect();
    assert!(names.len() > 60, "{names:?}");
    let explained: String =
        description().rexx.into_iter().flat_map(|(_, lines)| lines).fold(String::new(), |all, line| all + &line + "\n");
    let missing = names.into_iter().filter(|name| c::word_at(&explained.to_ascii_uppercase(), name).next().is_none());
    agree(&missing.map(|name| format!("HELP REXX does not explain {name}")).collect::<Vec<_>>());
}
