//! What a pipeline costs and what an exec does for the same: instructions of both, counted by TRACE COUNT. The twelve
//! tasks are those of `transcripts/pipetraces.txt` and `pipe-day.txt`, whose files are these stories'; three more are
//! about three hundred records.
//!
//! `BLESS=1 cargo test -p cms --test pipelengths` writes `docs/pipe-pathlengths.md`.

use cms::count;
use cms::story::Story;
use cms::system::{File, Site};
use std::fmt::Write;
use std::path::Path;

/// What is done; the execs that do it without a pipeline and with one; what is typed before each, and after it to see
/// what it has done.
struct Task {
    what: &'static str,
    without: &'static str,
    with: &'static str,
    before: &'static str,
    after: &'static str,
}

const fn task(what: &'static str, without: &'static str, with: &'static str, before: &'static str) -> Task {
    Task { what, without, with, before, after: "" }
}

const LITTLE: &[Task] = &[
    task("1: a file of 6 records into a stem, typed", "rexx1", "pipe1", ""),
    task("2: QUERY NAMES into a stem, typed", "rexx2", "pipe2", ""),
    task("3: QUERY DISK into a stem, typed", "rexx3", "pipe3", ""),
    task("4: a file of one line", "rexx4", "pipe4", "erase out out"),
    task("5: the mode letter of a disk", "rexx5", "pipe5", ""),
    task("6: a file of 6 records, typed", "rexx6", "pipe6", ""),
    task("7: users disconnected", "rexx7", "pipe7", ""),
    task("8: names in columns, some typed, some into a file", "rexx8", "pipe8", ""),
    task("9: records from one that begins so to one that begins so", "rexx9", "pipe9", ""),
    task("10: a part of some records, by a filter in REXX", "rexx10", "pipe10", ""),
    task("10: the same, the filter selects as well", "rexx10", "pipe10b", ""),
    task("11: cards into a stem, typed", "rexx11", "pipe11", "cards"),
    task("12: columns of cards into a file", "rexx12", "pipe12", "cards"),
];

const LARGE: &[Task] = &[
    task("300 records: how many have a string", "rexxloc", "pipeloc", ""),
    task("300 records: words in order, each once, the first ten", "rexxsort", "pipesort", ""),
    Task {
        what: "300 records: columns into another file",
        without: "rexxcols",
        with: "pipecols",
        before: "erase cols file",
        after: "type cols file",
    },
];

const EXECS: [(&str, &str); 6] = [
    (
        "REXXLOC",
        "/**/\n'EXECIO * DISKR LARGE FILE A (FINIS STEM L.'\nn = 0\n\
         do i = 1 to l.0\n  if pos('7', l.i) > 0 then n = n + 1\nend\nsay n\n",
    ),
    ("PIPELOC", "/**/\n'PIPE < LARGE FILE | LOCATE /7/ | COUNT LINES | CONSOLE'\n"),
    (
        "REXXSORT",
        "/**/\n'EXECIO * DISKR LARGE FILE A (FINIS STEM L.'\nseen. = 0\nn = 0\n\
         do i = 1 to l.0\n  w = word(l.i, 3)\n  if seen.w then iterate\n  seen.w = 1\n  \
         do k = n to 1 by -1 while s.k > w\n    m = k + 1\n    s.m = s.k\n  end\n  k = k + 1\n  s.k = w\n  n = n + \
         1\nend\ndo i = 1 to 10\n  say s.i\nend\n",
    ),
    ("PIPESORT", "/**/\n'PIPE < LARGE FILE | SPECS W3 1 | SORT UNIQUE | TAKE 10 | CONSOLE'\n"),
    (
        "REXXCOLS",
        "/**/\n'EXECIO * DISKR LARGE FILE A (FINIS STEM L.'\n\
         do i = 1 to l.0\n  l.i = substr(l.i, 6, 4)left(word(l.i, 3), 8)\nend\n\
         'EXECIO' l.0 'DISKW COLS FILE A (FINIS STEM L.'\n",
    ),
    ("PIPECOLS", "/**/\n'PIPE < LARGE FILE | SPECS 6-9 1 W3 5.8 | > COLS FILE A'\n"),
];

const HEAD: &str = "\
# What pipelines cost

Instructions of an exec that does a task with EXECIO, the program stack and loops, and of one that has a pipeline for
it. What they type is the same. The first twelve work on a few lines, so that reading the exec and starting a pipeline
(stages with stacks of their own) weigh most; those of 300 records show what a record costs. CP's TRACE COUNT counts,
with a saved CMS; `BLESS=1 cargo test -p cms --test pipelengths` writes this page, and the test fails if one for 300
records takes more instructions than the exec.

| task | exec | pipeline | of it |
|---|---:|---:|---:|
";

/// What both execs say, but for how long it took.
fn told(said: &str) -> Vec<String> {
    said.lines()
        .skip_while(|line| line.is_empty())
        .filter(|line| !line.starts_with("Ready;"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn pipelines_cost_less_than_loops() {
    let Some(cms) = cms::nucleus() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let stories = ["pipetraces.txt", "pipe-day.txt"]
        .map(|name| Story::parse(&std::fs::read_to_string(folder.join(name)).expect("the story is there")));
    let mut files: Vec<File<'_>> = stories.iter().flat_map(Story::user).collect();
    let large: String =
        (0..300).map(|n| format!("{:04} {:04} W{:03} and other words.\n", n, n * 7919 % 10_000, n * 31 % 20)).collect();
    files.push(("LARGE", "FILE", "A1", &large));
    files.extend(EXECS.iter().map(|(name, text)| (*name, "EXEC", "A1", *text)));
    files.sort_unstable();
    files.dedup_by(|one, other| one.0 == other.0 && one.1 == other.1);
    let mut site = Site::new(&cms, &[], &files);
    count::begin(&mut site);
    let (mut page, mut sums, mut slow) = (HEAD.to_string(), [0, 0], Vec::new());
    for task in LITTLE.iter().chain(LARGE) {
        let [(without, least), (with, most)] = [task.without, task.with].map(|exec| {
            if !task.before.is_empty() {
                site.says("CMSUSER", task.before);
            }
            let (said, count) = count::count(&mut site, exec);
            assert!(said.contains("Ready;"), "{exec}: {said}");
            let after = if task.after.is_empty() { String::new() } else { site.says("CMSUSER", task.after) };
            (count.instructions, [told(&said), told(&after)])
        });
        assert_eq!(least, most, "{}: {} and {}", task.what, task.without, task.with);
        writeln!(page, "| {} | {without} | {with} | {}% |", task.what, with * 100 / without)
            .expect("a string has room");
        sums = [sums[0] + without, sums[1] + with];
        if task.what.starts_with("300") && with > without {
            slow.push(format!("{}: {with} instructions, {without} without a pipeline", task.what));
        }
    }
    writeln!(page, "| all | {} | {} | {}% |", sums[0], sums[1], sums[1] * 100 / sums[0]).expect("a string has room");
    assert!(slow.is_empty(), "{slow:?}");
    count::keep("pipe-pathlengths.md", &page);
}
