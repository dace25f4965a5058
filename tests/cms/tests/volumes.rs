//! What CPFMTXA writes is what CP reads: the label, the map with its check sum, and records for pages.

use cms::system::Site;
use dasd::allocation::{Allocation, Area, Purpose};
use dasd::{Pages, label};

#[test]
fn cp_reads_the_map_that_cms_writes() {
    let Some(cms) = cms::nucleus() else { return };
    let mut site = Site::new(&cms, &[("DMSLDS", "PART", "A2", "DMSLDS")], &[]);
    let say =
        |site: &mut Site, who: &str, lines: &[&str]| lines.iter().map(|line| site.says(who, line)).collect::<String>();
    say(&mut site, "CMSUSER", &["logon cmsuser cmsuser", "ipl 190 parm autocr"]);
    say(&mut site, "MAINT", &["logon maint maint", "attach 300 cmsuser 300"]);
    let said = say(&mut site, "CMSUSER", &["cpfmtxa 300 vmpag1 format 0-end", "yes"]);
    assert!(said.contains("CYLINDERS 0 TO 11 OF VMPAG1 ARE FORMATTED"), "{said}");
    let real = site.cp.disks.reals().into_iter().find(|real| real.number == 0x300).expect("it is there");
    let read = || Allocation::read(&*real.volume).expect("it is whole").expect("there is one");
    assert_eq!(read(), Allocation::new(real.volume.kind()));
    assert_eq!(label::read(&*real.volume).expect("it is whole").map(|label| label.volser).as_deref(), Some("VMPAG1"));
    say(&mut site, "CMSUSER", &["cpfmtxa 300 vmpag1 allocate", "page 1-9", "spol 11", "end"]);
    say(&mut site, "CMSUSER", &["cpfmtxa 300 vmpag1 owner vm1"]);
    let mut expected = Allocation::new(real.volume.kind());
    let area = |purpose, first, last| Area { purpose, first, last };
    expected.allocate(&[area(Purpose::Page, 1, 9), area(Purpose::Spool, 11, 11)]).expect("it has them");
    expected.set_owner("VM1").expect("it is a name");
    assert_eq!(read(), expected);
    // The pages are there, all zeros.
    let pages = Pages::new(real.volume.clone(), vec![area(Purpose::Page, 1, 9)]).expect("it has them");
    let mut page = [1; 4096];
    for slot in [0, 11, 12, pages.slots() - 1] {
        pages.read(slot, &mut page).expect("it is formatted");
        assert_eq!(page, [0; 4096]);
        page[0] = 1;
    }
    // And what CP writes is what CMS reads.
    expected.allocate(&[area(Purpose::Temporary, 2, 3)]).expect("it has them");
    expected.write(&*real.volume).expect("the label is there");
    let said = say(&mut site, "CMSUSER", &["cpfmtxa 300 vmpag1"]);
    assert!(said.contains("TDSK          2          3          2"), "{said}");
}
