//! What comes of a log: response times, throughput, failures, and whether the run is valid.

use crate::log::{Command, Early, End, LeftOut, Line, Run};
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;

/// At most this part of all commands may have failed.
pub const FAILED: f64 = 0.001;

/// Users times this much may be missing from throughput times think and response time: what scripts themselves wait.
const CLOSED: f64 = 0.15;

/// Times of a kind, in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Times {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// Nine of ten are not longer.
    pub p90: f64,
    /// 95 of 100.
    pub p95: f64,
    /// 99 of 100.
    pub p99: f64,
    /// The longest.
    pub most: f64,
}

impl Times {
    /// Of these.
    pub fn of(mut all: Vec<f64>) -> Times {
        if all.is_empty() {
            return Times::default();
        }
        all.sort_by(f64::total_cmp);
        let at = |part: f64| all[((all.len() as f64 * part).ceil() as usize).clamp(1, all.len()) - 1];
        Times {
            mean: all.iter().sum::<f64>() / all.len() as f64,
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            most: all[all.len() - 1],
        }
    }
}

/// What came of one script.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OfScript {
    /// Its name.
    pub script: String,
    /// Its commands that were over while it was measured.
    pub commands: usize,
    /// Of these, those that failed.
    pub failed: usize,
    /// From the key to the last answer, of those that did not fail.
    pub last: Times,
}

/// What came of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// What was run.
    pub run: Run,
    /// How it ended.
    pub end: Option<End>,
    /// How many seconds were measured.
    pub seconds: f64,
    /// Commands of scripts that were over while it was measured.
    pub commands: usize,
    /// Of these and of what users do beside scripts, those that failed while it was measured.
    pub failed: usize,
    /// Commands a second: external throughput.
    pub etr: f64,
    /// From the key to the first answer.
    pub first: Times,
    /// From the key to the last answer, with the keyboard unlocked: the response time.
    pub last: Times,
    /// Think times.
    pub think: Times,
    /// Milliseconds of processor time of the system for a command, if known.
    pub pbt: Option<f64>,
    /// How busy the system's processors were, in percent, if known.
    pub busy: Option<f64>,
    /// Internal throughput: commands a second if all processors of the system were busy, if known.
    pub itr: Option<f64>,
    /// Each script.
    pub scripts: Vec<OfScript>,
    /// The first failures, a line each.
    pub failures: Vec<String>,
    /// Why the run is not valid; nothing if it is.
    pub invalid: Vec<String>,
    /// What else is to be known.
    pub remarks: Vec<String>,
}

/// How many failures are told.
const TOLD: usize = 5;

impl Figures {
    /// Whether the run is valid.
    pub fn is_valid(&self) -> bool {
        self.invalid.is_empty()
    }
}

/// A log that is being read, line by line.
#[derive(Default)]
pub struct Reduction {
    run: Option<Run>,
    commands: Vec<Command>,
    end: Option<End>,
}

impl Reduction {
    /// Takes a line.
    pub fn take(&mut self, line: &Line) {
        match line {
            Line::Run(run) => self.run = Some(run.clone()),
            // The screen is for people that look into the log.
            Line::Command(command) => self.commands.push(Command { screen: Vec::new(), ..command.clone() }),
            Line::End(end) => self.end = Some(end.clone()),
        }
    }

    /// The log of a text; the error has the line.
    pub fn parse(file: &str, text: &str) -> Result<Reduction, String> {
        let mut reduction = Reduction::default();
        for (n, line) in text.lines().enumerate() {
            match serde_json::from_str(line) {
                Ok(line) => reduction.take(&line),
                // A program that was killed leaves half a line.
                Err(_) if n + 1 == text.lines().count() && !text.ends_with('\n') => {}
                Err(error) => {
                    return Err(format!("{file}:{}: {error}: a log is what \"endicott work run --log\" wrote", n + 1));
                }
            }
        }
        Ok(reduction)
    }

    /// What comes of it; the error is that nothing was run.
    pub fn figures(self) -> Result<Figures, String> {
        let run = self.run.ok_or("the log does not begin with what was run: it is no log of a load")?;
        // Of a run without an end all is measured after its ramp and its settling.
        let from = run.phases[0] + run.phases[1];
        let latest = self.commands.iter().map(|command| command.last).fold(from, f64::max);
        let [from, to] = self.end.as_ref().map_or([from, latest], |end| end.measured);
        let measured: Vec<&Command> =
            self.commands.iter().filter(|command| (from..to).contains(&command.last)).collect();
        let of_scripts: Vec<&Command> = measured.iter().copied().filter(|command| command.is_of_script()).collect();
        let good = of_scripts.iter().filter(|command| command.failed.is_none());
        let times = |time: fn(&Command) -> f64| Times::of(good.clone().map(|command| time(command)).collect());
        let seconds = to - from;
        let commands = of_scripts.len();
        let etr = if seconds > 0.0 { commands as f64 / seconds } else { 0.0 };
        let system = self.end.as_ref().and_then(|end| end.used.system).filter(|_| commands > 0);
        let processors = self.end.as_ref().and_then(|end| end.used.processors);
        let busy = system.zip(processors).map(|(used, processors)| 100.0 * used / (seconds * processors as f64));
        let mut figures = Figures {
            seconds,
            commands,
            failed: measured.iter().filter(|command| command.failed.is_some()).count(),
            etr,
            first: times(|command| command.first - command.enter),
            last: times(|command| command.last - command.enter),
            think: times(|command| command.thought),
            pbt: system.map(|used| 1000.0 * used / commands as f64),
            busy,
            itr: busy.map(|busy| etr * 100.0 / busy),
            scripts: scripts(&of_scripts),
            failures: failures(&self.commands),
            invalid: Vec::new(),
            remarks: Vec::new(),
            run,
            end: self.end,
        };
        figures.judge(self.commands.iter().any(|command| command.failed.is_some() && !command.is_of_script()));
        Ok(figures)
    }
}

fn scripts(commands: &[&Command]) -> Vec<OfScript> {
    let mut all: BTreeMap<&str, Vec<&Command>> = BTreeMap::new();
    commands.iter().for_each(|command| all.entry(&command.script).or_default().push(command));
    let of = |(script, commands): (&str, Vec<&Command>)| OfScript {
        script: script.to_owned(),
        commands: commands.len(),
        failed: commands.iter().filter(|command| command.failed.is_some()).count(),
        last: Times::of(commands.iter().filter(|one| one.failed.is_none()).map(|one| one.last - one.enter).collect()),
    };
    all.into_iter().map(of).collect()
}

fn failures(commands: &[Command]) -> Vec<String> {
    let told = |command: &Command| {
        let Command { user, script, step, last, failed, .. } = command;
        Some(format!("{last:.1} s: {user} {script} step {step}: {}", failed.as_ref()?))
    };
    commands.iter().filter_map(told).take(TOLD).collect()
}

impl Figures {
    fn judge(&mut self, others: bool) {
        let mut invalid = Vec::new();
        match &self.end {
            None => invalid.push("the log has no end: what drove the users was ended itself".to_owned()),
            Some(End { early: Some(Early::Died(how)), .. }) => invalid.push(format!("the system is gone: {how}")),
            Some(End { early: Some(Early::Stopped), .. }) => invalid.push("it was stopped before its end".to_owned()),
            Some(End { working, .. }) if working[0] < self.run.users => {
                let [first, _] = working;
                invalid
                    .push(format!("{first} of {} users had begun when measuring did: a longer ramp", self.run.users));
            }
            Some(_) => {}
        }
        if self.commands == 0 {
            invalid.push("no command was over while it was measured".to_owned());
        } else if self.failed as f64 > self.commands as f64 * FAILED {
            invalid.push(format!(
                "{} of {} commands failed, and at most one in a thousand may",
                self.failed, self.commands
            ));
        }
        let expected = self.etr * (self.think.mean + self.last.mean);
        let users = self.run.users as f64;
        if invalid.is_empty() && (expected - users).abs() > users * CLOSED {
            self.remarks.push(format!(
                "Throughput times think and response time is {expected:.0}, and there were {users:.0} users: long \
                 thinks do not end while it is measured."
            ));
        }
        if others && self.failed == 0 {
            self.remarks.push("Something failed before it was measured, or at the end.".to_owned());
        }
        self.invalid = invalid;
    }

    /// As a text for people.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut add = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string has room");
        let Run { load, about, notes, way, users, seed, scale, phases, weight, left_out } = &self.run;
        add(format_args!("{load}: {about}"));
        add(format_args!("{users} users, {way}"));
        let [ramp, settle, measure] = phases;
        let scaled = if *scale == 1.0 { String::new() } else { format!(", all times divided by {scale}") };
        add(format_args!("ramp {ramp:.0} s, settle {settle:.0} s, measure {measure:.0} s{scaled}; seed {seed}"));
        notes.iter().for_each(|note| add(format_args!("  {note}")));
        for LeftOut { script, weight: part, why } in left_out {
            add(format_args!("  not run: {script} ({:.0} % of the load): {why}", 100.0 * part / weight));
        }
        add(format_args!(""));
        add(format_args!("measured          {:10.1} s", self.seconds));
        add(format_args!("commands          {:10}   failed {}", self.commands, self.failed));
        add(format_args!("ETR               {:10.2} commands a second", self.etr));
        let row = |name: &str, times: &Times| {
            let Times { mean, p50, p90, p95, p99, most } = times;
            format!("{name:18}{mean:10.3} {p50:9.3} {p90:9.3} {p95:9.3} {p99:9.3} {most:9.3}")
        };
        let used = self.end.as_ref().map(|end| end.used);
        match (self.pbt, self.busy, self.itr) {
            (Some(pbt), Some(busy), Some(itr)) => {
                let processors = used.and_then(|used| used.processors).unwrap_or(1);
                add(format_args!(
                    "ITR               {itr:10.2} commands a second, if {processors} processors were busy"
                ));
                add(format_args!("PBT/CMD           {pbt:10.3} ms of processor time of the system"));
                add(format_args!("busy              {busy:10.1} % of {processors} processors"));
            }
            _ => add(format_args!("ITR                    not known: --process says which process is the system")),
        }
        if let Some(used) = used.filter(|_| self.commands > 0) {
            let each = 1000.0 * used.driver / self.commands as f64;
            add(format_args!("driver            {each:10.3} ms of processor time for a command"));
            if let Some(resident) = used.resident {
                add(format_args!("resident          {:10.1} MiB", resident as f64 / f64::from(1 << 20)));
            }
        }
        add(format_args!(""));
        add(format_args!("seconds                 mean       50%       90%       95%       99%      most"));
        add(format_args!("{}", row("first answer", &self.first)));
        add(format_args!("{}", row("last answer", &self.last)));
        add(format_args!("{}", row("think", &self.think)));
        text + &self.tail()
    }

    /// Scripts, failures and the verdict.
    fn tail(&self) -> String {
        let mut text = String::from("\n");
        let mut add = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string has room");
        add(format_args!("script       commands  failed      mean       95%      most"));
        for OfScript { script, commands, failed, last } in &self.scripts {
            let Times { mean, p95, most, .. } = last;
            add(format_args!("{script:12} {commands:8} {failed:7} {mean:9.3} {p95:9.3} {most:9.3}"));
        }
        add(format_args!(""));
        self.failures.iter().for_each(|failure| add(format_args!("failed: {failure}")));
        self.remarks.iter().for_each(|remark| add(format_args!("{remark}")));
        match self.invalid.as_slice() {
            [] => add(format_args!("The run is valid.")),
            why => add(format_args!("The run is not valid: {}.", why.join("; "))),
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Used;

    fn run(users: usize) -> Line {
        Line::Run(Run {
            load: "L".into(),
            about: "A".into(),
            notes: vec!["N".into()],
            way: "W".into(),
            users,
            seed: 1,
            scale: 1.0,
            phases: [1.0, 1.0, 10.0],
            weight: 100.0,
            left_out: vec![LeftOut { script: "X".into(), weight: 5.0, why: "no compiler".into() }],
        })
    }

    fn command(script: &str, enter: f64, took: f64, failed: bool) -> Line {
        Line::Command(Command {
            user: "U1".into(),
            script: script.into(),
            step: 1,
            thought: 1.0 - took,
            enter,
            first: enter + took / 2.0,
            last: enter + took,
            failed: failed.then(|| "\"Ready;\" is not there".into()),
            screen: Vec::new(),
        })
    }

    fn end(early: Option<Early>) -> Line {
        let used = Used { processors: Some(2), system: Some(5.0), driver: 0.1, resident: None };
        Line::End(End { measured: [2.0, 12.0], working: [10, 10], used, early })
    }

    fn figures(lines: &[Line]) -> Figures {
        let text: String = lines.iter().map(|line| serde_json::to_string(line).expect("JSON") + "\n").collect();
        Reduction::parse("log", &text).expect("a log").figures().expect("it was run")
    }

    #[test]
    fn throughput_and_percentiles_follow_from_the_lines() {
        let mut lines = vec![run(10), command("A", 0.5, 0.1, false)];
        lines.extend((0..100).map(|n| command("A", 2.0 + n as f64 * 0.09, 0.01 * (1 + n % 10) as f64, false)));
        lines.push(end(None));
        let figures = figures(&lines);
        assert!(figures.is_valid(), "{:?}", figures.invalid);
        assert_eq!((figures.commands, figures.failed, figures.etr), (100, 0, 10.0));
        let near = |is: f64, wanted: f64| assert!((is - wanted).abs() < 1e-9, "{is} is not {wanted}");
        near(figures.last.mean, 0.055);
        near(figures.last.p90, 0.09);
        near(figures.last.most, 0.1);
        near(figures.first.mean, 0.0275);
        near(figures.pbt.expect("known"), 50.0);
        near(figures.busy.expect("known"), 25.0);
        near(figures.itr.expect("known"), 40.0);
        let text = figures.text();
        assert!(
            text.contains("not run: X (5 % of the load): no compiler") && text.contains("The run is valid."),
            "{text}"
        );
        assert!(text.contains("  N\n"), "{text}");
    }

    #[test]
    fn a_run_that_is_not_clean_is_not_valid() {
        let good = |n: usize| command("A", 2.0 + n as f64 * 0.001, 0.1, false);
        let with = |failed: usize, commands: usize, early: Option<Early>| {
            let mut lines = vec![run(10)];
            lines.extend((0..commands - failed).map(good));
            lines.extend((0..failed).map(|_| command("A", 3.0, 0.1, true)));
            lines.push(end(early));
            figures(&lines)
        };
        assert!(with(1, 1000, None).is_valid());
        assert!(with(2, 1000, None).invalid[0].starts_with("2 of 1000 commands failed"));
        assert!(with(0, 10, Some(Early::Died("refused".into()))).invalid[0].contains("the system is gone: refused"));
        assert!(with(0, 10, Some(Early::Stopped)).invalid[0].contains("stopped"));
        // What drove it was killed: half a line is left.
        let half = serde_json::to_string(&run(1)).expect("JSON") + "\n{\"line\":\"comm";
        let figures = Reduction::parse("log", &half).expect("a log").figures().expect("it was run");
        assert!(figures.text().contains("the log has no end"), "{}", figures.text());
    }

    #[test]
    fn what_is_no_log_is_told_with_its_line() {
        let Err(told) = Reduction::parse("x.log", "{\"line\":\"what\"}\n") else { panic!("it is no log") };
        assert!(told.starts_with("x.log:1: "), "{told}");
        assert!(Reduction::default().figures().is_err());
    }
}
