//! A load as a text (TOML): its users, their scripts, how long they think, how long it takes.
//!
//! Texts that are typed or looked for may have `{user}`, the user ID, and `{user8}`, the same with blanks to 8
//! characters. They may have it as `{lower}`, in small letters, and `{password}`. `{{` is a brace.

use serde::Deserialize;
use std::collections::BTreeMap;
use tn3270::Aid;
use toml::Spanned;

/// What is wrong with a load: where, what, and what to do.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {what}")]
pub struct LoadError {
    /// The file.
    pub file: String,
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong there, and the remedy.
    pub what: String,
}

/// A load.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Its name, which is in every output.
    pub name: String,
    /// What it is, in a line.
    pub about: String,
    /// What a reader of numbers must know; printed with each result.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The users.
    pub users: Users,
    /// How long a user thinks before each command.
    pub think: Think,
    /// How long it takes.
    pub phases: Phases,
    /// Files for the disk that all users share.
    #[serde(default, rename = "file")]
    pub files: Vec<Spanned<Source>>,
    /// What users do.
    #[serde(rename = "script")]
    pub scripts: Vec<Spanned<Script>>,
}

/// The users, and what each does before and after.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Users {
    /// The user IDs: `#` stands for the digits of the number, from 1 on.
    pub name: Spanned<String>,
    /// The password of each.
    pub password: String,
    /// Statements of the directory for each user after USER, for a system that is made for the load.
    #[serde(default)]
    pub directory: Vec<String>,
    /// What the user with the shared disk types when the load's files are there, for a system that is made for it.
    #[serde(default)]
    pub library: Vec<String>,
    /// What is done once, from the logo on.
    pub logon: Vec<Spanned<Step>>,
    /// What is done after a command that failed, so that the next script begins as usual.
    pub recover: Vec<Spanned<Step>>,
    /// What is done at the end.
    #[serde(default)]
    pub logoff: Vec<Spanned<Step>>,
}

/// A file of the disk that all users share.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// Its name and type.
    pub name: String,
    /// Its lines, which become cards of 80 columns.
    pub lines: String,
    /// The lines are repeated so often.
    #[serde(default)]
    pub repeat: Option<u32>,
}

/// A distribution of think times, in seconds.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Think {
    /// Always the same.
    Fixed {
        /// Seconds.
        seconds: f64,
    },
    /// Exponential: what a user does does not depend on how long it has thought.
    Exponential {
        /// Mean, in seconds.
        mean: f64,
    },
    /// Two humps and more, each log-normal: people at work, and people that are logged on and away.
    Bactrian {
        /// The humps; a nominal mean of 30 seconds without them.
        #[serde(default = "usual_humps")]
        humps: Vec<Hump>,
    },
}

/// A hump of [`Think::Bactrian`].
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hump {
    /// How many think times of all are of this hump, relative to the others.
    pub part: f64,
    /// Mean, in seconds.
    pub mean: f64,
    /// The standard deviation of the logarithm.
    pub sigma: f64,
}

fn usual_humps() -> Vec<Hump> {
    vec![Hump { part: 94.0, mean: 14.0, sigma: 0.7 }, Hump { part: 6.0, mean: 285.0, sigma: 0.8 }]
}

/// How long each phase takes, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Users log on and begin.
    pub ramp: f64,
    /// All work, and nothing is measured.
    pub settle: f64,
    /// All work, and it is measured.
    pub measure: f64,
    /// How many users log on in a second at most.
    #[serde(default = "usual_logons")]
    pub logons: f64,
}

fn usual_logons() -> f64 {
    50.0
}

/// A script: commands in their order.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Its name.
    pub name: String,
    /// How often it is chosen, relative to the others.
    pub weight: f64,
    /// Why it cannot be run here: it is left out then, and every output says so.
    #[serde(default)]
    pub cannot: Option<String>,
    /// The commands.
    #[serde(default)]
    pub steps: Vec<Spanned<Step>>,
}

/// One command: what is typed, the key, and what is to be seen then.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Typed where the cursor is; on CP's screen into its input area.
    #[serde(default, rename = "type")]
    pub text: Option<String>,
    /// Typed before that at places: row and column, from 1 on, and the text.
    #[serde(default)]
    pub at: Vec<(u16, u16, String)>,
    /// The key, ENTER if none is named.
    #[serde(default)]
    pub key: Option<String>,
    /// All that is to be on the screen then. Of a line that is typed on CP's screen, in what is shown for it. `Ready;`
    /// if nothing is said here, in `any` and in `rows`.
    #[serde(default)]
    pub see: Vec<String>,
    /// One of these is to be on the screen.
    #[serde(default)]
    pub any: Vec<String>,
    /// What rows, by their numbers from 1 on, are to be, but for blanks at their ends.
    #[serde(default)]
    pub rows: BTreeMap<String, String>,
    /// It is a part of the command before: no think time, and no line of its own in the log.
    #[serde(default)]
    pub quiet: bool,
    /// It is done so often, and counts as often.
    #[serde(default)]
    pub times: Option<u32>,
    /// How long a user thinks before, if not as usual.
    #[serde(default)]
    pub think: Option<Think>,
    /// How many seconds the screen may take.
    #[serde(default)]
    pub patience: Option<f64>,
}

/// What CMS shows when a command has done what it should: what is seen if a step says nothing else.
pub const READY: &str = "Ready;";

/// How many seconds a screen may take if the step does not say.
pub const PATIENCE: f64 = 60.0;

/// A key by its name: ENTER, CLEAR, PA1 to PA3, PF1 to PF24.
pub fn key(name: &str) -> Option<Aid> {
    let number = |prefix: &str| name.strip_prefix(prefix)?.parse::<u8>().ok();
    match name {
        "ENTER" => Some(Aid::Enter),
        "CLEAR" => Some(Aid::Clear),
        _ => match (number("PA"), number("PF")) {
            (Some(n @ 1..=3), _) => Some(Aid::Pa(n)),
            (_, Some(n @ 1..=24)) => Some(Aid::Pf(n)),
            _ => None,
        },
    }
}

/// A user's name and password, for the texts of steps.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The user ID.
    pub user: String,
    /// The password.
    pub password: String,
}

impl Identity {
    /// The text with what stands in braces replaced; the error is what is in braces that has no meaning.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        if !text.contains('{') {
            return Ok(text.to_owned());
        }
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            filled += before;
            if let Some(after) = after.strip_prefix('{') {
                filled.push('{');
                rest = after;
                continue;
            }
            let (word, after) = after.split_once('}').ok_or_else(|| format!("{{{after}"))?;
            match word {
                "user" => filled += &self.user,
                "user8" => filled += &format!("{:8}", self.user),
                "lower" => filled += &self.user.to_lowercase(),
                "password" => filled += &self.password,
                _ => return Err(format!("{{{word}}}")),
            }
            rest = after;
        }
        Ok(filled + rest)
    }
}

impl Load {
    /// The load of a text; `file` is its name in errors.
    pub fn parse(file: &str, text: &str) -> Result<Load, LoadError> {
        let line = |at: usize| 1 + text.as_bytes()[..at.min(text.len())].iter().filter(|byte| **byte == b'\n').count();
        let error = |at, what| LoadError { file: file.to_owned(), line: line(at), what };
        let load: Load = toml::from_str(text).map_err(|found| {
            let what = found.message().trim_end_matches('\n').replace('\n', "; ");
            error(found.span().map_or(0, |span| span.start), format!("{what}: docs/measuring.md has what a load says"))
        })?;
        load.check().map_err(|(at, what)| error(at, what))?;
        Ok(load)
    }

    /// The first mistake, and where in the text.
    fn check(&self) -> Result<(), (usize, String)> {
        let identity = self.identity(1).map_err(|what| (self.users.name.span().start, what))?;
        let phases = [self.phases.ramp, self.phases.settle, self.phases.measure];
        if !phases.iter().all(|seconds| (0.0..1e7).contains(seconds)) || self.phases.measure < 1.0 {
            return Err((0, "phases are seconds: ramp and settle from 0 on, measure from 1 on".into()));
        }
        if self.phases.logons.is_nan() || self.phases.logons <= 0.0 {
            return Err((0, "logons is how many users log on in a second: more than 0".into()));
        }
        self.think.check().map_err(|what| (0, what))?;
        for script in &self.scripts {
            let (at, script) = (script.span().start, script.get_ref());
            if !(script.weight > 0.0 && script.weight < 1e6) {
                return Err((at, format!("{}: a weight is more than 0", script.name)));
            }
            match (&script.cannot, script.steps.is_empty()) {
                (None, true) => {
                    return Err((at, format!("{} has no steps: add some, or say why with \"cannot\"", script.name)));
                }
                (Some(_), false) => {
                    return Err((at, format!("{} has steps and \"cannot\": take one of them away", script.name)));
                }
                _ => {}
            }
            if self.scripts.iter().filter(|other| other.get_ref().name == script.name).count() > 1 {
                return Err((at, format!("there are two scripts {}: give one another name", script.name)));
            }
        }
        if self.runnable().next().is_none() {
            return Err((0, "there is no script that can be run: add one".into()));
        }
        for file in &self.files {
            file.get_ref().check().map_err(|what| (file.span().start, what))?;
        }
        let all = [&self.users.logon, &self.users.recover, &self.users.logoff].into_iter();
        for step in all.chain(self.scripts.iter().map(|script| &script.get_ref().steps)).flatten() {
            step.get_ref().check(&identity).map_err(|what| (step.span().start, what))?;
        }
        Ok(())
    }

    /// Scripts that can be run.
    pub fn runnable(&self) -> impl Iterator<Item = &Script> {
        self.scripts.iter().map(Spanned::get_ref).filter(|script| script.cannot.is_none())
    }

    /// The name and the password of a user, counted from 1; the error says what a pattern of names is.
    pub fn identity(&self, number: usize) -> Result<Identity, String> {
        let pattern = self.users.name.get_ref();
        let hashes = pattern.matches('#').count();
        let is_name = pattern.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "#@$_-".contains(c));
        if !is_name || hashes == 0 || pattern.len() > 8 || !pattern.contains(&"#".repeat(hashes)) {
            return Err(format!("{pattern:?} is no pattern of user IDs: USER#### gives USER0001, USER0002 and so on"));
        }
        let digits = format!("{number:0hashes$}");
        if digits.len() > hashes {
            return Err(format!(
                "{pattern} has room for {hashes} digits, and not for user {number}: fewer users, or more #"
            ));
        }
        let user = pattern.replace(&"#".repeat(hashes), &digits);
        let named = Identity { user: user.clone(), password: String::new() };
        let password = named.fill(&self.users.password).map_err(|what| format!("the password has {what}"))?;
        Ok(Identity { user, password })
    }
}

impl Source {
    /// Name and type.
    pub fn id(&self) -> Option<(&str, &str)> {
        let (name, kind) = self.name.split_once(' ')?;
        let good = |word: &str| {
            (1..=8).contains(&word.len()) && word.chars().all(|c| c.is_ascii_alphanumeric() || "$#@+-_:".contains(c))
        };
        (good(name) && good(kind)).then_some((name, kind))
    }

    /// Its lines, repeated.
    pub fn cards(&self) -> Vec<&str> {
        let lines: Vec<&str> = self.lines.lines().collect();
        lines.repeat(self.repeat.unwrap_or(1) as usize)
    }

    fn check(&self) -> Result<(), String> {
        if self.id().is_none() {
            return Err(format!("{:?} is no name of a file: a name and a type of 1 to 8 characters", self.name));
        }
        if self.lines.is_empty() || !(1..=10_000).contains(&self.repeat.unwrap_or(1)) {
            return Err(format!("{}: a file has lines, and \"repeat\" is 1 to 10000", self.name));
        }
        match self.lines.lines().find(|line| line.len() > 80 || !line.is_ascii()) {
            Some(line) => Err(format!("{}: {line:?} does not fit on a card: 80 characters of ASCII do", self.name)),
            None => Ok(()),
        }
    }
}

impl Step {
    /// The key that ends it.
    pub fn aid(&self) -> Aid {
        self.key.as_deref().and_then(key).unwrap_or(Aid::Enter)
    }

    /// Whether what is seen is `Ready;` because the step says nothing.
    pub fn is_plain(&self) -> bool {
        self.see.is_empty() && self.any.is_empty() && self.rows.is_empty()
    }

    fn check(&self, identity: &Identity) -> Result<(), String> {
        if let Some(name) = self.key.as_ref().filter(|name| key(name).is_none()) {
            return Err(format!("there is no key {name}: ENTER, CLEAR, PA1 to PA3 and PF1 to PF24 are"));
        }
        if self.text.is_none() && self.at.is_empty() && self.key.is_none() {
            return Err("a step types something or has a key: add \"type\", \"at\" or \"key\"".into());
        }
        let places = self.at.iter().map(|(row, column, _)| (*row, *column));
        if places.clone().any(|(row, column)| !(1..=43).contains(&row) || !(1..=132).contains(&column)) {
            return Err("\"at\" is row, column and text, both from 1 on: [[14, 7, \"text\"]]".into());
        }
        if let Some(row) = self.rows.keys().find(|row| !row.parse().is_ok_and(|row: u16| (1..=43).contains(&row))) {
            return Err(format!("{row} is no row of a screen: they are numbered from 1 on"));
        }
        if self.times.is_some_and(|times| !(1..=1000).contains(&times)) {
            return Err("\"times\" is 1 to 1000".into());
        }
        if self.patience.is_some_and(|seconds| !(seconds > 0.0 && seconds < 1e6)) {
            return Err("\"patience\" is seconds, more than 0".into());
        }
        self.think.as_ref().map_or(Ok(()), Think::check)?;
        for text in self.texts() {
            identity.fill(text).map_err(|what| {
                format!(
                    "{what} has no meaning: {{user}}, {{user8}}, {{lower}} and {{password}} have, and {{{{ is a brace"
                )
            })?;
        }
        Ok(())
    }

    fn texts(&self) -> impl Iterator<Item = &String> {
        let typed = self.text.iter().chain(self.at.iter().map(|(_, _, text)| text));
        typed.chain(&self.see).chain(&self.any).chain(self.rows.values())
    }
}

impl Think {
    fn check(&self) -> Result<(), String> {
        let good = |seconds: f64| (0.0..1e6).contains(&seconds);
        let is_good = match self {
            Think::Fixed { seconds } => good(*seconds),
            Think::Exponential { mean } => good(*mean),
            Think::Bactrian { humps } => {
                let is_hump = |hump: &Hump| {
                    hump.part > 0.0 && hump.mean > 0.0 && good(hump.mean) && (0.0..5.0).contains(&hump.sigma)
                };
                !humps.is_empty() && humps.iter().all(is_hump)
            }
        };
        match is_good {
            true => Ok(()),
            false => Err("think times are seconds from 0 on; a hump has a part, a mean and a sigma below 5".into()),
        }
    }
}
