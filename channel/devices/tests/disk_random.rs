//! Random channel programs for disks: both ways through them give the same results, none reaches a track outside its
//! extent or storage that it does not name, none panics or hangs.
//!
//! `FUZZ_SEED` and `FUZZ_ROUNDS` choose other programs and more of them.

mod disk;

use arch::Absolute;
use arch::io::{DeviceStatus, Irb, ccw_flag};
use dasd::{Kind, MediaError, Spot, Track, Volume};
use devices::dasd::{Eckd, Fba, Options};
use disk::{DATA, Machine, Memory, STEP, Step, cchh, get, locate_bytes, put, tic};
use std::sync::{Arc, Mutex};

/// A small generator (xorshift64*), so that a seed means the same everywhere.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize]
    }
}

const CYLINDERS: u32 = 3;
const TRACKS: u32 = CYLINDERS * 15;

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

fn fill(volume: &Memory) {
    for track in 0..TRACKS {
        let n = track as u8;
        let (a, b, c, d) = ([n; 8], [n + 1; 100], [n + 2; 4096], [n + 3; 512]);
        match track % 4 {
            0 => volume.fill(track, &[(b"KEY1", &a), (b"KEY2", &b), (&[], &c), (&[], &[])]),
            1 => volume.fill(track, &[(&[][..], &d[..]); 6]),
            2 if track == 2 => volume.fill(track, &[]),
            _ => volume.fill(track, &[(&[][..], &c[..]); 12]),
        }
    }
}

/// Where Define Extent of a program lets it go.
type Extent = Option<(u32, u32)>;

/// A program that makes sense most of the time. The extent is that of its first command.
fn program(chance: &mut Chance) -> (Vec<Step>, Extent) {
    let mut steps = Vec::new();
    let near = chance.below(u64::from(TRACKS)) as u32;
    let mut extent = None;
    // Count key data; extents; extents by Prefix.
    let kind = chance.below(4);
    if kind > 0 {
        let (first, last) = (near.saturating_sub(chance.below(2) as u32), (near + 3).min(TRACKS - 1));
        let last = if chance.one_in(20) { near + 4 } else { last };
        let define = disk::extent(chance.pick(&[0xc0, 0xc0, 0xc0, 0x00, 0x40, 0x80, 0xd8]), first, last);
        extent = Some((first, last));
        if kind == 3 {
            let mut b = vec![1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            b.extend(&define.bytes);
            b.resize(44, 0);
            let (locate, commands) = domain(chance, near, true);
            b.extend(locate);
            steps.push(put(0xe7, &b));
            steps.extend(commands);
        } else {
            steps.push(define);
        }
    } else if chance.one_in(3) {
        steps.push(put(0x1f, &[chance.pick(&[0x00, 0x40, 0x80, 0xc0])]));
    }
    for _ in 0..1 + chance.below(2) {
        let at = if chance.one_in(10) { chance.below(u64::from(TRACKS) + 2) as u32 } else { near };
        match chance.below(12) {
            0 => steps.push(odd(chance, at)),
            n if n < 8 && kind > 0 => {
                let (locate, commands) = domain(chance, at, false);
                steps.push(put(0x47, &locate));
                steps.extend(commands);
            }
            _ => searched(chance, at, &mut steps),
        }
    }
    for step in &mut steps {
        if step.to.is_none() && chance.below(12) > 0 {
            step.flags |= ccw_flag::SUPPRESS_LENGTH;
        }
        if step.to.is_none() && chance.one_in(60) {
            step.flags |= chance.pick(&[ccw_flag::SKIP, ccw_flag::PCI, ccw_flag::CHAIN_DATA, ccw_flag::IDA]);
        }
    }
    steps.truncate(20);
    (steps, extent)
}

/// Parameters of a Locate Record, and commands for its domain.
fn domain(chance: &mut Chance, track: u32, extended: bool) -> (Vec<u8>, Vec<Step>) {
    let record = 1 + chance.below(3) as u8;
    let size = chance.pick(&[8, 100, 512, 4096, 4096]);
    let count = 1 + chance.below(4) as u8;
    let (operation, record, codes): (u8, u8, &[u8]) = match chance.below(if extended { 9 } else { 7 }) {
        0 | 1 => (0x06, record, &[0x06, 0x86, 0x86, 0x0e, 0x8e, 0x92]),
        2 => (0x16, record, &[0x12, 0x92, 0x1e, 0x9e, 0x5e, 0x06]),
        3 | 4 => (0x01, record, &[0x05, 0x85, 0x85, 0x0d, 0x8d]),
        5 => (chance.pick(&[0x03, 0x43, 0xc3]), chance.below(3) as u8, &[0x1d, 0x1d, 0x1d, 0x9d, 0x11, 0x15]),
        6 => (chance.pick(&[0x4c, 0x0c]), record, &[0xde, 0xa6]),
        7 => (0x0c, record, &[0xa6]),
        _ => (0x3f, record, &[0xa5]),
    };
    let mut locate = locate_bytes(operation, count, track, record);
    if operation == 0x0c && chance.one_in(2) {
        // As many bytes of the last track.
        locate[1] |= 0x80;
        locate[14..16].copy_from_slice(&u16::to_be_bytes(size));
    }
    if extended {
        locate.extend([0, if chance.one_in(8) { 0x11 } else { 0x23 }, 0, 0]);
    }
    let commands = (0..count).map(|n| {
        let code = chance.pick(codes);
        match code {
            0x1d | 0x9d | 0x11 | 0x15 => write_ckd(chance, code, track, record + n),
            0x05 | 0x85 | 0x0d | 0x8d | 0xa5 => put(code, &vec![track as u8 + n; size.into()]),
            0xde => get(code, 50000),
            0xa6 => get(code, if n == 0 { size } else { 50000 }),
            _ => get(code, size),
        }
    });
    (locate, commands.collect())
}

fn write_ckd(chance: &mut Chance, code: u8, track: u32, record: u8) -> Step {
    let length = chance.pick(&[0, 8, 512, 4096, 4096, 0x7fff]);
    let key = chance.pick(&[0, 0, 4]);
    put(code, &[&cchh(track)[..], &[record, key], &u16::to_be_bytes(length)].concat())
}

/// Seek, search, and something to do with what was found.
fn searched(chance: &mut Chance, track: u32, steps: &mut Vec<Step>) {
    let record = 1 + chance.below(4) as u8;
    let size = chance.pick(&[8, 100, 512, 4096, 4096]);
    steps.push(put(0x07, &[&[0, 0][..], &cchh(track)].concat()));
    let code = chance.pick(&[0x31, 0x31, 0x31, 0xb1, 0x51, 0x71, 0x29, 0xa9, 0x69]);
    let argument = if code & 0x10 != 0 { [&cchh(track)[..], &[record]].concat() } else { b"KEY2".to_vec() };
    steps.push(put(code, &argument));
    steps.push(tic(steps.len() - 1));
    steps.push(match chance.below(6) {
        0 | 1 => get(chance.pick(&[0x06, 0x86, 0x0e, 0x8e]), size),
        2 | 3 => put(chance.pick(&[0x05, 0x0d]), &vec![record; size.into()]),
        4 => write_ckd(chance, 0x1d, track, record + 1),
        _ if chance.one_in(2) => odd(chance, track),
        _ => get(0x06, size),
    });
}

fn odd(chance: &mut Chance, track: u32) -> Step {
    match chance.below(5) {
        0 => get(chance.pick(&[0x12, 0x92, 0x1e, 0x9e, 0x16, 0x1a, 0x22, 0x5e]), 4096),
        1 => put(chance.pick(&[0x07, 0x0b, 0x1b, 0x23, 0x03, 0x13, 0x0f]), &[&[0, 0][..], &cchh(track)].concat()),
        2 => get(chance.pick(&[0xde, 0xa6, 0x64, 0x34]), chance.pick(&[100, 5000, 60000])),
        3 => put(chance.below(256) as u8 | 1, &[chance.below(256) as u8; 16]),
        _ => put(chance.pick(&[0x39, 0x19, 0x15, 0x95, 0x85]), &[&cchh(track)[..], &[0; 8]].concat()),
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs a program whatever becomes of it; if it does not end it is cleared.
fn run(m: &mut Machine, steps: &[Step]) -> Irb {
    let orb = m.lay(steps);
    assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
    for _ in 0..4 {
        m.css.attend();
    }
    let (_, irb) = m.css.test_subchannel(m.id);
    if m.css.schib(m.id).unwrap().scsw.control & 0x4000 != 0 {
        m.css.clear_subchannel(m.id);
        m.css.test_subchannel(m.id);
    }
    irb
}

fn all(m: &Machine) -> Vec<u8> {
    let mut bytes = vec![0; (DATA + 24 * STEP) as usize];
    m.storage.read(Absolute(0), &mut bytes).unwrap();
    bytes
}

#[test]
fn both_ways_give_the_same_and_nothing_outside_is_reached() {
    let rounds = setting("FUZZ_ROUNDS", 3000);
    let seed = setting("FUZZ_SEED", 0x3390);
    let mut chance = Chance(seed.max(1));
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
        let (steps, extent) = program(&mut chance);
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

/// A volume that moves records without their tracks, sometimes says that it cannot after all, and counts what it moved.
struct Apart(Arc<Memory>, Mutex<(Chance, u64)>);

impl Apart {
    fn willing(&self) -> bool {
        let (chance, moved) = &mut *self.1.lock().unwrap();
        let willing = !chance.one_in(4);
        *moved += u64::from(willing);
        willing
    }
}

impl Volume for Apart {
    fn kind(&self) -> Kind {
        self.0.kind()
    }
    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        self.0.read_track(track)
    }
    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        self.0.write_track(track, new)
    }
    fn update_track(&self, track: u32, change: dasd::Change<'_>) -> Result<(), MediaError> {
        self.0.update_track(track, change)
    }
    fn spot(&self, track: u32, id: [u8; 5]) -> Option<Spot> {
        let track = self.0.track(track);
        let record = track.records().find(|record| record.count.encode()[..5] == id)?;
        (record.key.is_empty() && !record.data.is_empty()).then_some(Spot { at: record.at, count: record.count })
    }
    fn read_spot(&self, track: u32, spot: Spot) -> Result<Option<Vec<u8>>, MediaError> {
        let track = self.0.track(track);
        let record = track.record_at(spot.at).filter(|_| self.willing());
        Ok(record.map(|record| [&record.count.encode()[..], record.data].concat()))
    }
    fn write_spot(&self, track: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        let willing = self.willing();
        if willing {
            self.0.update_track(track, &mut |track| {
                track.update(spot.at, None, Some(data));
                true
            })?;
        }
        Ok(willing)
    }
}

#[test]
fn records_moved_without_their_tracks_are_the_same() {
    let mut chance = Chance(setting("FUZZ_SEED", 0x9345).max(1));
    let memories = [Memory::d3390(CYLINDERS), Memory::d3390(CYLINDERS)];
    let apart = Arc::new(Apart(memories[1].clone(), Mutex::new((Chance(7), 0))));
    let volumes: [Arc<dyn Volume>; 2] = [memories[0].clone(), apart.clone()];
    let mut machines = volumes.map(|volume| Machine::new(Box::new(Eckd::new(volume, Options::default()))));
    for round in 0..setting("FUZZ_ROUNDS", 3000) {
        if round % 20 == 0 {
            memories.iter().for_each(|memory| fill(memory));
        }
        for m in &mut machines {
            m.css.allow_fast_path(0x200, round % 2 == 0);
        }
        let steps = program(&mut chance).0;
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
    let apart = Arc::new(Apart(memory.clone(), Mutex::new((Chance(7), 0))));
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
    let mut chance = Chance(setting("FUZZ_SEED", 0x9336).max(1));
    let volumes = [Memory::fba(300), Memory::fba(300)];
    let mut machines = [true, false].map(|fast| {
        let mut m = Machine::new(Box::new(Fba::new(volumes[usize::from(!fast)].clone(), Options::default())));
        m.css.allow_fast_path(0x200, fast);
        m
    });
    for round in 0..setting("FUZZ_ROUNDS", 3000) {
        let (start, first) = (chance.below(310) as u32, chance.below(5) as u32);
        let words = [start, first, first + chance.below(40) as u32].map(u32::to_be_bytes).concat();
        let mut steps = vec![put(0x63, &[&[chance.pick(&[0, 0, 0x40, 0xc0]), 0, 2, 0][..], &words].concat())];
        for n in 0..1 + chance.below(4) {
            let (count, block) = (chance.below(12) as u16, first + chance.below(40) as u32);
            let locate = [&[chance.pick(&[1, 5, 6, 6]), 0][..], &count.to_be_bytes(), &block.to_be_bytes()].concat();
            let size = count * 512 + chance.pick(&[0, 0, 0, 100]);
            steps.push(put(0x43, &locate));
            let mut step =
                if locate[0] == 6 { get(0x42, size.max(1)) } else { put(0x41, &vec![n as u8 + 1; size.max(1).into()]) };
            step.flags |= chance.pick(&[0, ccw_flag::SUPPRESS_LENGTH, ccw_flag::SUPPRESS_LENGTH]);
            steps.push(step);
        }
        let irbs = [0, 1].map(|n| run(&mut machines[n], &steps));
        assert_eq!((irbs[0].scsw, irbs[0].ecw), (irbs[1].scsw, irbs[1].ecw), "round {round}");
    }
    assert!(*volumes[0].blocks.lock().unwrap() == *volumes[1].blocks.lock().unwrap());
    assert!(all(&machines[0]) == all(&machines[1]));
    assert!(machines[0].css.counts().fast.done > 100);
}
