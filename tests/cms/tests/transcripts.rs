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
