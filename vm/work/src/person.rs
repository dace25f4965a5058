//! One user: the screen, what is typed next, and whether what is seen is what should be. Time is an argument, in
//! microseconds since the run began.

use crate::chance::Chance;
use crate::load::{Identity, Load, PATIENCE, READY, Script, Step};
use crate::log::Command;
use tn3270::datastream::order::Command as OutCommand;
use tn3270::{Aid, Screen, Size};

/// Seconds of a load in microseconds.
pub fn micros(seconds: f64) -> u64 {
    (seconds * 1e6) as u64
}

/// After `Ready` a screen that is not as it should be gets so long to become that: messages may come later.
const GRACE: u64 = 2_000_000;

/// A user that could not log on tries again so much later.
const AGAIN: u64 = 10_000_000;

/// How long a connection may take.
const CALL: u64 = 60_000_000;

/// What stands in CP's status field.
const STATUS: [&str; 6] = ["RUNNING", "CP READ", "VM READ", "MORE...", "HOLDING", "NOT ACCEPTED"];

/// Those with which a page is to be turned, or what was typed is still there.
const CLEARED: [&str; 3] = ["MORE...", "HOLDING", "NOT ACCEPTED"];

/// What a user wants of its terminal.
#[derive(Debug, PartialEq, Eq)]
pub enum Wish {
    /// To be connected.
    Connect,
    /// This record is to be sent.
    Send(Vec<u8>),
    /// The line is to be closed.
    HangUp,
}

/// What all users share in a run, and what one says of a moment.
pub struct Scene<'a> {
    /// The load.
    pub load: &'a Load,
    /// Its scripts that can be run.
    pub scripts: &'a [&'a Script],
    /// Think times are divided by this.
    pub scale: f64,
    /// When the ramp ends.
    pub ramp: u64,
    /// The time.
    pub now: u64,
    /// What is wanted of the terminal.
    pub wishes: Vec<Wish>,
    /// Commands that are over.
    pub commands: Vec<Command>,
}

/// Which steps are being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Logon,
    Script,
    Recover,
    Logoff,
}

impl Part {
    /// What the log says instead of a script's name.
    fn name(self) -> &'static str {
        match self {
            Part::Logon => "(logon)",
            Part::Script => "",
            Part::Recover => "(recover)",
            Part::Logoff => "(logoff)",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Not connected; something is due.
    Away,
    /// The connection is awaited.
    Calling,
    /// Until something is due.
    Thinking,
    /// The keyboard is awaited.
    Typing,
    /// A key was pressed: the screen is awaited.
    Looking,
    /// There is nothing more to do.
    Gone,
}

/// A command that is going on.
#[derive(Default)]
struct Look {
    thought: f64,
    pressed: u64,
    first: Option<u64>,
    /// On CP's screen what is new begins at this row.
    from: u16,
    /// Lines of pages that were turned.
    seen: Vec<String>,
    /// What was typed on CP's screen.
    typed: String,
    /// The command has ended, and the screen is not as it should be.
    ended: bool,
}

/// A user.
pub struct Person {
    identity: Identity,
    chance: Chance,
    screen: Option<Screen>,
    stage: Stage,
    part: Part,
    script: usize,
    step: usize,
    round: u32,
    look: Look,
    /// Until when it thinks or waits.
    due: Option<u64>,
    /// It has begun its first script.
    working: bool,
}

impl Person {
    /// A user that is to be connected then.
    pub fn new(identity: Identity, chance: Chance, begins: u64) -> Person {
        Person {
            identity,
            chance,
            screen: None,
            stage: Stage::Away,
            part: Part::Logon,
            script: 0,
            step: 0,
            round: 0,
            look: Look::default(),
            due: Some(begins),
            working: false,
        }
    }

    /// When [`Person::wakes`] is to be called, if nothing comes before.
    pub fn due(&self) -> Option<u64> {
        self.due
    }

    /// Whether it has logged on and begun to work.
    pub fn is_working(&self) -> bool {
        self.working && self.stage != Stage::Gone
    }

    /// Whether it has nothing more to do.
    pub fn is_gone(&self) -> bool {
        self.stage == Stage::Gone
    }

    /// It is connected, and its screen has these sizes, default first.
    pub fn connected(&mut self, scene: &mut Scene<'_>, [default, alternate]: [Size; 2]) {
        if self.stage == Stage::Calling {
            self.screen = Some(Screen::new(default, alternate));
            (self.part, self.step, self.round) = (Part::Logon, 0, 0);
            self.begin(scene, 0.0);
        }
    }

    /// The line is gone.
    pub fn lost(&mut self, scene: &mut Scene<'_>, why: &str) {
        match self.stage {
            Stage::Gone | Stage::Away => {}
            _ if self.part == Part::Logoff => (self.stage, self.due) = (Stage::Gone, None),
            _ => {
                self.tell(scene, Some(format!("the line is gone: {why}")));
                self.away(scene);
            }
        }
    }

    /// A record has come.
    pub fn arrived(&mut self, scene: &mut Scene<'_>, record: &[u8]) {
        let Some(screen) = &mut self.screen else { return };
        let command = record.first().copied().and_then(OutCommand::from_byte);
        if matches!(command, Some(OutCommand::EraseWrite | OutCommand::EraseWriteAlternate)) {
            // All that is shown then is new.
            self.look.from = 0;
        }
        match screen.apply(record) {
            Ok(effect) => scene.wishes.extend(effect.reply.map(Wish::Send)),
            Err(error) => return self.fail(scene, format!("the host has sent {error}")),
        }
        match self.stage {
            Stage::Typing => self.types(scene),
            Stage::Looking => self.looks(scene),
            _ => {}
        }
    }

    /// Something is due.
    pub fn wakes(&mut self, scene: &mut Scene<'_>) {
        match self.stage {
            Stage::Away => {
                (self.stage, self.due) = (Stage::Calling, Some(scene.now + CALL));
                scene.wishes.push(Wish::Connect);
            }
            Stage::Calling => {
                self.tell(scene, Some("no terminal session comes about".into()));
                scene.wishes.push(Wish::HangUp);
                self.away(scene);
            }
            Stage::Thinking => {
                let thought = self.look.thought;
                self.working |= self.part == Part::Script;
                self.begin(scene, thought);
            }
            Stage::Typing => self.fail(scene, "the keyboard stays locked".into()),
            Stage::Looking if self.look.ended => self.fail(scene, self.missing(scene)),
            Stage::Looking => self.fail(scene, format!("{} in time", self.missing(scene))),
            Stage::Gone => self.due = None,
        }
    }

    /// It is to go.
    pub fn leaves(&mut self, scene: &mut Scene<'_>) {
        let is_on = self.screen.is_some() && self.part != Part::Logon;
        match self.stage {
            Stage::Gone => {}
            Stage::Thinking | Stage::Typing | Stage::Looking if is_on && !scene.load.users.logoff.is_empty() => {
                (self.part, self.step, self.round) = (Part::Logoff, 0, 0);
                self.begin(scene, 0.0);
            }
            _ => {
                (self.stage, self.due) = (Stage::Gone, None);
                scene.wishes.push(Wish::HangUp);
            }
        }
    }

    fn away(&mut self, scene: &Scene<'_>) {
        (self.stage, self.due, self.screen) = (Stage::Away, Some(scene.now + AGAIN), None);
        self.part = Part::Logon;
    }

    fn steps<'a>(&self, scene: &Scene<'a>) -> &'a [toml::Spanned<Step>] {
        let users = &scene.load.users;
        match self.part {
            Part::Logon => &users.logon,
            Part::Script => &scene.scripts[self.script].steps,
            Part::Recover => &users.recover,
            Part::Logoff => &users.logoff,
        }
    }

    fn current<'a>(&self, scene: &Scene<'a>) -> Option<&'a Step> {
        self.steps(scene).get(self.step).map(toml::Spanned::get_ref)
    }

    fn filled(&self, text: &str) -> String {
        self.identity.fill(text).expect("the load was checked")
    }

    // A step.

    /// Begins the step after so many seconds of thinking.
    fn begin(&mut self, scene: &mut Scene<'_>, thought: f64) {
        let patience = self.current(scene).and_then(|step| step.patience).unwrap_or(PATIENCE);
        self.look = Look { thought, pressed: scene.now, ..Look::default() };
        (self.stage, self.due) = (Stage::Typing, Some(scene.now + micros(patience)));
        self.types(scene);
    }

    /// Types and presses the key, as soon as the keyboard is not locked.
    fn types(&mut self, scene: &mut Scene<'_>) {
        let Some(step) = self.current(scene) else { return self.goes_on(scene) };
        let Some(screen) = self.screen.as_mut().filter(|screen| !screen.is_locked()) else { return };
        let size = screen.size();
        let status = status(screen);
        if let (Some(status), Some(_)) = (status, &step.text) {
            // People turn a page that is half full before they type.
            if CLEARED.contains(&status) || used(screen) > (size.rows - 2) / 2 {
                scene.wishes.extend(screen.press(Aid::Clear).map(Wish::Send));
                return;
            }
            screen.set_cursor(size.at(size.rows - 2, 0));
        }
        let mut typed = true;
        for (row, column, text) in &step.at {
            let (row, column) = (row - 1, column - 1);
            typed &= row < size.rows && column < size.cols;
            screen.set_cursor(size.at(row, column));
            typed &= screen.type_text(&self.identity.fill(text).expect("the load was checked"));
        }
        let text = self.identity.fill(step.text.as_deref().unwrap_or_default()).expect("the load was checked");
        typed &= screen.type_text(&text);
        let (row, column) = size.row_col(screen.cursor());
        if !typed {
            return self.fail(scene, format!("nothing can be typed at row {}, column {}", row + 1, column + 1));
        }
        self.look.from = if status.is_some() && step.key.as_deref() != Some("CLEAR") { used(screen) } else { 0 };
        self.look.typed = if status.is_some() { text } else { String::new() };
        self.look.pressed = scene.now;
        scene.wishes.extend(screen.press(step.aid()).map(Wish::Send));
        self.stage = Stage::Looking;
    }

    /// Looks whether the screen is as it should be.
    fn looks(&mut self, scene: &mut Scene<'_>) {
        self.look.first.get_or_insert(scene.now);
        let Some(screen) = self.screen.as_ref().filter(|screen| !screen.is_locked()) else { return };
        let status = status(screen);
        let lines = self.lines();
        if self.missing_of(scene, &lines).is_none() {
            return self.completes(scene);
        }
        if status.is_some_and(|status| CLEARED.contains(&status)) {
            self.look.seen = lines;
            self.look.from = 0;
            let screen = self.screen.as_mut().expect("it is there");
            scene.wishes.extend(screen.press(Aid::Clear).map(Wish::Send));
        } else if status.is_some() && !self.look.ended && lines.iter().any(|line| is_ready(line)) {
            self.look.ended = true;
            self.due = self.due.map(|due| due.min(scene.now + GRACE));
        }
    }

    /// What is new on CP's screen, with its status; else all of the screen.
    fn lines(&self) -> Vec<String> {
        let Some(screen) = &self.screen else { return Vec::new() };
        let size = screen.size();
        let Some(status) = status(screen) else {
            return (0..size.rows).map(|row| screen.row(row)).collect();
        };
        let new = (self.look.from..size.rows - 2).map(|row| screen.row(row)).filter(|row| !row.is_empty());
        let mut lines = self.look.seen.clone();
        let is_echo = |row: &String| !row.is_empty() && self.look.typed.starts_with(row.as_str());
        let begins = lines.is_empty();
        lines.extend(new.enumerate().filter(|(n, row)| !(begins && *n == 0 && is_echo(row))).map(|(_, row)| row));
        lines.push(status.to_owned());
        lines
    }

    /// What is not on the screen and should be.
    fn missing(&self, scene: &Scene<'_>) -> String {
        self.missing_of(scene, &self.lines()).unwrap_or_else(|| "nothing is missing".into())
    }

    fn missing_of(&self, scene: &Scene<'_>, lines: &[String]) -> Option<String> {
        let step = self.current(scene)?;
        let is_there = |text: &str| lines.iter().any(|line| line.contains(text));
        if step.is_plain() {
            return (!is_there(READY)).then(|| format!("{READY:?} is not there"));
        }
        if let Some(text) = step.see.iter().map(|text| self.filled(text)).find(|text| !is_there(text)) {
            return Some(format!("{text:?} is not there"));
        }
        if !step.any.is_empty() && !step.any.iter().any(|text| is_there(&self.filled(text))) {
            return Some(format!("none of {:?} is there", step.any));
        }
        let screen = self.screen.as_ref()?;
        step.rows.iter().find_map(|(row, text)| {
            let is = row.parse::<u16>().map(|row| screen.row(row - 1)).unwrap_or_default();
            let wanted = self.filled(text);
            (is.trim_end() != wanted.trim_end()).then(|| format!("row {row} is {:?} and not {wanted:?}", is.trim_end()))
        })
    }

    fn completes(&mut self, scene: &mut Scene<'_>) {
        let is_quiet = self.current(scene).is_some_and(|step| step.quiet);
        if !is_quiet {
            self.tell(scene, None);
        }
        let times = self.current(scene).and_then(|step| step.times).unwrap_or(1);
        self.round += 1;
        if self.round >= times {
            (self.round, self.step) = (0, self.step + 1);
        }
        self.goes_on(scene);
    }

    /// The next step, or what comes after the last one.
    fn goes_on(&mut self, scene: &mut Scene<'_>) {
        if self.current(scene).is_none() {
            (self.step, self.round) = (0, 0);
            match self.part {
                Part::Logoff => {
                    (self.stage, self.due) = (Stage::Gone, None);
                    scene.wishes.push(Wish::HangUp);
                    return;
                }
                _ => {
                    self.part = Part::Script;
                    self.script = self.chance.script(scene.scripts);
                }
            }
        }
        let step = self.current(scene).expect("each part has steps");
        if self.part != Part::Script || step.quiet {
            return self.begin(scene, 0.0);
        }
        let mut thought = self.chance.think(step.think.as_ref().unwrap_or(&scene.load.think)) / scene.scale;
        if !self.working {
            // The first command comes at any time of the ramp that is left.
            thought = self.chance.within(scene.ramp.saturating_sub(scene.now) as f64 / 1e6);
        }
        self.look.thought = thought;
        (self.stage, self.due) = (Stage::Thinking, Some(scene.now + micros(thought)));
    }

    fn fail(&mut self, scene: &mut Scene<'_>, why: String) {
        self.tell(scene, Some(why));
        match self.part {
            Part::Script if !scene.load.users.recover.is_empty() => {
                (self.part, self.step, self.round) = (Part::Recover, 0, 0);
                self.begin(scene, 0.0);
            }
            Part::Logoff => {
                (self.stage, self.due) = (Stage::Gone, None);
                scene.wishes.push(Wish::HangUp);
            }
            _ => {
                scene.wishes.push(Wish::HangUp);
                self.away(scene);
            }
        }
    }

    /// A line for the log.
    fn tell(&mut self, scene: &mut Scene<'_>, failed: Option<String>) {
        let script = match self.part {
            Part::Script => scene.scripts[self.script].name.clone(),
            part => part.name().to_owned(),
        };
        let seconds = |at: u64| at as f64 / 1e6;
        let screen = match (&failed, &self.screen) {
            (Some(_), Some(screen)) => screen.text().lines().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        scene.commands.push(Command {
            user: self.identity.user.clone(),
            script,
            step: self.step + 1,
            thought: self.look.thought,
            enter: seconds(self.look.pressed),
            first: seconds(self.look.first.unwrap_or(scene.now)),
            last: seconds(scene.now),
            failed,
            screen,
        });
    }
}

/// A line that says that a command of CMS has ended.
fn is_ready(line: &str) -> bool {
    line.starts_with(READY) || line.starts_with("Ready(")
}

/// CP's status, if it is CP's screen: then the last 20 columns are a field of their own.
fn status(screen: &Screen) -> Option<&'static str> {
    let size = screen.size();
    let at = size.at(size.rows - 1, size.cols - 21);
    screen.cell(at).attribute?;
    let row = screen.row(size.rows - 1);
    let text: String = row.chars().skip(usize::from(size.cols) - 20).collect();
    STATUS.into_iter().find(|status| text.starts_with(status))
}

/// How many rows of CP's output area have something in them, and those above.
fn used(screen: &Screen) -> u16 {
    (0..screen.size().rows - 2).rev().find(|row| !screen.row(*row).trim().is_empty()).map_or(0, |row| row + 1)
}
