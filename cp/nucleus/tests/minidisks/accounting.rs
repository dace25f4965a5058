//! Accounting records: what is in them, and what becomes of them.

use super::{DIRECTORY, Seat, Site, format, perform, words};
use arch::accounting::{
    DedicatedDevice, LENGTH, LinkJournal, LogonJournal, MachineUse, TemporaryDisk, UserRecord, VirtualDisk, code,
};
use base::Held;
use base::ebcdic::{self, padded};
use consoles::terminal::Kind;
use iucv::service::Service;
use zerocopy::FromBytes;

/// The records since this was last asked.
fn records(site: &Site) -> Vec<Vec<u8>> {
    let mut iucv = site.cp.iucv.lock().held();
    let records = iucv.waiting_records(Service::Account);
    iucv.purge_records(Service::Account);
    assert!(records.iter().all(|record| record.len() == LENGTH));
    records
}

fn as_a<T: FromBytes>(record: &[u8]) -> T {
    T::read_from_bytes(record).expect("80 bytes")
}

fn site() -> Site {
    Site::with(&DIRECTORY.replace("USER U2 U2 1M 2M G\n", "USER U2 U2 1M 2M G\n ACCOUNT 17 ROOM5\n OPTION ACCT\n"))
}

fn text(bytes: &[u8]) -> String {
    ebcdic::to_string(bytes).trim_end().to_string()
}

#[test]
fn each_device_that_is_given_up_and_a_logoff_have_a_record() {
    let site = site();
    let (maint, _) = site.log_on("maint");
    let (u2, _) = site.log_on("u2");
    u2.says("define t3390 192 6");
    u2.says("define vfb-512 400 1001");
    assert_eq!(maint.says("attach a00 to u2 500"), ["DASD 0A00 ATTACHED TO U2 0500 WITH DEVCTL"]);
    site.time.pass(90_500);
    u2.says("detach 192");
    let [temporary] = &records(&site)[..] else { panic!("one record") };
    let temporary: TemporaryDisk = as_a(temporary);
    assert_eq!((text(&temporary.head.userid), text(&temporary.head.account)), ("U2".into(), "17".into()));
    assert_eq!(text(&temporary.head.stamp), "112091080130");
    assert_eq!((temporary.connected.get(), temporary.size.get()), (90, 6 << 16));
    assert_eq!((temporary.device.class, temporary.device.kind), (0x04, 0x82));
    assert_eq!(temporary.code, code::TEMPORARY);

    // A link to a minidisk is no device of the user's own.
    u2.says("link maint 190 190 rr");
    u2.says("detach 190");
    site.time.pass(9500);
    maint.says("detach a00 from u2");
    let [dedicated] = &records(&site)[..] else { panic!("one record") };
    let dedicated: DedicatedDevice = as_a(dedicated);
    assert_eq!((dedicated.connected.get(), text(&dedicated.rdev), dedicated.code), (100, "0A00".into(), code::DEVICE));

    u2.says("logoff");
    let [disk, machine] = &records(&site)[..] else { panic!("two records") };
    let (disk, machine): (VirtualDisk, MachineUse) = (as_a(disk), as_a(machine));
    assert_eq!((disk.existed.get(), disk.blocks.get(), text(&disk.vdev)), (100, 1008, "0400".into()));
    assert_eq!((text(&disk.owner), disk.code), ("U2".into(), code::VIRTUAL));
    assert_eq!((text(&machine.head.userid), machine.connected.get(), machine.code), ("U2".into(), 100, code::USE));
}

#[test]
fn acnt_begins_the_counts_anew() {
    let site = site();
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).unwrap().volume);
    // DIAGNOSE X'A4' for block 13 of disk 190, which is I/O.
    let request = words(&[0x0190_0002, 4096, 0x480, 1, 0, 0, 0]);
    let (list, blank) = (words(&[13, 0x2000]), [0; 88]);
    let data = [(0x800, &blank[..]), (0x800, &request[..]), (0x480, &list[..])];
    perform(&site, &maint, "MAINT", &[0x4110_0800, 0x8312_00a4], &data);
    let used = site.cp.vmdbk("MAINT").unwrap().usage();
    assert!(used.started >= 1, "{used:?}");
    site.time.pass(5000);
    assert_eq!(maint.says("acnt maint"), ["Command complete"]);
    let first: MachineUse = as_a(&records(&site)[0]);
    assert_eq!((u64::from(first.started.get()), first.connected.get()), (used.started, 5));
    assert_eq!(u64::from(first.emulation.get()), used.virtual_us / 1000);
    site.time.pass(3000);
    assert_eq!(maint.says("acnt all"), ["Command complete"]);
    let second: MachineUse = as_a(&records(&site)[0]);
    assert_eq!((second.started.get(), second.connected.get()), (0, 3));
    assert_eq!(maint.says("acnt u2"), ["HCPACN045E U2 not logged on"]);
    assert_eq!(maint.says("acnt"), ["HCPCMD020E Userid missing or invalid"]);
    assert!(maint.says("acnt all close")[0].starts_with("HCPCMD003E"));
    assert!(records(&site).is_empty());
}

#[test]
fn a_program_has_records_of_its_own_and_charges_others() {
    let site = site();
    let (u2, _) = site.log_on("u2");
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).unwrap().volume);
    u2.says("link maint 190 190 rr");
    // LA 2; LA 4; LA 5; DIAGNOSE; IPM 6; ST 6.
    let call = |at: u32, function: u32, length: u32, to: u32| {
        [0x4120_0000 | at, 0x4140_0000 | function, 0x4150_0000 | length, 0x8324_004c, 0xb222_0060, 0x5060_0000 | to]
    };
    let program = [call(0x800, 0x10, 11, 0x500), call(0x810, 0x0c, 0, 0x504), call(0x830, 0, 0, 0x508)];
    let program = [program.concat(), call(0x800, 0x14, 0, 0x50c).to_vec()].concat();
    let (said, to, wrong) = (ebcdic::from_str("4 PAGES SET"), ebcdic::from_str("U1      BOOKS   CELLAR  "), [0xe9; 8]);
    let data = [(0x800, &said[..]), (0x810, &to[..]), (0x830, &wrong[..])];
    let guest = perform(&site, &u2, "U2", &program, &data);
    let codes = [0, 4, 8, 12].map(|n| guest.read_u32(arch::Absolute(0x500 + n)).unwrap() >> 28 & 3);
    assert_eq!(codes, [0, 0, 2, 3]);
    let [own, so_far] = &records(&site)[..] else { panic!("two records") };
    let own: UserRecord = as_a(own);
    assert_eq!((text(&own.userid), text(&own.data[..11]), own.code), ("U2".into(), "4 PAGES SET".into(), code::USER));
    assert_eq!(as_a::<MachineUse>(so_far).code, code::USE);
    site.time.pass(7000);
    u2.says("logoff");
    let rest: MachineUse = as_a(&records(&site)[0]);
    assert_eq!((text(&rest.head.userid), text(&rest.head.account)), ("U1".into(), "BOOKS".into()));
    assert_eq!((rest.code, rest.connected.get()), (code::charged(code::USE), 7));

    // Without OPTION ACCT.
    let guest = perform(&site, &maint, "MAINT", &call(0x800, 0x10, 11, 0x500), &[(0x800, &said)]);
    assert_eq!(guest.read_u32(arch::Absolute(0x500)).unwrap() >> 28, 1);
    assert!(records(&site).is_empty());
}

#[test]
fn the_journal_has_links_and_wrong_passwords() {
    let site = site();
    let (maint, _) = site.log_on("maint");
    let (u2, _) = site.log_on("u2");
    u2.says("link maint 191 291 rr read");
    assert!(records(&site).is_empty(), "no journal is written");
    assert_eq!(maint.says("query journal"), ["JOURNAL: LOGON-OFF, LINK-OFF"]);
    maint.says("set journal all on");
    assert_eq!(maint.says("query journal"), ["JOURNAL: LOGON-ON, LINK-ON"]);
    u2.says("link maint 191 292 rr read");
    u2.says("link maint 190 190 rr");
    (0..12).for_each(|_| drop(u2.says("link maint 191 293 rr guess")));
    let [protected, open, refused] = &records(&site)[..] else { panic!("three records") };
    let [protected, open, refused]: [LinkJournal; 3] = [protected, open, refused].map(|record| as_a(record));
    assert_eq!([protected.code, open.code, refused.code], [code::LINK, code::LINK_OPEN, code::LINK_REFUSED]);
    assert_eq!((text(&protected.owner), protected.vdev.get(), protected.count.get()), ("MAINT".into(), 0x191, 0));
    assert_eq!((refused.vdev.get(), refused.count.get(), refused.limit.get()), (0x191, 10, 10));
    assert_eq!(refused.password, padded::<8>(""), "no password is kept");

    let guesser = Seat(&site.cp, site.cp.connect(Kind::Typewriter, None, "127.0.0.1", true));
    (0..5).for_each(|_| drop(guesser.says("logon u3 guess")));
    let [wrong] = &records(&site)[..] else { panic!("one record") };
    let wrong: LogonJournal = as_a(wrong);
    assert_eq!((text(&wrong.head.userid), wrong.count.get(), wrong.code), ("U3".into(), 5, code::LOGON));
    maint.says("set journal link off");
    u2.says("link maint 195 195 rr");
    assert!(records(&site).is_empty());
    assert_eq!(maint.says("set journal some on"), ["HCPCMD002E Invalid operand - SOME"]);
}

#[test]
fn the_operator_is_told_of_records_that_no_machine_collects() {
    let site = site();
    let (operator, _) = site.log_on("operator");
    let (maint, _) = site.log_on("maint");
    assert_eq!(maint.says("recording account limit 2"), ["Command complete"]);
    maint.says("acnt maint");
    operator.1.take_output();
    maint.says("acnt maint");
    let told = operator.1.take_output();
    let wanted = "HCPCRC8064I Recording data limit encountered for ACCOUNT; number of records = 002";
    assert!(told.contains(wanted), "{told}");
    assert_eq!(maint.says("query recording")[1], "ACCOUNT ON   00000002 002 -        INACTIVE");
    assert_eq!(maint.says("recording account limit * off purge"), ["Command complete"]);
    maint.says("acnt maint");
    assert_eq!(maint.says("query recording")[1], "ACCOUNT OFF  00000000   * -        INACTIVE");
    assert_eq!(maint.says("recording account limit 0"), ["HCPCMD002E Invalid operand - 0"]);
    assert_eq!(maint.says("recording account"), ["HCPCMD026E Operand missing or invalid"]);
    assert!(operator.1.take_output().is_empty());
}
