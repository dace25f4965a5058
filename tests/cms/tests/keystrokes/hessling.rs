//! A second opinion: THE, the Hessling Editor, performs the same macros on the same files, and the files are the same
//! afterwards. It is run as it is (Debian's package `the`); where it is not installed the test is skipped.
//!
//! Each subcommand of a generated macro begins at a line that is named by its number, because the two editors leave the
//! line pointer at different places. What they do differently is [`DIFFERENCES`], and those are performed, too.

use crate::session::words;
use cms::seat::Seat;
use cms::system::{File, Site};
use std::path::Path;
use std::process::{Command, Stdio};
use support::Random;

const MACROS: usize = 40;
const SUBCOMMANDS: usize = 8;

/// Subcommands on `apple banana cherry date elder fig`, what the file is afterwards here and there, and why.
const DIFFERENCES: [(&[&str], &str, &str, &str); 11] = [
    (
        &[":2", "/zzz/", "input *"],
        "apple banana cherry date elder fig *",
        "apple banana * cherry date elder fig",
        "With STAY OFF a string that is not found leaves the line pointer at End of File; THE never moves it.",
    ),
    (
        &[":1", "c/q/r/ 3", "input *"],
        "apple banana cherry * date elder fig",
        "apple * banana cherry date elder fig",
        "CHANGE ends at the last line that it has looked at; in THE only where it has changed something.",
    ),
    (
        &[":1", "sort * d 1 5", "input *"],
        "fig * elder date cherry banana apple",
        "* fig elder date cherry banana apple",
        "SORT stays where it began; THE goes to the line above.",
    ),
    (
        &[":2", "duplicat 2 2", "input *"],
        "apple banana cherry banana cherry banana cherry * date elder fig",
        "apple banana * cherry banana cherry banana cherry date elder fig",
        "The last copied line is current; in THE the first of the group.",
    ),
    (
        &[":2", "put 2", "input *"],
        "apple banana cherry date * elder fig",
        "apple banana cherry * date elder fig",
        "PUT ends below the lines that it has kept; THE at the last of them.",
    ),
    (
        &[":2", "put 2", ":6", "get", "input *"],
        "apple banana cherry date elder fig banana cherry *",
        "apple banana cherry date elder fig * banana cherry",
        "The last line that GET brings is current; THE stays where it was.",
    ),
    (
        &[":1", "uppercas 1", ":1", "sort 3 a 1 2"],
        "banana cherry APPLE date elder fig",
        "APPLE banana cherry date elder fig",
        "Small letters are before capital ones in EBCDIC.",
    ),
    (
        &[":3", "put -2", ":1", "get"],
        "apple banana cherry banana cherry date elder fig",
        "apple cherry banana banana cherry date elder fig",
        "PUT of a target above keeps the lines in their order; THE keeps them upwards.",
    ),
    (
        &[":6", "clocate :4", "cdelete 2", "cfirst"],
        "apple banana cherry date elder fig",
        "apple banana cherry date elder ",
        "CDELETE finds nothing to the right of a line's end; THE takes the whole line there.",
    ),
    (
        &[":4", "delete *", ":6", "duplicat 1 -1", ":0", "input *"],
        "* apple banana cherry",
        "apple banana cherry *** Bottom of File ***",
        "No line can be duplicated at End of File; THE takes the line that says where the file begins or ends.",
    ),
    (
        &[":3", "delete", "recover"],
        "apple banana cherry date elder fig",
        "apple banana date elder fig",
        "THE has RECOVER, COPY, MOVE, SPLIT, JOIN and RESET, but not where it has no screen.",
    ),
];

/// A number of lines, forwards or backwards.
fn some(random: &mut Random) -> String {
    match random.below(5) {
        0 => format!("-{}", 1 + random.below(4)),
        _ => format!("{}", 1 + random.below(5)),
    }
}

/// Some lines, or all of the rest.
fn lines(random: &mut Random) -> String {
    if random.one_in(5) { "*".into() } else { some(random) }
}

fn subcommand(random: &mut Random, sorts: bool) -> String {
    let to = lines(random);
    let string = random.pick(&["a", "b", "ab", "e", "d", "zz"]);
    match random.below(19) {
        // So few that none of a macro's subcommands is at an end of the file.
        0 | 1 => format!("delete {}", random.pick(&["1", "2", "-2", "3"])),
        2..=4 => {
            let counts = random.pick(&["", "*", "1 2", "* 2", "2 1"]);
            format!("change /{string}/{}/ {to} {counts}", random.pick(&["x", "", "yy"]))
        }
        5 => format!("input {}", words(random, 3)),
        6 => format!("replace {}", words(random, 3)),
        7 => format!("add {}", 1 + random.below(3)),
        8 => format!("duplicat {} {to}", 1 + random.below(2)),
        9 if sorts => format!("sort {to} {} 1 {}", random.pick(&["a", "d"]), 1 + random.below(4)),
        9 => format!("uppercas {to}"),
        10 => format!("lowercas {to}"),
        11 => format!("shift {} {} {to}", random.pick(&["left", "right"]), 1 + random.below(3)),
        // THE leaves a blank before what is appended to a line of one character, or one that CREPLACE has made longer.
        12 => format!("replace fig\ncappend {}", words(random, 1)),
        13 => format!("clocate :{}\ncinsert xx\ncfirst", 1 + random.below(3)),
        14 => "cfirst\ncdelete 1".into(),
        15 => "cfirst\ncreplace x".into(),
        16 => format!("set stay on\n/{string}/\nset stay off\ninput found {string}"),
        17 => format!("all /{string}/\n:1\nchange /{string}/v/ *\nall"),
        _ => format!("put {}\n:1\nget", some(random).trim_start_matches('-')),
    }
}

/// The lines of a macro.
fn generated(random: &mut Random) -> Vec<String> {
    let sorts = random.one_in(2);
    let mut made = Vec::new();
    for _ in 0..SUBCOMMANDS {
        made.push(format!(":{}", 6 + random.below(8)));
        made.extend(subcommand(random, sorts).lines().map(str::to_owned));
    }
    made
}

/// What THE makes of a file.
fn there(folder: &Path, lines: &[String], subcommands: &[String]) -> Vec<String> {
    let quoted = |line: &String| format!("\"{line}\"\n");
    let own = "'set compat xedit xedit xedit'\n'set stay off'\n'set case mixed respect'\n";
    let text = format!("/* */\n{own}{}'ffile out.txt'\n", subcommands.iter().map(quoted).collect::<String>());
    std::fs::write(folder.join("macro.the"), text).expect("the folder is ours");
    std::fs::write(folder.join("in.txt"), lines.join("\n") + "\n").expect("the folder is ours");
    let _ = std::fs::remove_file(folder.join("out.txt"));
    let mut the = Command::new("the");
    the.args(["-b", "-p", "macro.the", "in.txt"]).current_dir(folder).stdin(Stdio::null());
    let done = the.output().expect("it was there a moment ago");
    let text = std::fs::read_to_string(folder.join("out.txt"));
    let text = text.unwrap_or_else(|_| panic!("{subcommands:?}: {}", String::from_utf8_lossy(&done.stdout)));
    text.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// `SEED=N`: other macros.
#[test]
fn the_hessling_editor_makes_the_same_files() {
    let Some(cms) = cms::nucleus() else { return };
    if Command::new("the").arg("-h").stdin(Stdio::null()).output().is_err() {
        println!("skipped: THE is not installed (Debian package `the`)");
        return;
    }
    let seed = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut random = Random::seeded(seed);
    let fruit: Vec<String> = ["apple", "banana", "cherry", "date", "elder", "fig"].map(String::from).into();
    let mut all: Vec<(Vec<String>, Vec<String>)> = (0..MACROS)
        .map(|_| ((0..40 + random.below(9)).map(|_| words(&mut random, 4)).collect(), generated(&mut random)))
        .collect();
    all.extend(DIFFERENCES.iter().map(|case| (fruit.clone(), case.0.iter().map(|line| (*line).to_owned()).collect())));
    // Names, files and macros of the user's disk.
    let texts: Vec<[String; 3]> = all
        .iter()
        .enumerate()
        .map(|(n, (lines, subcommands))| {
            let quoted: String = subcommands.iter().map(|line| format!("\"{line}\"\n")).collect();
            let text = format!("/* */\n'set case mixed respect'\n{quoted}'ffile out{n} data a'\n");
            [format!("M{n}"), format!("source\n{}\n", lines.join("\n")), text]
        })
        .collect();
    let user: Vec<File<'_>> = texts
        .iter()
        .flat_map(|[name, lines, text]| {
            [(name.as_str(), "DATA", "A1", lines.as_str()), (name.as_str(), "XEDIT", "A1", text.as_str())]
        })
        .collect();
    let mut seat = Seat::new(Site::new(&cms, &[], &user), 24, 80);
    seat.log_on();
    for (n, (_, subcommands)) in all.iter().enumerate() {
        seat.says(&format!("xedit m{n} data"));
        assert!(seat.is_guests(), "{}", seat.cp_screen());
        seat.says(&format!("m{n}"));
        assert!(!seat.is_guests(), "{subcommands:?} has not ended: {:#?}", seat.rows());
    }
    let disk = seat.site.user_disk();
    let folder = cms::scratch().join("the");
    std::fs::create_dir_all(&folder).expect("the folder above is ours");
    let mut wrong = Vec::new();
    for (n, (lines, subcommands)) in all.iter().enumerate() {
        let text = cms::good(&["get", &disk.to_string_lossy(), &format!("OUT{n}"), "DATA"]);
        let here: Vec<String> = text.lines().map(|line| line.trim_end().to_owned()).collect();
        let there = there(&folder, lines, subcommands);
        match n.checked_sub(MACROS).map(|n| DIFFERENCES[n]) {
            None if here != there => {
                wrong.push(format!("{subcommands:?} of {lines:?}:\nhere {here:?}\nTHE  {there:?}"))
            }
            Some((_, ours, theirs, why)) if here.join(" ") != ours || there.join(" ") != theirs => {
                wrong.push(format!("{subcommands:?}: {why}\nhere {}\nTHE {}", here.join(" "), there.join(" ")));
            }
            _ => {}
        }
    }
    println!("{} macros, {} differences", MACROS, DIFFERENCES.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
