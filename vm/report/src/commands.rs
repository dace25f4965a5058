//! Commands of CMS: what one executes, and what one costs with many users.

use crate::bench::{Bench, Seat, Site, user};
use crate::run::{Run, Scale};

/// Which of the counts of TRACE COUNT an experiment is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Instructions executed.
    Instructions,
    /// Pages of the machine's own that are referred to.
    OwnPages,
    /// Shared pages that are referred to.
    SharedPages,
}

impl Figure {
    /// The unit, and what TRACE END COUNT has before the number.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Figure::Instructions => ("instructions", "INSTRUCTIONS="),
            Figure::OwnPages => ("pages", "NONSHARED="),
            Figure::SharedPages => ("pages", " SHARED="),
        }
    }

    /// The unit.
    pub fn unit(self) -> &'static str {
        self.words().0
    }

    /// The number in the answer of TRACE END COUNT.
    fn of(self, answer: &str) -> Option<f64> {
        let (_, rest) = answer.split_once(self.words().1)?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }
}

/// A command of appendix A: its name there, what is typed, and instructions, own pages and shared pages in the report
/// (VM/ESA 1.1, XA mode).
struct Traced(&'static str, &'static str, [f64; 3]);

/// Those of the report that are not typed in the editor or need a disk of another user, in its order.
#[rustfmt::skip]
const COMMANDS: [Traced; 14] = [
    Traced("SET",      "set imsg off",                            [10454., 23., 44.]),
    Traced("COPY",     "copyfile master script a master file a",  [29902., 32., 51.]),
    Traced("COMPARE",  "compare master script a master file a",   [66970., 24., 44.]),
    Traced("RENAME",   "rename master file a test script a (updirt", [22743., 28., 50.]),
    Traced("LISTFILE", "listfile test script a (label",           [12132., 26., 42.]),
    Traced("ERASE",    "erase test script a",                     [16880., 28., 48.]),
    Traced("QUERY",    "query disk",                              [24585., 23., 51.]),
    Traced("FILEDEF",  "filedef in reader",                       [7998., 23., 33.]),
    Traced("PRINT",    "print master script a",                   [50943., 27., 56.]),
    Traced("ASSEMBLE", "assemble br14",                           [374318., 101., 77.]),
    Traced("LOAD",     "load br14",                               [21617., 42., 57.]),
    Traced("GENMOD",   "genmod br14",                             [15722., 35., 48.]),
    Traced("BR14",     "br14",                                    [14164., 25., 49.]),
    Traced("REXREX",   "rexrex x y (all",                         [72656., 21., 49.]),
];

/// What makes their files. The report does not have its files' texts.
const FILES: [&str; 3] = [
    "pipe literal A line of text that is copied, compared and printed.| duplicate 119 | > master script a",
    "pipe literal BR14     CSECT?         SR    15,15?         BR    14?         END   BR14| split ? \
     | > br14 assemble a fixed 80",
    "pipe literal /* */ parse arg a b; s = 0; do i = 1 to 100; s = s + length(word(a b,1))*i; end; say s a b\
     | > rexrex exec a",
];

/// What shows that CMS has done a line.
pub const READY: &str = "Ready;";

/// CMSUSER, with the saved CMS.
pub fn begin(bench: &mut Bench) -> Result<Seat, String> {
    let seat = bench.seat("CMSUSER")?;
    bench.expects(&seat, "ipl cms parm autocr", READY);
    bench.expects(&seat, "pipe literal here | console", READY);
    Ok(seat)
}

/// What CMS executes for a line, by TRACE COUNT.
pub fn count(bench: &mut Bench, seat: &Seat, line: &str, figure: Figure) -> f64 {
    bench.types(seat, "#cp trace count");
    bench.expects(seat, line, READY);
    let answer = bench.types(seat, "#cp trace end count");
    figure.of(&answer).unwrap_or(f64::NAN)
}

/// One run of appendix A.
pub fn run(site: &Site, figure: Figure) -> Result<Run, String> {
    let mut bench = site.up("")?;
    let mut run = Run::default();
    let seat = begin(&mut bench)?;
    for line in FILES {
        bench.expects(&seat, line, READY);
    }
    for name in ["test script a", "master file a"] {
        // There may be none.
        bench.types(&seat, &format!("erase {name}"));
    }
    let mut sums = (0.0, 0.0);
    for Traced(name, typed, report) in COMMANDS {
        let value = count(&mut bench, &seat, typed, figure);
        let seed = report[figure as usize];
        sums = (sums.0 + value, sums.1 + seed);
        run.row(name, figure.unit(), Some(seed), value);
    }
    run.row("all", figure.unit(), Some(sums.1), sums.0);
    run.take(&mut bench);
    Ok(run)
}

/// What each user enters.
const COMMAND: &str = "listfile * exec s";

/// How often each enters it.
const ROUNDS: u32 = 5;

/// One run: users at terminals of this process, a tenth of them and all of them. Each enters a command once, and then
/// five times more, which are measured.
pub fn users(site: &Site, scale: Scale) -> Result<Run, String> {
    let mut run = Run::default();
    let mut costs = Vec::new();
    for users in [scale.users / 10, scale.users] {
        let mut bench = site.up("")?;
        let mut seats = Vec::new();
        for n in 1..=users {
            let seat = bench.seat(&user(n))?;
            bench.expects(&seat, "ipl cms parm autocr", READY);
            seats.push(seat);
        }
        bench.all_type(&seats, COMMAND, READY);
        let used =
            |seats: &[Seat]| seats.iter().map(Seat::times).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let before = used(&seats);
        let begun = std::time::Instant::now();
        for _ in 0..ROUNDS {
            bench.all_type(&seats, COMMAND, READY);
        }
        let commands = f64::from(ROUNDS) * users as f64;
        let rate = commands / begun.elapsed().as_secs_f64();
        let after = used(&seats);
        let (emulation, total) = ((after.0 - before.0) as f64, (after.1 - before.1) as f64);
        run.row(format!("PBT/CMD, {users} users"), "ms", None, total / commands / 1000.0);
        run.row(format!("EMUL/CMD, {users} users"), "ms", None, emulation / commands / 1000.0);
        run.row(format!("TVR, {users} users"), "", None, total / emulation);
        run.row(format!("ITR, {users} users"), "commands/s", None, rate);
        costs.push(total / commands);
        run.take(&mut bench);
    }
    // 1,100 users on one processor had 22.355 ms for a command, 5,860 on six 25.386.
    run.row("PBT/CMD of all over a tenth", "", Some(25.386 / 22.355), costs[1] / costs[0]);
    Ok(run)
}
