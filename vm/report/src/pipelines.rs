//! The tasks of Tables 49 and 50: execs with EXECIO and loops, and with pipelines.

use crate::bench::Site;
use crate::commands::{self, Figure};
use crate::run::Run;

/// A task: its number in the report, the exec without a pipeline and the one with it as lines parted by semicolons, and
/// what the report has for both: instructions, own pages and shared pages.
struct Task {
    number: &'static str,
    execs: [&'static str; 2],
    report: [[f64; 2]; 3],
}

const fn task(number: &'static str, execs: [&'static str; 2], report: [[f64; 2]; 3]) -> Task {
    Task { number, execs, report }
}

/// Those whose execs are one line. The others need macros and filters; `docs/pipe-pathlengths.md` has all.
const TASKS: [Task; 5] = [
    task(
        "1: a file into a stem",
        ["'EXECIO * DISKR NATHAN NAMES A (STEM IN. FINIS'", "'PIPE < NATHAN NAMES ? STEM IN.'"],
        [[66669.0, 97878.0], [37.0, 34.0], [61.0, 81.0]],
    ),
    task(
        "2: QUERY NAMES into a stem",
        ["'EXECIO * CP (STEM IN. STRING Q N'", "'PIPE CP Q N ? STEM IN.'"],
        [[25698.0, 35325.0], [37.0, 31.0], [62.0, 73.0]],
    ),
    task(
        "3: QUERY DISK into a stem",
        [
            "'QUERY DISK (FIFO'; do i = 1 to queued(); parse pull in.i; in.0 = i; end i",
            "'PIPE CMS QUERY DISK ? STEM IN.'",
        ],
        [[71014.0, 62412.0], [32.0, 30.0], [79.0, 96.0]],
    ),
    task(
        "4: a file of one line",
        ["'EXECIO 1 DISKW OUT OUT A (FINIS STRING Hi There'", "'PIPE LITERAL Hi There? > OUT OUT A'"],
        [[29787.0, 44247.0], [42.0, 41.0], [64.0, 78.0]],
    ),
    task(
        "6: a file, typed",
        [
            "'EXECIO * DISKR NATHAN NAMES A (STEM OUT. FINIS';do i=1 to out.0;say out.i;end",
            "'PIPE < NATHAN NAMES A ? CONSOLE'",
        ],
        [[170180.0, 94569.0], [38.0, 32.0], [63.0, 78.0]],
    ),
];

/// What the execs are called.
const NAMES: [&str; 2] = ["rx", "px"];

/// One run.
pub fn run(site: &Site, figure: Figure) -> Result<Run, String> {
    let mut bench = site.up("")?;
    let mut run = Run::default();
    let seat = commands::begin(&mut bench)?;
    let file = "pipe literal a line of names| duplicate 29 | > nathan names a";
    bench.expects(&seat, file, commands::READY);
    let mut sums = [[0.0; 2]; 2];
    for task in TASKS {
        let seed = task.report[figure as usize];
        let mut ours = [0.0; 2];
        for n in 0..2 {
            // Of a pipeline that writes one the stages are parted by another character, and CHANGE makes the bars.
            let (text, name) = (task.execs[n], NAMES[n]);
            let write = format!("pipe (stagesep %) literal /* */ {text}% change /?/|/ % > {name} exec a");
            bench.expects(&seat, &write, commands::READY);
            bench.types(&seat, "erase out out a");
            ours[n] = commands::count(&mut bench, &seat, NAMES[n], figure);
            sums[0][n] += ours[n];
            sums[1][n] += seed[n];
        }
        run.row(format!("{}: pipeline over exec", task.number), "", Some(seed[1] / seed[0]), ours[1] / ours[0]);
        for (n, what) in ["exec", "pipeline"].into_iter().enumerate() {
            run.row(format!("{}: {what}", task.number), figure.unit(), Some(seed[n]), ours[n]);
        }
    }
    let [ours, seed] = sums;
    run.row("all: pipeline over exec", "", Some(seed[1] / seed[0]), ours[1] / ours[0]);
    run.take(&mut bench);
    Ok(run)
}
