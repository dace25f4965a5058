//! The tasks of Tables 49 to 52: execs with EXECIO and loops, and with pipelines.

use crate::bench::{Bench, Seat, Site};
use crate::commands::{self, Figure};
use crate::paper;
use crate::run::{RATIO, Run};
use std::time::Instant;

/// A task of the report, and the execs for it: lines parted by semicolons.
struct Task {
    number: &'static str,
    execs: [&'static str; 2],
}

/// Those whose execs are one line. The others need macros and filters; `docs/pipe-pathlengths.md` has all.
const TASKS: [Task; 5] = [
    Task {
        number: "1",
        execs: ["'EXECIO * DISKR NATHAN NAMES A (STEM IN. FINIS'", "'PIPE < NATHAN NAMES ? STEM IN.'"],
    },
    Task { number: "2", execs: ["'EXECIO * CP (STEM IN. STRING Q N'", "'PIPE CP Q N ? STEM IN.'"] },
    Task {
        number: "3",
        execs: [
            "'QUERY DISK (FIFO'; do i = 1 to queued(); parse pull in.i; in.0 = i; end i",
            "'PIPE CMS QUERY DISK ? STEM IN.'",
        ],
    },
    Task {
        number: "4",
        execs: ["'EXECIO 1 DISKW OUT OUT A (FINIS STRING Hi There'", "'PIPE LITERAL Hi There? > OUT OUT A'"],
    },
    Task {
        number: "6",
        execs: [
            "'EXECIO * DISKR NATHAN NAMES A (STEM OUT. FINIS';do i=1 to out.0;say out.i;end",
            "'PIPE < NATHAN NAMES A ? CONSOLE'",
        ],
    },
];

/// What the execs are called.
const NAMES: [&str; 2] = ["rx", "px"];

/// CMSUSER with the file that the tasks work on.
fn begin(bench: &mut Bench) -> Result<Seat, String> {
    let seat = commands::begin(bench)?;
    let file = "pipe literal a line of names| duplicate 29 | > nathan names a";
    bench.expects(&seat, file, commands::READY);
    Ok(seat)
}

/// Writes the exec of a task, without a pipeline (0) or with one (1).
fn write(bench: &mut Bench, seat: &Seat, task: &Task, n: usize) {
    // Of a pipeline that writes one the stages are parted by another character, and CHANGE makes the bars.
    let (text, name) = (task.execs[n], NAMES[n]);
    let line = format!("pipe (stagesep %) literal /* */ {text}% change /?/|/ % > {name} exec a");
    bench.expects(seat, &line, commands::READY);
    // There may be none.
    bench.types(seat, "erase out out a");
}

/// The rows of each task and of all, of what `measure` says of an exec.
fn rows(
    site: &Site,
    unit: &'static str,
    seed: impl Fn(&paper::Task) -> [f64; 2],
    mut measure: impl FnMut(&mut Bench, &Seat, &str) -> f64,
) -> Result<Run, String> {
    let (mut bench, mut run) = (site.up("")?, Run::default());
    let seat = begin(&mut bench)?;
    let mut sums = [[0.0; 2]; 2];
    for task in TASKS {
        let report = paper::the_task(task.number);
        let seed = seed(report);
        let mut ours = [0.0; 2];
        for n in 0..2 {
            write(&mut bench, &seat, &task, n);
            ours[n] = measure(&mut bench, &seat, NAMES[n]);
            sums[0][n] += ours[n];
            sums[1][n] += seed[n];
        }
        let name = |what: &str| format!("{}: {}: {what}", task.number, report.what);
        run.row(name("pipeline over exec"), RATIO, Some(seed[1] / seed[0]), ours[1] / ours[0]);
        for (n, what) in ["exec", "pipeline"].into_iter().enumerate() {
            run.row(name(what), unit, Some(seed[n]), ours[n]);
        }
    }
    let [ours, seed] = sums;
    run.row("all: pipeline over exec", RATIO, Some(seed[1] / seed[0]), ours[1] / ours[0]);
    run.take(&mut bench);
    Ok(run)
}

/// One run of what is counted.
pub fn run(site: &Site, figure: Figure) -> Result<Run, String> {
    rows(
        site,
        figure.unit(),
        |task| figure.of_task(task),
        |bench, seat, name| commands::count(bench, seat, name, figure),
    )
}

/// How often each exec runs while its time is measured.
const ROUNDS: u32 = 100;

/// One run of the processor time of each task. It is of this host, and only the ratios can be compared.
pub fn times(site: &Site) -> Result<Run, String> {
    let mut run = rows(
        site,
        "ms",
        |task| task.time,
        |bench, seat, name| {
            // The first time the host translates it.
            (0..ROUNDS / 10).for_each(|_| drop(bench.types(seat, name)));
            let before = seat.times().1;
            (0..ROUNDS).for_each(|_| drop(bench.expects(seat, name, commands::READY)));
            (seat.times().1 - before) as f64 / 1000.0 / f64::from(ROUNDS)
        },
    )?;
    // The report's times are of its processor.
    for row in &mut run.rows {
        if row.what.1 != RATIO {
            row.what.2 = None;
        }
    }
    Ok(run)
}

/// One run of Table 52, with one user that enters all tasks again and again: with execs, and with pipelines.
pub fn mixed(site: &Site) -> Result<Run, String> {
    let mut run = Run::default();
    let mut rates = Vec::new();
    for (n, what) in ["execs", "pipelines"].into_iter().enumerate() {
        let mut bench = site.up("")?;
        let seat = begin(&mut bench)?;
        let (mut work, mut busy, mut virtual_us, mut elapsed) = (0.0, 0.0, 0.0, 0.0);
        for task in &TASKS {
            write(&mut bench, &seat, task, n);
            (0..ROUNDS / 10).for_each(|_| drop(bench.types(&seat, NAMES[n])));
            let (before, begun) = (seat.times(), Instant::now());
            (0..ROUNDS).for_each(|_| drop(bench.expects(&seat, NAMES[n], commands::READY)));
            elapsed += begun.elapsed().as_micros() as f64;
            busy += (seat.times().1 - before.1) as f64;
            virtual_us += (seat.times().0 - before.0) as f64;
            work += f64::from(ROUNDS);
        }
        run.throughput(what, "commands/s", work, busy, elapsed);
        run.row(format!("TVR, {what}"), RATIO, Some([2.07, 2.50][n]), busy / virtual_us);
        rates.push(work / busy);
        run.take(&mut bench);
    }
    // ITR (H) 149.64 and 173.84.
    run.row("ITR, pipelines over execs", RATIO, Some(173.84 / 149.64), rates[1] / rates[0]);
    Ok(run)
}
