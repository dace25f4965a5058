//! What a disk's I/O costs the host, in microseconds of processor time, on the CCW fast path and in the general way.
//! The disks are real ones in files, hits of the minidisk cache, and virtual disks. With it stands what that makes of
//! the benefits that reports measured.
//!
//! `cargo run --release -p nucleus --example disk_speed`. With `instructions` it counts the host's instructions
//! instead: it starts itself under valgrind, with `fast` or `general`, a program's name and a number. Then it performs
//! that program so often in that way and prints nothing.

#[path = "../../../channel/devices/tests/disk/mod.rs"]
mod disk;

use arch::Absolute;
use dasd::model::{CkdModel, FbaModel};
use dasd::{Blocks, Format, Image, Kind, Method, Options, Volume};
use devices::dasd::device;
use disk::{DATA, Machine, STEP, Step, extent, get, locate, locate_bytes, put, search, seek, tic};
use minidisk::cache::{Cache, Cached, DiskCache, Size, UserCache};
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;
use support::Random;

const CYLINDERS: u32 = 20;
const TRACKS: u32 = CYLINDERS * 15;
/// Cylinders of the disk on which instructions are counted.
const FEW: u32 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Folder::new()?;
    let fixed = FbaModel::named("9336-20").ok_or("there is this model")?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    match &words[..] {
        [word] if word == "instructions" => return instructions(),
        [way, what, number] => {
            let volume: Arc<dyn Volume> = match what.split(' ').next() {
                Some("virtual") => Arc::new(dasd::Memory::fba(fixed, u64::from(TRACKS) * 96)),
                Some("dedicated") => folder.image_of("few.3390", Format::Plain, FEW)?,
                _ => Arc::new(cached(&folder.image_of("few.3390", Format::Plain, FEW)?)),
            };
            return perform(&volume, way == "fast", what, number.parse()?);
        }
        _ => {}
    }
    let plain = folder.image("plain.3390", Format::Plain)?;
    let packed = folder.image("packed.3390", Format::Compressed { wide: true, method: Method::Zlib })?;
    let cached: Arc<dyn Volume> = Arc::new(cached(&plain));
    let memory: Arc<dyn Volume> = Arc::new(dasd::Memory::fba(fixed, u64::from(TRACKS) * 96));
    println!("Microseconds of the host's processor for a channel program\n");
    println!("{:>9} {:>9}", "fast path", "general");
    let read = [extent(0x40, 0, TRACKS - 1), locate(0x06, 1, 0, 5), get(0x86, 4096)];
    let write = [extent(0x80, 0, TRACKS - 1), locate(0x01, 1, 0, 5), put(0x85, &[7; 4096])];
    // Each time another track, so that nothing but the host has it.
    measure(&plain, "4K from a plain file", &read, true);
    measure(&plain, "4K to a plain file", &write, true);
    measure(&packed, "4K from a compressed file", &read, true);
    measure(&cached, "4K, hit in the minidisk cache", &read, true);
    measure(&cached, "4K to a plain file, and in the minidisk cache", &write, true);
    let fixed = [fixed_extent(), fixed_locate(0x06, 0), get(0x42, 4096)];
    measure(&memory, "4K from a virtual disk", &fixed, true);
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
    caches(&folder)?;
    let real = Seconds::of(&folder.image("real.3390", Format::Plain)?, None, 20_000)?;
    let storage = Seconds::of(&memory, None, 20_000)?;
    println!(
        "\nA virtual disk instead of a real one, microseconds an I/O: {:.1} and {:.1}",
        real.each(),
        storage.each()
    );
    row("CPU time, virtual disk : real disk (VSE guide, D.3, V=V)", 1.09, storage.0 / real.0);
    row("the same, CP's part (D.4)", 1.96 / 3.17, storage.0 / real.0);
    Ok(())
}

/// The channel programs of which the instructions are counted, by name: the first word says where the disk is, the rest
/// what is done. A program that moves four bytes of its block shows what is left without the moving, which real
/// channels do beside the processor.
const COUNTED: [&str; 8] = [
    "dedicated read by seek and search, without moving the data",
    "minidisk read by seek and search, without moving the data",
    "dedicated read by seek and search",
    "minidisk read by seek and search",
    "minidisk read by locate record",
    "minidisk read of 4 blocks by locate record",
    "minidisk write by locate record",
    "virtual disk read",
];

fn counted(what: &str) -> Vec<Step> {
    let short = what.contains("without moving");
    let read = |code: u8| if short { get(code, 4).sli() } else { get(code, 4096) };
    match () {
        () if what.contains("seek and search") => vec![seek(40), search(40, 5), tic(1), read(0x06)],
        () if what.contains("4 blocks") => {
            let first = [extent(0x40, 0, FEW * 15 - 1), locate(0x06, 4, 40, 5)];
            first.into_iter().chain((0..4).map(|_| get(0x86, 4096))).collect()
        }
        () if what.contains("write") => {
            vec![extent(0x80, 0, FEW * 15 - 1), locate(0x01, 1, 40, 5), put(0x85, &[7; 4096])]
        }
        () if what.starts_with("virtual") => vec![fixed_extent(), fixed_locate(0x06, 0), get(0x42, 4096)],
        () => vec![extent(0x40, 0, FEW * 15 - 1), locate(0x06, 1, 40, 5), read(0x86)],
    }
}

/// Performs one of [`COUNTED`] so many times.
fn perform(volume: &Arc<dyn Volume>, fast: bool, what: &str, number: usize) -> Result<(), Box<dyn Error>> {
    let mut m = Machine::new(device(volume.clone(), devices::dasd::Options::default()));
    m.css.allow_fast_path(0x200, fast);
    let orb = m.lay(&counted(what));
    for _ in 0..number {
        m.css.start_subchannel(m.id, &orb).map_err(|program| format!("{program:?}"))?;
        m.css.take_interruption(0xff);
        m.css.test_subchannel(m.id);
    }
    Ok(())
}

/// Instructions of the host for each of [`COUNTED`]: what 11,000 of them take more than 1000.
fn instructions() -> Result<(), Box<dyn Error>> {
    let count = |way: &str, what: &str, number: usize| -> Result<f64, Box<dyn Error>> {
        let mut valgrind = std::process::Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe()?);
        let said = valgrind.args([way, what, &number.to_string()]).output()?.stderr;
        let said = String::from_utf8_lossy(&said).into_owned();
        let found = said.lines().find_map(|line| line.split_once("Collected : "));
        let found = found.ok_or_else(|| format!("valgrind did not count: {said}"))?;
        Ok(found.1.trim().parse()?)
    };
    println!("Instructions of the host's for a channel program, from START SUBCHANNEL to TEST SUBCHANNEL\n");
    println!("{:>9} {:>9} {:>6}", "fast path", "general", "ratio");
    for what in COUNTED {
        let mut each = [0.0; 2];
        for (each, way) in each.iter_mut().zip(["fast", "general"]) {
            *each = (count(way, what, 11_000)? - count(way, what, 1000)?) / 10_000.0;
        }
        println!("{:>9.0} {:>9.0} {:>6.2}  {what}", each[0], each[1], each[1] / each[0]);
    }
    println!("\nThe report's CP, absent : present (VM/ESA 1.1, Table 30): dedicated 1.99, minidisks 2.32");
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
        self.image_of(name, format, CYLINDERS)
    }

    fn image_of(&self, name: &str, format: Format, cylinders: u32) -> Result<Arc<dyn Volume>, Box<dyn Error>> {
        let path = self.0.join(name);
        let kind = Kind::of_model(CkdModel::named("3390").ok_or("there is this model")?, cylinders);
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

/// A volume read through the minidisk cache, which has all of it.
fn cached(volume: &Arc<dyn Volume>) -> Cached {
    let cached = behind(volume, Arc::new(Cache::default()));
    (0..volume.kind().tracks()).for_each(|track| drop(cached.read_track(track)));
    cached
}

/// A volume read through a minidisk cache.
fn behind(volume: &Arc<dyn Volume>, cache: Arc<Cache>) -> Cached {
    Cached {
        extent: volume.clone(),
        first: 0,
        device: cache.device(),
        cache,
        disk: Arc::new(DiskCache::new(None, false)),
        user: Arc::new(UserCache::new("USER", false)),
        reservation: Arc::default(),
    }
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

/// The least of many batches, in turns, for hosts that have other things to do: on the fast path, and in the general
/// way. If each is to have another track, the second command is the one that says which.
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

/// CP's time for an I/O is what is left of the processor seconds without the guest's own (T/V ratio); without the fast
/// path it takes as much longer as the report says, or as it does here.
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

fn row(what: &str, report: f64, ours: f64) {
    println!("  {what:<64} {report:>8.2} {ours:>8.2}");
}

/// Processor time of this thread for a number of I/Os, and the number.
struct Seconds(f64, u32);

impl Seconds {
    fn each(&self) -> f64 {
        self.0 * 1e6 / f64::from(self.1)
    }

    /// I/Os as the batch jobs of the report had them: nine of ten are reads of 4K, seven of ten of these at few tracks.
    /// `cache`: through a minidisk cache of so many bytes.
    fn of(volume: &Arc<dyn Volume>, cache: Option<u64>, number: u32) -> Result<Seconds, Box<dyn Error>> {
        let through: Arc<dyn Volume> = match cache {
            None => volume.clone(),
            Some(bytes) => {
                let cache = Arc::new(Cache::default());
                cache.set_size(Size { minimum: bytes, maximum: bytes, bias: 1.0 });
                Arc::new(behind(volume, cache))
            }
        };
        let tracks = match volume.kind() {
            Kind::Ckd { .. } => volume.kind().tracks(),
            Kind::Fba { blocks, .. } => blocks as u32 / 96,
        };
        let mut m = Machine::new(device(through, devices::dasd::Options::default()));
        let ckd = volume.kind().tracks() > 0;
        let program = |write: bool, track: u32, byte: u8| match (ckd, write) {
            (true, false) => [extent(0x40, 0, tracks - 1), locate(0x06, 1, track, 5), get(0x86, 4096)],
            (true, true) => [extent(0x80, 0, tracks - 1), locate(0x01, 1, track, 5), put(0x85, &[byte; 4096])],
            (false, false) => [fixed_extent(), fixed_locate(0x06, track), get(0x42, 4096)],
            (false, true) => [fixed_extent(), fixed_locate(0x01, track), put(0x41, &[byte; 4096])],
        };
        let mut random = Random::seeded(0x1001_9121);
        let (mut before, mut done) = (0.0, 0);
        for n in 0..number + number / 4 {
            // The first fill the cache.
            if n == number / 4 {
                before = processor_time()?;
            }
            let write = random.fraction() >= 0.88;
            let some = f64::from(tracks);
            let track = if random.fraction() < 0.7 {
                random.fraction().powf(3.0) * some * 0.75
            } else {
                random.fraction() * some
            };
            m.good(&program(write, track as u32, n as u8));
            done += u32::from(n >= number / 4);
        }
        Ok(Seconds(processor_time()? - before, done))
    }
}

/// What this thread has used of the processor, in seconds.
fn processor_time() -> Result<f64, Box<dyn Error>> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds: u64 = text.split(' ').next().unwrap_or_default().parse()?;
    Ok(nanoseconds as f64 * 1e-9)
}

/// The minidisk cache in three sizes. The disk is as much larger than the cache as the report's were: 60 MB of tracks
/// are in use.
fn caches(folder: &Folder) -> Result<(), Box<dyn Error>> {
    println!("\nMinidisk cache, batch (VSE guide, E.10), processor time for an I/O          report     here");
    let packed = Format::Compressed { wide: true, method: Method::Zlib };
    for (name, what, format) in [("batch", "plain file", Format::Plain), ("packed-batch", "compressed", packed)] {
        let volume = folder.image_of(&format!("{name}.3390"), format, 82)?;
        let none = Seconds::of(&volume, None, 60_000)?;
        for (megabytes, report) in [(16u64, 180.4 / 184.8), (48, 164.8 / 184.8)] {
            let with = Seconds::of(&volume, Some(megabytes << 20), 60_000)?;
            let each = format!("{:.1} and {:.1} microseconds", with.each(), none.each());
            row(&format!("{what}, {megabytes} MB : none ({each})"), report, with.0 / none.0);
        }
    }
    Ok(())
}
