//! What commands cost: the twenty-five traced commands of "VM/ESA Release 1.1 Performance Report", appendix A, one
//! after the other at a display of a saved CMS, counted by TRACE COUNT. Each must do what it is for. None may execute
//! more than one and a half times the report's instructions, and all together no more than the report's.
//!
//! `cargo test -p cms --test pathlengths -- --nocapture` prints the table; with `BLESS=1` it becomes
//! `docs/cms-pathlengths.md`. `ENDICOTT_PROFILE=COPY` tells which functions a command's instructions were in.

use cms::count::{self, Count};
use cms::seat::Seat;
use cms::system::{File, Site};
use report::paper::{COMMANDS, Counted, Traced};
use std::fmt::Write;
use tn3270::datastream::Aid;

/// No command may take more than so many tenths of the report's instructions, and all together no more than so many.
const MOST: u64 = 15;
const MOST_OF_ALL: u64 = 10;

/// How many tenths of the report's instructions a row may have.
fn most(name: &str) -> u64 {
    match name {
        "all" => MOST_OF_ALL,
        _ => MOST,
    }
}

fn files() -> Vec<File<'static>> {
    const BR14: &str = "source\nBR14     CSECT\n         SR    15,15              NO ERROR\n         \
        BR    14                 RETURN\n         END   BR14\n";
    const EXEC2: &str = "&TRACE OFF\n&N = 0\n-LOOP\n&N = &N + 1\n&IF &N LT 40 &GOTO -LOOP\n&TYPE DONE &N &1 &2\n";
    const REXREX: &str = "/* */\nparse arg a b rest\nsum = 0\n\
        do i = 1 to 100\n  sum = sum + length(word(a b rest, 1)) * i\nend\nsay sum a b\n";
    // LHI 3,100; A: SPKA 0; SPKA X'E0'; BRCT 3,A; SR 15,15; BR 14.
    const SPKA: &str = "a7380064 b20a0000 b20a00e0 a736fffc 1bff 07fe";
    let text = |n: u32| if n == 39 { "a EXECUTION" } else { "a text" };
    let master: String =
        (0..120).map(|n| format!("Line {n} of {} that is copied, compared and printed.\n", text(n))).collect();
    vec![
        ("MASTER", "SCRIPT", "A1", master.leak()),
        ("BR14", "ASSEMBLE", "A1", BR14),
        ("EXEC2", "EXEC", "A1", EXEC2),
        ("REXREX", "EXEC", "A1", REXREX),
        ("SPKA", "MODULE", "A1", SPKA),
    ]
}

/// What a command costs. What it must show and does not is added to `wrong`.
fn counted(seat: &mut Seat, command: &Traced, wrong: &mut Vec<String>) -> (Counted, u64) {
    let profile = std::env::var("ENDICOTT_PROFILE").is_ok_and(|name| name == command.name);
    let count = count::count_at(seat, profile, |seat| {
        seat.says(command.typed);
        if command.name == "INPUT" {
            seat.says("This is an input test line.");
            seat.presses(Aid::Enter);
        }
    });
    let Count { instructions, privileged, diagnoses, own, shared } = count;
    let shown = if seat.is_guests() { seat.rows().join("\n") } else { seat.cp_screen() };
    for wanted in command.shows {
        if !shown.contains(wanted) {
            wrong.push(format!("{}: {wanted} is not in\n{shown}", command.typed));
        }
    }
    (Counted { instructions, special: privileged + own, own, shared }, diagnoses)
}

const HEAD: &str = "\
# What CMS commands cost

The twenty-five commands of appendix A of \"VM/ESA Release 1.1 Performance Report\", typed one after the other at a 3270
in a virtual machine that has IPLed the saved system CMS, in the report's order. Those from XXXX to FILE are typed in
the editor. Of each: instructions, special operations (privileged instructions, and pages of the machine's own at their
first reference), pages of its own and shared pages that it refers to; in front of the bar here, after it in the report
(VM/ESA 1.1, XA mode). The last column counts DIAGNOSE.

The report does not have the texts of its files: MASTER SCRIPT has 120 lines here, EXEC2 and REXREX are loops, SPKA sets
the PSW key 200 times. CP's TRACE COUNT counts; `BLESS=1 cargo test -p cms --test pathlengths` writes this page. The
test fails if a command takes more than 1.5 times the report's instructions, or all together more than the report's.

| command | instructions | | special | | own pages | | shared pages | | DIAGNOSE |
|---|---:|:---|---:|:---|---:|:---|---:|:---|---:|
";

#[test]
fn commands_take_few_instructions() {
    let Some(cms) = cms::nucleus() else { return };
    let mut site = Site::new(&cms, &[], &files());
    count::save(&mut site);
    let mut seat = Seat::new(site, 24, 80);
    seat.log_on_with("ipl cms parm autocr");
    seat.says("#cp link maint 190 295 rr");
    let mut page = HEAD.to_string();
    let (mut over, mut wrong) = (Vec::new(), Vec::new());
    let mut sums = ([0; 4], [0; 4]);
    let fields = |counted: Counted| [counted.instructions, counted.special, counted.own, counted.shared];
    let mut row = |name: &str, here: [u64; 4], report: [u64; 4], diagnoses: u64| {
        let pairs: Vec<String> = here.iter().zip(report).map(|(here, report)| format!("{here} | {report}")).collect();
        writeln!(page, "| {name} | {} | {diagnoses} |", pairs.join(" | ")).expect("a string has room");
        if here[0] * 10 > most(name) * report[0] {
            over.push(format!("{name}: {} instructions, {} in the report", here[0], report[0]));
        }
    };
    let mut all_diagnoses = 0;
    for command in COMMANDS {
        let (counted, diagnoses) = counted(&mut seat, command, &mut wrong);
        let (here, report) = (fields(counted), fields(command.report));
        row(command.name, here, report, diagnoses);
        for n in 0..4 {
            sums.0[n] += here[n];
            sums.1[n] += report[n];
        }
        all_diagnoses += diagnoses;
    }
    row("all", sums.0, sums.1, all_diagnoses);
    // What they were for has been done.
    seat.says("listfile * * a");
    let after = seat.cp_screen();
    assert!(after.contains("BR14     MODULE   A1") && !after.contains("TEST     SCRIPT"), "{after}");
    seat.says("query filedef");
    let after = seat.cp_screen();
    assert!(after.contains("IN") && after.contains("READER"), "{after}");
    println!("{page}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(over.is_empty(), "too many: {over:?}");
    count::keep("cms-pathlengths.md", &page);
}
