//! Which messages a command can say: those of its function, of the functions that it calls in its file, and of those of
//! other files that it gives its three letters to say them with.

use std::collections::{BTreeMap, BTreeSet};

use crate::Command;
use crate::c::{self, File, Function};

/// The functions that say messages for others: each has the letters as a parameter.
struct Helper<'a> {
    file: &'a File,
    function: &'a Function,
    letters: usize,
}

/// Who says what, for all commands.
pub(crate) struct Said<'a> {
    files: &'a [File],
    helpers: BTreeMap<&'a str, Helper<'a>>,
}

/// What functions call the parameter that has the letters.
const LETTERS: &str = "module";

impl<'a> Said<'a> {
    /// What these files say.
    pub(crate) fn of(files: &'a [File]) -> Said<'a> {
        let mut helpers = BTreeMap::new();
        for file in files {
            for function in file.functions.iter().filter(|function| !function.own && function.name != "message") {
                if let Some(letters) = function.parameters.iter().position(|parameter| parameter == LETTERS) {
                    helpers.insert(function.name.as_str(), Helper { file, function, letters });
                }
            }
        }
        Said { files, helpers }
    }

    /// The identifiers that a command's messages begin with, in the order of their numbers.
    pub(crate) fn by(&self, command: &Command) -> Vec<String> {
        let file = self.files.iter().find(|file| file.path == command.file);
        let Some((file, function)) = file.and_then(|file| Some((file, file.function(&command.function)?))) else {
            return Vec::new();
        };
        let mut found = BTreeSet::new();
        self.walk(file, function, None, &mut BTreeSet::new(), &mut found);
        found.into_iter().map(|(number, letters, severity)| format!("DMS{letters}{number:03}{severity}")).collect()
    }

    fn walk(
        &self,
        file: &'a File,
        function: &'a Function,
        letters: Option<&str>,
        seen: &mut BTreeSet<(&'a str, String)>,
        found: &mut BTreeSet<(u32, String, char)>,
    ) {
        // The letters of a place: a literal, or those that this function was given.
        let of = |argument: &str| match argument.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(literal) => Some(literal.to_owned()),
            None => letters.filter(|_| argument == LETTERS).map(str::to_owned),
        };
        for function in file.reached(function) {
            for arguments in c::calls(&function.body, "message") {
                let [module, number, severity, ..] = &arguments[..] else { continue };
                let Some(module) = of(module) else { continue };
                let severities: Vec<char> = c::arms(severity).iter().filter_map(|arm| arm.chars().nth(1)).collect();
                for number in c::arms(number) {
                    let number = c::without_choice(&number);
                    if let (Ok(number), [severity]) = (number.parse(), &severities[..]) {
                        found.insert((number, module.clone(), *severity));
                    }
                }
            }
            for (name, helper) in &self.helpers {
                for arguments in c::calls(&function.body, name) {
                    let module = arguments.get(helper.letters).and_then(|argument| of(argument));
                    if let Some(module) = module.filter(|module| seen.insert((name, module.clone()))) {
                        self.walk(helper.file, helper.function, Some(&module), seen, found);
                    }
                }
            }
        }
    }
}
