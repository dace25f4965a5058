//! How long channel programs for disks take, on the fast path and in the general way: microseconds for each program; and what
//! that would make of the CCW fast path's benefit that VM/ESA 1.1's performance report measured (Table 30).

#[path = "../tests/disk/mod.rs"]
mod disk;

use devices::dasd::{Eckd, Options};
use disk::{Machine, Memory, extent, get, locate, locate_bytes, put, search, seek, tic};
use std::time::Instant;

fn main() {
    let volume = Memory::d3390(20);
    for track in 0..300 {
        let block: &[u8] = &[track as u8; 4096];
        volume.fill(track, &[(&[][..], block); 12]);
    }
    let mut m = Machine::new(Box::new(Eckd::new(volume, Options::default())));
    let mut blocks = vec![extent(0x40, 30, 60), locate(0x06, 48, 30, 1)];
    blocks.extend((0..48).map(|_| get(0x86, 4096)));
    measure(&mut m, "48 blocks of 4K, Read Data", &blocks);
    let mut writes = vec![extent(0x80, 30, 60), locate(0x01, 48, 30, 1)];
    writes.extend((0..48).map(|_| put(0x85, &[7; 4096])));
    measure(&mut m, "48 blocks of 4K, Write Data", &writes);
    let one = [extent(0x40, 30, 60), locate(0x06, 1, 40, 5), get(0x86, 4096)];
    measure(&mut m, "1 block of 4K, Read Data", &one);
    let one = [extent(0x80, 30, 60), locate(0x01, 1, 40, 5), put(0x85, &[7; 4096])];
    measure(&mut m, "1 block of 4K, Write Data", &one);
    let vsam = [seek(40), search(40, 5), tic(1), get(0x06, 4096)];
    let gain = measure(&mut m, "1 block of 4K, seek, search, read", &vsam);
    let mut tracks = vec![1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    tracks.extend(extent(0x40, 30, 60).bytes);
    tracks.resize(44, 0);
    tracks.extend(locate_bytes(0x0c, 4, 30, 1));
    tracks.extend([0; 4]);
    let mut program = vec![put(0xe7, &tracks)];
    program.extend((0..4).map(|_| get(0xa6, 49152)));
    measure(&mut m, "4 tracks, Read Track Data", &program);
    table_30(gain);
}

/// CP's time for an I/O is what is left of the processor seconds without the guest's own (T/V ratio); without the fast path it
/// takes as much longer as the report says, or as it does here.
fn table_30(gain: f64) {
    println!("\nCCW fast path, V=V guest (Table 30)        report     here");
    for (what, absent, ratio, present, report) in
        [("dedicated", 225.5, 1.77, 176.8, 1.28), ("minidisks", 241.6, 1.89, 176.9, 1.37)]
    {
        let guest = absent / ratio;
        println!("  {what}: CP's time absent : present    {:>8.2} {gain:>8.2}", (absent - guest) / (present - guest));
        println!("  {what}: ITR ratio             {report:>16.2} {:>8.2}", absent / (guest + (absent - guest) / gain));
    }
}

/// How much longer the general way takes.
fn measure(m: &mut Machine, what: &str, program: &[disk::Step]) -> f64 {
    m.good(program);
    let orb = m.lay(program);
    let rounds = 100;
    let mut batch = |fast| {
        m.css.allow_fast_path(0x200, fast);
        let start = Instant::now();
        for _ in 0..rounds {
            assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
            m.css.take_interruption(0xff);
            let (cc, irb) = m.css.test_subchannel(m.id);
            assert!(cc == 0 && irb.scsw.device.0 == 0x0c);
        }
        start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds)
    };
    // The least of many batches, in turns, for hosts that have other things to do.
    let mut times = [f64::MAX; 2];
    for _ in 0..60 {
        times = [times[0].min(batch(true)), times[1].min(batch(false))];
    }
    println!("{:>8.2} {:>8.2}  {what}", times[0], times[1]);
    times[1] / times[0]
}
