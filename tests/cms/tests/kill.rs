//! A machine that is stopped at any moment while CMS writes: the disk is sound, and every file that was closed is
//! whole. `ENDICOTT_KILLS` says how often; 500 take some minutes. XEDIT is stopped after each time slice in which it
//! has written.

use cms::seat::Seat;
use cms::system::Site;

/// Writes files of a few thousand bytes, over and over, and says when each is closed.
const WORK: &str = "\
/* */
parse arg first
do n = first to first + 40
  name = 'F' || n // 7
  'ERASE' name 'DATA A'
  do k = 1 to 60
    'EXECIO 1 DISKW' name 'DATA A (STRING' copies(n, k)
  end
  'FINIS' name 'DATA A'
  say 'closed' name n
end
";

const EVERY: u32 = 40;

#[test]
fn a_stopped_machine_leaves_a_sound_disk() {
    let Some(nucleus) = cms::nucleus() else { return };
    let mut site = Site::new(&nucleus, &[], &[("WORK", "EXEC", "A1", WORK), ("NOTES", "DATA", "A1", "kept")]);
    site.says("CMSUSER", "logon cmsuser cmsuser");
    let (mut told, rounds) = (0, std::env::var("ENDICOTT_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(EVERY));
    for round in 1..=rounds {
        // At every moment of the beginning, then anywhere.
        let slices = if round <= EVERY { round } else { EVERY + round * 7919 % 400 };
        site.says("CMSUSER", "#cp ipl 190 parm autocr");
        let said = site.says_soon("CMSUSER", &format!("work {}", slices * 50), slices);
        // The machine stands still now, as if the power had failed; CP has what it has written.
        site.says_soon("CMSUSER", "#cp system reset", 1);
        let disk = site.user_disk();
        let disk = disk.to_string_lossy();
        let checked = cms::good(&["check", &disk]);
        assert!(checked.contains("0 errors"), "after {slices} slices: {checked}");
        assert_eq!(cms::good(&["get", &disk, "NOTES", "DATA"]), "kept\n");
        let mut closed = said.lines().filter_map(|line| line.strip_prefix("closed ")?.split_once(' '));
        // Of what was closed, the last one under each name is there with all its records, unless it was being replaced.
        if let Some((name, number)) = closed.next_back() {
            told += 1;
            let text = cms::good(&["get", &disk, name, "DATA"]);
            let lines: Vec<&str> = text.lines().collect();
            assert_eq!(lines.len(), 60, "{name} after {slices} slices");
            assert_eq!(lines[1], number.repeat(2), "{name} after {slices} slices");
        }
    }
    assert!(told > rounds / 8, "files were closed in {told} of the rounds");
}

/// More time slices than anything takes.
const ENOUGH: u32 = 100_000;

/// A file of so many lines that hold a word.
fn lines(word: &str) -> String {
    (1..=300).map(|n| format!("line {n} of the file that is {word} and has some blocks\n")).collect()
}

/// A file on the disk as it is now; nothing if it is not there.
fn file(site: &Site, name: &str, kind: &str) -> Option<String> {
    let (program, disk) = (cms::edfdisk()?, site.user_disk());
    let got = cms::run(program, &["get", &disk.to_string_lossy(), name, kind]);
    let text = String::from_utf8_lossy(&got.stdout).into_owned();
    let lines = text.lines().map(|line| format!("{}\n", line.trim_end()));
    got.status.success().then(|| lines.collect())
}

/// Types a subcommand and looks after each time slice whether the disk has been written to: how often it was. Each time
/// it is sound, and `look` is asked.
fn at_each_write(seat: &mut Seat, subcommand: &str, mut look: impl FnMut(&Site)) -> usize {
    let usual = std::mem::replace(&mut seat.slices, 0);
    seat.says(subcommand);
    let (mut before, mut writes) = (seat.site.user_blocks(), 0);
    for _ in 0..ENOUGH {
        let done = seat.site.runs(1);
        let now = seat.site.user_blocks();
        if now != before {
            writes += 1;
            before = now;
            let disk = seat.site.user_disk();
            let checked = cms::good(&["check", &disk.to_string_lossy()]);
            assert!(checked.contains("0 errors"), "{subcommand}, write {writes}: {checked}");
            look(&seat.site);
        }
        if done {
            break;
        }
    }
    seat.slices = usual;
    writes
}

/// However XEDIT is stopped while it writes, the old file is there or the new one, and what it has saved by itself as
/// long as the file is the old one.
#[test]
fn a_stopped_editor_leaves_the_old_file_or_the_new_one() {
    let Some(nucleus) = cms::nucleus() else { return };
    let (old, new) = (lines("old"), lines("new"));
    for (format, subcommand) in [("", "file"), ("", "save"), ("source\n", "ffile"), ("source\n", "ssave")] {
        let text = format!("{format}{old}");
        let mut seat = Seat::new(Site::new(&nucleus, &[], &[("TEXT", "DATA", "A1", &text)]), 24, 80);
        seat.log_on();
        for typed in ["xedit text data", "set case mixed", "set autosave 1", ":1"] {
            seat.says(typed);
        }
        let saved = at_each_write(&mut seat, "c/old/new/ *", |site| {
            assert!(file(site, "TEXT", "DATA").as_ref() == Some(&old), "AUTOSAVE changes the file");
            let own = file(site, "100001", "AUTOSAVE");
            assert!(own.is_none() || own.as_ref() == Some(&new), "a part of an AUTOSAVE file is there");
        });
        assert!(file(&seat.site, "100001", "AUTOSAVE").as_ref() == Some(&new), "no AUTOSAVE file: {:#?}", seat.rows());
        let mut states = [0, 0];
        let written = at_each_write(&mut seat, subcommand, |site| {
            let now = file(site, "TEXT", "DATA");
            let is_new = now.as_ref() == Some(&new);
            assert!(is_new || now.as_ref() == Some(&old), "{subcommand}: neither the old file nor the new one");
            let own = file(site, "100001", "AUTOSAVE");
            assert!(own.as_ref() == Some(&new) || (own.is_none() && is_new), "{subcommand}: no AUTOSAVE file");
            states[usize::from(is_new)] += 1;
        });
        println!(
            "{subcommand}: {saved} writes of AUTOSAVE, {written} of the file, {states:?} with the old and the new"
        );
        assert!(saved > 1 && states[0] > 1 && states[1] > 0, "the disk was seen while it was written");
        assert!(file(&seat.site, "100001", "AUTOSAVE").is_none(), "{subcommand}: the AUTOSAVE file is still there");
    }
}
