//! Real disks at control units that SYSTEM CONFIG chooses (SUBSYSTEM): what programs find there, and what CP shows.

use super::*;
use devices::dasd::ControlUnitModel;
use nucleus::minidisk::subsystem::Settings;

/// A site with control units of these models, `04` the first, and a 3380 at each (0400, 0500 ...).
fn site(models: &[&str]) -> Site {
    let site = Site::new();
    let model = |name: &&str| ControlUnitModel::named(name).expect("there is this model");
    let subsystems = (4..).zip(models).map(|(number, name)| Settings::of(number, model(name))).collect();
    site.cp.disks.set_policy(Policy { subsystems, ..site.cp.disks.policy() });
    for number in (4..).take(models.len()) {
        let pack = Memory::ckd(CkdModel::named("3380-A").expect("there is this model"), 20);
        site.cp.disks.install(number << 8, Arc::new(pack), "work".into()).expect("it can be there");
    }
    site
}

/// Attaches a real disk to MAINT under its number.
fn attach(maint: &Seat<'_>, rdev: &str) {
    assert_eq!(
        maint.says(&format!("attach {rdev} to * as {rdev}")),
        [format!("DASD {rdev} ATTACHED TO MAINT {rdev} WITH DEVCTL")]
    );
}

/// What a program of MAINT's reads by one command of a disk's; `None`: the command is rejected.
fn read(site: &Site, maint: &Seat<'_>, vdev: u32, command: u32, count: u32) -> Option<Vec<u8>> {
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    let ccws = words(&[command << 24 | 0x7000, 0x2000_0000 | count]);
    let general = words(&[vdev << 16, 0, 0xc80, 0, 0, 0, 0]);
    let data = [(0xc80, &ccws[..]), (0x7000, &[0; 64]), (0xd00, &[0; 88]), (0xd00, &general[..])];
    let guest = perform(site, maint, "MAINT", &[0x4110_0d00, 0x8312_00a8, 0xb222_0050, 0x5050_0500], &data);
    let mut answer = vec![0; count as usize];
    guest.read(arch::Absolute(0x7000), &mut answer).unwrap();
    (guest.read_u32(arch::Absolute(0x500)).unwrap() >> 28 == 0).then_some(answer)
}

#[test]
fn a_control_unit_of_another_type_is_what_its_disks_are_at() {
    let site = site(&["3880-3", "3880-23", "3990-3"]);
    let refused = site.cp.disks.install(0x401, pack("USR401", 3), "usr401".into());
    let why = "DASD 0401 is not there: a 3390 cannot be attached to a 3880-3 (SUBSYSTEM 04)";
    assert_eq!(refused, Err(why.into()));
    let (maint, _) = site.log_on("maint");
    let shown = |rdev: &str| maint.says(&format!("query dasd details {rdev}")).remove(2).trim().to_string();
    assert_eq!(
        ["201", "202", "400", "500", "600"].map(shown),
        [
            "0201 CUTYPE = 3990-6",
            "0202 CUTYPE = 6310",
            "0400 CUTYPE = 3880-3",
            "0500 CUTYPE = 3880-23",
            "0600 CUTYPE = 3990-3"
        ]
    );
    // A cache, and non-volatile storage, where there is one.
    assert_eq!(maint.says("query cache 400"), ["HCPSEC1154E Device 0400 is not at a control unit with a cache"]);
    assert_eq!(maint.says("query cache 500")[0], "0500 CACHE available for subsystem");
    maint.says("set nvs on 500-6ff");
    assert_eq!(
        maint.says("query nvs 500 600"),
        ["0500 NVS unavailable for subsystem", "0600 NVS available for subsystem"]
    );
    // Sense ID; and DEFINE EXTENT, READ CONFIGURATION DATA and SENSE SUBSYSTEM STATUS.
    ["0400", "0500", "0600"].iter().for_each(|rdev| attach(&maint, rdev));
    let id = |vdev| read(&site, &maint, vdev, 0xe4, 6).expect("it tells");
    assert_eq!(id(0x400), [0xff, 0x38, 0x80, 0xc3, 0x33, 0x80]);
    assert_eq!(id(0x500), [0xff, 0x38, 0x80, 0x23, 0x33, 0x80]);
    assert_eq!(id(0x600), [0xff, 0x39, 0x90, 0xec, 0x33, 0x80]);
    let has = |vdev| [0x63, 0xfa, 0x54].map(|command| read(&site, &maint, vdev, command, 40).is_some());
    assert_eq!([0x400, 0x500, 0x600].map(has), [[false; 3], [true, false, true], [true; 3]]);
}
