//! Minidisks as users see them: which user may link what, what users are told, and what becomes of it.

mod accounting;
mod bounds;
mod caching;
mod control_units;
mod programs;
#[path = "../system/mod.rs"]
mod system;
#[path = "../time/mod.rs"]
mod time;
mod timing;

use base::ebcdic;
use consoles::terminal::{Kind, Terminal};
use dasd::model::{CkdModel, FbaModel};
use dasd::{Count, Memory, Track, Volume};
use minidisk::policy::Policy;
use nucleus::system::Cp;
use std::sync::Arc;
use time::Time;

const DIRECTORY: &str = "\
USER OPERATOR OPERATOR 1M 1M ABCDEFG
 CONSOLE 009 3215 T
USER MAINT MAINT 1M 4M ABCDEFG
 CONSOLE 009 3215 T
 MDISK 190 3390 10 20 USR001 MR ALL WRITE MULTIPLE
 MDISK 191 3390 30 5 USR001 WR READ WRITE MULTI
 MINIOPT NOMDC NOCACHE
 MDISK 193 FB-512 8 100 FBA001 MR ALL
 MDISK 194 3390 40 10 GONE01 MR ALL
 MDISK 195 3390 90 20 USR001 MR ALL
 MDISK 300 FB-512 V-DISK 1000 MR ALL WRITE MULT
 MDISK 123 3390 0 END USR001 MW NOBODY
 DASDOPT DEVCTL WORKALLEG
 MDISK 196 3390 50 5 USR001 MR ALL
 MINIOPT RECORDMDC
USER U1 U1 1M 2M G
 CONSOLE 009 3215 T
 LINK MAINT 190 190 RR
 MDISK 191 3390 32 4 USR001 MR READU WRITEU MULTU
USER U2 U2 1M 2M G
 CONSOLE 009 3215 T
USER U4 U4 1M 2M G
 CONSOLE 009 3215 T
 MDISK 400 3390 DEVNO 0B00 MR ALL WRITE
USER U3 U3 1M 2M G
 OPTION LNKNOPAS LNKEXCLU
 CONSOLE 009 3215 T
 DEDICATE 500 0A00
";

/// A volume with a standard label.
fn pack(serial: &str, cylinders: u32) -> Arc<Memory> {
    let pack = Memory::ckd(CkdModel::named("3390").expect("there is this model"), cylinders);
    let mut track = Track::new(0, 0);
    let end = track.records().last().expect("record 0").end();
    let label = [ebcdic::from_str(&format!("VOL1{serial}")), vec![0x40; 70]].concat();
    track.format(end, Count { record: 3, key: 4, data: 80, ..Count::default() }, &label[..4], &label);
    pack.write_track(0, &track).expect("there is a track 0");
    Arc::new(pack)
}

fn fixed(serial: &str, blocks: u32) -> Arc<Memory> {
    let disk = Memory::fba(FbaModel::named("9336").expect("there is this model"), blocks.into());
    let mut block = [0; 512];
    block[..10].copy_from_slice(&ebcdic::from_str(&format!("VOL1{serial}")));
    disk.write_blocks(1, &block).expect("there is a block 1");
    Arc::new(disk)
}

struct Site {
    cp: Cp,
    time: Arc<Time>,
}

struct Seat<'a>(&'a Cp, Arc<Terminal>);

impl Site {
    fn new() -> Site {
        Site::with(DIRECTORY)
    }

    fn with(directory: &str) -> Site {
        let time = Arc::new(Time::default());
        let cp = system::system(directory, None, time.clone());
        cp.disks.set_alarm(time.clone());
        cp.disks.set_policy(Policy {
            owned: vec!["RES001".into()],
            users: vec!["USR*".into(), "FBA*".into()],
            temporary: vec![("RES001".into(), 5, 10)],
            ..Policy::default()
        });
        cp.disks.install(0x200, pack("RES001", 20), "res".into()).expect("it can be there");
        cp.disks.install(0x201, pack("USR001", 100), "usr".into()).expect("it can be there");
        cp.disks.install(0x202, fixed("FBA001", 2000), "fba".into()).expect("it can be there");
        cp.disks.install(0xa00, pack("WORK01", 3), "work".into()).expect("it can be there");
        let again = cp.disks.install(0xa00, pack("WORK02", 3), "work".into());
        assert_eq!(again, Err("DASD 0A00 is defined twice".into()), "one number is one device");
        Site { cp, time }
    }

    fn log_on(&self, userid: &str) -> (Seat<'_>, Vec<String>) {
        let terminal = self.cp.connect(Kind::Typewriter, None, "127.0.0.1", true);
        let seat = Seat(&self.cp, terminal);
        let lines = seat.says(&format!("logon {userid} {userid}"));
        (seat, lines)
    }
}

impl Seat<'_> {
    fn says(&self, line: &str) -> Vec<String> {
        self.0.line(self.1.id, line);
        self.1.take_output().lines().map(str::to_string).filter(|line| !line.trim().is_empty()).collect()
    }
}

/// The lines but for those of LOGON itself.
fn of_disks(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().filter(|line| line.contains("DASD") || line.starts_with("HCP")).collect()
}

/// What a program does: it is loaded from minidisk 190 by IPL. The IPL PSW sends it to X'200', and it ends in a
/// disabled wait.
fn perform(
    site: &Site,
    seat: &Seat<'_>,
    userid: &str,
    program: &[u32],
    data: &[(u64, &[u8])],
) -> Arc<storage::Storage> {
    let machine = site.cp.vmdbk(userid).expect("it is logged on").machine();
    let guest = machine.configuration.storage().clone();
    let put = |at: u64, bytes: &[u8]| guest.write(arch::Absolute(at), bytes).expect("it lies in storage");
    let code: Vec<u8> = program.iter().chain(&[0x8200_05f0]).flat_map(|word| word.to_be_bytes()).collect();
    put(0x200, &code);
    put(0x5f0, &0x000a_0000_0000_0abc_u64.to_be_bytes());
    data.iter().for_each(|(at, bytes)| put(*at, bytes));
    seat.says("ipl 190");
    for _ in 0..100 {
        site.cp.step(0);
    }
    let said = seat.1.take_output();
    assert!(said.contains("disabled wait PSW 000A0000 00000ABC"), "{said}");
    guest
}

/// Makes cylinder 0 of a minidisk one to IPL from and one with records of 4096 bytes, each full of its number.
fn format(disk: &dyn Volume) {
    for head in 0..15 {
        let mut track = Track::new(0, head);
        if head == 0 {
            let text = words(&[0x0008_0000, 0x8000_0200, 0x0300_0000, 0x2000_0001, 0, 0]);
            let end = track.records().last().unwrap().end();
            track.format(end, Count { cylinder: 0, head, record: 1, key: 0, data: 24 }, &[], &text);
        } else {
            for record in 1..=12u8 {
                let end = track.records().last().unwrap().end();
                let count = Count { cylinder: 0, head, record, key: 0, data: 4096 };
                track.format(end, count, &[], &[record + 16 * head as u8; 4096]);
            }
        }
        disk.write_track(head.into(), &track).unwrap();
    }
}

/// Words as storage has them.
fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}

#[test]
fn the_directorys_minidisks_are_there_at_logon() {
    let site = Site::new();
    let (maint, lines) = site.log_on("maint");
    assert_eq!(
        of_disks(lines),
        [
            "HCPLNM108E MAINT 0194 not linked; volid GONE01 not mounted",
            "HCPLNM109E MAINT 0195 not linked; it does not lie on volid USR001",
        ]
    );
    let subchannels = |lines: Vec<String>| lines.iter().map(|l| l[..l.len() - 4].to_string()).collect::<Vec<_>>();
    assert_eq!(
        subchannels(maint.says("query virtual dasd")),
        [
            "DASD 0123 3390 USR001 R/W        100 CYL ON DASD  0201 SUBCHANNEL = ",
            "DASD 0190 3390 USR001 R/W         20 CYL ON DASD  0201 SUBCHANNEL = ",
            "DASD 0191 3390 USR001 R/W          5 CYL ON DASD  0201 SUBCHANNEL = ",
            "DASD 0193 9336 FBA001 R/W        100 BLK ON DASD  0202 SUBCHANNEL = ",
            "DASD 0196 3390 USR001 R/W          5 CYL ON DASD  0201 SUBCHANNEL = ",
            "DASD 0300 9336 (VDSK) R/W       1000 BLK ON DASD  VDSK SUBCHANNEL = ",
        ]
    );
    let details = maint.says("query virtual 191 details");
    assert_eq!(
        details[1..],
        ["     0191 OWNER = MAINT 0191 MODE = WR START = 30", "     0191 MDC OFF, NODEVCTL, IOASSIST ON, NOT RESERVED"]
    );
    // Of each disk, whatever it is: what QUERY IOASSIST says of all.
    let assisted = |vdev: &str| {
        let details = maint.says(&format!("query virtual {vdev} details")).remove(2);
        details.split(", ").find_map(|word| word.strip_prefix("IOASSIST ")).map(str::to_string)
    };
    for (set, shown) in [("off", "OFF"), ("on", "ON")] {
        maint.says(&format!("set ioassist {set}"));
        assert!(["123", "191", "193", "300"].iter().all(|vdev| assisted(vdev).as_deref() == Some(shown)));
        maint.says("detach 193");
        maint.says("link * 193 193 mr");
        assert_eq!(assisted("193").as_deref(), Some(shown), "it came later");
        assert!(maint.says("query ioassist")[0].starts_with(&format!("MAINT    IOASSIST {shown}, ")));
    }
    let (_u1, lines) = site.log_on("u1");
    assert_eq!(of_disks(lines), ["DASD 0190 LINKED R/O; R/W BY MAINT"]);
    assert_eq!(maint.says("query links 190"), ["MAINT    0190 R/W, U1       0190 R/O"]);
}

#[test]
fn passwords_open_what_the_directory_says() {
    let site = Site::new();
    let (u2, _) = site.log_on("u2");
    assert_eq!(u2.says("link maint 190 290"), Vec::<String>::new(), "ALL may read");
    assert_eq!(u2.says("link maint 190 290"), ["HCPLNM110E MAINT 0290 not linked; device already defined"]);
    assert_eq!(
        u2.says("link maint 191 291 rr wrong"),
        ["HCPLNM114E MAINT 0191 not linked; mode or password incorrect"]
    );
    assert_eq!(u2.says("link maint 191 291 rr read"), Vec::<String>::new());
    assert_eq!(u2.says("link maint 193 293 mr"), ["HCPLNM113E MAINT 0193 not linked; no multiple password"]);
    assert_eq!(u2.says("link maint 193 293 w"), ["HCPLNM112E MAINT 0193 not linked; no write password"]);
    assert_eq!(u2.says("link maint 199 299"), ["HCPLNM107E MAINT 0199 not linked; not in CP directory"]);
    assert_eq!(u2.says("link nobody 199 299"), ["HCPLNM053E NOBODY not in CP directory"]);
    assert_eq!(u2.says("link maint 190 zzz"), ["HCPLNM118E Command format not valid"]);
    // At the console CP asks.
    assert_eq!(u2.says("link u1 191 391 mr"), ["ENTER MULT PASSWORD:"]);
    assert!(u2.1.hidden());
    assert_eq!(u2.says("multu"), Vec::<String>::new());
    assert!(!u2.1.hidden());
    assert_eq!(u2.says("link u1 191 392 w"), ["ENTER WRITE PASSWORD:"]);
    assert_eq!(u2.says(""), ["HCPLNM114E U1 0191 not linked; mode or password incorrect"]);
    assert_eq!(u2.says("link maint 190 393 sr"), ["HCPLNM298E Request denied; not authorized"]);
    for _ in 0..8 {
        assert_eq!(u2.says("link u1 191 392 w x"), ["HCPLNM114E U1 0191 not linked; mode or password incorrect"]);
    }
    assert_eq!(u2.says("link u1 191 392 w writeu"), ["HCPLNM115E LINK invalid; excessive incorrect passwords"]);
    assert_eq!(u2.says("link maint 190 392 rr"), Vec::<String>::new(), "ALL still may");
}

#[test]
fn modes_meet_one_another() {
    let site = Site::new();
    let (u2, _) = site.log_on("u2");
    let (u3, _) = site.log_on("u3");
    assert_eq!(u3.says("link maint 190 190 w"), Vec::<String>::new());
    assert_eq!(u2.says("link maint 190 190 r"), ["HCPLNM104E MAINT 0190 not linked; R/W by U3"]);
    assert_eq!(u2.says("link maint 190 190 wr write"), ["HCPLNM101E DASD 0190 forced R/O; R/W by U3"]);
    assert_eq!(u3.says("link maint 190 290 m"), ["HCPLNM106E MAINT 0190 not linked; R/W by U3, R/O by U2"]);
    assert_eq!(u3.says("detach 190"), ["DASD 0190 DETACHED"]);
    assert_eq!(u3.says("link maint 190 190 w"), ["HCPLNM105E MAINT 0190 not linked; R/O by U2"]);
    assert_eq!(u3.says("link maint 190 190 mw"), ["DASD 0190 LINKED R/W; R/O BY U2"]);
    assert_eq!(u3.says("link maint 191 191 ew"), Vec::<String>::new());
    assert_eq!(u2.says("link maint 191 191 rr read"), ["HCPLNM104E MAINT 0191 not linked; R/W by U3"]);
    u3.says("logoff");
    assert_eq!(u2.says("link maint 191 191 rr read"), Vec::<String>::new());
}

#[test]
fn temporary_and_virtual_disks_come_and_go() {
    let site = Site::new();
    let (u2, _) = site.log_on("u2");
    let (maint, _) = site.log_on("maint");
    assert_eq!(u2.says("define t3390 192 6"), ["DASD 0192 DEFINED"]);
    assert_eq!(
        u2.says("define t3390 as 193 cyl 5"),
        ["HCPDEF091E DASD 0193 not defined; temporary space not available"]
    );
    assert_eq!(u2.says("define t3390 193 cyl 4"), ["DASD 0193 DEFINED"]);
    assert_eq!(maint.says("query alloc tdisk")[1], "     TDISK TOTAL=000010 INUSE=000010 AVAIL=000000");
    assert_eq!(u2.says("detach 192"), ["DASD 0192 DETACHED"]);
    assert_eq!(u2.says("define t3390 192 6"), ["DASD 0192 DEFINED"]);
    assert_eq!(u2.says("define 192 as 292"), ["DASD 0292 DEFINED"]);
    assert!(u2.says("query 292")[0].starts_with("DASD 0292 3390 (TEMP) R/W          6 CYL ON DASD  0200"));
    assert_eq!(u2.says("define vfb-512 400 blk 1001"), ["DASD 0400 DEFINED"]);
    assert!(u2.says("query virtual 400")[0].starts_with("DASD 0400 9336 (VDSK) R/W       1008 BLK ON DASD  VDSK"));
    assert_eq!(u2.says("define vfb-512 400 8"), ["HCPDEF091E DASD 0400 not defined; device already exists"]);

    // A virtual disk of the directory is there as long as one link is.
    let disk = |userid: &str, vdev: u16| site.cp.disks.link(userid, vdev).expect("it is linked").volume.clone();
    disk("MAINT", 0x300).write_blocks(7, &[0xc1; 512]).unwrap();
    assert_eq!(u2.says("link maint 300 300 rr"), ["DASD 0300 LINKED R/O; R/W BY MAINT"]);
    maint.says("detach 300");
    assert_eq!(maint.says("link * 300 300 mr"), ["DASD 0300 LINKED R/W; R/O BY U2"]);
    let mut block = [0; 512];
    disk("MAINT", 0x300).read_blocks(7, &mut block).unwrap();
    assert_eq!(block[0], 0xc1);
    maint.says("detach 300");
    u2.says("detach 300");
    maint.says("link * 300 300 mr");
    disk("MAINT", 0x300).read_blocks(7, &mut block).unwrap();
    assert_eq!(block[0], 0);
}

/// MDISK DEVNO: a real disk from its first cylinder to its last, whatever its serial is.
#[test]
fn a_real_disk_as_a_whole_is_a_minidisk() {
    let site = Site::new();
    site.cp.disks.install(0xb00, pack("WORK03", 3), "work".into()).expect("it can be there");
    let (maint, _) = site.log_on("maint");
    let (u4, lines) = site.log_on("u4");
    assert_eq!(of_disks(lines), [""; 0]);
    let shown = u4.says("query virtual 400").remove(0);
    assert!(shown.starts_with("DASD 0400 3390 WORK03 R/W          3 CYL ON DASD  0B00"), "{shown}");
    assert_eq!(maint.says("link u4 400 400 rr"), ["DASD 0400 LINKED R/O; R/W BY U4"]);
    assert_eq!(maint.says("query mdcache mdisk 400"), ["0400 minidisk cache ineligible"]);
    // While it is one, no user can have it alone.
    assert_eq!(maint.says("attach b00 maint"), ["HCPDTS124E DASD 0B00 in use by 2 users"]);
    maint.says("detach 400");
    u4.says("logoff");
    assert!(maint.says("attach b00 maint")[0].starts_with("DASD 0B00 ATTACHED TO MAINT 0B00"));
    let (_u4, lines) = site.log_on("u4");
    assert_eq!(of_disks(lines), ["HCPLNM108E U4 0400 not linked; volid 0B00 not mounted"]);
}

#[test]
fn real_disks_are_attached_and_shown() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    assert_eq!(
        maint.says("query dasd"),
        [
            "DASD 0200 CP OWNED  RES001   0",
            "DASD 0201 CP SYSTEM USR001   4",
            "DASD 0202 CP SYSTEM FBA001   1",
            "DASD 0A00 WORK01",
            "An offline DASD was not found.",
        ]
    );
    // By number, range and serial; DETAILS by number and range; what fits none.
    let lines = |what: &str| maint.says(&format!("query dasd {what}"));
    assert_eq!(lines("201"), ["DASD 0201 CP SYSTEM USR001   4"]);
    assert_eq!(lines("usr001"), lines("201"));
    assert_eq!(lines("200-202"), lines("system"));
    assert_eq!(lines("active"), lines("system"));
    assert_eq!(lines("details 201-202"), [lines("details 201"), lines("details 202")].concat());
    for wrong in ["300", "300-3ff", "nodisk", "details 300", "details usr001"] {
        let name = wrong.trim_start_matches("details ").to_uppercase();
        assert_eq!(lines(wrong), [format!("HCPCQS040E Device {name} does not exist")]);
    }
    assert!(lines("free 201")[0].starts_with("HCP") && lines("details")[0].starts_with("HCP"));
    assert_eq!(maint.says("query cpowned")[1], "   1  RES001  0200  OWN    ONLINE AND ATTACHED");
    let (_u3, _) = site.log_on("u3");
    assert_eq!(maint.says("query dasd attached"), ["DASD 0A00 ATTACHED TO U3       0500 R/W WORK01"]);
    assert_eq!(maint.says("attach a00 *"), ["HCPATS122E DASD 0A00 not attached; attached to U3"]);
    assert_eq!(maint.says("detach a00 from u3"), ["DASD 0A00 DETACHED U3 0500"]);
    assert_eq!(maint.says("attach a00 * 600 r/o"), ["DASD 0A00 ATTACHED TO MAINT 0600 WITH DEVCTL"]);
    assert!(maint.says("query 600")[0].starts_with("DASD 0600 3390 WORK01 R/O          3 CYL ON DASD  0A00"));
    assert_eq!(maint.says("detach 600"), ["DASD 0600 DETACHED"]);
    assert_eq!(maint.says("attach a00 system work01"), ["DASD 0A00 ATTACHED TO SYSTEM WORK01"]);
    assert_eq!(maint.says("detach a00 system"), ["DASD 0A00 DETACHED SYSTEM WORK01"]);
    assert_eq!(
        maint.says("vary off a00"),
        ["0A00 varied offline", "1 device(s) specified; 1 device(s) successfully varied offline"]
    );
    assert_eq!(maint.says("query dasd offline"), ["DASD 0A00 OFFLINE"]);
    assert_eq!(maint.says("vary off 201"), ["HCPDTS124E DASD 0201 in use by 4 users"]);
    assert_eq!(
        maint.says("query mdisk map usr001"),
        [
            "VOLUME USR001 ON DASD 0201, 3390 OF 100 CYL",
            "OWNER    VDEV      START        END       SIZE",
            "MAINT    0123          0         99        100",
            "                       0          9         10 GAP",
            "MAINT    0190         10         29         20",
            "MAINT    0191         30         34          5",
            "U1       0191         32         35          4 OVERLAP",
            "                      36         49         14 GAP",
            "MAINT    0196         50         54          5",
            "                      55         89         35 GAP",
            "MAINT    0195         90        109         20 OUTSIDE",
        ]
    );
    assert_eq!(
        maint.says("query mdisk user u1 190"),
        [
            "TargetID Tdev OwnerID  Odev Dtype  Vol-ID Rdev   StartLoc       Size",
            "U1       0190 MAINT    0190 3390   USR001 0201         10         20",
        ]
    );
}

#[test]
fn virtual_disks_have_limits() {
    let site = Site::new();
    let (u2, _) = site.log_on("u2");
    let (maint, _) = site.log_on("maint");
    assert_eq!(
        maint.says("query vdisk"),
        ["VDISK SYSTEM LIMIT IS INFINITE, 1000 BLK IN USE", "VDISK USER LIMIT IS INFINITE"]
    );
    assert_eq!(maint.says("set vdisk userlim 1M"), Vec::<String>::new());
    assert_eq!(maint.says("set vdisk syslim 4000 blk"), Vec::<String>::new());
    assert_eq!(u2.says("set vdisk syslim infinite"), ["HCPCMD002E Invalid operand - VDISK"]);
    assert_eq!(u2.says("define vfb-512 400 2000"), ["DASD 0400 DEFINED"]);
    assert_eq!(
        u2.says("define vfb-512 401 100"),
        ["HCPDEF091E DASD 0401 not defined; user virtual disk limit exceeded"]
    );
    assert_eq!(
        maint.says("define vfb-512 401 1048"),
        ["HCPDEF091E DASD 0401 not defined; system virtual disk limit exceeded"]
    );
    u2.says("detach 400");
    assert_eq!(maint.says("define vfb-512 401 1048"), ["DASD 0401 DEFINED"]);
    assert_eq!(u2.says("query vdisk syslim"), ["VDISK SYSTEM LIMIT IS 4000 BLK, 2048 BLK IN USE"]);
    assert_eq!(maint.says("set vdisk syslim default"), Vec::<String>::new());
    assert_eq!(maint.says("query vdisk userlim"), ["VDISK USER LIMIT IS 2048 BLK"]);
    assert_eq!(maint.says("set vdisk userlim much"), ["HCPCMD002E Invalid operand - MUCH"]);
}
