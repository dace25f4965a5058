//! Where a saved segment lies: callable services at 7, 30 and 35 MB, as VMLIB of table 19 in "VM/ESA Release 1.1
//! Performance Report". The report found no difference to users between 7M and 30M; at 35M the segment table no longer
//! lies in the user's block, and each user has one page less that can be paged.

use cms::count;
use cms::system::{File, Site};

/// An exec that calls a routine of VMLIB.
const EXEC: File<'_> = (
    "CALLS",
    "EXEC",
    "A1",
    "/* */\nf = 'CALLS EXEC A'; l = length(f)\ncall csl 'DMSEXIST rc rsn f l'\nsay 'code' rc\n",
);

/// A system with so many bytes of storage, in which frames are counted.
const STORAGE: u64 = 256 << 20;

/// What a user of the segment costs: instructions and pages of its own of the exec, frames that cannot be paged, and
/// frames that can.
#[derive(PartialEq, Debug)]
struct Cost {
    instructions: u64,
    own: u64,
    fixed: u64,
}

/// `FREE` of QUERY FRAMES: CP's blocks for virtual machines.
fn fixed(site: &mut Site) -> u64 {
    let said = site.says("MAINT", "#cp query frames");
    let line = said.lines().skip_while(|line| !line.starts_with("AVAIL")).nth(1).unwrap_or_else(|| panic!("{said}"));
    line.split_whitespace().nth(5).and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{said}"))
}

/// With the segment at this page. MAINT makes it, in a machine that has storage there.
fn cost(cms: &[std::path::PathBuf; 2], page: u64) -> Cost {
    let mut site = Site::with_storage(cms, &[], &[EXEC], STORAGE);
    count::save_alone(&mut site);
    for line in ["#cp define storage 48m", "ipl 190 parm autocr"] {
        site.says("MAINT", line);
    }
    let said = site.says("MAINT", &format!("seggen cmsvmlib {page:x}"));
    assert!(said.contains("CMSVMLIB was successfully saved"), "{said}");
    site.says("MAINT", "#cp define storage 16m");
    count::begin(&mut site);
    let before = fixed(&mut site);
    for _ in 0..2 {
        let said = site.says("CMSUSER", "calls");
        assert!(said.contains("code 0"), "{said}");
    }
    let said = site.says("CMSUSER", "query segment cmsvmlib");
    assert!(said.contains(&format!("{:08X}", page * 4096)), "{said}");
    let (_, count) = count::count_profiled(&mut site, "calls", false);
    Cost { instructions: count.instructions, own: count.own, fixed: fixed(&mut site) - before }
}

#[test]
fn a_segment_above_32_megabytes_costs_a_page() {
    let Some(cms) = cms::nucleus() else { return };
    let [low, middle, high] = [0x700, 0x1e00, 0x2300].map(|page| cost(&cms, page));
    println!("| CMSVMLIB at | instructions | own pages | pages that are fixed | the report: pageable pages a user |");
    for (at, cost, report) in [("7M", &low, "18.6"), ("30M", &middle, "18.7"), ("35M", &high, "17.7")] {
        println!("| {at} | {} | {} | {} | {report} |", cost.instructions, cost.own, cost.fixed);
    }
    assert_eq!(low, middle);
    assert_eq!((low.fixed, high.fixed), (0, 1));
    assert_eq!((low.instructions, low.own), (high.instructions, high.own));
}
