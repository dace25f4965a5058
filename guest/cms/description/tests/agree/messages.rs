//! Messages: each that is said is described with that severity, and each that is described is said.

use std::collections::{BTreeMap, BTreeSet};

use crate::{agree, description, source};
use description::Message;
use description::c::{self, File, Function};

/// What says a message: the function, and which arguments are the number and the severity.
const CMS: [(&str, usize, usize); 2] = [("message", 1, 2), ("message_line", 3, 4)];
const PIPES: [(&str, usize, usize); 1] = [("pipe_say_list", 1, 2)];
const DDR: [(&str, usize, usize); 1] = [("complain_list", 0, 1)];

/// A place that says a message: the expressions there.
struct Place<'a> {
    file: &'a File,
    function: &'a Function,
    number: String,
    severity: String,
}

/// What can be said: numbers and the severities that each place may have.
struct Said<'a> {
    files: &'a [File],
    places: BTreeMap<u32, Vec<BTreeSet<char>>>,
    wrong: Vec<String>,
}

impl Said<'_> {
    fn at(&mut self, place: &Place<'_>) {
        let severities = self.severities(place);
        for arm in c::arms(&place.number) {
            let number = c::without_choice(&arm);
            if number == "0" {
                // The caller means another message.
            } else if let Ok(number) = number.parse() {
                match &severities {
                    Some(known) => self.places.entry(number).or_default().push(known.clone()),
                    None => self.callers(place, number.to_string()),
                }
            } else if place.function.parameters.iter().any(|parameter| parameter == number) {
                self.callers(place, number.to_owned());
            } else {
                let given = c::given_to(&place.function.body, number);
                if given.is_empty() {
                    let (file, function) = (&place.file.path, &place.function.name);
                    self.wrong.push(format!("{file}: {function} says {number}, which is not understood"));
                }
                for value in given {
                    let (file, function, severity) = (place.file, place.function, place.severity.clone());
                    self.at(&Place { file, function, number: value, severity });
                }
            }
        }
    }

    /// The letters of a place; `None` if a caller says which.
    fn severities(&self, place: &Place<'_>) -> Option<BTreeSet<char>> {
        let mut letters = BTreeSet::new();
        for arm in c::arms(&place.severity) {
            match arm.as_str() {
                "NOTE" => letters.extend(['I']),
                "WARNING" => letters.extend(['W']),
                "ERROR" => letters.extend(['E']),
                "SEVERE" => letters.extend(['S']),
                arm if arm.starts_with('\'') => letters.extend(arm.chars().nth(1)),
                arm if place.function.parameters.iter().any(|parameter| parameter == arm) => return None,
                // What a macro of the user says (MNOTE).
                _ => letters.extend("IWES".chars()),
            }
        }
        Some(letters)
    }

    /// The same, as each caller of the function says it.
    fn callers(&mut self, place: &Place<'_>, number: String) {
        let function = place.function;
        for file in self.files {
            // Another file may have a function of its own with that name.
            let same = file.path == place.file.path;
            if !same && (function.own || file.function(&function.name).is_some()) {
                continue;
            }
            for caller in file.functions.iter().filter(|caller| caller.name != function.name) {
                for arguments in c::calls(&caller.body, &function.name) {
                    let given = |expression: &str| {
                        let at = function.parameters.iter().position(|parameter| parameter == expression);
                        at.and_then(|at| arguments.get(at)).map_or(expression, String::as_str).to_owned()
                    };
                    let (number, severity) = (given(&number), given(&place.severity));
                    self.at(&Place { file, function: caller, number, severity });
                }
            }
        }
    }
}

/// Compares what the files say with what is described.
fn compare(described: &[Message], sayers: &[(&str, usize, usize)]) {
    let files = c::files(&source(), "c");
    let mut said = Said { files: &files, places: BTreeMap::new(), wrong: Vec::new() };
    for file in &files {
        for function in &file.functions {
            for (sayer, number, severity) in sayers {
                for arguments in c::calls(&function.body, sayer) {
                    let number = arguments[*number].clone();
                    // The letter that it shows is made of the severity.
                    let severity = if function.name == "flag" { "severity" } else { &arguments[*severity] };
                    let severity = severity.to_owned();
                    // The one that says it for the other.
                    if sayers.iter().all(|(name, ..)| *name != function.name) {
                        said.at(&Place { file, function, number, severity });
                    }
                }
            }
        }
    }
    let mut wrong = said.wrong;
    let mut known: BTreeMap<u32, BTreeSet<char>> = BTreeMap::new();
    described.iter().for_each(|message| known.entry(message.number).or_default().extend(message.severities.chars()));
    for (number, places) in &said.places {
        let Some(letters) = known.get(number) else {
            wrong.push(format!("message {number} is said and not described"));
            continue;
        };
        for place in places.iter().filter(|place| place.is_disjoint(letters)) {
            wrong.push(format!("message {number} is said with {place:?} and described with {letters:?}"));
        }
    }
    for (number, letters) in &known {
        // Only EXECs say it, with XMITMSG.
        if letters.iter().eq(&['X']) && !said.places.contains_key(number) {
            continue;
        }
        let said: BTreeSet<char> = said.places.get(number).into_iter().flatten().flatten().copied().collect();
        // One of two texts may be for EXECs alone.
        let unsaid: BTreeSet<_> = letters.difference(&said).filter(|letter| **letter != 'X').collect();
        if !unsaid.is_empty() {
            wrong.push(format!("message {number} is described with {unsaid:?}, and is said with {said:?}"));
        }
    }
    agree(&wrong);
}

#[test]
fn messages_of_cms_are_said_as_described() {
    compare(&description().messages, &CMS);
}

#[test]
fn messages_of_pipelines_are_said_as_described() {
    compare(&description().pipe_messages, &PIPES);
}

#[test]
fn messages_of_ddr_are_said_as_described() {
    compare(&description().ddr_messages, &DDR);
}

#[test]
fn every_message_is_explained_once() {
    let description = description();
    for messages in [&description.messages, &description.pipe_messages, &description.ddr_messages] {
        assert!(messages.len() > 20 && messages.is_sorted_by_key(|message| message.number));
        for (n, message) in messages.iter().enumerate() {
            let another = messages.get(n + 1).is_some_and(|next| next.number == message.number);
            assert_eq!(message.explanation.is_empty(), another, "{} is explained once", message.number);
            let letters: Vec<char> = message.severities.chars().collect();
            let known = letters.iter().all(|letter| "ADIWESTRX".contains(*letter));
            assert!(!letters.is_empty() && known && letters.is_sorted(), "{}: {letters:?}", message.number);
        }
    }
}
