//! What commands cost: the traced commands of "VM/ESA Release 1.1 Performance Report", appendix A, that need no editor
//! and no assembler, one after the other at a saved CMS, counted by TRACE COUNT. Each must do what it is for, and none
//! may execute more than three times the report's instructions.
//!
//! `cargo test -p cms --test pathlengths -- --nocapture` prints the table; with `BLESS=1` it becomes
//! `docs/cms-pathlengths.md`.

use cms::count::{self, Count};
use cms::system::{File, Site};
use std::fmt::Write;

/// A command, what it must show, and what the report has for it: VM/ESA 1.1, a virtual machine in XA mode.
struct Traced {
    name: &'static str,
    typed: &'static str,
    shows: &'static [&'static str],
    report: Counted,
}

#[derive(Clone, Copy)]
struct Counted {
    instructions: u64,
    /// Privileged instructions, and pages of the machine's own that it refers to for the first time.
    special: u64,
    own: u64,
    shared: u64,
}

const fn traced(
    name: &'static str,
    typed: &'static str,
    shows: &'static [&'static str],
    [instructions, special, own, shared]: [u64; 4],
) -> Traced {
    Traced { name, typed, shows, report: Counted { instructions, special, own, shared } }
}

#[rustfmt::skip]
const COMMANDS: &[Traced] = &[
    traced("SET",      "set imsg off", &[], [10454, 80, 23, 44]),
    traced("ACCESS",   "access 295 c", &["C (295) R/O"], [19907, 124, 22, 60]),
    traced("COPY",     "copyfile master script a master file a", &[], [29902, 113, 32, 51]),
    traced("COMPARE",  "compare master script a master file a", &["Comparing MASTER SCRIPT A"], [66970, 570, 24, 44]),
    traced("RENAME",   "rename master file a test script a (updirt", &[], [22743, 87, 28, 50]),
    traced("LISTFILE", "listfile test script a (label", &["TEST     SCRIPT   A1 V", "CMS191"], [12132, 106, 26, 42]),
    traced("XXXX",     "xxxx", &["Unknown CP/CMS command"], [31527, 98, 27, 71]),
    traced("ERASE",    "erase test script a", &[], [16880, 87, 28, 48]),
    traced("EXEC2",    "exec2 x y (all", &["DONE 40 x y"], [66683, 701, 18, 37]),
    traced("QUERY",    "query disk", &["CMS191 191  A", "CMS190 295  C"], [24585, 239, 23, 51]),
    traced("FILEDEF",  "filedef in reader", &[], [7998, 78, 23, 33]),
    traced("PRINT",    "print master script a", &[], [50943, 94, 27, 56]),
    traced("LOAD",     "load br14", &[], [21617, 129, 42, 57]),
    traced("GENMOD",   "genmod br14", &[], [15722, 107, 35, 48]),
    traced("BR14",     "br14", &[], [14164, 91, 25, 49]),
    traced("REXREX",   "rexrex x y (all", &["5050 x y"], [72656, 234, 21, 49]),
    traced("SPKA",     "spka", &[], [63094, 352, 39, 65]),
];

/// No command may take more than so many times the report's instructions.
const MOST: u64 = 3;

fn files() -> Vec<File<'static>> {
    const BR14: &str = "cards\nESD 1 SD:BR14:0:4\nTXT 1 0 1bff07fe\nEND 0 1";
    const EXEC2: &str = "&TRACE OFF\n&N = 0\n-LOOP\n&N = &N + 1\n&IF &N LT 40 &GOTO -LOOP\n&TYPE DONE &N &1 &2\n";
    const REXREX: &str = "/* */\nparse arg a b rest\nsum = 0\n\
        do i = 1 to 100\n  sum = sum + length(word(a b rest, 1)) * i\nend\nsay sum a b\n";
    // LHI 3,100; A: SPKA 0; SPKA X'E0'; BRCT 3,A; SR 15,15; BR 14.
    const SPKA: &str = "a7380064 b20a0000 b20a00e0 a736fffc 1bff 07fe";
    let master: String =
        (0..120).map(|n| format!("Line {n} of a text that is copied, compared and printed.\n")).collect();
    vec![
        ("MASTER", "SCRIPT", "A1", master.leak()),
        ("BR14", "TEXT", "A1", BR14),
        ("EXEC2", "EXEC", "A1", EXEC2),
        ("REXREX", "EXEC", "A1", REXREX),
        ("SPKA", "MODULE", "A1", SPKA),
    ]
}

fn counted(site: &mut Site, command: &Traced) -> (Counted, u64) {
    let (said, Count { instructions, privileged, diagnoses, own, shared }) = count::count(site, command.typed);
    for shown in command.shows {
        assert!(said.contains(shown), "{}: {said}", command.typed);
    }
    let ready = if command.name == "XXXX" { "Ready(-0003);" } else { "Ready;" };
    assert!(said.contains(ready), "{}: {said}", command.typed);
    (Counted { instructions, special: privileged + own, own, shared }, diagnoses)
}

const HEAD: &str = "\
# What CMS commands cost

The commands of appendix A of \"VM/ESA Release 1.1 Performance Report\" that need no editor and no assembler, typed one
after the other in a virtual machine that has IPLed the saved system CMS, in the report's order. Of each: instructions,
special operations (privileged instructions, and pages of the machine's own at their first reference), pages of its own
and shared pages that it refers to; in front of the bar here, behind it in the report (VM/ESA 1.1, XA mode). The last
column counts DIAGNOSE.

The report does not have the texts of its files: MASTER SCRIPT has 120 lines here, EXEC2 and REXREX are loops, SPKA sets
the PSW key 200 times. CP's TRACE COUNT counts; `BLESS=1 cargo test -p cms --test pathlengths` writes this page, and
without BLESS the test fails if a command takes more than 3 times the report's instructions.

| command | instructions | | special | | own pages | | shared pages | | DIAGNOSE |
|---|---:|:---|---:|:---|---:|:---|---:|:---|---:|
";

#[test]
fn no_command_takes_three_times_the_reports_instructions() {
    let Some(cms) = cms::nucleus() else { return };
    let mut site = Site::new(&cms, &[], &files());
    count::begin(&mut site);
    site.says("CMSUSER", "#cp link maint 190 295 rr");
    let mut page = HEAD.to_string();
    let mut over = Vec::new();
    let mut sums = ([0; 4], [0; 4]);
    let fields = |counted: Counted| [counted.instructions, counted.special, counted.own, counted.shared];
    let mut row = |name: &str, here: [u64; 4], report: [u64; 4], diagnoses: u64| {
        let pairs: Vec<String> = here.iter().zip(report).map(|(here, report)| format!("{here} | {report}")).collect();
        writeln!(page, "| {name} | {} | {diagnoses} |", pairs.join(" | ")).expect("a string has room");
    };
    let mut all_diagnoses = 0;
    for command in COMMANDS {
        let (counted, diagnoses) = counted(&mut site, command);
        let (here, report) = (fields(counted), fields(command.report));
        row(command.name, here, report, diagnoses);
        for n in 0..4 {
            sums.0[n] += here[n];
            sums.1[n] += report[n];
        }
        all_diagnoses += diagnoses;
        if counted.instructions > MOST * command.report.instructions {
            over.push(format!("{}: {} instructions", command.name, counted.instructions));
        }
    }
    row("all", sums.0, sums.1, all_diagnoses);
    // What they were for has been done.
    let after = site.says("CMSUSER", "listfile * * a");
    assert!(after.contains("BR14     MODULE   A1") && !after.contains("TEST     SCRIPT"), "{after}");
    let after = site.says("CMSUSER", "query filedef");
    assert!(after.contains("IN") && after.contains("READER"), "{after}");
    assert!(over.is_empty(), "more than {MOST} times the report's: {over:?}");
    count::keep("cms-pathlengths.md", &page);
}
