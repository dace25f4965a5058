//! A machine that is stopped at any moment while CMS writes: the disk is sound, and every file that was closed is
//! whole. `ENDICOTT_KILLS` says how often; 500 take some minutes.

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
