//! Minidisks side by side on one volume: whatever channel program the guest in the midst runs, on either way, it is as
//! on a disk of its own, and its neighbours' tracks are as they were.
//!
//! `FUZZ_SEED` and `FUZZ_ROUNDS` choose other programs and more of them.

mod disk;

use arch::io::DeviceStatus;
use dasd::{Extent, Kind, Track, Volume};
use devices::dasd::{Eckd, Fba, Options};
use disk::random::{Apart, CYLINDERS, TRACKS, all, fill, fixed_blocks, program, run, setting};
use disk::{Machine, Memory};
use std::sync::{Arc, Mutex};
use support::Random;

/// What the neighbours have, over and over: it is nowhere else.
const THEIRS: &[u8; 16] = b"a neighbour's da";

/// A volume of three minidisks, the outer two of which are full of [`THEIRS`].
fn three() -> Arc<Memory> {
    let volume = Memory::d3390(3 * CYLINDERS);
    (0..3 * TRACKS).for_each(|track| volume.fill(track, &[(&[][..], &THEIRS.repeat(256)[..]); 12]));
    volume
}

/// Puts the first minidisk's worth of `from` in the midst of `volume`, as a program that writes it there would.
fn put_in_the_midst(from: &Memory, midst: &Extent) {
    (0..TRACKS).for_each(|track| midst.write_track(track, &from.track(track)).unwrap());
}

fn neighbours(volume: &Memory) -> Vec<Arc<Track>> {
    (0..TRACKS).chain(2 * TRACKS..3 * TRACKS).map(|track| volume.track(track)).collect()
}

#[test]
fn a_channel_program_reaches_no_other_users_track() {
    let (rounds, seed) = (setting("FUZZ_ROUNDS", 3000), setting("FUZZ_SEED", 0x190));
    let mut random = Random::seeded(seed);
    let alone = Memory::d3390(CYLINDERS);
    let volumes = [three(), three()];
    // One of them moves records without their tracks, when it likes.
    let apart: Arc<dyn Volume> = Arc::new(Apart(volumes[0].clone(), Mutex::new((Random::seeded(99), 0))));
    let midsts = [apart, volumes[1].clone()].map(|volume| {
        Arc::new(Extent::new(volume, CYLINDERS.into(), CYLINDERS.into(), false).expect("it lies on the volume"))
    });
    let machine = |medium: Arc<dyn Volume>, fast| {
        let mut m = Machine::new(Box::new(Eckd::new(medium, Options::default())));
        m.css.allow_fast_path(0x200, fast);
        m
    };
    let mut own = machine(alone.clone(), false);
    let mut machines = [machine(midsts[0].clone(), true), machine(midsts[1].clone(), false)];
    let theirs = neighbours(&volumes[0]);
    let mut good = 0;
    for round in 0..rounds {
        if round % 20 == 0 {
            fill(&alone);
            midsts.iter().for_each(|midst| put_in_the_midst(&alone, midst));
        }
        let (steps, _) = program(&mut random);
        let what = || format!("round {round} of seed {seed:#x}");
        let wanted = run(&mut own, &steps);
        good += u64::from(wanted.scsw.device == DeviceStatus::ENDED && wanted.scsw.subchannel == 0);
        for (m, volume) in machines.iter_mut().zip(&volumes) {
            let irb = run(m, &steps);
            assert_eq!((irb.scsw, irb.ecw), (wanted.scsw, wanted.ecw), "{}", what());
            for (now, before) in neighbours(volume).iter().zip(&theirs) {
                assert!(Arc::ptr_eq(now, before) || now == before, "a neighbour's {:?}, {}", before, what());
            }
        }
        if round % 16 == 0 {
            let storage = all(&own);
            assert!(!storage.windows(16).any(|bytes| bytes == THEIRS), "theirs is in storage: {}", what());
            for (m, midst) in machines.iter().zip(&midsts) {
                assert!(all(m) == storage, "storage differs after {}", what());
                // Cylinder numbers, too, are the minidisk's.
                (0..TRACKS).for_each(|n| assert_eq!(midst.read_track(n).unwrap(), alone.track(n), "{}", what()));
            }
        }
    }
    assert!(good > rounds / 10, "{good} programs of {rounds} ended well");
    assert!(machines[0].css.counts().fast.done > rounds / 20);
}

#[test]
fn a_channel_program_reaches_no_other_users_block() {
    const BLOCKS: u64 = 300;
    let mut random = Random::seeded(setting("FUZZ_SEED", 0x9336));
    let alone = Memory::fba(BLOCKS);
    let volumes = [Memory::fba(3 * BLOCKS), Memory::fba(3 * BLOCKS)];
    let (before, behind) = (0..BLOCKS as usize * Kind::BLOCK, 2 * BLOCKS as usize * Kind::BLOCK..);
    for volume in &volumes {
        let mut blocks = volume.blocks.lock().unwrap();
        blocks[before.clone()].chunks_mut(16).for_each(|chunk| chunk.copy_from_slice(THEIRS));
        blocks[behind.clone()].chunks_mut(16).for_each(|chunk| chunk.copy_from_slice(THEIRS));
    }
    let machine = |medium: Arc<dyn Volume>, fast| {
        let mut m = Machine::new(Box::new(Fba::new(medium, Options::default())));
        m.css.allow_fast_path(0x200, fast);
        m
    };
    let mut own = machine(alone.clone(), false);
    let mut fast = true;
    let mut machines = volumes.each_ref().map(|volume| {
        let midst = Extent::new(volume.clone(), BLOCKS, BLOCKS, false).expect("it lies on the volume");
        machine(Arc::new(midst), std::mem::take(&mut fast))
    });
    for round in 0..setting("FUZZ_ROUNDS", 3000) {
        let steps = fixed_blocks(&mut random);
        let wanted = run(&mut own, &steps);
        for (m, volume) in machines.iter_mut().zip(&volumes) {
            let irb = run(m, &steps);
            assert_eq!((irb.scsw, irb.ecw), (wanted.scsw, wanted.ecw), "round {round}");
            let blocks = volume.blocks.lock().unwrap();
            let mut theirs = blocks[before.clone()].chunks(16).chain(blocks[behind.clone()].chunks(16));
            assert!(theirs.all(|chunk| chunk == THEIRS), "a neighbour's block, round {round}");
            assert!(blocks[before.end..behind.start] == alone.blocks.lock().unwrap()[..], "round {round}");
        }
    }
    let storage = all(&own);
    assert!(machines.iter().all(|m| all(m) == storage));
    assert!(!storage.windows(16).any(|bytes| bytes == THEIRS), "theirs is in storage");
    assert!(machines[0].css.counts().fast.done > 100);
}
