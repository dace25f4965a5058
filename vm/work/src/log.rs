//! The log of a run: one JSON object a line. First comes what was run, then each command, at last what was used.

use serde::{Deserialize, Serialize};

/// A line of a log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "lowercase")]
pub enum Line {
    /// What is run; the first line.
    Run(Run),
    /// A command that is over.
    Command(Command),
    /// How it ended, and what was used; the last line.
    End(End),
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The load's name.
    pub load: String,
    /// What it is.
    pub about: String,
    /// What a reader of the numbers must know.
    pub notes: Vec<String>,
    /// How its users reach the system.
    pub way: String,
    /// How many users.
    pub users: usize,
    /// The seed of chance.
    pub seed: u64,
    /// Phases and think times are those of the load, divided by this.
    pub scale: f64,
    /// Ramp, settle and measure, in seconds, as they were run.
    pub phases: [f64; 3],
    /// The weights of all scripts.
    pub weight: f64,
    /// Scripts that were left out.
    pub left_out: Vec<LeftOut>,
}

/// A script that was left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name.
    pub script: String,
    /// Its weight.
    pub weight: f64,
    /// Why.
    pub why: String,
}

/// A command. Times are seconds since the run began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Command {
    /// The user.
    pub user: String,
    /// The script; `(logon)`, `(recover)` and `(logoff)` are what users do beside scripts.
    pub script: String,
    /// The step of the script, from 1 on.
    pub step: usize,
    /// How many seconds the user had thought before.
    pub thought: f64,
    /// When the key was pressed.
    pub enter: f64,
    /// When the first answer came.
    pub first: f64,
    /// When the screen was as it should be and the keyboard unlocked, or the command failed.
    pub last: f64,
    /// Why it failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed: Option<String>,
    /// What was on the screen when it failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub screen: Vec<String>,
}

impl Command {
    /// Whether it is a command of a script.
    pub fn is_of_script(&self) -> bool {
        !self.script.starts_with('(')
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// When measuring began and ended, in seconds since the run began; the same if it did not come to that.
    pub measured: [f64; 2],
    /// How many users worked when measuring began, and when it ended.
    pub working: [usize; 2],
    /// What was used while it was measured.
    pub used: Used,
    /// Why it ended early, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub early: Option<Early>,
}

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "why", content = "how", rename_all = "lowercase")]
pub enum Early {
    /// It was told to.
    Stopped,
    /// The system is gone.
    Died(String),
}

/// What was used so far, or in an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Used {
    /// How many processors the system has, if known.
    pub processors: Option<usize>,
    /// Seconds of processor time of the system, if known.
    pub system: Option<f64>,
    /// Seconds of processor time of what drives the users.
    pub driver: f64,
    /// Resident memory of the system's process at the end, in bytes, if known.
    pub resident: Option<u64>,
}

impl Used {
    /// What was used since then.
    pub fn since(self, earlier: Used) -> Used {
        let system = self.system.zip(earlier.system).map(|(now, then)| now - then);
        Used { system, driver: self.driver - earlier.driver, ..self }
    }
}
