//! What a pipeline costs and what an exec does for the same: instructions of both, counted by TRACE COUNT. The twelve
//! tasks and their execs are those of "VM/ESA Release 1.1 Performance Report", appendix C and table 49; three more are
//! about three hundred records.
//!
//! An exec that is given an argument shows what it has found, too: it is run a second time so, and both must say the
//! same. `BLESS=1 cargo test -p cms --test pipelengths` writes `docs/pipe-pathlengths.md`.
//! `ENDICOTT_PROFILE=PIPE` tells which functions the instructions were in of the execs whose names begin so.

use cms::count::{self, Count};
use cms::system::{File, Site};
use report::paper;
use std::fmt::Write;

/// A way to do a task: the execs without a pipeline and with one.
struct Way {
    /// Its number in the report, if it is one of the report's.
    task: &'static str,
    /// What it does, if it is not.
    what: &'static str,
    execs: [&'static str; 2],
    /// What is typed before, and after it to see what it has done.
    around: (&'static str, &'static str),
}

const fn of_report(task: &'static str, execs: [&'static str; 2], around: (&'static str, &'static str)) -> Way {
    Way { task, what: "", execs, around }
}

const fn of_ours(what: &'static str, execs: [&'static str; 2], around: (&'static str, &'static str)) -> Way {
    Way { task: "", what, execs, around }
}

impl Way {
    /// What it does, and the instructions that the report has for it.
    fn told(&self) -> (String, [u64; 2]) {
        match self.task {
            "" => (self.what.to_owned(), [0; 2]),
            number => {
                let task = paper::the_task(number);
                (format!("{number}: {}", task.what), task.instructions)
            }
        }
    }
}

const REPORT: &[Way] = &[
    of_report("1", ["rexx1", "pipe1"], ("", "")),
    of_report("2", ["rexx2", "pipe2"], ("", "")),
    of_report("3", ["rexx3", "pipe3"], ("", "")),
    of_report("4", ["rexx4", "pipe4"], ("erase out out", "type out out")),
    of_report("5", ["rexx5", "pipe5"], ("", "")),
    of_report("6", ["rexx6", "pipe6"], ("", "")),
    of_report("7", ["rexx7", "pipe7"], ("", "")),
    of_report("8a", ["rexx8", "pipe8"], ("erase na out", "type na out")),
    of_report("8b", ["rexx8b", "pipe8"], ("erase na out", "type na out")),
    of_report("9a", ["rexx9", "pipe9"], ("", "")),
    of_report("9b", ["rexx9b", "pipe9"], ("", "")),
    of_report("10a", ["rexx10", "pipe10"], ("", "")),
    of_report("10b", ["rexx10", "pipe10b"], ("", "")),
    of_report("11", ["rexx11", "pipe11"], ("cards", "")),
    of_report("12", ["rexx12", "pipe12"], ("cards", "type out map")),
];

/// The pipelines of the mean take at most so many hundredths of the execs' instructions.
const MOST: u64 = 55;

/// So many pages of the machine's own more, on the mean, may the pipelines refer to.
const MORE_PAGES: u64 = 6;

/// So many pages fewer a machine refers to whose PIPES are in their segment: with pipelines in common the report has
/// six fewer than for execs.
const FEWER_PAGES: u64 = 6;

const LARGE: &[Way] = &[
    of_ours("300 records: how many have a string", ["rexxloc", "pipeloc"], ("", "")),
    of_ours("300 records: words in order, each once, the first ten", ["rexxsort", "pipesort"], ("", "")),
    of_ours("300 records: columns into another file", ["rexxcols", "pipecols"], ("erase cols file", "type cols file")),
];

const EXECS: &[(&str, &str, &str)] = &[
    ("REXX1", "EXEC", "'EXECIO * DISKR NATHAN NAMES A (STEM IN. FINIS'\nSHOW IN"),
    ("PIPE1", "EXEC", "'PIPE < NATHAN NAMES | STEM IN.'\nSHOW IN"),
    ("REXX2", "EXEC", "'EXECIO * CP (STEM IN. STRING Q N'\nSHOW IN"),
    ("PIPE2", "EXEC", "'PIPE CP Q N | STEM IN.'\nSHOW IN"),
    ("REXX3", "EXEC", "'QUERY DISK (FIFO'\ndo i = 1 to queued()\n  parse pull in.i\n  in.0 = i\nend i\nSHOW IN"),
    ("PIPE3", "EXEC", "'PIPE CMS QUERY DISK | STEM IN.'\nSHOW IN"),
    ("REXX4", "EXEC", "'EXECIO 1 DISKW OUT OUT A (FINIS STRING Hi There'"),
    ("PIPE4", "EXEC", "'PIPE LITERAL Hi There| > OUT OUT A'"),
    (
        "REXX5",
        "EXEC",
        "'Q DISK (FIFO'\nmode = ''\ndo queued() while mode = ''\n  pull label . m1 .\n  \
         if label = 'CMS191' then mode = left(m1, 1)\nend\ndo queued()\n  pull .\nend\nif arg() then say mode",
    ),
    ("PIPE5", "EXEC", "'PIPE CMS Q DISK | LOCATE /CMS191/ | SPEC 13.1 1 | VAR MODE'\nif arg() then say mode"),
    ("REXX6", "EXEC", "'EXECIO * DISKR NATHAN NAMES A (STEM OUT. FINIS'\ndo i = 1 to out.0\n  say out.i\nend i"),
    ("PIPE6", "EXEC", "'PIPE < NATHAN NAMES A | CONSOLE'"),
    (
        "REXX7",
        "EXEC",
        "'EXECIO * CP (STEM OUT. STRING QUERY NAMES'\nnumusers = 0\ndo i = 1 to out.0\n  k = 0\n  do until k = 0\n    \
         k = pos('- DSC', out.i, k + 1)\n    if k /= 0 then numusers = numusers + 1\n  end\nend i\n\
         say numusers 'users disconnected'",
    ),
    (
        "PIPE7",
        "EXEC",
        "'PIPE CP Q N | SPLIT , | STRIP | LOCATE /- DSC/ | COUNT LINES |',\n \
         'SPEC *-* 1 / users disconnected/ NEXT | CONSOLE'",
    ),
    (
        "REXX8",
        "EXEC",
        "i = 0\nj = 0\nsay 'Ids:'\n'EXECIO 1 DISKW NA OUT A (STRING NAMES:'\nout = ''\nout1 = ''\n\
         'EXECIO 1 DISKR NATHAN NAMES A'\ndo while rc = 0\n  parse pull line 1 flag . 24 rest\n  \
         if left(flag, 4) = ':nic' then do\n    i = i + 1\n    out = out||rest||' '\n    if i = 3 then do\n      \
         say strip(out)\n      out = ''\n      i = 0\n    end\n  end\n  else do\n    j = j + 1\n    \
         out1 = out1||rest||' '\n    if j = 3 then do\n      out1 = strip(out1)\n      \
         'EXECIO 1 DISKW NA OUT A (VAR OUT1'\n      out1 = ''\n      j = 0\n    end\n  end\n  \
         'EXECIO 1 DISKR NATHAN NAMES A'\nend\nif i > 0 then say strip(out)\nif j > 0 then do\n  \
         out1 = strip(out1)\n  'EXECIO 1 DISKW NA OUT A (VAR OUT1'\nend\n'FINIS NA OUT A'\n'FINIS NATHAN NAMES A'",
    ),
    (
        "REXX8B",
        "EXEC",
        "i = 2\ni1 = 0\nj = 2\nj1 = 0\nout.1 = 'Ids:'\nout1.1 = 'NAMES:'\nout.2 = ''\nout1.2 = ''\n\
         'EXECIO * DISKR NATHAN NAMES A (STEM IN. FINIS'\ndo k = 1 to in.0\n  parse var in.k 1 flag . 24 rest\n  \
         if left(flag, 4) = ':nic' then do\n    i1 = i1 + 1\n    out.i = out.i||rest||' '\n    \
         if i1 = 3 then do\n      i = i + 1\n      out.i = ''\n      i1 = 0\n    end\n  end\n  else do\n    \
         j1 = j1 + 1\n    out1.j = out1.j||rest||' '\n    if j1 = 3 then do\n      j = j + 1\n      \
         out1.j = ''\n      j1 = 0\n    end\n  end\nend\nif i1 = 0 then i = i - 1\nif j1 = 0 then j = j - 1\n\
         do k = 1 to i\n  say strip(out.k)\nend k\ndo k = 1 to j\n  out1.k = strip(out1.k)\nend k\n\
         'EXECIO' j 'DISKW NA OUT A (STEM OUT1. FINIS'",
    ),
    (
        "PIPE8",
        "EXEC",
        "'PIPE (END \\) < NATHAN NAMES A | C: LOCATE /:nic/ | SPEC 24-* 1 | JOIN 2 / / | LITERAL Ids:| CONS',\n \
         '\\ C: | SPEC 24-* 1 | JOIN 2 / / | LITERAL NAMES:| > NA OUT A'",
    ),
    ("REXX9", "EXEC", "queue 'FINDIT' arg(1)\nqueue 'QQ'\n'XEDIT RUN MASTER A (NOPROF'"),
    (
        "FINDIT",
        "XEDIT",
        "'FIND L23F1481'\nif rc = 0 then do\n  'EXTRACT /CURLINE'\n  i = 0\n  \
         do while left(curline.3, 8) /= '--------'\n    i = i + 1\n    entry.i = curline.3\n    'NEXT'\n    \
         'EXTRACT /CURLINE'\n  end\n  i = i + 1\n  entry.0 = i\n  entry.i = curline.3\nend\nSHOW ENTRY",
    ),
    (
        "REXX9B",
        "EXEC",
        "'EXECIO * DISKR RUN MASTER A (FIND /L23F1481/ STEM GOT.'\ni = 1\nentry = got.2\nentry.1 = entry\n\
         do while left(entry, 8) /= '--------'\n  i = i + 1\n  'EXECIO 1 DISKR RUN MASTER A (VAR ENTRY'\n  \
         entry.i = entry\nend\nentry.0 = i\n'FINIS RUN MASTER A'\nSHOW ENTRY",
    ),
    ("PIPE9", "EXEC", "'PIPE < RUN MASTER A | BETWEEN /L23F1481/ /--------/ | STEM ENTRY.'\nSHOW ENTRY"),
    ("REXX10", "EXEC", "'XEDIT SFSDUMP CONTROL A (PROF BETWIXT'"),
    (
        "BETWIXT",
        "XEDIT",
        "'TOP'\n'ALL /AREA/'\n'EXTRACT /CURLINE'\nif curline.3 = '' then do\n  'NEXT'\n  'EXTRACT /CURLINE'\nend\n\
         do while curline.3 /= ''\n  parse value curline.3 with . '=' out ',' .\n  say out\n  'NEXT'\n  \
         'EXTRACT /CURLINE'\nend\n'QQ'",
    ),
    ("PIPE10", "EXEC", "'PIPE < SFSDUMP CONTROL A | FIND AREA| BETWIXT | CONS'"),
    (
        "BETWIXT",
        "REXX",
        "parse arg n1 n2\n'READTO In'\ndo while rc = 0\n  parse value in with . '=' out ',' .\n  'OUTPUT' out\n  \
         'READTO In'\nend",
    ),
    ("PIPE10B", "EXEC", "'PIPE < SFSDUMP CONTROL A | BETWIXT2 | LOCATE 1 | CONS'"),
    (
        "BETWIXT2",
        "REXX",
        "'READTO In'\ndo while rc = 0\n  parse value in with . 'AREA=' out ',' .\n  'OUTPUT' out\n  'READTO In'\nend",
    ),
    ("REXX11", "EXEC", "'EXECIO * CARD (STEM IN.'\nSHOW IN"),
    ("PIPE11", "EXEC", "'PIPE READER | DROP 1 | SPEC 2-* 1 | STEM IN.'\nSHOW IN"),
    (
        "REXX12",
        "EXEC",
        "'EXECIO * CARD (STEM IN.'\ndo i = 1 to in.0\n  \
         out.i = substr(in.i, 19, 8)||'          '||substr(in.i, 1, 8)\nend i\n\
         'EXECIO' in.0 'DISKW OUT MAP A 1 F 40 (STEM OUT. FINIS'",
    ),
    ("PIPE12", "EXEC", "'PIPE READER | DROP 1 | SPEC 20-27 1 2-9 19-40 | > OUT MAP A FIXED 40'"),
    ("CARDS", "EXEC", "'ERASE OUT MAP'\n'CP SPOOL PUNCH *'\n'PUNCH NATHAN NAMES A (NOHEADER'"),
    (
        "REXXLOC",
        "EXEC",
        "'EXECIO * DISKR LARGE FILE A (FINIS STEM L.'\nn = 0\n\
         do i = 1 to l.0\n  if pos('7', l.i) > 0 then n = n + 1\nend\nsay n",
    ),
    ("PIPELOC", "EXEC", "'PIPE < LARGE FILE | LOCATE /7/ | COUNT LINES | CONSOLE'"),
    (
        "REXXSORT",
        "EXEC",
        "'EXECIO * DISKR LARGE FILE A (FINIS STEM L.'\nseen. = 0\nn = 0\n\
         do i = 1 to l.0\n  w = word(l.i, 3)\n  if seen.w then iterate\n  seen.w = 1\n  \
         do k = n to 1 by -1 while s.k > w\n    m = k + 1\n    s.m = s.k\n  end\n  k = k + 1\n  s.k = w\n  n = n + \
         1\nend\ndo i = 1 to 10\n  say s.i\nend",
    ),
    ("PIPESORT", "EXEC", "'PIPE < LARGE FILE | SPECS W3 1 | SORT UNIQUE | TAKE 10 | CONSOLE'"),
    (
        "REXXCOLS",
        "EXEC",
        "'EXECIO * DISKR LARGE FILE A (FINIS STEM L.'\n\
         do i = 1 to l.0\n  l.i = substr(l.i, 6, 4)left(word(l.i, 3), 8)\nend\n\
         'EXECIO' l.0 'DISKW COLS FILE A (FINIS STEM L.'",
    ),
    ("PIPECOLS", "EXEC", "'PIPE < LARGE FILE | SPECS 6-9 1 W3 5.8 | > COLS FILE A'"),
];

/// The files that they work on; the report says that the first has 30 lines.
fn files() -> Vec<(&'static str, &'static str, String)> {
    let names = (1..=30).map(|n| match n % 2 {
        1 => format!("{:23}Ann Smith {n}\n", format!(":nick.A{n}")),
        _ => format!("{:23}a note of {n}\n", format!(":userid.U{n}")),
    });
    let master = (1..=40).map(|n| match n {
        15 => "L23F1481 begins\n".to_owned(),
        24 => "---------\n".to_owned(),
        _ => format!("line {n} of the file\n"),
    });
    let dump = (1..=40).map(|n| match n % 2 {
        1 => format!("AREA=part{n},{n}\n"),
        _ => format!("other {n}\n"),
    });
    let large = (0..300).map(|n| format!("{:04} {:04} W{:03} and other words.\n", n, n * 7919 % 10_000, n * 31 % 20));
    let mut files = vec![
        ("NATHAN", "NAMES", names.collect()),
        ("RUN", "MASTER", master.collect()),
        ("SFSDUMP", "CONTROL", dump.collect()),
        ("LARGE", "FILE", large.collect()),
    ];
    for (name, kind, text) in EXECS {
        let (text, stem) = text.rsplit_once("\nSHOW ").unwrap_or((text, ""));
        let shown = match stem {
            "" => String::new(),
            stem => format!("if arg() then do i = 1 to {stem}.0\n  say {stem}.i\nend\n"),
        };
        files.push((name, kind, format!("/* */\n{text}\n{shown}exit\n")));
    }
    files
}

const HEAD: &str = "\
# What pipelines cost

Instructions of an exec that does a task with EXECIO, the program stack, loops and XEDIT, and of one that has a pipeline
for it. What they do is the same. The twelve tasks and their execs are those of \"VM/ESA Release 1.1 Performance
Report\", appendix C and table 49, and the three columns from report on are what the report counted; where it has
several ways, the mean is of the best. The last three columns are pages of the machine's own that each refers to: the
exec, the pipeline with PIPES in its saved segment, and without that segment. The report has 42 and 36 pages for the
first two (table 50), and with the 23 pages of its pipelines' program that are not in common then (table 48) 59. The
tasks work on a few lines, so that reading the exec and starting a pipeline (stages with stacks of their own) weigh
most; those of 300 records show what a record costs. CP's TRACE COUNT counts, with a saved CMS.
`BLESS=1 cargo test -p cms --test pipelengths` writes this page. The test fails if the mean is more than 55%, if one for
300 records takes more instructions than the exec, if the pipelines' mean has more than six pages over the execs', or if
the segment saves fewer than six.

| task | exec | pipeline | of it | report: exec | pipeline | of it | pages: exec | in its segment | without |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
";

/// What both execs say, but for how long it took.
fn told(said: &str) -> Vec<String> {
    said.lines()
        .skip_while(|line| line.is_empty())
        .filter(|line| !line.starts_with("Ready;"))
        .map(str::to_owned)
        .collect()
}

/// What an exec costs, and what it does. With `profiled` the environment may ask for its functions.
fn measure(site: &mut Site, exec: &str, (before, after): (&str, &str), profiled: bool) -> (Count, [Vec<String>; 2]) {
    let prepare = |site: &mut Site| {
        if !before.is_empty() {
            site.says("CMSUSER", before);
        }
    };
    prepare(site);
    let profile =
        profiled && std::env::var("ENDICOTT_PROFILE").is_ok_and(|name| exec.starts_with(&name.to_lowercase()));
    let (said, count) = count::count_profiled(site, exec, profile);
    assert!(said.contains("Ready;"), "{exec}: {said}");
    prepare(site);
    let shown = site.says("CMSUSER", &format!("{exec} show"));
    assert!(shown.contains("Ready;"), "{exec} show: {shown}");
    let done = if after.is_empty() { String::new() } else { site.says("CMSUSER", after) };
    (count, [told(&shown), told(&done)])
}

/// Instructions here and in the report, and pages of the machine's own here.
fn row(page: &mut String, what: &str, here: [u64; 2], report: [u64; 2], [exec, pipeline, alone]: [u64; 3]) {
    let share = |[without, with]: [u64; 2]| match without {
        0 => " | | ".to_owned(),
        without => format!("{without} | {with} | {}%", with * 100 / without),
    };
    writeln!(page, "| {what} | {} | {} | {exec} | {pipeline} | {alone} |", share(here), share(report))
        .expect("a string has room");
}

/// CMSUSER, who has had a pipeline, and so has PIPES.
fn begin(site: &mut Site) {
    count::begin(site);
    let said = site.says("CMSUSER", "pipe literal here | console");
    assert!(said.contains("here"), "{said}");
}

/// Pages of the machine's own that pipelines refer to without a segment.
fn pages_alone(cms: &[std::path::PathBuf; 2], files: &[File<'_>]) -> Vec<u64> {
    let mut site = Site::new(cms, &[], files);
    count::save_alone(&mut site);
    begin(&mut site);
    REPORT.iter().chain(LARGE).map(|way| measure(&mut site, way.execs[1], way.around, false).0.own).collect()
}

#[test]
fn pipelines_cost_less_than_loops() {
    let Some(cms) = cms::nucleus() else { return };
    let files = files();
    let files: Vec<File<'_>> = files.iter().map(|(name, kind, text)| (*name, *kind, "A1", text.as_str())).collect();
    let mut site = Site::new(&cms, &[], &files);
    count::save(&mut site);
    begin(&mut site);
    let pages_alone = pages_alone(&cms, &files);
    let (mut page, mut slow) = (HEAD.to_string(), Vec::new());
    let (mut best, mut every) = ([[0; 3]; 3], [[0; 3]; 3]);
    for (way, alone) in REPORT.iter().chain(LARGE).zip(pages_alone) {
        let [without, with] = way.execs.map(|exec| measure(&mut site, exec, way.around, true));
        let (what, report) = way.told();
        assert_eq!(without.1, with.1, "{what}: {:?}", way.execs);
        let (without, with) = (without.0, with.0);
        let pages = [without.own, with.own, alone];
        let here = [without.instructions, with.instructions];
        row(&mut page, &what, here, report, pages);
        let add = |sums: &mut [[u64; 3]; 3]| {
            (0..2).for_each(|n| {
                sums[0][n] += here[n];
                sums[1][n] += report[n];
            });
            (0..3).for_each(|n| sums[2][n] += pages[n]);
        };
        if !way.task.is_empty() {
            add(&mut every);
            if !paper::WORSE.contains(&way.task) {
                add(&mut best);
            }
        } else if here[1] > here[0] {
            slow.push(format!("{what}: {here:?} instructions without a pipeline and with it"));
        }
    }
    let two = |[one, other, _]: [u64; 3]| [one, other];
    let [here, report, pages] = best.map(|sums| sums.map(|sum| sum / 12));
    row(&mut page, "mean of the best", two(here), two(report), pages);
    row(&mut page, "all", two(every[0]), two(every[1]), every[2]);
    println!("{page}");
    if best[0][1] * 100 > MOST * best[0][0] {
        slow.push(format!("the mean: {:?}", best[0]));
    }
    if best[2][1] > best[2][0] + MORE_PAGES * 12 {
        slow.push(format!("pages of the best: {:?}", best[2]));
    }
    if best[2][1] + FEWER_PAGES * 12 > best[2][2] {
        slow.push(format!("pages that the segment saves: {:?}", best[2]));
    }
    assert!(slow.is_empty(), "{slow:?}");
    count::keep("pipe-pathlengths.md", &page);
}
