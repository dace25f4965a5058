//! Commands of CMS: what one executes, and what one costs with many users.

use crate::bench::{Bench, SYSTEM_PROGRAMMER, Seat, Site, number, user};
use crate::paper::{self, Traced};
use crate::run::{RATIO, Run, Scale};

/// Which of the counts of TRACE COUNT an experiment is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Instructions executed.
    Instructions,
    /// Privileged instructions, and pages of the machine's own at their first reference.
    Special,
    /// Privileged instructions.
    Privileged,
    /// Pages of the machine's own that are referred to.
    OwnPages,
    /// Shared pages that are referred to.
    SharedPages,
}

impl Figure {
    /// The unit.
    pub fn unit(self) -> &'static str {
        match self {
            Figure::Instructions | Figure::Privileged => "instructions",
            Figure::Special => "operations",
            Figure::OwnPages | Figure::SharedPages => "pages",
        }
    }

    /// The number in the answer of TRACE END COUNT.
    fn of(self, answer: &str) -> Option<f64> {
        let own = || number(answer, "NONSHARED=");
        match self {
            Figure::Instructions => number(answer, "INSTRUCTIONS="),
            Figure::Privileged => number(answer, "PRIVILEGED="),
            Figure::Special => Some(number(answer, "PRIVILEGED=")? + own()?),
            Figure::OwnPages => own(),
            Figure::SharedPages => number(answer, " SHARED="),
        }
    }

    /// What appendix A has for a command.
    fn of_command(self, traced: &Traced) -> f64 {
        let report = traced.report;
        let count = match self {
            Figure::Instructions => report.instructions,
            Figure::Special => report.special,
            Figure::Privileged => report.special - report.own,
            Figure::OwnPages => report.own,
            Figure::SharedPages => report.shared,
        };
        count as f64
    }

    /// What Tables 49 to 51 have for a task, without a pipeline and with one.
    pub fn of_task(self, task: &paper::Task) -> [f64; 2] {
        let counts = match self {
            Figure::Instructions => task.instructions,
            Figure::Privileged => task.privileged,
            Figure::Special => [0, 1].map(|n| task.privileged[n] + task.own[n]),
            Figure::OwnPages => task.own,
            Figure::SharedPages => task.shared,
        };
        counts.map(|count| count as f64)
    }
}

/// Those that are typed in the editor, and one whose program is made by hand: they need a display and its files.
const LEFT_OUT: [&str; 9] = ["XEDIT", "XXXX", "LOCATE", "CHANGE", "NEXT", "INPUT", "DELETE", "FILE", "SPKA"];

/// The commands that are entered at a typewriter, in the report's order.
fn typed() -> impl Iterator<Item = &'static Traced> {
    paper::COMMANDS.iter().filter(|one| !LEFT_OUT.contains(&one.name))
}

/// What makes their files. The report does not have its files' texts.
const FILES: [&str; 4] = [
    "pipe literal A line of text that is copied, compared and printed.| duplicate 119 | > master script a",
    "pipe literal BR14     CSECT?         SR    15,15?         BR    14?         END   BR14| split ? \
     | > br14 assemble a fixed 80",
    "pipe literal /* */ parse arg a b; s = 0; do i = 1 to 100; s = s + length(word(a b,1))*i; end; say s a b\
     | > rexrex exec a",
    "pipe literal &TRACE OFF?&N = 0?-LOOP?&N = &N + 1?&IF &N LT 40 &GOTO -LOOP?&TYPE DONE &N &1 &2| split ? \
     | > exec2 exec a",
];

/// What shows that CMS has done a line.
pub const READY: &str = "Ready;";

/// CMSUSER, with the saved CMS.
pub fn begin(bench: &mut Bench) -> Result<Seat, String> {
    begin_in(bench, &[])
}

/// The same in a machine that is set up by these CP commands before.
fn begin_in(bench: &mut Bench, setting: &[&str]) -> Result<Seat, String> {
    let seat = bench.seat("CMSUSER")?;
    for line in setting {
        bench.commands(&seat, line);
    }
    bench.expects(&seat, "ipl cms parm autocr", READY);
    bench.expects(&seat, "pipe literal here | console", READY);
    Ok(seat)
}

/// What CMS executes for a line, by TRACE COUNT.
pub fn count(bench: &mut Bench, seat: &Seat, line: &str, figure: Figure) -> f64 {
    counts(bench, seat, line, &[figure])[0]
}

/// The same, several counts of one execution.
fn counts(bench: &mut Bench, seat: &Seat, line: &str, figures: &[Figure]) -> Vec<f64> {
    bench.types(seat, "#cp trace count");
    bench.expects(seat, line, READY);
    let answer = bench.types(seat, "#cp trace end count");
    figures.iter().map(|figure| figure.of(&answer).unwrap_or(f64::NAN)).collect()
}

/// The commands of appendix A, one after the other, in a machine that is set up so: what each costs.
fn trace(site: &Site, run: &mut Run, setting: &[&str], figure: Figure) -> Result<Vec<f64>, String> {
    let mut bench = site.up("")?;
    let seat = begin_in(&mut bench, setting)?;
    for line in FILES {
        bench.expects(&seat, line, READY);
    }
    for name in ["test script a", "master file a"] {
        // There may be none.
        bench.types(&seat, &format!("erase {name}"));
    }
    bench.commands(&seat, "#cp link maint 190 295 rr");
    let values = typed().map(|traced| count(&mut bench, &seat, traced.typed, figure)).collect();
    run.take(&mut bench);
    Ok(values)
}

/// One run of appendix A.
pub fn run(site: &Site, figure: Figure) -> Result<Run, String> {
    let mut run = Run::default();
    let values = trace(site, &mut run, &[], figure)?;
    let mut sums = (0.0, 0.0);
    for (traced, value) in typed().zip(values) {
        let seed = figure.of_command(traced);
        sums = (sums.0 + value, sums.1 + seed);
        run.row(traced.name, figure.unit(), Some(seed), value);
    }
    run.row("all", figure.unit(), Some(sums.1), sums.0);
    Ok(run)
}

/// One run of appendix A in XA mode and in XC mode.
pub fn modes(site: &Site) -> Result<Run, String> {
    let mut run = Run::default();
    let xa = trace(site, &mut run, &[], Figure::Instructions)?;
    let xc = trace(site, &mut run, &["set machine xc"], Figure::Instructions)?;
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    let seed = typed().fold((0, 0), |sum, one| (sum.0 + one.report.instructions, sum.1 + one.xc));
    let (seed_xa, seed_xc) = (seed.0 as f64, seed.1 as f64);
    run.row("all in XC mode over XA mode", RATIO, Some(seed_xc / seed_xa), sum(&xc) / sum(&xa));
    run.row("all, XA mode", "instructions", Some(seed_xa), sum(&xa));
    run.row("all, XC mode", "instructions", Some(seed_xc), sum(&xc));
    Ok(run)
}

/// One run of Table 18: a command in machines of two sizes.
pub fn sizes(site: &Site) -> Result<Run, String> {
    let mut run = Run::default();
    let figures = [Figure::Instructions, Figure::OwnPages];
    let mut all = Vec::new();
    // CMSUSER has 32 MB.
    for size in ["32M", "64M"] {
        let mut bench = site.up("")?;
        let seat = begin_in(&mut bench, &[&format!("define storage {size}")])?;
        bench.expects(&seat, COMMAND, READY);
        let values = counts(&mut bench, &seat, COMMAND, &figures);
        for (figure, value) in figures.iter().zip(&values) {
            let what = if *figure == Figure::OwnPages { "own pages" } else { "instructions" };
            run.row(format!("{what}, {size}"), figure.unit(), None, *value);
        }
        all.push(values);
        run.take(&mut bench);
    }
    // Per command: 27.580 and 27.590 ms of processor time, 64 and 65 pages of working set.
    run.row("instructions, twice the storage over once", RATIO, Some(27.590 / 27.580), all[1][0] / all[0][0]);
    run.row("own pages, twice the storage over once", RATIO, Some(65.0 / 64.0), all[1][1] / all[0][1]);
    Ok(run)
}

/// One run of what storage saves that holds what is on disk: each pair is a line as it is, and the same after what has
/// been brought into storage.
fn kept(run: &mut Run, bench: &mut Bench, seat: &Seat, [name, before, line, bring, after]: [&str; 5]) {
    let figures = [Figure::Instructions, Figure::OwnPages];
    if !before.is_empty() {
        bench.expects(seat, before, READY);
    }
    let started = bench.counts();
    let from_disk = counts(bench, seat, line, &figures);
    let middle = bench.counts();
    bench.expects(seat, bring, READY);
    if !before.is_empty() {
        bench.expects(seat, before, READY);
    }
    let begun = bench.counts();
    let from_storage = counts(bench, seat, after, &figures);
    let ended = bench.counts();
    let [disk, storage] = [middle.since(started), ended.since(begun)].map(|counts| counts.started);
    run.row(format!("{name}: instructions, in storage over on disk"), RATIO, None, from_storage[0] / from_disk[0]);
    run.row(format!("{name}: instructions, on disk"), "instructions", None, from_disk[0]);
    run.row(format!("{name}: instructions, in storage"), "instructions", None, from_storage[0]);
    run.row(format!("{name}: I/O, on disk"), "I/Os", None, disk);
    run.row(format!("{name}: I/O, in storage"), "I/Os", None, storage);
}

/// One run: an exec by EXECLOAD, a module by NUCXLOAD.
pub fn preloaded(site: &Site) -> Result<Run, String> {
    let (mut bench, mut run) = (site.up("")?, Run::default());
    let seat = begin(&mut bench)?;
    for line in FILES {
        bench.expects(&seat, line, READY);
    }
    for line in ["assemble br14", "load br14", "genmod br14"] {
        bench.expects(&seat, line, READY);
    }
    kept(&mut run, &mut bench, &seat, ["an exec", "", "rexrex x y", "execload rexrex exec", "rexrex x y"]);
    kept(&mut run, &mut bench, &seat, ["a module", "", "br14", "nucxload br14", "br14"]);
    run.take(&mut bench);
    Ok(run)
}

/// One run: ACCESS of a disk whose directory is in a saved segment, and the same from the disk.
pub fn directories(site: &Site) -> Result<Run, String> {
    let (mut bench, mut run) = (site.up("")?, Run::default());
    let seat = begin(&mut bench)?;
    let figures = [Figure::Instructions, Figure::OwnPages];
    let mut all = Vec::new();
    for (what, option) in [("on disk", "nosave"), ("in a segment", "usesave")] {
        bench.types(&seat, "release 19d");
        let begun = bench.counts();
        let values = counts(&mut bench, &seat, &format!("access 19d c ({option}"), &figures);
        let started = bench.counts().since(begun).started;
        run.row(format!("instructions, directory {what}"), "instructions", None, values[0]);
        run.row(format!("own pages, directory {what}"), "pages", None, values[1]);
        run.row(format!("I/O, directory {what}"), "I/Os", None, started);
        all.push((values, started));
    }
    run.row("instructions, in a segment over on disk", RATIO, None, all[1].0[0] / all[0].0[0]);
    run.row("own pages, in a segment over on disk", RATIO, None, all[1].0[1] / all[0].0[1]);
    run.row("I/O, in a segment over on disk", RATIO, None, all[1].1 / all[0].1);
    run.take(&mut bench);
    Ok(run)
}

/// What each user enters.
const COMMAND: &str = "listfile * exec s";

/// How often each enters it.
const ROUNDS: u32 = 5;

/// Users of CMS, all logged on, in this system.
fn many(bench: &mut Bench, users: usize) -> Result<Vec<Seat>, String> {
    let mut seats = Vec::new();
    for n in 1..=users {
        let seat = bench.seat(&user(n))?;
        bench.expects(&seat, "ipl cms parm autocr", READY);
        seats.push(seat);
    }
    Ok(seats)
}

/// What these users have used: virtual and total microseconds.
fn used(seats: &[Seat]) -> (u64, u64) {
    seats.iter().map(Seat::times).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// One run: users at terminals of this process, a tenth of them and all of them. Each enters a command once, and then
/// five times more, which are measured.
pub fn users(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut costs = Vec::new();
    for users in [scale.users / 10, scale.users] {
        let mut bench = site.up("")?;
        let seats = many(&mut bench, users)?;
        bench.all_type(&seats, COMMAND, READY);
        let before = used(&seats);
        let begun = std::time::Instant::now();
        for _ in 0..ROUNDS {
            bench.all_type(&seats, COMMAND, READY);
        }
        let commands = f64::from(ROUNDS) * users as f64;
        let elapsed = begun.elapsed().as_micros() as f64;
        let after = used(&seats);
        let (emulation, total) = ((after.0 - before.0) as f64, (after.1 - before.1) as f64);
        run.row(format!("PBT/CMD, {users} users"), "ms", None, total / commands / 1000.0);
        run.row(format!("EMUL/CMD, {users} users"), "ms", None, emulation / commands / 1000.0);
        run.row(format!("TVR, {users} users"), RATIO, None, total / emulation);
        run.throughput(&format!("{users} users at once"), "commands/s", commands, total, elapsed);
        costs.push(total / commands);
        run.take(&mut bench);
    }
    // 1,100 users on one processor had 22.355 ms for a command, 5,860 on six 25.386.
    run.row("PBT/CMD of all over a tenth", RATIO, Some(25.386 / 22.355), costs[1] / costs[0]);
    Ok(run)
}

/// One run: a pipeline with PIPES in its saved segment, and without it.
pub fn segment(site: &Site) -> Result<Run, String> {
    let mut run = Run::default();
    let mut all = Vec::new();
    for is_there in [true, false] {
        let mut bench = site.up("")?;
        let programmer = bench.seat(SYSTEM_PROGRAMMER)?;
        let seat = bench.seat("CMSUSER")?;
        // A segment that is above all storage of the machine is taken; one that lies in it is not.
        let size = if is_there { "32M" } else { "128M" };
        bench.commands(&seat, &format!("define storage {size}"));
        bench.expects(&seat, "ipl cms parm autocr", READY);
        bench.expects(&seat, "pipe literal here | console", READY);
        let shown = bench.commands(&programmer, "query nss name pipes map");
        let users = shown.lines().find(|line| line.contains("PIPES")).unwrap_or_default().to_owned();
        bench.lines += 1;
        if users.is_empty() {
            bench.failed.push(format!("QUERY NSS showed {:?}", shown.trim()));
        }
        let own = count(&mut bench, &seat, "pipe literal here | console", Figure::OwnPages);
        let what = if is_there { "in its segment" } else { "in the machine's own storage" };
        // Table 48: 23 pages of 59 are of the pipelines' program; in common 36 are left.
        run.row(format!("own pages of a pipeline, its program {what}"), "pages", None, own);
        all.push(own);
        run.take(&mut bench);
    }
    run.row("own pages, in its segment over without", RATIO, Some(36.0 / 59.0), all[0] / all[1]);
    Ok(run)
}
