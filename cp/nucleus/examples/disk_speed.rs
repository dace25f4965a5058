//! What a disk's I/O costs the host: microseconds of processor time, on the CCW fast path and in the general way, for real disks in
//! files, hits of the minidisk cache, and virtual disks; and what that makes of the benefits that reports measured.
//!
//! `cargo run --release -p nucleus --example disk_speed`. With `fast` or `general`, and a number, it performs so many hits by seek and
//! search in that way and prints nothing, for tools that count instructions.

#[path = "../../../channel/devices/tests/disk/mod.rs"]
mod disk;

use arch::Absolute;
use dasd::model::{CkdModel, FbaModel};
use dasd::{Blocks, Format, Image, Kind, Method, Options, Volume};
use devices::dasd::device;
use disk::{DATA, Machine, STEP, Step, extent, get, locate, locate_bytes, put, search, seek, tic};
use nucleus::minidisk::cache::{Cache, Cached, DiskCache, UserCache};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

const CYLINDERS: u32 = 20;
const TRACKS: u32 = CYLINDERS * 15;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Folder::new()?;
    let plain = folder.image("plain.3390", Format::Plain)?;
    let packed = folder.image("packed.3390", Format::Compressed { wide: true, method: Method::Zlib })?;
    let cached: Arc<dyn Volume> = Arc::new(cached(&plain));
    let memory: Arc<dyn Volume> =
        Arc::new(dasd::Memory::fba(FbaModel::named("9336-20").ok_or("there is this model")?, u64::from(TRACKS) * 96));

    let words: Vec<String> = std::env::args().skip(1).collect();
    if let [way, number] = &words[..] {
        return perform(&cached, way == "fast", number.parse()?);
    }
    println!("Microseconds of the host's processor for a channel program\n");
    println!("{:>9} {:>9}", "fast path", "general");
    let read = [extent(0x40, 0, TRACKS - 1), locate(0x06, 1, 0, 5), get(0x86, 4096)];
    let write = [extent(0x80, 0, TRACKS - 1), locate(0x01, 1, 0, 5), put(0x85, &[7; 4096])];
    // Each time another track, so that nothing but the host has it.
    let file = measure(&plain, "4K from a plain file", &read, true);
    measure(&plain, "4K to a plain file", &write, true);
    measure(&packed, "4K from a compressed file", &read, true);
    let hit = measure(&cached, "4K, hit in the minidisk cache", &read, true);
    measure(&cached, "4K to a plain file, and in the minidisk cache", &write, true);
    let fixed = [fixed_extent(), fixed_locate(0x06, 0), get(0x42, 4096)];
    let virtual_disk = measure(&memory, "4K from a virtual disk", &fixed, true);
    let fixed = [fixed_extent(), fixed_locate(0x01, 0), put(0x41, &[7; 4096])];
    measure(&memory, "4K to a virtual disk", &fixed, true);
    let vsam = [seek(40), search(40, 5), tic(1), get(0x06, 4096)];
    let old = measure(&cached, "4K, hit, by seek and search", &vsam, false);
    let mut many = vec![extent(0x40, 30, 60), locate(0x06, 48, 30, 1)];
    many.extend((0..48).map(|_| get(0x86, 4096)));
    measure(&cached, "48 blocks of 4K, hits", &many, false);
    let mut tracks = vec![1, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    tracks.extend(extent(0x40, 30, 60).bytes);
    tracks.resize(44, 0);
    tracks.extend(locate_bytes(0x0c, 4, 30, 1));
    tracks.extend([0; 4]);
    let mut whole = vec![put(0xe7, &tracks)];
    whole.extend((0..4).map(|_| get(0xa6, 49152)));
    measure(&cached, "4 tracks, Read Track Data, hits", &whole, false);
    blocks(&cached, "4K, hit, by a block service")?;
    table_30(old[1] / old[0]);
    println!(
        "\nA virtual disk instead of a real one: processor time for an I/O {:.2} of it",
        virtual_disk[0] / file[0]
    );
    println!("A hit in the minidisk cache instead of an I/O: processor time {:.2} of it", hit[0] / file[0]);
    Ok(())
}

/// So many reads of a record of 4096 bytes as VSAM does them.
fn perform(volume: &Arc<dyn Volume>, fast: bool, number: usize) -> Result<(), Box<dyn Error>> {
    let mut m = Machine::new(device(volume.clone(), devices::dasd::Options::default()));
    m.css.allow_fast_path(0x200, fast);
    let orb = m.lay(&[seek(40), search(40, 5), tic(1), get(0x06, 4096)]);
    for _ in 0..number {
        m.css.start_subchannel(m.id, &orb).map_err(|program| format!("{program:?}"))?;
        m.css.take_interruption(0xff);
        m.css.test_subchannel(m.id);
    }
    Ok(())
}

/// A folder for the files, as long as this runs.
struct Folder(PathBuf);

impl Folder {
    fn new() -> std::io::Result<Folder> {
        let folder = std::env::temp_dir().join(format!("endicott-disk-speed-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        Ok(Folder(folder))
    }

    /// A disk with blocks of 4096 bytes.
    fn image(&self, name: &str, format: Format) -> Result<Arc<dyn Volume>, Box<dyn Error>> {
        let path = self.0.join(name);
        let kind = Kind::of_model(CkdModel::named("3390").ok_or("there is this model")?, CYLINDERS);
        dasd::create(&path, kind, format)?;
        let image: Arc<dyn Volume> = Image::open(&path, Options::default())?;
        Blocks::new(image.clone(), 4096).ok_or("such blocks fit")?.format(&mut |_, _| true)?;
        Ok(image)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A volume behind the minidisk cache, which has all of it.
fn cached(volume: &Arc<dyn Volume>) -> Cached {
    let cache = Arc::new(Cache::default());
    let cached = Cached {
        extent: volume.clone(),
        first: 0,
        device: cache.device(),
        cache,
        disk: Arc::new(DiskCache::new(None, false)),
        user: Arc::new(UserCache::new("USER", false)),
        reservation: Arc::default(),
    };
    (0..TRACKS).for_each(|track| drop(cached.read_track(track)));
    cached
}

fn fixed_extent() -> Step {
    let mut b = vec![0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    b.extend((TRACKS * 96 - 1).to_be_bytes());
    put(0x63, &b)
}

fn fixed_locate(operation: u8, track: u32) -> Step {
    let mut b = vec![operation, 0, 0, 8];
    b.extend((track * 96 + 32).to_be_bytes());
    put(0x43, &b)
}

/// The least of many batches, in turns, for hosts that have other things to do: on the fast path, and in the general way. If each is to have
/// another track, the second command is the one that says which.
fn measure(volume: &Arc<dyn Volume>, what: &str, program: &[Step], another: bool) -> [f64; 2] {
    let mut m = Machine::new(device(volume.clone(), devices::dasd::Options::default()));
    m.good(program);
    let orb = m.lay(program);
    let operation = program[1].bytes.first().copied().unwrap_or(0);
    let mut track = 0;
    let rounds = 100;
    let mut batch = |fast| {
        m.css.allow_fast_path(0x200, fast);
        let start = Instant::now();
        for _ in 0..rounds {
            if another {
                track = (track + 77) % TRACKS;
                let located = match volume.kind() {
                    Kind::Ckd { .. } => locate(operation, 1, track, 5),
                    Kind::Fba { .. } => fixed_locate(operation, track),
                };
                m.storage.write(Absolute(u64::from(DATA + STEP)), &located.bytes).expect("it is the program's storage");
            }
            assert_eq!(m.css.start_subchannel(m.id, &orb), Ok(0));
            m.css.take_interruption(0xff);
            let (cc, irb) = m.css.test_subchannel(m.id);
            assert!(cc == 0 && irb.scsw.device.0 == 0x0c, "{irb:?}");
        }
        start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds)
    };
    let mut times = [f64::MAX; 2];
    for _ in 0..60 {
        times = [times[0].min(batch(true)), times[1].min(batch(false))];
    }
    println!("{:>9.2} {:>9.2}  {what}", times[0], times[1]);
    times
}

/// The same without a channel program.
fn blocks(volume: &Arc<dyn Volume>, what: &str) -> Result<(), Box<dyn Error>> {
    let blocks = Blocks::new(volume.clone(), 4096).ok_or("such blocks fit")?;
    let (mut least, mut block, mut data) = (f64::MAX, 0, vec![0; 4096]);
    for _ in 0..60 {
        let start = Instant::now();
        for _ in 0..100 {
            block = (block + 77 * 12) % blocks.count();
            blocks.read(block, &mut data)?;
        }
        least = least.min(start.elapsed().as_secs_f64() * 1e4);
    }
    println!("{least:>9.2} {:>9}  {what}", "");
    Ok(())
}

/// CP's time for an I/O is what is left of the processor seconds without the guest's own (T/V ratio); without the fast path it
/// takes as much longer as the report says, or as it does here.
fn table_30(gain: f64) {
    println!("\nCCW fast path, V=V guest (VM/ESA 1.1 performance report, Table 30)   report     here");
    for (what, absent, ratio, present, report) in
        [("dedicated", 225.5, 1.77, 176.8, 1.28), ("minidisks", 241.6, 1.89, 176.9, 1.37)]
    {
        let guest = absent / ratio;
        let there = (absent - guest) / (present - guest);
        println!("  {:<64} {there:>8.2} {gain:>8.2}", format!("{what}: CP's time absent : present"));
        let here = absent / (guest + (absent - guest) / gain);
        println!("  {:<64} {report:>8.2} {here:>8.2}", format!("{what}: ITR ratio"));
    }
}
