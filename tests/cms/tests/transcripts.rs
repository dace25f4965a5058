//! Golden transcripts of CMS: what a user types and sees.
//!
//! Each file of `tests/transcripts` is a story. What is shown is compared; everything else is input:
//!
//! ```text
//! -- a comment
//! ** file 190 PROFILE EXEC A1 a line/another line     a file on MAINT's 190 or CMSUSER's 191 (before the first line typed)
//! ** file 191 GREET TEXT A1 deck/GREET.TEXT           a deck that cargo x cms has compiled
//! ** file 191 X TEXT A1 cards/ESD 1 SD:X:0:10/END     a deck card by card (src/cards.rs)
//! ** file 190 CMS HELP A2 help/cms.txt               a file of HELP's
//! ** damage 4                    block 4 of CMSUSER's 191 is written over with X'FF'
//! ** check                       the file system's checker looks at CMSUSER's 191
//! > ipl 190                      CMSUSER types a line, and CMS runs until it waits
//! > 3 type a file                the same, but CMS runs for three time slices only
//! MAINT> query time              another user does
//! < Ready;                       what CMSUSER's terminal shows then
//! ```
//!
//! Times of day and processor times are shown as n. `BLESS=1 cargo test -p cms --test transcripts` writes what is shown now into the files.

use cms::system::Site;
use std::path::Path;

/// Digits of times: `T=0.01/0.02 08:00:01` and `8:00:01`.
fn masked(line: &str) -> String {
    let mut line = line.to_string();
    if let Some(at) = line.find("T=")
        && line.starts_with("Ready")
    {
        line.replace_range(at.., "T=n.nn/n.nn nn:nn:nn");
        return line;
    }
    // How much is free depends on how large the nucleus is.
    if let Some((machine, rest)) = line.split_once("K, ")
        && rest.contains("K free of ")
    {
        return format!("{machine}K, nK free of nK for CMS");
    }
    let bytes = line.clone().into_bytes();
    let digit = |n: usize| bytes.get(n).is_some_and(u8::is_ascii_digit);
    for at in 0..bytes.len() {
        let time = digit(at) && bytes.get(at + 1) == Some(&b':') && digit(at + 2) && digit(at + 3);
        if time && bytes.get(at + 4) == Some(&b':') && digit(at + 5) && digit(at + 6) {
            line.replace_range(at..at + 7, "n:nn:nn");
            if at > 0 && (digit(at - 1) || bytes[at - 1] == b' ') {
                line.replace_range(at - 1..at, "n");
            }
        }
    }
    line
}

fn tell(text: &str, cms: &[std::path::PathBuf; 2]) -> String {
    let mut files: [Vec<[String; 4]>; 2] = Default::default();
    let mut site: Option<Site> = None;
    let mut told = String::new();
    for line in text.lines() {
        let is_shown = line.starts_with('<') || line.split_once('<').is_some_and(|(who, _)| is_user(who));
        if is_shown {
            continue;
        }
        told += &format!("{line}\n");
        if let Some(rest) = line.strip_prefix("** file ") {
            let words: Vec<&str> = rest.splitn(5, ' ').collect();
            let [disk, name, kind, mode, content] = words[..] else { panic!("** file DISK NAME TYPE MODE lines") };
            let content = content.replace('/', "\n").replace("\\s", "/");
            files[usize::from(disk == "191")].push([name.into(), kind.into(), mode.into(), content]);
            continue;
        }
        if line.starts_with("--") || line.trim().is_empty() {
            continue;
        }
        let site = site.get_or_insert_with(|| {
            let lists = files.each_ref().map(|list| {
                list.iter().map(|[n, t, m, c]| (n.as_str(), t.as_str(), m.as_str(), c.as_str())).collect::<Vec<_>>()
            });
            Site::new(cms, &lists[0], &lists[1])
        });
        if let Some(block) = line.strip_prefix("** damage ") {
            site.damage(block.parse().expect("a block number"), 0xff);
        } else if line == "** check" {
            let disk = site.user_disk();
            told += &format!("<{}\n", cms::good(&["check", &disk.to_string_lossy()]).trim_end());
        } else if let Some((who, typed)) = line.split_once('>') {
            let who = if who.is_empty() { "CMSUSER" } else { who };
            let typed = typed.strip_prefix(' ').unwrap_or(typed);
            let shown = match typed.split_once(' ').and_then(|(n, rest)| Some((n.parse::<u32>().ok()?, rest))) {
                Some((slices, rest)) if typed.starts_with(|c: char| c.is_ascii_digit()) && !rest.is_empty() => {
                    site.says_soon(who, rest, slices)
                }
                _ => site.says(who, typed),
            };
            let mark = if who == "CMSUSER" { "" } else { who };
            for line in shown.lines() {
                told += format!("{mark}< {}", masked(line)).trim_end();
                told.push('\n');
            }
        }
    }
    told
}

fn is_user(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
}

#[test]
fn transcripts() {
    let Some(cms) = cms::nucleus() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let bless = std::env::var_os("BLESS").is_some();
    let mut stories: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    stories.sort();
    let mut wrong = Vec::new();
    for path in stories {
        let text = std::fs::read_to_string(&path).unwrap();
        let told = tell(&text, &cms);
        if bless {
            std::fs::write(&path, &told).unwrap();
        } else if told != text {
            let differs = text.lines().zip(told.lines()).position(|(was, is)| was != is);
            let at = differs.unwrap_or_else(|| text.lines().count().min(told.lines().count()));
            let line = |text: &str| text.lines().nth(at).unwrap_or("(the end)").to_string();
            wrong.push(format!("{}:{}\n  was {}\n  is  {}", path.display(), at + 1, line(&text), line(&told)));
        }
    }
    assert!(wrong.is_empty(), "transcripts differ (BLESS=1 accepts):\n{}", wrong.join("\n"));
}
