//! Real disks at control units that SYSTEM CONFIG chooses (SUBSYSTEM): what programs find there, and what CP shows.

use super::*;
use arch::io::{Ccw, CcwFormat, DeviceStatus, Orb, ccw_flag, orb_flag, pmcw_flag};
use devices::dasd::ControlUnitModel;
use minidisk::policy::Settings;

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
            "0201 CUTYPE = 3990-6 PATHS = 1",
            "0202 CUTYPE = 6310 PATHS = 1",
            "0400 CUTYPE = 3880-3 PATHS = 1",
            "0500 CUTYPE = 3880-23 PATHS = 1",
            "0600 CUTYPE = 3990-3 PATHS = 1"
        ]
    );
    // A cache, and non-volatile storage, where there is one.
    assert_eq!(maint.says("query cache 400"), ["HCPSEC1154E Device 0400 is not at a control unit with a cache"]);
    assert_eq!(maint.says("query cache 500")[0], "0500 CACHE available for subsystem");
    let without = "HCPSEC1155E Device 0500 is not at a control unit with non-volatile storage";
    assert_eq!([maint.says("set nvs on 500"), maint.says("set dasdfw on 500")], [[without], [without]]);
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

/// As Linux does it: SENSE PATH GROUP ID and SET PATH GROUP ID by each path alone.
#[test]
fn a_path_group_is_made_of_the_paths_to_a_control_unit() {
    let site = Site::new();
    let subsystems = [(4, 4), (5, 2)].map(|(number, paths)| Settings { paths: Some(paths), ..Settings::usual(number) });
    site.cp.disks.set_policy(Policy { subsystems: subsystems.into(), ..site.cp.disks.policy() });
    site.cp.disks.install(0x400, pack("WORK04", 3), "work".into()).expect("it can be there");
    site.cp.disks.install(0x500, fixed("WORK05", 2000), "work".into()).expect("it can be there");
    let (maint, _) = site.log_on("maint");
    ["0400", "0500"].iter().for_each(|rdev| attach(&maint, rdev));
    assert_eq!(maint.says("query dasd details 400")[2], "     0400 CUTYPE = 3990-6 PATHS = 4");
    let machine = site.cp.vmdbk("MAINT").unwrap().machine();
    let storage = machine.configuration.storage().clone();
    let mut css = machine.configuration.css();
    // Installed and available paths, and their identifications: four and two; of a minidisk at another control unit
    // one.
    let mut paths = |vdev: u16| {
        let id = css.find(vdev).expect("it is there");
        let pmcw = css.store_subchannel(id).expect("it is there").pmcw;
        (pmcw.pim, pmcw.pam, pmcw.chpid)
    };
    assert_eq!(paths(0x400), (0xf0, 0xf0, [0x04, 0x24, 0x44, 0x64, 0, 0, 0, 0]));
    assert_eq!(paths(0x500), (0xc0, 0xc0, [0x05, 0x25, 0, 0, 0, 0, 0, 0]));
    assert_eq!(paths(0x190), (0x80, 0x80, [0x01, 0, 0, 0, 0, 0, 0, 0]));
    let id = css.find(0x400).expect("it is there");
    let mut schib = css.store_subchannel(id).expect("it is there");
    schib.pmcw.flags |= pmcw_flag::ENABLED;
    assert_eq!(css.modify_subchannel(id, &schib), Ok(0));
    // One command by one path: the device status, and what is at X'7000'.
    let mut command = |path: u8, code: u8, data: [u8; 12]| {
        let ccw = Ccw { command: code, flags: ccw_flag::SUPPRESS_LENGTH, count: 12, address: 0x7000 };
        storage.write(arch::Absolute(0xc00), &ccw.encode(CcwFormat::One)).unwrap();
        storage.write(arch::Absolute(0x7000), &data).unwrap();
        let flags = orb_flag::FORMAT_1 | u32::from(path) << 8;
        assert_eq!(css.start_subchannel(id, &Orb::new(0, flags, 0xc00)), Ok(0));
        while css.pending().work() {
            css.attend();
        }
        let mut answer = [0; 12];
        storage.read(arch::Absolute(0x7000), &mut answer).unwrap();
        (css.test_subchannel(id).1.scsw.device, answer)
    };
    const SENSE: u8 = 0x34;
    const SET: u8 = 0xaf;
    let group = |function: u8| [function, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
    let other = [0x80, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9];
    // What a path says of itself: nothing while it is reset, C8 in a group with multipath, 80 once it has left.
    let says = |answer: [u8; 12]| (DeviceStatus::ENDED, answer);
    let mut sense = |path: u8| command(path, SENSE, [0; 12]);
    assert_eq!([sense(0x80), sense(0x40)], [says([0; 12]); 2]);
    // Two paths make a group; the third stays what it was, and another group is refused there.
    assert_eq!([0x80, 0x40].map(|path| command(path, SET, group(0x80)).0), [DeviceStatus::ENDED; 2]);
    let found = [0x80, 0x40, 0x20].map(|path| command(path, SENSE, [0; 12]));
    assert_eq!(found, [says(group(0xc8)), says(group(0xc8)), says([0; 12])]);
    assert!(command(0x20, SET, other).0.has(DeviceStatus::UNIT_CHECK));
    // One resigns, the other stays; then all of them go.
    assert_eq!(command(0x40, SET, group(0x40)).0, DeviceStatus::ENDED);
    assert_eq!([0x80, 0x40].map(|path| command(path, SENSE, [0; 12])), [says(group(0xc8)), says(group(0x80))]);
    assert_eq!(command(0x80, SET, group(0x20)).0, DeviceStatus::ENDED);
    assert_eq!(command(0x80, SENSE, [0; 12]), says(group(0x80)));
}
