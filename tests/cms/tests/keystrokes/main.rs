//! Generated sessions at XEDIT's screen against a small model of the editor: after each key the screen is as the model
//! says, at the end the file on disk.
//!
//! `ENDICOTT_SESSIONS=10000` plays so many, `ENDICOTT_SEED=n` begins with another. A session that differs is made as
//! short as it can be and printed as a story of `tests/screens` would have it.

mod columns;
mod commands;
mod hessling;
mod model;
mod prefix;
mod screen;
mod session;
mod target;
mod transaction;

use cms::seat::Seat;
use cms::system::{File, Site};
use model::Model;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use support::Random;
use tn3270::datastream::Aid;
use transaction::{COMMAND, Key, Step, Typed};

const SESSIONS: u64 = 200;
const STEPS: usize = 24;
const SEATS: usize = 2;
/// So many that differ are enough.
const DIFFERENT: usize = 8;

/// How many lines the files have that are edited.
const SIZES: [usize; 9] = [1, 2, 3, 5, 9, 16, 20, 30, 50];

/// The files, by their sizes.
fn files() -> Vec<(String, Vec<String>)> {
    let mut random = Random::seeded(1);
    SIZES.map(|size| (format!("F{size}"), (0..size).map(|_| session::words(&mut random, 5)).collect())).into()
}

/// A user of the editor; without a seat, not logged on yet.
struct Player {
    cms: [PathBuf; 2],
    files: Vec<(String, Vec<String>)>,
    seat: Option<Seat>,
}

/// A session: which file, and what is done to it.
#[derive(Clone)]
struct Session {
    file: usize,
    steps: Vec<Step>,
}

fn command(text: &str) -> Step {
    let typed = vec![Typed { row: COMMAND.0, column: COMMAND.1, text: format!("{text:60}") }];
    Step { typed, cursor: COMMAND, key: Key::Enter }
}

/// A message's letters say which part of the editor has said it; the model does not know them.
fn plain(row: &str) -> String {
    let is_message = row.starts_with("DMSX") && row.len() > 9;
    if is_message { format!("DMSXXX{}", &row[6..]) } else { row.to_owned() }
}

/// The rows that differ: what the model has, and what is shown.
fn difference(model: &Model, step: &Step, seat: &mut Seat) -> Option<String> {
    let (wanted, shown) = (model.rows(), seat.rows());
    let mut told = String::new();
    for row in 1..=24 {
        let is = plain(&shown[row - 1]);
        if is != wanted[row] {
            let _ = writeln!(told, "{row:2} model  {}\n   screen {is}", wanted[row]);
        }
    }
    let (row, column) = seat.cursor();
    let cursor = model.cursor_shown(step);
    if cursor != (row.into(), column.into()) {
        let _ = writeln!(told, "cursor: model {} {}, screen {row} {column}", cursor.0, cursor.1);
    }
    (!told.is_empty()).then_some(told)
}

impl Player {
    fn seat(&mut self) -> &mut Seat {
        let (cms, files) = (&self.cms, &self.files);
        self.seat.get_or_insert_with(|| {
            let texts: Vec<String> = files.iter().map(|(_, lines)| format!("source\n{}\n", lines.join("\n"))).collect();
            let user: Vec<File<'_>> = files
                .iter()
                .zip(&texts)
                .map(|((name, _), text)| (name.as_str(), "DATA", "A1", text.as_str()))
                .collect();
            let mut seat = Seat::new(Site::new(cms, &[], &user), 24, 80);
            seat.log_on();
            seat
        })
    }

    fn model(&self, file: usize) -> Model {
        let (name, lines) = &self.files[file];
        Model::new(name, lines)
    }

    /// Types and presses on both; what differs then.
    fn perform(&mut self, model: &mut Model, step: &Step) -> Option<String> {
        let seat = self.seat();
        for typed in step.typed.iter().filter(|typed| model.takes(typed)) {
            seat.types_at(typed.row as u16, typed.column as u16, &typed.text);
        }
        seat.types_at(step.cursor.0 as u16, step.cursor.1 as u16, "");
        seat.presses(match step.key {
            Key::Enter => Aid::Enter,
            Key::Clear => Aid::Clear,
            Key::Pf(n) => Aid::Pf(n),
        });
        let messages = model.press(step);
        if model.unsure {
            return None;
        }
        if !messages.is_empty() && !seat.is_guests() {
            let shown = seat.cp_screen();
            let missing = messages.iter().find(|message| !shown.contains(message.as_str()));
            if let Some(missing) = missing {
                return Some(format!("{missing} is not on the screen of CMS:\n{shown}"));
            }
            (0..3).for_each(|_| {
                if !seat.is_guests() {
                    seat.presses(Aid::Clear)
                }
            });
        }
        match (model.over, seat.is_guests()) {
            (true, false) => None,
            (false, true) => difference(model, step, seat),
            (true, true) => Some(format!("the editor has not ended\n{}", seat.rows().join("\n"))),
            (false, false) => Some(format!("the editor has ended\n{}", seat.cp_screen())),
        }
    }

    /// Plays a session: what differs after which step. With `random`, steps are added to it first.
    fn play(&mut self, session: &mut Session, mut random: Option<&mut Random>) -> Option<String> {
        let mut model = self.model(session.file);
        let name = model.file.0.clone();
        self.seat().says(&format!("xedit {name} data"));
        let mut at = 0;
        while at < session.steps.len() || random.is_some() {
            if at == STEPS || model.over || model.unsure {
                break;
            }
            if at == session.steps.len() {
                let random = random.as_mut().expect("it was there");
                session.steps.push(session::step(random, &model));
            }
            if let Some(told) = self.perform(&mut model, &session.steps[at]) {
                session.steps.truncate(at + 1);
                self.seat = None;
                return Some(told);
            }
            at += 1;
        }
        let told = self.finish(model);
        if told.is_some() {
            self.seat = None;
        }
        told
    }

    /// Leaves the editor; what differs between the file on disk and the model's.
    fn finish(&mut self, model: Model) -> Option<String> {
        let seat = self.seat();
        let saves = !model.over && !model.unsure && model.size() > 0;
        if seat.is_guests() {
            let end = command(if saves { "ffile out data a" } else { "qquit" });
            let Typed { row, column, text } = &end.typed[0];
            seat.types_at(*row as u16, *column as u16, text);
            seat.presses(Aid::Enter);
        }
        if seat.is_guests() {
            return Some(format!("the editor has not ended\n{}", seat.rows().join("\n")));
        }
        if !saves {
            return None;
        }
        let disk = seat.site.user_disk();
        let text = cms::good(&["get", &disk.to_string_lossy(), "OUT", "DATA"]);
        let is: Vec<&str> = text.lines().map(str::trim_end).collect();
        let wanted: Vec<&str> = model.lines.iter().map(|line| line.text.as_str()).collect();
        (is != wanted).then(|| format!("the file: model {wanted:#?}\non disk {is:#?}"))
    }

    /// The session without all that is not needed for a difference, and that.
    fn shrink(&mut self, mut session: Session, mut told: String) -> (Session, String) {
        let mut tries = Vec::new();
        loop {
            tries.clear();
            for n in (1..session.steps.len()).rev() {
                let mut shorter = session.clone();
                shorter.steps.remove(n);
                tries.push(shorter);
                for typed in 0..session.steps[n].typed.len() {
                    let mut shorter = session.clone();
                    shorter.steps[n].typed.remove(typed);
                    tries.push(shorter);
                }
            }
            let smaller = tries.drain(..).find_map(|mut shorter| Some((self.play(&mut shorter, None)?, shorter)));
            match smaller {
                Some((what, shorter)) => (told, session) = (what, shorter),
                None => return (session, told),
            }
        }
    }
}

fn report(session: &Session, name: &str, seed: u64, told: &str) -> String {
    let steps: String = session.steps.iter().map(Step::to_string).collect();
    format!("seed {seed}, XEDIT {name} DATA:\n{steps}{told}")
}

#[test]
fn the_editor_does_what_the_model_says() {
    let Some(cms) = cms::nucleus() else { return };
    let number = |name: &str, usual| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual);
    let (sessions, first) = (number("ENDICOTT_SESSIONS", SESSIONS), number("ENDICOTT_SEED", 1));
    let (next, keys, wrong) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..SEATS {
            scope.spawn(|| {
                let mut player = Player { cms: cms.clone(), files: files(), seat: None };
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let found = wrong.lock().expect("no thread fails with it").len();
                    if n >= sessions || found >= DIFFERENT {
                        return;
                    }
                    let seed = first + n;
                    let mut random = Random::seeded(seed);
                    let file = random.below(SIZES.len());
                    let mut session = Session { file, steps: vec![command("set case mixed")] };
                    let told = player.play(&mut session, Some(&mut random));
                    keys.fetch_add(session.steps.len() as u64, Ordering::Relaxed);
                    if let Some(told) = told {
                        let (session, told) = player.shrink(session, told);
                        let name = &player.files[session.file].0;
                        let report = report(&session, name, seed, &told);
                        wrong.lock().expect("no thread fails with it").push(report);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("all have ended");
    println!("{} sessions, {} keys", next.into_inner().min(sessions), keys.into_inner());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
