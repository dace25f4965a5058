//! The table of statements, and the driver that reads a source statement by statement.
//!
//! The table says of each statement its name, its shortest form, where it may stand, and which function takes its
//! operands. The driver keeps the order that the directory asks for (USER; INCLUDE; control statements; device
//! statements) and collects mistakes. A statement with a mistake is left out and reading goes on, so that one run
//! shows all of them. Its user cannot log on, but others find what the other statements say: disks to link to.
//!
//! A PROFILE is read like a user. INCLUDE copies what it holds into the user; the user's own statements then replace
//! what can be there once only, and devices with the same number.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::entry::Entry;
use crate::identity::{self, Resolved, Wrong};
use crate::model::*;
use crate::operands::{Operands, Problem, problem};
use crate::password::{LinkPassword, Password, Passwords};
use crate::source::{self, Statement};
use crate::table::{Position, Row, row_of};
use crate::{Directory, Error};

/// The state of one run over a source.
struct Run {
    file: Arc<str>,
    done: Vec<Entry>,
    profiles: HashMap<String, Entry>,
    names: HashMap<String, usize>,
    current: Option<Entry>,
    unused: Vec<Unused>,
    errors: Vec<Error>,
    /// Users and the like as they begin.
    begun: Vec<Begun>,
}

/// Where a user, or a part of one, begins.
struct Begun {
    line: usize,
    /// The line of its USER statement.
    user: usize,
    name: String,
}

/// See [`Directory::read`].
pub(crate) fn parse(file: &str, text: &str, passwords: &Passwords) -> Result<Directory, Vec<Error>> {
    let (statements, bad) = source::statements(text);
    let Resolved { statements, parts, wrong, unused } = identity::resolve(statements);
    let mut run = Run {
        file: file.into(),
        done: Vec::new(),
        profiles: HashMap::new(),
        names: HashMap::new(),
        current: None,
        unused: Vec::new(),
        errors: Vec::new(),
        begun: Vec::new(),
    };
    for (n, statement) in statements.iter().enumerate() {
        run.statement(statement, statements.get(n + 1));
    }
    run.finish();
    run.begun.extend(parts.into_iter().map(|(line, user, name)| Begun { line, user, name }));
    run.begun.sort_by_key(|begun| begun.line);
    for Wrong { line, user, statement, problem } in wrong {
        run.error(line, statement, problem);
        run.errors.last_mut().expect("it was just made").user = user;
    }
    let place = |line| Place { file: run.file.clone(), line };
    run.unused.extend(unused.into_iter().map(|(line, user, statement)| Unused { place: place(line), user, statement }));
    // What is wrong with a card comes before what is wrong with its statement.
    let of_statements = std::mem::take(&mut run.errors);
    for card in bad {
        run.error(card.line, "", problem(card.problem, card.expected));
        let user = run.begun.iter().rev().find(|begun| begun.line <= card.line).map(|begun| begun.name.clone());
        run.errors.last_mut().expect("it was just made").user = user.unwrap_or_default();
    }
    run.errors.extend(of_statements);
    run.bar();
    run.errors.sort_by_key(|e| e.place.line);
    let mut users: Vec<User> = Vec::with_capacity(run.done.len());
    let mut hashes = Hashes::default();
    for entry in &run.done {
        hashes.want(entry, passwords);
    }
    let hashes = hashes.compute().map_err(|e| {
        vec![Error {
            place: Place { file: run.file.clone(), line: 0 },
            user: String::new(),
            statement: String::new(),
            problem: e.to_string(),
            expected: "a host with a source of randomness".into(),
        }]
    })?;
    for mut entry in run.done {
        hashes.give(&mut entry, passwords);
        users.push(entry.user);
    }
    let index = users.iter().enumerate().map(|(i, u)| (u.userid.clone(), i)).collect();
    Ok(Directory { users, accepted_but_unused: run.unused, mistakes: run.errors, index })
}

impl Run {
    fn error(&mut self, line: usize, statement: &str, problem: Problem) {
        self.errors.push(Error {
            place: Place { file: self.file.clone(), line },
            user: self.current.as_ref().map(|e| e.user.userid.clone()).unwrap_or_default(),
            statement: statement.into(),
            problem: problem.problem,
            expected: problem.expected,
        });
    }

    fn statement(&mut self, statement: &Statement, next: Option<&Statement>) {
        let keyword = statement.word(0).expect("a statement has at least one word");
        let Some(row) = row_of(statement) else {
            // Control statements come next, and the user had all of its own: this should have begun another user.
            let control = next
                .and_then(row_of)
                .is_some_and(|row| matches!(row.position, Position::Include | Position::Control | Position::Once));
            if control && self.current.as_ref().is_some_and(|entry| entry.devices_begun) {
                self.finish();
                let place = Place { file: self.file.clone(), line: statement.line };
                self.begun.push(Begun { line: statement.line, user: statement.line, name: String::new() });
                self.current = Some(Entry { broken: true, foreign: true, ..Entry::new(self.file.clone(), place) });
            }
            // Only the length of a keyword is repeated: a card cut in two may begin with anything.
            let shown: String = keyword.chars().take(16).collect();
            return self.error(
                statement.line,
                &shown,
                problem(
                    "this is not a statement",
                    "USER, IDENTITY, PROFILE, or one of the statements that describe a user",
                ),
            );
        };
        if row.position == Position::Begin {
            self.finish();
        }
        if let Err(problem) = self.place_and_take(row, statement) {
            self.error(statement.line, row.name, problem);
        }
    }

    fn place_and_take(&mut self, row: &'static Row, statement: &Statement) -> Result<(), Problem> {
        let place = Place { file: self.file.clone(), line: statement.line };
        let mut operands = Operands::of(statement);
        let unused = |user: &str, what: String| Unused { place: place.clone(), user: user.into(), statement: what };
        if row.position == Position::Global {
            self.unused.push(unused("", row.name.into()));
            return match self.current {
                Some(_) => Err(problem("this statement stands after a user", "it before the first USER and PROFILE")),
                None => Ok(()),
            };
        }
        if row.position == Position::Begin {
            let mut entry = Entry::new(self.file.clone(), place.clone());
            let taken = (row.take)(&mut operands, &mut entry).and_then(|()| operands.end());
            entry.broken = taken.is_err();
            let name = entry.user.userid.clone();
            let parts = std::mem::take(&mut entry.unused);
            self.unused.extend(parts.into_iter().map(|part| unused(&name, format!("{} {part}", row.name))));
            self.begun.push(Begun { line: statement.line, user: statement.line, name });
            self.current = Some(entry);
            return taken;
        }
        let Some(entry) = self.current.as_mut() else {
            return Err(problem("this statement belongs to no user", "USER or PROFILE before it"));
        };
        match row.position {
            Position::Include => {
                if entry.profile {
                    return Err(problem("a profile cannot include another", "INCLUDE in users only"));
                }
                if std::mem::replace(&mut entry.included, true) || entry.control_begun || entry.devices_begun {
                    return Err(problem("INCLUDE stands too late", "one INCLUDE, as the first statement after USER"));
                }
                let name = operands.need("the name of a profile")?;
                operands.end()?;
                let profile = self.profiles.get(&name).ok_or_else(|| {
                    problem(format!("there is no profile {name}"), "the name of a PROFILE that stands before")
                })?;
                entry.include(profile);
                entry.profile_name = Some(name);
                return Ok(());
            }
            Position::Device => entry.devices_begun = true,
            _ => {
                entry.control_begun = true;
                if entry.devices_begun {
                    return Err(problem(
                        "a control statement stands after a device statement",
                        "control statements before CONSOLE, SPOOL, LINK, MDISK and other devices",
                    ));
                }
                if row.position == Position::Once && !entry.seen.insert(row.name) {
                    return Err(problem("this statement is there already", "it once in a user"));
                }
            }
        }
        (row.take)(&mut operands, entry)?;
        operands.end()?;
        let user = entry.user.userid.clone();
        if !row.used {
            self.unused.push(unused(&user, row.name.into()));
        }
        let parts: Vec<String> = entry.unused.drain(..).collect();
        self.unused.extend(parts.into_iter().map(|part| unused(&user, format!("{} {part}", row.name))));
        Ok(())
    }

    /// Ends the user or profile that is being read, with the checks that need all of it.
    fn finish(&mut self) {
        let Some(mut entry) = self.current.take() else { return };
        let line = entry.user.place.line;
        let (name, profile) = (entry.user.userid.clone(), entry.profile);
        let kind = if profile { "PROFILE" } else { "USER" };
        let mut wrong = Vec::new();
        if entry.given.storage && !entry.given.max_storage {
            entry.user.max_storage = entry.user.max_storage.max(entry.user.storage);
        }
        if entry.user.storage > entry.user.max_storage {
            wrong.push(problem("the storage is larger than the maximum storage", "storage up to the maximum storage"));
        }
        if entry.user.max_cpus > 0 && entry.user.cpus.len() > usize::from(entry.user.max_cpus) {
            wrong.push(problem(
                format!("there are {} CPU statements", entry.user.cpus.len()),
                format!("at most the {} of the MACHINE statement", entry.user.max_cpus),
            ));
        }
        if let Some(&before) = self.names.get(&name).filter(|_| !name.is_empty()) {
            wrong.push(problem(format!("{name} is there already, in line {before}"), "another name"));
        }
        if !profile {
            let user = &mut entry.user;
            for field in [&mut user.account, &mut user.distribution] {
                if field.is_empty() {
                    field.clone_from(&name);
                }
            }
        }
        if !entry.broken {
            self.current = Some(entry);
            wrong.into_iter().for_each(|p| self.error(line, kind, p));
            entry = self.current.take().expect("it was put there above");
        }
        // Of two with one name the first stays; what has mistakes is barred from logging on at the end.
        if name.is_empty() || entry.foreign || self.names.contains_key(&name) {
            return;
        }
        self.names.insert(name.clone(), line);
        match profile {
            true => drop(self.profiles.insert(name, entry)),
            false => self.done.push(entry),
        }
    }

    /// Users with a mistake cannot log on, and neither can those that include a profile with one.
    fn bar(&mut self) {
        // A mistake is one of what begins last before it: a second user of a name does not bar the first.
        let at = |line: usize| self.begun.iter().rev().find(|begun| begun.line <= line).map(|begun| begun.user);
        let wrong: HashSet<usize> = self.errors.iter().filter_map(|error| at(error.place.line)).collect();
        let profiles: HashSet<&String> =
            self.profiles.iter().filter(|(_, p)| wrong.contains(&p.user.place.line)).map(|(name, _)| name).collect();
        let mut more = Vec::new();
        for entry in &mut self.done {
            let profile = entry.profile_name.as_ref().filter(|name| profiles.contains(name));
            if let Some(name) = profile {
                more.push(Error {
                    place: entry.user.place.clone(),
                    user: entry.user.userid.clone(),
                    statement: "INCLUDE".into(),
                    problem: format!("the profile {name} has mistakes"),
                    expected: "a profile without mistakes".into(),
                });
            }
            if profile.is_some() || wrong.contains(&entry.user.place.line) {
                entry.user.barred = true;
                entry.user.password = Password::NoLog;
                entry.clear = None;
            }
        }
        self.errors.extend(more);
    }
}

/// Clear-text passwords on their way to hashes. Each is hashed once, with its own salt, on as many host threads as
/// there are processors; the same link password on many minidisks is one hash.
#[derive(Default)]
struct Hashes {
    users: HashMap<String, String>,
    links: HashSet<String>,
}

#[derive(Default)]
struct Hashed {
    users: HashMap<String, Password>,
    links: HashMap<String, Password>,
}

impl Hashes {
    fn want(&mut self, entry: &Entry, passwords: &Passwords) {
        if let Some(clear) = &entry.clear
            && passwords.get(&entry.user.userid).is_none()
        {
            self.users.insert(entry.user.userid.clone(), clear.clone());
        }
        self.links.extend(entry.clear_links.iter().map(|link| link.2.clone()));
    }

    fn compute(self) -> std::io::Result<Hashed> {
        let users = self.users.into_iter().map(|(id, clear)| (Some(id), clear));
        let work: Vec<(Option<String>, String)> = users.chain(self.links.into_iter().map(|c| (None, c))).collect();
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get()).min(8);
        let mut hashed = Hashed::default();
        let results = std::thread::scope(|scope| {
            let part = work.len().div_ceil(threads).max(1);
            let hash = |part: &[(Option<String>, String)]| {
                part.iter().map(|(_, clear)| Password::hash_of_source(clear)).collect::<Vec<_>>()
            };
            let running: Vec<_> = work.chunks(part).map(|part| scope.spawn(move || hash(part))).collect();
            let join = |t: std::thread::ScopedJoinHandle<'_, Vec<_>>| t.join().expect("hashing does not panic");
            running.into_iter().flat_map(join).collect::<Vec<_>>()
        });
        for ((user, clear), hash) in work.into_iter().zip(results) {
            match user {
                Some(id) => hashed.users.insert(id, hash?),
                None => hashed.links.insert(clear, hash?),
            };
        }
        Ok(hashed)
    }
}

impl Hashed {
    fn give(&self, entry: &mut Entry, passwords: &Passwords) {
        if entry.clear.take().is_some() {
            let id = &entry.user.userid;
            let hash = passwords.get(id).or_else(|| self.users.get(id));
            entry.user.password = hash.expect("every clear-text password was hashed").clone();
        }
        for (vdev, which, clear) in entry.clear_links.drain(..) {
            let disk = entry.user.devices.iter_mut().find(|d| d.vdev == vdev);
            if let Some(DeviceKind::Mdisk(disk)) = disk.map(|d| &mut d.kind) {
                let hash = LinkPassword::Hash(self.links[&clear].clone());
                match which {
                    0 => disk.read = hash,
                    1 => disk.write = hash,
                    _ => disk.multiple = hash,
                }
            }
        }
    }
}
