//! Minidisks as users see them: who may link what, what they are told, and what becomes of it.

mod time;

use base::ebcdic;
use dasd::model::{CkdModel, FbaModel};
use dasd::{Count, Extent, Memory, Track, Volume};
use directory::{Directory, Passwords};
use nucleus::console::terminal::{Kind, Silent, Terminal};
use nucleus::minidisk::real::Policy;
use nucleus::system::{Cp, SystemConfig};
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
}

struct Seat<'a>(&'a Cp, Arc<Terminal>);

impl Site {
    fn new() -> Site {
        let directory = Directory::parse("USER DIRECT", DIRECTORY, &Passwords::default()).expect("it has no mistakes");
        let cp = Cp::new(SystemConfig::default(), directory, None, Arc::new(Time::default()), Arc::new(Silent));
        cp.disks.set_policy(Policy {
            owned: vec!["RES001".into()],
            users: vec!["USR*".into(), "FBA*".into()],
            temporary: vec![("RES001".into(), 5, 10)],
            ..Policy::default()
        });
        assert!(cp.disks.install(0x200, pack("RES001", 20), "res".into()));
        assert!(cp.disks.install(0x201, pack("USR001", 100), "usr".into()));
        assert!(cp.disks.install(0x202, fixed("FBA001", 2000), "fba".into()));
        assert!(cp.disks.install(0xa00, pack("WORK01", 3), "work".into()));
        assert!(!cp.disks.install(0xa00, pack("WORK02", 3), "work".into()), "one number is one device");
        Site { cp }
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
        [
            "     0191 OWNER = MAINT 0191 MODE = WR START = 30",
            "     0191 MDC OFF, NODEVCTL, IOASSIST NOT ELIGIBLE, NOT RESERVED"
        ]
    );
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
fn the_cache_serves_what_is_read_again() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let (u1, _) = site.log_on("u1");
    assert_eq!(
        maint.says("query mdcache")[..2],
        ["Minidisk cache ON for system", "Storage MDC min=0M max=128M, usage=0%, bias=1.00"]
    );
    let volume = |userid: &str, vdev: u16| site.cp.disks.link(userid, vdev).expect("it is linked").volume.clone();
    let (ours, theirs, whole) = (volume("MAINT", 0x190), volume("U1", 0x190), volume("MAINT", 0x123));
    // One user's miss is another's hit, and a third's who knows the track by another number.
    let mut track = Track::clone(&ours.read_track(17).unwrap());
    theirs.read_track(17).unwrap();
    assert_eq!(whole.read_track(10 * 15 + 17).unwrap().home(), (11, 2));
    assert_eq!(
        u1.says("query mdcache statistics"),
        ["U1       READS=1 WRITES=0 HITS=1 HIT RATIO=100% INSERTS=0 MODS=0 REFUSED=0"]
    );
    // A format write throws the track out, and keeps it out once.
    let end = track.records().last().unwrap().end();
    track.format(end, Count { cylinder: 1, head: 2, record: 1, key: 0, data: 4 }, &[], b"one ");
    ours.write_track(17, &track).unwrap();
    assert_eq!(*theirs.read_track(17).unwrap(), track);
    assert_eq!(*theirs.read_track(17).unwrap(), track);
    assert_eq!(*theirs.read_track(17).unwrap(), track);
    assert!(u1.says("query mdcache stat")[0].starts_with("U1       READS=4 WRITES=0 HITS=2 HIT RATIO=50% INSERTS=1"));
    // A write of data changes it in the cache.
    let at = track.records().last().unwrap().at;
    track.update(at, None, Some(b"two "));
    ours.write_track(17, &track).unwrap();
    assert_eq!(*theirs.read_track(17).unwrap(), track);
    assert_eq!(whole.read_track(10 * 15 + 17).unwrap().records().last().unwrap().data, b"two ");
    assert!(
        maint.says("query mdcache mdisk 190")[1].contains("WRITES=2"),
        "{:?}",
        maint.says("query mdcache mdisk 190")
    );
    // A write that misses brings nothing in.
    let held = site.cp.disks.cache.bytes();
    ours.read_track_to_update(20).unwrap();
    assert_eq!(site.cp.disks.cache.bytes(), held);
    let before = site.cp.disks.cache.bytes();
    ours.write_track(21, &Track::new(1, 6)).unwrap();
    assert_eq!(site.cp.disks.cache.bytes(), before);
    assert_eq!(maint.says("query mdcache mdisk 191")[0], "0191 minidisk cache OFF");
    assert_eq!(maint.says("set mdcache rdev off 201"), Vec::<String>::new());
    assert_eq!(
        (site.cp.disks.cache.bytes(), maint.says("query mdcache rdev 201")[0].as_str()),
        (0, "0201 minidisk cache OFF")
    );
    assert_eq!(u1.says("set mdcache system off"), ["HCPCMD002E Invalid operand - SYSTEM"]);
    assert_eq!(maint.says("set mdcache storage 8M 4M"), ["HCPMDS6802E Minidisk cache size not valid - 8M"]);
    assert_eq!(maint.says("set mdcache storage 0M 4M bias 0.5"), Vec::<String>::new());
    assert_eq!(maint.says("query mdcache storage"), ["Storage MDC min=0M max=4M, usage=0%, bias=0.50"]);
}

#[test]
fn fixed_blocks_are_cached_in_groups() {
    let site = Site::new();
    let (_maint, _) = site.log_on("maint");
    let disk = site.cp.disks.link("MAINT", 0x193).expect("it is linked").volume.clone();
    let data: Vec<u8> = (0..100 * 512).map(|n| (n / 512) as u8).collect();
    disk.write_blocks(0, &data).unwrap();
    let mut back = vec![0; 8 * 512];
    for block in [60, 60, 90, 0] {
        disk.read_blocks(block, &mut back).unwrap();
        assert_eq!(back[..], data[block as usize * 512..(block as usize + 8) * 512]);
    }
    disk.write_blocks(62, &[0xff; 1024]).unwrap();
    disk.read_blocks(60, &mut back).unwrap();
    assert_eq!((back[512], back[1024], back[2047], back[2048]), (61, 0xff, 0xff, 64));
    assert!(disk.read_blocks(96, &mut back).is_err());
}

/// Numbers that look random and are the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Whatever is asked of a minidisk, nothing outside it is read or changed.
#[test]
fn nobody_reaches_a_neighbour() {
    let mut numbers = Numbers(0x1991_1120);
    for _ in 0..100 {
        let pack = fixed("FBA002", 256);
        let whole: Vec<u8> = (0..256 * 512).map(|n| (n / 512) as u8).collect();
        pack.write_blocks(0, &whole).unwrap();
        let start = numbers.next() % 200;
        let count = 1 + numbers.next() % (256 - start);
        let disk = Extent::new(pack.clone(), start, count, false).unwrap();
        let inside = |n: u64| (start..start + count).contains(&n);
        for _ in 0..50 {
            let odd = [u64::MAX, u64::MAX - 1, count, count - 1, 1 << 32, u64::MAX - start];
            let block = if numbers.next() % 4 == 0 { odd[(numbers.next() % 6) as usize] } else { numbers.next() % 300 };
            let mut data = vec![0xee; ((1 + numbers.next() % 300) * 512) as usize];
            if numbers.next() % 2 == 0 {
                let _ = disk.write_blocks(block, &data);
            } else if disk.read_blocks(block, &mut data).is_ok() {
                for (n, read) in data.chunks(512).enumerate() {
                    let (real, byte) = (start + block + n as u64, read[0]);
                    assert!(inside(real) && (byte == real as u8 || byte == 0xee));
                }
            }
        }
        let mut after = vec![0; 256 * 512];
        pack.read_blocks(0, &mut after).unwrap();
        for n in (0..256).filter(|&n| !inside(n)) {
            let at = n as usize * 512..n as usize * 512 + 512;
            assert_eq!(after[at.clone()], whole[at], "block {n} is not of the minidisk {start}+{count}");
        }
        let pack = pack_of(256);
        let disk = Extent::new(pack.clone(), start, count, false).unwrap();
        let mark = Count { cylinder: 0xbad, head: 0, record: 1, key: 0, data: 0 };
        for _ in 0..50 {
            let track = match numbers.next() % 4 {
                0 => u32::MAX - (numbers.next() % 3840) as u32,
                _ => (numbers.next() % 4000) as u32,
            };
            let mut new = Track::new((track / 15) as u16, (track % 15) as u16);
            let end = new.records().last().unwrap().end();
            new.format(end, mark, &[], &[]);
            let _ = disk.write_track(track, &new);
        }
        for track in (0..256 * 15).filter(|&track| !inside(u64::from(track) / 15)) {
            assert_eq!(pack.read_track(track).unwrap().records().count(), 1, "track {track} is a neighbour's");
        }
    }
}

/// An unlabelled volume.
fn pack_of(cylinders: u32) -> Arc<Memory> {
    Arc::new(Memory::ckd(CkdModel::named("3390").expect("there is this model"), cylinders))
}

/// What a program does: it is loaded from minidisk 190 by IPL, whose PSW sends it to X'200', and ends in a disabled wait.
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
            let text: Vec<u8> =
                [0x0008_0000_8000_0200_u64, 0x0300_0000_2000_0001, 0].iter().flat_map(|w| w.to_be_bytes()).collect();
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

#[test]
fn programs_are_loaded_from_disks() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let disk = |vdev: u16| site.cp.disks.link("MAINT", vdev).expect("it is linked").volume.clone();
    format(&*disk(0x190));
    perform(&site, &maint, "MAINT", &[], &[]);
    let mut block = [0; 512];
    block[..8].copy_from_slice(&0x000a_0000_0000_0fba_u64.to_be_bytes());
    block[8..16].copy_from_slice(&0x0300_0000_2000_0001_u64.to_be_bytes());
    disk(0x193).write_blocks(0, &block).unwrap();
    maint.says("ipl 193 loadparm x parm y");
    (0..100).for_each(|_| {
        site.cp.step(0);
    });
    assert!(maint.1.take_output().contains("disabled wait PSW 000A0000 00000FBA"));
    assert_eq!(maint.says("ipl 191"), ["HCPVMI232E IPL I/O error on device 0191"]);
}

#[test]
fn diagnoses_read_and_write_blocks() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let disk = site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone();
    format(&*disk);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    // X'A4' reads blocks 13 and 14 (track 1), writes block 15, and finds no record of its size on track 0.
    let read = words(&[0x0190_0002, 4096, 0x480, 2, 0, 0, 0]);
    let write = words(&[0x0190_0001, 4096, 0x490, 1, 0, 0, 0]);
    let wrong = words(&[0x0190_0002, 4096, 0x498, 1, 0, 0, 0]);
    let list = words(&[13, 0x2000, 14, 0x3000, 15, 0x2000, 1, 0x4000]);
    let blank = [0; 88];
    let program = [
        0x4110_0800,
        0x8312_00a4,
        0xb222_0040,
        0x5040_0500,
        0x50f0_0504, // LA 1; DIAG; IPM 4; ST 4; ST 15
        0x4110_0880,
        0x8312_00a4,
        0xb222_0040,
        0x5040_0508,
        0x50f0_050c, //
        0x4110_0900,
        0x8312_00a4,
        0xb222_0040,
        0x5040_0510,
        0x50f0_0514,
    ];
    let data = [
        (0x800, &blank[..]),
        (0x880, &blank[..]),
        (0x900, &blank[..]),
        (0x800, &read[..]),
        (0x880, &write[..]),
        (0x900, &wrong[..]),
        (0x480, &list[..]),
    ];
    let guest = perform(&site, &maint, "MAINT", &program, &data);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    let (cc, code) = (|n: u64| word(0x500 + 8 * n) >> 28, |n: u64| word(0x504 + 8 * n));
    assert_eq!([(cc(0), code(0)), (cc(1), code(1)), (cc(2), code(2))], [(0, 0), (0, 0), (3, 13)]);
    assert_eq!([word(0x810), word(0x890), word(0x910)], [2, 1, 0], "blocks done");
    assert_eq!((word(0x2000), word(0x3000)), (0x1111_1111, 0x1212_1212));
    assert_eq!(disk.read_track(1).unwrap().records().nth(3).unwrap().data, [0x11; 4096]);

    // X'250' with addresses of 31 bits: INIT, one request that reads and one that does not exist, and REMOVE.
    let init = words(&[0x0190_0000, 0, 0, 0, 0, 0, 4096, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let request = words(&[0x0190_0000, 0, 0, 0, 0, 0, 0, 2, 0, 0xa80, 0, 0, 0, 0, 0, 0]);
    let entries = words(&[0x0200_0000, 24, 0, 0x5000, 0x0200_0000, 3601, 0, 0x5000]);
    let program = [
        0x4120_0a00,
        0x4140_0000,
        0x8324_0250,
        0xb222_0050,
        0x5050_0500,
        0x5030_0504, // LA 2; LA 4; DIAG; IPM 5; ST 5; ST 3
        0x4120_0a40,
        0x4140_0001,
        0x8324_0250,
        0xb222_0050,
        0x5050_0508,
        0x5030_050c, //
        0x4120_0a00,
        0x4140_0002,
        0x8324_0250,
        0xb222_0050,
        0x5050_0510,
        0x5030_0514,
    ];
    let guest =
        perform(&site, &maint, "MAINT", &program, &[(0xa00, &init[..]), (0xa40, &request[..]), (0xa80, &entries[..])]);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    assert_eq!([0u64, 8, 16].map(|n| (word(0x500 + n) >> 28, word(0x504 + n))), [(0, 0), (1, 12), (0, 0)]);
    assert_eq!((word(0xa20), word(0xa24)), (1, 20 * 15 * 12), "the first and the last block");
    assert_eq!((word(0xa80), word(0xa90), word(0x5000)), (0x0200_0000, 0x0201_0000, 0x1c1c_1c1c));

    // X'18' and X'A8': seek, search, read.
    let ccws = words(&[0x0700_0c40, 0x4000_0006, 0x3100_0c42, 0x4000_0005, 0x0800_0c08, 0, 0x0600_6000, 0x2000_1000]);
    let seek = [0, 0, 0, 0, 0, 2, 5];
    let more = words(&[0x0700_0c40, 0x4000_0006, 0x3100_0c42, 0x4000_0005, 0x0800_0c88, 0, 0x0600_7000, 0x2000_1000]);
    let general = words(&[0x0190_0000, 0, 0xc80, 0, 0, 0, 0]);
    let program = [
        0x4110_0190,
        0x4120_0c00,
        0x41f0_0001,
        0x8312_0018,
        0xb222_0050,
        0x5050_0500, // LA 1; LA 2; LA 15; DIAG; IPM 5; ST 5
        0x4110_0d00,
        0x8312_00a8,
        0xb222_0050,
        0x5050_0508,
    ];
    let data = [(0xc00, &ccws[..]), (0xc80, &more[..]), (0xc40, &seek[..]), (0xd00, &blank[..]), (0xd00, &general[..])];
    let guest = perform(&site, &maint, "MAINT", &program, &data);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    assert_eq!((word(0x500) >> 28, word(0x508) >> 28, word(0x6000), word(0x7000)), (0, 0, 0x2525_2525, 0x2525_2525));
    assert_eq!((word(0xd10), word(0xd14)), (0xca0, 0x0c00_0000), "channel end, device end, nothing left");
}

#[test]
fn the_block_service_reads_and_writes_on_a_path() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let disk = site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone();
    format(&*disk);
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let connect = |vdev: u32, size: u32, offset: u32| {
        let mut list = words(&[0x0000_8000, 0, 0, 0, vdev << 16, size, offset, 0, 0, 0]);
        list[8..16].copy_from_slice(&ebcdic::padded::<8>("*BLOCKIO"));
        list
    };
    let send = |path: u32, class: u32, number: u32, buffer: u32, tag: u32| {
        words(&[path << 16 | 0x8000, 0, class, number, buffer, 7, tag, 0, 0, 0])
    };
    // DECLARE BUFFER; four paths, of which the first and the last come about; sends on them; and what they came to.
    let lists: Vec<(u32, Vec<u8>)> = vec![
        (12, words(&[0, 0, 0, 0x1800, 0, 0, 0, 0, 0, 0])),
        (11, connect(0x190, 4096, 0)),
        (11, connect(0x190, 4096, 0)),
        (11, connect(0x777, 4096, 0)),
        (11, connect(0x193, 512, 100)),
        (4, send(0, 0x0200_0000, 13, 0x5000, 0xa)),
        (4, send(0, 0x0100_0000, 14, 0x5000, 0xb)),
        (4, send(0, 0x0200_0000, 3601, 0x5000, 0xc)),
        (4, send(1, 0x0200_0000, 1, 0x5000, 0xd)),
        (4, words(&[0, 0, 0x0300_0000, 0xe00, 48, 7, 0xe, 0, 0, 0])),
        (4, send(3, 0x0200_0000, 0xffff_ff9d, 0x6000, 0xf)),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
        (7, words(&[0; 10])),
    ];
    let requests = words(&[0x0200_0000, 15, 0, 0x7000, 0x0100_0000, 16, 0, 0x5000, 0x0900_0000, 17, 0, 0x5000]);
    let (mut program, mut data) = (Vec::new(), vec![(0xe00, &requests[..])]);
    for (n, (function, list)) in lists.iter().enumerate() {
        let at = 0xa00 + 40 * n as u32;
        // LA 0; LA 1; IUCV; IPM 5; ST 5
        program.extend([
            0x4100_0000 | function,
            0x4110_0000 | at,
            0xb2f0_0000,
            0xb222_0050,
            0x5050_0600 | 4 * n as u32,
        ]);
        data.push((u64::from(at), &list[..]));
    }
    let guest = perform(&site, &maint, "MAINT", &program, &data);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    let list = |n: u64, offset: u64| word(0xa00 + 40 * n + offset);
    let cc: Vec<u32> = (0..17).map(|n| word(0x600 + 4 * n) >> 28).collect();
    assert_eq!(cc, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2]);
    assert_eq!((list(4, 0) >> 16, list(8, 0) & 0xff), (3, 1), "the path to nowhere takes no messages");
    // Status and blocks done, in the order in which they were asked for.
    let replies: Vec<_> = (11..16).map(|n| (list(n, 24), list(n, 12), list(n, 16))).collect();
    assert_eq!(replies, [(0xa, 0, 1), (0xb, 0, 1), (0xc, 1, 0), (0xe, 12, 2), (0xf, 0, 1)]);
    assert_eq!((word(0x5000), word(0x7000)), (0x1111_1111, 0x1313_1313));
    let record = |n: usize| disk.read_track(1).unwrap().records().nth(n).unwrap().data.to_vec();
    assert_eq!([record(2), record(4)], [[0x11; 4096], [0x11; 4096]]);
    assert_eq!([0xe00, 0xe10, 0xe20].map(word), [0x0200_0000, 0x0100_0000, 0x0906_0000]);
    // What the program was not told as its CPU was disabled.
    let vmdbk = site.cp.vmdbk("MAINT").unwrap();
    let told = |id: u32| {
        site.cp.iucv.lock().unwrap().take(id, 0).map(|i| (i.list.kind(), i.list.path(), i.list.user()[..9].to_vec()))
    };
    let user = |first: u32, last: u32| [&first.to_be_bytes()[..], &last.to_be_bytes()[..], &[0]].concat();
    let why = |reason: u8| [vec![reason], vec![0; 8]].concat();
    assert_eq!(told(vmdbk.id), Some((2, 0, user(1, 3600))));
    assert_eq!(told(vmdbk.id), Some((3, 1, why(28))));
    assert_eq!(told(vmdbk.id), Some((3, 2, why(16))));
    assert_eq!(told(vmdbk.id), Some((2, 3, user(0xffff_ff9d, 0))));
    // A disk that goes takes its path with it.
    maint.says("detach 193");
    assert_eq!(told(vmdbk.id), Some((3, 3, why(16))));
    assert_eq!(told(vmdbk.id), None);
}

#[test]
fn the_control_units_cache_is_set_and_counted() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let (u2, _) = site.log_on("u2");
    assert_eq!(u2.says("set cache device off 201"), ["HCPCMD002E Invalid operand - CACHE"]);
    assert_eq!(
        maint.says("query cache 201"),
        [
            "0201 CACHE available for subsystem",
            "0201 CACHE activated for device",
            "0201 READS=0 HITS=0 HIT RATIO=0% STAGED=0 BYPASSED=0 INHIBITED=0",
            "0201 WRITES=0 FAST HITS=0 DESTAGED=0 DELAYED=0"
        ]
    );
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    let ipl = |vdev: &str| {
        maint.says(&format!("ipl {vdev}"));
        (0..20).for_each(|_| {
            site.cp.step(0);
        });
        maint.1.take_output();
        maint.says("query cache 201")[2].clone()
    };
    maint.says("set mdcache system off");
    let counted = |reads: u32, hits: u32, staged: u32, bypassed: u32| {
        let ratio = hits * 100 / reads;
        format!("0201 READS={reads} HITS={hits} HIT RATIO={ratio}% STAGED={staged} BYPASSED={bypassed} INHIBITED=0")
    };
    assert_eq!(ipl("190"), counted(1, 0, 1, 0));
    assert_eq!(ipl("190"), counted(2, 1, 1, 0));
    // MINIOPT NOCACHE.
    assert_eq!(ipl("191"), counted(3, 1, 1, 1));
    assert_eq!(maint.says("set cache device off 201"), Vec::<String>::new());
    assert_eq!(ipl("190"), counted(4, 1, 1, 1));
    maint.says("set cache device on 201");
    assert_eq!(maint.says("set nvs off 200-2ff"), Vec::<String>::new());
    assert_eq!(maint.says("query nvs 201"), ["0201 NVS unavailable for subsystem"]);
    assert_eq!(maint.says("set dasdfw off 201"), Vec::<String>::new());
    assert_eq!(
        maint.says("query dasdfw 200 201"),
        ["0200 DASDFW activated for device", "0201 DASDFW deactivated for device"]
    );
    assert_eq!(maint.says("set cache subsystem off 201"), Vec::<String>::new());
    assert_eq!(maint.says("query cache 200")[0], "0200 CACHE unavailable for subsystem");
    assert_eq!(maint.says("set nvs on 202"), ["HCPSEC1154E Device 0202 is not at a control unit with a cache"]);
    assert_eq!(maint.says("set nvs on 999"), ["HCPCQS040E Device 0999 does not exist"]);
    // What the minidisk cache has does not come to the control unit.
    maint.says("set mdcache system on");
    ipl("190");
    let before = maint.says("query cache 201")[2].clone();
    assert_eq!(ipl("190"), before);
}

#[test]
fn record_level_caching_keeps_what_was_read() {
    let site = Site::new();
    let (_maint, _) = site.log_on("maint");
    let volume = site.cp.disks.link("MAINT", 0x196).expect("it is linked").volume.clone();
    let whole = site.cp.disks.link("MAINT", 0x123).expect("it is linked").volume.clone();
    format(&*volume);
    let cache = &site.cp.disks.cache;
    let mut block = [0; 4096];
    let before = cache.bytes();
    for round in 0..2 {
        for number in [3, 7] {
            assert!(volume.read_record(4, number, &mut block).unwrap());
            assert_eq!(block, [number + 64; 4096]);
        }
        assert_eq!(cache.bytes() - before, 2 * 4096, "round {round}");
    }
    let hits = || cache.counters.hits.load(std::sync::atomic::Ordering::Relaxed);
    let then = hits();
    assert!(volume.read_record(4, 3, &mut block).unwrap());
    assert_eq!(hits(), then + 1);
    assert!(!volume.read_record(4, 13, &mut block).unwrap());
    assert!(!volume.read_record(4, 3, &mut [0; 512]).unwrap());
    // Tracks do not come in, and a write by whatever way throws the records out.
    volume.read_track(5).unwrap();
    assert_eq!(cache.bytes() - before, 2 * 4096);
    whole
        .update_track(50 * 15 + 4, &mut |track| {
            let at = track.records().nth(3).unwrap().at;
            track.update(at, None, Some(&[9; 4096]));
            true
        })
        .unwrap();
    assert_eq!(cache.bytes(), before);
    assert!(volume.read_record(4, 3, &mut block).unwrap());
    assert_eq!(block, [9; 4096]);
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

#[test]
fn channel_programs_are_assisted_unless_told_otherwise() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let disk = site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone();
    format(&*disk);
    // X'A8': seek, search, read.
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    let ccws = words(&[0x0700_0c40, 0x4000_0006, 0x3100_0c42, 0x4000_0005, 0x0800_0c88, 0, 0x0600_7000, 0x2000_1000]);
    let general = words(&[0x0190_0000, 0, 0xc80, 0, 0, 0, 0]);
    let (seek, blank) = ([0, 0, 0, 0, 0, 2, 5], [0; 88]);
    let data = [(0xc80, &ccws[..]), (0xc40, &seek[..]), (0xd00, &blank[..]), (0xd00, &general[..])];
    let counted = || {
        let line = maint.says("query ioassist").remove(0);
        let number = |word: &str| {
            let rest = line.split_once(word).unwrap().1;
            rest.split(' ').next().unwrap().parse::<u64>().unwrap()
        };
        (line.contains("IOASSIST ON"), number("DONE="), number("NOT ELIGIBLE="))
    };
    let run = || {
        let before = counted();
        let guest = perform(&site, &maint, "MAINT", &[0x4110_0d00, 0x8312_00a8], &data);
        assert_eq!(guest.read_u32(arch::Absolute(0x7000)).unwrap(), 0x2525_2525);
        counted().1 - before.1
    };
    assert_eq!((counted().0, run()), (true, 1));
    maint.says("set ioassist off");
    assert_eq!((counted().0, run()), (false, 0));
    // A disk that comes later, too.
    maint.says("detach 190");
    maint.says("link * 190 190 mr");
    assert_eq!(run(), 0);
    maint.says("set ioassist on");
    assert_eq!(run(), 1);
    assert_eq!(maint.says("set ccwtran off"), ["HCPCMD002E Invalid operand - OFF"]);
    assert_eq!(maint.says("query ccwtran"), ["CCWTRAN ON"]);
}

/// A RESERVE of a minidisk keeps out who has a part of it, or what it is a part of, until RELEASE or the end of the link.
#[test]
fn a_reserve_is_seen_wherever_minidisks_overlap() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    let (u1, _) = site.log_on("u1");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    // X'A8' with one command that transfers 32 bytes: RESERVE, RELEASE, or READ DEVICE CHARACTERISTICS.
    let blank = [0; 88];
    let command = |seat: &Seat<'_>, user: &str, vdev: u32, code: u32| {
        let ccw = words(&[code << 24 | 0x7000, 0x2000_0020]);
        let general = words(&[vdev << 16, 0, 0xc80, 0, 0, 0, 0]);
        let program = [0x4110_0d00, 0x8312_00a8, 0xb222_0050, 0x5050_0500, 0x50f0_0504];
        let data = [(0xc80, &ccw[..]), (0xd00, &blank[..]), (0xd00, &general[..])];
        let guest = perform(&site, seat, user, &program, &data);
        let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
        (word(0x500) >> 28, if word(0x500) >> 28 == 0 { 0 } else { word(0x504) })
    };
    const RESERVE: u32 = 0xb4;
    const RELEASE: u32 = 0x94;
    const READ: u32 = 0x64;
    const BUSY: (u32, u32) = (1, 5);
    // MAINT 191 is cylinders 30 to 34 and U1 191 is 32 to 35; both have 190, which lies elsewhere.
    assert_eq!(command(&maint, "MAINT", 0x191, RESERVE), (0, 0));
    assert_eq!(command(&u1, "U1", 0x191, READ), BUSY);
    assert_eq!(command(&u1, "U1", 0x190, READ), (0, 0));
    let details = |seat: &Seat<'_>, vdev: &str| seat.says(&format!("query virtual {vdev} details")).remove(2);
    assert!(details(&u1, "191").ends_with(", RESERVED") && details(&u1, "190").ends_with(", NOT RESERVED"));
    assert!(details(&maint, "123").ends_with(", RESERVED"), "the whole volume has a part that is");
    // A reset releases.
    maint.says("system reset");
    assert_eq!(command(&u1, "U1", 0x191, READ), (0, 0));
    assert_eq!(command(&maint, "MAINT", 0x123, RESERVE), (0, 0));
    assert!(["190", "191"].iter().all(|vdev| details(&u1, vdev).ends_with(", RESERVED")));
    maint.says("detach 123");
    assert_eq!(command(&u1, "U1", 0x191, READ), (0, 0));
    assert_eq!(command(&u1, "U1", 0x191, RESERVE), (0, 0));
    assert_eq!(command(&maint, "MAINT", 0x191, READ), BUSY);
    assert_eq!(command(&u1, "U1", 0x191, RELEASE), (0, 0));
    assert_eq!(command(&maint, "MAINT", 0x191, READ), (0, 0));
}

#[test]
fn disks_take_their_time_when_they_are_told_to() {
    let site = Site::new();
    let clock = Arc::new(Time::default());
    site.cp.disks.set_alarm(clock.clone());
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    assert_eq!(maint.says("query timing 201")[0], "0201 TIMING OFF PROGRAMS=0 RESPONSE=0.0");
    assert_eq!(maint.says("set timing on 200-2ff"), Vec::<String>::new());
    let machine = site.cp.vmdbk("MAINT").unwrap().machine();
    let id = machine.configuration.css().find(0x190).expect("it is there").number();
    let guest = machine.configuration.storage().clone();
    let put = |at: u64, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        guest.write(arch::Absolute(at), &bytes).unwrap();
    };
    // L 1; STSCH, OI, MSCH: enabled; LCTL 6; SSCH; a wait for its interruption, whose new PSW is another wait.
    put(0x200, &[0x5810_0600, 0xb234_0680, 0x9680_0685, 0xb232_0680, 0xb766_0610, 0xb233_0700, 0x8200_0608]);
    put(0x78, &[0x000a_0000, 0x0000_0abc]);
    put(0x600, &[0x0001_0000 | u32::from(id), 0, 0x020a_0000, 0x8000_0000, 0x8000_0000]);
    put(0x700, &[0, 0x0080_ff00, 0xc00, 0, 0, 0, 0, 0]);
    put(0xc00, &[0x0740_0006, 0xc40, 0x3140_0005, 0xc42, 0x0800_0000, 0xc08, 0x0620_1000, 0x6000]);
    put(0xc40, &[0, 0x0002_0500]);
    let steps = || {
        (0..50).for_each(|_| {
            site.cp.step(0);
        });
        maint.1.take_output().contains("disabled wait PSW 000A0000 00000ABC")
    };
    // IPL itself waits for nobody; the program waits for its record until it has come round.
    maint.says("ipl 190");
    assert!(!steps());
    clock.pass(1);
    assert!(!steps());
    clock.pass(60);
    assert!(steps());
    assert_eq!(guest.read_u32(arch::Absolute(0x6000)).unwrap(), 0x2525_2525);
    let line = maint.says("query timing 201").remove(0);
    let response: f64 = line.split_once("RESPONSE=").unwrap().1.parse().unwrap();
    assert!(line.starts_with("0201 TIMING ON PROGRAMS=2 ") && (1.0..60.0).contains(&response), "{line}");
    // What the minidisk cache has needs no disk.
    maint.says("ipl 190");
    assert!(steps());
}

#[test]
fn general_io_is_over_when_the_instruction_is() {
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    let words = |words: &[u32]| words.iter().flat_map(|word| word.to_be_bytes()).collect::<Vec<u8>>();
    // Seek, search, and a read into X'6000': of the record, of a part of it without and with a wish to be told, and no command.
    let program_at = |at: u32, command: u32, flags: u32, count: u32| {
        let ccws = [0x0700_0c00, 0x4000_0006, 0x3100_0c02, 0x4000_0005, 0x0800_0008 + at, 0];
        words(&[&ccws[..], &[command << 24 | 0x6000, flags << 24 | count]].concat())
    };
    let programs = [
        (0xc40, program_at(0xc40, 0x06, 0, 4096)),
        (0xc80, program_at(0xc80, 0x06, 0x20, 8)),
        (0xcc0, program_at(0xcc0, 0x06, 0, 8)),
        (0xd00, program_at(0xd00, 0xff, 0x20, 8)),
    ];
    let seek = [0, 0, 0, 0, 0, 2, 5];
    let calls = [(0x190, 0xc40), (0x190, 0xc80), (0x190, 0xcc0), (0x190, 0xd00), (0x777, 0xc40), (0x009, 0xc40)];
    let mut program = Vec::new();
    for (n, (vdev, at)) in calls.iter().enumerate() {
        // LA 1; LA 2; XR 15,15 and NOPR; DIAG; IPM 5; ST 5; ST 15
        let store = 0x500 + 8 * n as u32;
        program.extend([0x4110_0000 | vdev, 0x4120_0000 | at, 0x17ff_0700, 0x8312_0020, 0xb222_0050]);
        program.extend([0x5050_0000 | store, 0x50f0_0004 | store]);
    }
    let mut data = vec![(0xc00, &seek[..])];
    data.extend(programs.iter().map(|(at, bytes)| (*at, &bytes[..])));
    let guest = perform(&site, &maint, "MAINT", &program, &data);
    let word = |at: u64| guest.read_u32(arch::Absolute(at)).unwrap();
    let answers: Vec<(u32, u32)> = (0..6).map(|n| (word(0x500 + 8 * n) >> 28, word(0x504 + 8 * n))).collect();
    // Command reject is the first sense byte.
    assert_eq!(answers, [(0, 0), (0, 0), (2, 2), (3, 0x8000_000d), (1, 1), (1, 1)]);
    assert_eq!((word(0x6000), word(0x6ffc)), (0x2525_2525, 0x2525_2525));
}
