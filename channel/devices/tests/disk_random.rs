//! Random channel programs for disks: both ways through them give the same results, none reaches a track outside its
//! extent or storage that it does not name, none panics or hangs.
//!
//! `FUZZ_SEED` and `FUZZ_ROUNDS` choose other programs and more of them.

mod disk;

use arch::io::DeviceStatus;
use dasd::{Kind, MediaError, Track, Volume};
use devices::dasd::{Eckd, Fba, Options};
use disk::random::{Apart, CYLINDERS, TRACKS, all, fill, fixed_blocks, program, run, setting};
use disk::{Machine, Memory, get, locate_bytes, put};
use std::sync::{Arc, Mutex};
use support::Random;

/// A volume that notes which tracks are asked for.
struct Watched(Arc<Memory>, Mutex<Vec<u32>>);

impl Volume for Watched {
    fn kind(&self) -> Kind {
        self.0.kind()
    }
    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        self.1.lock().unwrap().push(track);
        self.0.read_track(track)
    }
    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        self.1.lock().unwrap().push(track);
        self.0.write_track(track, new)
    }
    fn update_track(&self, track: u32, change: dasd::Change<'_>) -> Result<(), MediaError> {
        self.1.lock().unwrap().push(track);
        self.0.update_track(track, change)
    }
}

fn filled() -> Arc<Watched> {
    let volume = Memory::d3390(CYLINDERS);
    fill(&volume);
    Arc::new(Watched(volume, Mutex::default()))
}

#[test]
fn both_ways_give_the_same_and_nothing_outside_is_reached() {
    let rounds = setting("FUZZ_ROUNDS", 3000);
    let seed = setting("FUZZ_SEED", 0x3390);
    let mut random = Random::seeded(seed);
    let volumes = [filled(), filled()];
    let mut machines = [true, false].map(|fast| {
        let volume = volumes[usize::from(!fast)].clone();
        let mut m = Machine::new(Box::new(Eckd::new(volume, Options::default())));
        m.css.allow_fast_path(0x200, fast);
        m
    });
    let mut good = 0;
    for round in 0..rounds {
        if round % 20 == 0 {
            volumes.iter().for_each(|volume| fill(&volume.0));
        }
        let (steps, extent) = program(&mut random);
        let what = || {
            let text: Vec<String> = steps
                .iter()
                .map(|s| {
                    format!("{:02X}/{:02X}/{}/{:02X?}", s.code, s.flags, s.count, &s.bytes.get(..64.min(s.bytes.len())))
                })
                .collect();
            format!("round {round} of seed {seed:#x}: {}", text.join("\n"))
        };
        let irbs = [0, 1].map(|n| run(&mut machines[n], &steps));
        good += u64::from(irbs[0].scsw.device == DeviceStatus::ENDED && irbs[0].scsw.subchannel == 0);
        assert_eq!(irbs[0].scsw, irbs[1].scsw, "{}", what());
        assert_eq!(irbs[0].ecw, irbs[1].ecw, "{}", what());
        let touched = volumes.each_ref().map(|volume| std::mem::take(&mut *volume.1.lock().unwrap()));
        assert_eq!(touched[0], touched[1], "{}", what());
        for &track in &touched[0] {
            assert!(track < TRACKS, "track {track}, {}", what());
            if let Some((first, last)) = extent {
                assert!((first..=last).contains(&track), "track {track}, {}", what());
            }
        }
        if round % 16 == 0 {
            assert!(all(&machines[0]) == all(&machines[1]), "storage differs after {}", what());
            assert!(*volumes[0].0.tracks.lock().unwrap() == *volumes[1].0.tracks.lock().unwrap(), "{}", what());
        }
    }
    let written = *volumes[0].0.written.lock().unwrap();
    assert!(
        good > rounds / 10 && written > rounds / 100,
        "{good} programs of {rounds} ended well, {written} tracks written"
    );
    let counts = machines[0].css.counts().fast;
    assert!(counts.done > rounds / 20 && counts.aborted > 0 && counts.not_eligible > 0, "{counts:?}");
    assert_eq!(machines[1].css.counts().fast, css::FastCounts::default());
}

#[test]
fn records_moved_without_their_tracks_are_the_same() {
    let mut random = Random::seeded(setting("FUZZ_SEED", 0x9345));
    let memories = [Memory::d3390(CYLINDERS), Memory::d3390(CYLINDERS)];
    let apart = Arc::new(Apart(memories[1].clone(), Mutex::new((Random::seeded(7), 0))));
    let volumes: [Arc<dyn Volume>; 2] = [memories[0].clone(), apart.clone()];
    let mut machines = volumes.map(|volume| Machine::new(Box::new(Eckd::new(volume, Options::default()))));
    for round in 0..setting("FUZZ_ROUNDS", 3000) {
        if round % 20 == 0 {
            memories.iter().for_each(|memory| fill(memory));
        }
        for m in &mut machines {
            m.css.allow_fast_path(0x200, round % 2 == 0);
        }
        let steps = program(&mut random).0;
        let irbs = [0, 1].map(|n| run(&mut machines[n], &steps));
        assert_eq!((irbs[0].scsw, irbs[0].ecw), (irbs[1].scsw, irbs[1].ecw), "round {round}");
        if round % 16 == 0 {
            assert!(all(&machines[0]) == all(&machines[1]), "storage differs after round {round}");
            assert!(*memories[0].tracks.lock().unwrap() == *memories[1].tracks.lock().unwrap(), "round {round}");
        }
    }
    let moved = apart.1.lock().unwrap().1;
    assert!(moved > setting("FUZZ_ROUNDS", 3000) / 60, "{moved} records were moved alone");
}

/// As Linux reads and writes one block: Prefix, then Read or Write Track Data.
#[test]
fn one_block_as_track_data_goes_without_its_track() {
    let memory = Memory::d3390(CYLINDERS);
    fill(&memory);
    let apart = Arc::new(Apart(memory.clone(), Mutex::new((Random::seeded(6), 0))));
    let mut machine = Machine::new(Box::new(Eckd::new(apart.clone(), Options::default())));
    let one = |write: bool, record: u8, length: u16| {
        let define = disk::extent(0xc0, 7, 7);
        let mut b = vec![1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        b.extend(&define.bytes);
        b.resize(44, 0);
        let mut locate = locate_bytes(if write { 0x3f } else { 0x0c }, 1, 7, record);
        locate[1] |= 0x80;
        locate[14..16].copy_from_slice(&u16::to_be_bytes(length));
        b.extend(locate);
        b.extend([0, if write { 0x23 } else { 0 }, 0, 0]);
        let data = if write { put(0xa5, &vec![0x77; length.into()]) } else { get(0xa6, length) };
        [put(0xe7, &b), data]
    };
    let mut moved = 0;
    for (write, length, alone) in
        [(false, 4096, true), (true, 4096, true), (false, 8192, false), (true, 8192, false), (true, 512, false)]
    {
        let mut willing = 0;
        for record in 1..=10 {
            let irb = run(&mut machine, &one(write, record, length));
            assert_eq!((irb.scsw.device, irb.scsw.subchannel), (DeviceStatus::ENDED, 0), "{write} {record} {length}");
            let now = apart.1.lock().unwrap().1;
            willing += now - moved;
            moved = now;
        }
        assert_eq!(willing > 5, alone, "{willing} of 10: {write} {length}");
        assert!(alone || willing == 0, "{willing} of 10: {write} {length}");
        if write {
            let track = memory.track(7);
            let written =
                |record: usize| track.records().nth(record).is_some_and(|record| record.data[..512] == [0x77; 512]);
            assert!((1..=10).all(written));
        }
    }
}

#[test]
fn fixed_blocks_are_the_same_on_both_ways() {
    let mut random = Random::seeded(setting("FUZZ_SEED", 0x9336));
    let volumes = [Memory::fba(300), Memory::fba(300)];
    let mut machines = [true, false].map(|fast| {
        let mut m = Machine::new(Box::new(Fba::new(volumes[usize::from(!fast)].clone(), Options::default())));
        m.css.allow_fast_path(0x200, fast);
        m
    });
    for round in 0..setting("FUZZ_ROUNDS", 3000) {
        let steps = fixed_blocks(&mut random);
        let irbs = [0, 1].map(|n| run(&mut machines[n], &steps));
        assert_eq!((irbs[0].scsw, irbs[0].ecw), (irbs[1].scsw, irbs[1].ecw), "round {round}");
    }
    assert!(*volumes[0].blocks.lock().unwrap() == *volumes[1].blocks.lock().unwrap());
    assert!(all(&machines[0]) == all(&machines[1]));
    assert!(machines[0].css.counts().fast.done > 100);
}
