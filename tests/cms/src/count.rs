//! What a line costs a virtual machine, by CP's TRACE COUNT, and pages of the documentation that are made of such
//! counts.

use crate::profile;
use crate::seat::Seat;
use crate::system::Site;
use std::path::Path;

/// A virtual machine that is counted executes a few instructions in a time slice.
const SLICES: u32 = 1_000_000;

/// What TRACE END COUNT shows: `own` and `shared` are pages.
#[derive(Clone, Copy)]
pub struct Count {
    /// Instructions executed.
    pub instructions: u64,
    /// Of these, privileged ones.
    pub privileged: u64,
    /// DIAGNOSE instructions.
    pub diagnoses: u64,
    /// Pages of its own.
    pub own: u64,
    /// Pages that it shares.
    pub shared: u64,
}

/// The number after `KEY=`.
fn number(text: &str, key: &str) -> u64 {
    let (_, rest) = text.split_once(&format!("{key}=")).unwrap_or_else(|| panic!("{key} in {text}"));
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().expect("a number")
}

/// What CMSUSER's terminal shows of the line, and what that has cost. With `profile` it is told on standard output
/// which functions of CMS were executed most.
pub fn count_profiled(site: &mut Site, typed: &str, profile: bool) -> (String, Count) {
    site.says("CMSUSER", if profile { "#cp trace count by 2" } else { "#cp trace count" });
    let said = site.says_soon("CMSUSER", typed, SLICES);
    let counted = site.says("CMSUSER", "#cp trace end count");
    if profile {
        println!("{}", profile::by_function(&counted));
    }
    (said, counts(&counted))
}

/// What TRACE END COUNT says in its answer.
pub fn counts(answer: &str) -> Count {
    Count {
        instructions: number(answer, "INSTRUCTIONS"),
        privileged: number(answer, "PRIVILEGED"),
        diagnoses: number(answer, "DIAGNOSE"),
        own: number(answer, "NONSHARED"),
        shared: number(answer, " SHARED"),
    }
}

/// Where MAINT puts the segments of CMS's parts: their names, and the pages.
pub const SEGMENTS: [(&str, u64); 2] = [("PIPES", 0xe00), ("CMSVMLIB", 0xe40)];

/// MAINT saves CMS, and the segments.
pub fn save(site: &mut Site) {
    save_alone(site);
    for (name, page) in SEGMENTS {
        let said = site.says("MAINT", &format!("seggen {name} {page:x}"));
        assert!(said.contains(&format!("{name} was successfully saved")), "{said}");
    }
}

/// MAINT saves CMS; its parts are in no segments.
pub fn save_alone(site: &mut Site) {
    site.says("MAINT", "logon maint maint");
    let saved = site.says("MAINT", "ipl 190 clear parm savesys cms");
    assert!(saved.contains("(NSS) CMS was successfully saved"), "{saved}");
    // The line that a user types first.
    site.says("MAINT", "");
}

/// CMSUSER IPLs CMS, which MAINT has saved.
pub fn begin(site: &mut Site) {
    site.says("CMSUSER", "logon cmsuser cmsuser");
    site.says("CMSUSER", "ipl cms parm autocr");
}

/// What a person at a display does costs so much; MAINT, whom [`save`] has logged on, asks CP. With `profile` it is
/// told on standard output which functions of CMS were executed most.
pub fn count_at(seat: &mut Seat, profile: bool, what: impl FnOnce(&mut Seat)) -> Count {
    let by = if profile { " by 2" } else { "" };
    seat.site.says("MAINT", &format!("for cmsuser cmd trace count{by}"));
    let slices = std::mem::replace(&mut seat.slices, SLICES);
    what(seat);
    seat.slices = slices;
    let answer = seat.site.says("MAINT", "for cmsuser cmd trace end count");
    if profile {
        println!("{}", profile::by_function(&answer));
    }
    counts(&answer)
}

/// The page `docs/NAME`: with `BLESS` it is written. Another compiler makes other instructions, but not many more or
/// fewer: the first number of the row `all` may differ by a quarter.
pub fn keep(name: &str, page: &str) {
    println!("{page}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, page).expect("the folder is there");
    }
    let written = std::fs::read_to_string(&path).expect("the page is there");
    let all = |page: &str| -> u64 {
        let row = page.lines().find_map(|line| line.strip_prefix("| all | ")).expect("a row for all");
        row.split(' ').next().and_then(|n| n.parse().ok()).expect("a number")
    };
    let (was, is) = (all(&written), all(page));
    assert!(
        is * 4 < was * 5 && was * 4 < is * 5,
        "{name}: all take {is} instructions, not {was}: write it anew (BLESS=1)"
    );
}
