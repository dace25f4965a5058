//! Golden transcripts of CMS: what a user types and sees.
//!
//! Each file of `tests/transcripts` is a story. What is shown is compared; everything else is input:
//!
//! ```text
//! -- a comment
//! ** file 190 PROFILE EXEC A1 a line/another line     a file on MAINT's 190 or CMSUSER's 191 (before the first line
//! typed)
//! ** file 191 GREET TEXT A1 deck/GREET.TEXT           a deck that cargo x cms has compiled
//! ** file 191 LUA MODULE A1 made/LUA.MODULE          a module that it has made
//! ** file 191 X TEXT A1 cards/ESD 1 SD:X:0:10/END     a deck card by card (src/cards.rs)
//! ** file 191 X ASSEMBLE A1 source/X CSECT/ END    a file of cards, not of lines of their own lengths
//! ** file 190 CMS HELP A2 help/CMS.HELP              a file of HELP's, as cargo x cms makes it
//! ** folder 191 demo             the files of guest/cms/disks/demo
//! ** damage 4                    block 4 of CMSUSER's 191 is written over with X'FF'
//! ** dated                       what is shown depends on the date, 20 November 1991
//! ** typewriter                  it is about a console that is a typewriter: not played at displays
//! ** check                       the file system's checker looks at CMSUSER's 191
//! ** wait 5                      five seconds pass: not played at displays, whose clock is the host's
//! > ipl 190                      CMSUSER types a line, and CMS runs until it waits
//! > 3 type a file                the same, but CMS runs for three time slices only
//! MAINT> query time              another user does
//! < Ready;                       what CMSUSER's terminal shows then
//! ```
//!
//! Times of day and processor times are shown as n. `BLESS=1 cargo test -p cms --test transcripts` writes what is shown
//! now into the files; `STORY=tape` plays only those with that in their names.

use cms::story::{Story, What, folder_of_disk, masked};
use cms::system::Site;
use std::collections::BTreeSet;
use std::path::Path;
use support::stories::told_again;

fn tell(text: &str, cms: &[std::path::PathBuf; 2]) -> String {
    let story = Story::parse(text);
    let mut site: Option<Site> = None;
    let mut told = String::new();
    for step in &story.steps {
        told += &format!("{}\n", step.line);
        if step.what == What::Nothing {
            continue;
        }
        let site = site.get_or_insert_with(|| Site::new(cms, &story.system(), &story.user()));
        match &step.what {
            What::Nothing => (),
            What::Damage(block) => site.damage(*block, 0xff),
            What::Wait(seconds) => {
                for line in site.waits("CMSUSER", *seconds).lines() {
                    told += format!("< {}", masked(line)).trim_end();
                    told.push('\n');
                }
            }
            What::Check => {
                let disk = site.user_disk();
                told += &format!("<{}\n", cms::good(&["check", &disk.to_string_lossy()]).trim_end());
            }
            What::Type { who, text, slices } => {
                let shown = match slices {
                    Some(slices) => site.says_soon(who, text, *slices),
                    None => site.says(who, text),
                };
                let mark = if who == "CMSUSER" { "" } else { who };
                for line in shown.lines() {
                    told += format!("{mark}< {}", masked(line)).trim_end();
                    told.push('\n');
                }
            }
        }
    }
    told
}

#[test]
fn transcripts() {
    let Some(cms) = cms::nucleus() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    told_again(&folder, |text| tell(text, &cms));
}

/// A program of the sample system's disks is run by a story, where it does what the story shows.
#[test]
fn each_program_for_users_has_a_story() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let stories = ["demo", "tools", "lua-demo", "console", "network", "retrieve"].map(|name| {
        let text = std::fs::read_to_string(folder.join(name).with_extension("txt")).expect("the story is there");
        Story::parse(&text).steps.into_iter().map(|step| step.line.to_uppercase()).collect::<Vec<_>>()
    });
    let mut programs = 0;
    for disk in ["demo", "tools"] {
        for [name, kind, ..] in folder_of_disk(disk) {
            let run = ["EXEC", "REXX", "XEDIT", "ASSEMBLE", "LUA"].contains(&kind.as_str());
            let word = |line: &String| line.starts_with('>') && line.split([' ', '>']).any(|word| word == name);
            assert!(!run || stories.iter().flatten().any(word), "no story runs {name} {kind}");
            programs += usize::from(run);
        }
    }
    assert!(programs >= 15, "{programs} programs");
}

/// Every number of a message that files below a folder show: DMS, three letters, the number, a letter.
fn shown_in(folder: &Path, numbers: &mut BTreeSet<u32>) {
    for entry in std::fs::read_dir(folder).expect("a folder of tests") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            shown_in(&path, numbers);
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        numbers.extend(text.split("DMS").skip(1).filter_map(|after| {
            let after = after.get(3..)?;
            let digits = after.find(|c: char| !c.is_ascii_digit())?;
            after[digits..].starts_with(['I', 'W', 'E', 'S', 'T', 'R']).then(|| after[..digits].parse::<u32>().ok())?
        }));
    }
}

/// A message is shown by a test, or is one of those in `unshown.txt`: that list only gets shorter.
#[test]
fn each_message_is_shown_but_for_a_list() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let list = folder.join("unshown.txt");
    let mut shown = BTreeSet::new();
    for tests in [folder.clone(), folder.join("../../../vm/tests"), folder.join("../../../cp/nucleus/tests")] {
        shown_in(&tests, &mut shown);
    }
    let sources = std::fs::read_to_string(cms::source().join("help/messages.txt")).expect("the messages");
    let mut told = String::new();
    let mut seen = BTreeSet::new();
    for (number, text) in sources.lines().filter_map(|line| line.strip_prefix('.')?.split_once(' ')) {
        let value = number.parse().expect("a number");
        if seen.insert(value) && !shown.contains(&value) {
            told += &format!("{number} {text}\n");
        }
    }
    let mut listed = std::fs::read_to_string(&list).expect("the list");
    if std::env::var_os("BLESS").is_some() {
        // What is new stays out: it wants a test.
        let is_listed = |line: &&str| listed.lines().any(|old| old.split(' ').next() == line.split(' ').next());
        let left: String = told.split_inclusive('\n').filter(is_listed).collect();
        std::fs::write(&list, &left).expect("the repository is writable");
        listed = left;
    }
    let news: Vec<&str> = told.lines().filter(|line| !listed.lines().any(|old| old == *line)).collect();
    assert!(news.is_empty(), "no test shows:\n{}", news.join("\n"));
    let known: Vec<&str> = listed.lines().filter(|old| !told.lines().any(|line| line == *old)).collect();
    assert!(known.is_empty(), "BLESS=1 takes out of unshown.txt what tests show:\n{}", known.join("\n"));
    println!("{} of {} messages are shown", seen.len() - told.lines().count(), seen.len());
}
