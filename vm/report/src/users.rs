//! Users at 3270 terminals by the load FS7E-C, in this process, at a clock of the system's own: it passes over what
//! nothing happens in, so that a run takes the processor time of what is done. Times are looks at that clock.

use crate::bench::{Counts, Site, System};
use crate::run::{RATIO, Run, Scale};
use std::sync::Arc;
use work::drive::{self, Plan, Progress};
use work::figures::{Figures, Reduction};
use work::inside::{Inside, MORNING, Steps};
use work::load::Load;
use work::loads;

/// The load.
const LOAD: &str = "fs7e-c";

/// Seconds of a load: ramp, settle and measure.
type Phases = [f64; 3];

/// The load as it comes with the program, with these phases.
fn load(phases: Phases) -> Result<Load, String> {
    let load = loads::load(LOAD).ok_or_else(|| format!("there is no load {LOAD}"))?;
    let mut load = load.map_err(|error| error.to_string())?;
    [load.phases.ramp, load.phases.settle, load.phases.measure] = phases;
    Ok(load)
}

/// So many users work by the load; what came of it, and what CP counted while it was measured.
fn work(site: &Site, most: usize, users: usize, load: &Load, scale: f64) -> Result<(Figures, Counts), String> {
    let folder = site.folder.with_file_name(format!("system-{LOAD}-{most}"));
    if !folder.exists() {
        (site.hands.load)(LOAD, &folder, most, site.cms.as_deref())?;
    }
    let clock = Arc::new(Steps::since(MORNING));
    let System { cp, notes } = (site.hands.bring_up)(&folder, Some(clock.clone()))?;
    cp.start(None);
    let mut reduction = Reduction::default();
    let mut seen: Option<[Counts; 2]> = None;
    let done = Inside::new(cp.clone(), notes, Some(clock), users).and_then(|mut terminals| {
        let mut take = |line: &_| {
            reduction.take(line);
            Ok(())
        };
        let mut goes_on = |progress: &Progress| {
            if progress.phase == "measure" {
                let now = Counts::of(&cp);
                seen.get_or_insert([now; 2])[1] = now;
            }
            (site.hands.goes_on)()
        };
        let plan = Plan { users, first: 1, seed: 1, scale };
        drive::run(load, &plan, &mut terminals, &mut take, &mut goes_on)
    });
    cp.shut_down();
    done?;
    let [before, after] = seen.ok_or("the run came to no measuring")?;
    Ok((reduction.figures()?, after.since(before)))
}

/// Adds what users did: commands, and those that failed. What else makes a run of a load invalid does so here.
fn take(run: &mut Run, figures: &Figures) {
    run.commands += figures.commands as u64;
    run.failed.extend(figures.failures.iter().take(figures.failed).cloned());
    run.failed.extend((figures.failures.len()..figures.failed).map(|_| "a command of the load".to_owned()));
    if !figures.is_valid() {
        // One is enough where there are few commands.
        let why = figures.invalid.join("; ");
        run.failed.extend((0..=figures.commands / 1000).map(|_| why.clone()));
    }
}

/// One run of rows of Table 4 that are counts for a command, or times set against each other.
pub fn base(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let users = scale.users;
    let (figures, counts) = work(site, users, users, &load([600.0, 300.0, 600.0])?, 10.0)?;
    take(&mut run, &figures);
    let each = |count: f64| count / figures.commands as f64;
    run.row("DIAG/CMD", "", Some(23.603), each(counts.diagnoses));
    run.row("VIO/CMD", "", Some(8.501), each(counts.started));
    run.row("SIE/CMD", "", Some(54.688), each(counts.sie));
    run.row("SIE INTCPT/CMD", "", Some(35.547), each(counts.intercepted));
    run.row("AVG THINK (T), times the scale", "s", Some(25.19), figures.think.mean * 10.0);
    run.row("AVG LAST (T) over AVG FIRST (T)", RATIO, Some(0.527 / 0.397), figures.last.mean / figures.first.mean);
    let closed = figures.etr * (figures.think.mean + figures.last.mean) / users as f64;
    run.row("closed: ETR (T) x (THINK + LAST) over USERS", RATIO, Some(205.97 * (25.19 + 0.527) / 5860.0), closed);
    if let Some(pbt) = figures.pbt {
        run.row("PBT/CMD", "ms", None, pbt);
        run.row("ITR", "commands/s", None, 1000.0 / pbt);
    }
    run.row("ETR", "commands/s", None, figures.etr);
    Ok(run)
}

/// The curve of [`response`].
pub const RESPONSE_BY_USERS: &str = "response by users";

/// Parts of all users, and the response times (seconds) that the R/390 had for 190, 200 and 220 users.
const STEPS: [(f64, Option<f64>); 6] = [
    (0.25, None),
    (0.5, None),
    (0.75, None),
    (190.0 / 220.0, Some(0.51)),
    (200.0 / 220.0, Some(0.69)),
    (1.0, Some(1.56)),
];

/// All times are divided by this, so that the last step is more than the processor can do.
const PRESSED: f64 = 150.0;

/// One run: response time by users in steps.
pub fn response(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let load = load([1500.0, 600.0, 1500.0])?;
    let mut all = Vec::new();
    for (part, _) in STEPS {
        let users = ((scale.users as f64 * part).round() as usize).max(1);
        let (figures, _) = work(site, scale.users, users, &load, PRESSED)?;
        take(&mut run, &figures);
        let last = figures.last.mean;
        run.point((RESPONSE_BY_USERS, users as f64), format!("AVG LAST, {users} users"), "s", None, last);
        run.row(format!("commands a second, {users} users"), "1/s", None, figures.etr);
        all.push(last);
    }
    let base = STEPS.iter().position(|step| step.1.is_some()).unwrap_or(0);
    for n in base + 1..STEPS.len() {
        let of = |n: usize| STEPS[n].1.map(|seed| (seed, (STEPS[n].0 * 220.0).round()));
        if let (Some((seed, users)), Some((first, least))) = (of(n), of(base)) {
            let name = format!("AVG LAST, {users} of 220 parts of the users over {least}");
            run.row(name, RATIO, Some(seed / first), all[n] / all[base]);
        }
    }
    run.row("AVG LAST, all users over a quarter", RATIO, None, all[STEPS.len() - 1] / all[0]);
    Ok(run)
}
