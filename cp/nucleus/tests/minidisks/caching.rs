//! The minidisk cache and the control unit's: what they serve, keep and count.

use super::*;

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
    // A track that one user brought in is a hit for another, and for a third who knows it by another number.
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
    let site = Site::with(&DIRECTORY.replace("FB-512 8 100 ", "FB-512 64 128 "));
    let (maint, _) = site.log_on("maint");
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
    assert!(disk.read_blocks(121, &mut back).is_err());
    let counted = maint.says("query mdcache mdisk 193");
    assert_eq!(counted[0], "0193 minidisk cache ON");
    assert!(counted[1].contains("READS=6 WRITES=2 HITS=4 "), "{counted:?}");
}

#[test]
fn fixed_blocks_that_are_no_whole_pages_are_not_cached() {
    for (where_it_lies, eligible) in [("64 128", true), ("64 124", false), ("60 132", false), ("60 136", false)] {
        let site = Site::with(&DIRECTORY.replace("FB-512 8 100 ", &format!("FB-512 {where_it_lies} ")));
        let (maint, _) = site.log_on("maint");
        let disk = site.cp.disks.link("MAINT", 0x193).expect("it is linked").volume.clone();
        let mut back = [0; 512];
        (0..2).for_each(|_| disk.read_blocks(64, &mut back).unwrap());
        assert_eq!(site.cp.disks.cache.bytes() > 0, eligible, "{where_it_lies}");
        let state = if eligible { "ON" } else { "ineligible" };
        assert_eq!(maint.says("query mdcache mdisk 193")[0], format!("0193 minidisk cache {state}"));
        let details = maint.says("query virtual 193 details").join("\n");
        assert!(details.contains(if eligible { "MDC ACTIVE" } else { "MDC NOT ELIGIBLE" }), "{details}");
    }
}

#[test]
fn a_track_with_a_record_over_32_kb_is_not_cached() {
    let site = Site::new();
    let (_maint, _) = site.log_on("maint");
    let disk = site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone();
    let with = |key: u8, data: u16| {
        let mut track = Track::new(0, 5);
        let end = track.records().last().unwrap().end();
        let count = Count { cylinder: 0, head: 5, record: 1, key, data };
        track.format(end, count, &vec![1; key.into()], &vec![2; data.into()]);
        track
    };
    let held = || site.cp.disks.cache.bytes();
    for (key, data, eligible) in [(0, 32_768, true), (0, 32_769, false), (8, 32_760, true), (8, 32_761, false)] {
        let track = with(key, data);
        disk.write_track(5, &track).unwrap();
        // The first read after a format write brings nothing in, whatever it is.
        (0..3).for_each(|_| assert_eq!(*disk.read_track(5).unwrap(), track));
        assert_eq!(held() > 0, eligible, "key {key}, data {data}");
    }
    // What makes such a record throws out what was there.
    disk.write_track(5, &with(0, 100)).unwrap();
    (0..3).for_each(|_| drop(disk.read_track(5).unwrap()));
    assert!(held() > 0);
    disk.write_track(5, &with(0, 50_000)).unwrap();
    assert_eq!(held(), 0);
    (0..3).for_each(|_| drop(disk.read_track(5).unwrap()));
    assert_eq!(held(), 0);
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

/// SET SUBSYSTEM MODE (X'87') acts on the same control unit as SET CACHE, NVS and DASDFW, as far as DASDOPT lets it.
#[test]
fn programs_set_the_mode_of_the_control_unit() {
    /// Minidisk 123's SET SUBSYSTEM MODE and SENSE SUBSYSTEM STATUS: whether the first was accepted, and bytes 4, 5 and
    /// 26 of the other.
    fn set(site: &Site, maint: &Seat<'_>, modes: u8) -> (bool, [u8; 3]) {
        let ccws = |command: u32, count: u32| words(&[command, 0x2000_0000 | count]);
        let general = |program: u32| words(&[0x0123_0000, 0, program, 0, 0, 0, 0]);
        // LA 1; DIAG X'A8'; IPM 5; ST 5; and another.
        let program = [0x4110_0d00, 0x8312_00a8, 0xb222_0050, 0x5050_0500, 0x4110_0d80, 0x8312_00a8];
        let data = [
            (0xc40, &[modes, 0][..]),
            (0xc80, &ccws(0x8700_0c40, 2)),
            (0xc90, &ccws(0x5400_7000, 40)),
            (0xd00, &[0; 88]),
            (0xd00, &general(0xc80)),
            (0xd80, &[0; 88]),
            (0xd80, &general(0xc90)),
        ];
        let guest = perform(site, maint, "MAINT", &program, &data);
        let mut status = [0; 40];
        guest.read(arch::Absolute(0x7000), &mut status).unwrap();
        let cc = guest.read_u32(arch::Absolute(0x500)).unwrap() >> 28;
        (cc == 0, [4, 5, 26].map(|at| status[at]))
    }
    let shown = |maint: &Seat<'_>| {
        let mut lines = maint.says("query cache 201")[..2].to_vec();
        lines.extend(maint.says("query nvs 201"));
        lines.extend(maint.says("query dasdfw 201"));
        lines.join(", ").replace("0201 ", "")
    };
    // DASDOPT DEVCTL: caching and DASD fast write of the device, and nothing of the subsystem.
    let site = Site::new();
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    assert_eq!(set(&site, &maint, 0x0f), (true, [0, 0, 0xf0]));
    assert_eq!(
        shown(&maint),
        "CACHE available for subsystem, CACHE deactivated for device, NVS available for subsystem, DASDFW deactivated \
         for device"
    );
    assert_eq!(set(&site, &maint, 0xc0), (false, [0, 0, 0xf0]));
    assert_eq!(set(&site, &maint, 0x3a), (false, [0, 0, 0xf0]));
    assert_eq!(set(&site, &maint, 0x0a), (true, [0, 0, 0]));
    // SYSCTL: all of it. What CP's commands set, programs see.
    let site = Site::with(&super::DIRECTORY.replace("DASDOPT DEVCTL", "DASDOPT SYSCTL"));
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    assert_eq!(set(&site, &maint, 0xf0), (true, [0x80, 0x80, 0]));
    assert_eq!(
        shown(&maint),
        "CACHE unavailable for subsystem, CACHE activated for device, NVS unavailable for subsystem, DASDFW activated \
         for device"
    );
    maint.says("set cache subsystem on 201");
    maint.says("set dasdfw off 201");
    assert_eq!(set(&site, &maint, 0x00), (true, [0, 0x80, 0x30]));
    // NODEVCTL: nothing, but programs may look.
    let site = Site::with(&super::DIRECTORY.replace("DASDOPT DEVCTL", "DASDOPT NODEVCTL"));
    let (maint, _) = site.log_on("maint");
    format(&*site.cp.disks.link("MAINT", 0x190).expect("it is linked").volume.clone());
    assert_eq!(set(&site, &maint, 0x0f), (false, [0, 0, 0]));
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
