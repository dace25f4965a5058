//! Random channel programs for disks, which make sense most of the time.

use super::{DATA, Machine, Memory, STEP, Step, cchh, extent, get, locate_bytes, put, tic};
use arch::Absolute;
use arch::io::{Irb, ccw_flag};
use dasd::{Kind, MediaError, Spot, Track, Volume};
use std::sync::{Arc, Mutex};
use support::Random;

pub(crate) const CYLINDERS: u32 = 3;
pub(crate) const TRACKS: u32 = CYLINDERS * 15;

pub(crate) fn fill(volume: &Memory) {
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
pub(crate) type Extent = Option<(u32, u32)>;

/// A program that makes sense most of the time. The extent is that of its first command.
pub(crate) fn program(random: &mut Random) -> (Vec<Step>, Extent) {
    let mut steps = Vec::new();
    let near = random.below(u64::from(TRACKS)) as u32;
    let mut within = None;
    // Count key data; extents; extents by Prefix.
    let kind = random.below(4);
    if kind > 0 {
        let (first, last) = (near.saturating_sub(random.below(2) as u32), (near + 3).min(TRACKS - 1));
        let last = if random.one_in(20) { near + 4 } else { last };
        let (first, last) = if random.one_in(40) { (first, far(random)) } else { (first, last) };
        let define = extent(random.pick(&[0xc0, 0xc0, 0xc0, 0x00, 0x40, 0x80, 0xd8]), first, last);
        within = Some((first, last));
        if kind == 3 {
            let mut b = vec![1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            b.extend(&define.bytes);
            b.resize(44, 0);
            let (locate, commands) = domain(random, near, true);
            b.extend(locate);
            steps.push(put(0xe7, &b));
            steps.extend(commands);
        } else {
            steps.push(define);
        }
    } else if random.one_in(3) {
        steps.push(put(0x1f, &[random.pick(&[0x00, 0x40, 0x80, 0xc0])]));
    }
    for _ in 0..1 + random.below(2) {
        let at = match random.below(30) {
            0..3 => random.below(u64::from(TRACKS) + 2) as u32,
            3 => far(random),
            _ => near,
        };
        match random.below(12) {
            0 => steps.push(odd(random, at)),
            n if n < 8 && kind > 0 => {
                let extended = random.one_in(4);
                let (locate, commands) = domain(random, at, extended);
                steps.push(put(if extended { 0x4b } else { 0x47 }, &locate));
                steps.extend(commands);
            }
            _ => searched(random, at, &mut steps),
        }
    }
    for step in &mut steps {
        if step.to.is_none() && random.below(12) > 0 {
            step.flags |= ccw_flag::SUPPRESS_LENGTH;
        }
        if step.to.is_none() && random.one_in(60) {
            step.flags |= random.pick(&[ccw_flag::SKIP, ccw_flag::PCI, ccw_flag::CHAIN_DATA, ccw_flag::IDA]);
        }
    }
    steps.truncate(20);
    (steps, within)
}

/// A track beyond the disk's end: where a neighbour has its own, or as far as addresses go.
fn far(random: &mut Random) -> u32 {
    let somewhere = random.below(2 * u64::from(TRACKS)) as u32;
    random.pick(&[TRACKS + somewhere, 3 * TRACKS - 1, 15 * 0xffff, 15 * 0xffff + 14, 15 * 0x8000])
}

/// Parameters of a Locate Record, and commands for its domain.
fn domain(random: &mut Random, track: u32, extended: bool) -> (Vec<u8>, Vec<Step>) {
    let record = 1 + random.below(3) as u8;
    let size = random.pick(&[8, 100, 512, 4096, 4096]);
    let count = 1 + random.below(4) as u8;
    let (operation, record, codes): (u8, u8, &[u8]) = match random.below(if extended { 12 } else { 7 }) {
        0 | 1 => (0x06, record, &[0x06, 0x86, 0x86, 0x0e, 0x8e, 0x92]),
        2 => (0x16, record, &[0x12, 0x92, 0x1e, 0x9e, 0x5e, 0x06]),
        3 | 4 => (0x01, record, &[0x05, 0x85, 0x85, 0x0d, 0x8d]),
        5 => (random.pick(&[0x03, 0x43, 0xc3]), random.below(3) as u8, &[0x1d, 0x1d, 0x1d, 0x9d, 0x11, 0x15]),
        6 => (random.pick(&[0x4c, 0x0c]), record, &[0xde, 0xa6]),
        7 => (0x0c, record, &[0xa6]),
        8 => (0x3f, record, &[0xa5]),
        9 => (random.pick(&[0x3f, 0x3f, 0x7f]), 0x0e, &[0xde]),
        10 => (0x3f, 0x0a, &[0x86, 0x86, 0x92, 0x9e]),
        _ => (0x3f, 0x09, &[0x85]),
    };
    let mut locate = locate_bytes(operation, count, track, record);
    if operation == 0x0c && random.one_in(2) {
        // As many bytes of the last track.
        locate[1] |= 0x80;
        locate[14..16].copy_from_slice(&u16::to_be_bytes(size));
    }
    if extended {
        // An extended operation stands where others have the record.
        let code = match record {
            0x09 | 0x0a | 0x0e => record,
            _ if operation & 0x3f != 0x3f => 0,
            _ if random.one_in(8) => 0x11,
            _ => 0x23,
        };
        let map = !(0xffff_u16 >> count) >> u32::from(random.one_in(8));
        let parameter: &[u8] = match code {
            0x09 | 0x0a => &[1],
            0x0e | 0x11 => &map.to_be_bytes(),
            _ => &[],
        };
        locate.extend([0, code, 0, parameter.len() as u8]);
        locate.extend(parameter);
    }
    let commands = (0..count).map(|n| {
        let code = random.pick(codes);
        match code {
            0x1d | 0x9d | 0x11 | 0x15 => write_ckd(random, code, track, record + n),
            0x05 | 0x85 | 0x0d | 0x8d | 0xa5 => put(code, &vec![(track as u8).wrapping_add(n); size.into()]),
            0xde => get(code, 50000),
            0xa6 => get(code, if n == 0 { size } else { 50000 }),
            _ => get(code, size),
        }
    });
    (locate, commands.collect())
}

fn write_ckd(random: &mut Random, code: u8, track: u32, record: u8) -> Step {
    let length = random.pick(&[0, 8, 512, 4096, 4096, 0x7fff]);
    let key = random.pick(&[0, 0, 4]);
    put(code, &[&cchh(track)[..], &[record, key], &u16::to_be_bytes(length)].concat())
}

/// Seek, search, and something to do with what was found.
fn searched(random: &mut Random, track: u32, steps: &mut Vec<Step>) {
    let record = 1 + random.below(4) as u8;
    let size = random.pick(&[8, 100, 512, 4096, 4096]);
    steps.push(put(0x07, &[&[0, 0][..], &cchh(track)].concat()));
    let code = random.pick(&[0x31, 0x31, 0x31, 0xb1, 0x51, 0x71, 0x29, 0xa9, 0x69]);
    let argument = if code & 0x10 != 0 { [&cchh(track)[..], &[record]].concat() } else { b"KEY2".to_vec() };
    steps.push(put(code, &argument));
    steps.push(tic(steps.len() - 1));
    steps.push(match random.below(6) {
        0 | 1 => get(random.pick(&[0x06, 0x86, 0x0e, 0x8e]), size),
        2 | 3 => put(random.pick(&[0x05, 0x0d]), &vec![record; size.into()]),
        4 => write_ckd(random, 0x1d, track, record + 1),
        _ if random.one_in(2) => odd(random, track),
        _ => get(0x06, size),
    });
}

fn odd(random: &mut Random, track: u32) -> Step {
    match random.below(5) {
        0 => get(random.pick(&[0x12, 0x92, 0x1e, 0x9e, 0x16, 0x1a, 0x22, 0x5e]), 4096),
        1 => put(random.pick(&[0x07, 0x0b, 0x1b, 0x23, 0x03, 0x13, 0x0f]), &[&[0, 0][..], &cchh(track)].concat()),
        2 => get(random.pick(&[0xde, 0xa6, 0x64, 0x34]), random.pick(&[100, 5000, 60000])),
        3 => put(random.below(256) as u8 | 1, &[random.below(256) as u8; 16]),
        _ => put(random.pick(&[0x39, 0x19, 0x15, 0x95, 0x85]), &[&cchh(track)[..], &[0; 8]].concat()),
    }
}

pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Runs a program whatever becomes of it; if it does not end it is cleared.
pub(crate) fn run(m: &mut Machine, steps: &[Step]) -> Irb {
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

pub(crate) fn all(m: &Machine) -> Vec<u8> {
    let mut bytes = vec![0; (DATA + 24 * STEP) as usize];
    m.storage.read(Absolute(0), &mut bytes).unwrap();
    bytes
}

/// A program for a fixed-block disk of some 300 blocks.
pub(crate) fn fixed_blocks(random: &mut Random) -> Vec<Step> {
    let (start, first) = (random.below(310) as u32, random.below(5) as u32);
    let words = [start, first, first + random.below(40) as u32].map(u32::to_be_bytes).concat();
    let mut steps = vec![put(0x63, &[&[random.pick(&[0, 0, 0x40, 0xc0]), 0, 2, 0][..], &words].concat())];
    for n in 0..1 + random.below(4) {
        let (count, block) = (random.below(12) as u16, first + random.below(40) as u32);
        let locate = [&[random.pick(&[1, 5, 6, 6]), 0][..], &count.to_be_bytes(), &block.to_be_bytes()].concat();
        let size = count * 512 + random.pick(&[0, 0, 0, 100]);
        steps.push(put(0x43, &locate));
        let mut step =
            if locate[0] == 6 { get(0x42, size.max(1)) } else { put(0x41, &vec![n as u8 + 1; size.max(1).into()]) };
        step.flags |= random.pick(&[0, ccw_flag::SUPPRESS_LENGTH, ccw_flag::SUPPRESS_LENGTH]);
        steps.push(step);
    }
    steps
}

/// A volume that moves records without their tracks, sometimes says that it cannot after all, and counts what it moved.
pub(crate) struct Apart(pub Arc<Memory>, pub Mutex<(Random, u64)>);

impl Apart {
    fn willing(&self) -> bool {
        let (random, moved) = &mut *self.1.lock().unwrap();
        let willing = !random.one_in(4);
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
