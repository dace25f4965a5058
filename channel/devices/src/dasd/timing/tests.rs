//! The model beside what measured systems took. `cargo test -p devices timing -- --nocapture` prints the tables.
//!
//! The workloads are no more than what the reports say of theirs (rates, shares of reads, hit ratios, CPU time for an
//! I/O), so what is compared is shape: what becomes shorter, and about by how much.

use super::super::ControlUnitModel;
use super::super::cache::{Cache, Usage};
use super::*;
use dasd::model::CkdModel;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use support::Random;

const SECOND: u64 = 1000 * MILLISECOND;

/// The time to the next of events that come `rate` times a second.
fn gap(random: &mut Random, rate: f64) -> u64 {
    (-(1.0 - random.fraction()).ln() / rate * SECOND as f64) as u64
}

fn kind(name: &str) -> Kind {
    let model = CkdModel::named(name).expect("there is this model");
    Kind::of_model(model, model.cylinders)
}

fn milliseconds(time: u64) -> f64 {
    time as f64 / MILLISECOND as f64
}

/// A row of a table: the report's figure, and the model's, which is to be within `tolerance` of it.
#[track_caller]
fn row(what: &str, report: f64, ours: f64, tolerance: f64) {
    println!("{what:<52} {report:>9.2} {ours:>9.2}");
    let near = (ours / report - 1.0).abs() <= tolerance;
    assert!(near, "{what}: the report has {report}, the model {ours:.2}");
}

fn table(title: &str) {
    println!("\n{title}\n{:<52} {:>9} {:>9}", "", "report", "model");
}

#[test]
fn a_hit_in_the_cache_of_a_control_unit() {
    table(
        "MDC and 3990-3 hits, 3380s at a 3990-3 by parallel channels: milliseconds for an I/O of 4K (VSE guide, E.11)",
    );
    let timing = Timing::new(&kind("3380-K"), Arc::new(Paths::new(1, 3_000_000)));
    let access = Access { track: 77, at: 9000, bytes: 4096, found: Found::Cache { destage: false } };
    let hit = timing.serve(0, &[access]);
    row("hit in the control unit's cache", 2.1, milliseconds(hit.service()), 0.05);
    assert_eq!((hit.seek, hit.latency, hit.reconnect), (0, 0, 0));
}

#[test]
fn the_parts_of_a_miss() {
    let timing = Timing::new(&kind("3390-2"), Arc::new(Paths::new(1, 4_200_000)));
    let disk = |track: u32, at: u32| Access { track, at, bytes: 4200, found: Found::Disk { stage: false } };
    // From cylinder 0 to one that is 64/225 of the disk away.
    let first = timing.serve(0, &[disk(634 * 15, 0)]);
    assert!((first.seek as i64 - 125 * MILLISECOND as i64 / 10).abs() < MILLISECOND as i64 / 100, "{first:?}");
    assert!(first.latency < 141 * MILLISECOND / 10 && first.connect == 14 * MILLISECOND / 10, "{first:?}");
    // The same cylinder again: no seek, and the sector is where the rotation has it.
    let then = first.response();
    let again = timing.serve(then, &[disk(634 * 15 + 3, 28_416)]);
    assert_eq!((again.queue, again.seek), (0, 0));
    let sector = (then + again.pending + 4 * MILLISECOND / 10 + again.latency) % (141 * MILLISECOND / 10);
    assert!(sector.abs_diff(705 * MILLISECOND / 100) < MILLISECOND / 100, "half a rotation: {sector}");
    // Two at once: the second waits for the first.
    let [one, two] = [0, 0].map(|_| timing.serve(10 * SECOND, &[disk(0, 0)]));
    assert_eq!((one.queue, two.queue), (0, one.response()));
    let (programs, total) = timing.total();
    assert_eq!((programs, total.connect), (4, 4 * first.connect));
}

#[test]
fn a_busy_path_costs_a_rotation() {
    let paths = Arc::new(Paths::new(1, 3_000_000));
    let [one, two] = [0, 0].map(|_| Timing::new(&kind("3380-A"), paths.clone()));
    let long = |at: u32| [Access { track: 0, at, bytes: 47_000, found: Found::Disk { stage: false } }];
    let first = one.serve(0, &long(20_000));
    let second = two.serve(0, &long(20_000));
    assert_eq!(first.reconnect, 0);
    assert_eq!(second.reconnect, 167 * MILLISECOND / 10, "{second:?}");
    // With another path there is no such delay.
    let paths = Arc::new(Paths::new(2, 3_000_000));
    let services = [0, 0].map(|_| Timing::new(&kind("3380-A"), paths.clone()).serve(0, &long(20_000)));
    assert!(services.iter().all(|service| service.reconnect == 0));
}

/// What a run of a number of volumes showed: averages in milliseconds, and hits of reads and of writes in percent.
struct Run {
    service: f64,
    response: f64,
    busy: f64,
    disconnect: f64,
    read_hits: f64,
    write_hits: f64,
}

/// Volumes at two 3990-3s, each used `rate` times a second.
fn user_volumes(volumes: usize, rate: f64, fast_write: bool) -> Run {
    let kind = kind("3390-2");
    let units = [0, 1].map(|_| {
        let cache = Cache::new((64 << 20) / 56_832, (4 << 20) / 56_832);
        cache.set_storage(fast_write);
        (cache, Arc::new(Paths::new(4, 4_200_000)))
    });
    let devices: Vec<_> = (0..volumes).map(|n| Timing::new(&kind, units[n % 2].1.clone())).collect();
    let mut recent = vec![Vec::<u32>::new(); volumes];
    let mut random = Random::seeded(0x3390_1991);
    let mut next: BinaryHeap<_> = (0..volumes).map(|n| Reverse((gap(&mut random, rate), n))).collect();
    let (mut response, end) = (0.0, 300 * SECOND);
    while let Some(Reverse((now, n))) = next.pop() {
        if now > end {
            break;
        }
        let read = random.fraction() < 0.19;
        // What was used lately is used again.
        let again = random.fraction() < if read { 0.60 } else { 0.83 } && !recent[n].is_empty();
        let track = match again {
            true => random.pick(&recent[n]),
            false => random.below(kind.tracks()),
        };
        recent[n].insert(0, track);
        recent[n].truncate(24);
        let found = units[n % 2].0.used(n as u8, track, !read, Usage::default());
        let access = Access { track, at: random.below(44_000), bytes: 14_700, found };
        response += milliseconds(devices[n].serve(now, &[access]).response());
        next.push(Reverse((now + gap(&mut random, rate), n)));
    }
    let (mut programs, mut total) = (0, Service::default());
    let mut counts = [0; 4];
    for (n, device) in devices.iter().enumerate() {
        let (count, service) = device.total();
        programs += count;
        total.add(&service);
        let s = units[n % 2].0.statistics(n as u8);
        [s.reads, s.read_hits, s.writes, s.fast_write_hits].iter().zip(&mut counts).for_each(|(n, sum)| *sum += n);
    }
    let each = |time: u64| milliseconds(time) / programs as f64;
    Run {
        service: each(total.service()),
        response: response / programs as f64,
        busy: total.service() as f64 * 100.0 / (end as f64 * volumes as f64),
        disconnect: each(total.disconnect()),
        read_hits: counts[1] as f64 * 100.0 / counts[0] as f64,
        write_hits: counts[3] as f64 * 100.0 / counts[2] as f64,
    }
}

#[test]
fn dasd_fast_write() {
    table("DASD fast write, 14 user volumes, 3390-2 at 3990-3 (VM/ESA 1.1 performance report, Table 39)");
    let (off, on) = (user_volumes(14, 8.8, false), user_volumes(14, 8.8, true));
    row("off: read hits, %", 58.0, off.read_hits, 0.1);
    row("off: service, ms", 21.9, off.service, 0.15);
    row("off: disconnect, ms", 17.5, off.disconnect, 0.15);
    row("off: response, ms", 28.4, off.response, 0.25);
    row("off: device busy, %", 19.2, off.busy, 0.15);
    row("on: fast write hits, %", 83.0, on.write_hits, 0.1);
    // The report has its control units stressed by the formatting of temporary disks, which is not in the model;
    // without such, it has responses of 6.7 ms (Table 45).
    row("on: service, ms", 12.2, on.service, 0.4);
    row("on: response, ms", 13.8, on.response, 0.45);
    row("on : off, response", 0.49, on.response / off.response, 0.4);
    table("The same with 6 volumes, which are used more than twice as often");
    let (off, on) = (user_volumes(6, 19.7, false), user_volumes(6, 20.5, true));
    row("off: response, ms", 57.8, off.response, 0.4);
    row("on : off, response", 0.35, on.response / off.response, 0.4);
}

#[test]
fn a_virtual_disk_instead_of_a_real_one() {
    // One job: 62.7 s of CPU time, the rest of 473 s for its I/Os, a tenth of which go elsewhere (catalog, listing).
    let kind = kind("3390-2");
    let run = |elsewhere: f64, cpu: f64| {
        let timing = Timing::new(&kind, Arc::new(Paths::new(2, 4_200_000)));
        let mut random = Random::seeded(0x9121);
        let programs = 25_000;
        let (mut now, step) = (0, (cpu * SECOND as f64) as u64 / programs);
        for _ in 0..programs {
            now += step;
            if random.fraction() < elsewhere {
                // Data and index of one file: some cylinders.
                let (track, at) = (15_000 + random.below(300 * 15), random.below(52_000));
                let access = Access { track, at, bytes: 4096, found: Found::Disk { stage: false } };
                now += timing.serve(now, &[access]).response();
            }
        }
        now as f64 / SECOND as f64
    };
    table("A VSAM job on a virtual disk (VSE guide, D.3); the CPU times are the report's");
    let (real, storage) = (run(1.0, 62.7), run(0.1, 62.7 * 1.09));
    row("real disk: elapsed, s", 473.0, real, 0.2);
    row("virtual disk : real disk, elapsed", 0.24, storage / real, 0.2);
}

/// What is in a cache of so many tracks: the least recently used goes.
struct Recent {
    most: usize,
    clock: u64,
    at: HashMap<u32, u64>,
    order: std::collections::BTreeMap<u64, u32>,
}

impl Recent {
    fn has(&mut self, track: u32, insert: bool) -> bool {
        let before = self.at.get(&track).copied();
        if before.is_none() && !insert || self.most == 0 {
            return before.is_some();
        }
        self.clock += 1;
        if let Some(before) = self.at.insert(track, self.clock) {
            self.order.remove(&before);
        }
        self.order.insert(self.clock, track);
        if self.at.len() > self.most
            && let Some((_, track)) = self.order.pop_first()
        {
            self.at.remove(&track);
        }
        before.is_some()
    }
}

/// What a batch job wants next: most often one of few tracks.
fn batch_track(random: &mut Random) -> u32 {
    match random.fraction() < 0.7 {
        true => (random.fraction().powf(3.0) * 860.0) as u32,
        false => 1000 + random.below(20_000),
    }
}

/// Twelve partitions with a processor and ten volumes between them, and a minidisk cache of so many megabytes: elapsed
/// seconds, and I/Os that reach a disk, in thousands.
fn batch(megabytes: usize, cpu: f64) -> (f64, f64) {
    let kind = kind("3380-A");
    let paths = [0, 1].map(|_| Arc::new(Paths::new(2, 3_000_000)));
    let devices: Vec<_> = (0..10).map(|n| Timing::new(&kind, paths[n % 2].clone())).collect();
    let mut cache =
        Recent { most: (megabytes << 20) / 47_616, clock: 0, at: HashMap::new(), order: Default::default() };
    let mut random = Random::seeded(0x1001_9121);
    let (programs, mut started, mut real, mut processor, mut last) = (172_700u32, 0, 0u32, 0, 0);
    let step = (cpu * SECOND as f64) as u64 / u64::from(programs);
    let mut jobs: BinaryHeap<_> = (0..12).map(Reverse).map(|Reverse(n)| Reverse((0u64, n))).collect();
    while let Some(Reverse((now, job))) = jobs.pop() {
        if started == programs {
            last = last.max(now);
            continue;
        }
        started += 1;
        // One processor; then the I/O, most of them reads, and of few tracks.
        processor = now.max(processor) + step;
        let read = random.fraction() < 0.88;
        let track = batch_track(&mut random);
        let hit = cache.has(track, read);
        let mut done = processor;
        if !(hit && read) {
            real += 1;
            let spread = track.wrapping_mul(2_654_435_761);
            let access = Access {
                track: 3000 + spread % 4000,
                at: random.below(40_000),
                bytes: 4096,
                found: Found::Disk { stage: false },
            };
            done += devices[spread as usize / 4000 % 10].serve(processor, &[access]).response();
        }
        jobs.push(Reverse((done, job)));
    }
    (last as f64 / SECOND as f64, f64::from(real) / 1000.0)
}

#[test]
fn a_minidisk_cache_of_0_16_and_48_megabytes() {
    table("PACEX8, V=V, full-pack minidisks on uncached 3380s (VSE guide, E.10); the CPU times are the report's");
    let runs = [batch(0, 184.8), batch(16, 180.4), batch(48, 164.8)];
    row("no cache: elapsed, s", 569.0, runs[0].0, 0.25);
    row("16 MB : none, I/Os", 0.64, runs[1].1 / runs[0].1, 0.12);
    row("48 MB : none, I/Os", 0.48, runs[2].1 / runs[0].1, 0.12);
    row("16 MB : none, elapsed", 0.68, runs[1].0 / runs[0].0, 0.15);
    row("48 MB : none, elapsed", 0.49, runs[2].0 / runs[0].0, 0.2);
}

/// Eight partitions with a processor; their data is on ten 3380s at so many 3880-3s, and a fifth of their I/Os is for
/// the system's two packs, at 3880s of this model. Elapsed seconds.
fn batch_at_3880s(units: usize, system: &str, programs: u32, cpu: f64) -> f64 {
    let kind = kind("3380-A");
    let model = |name| ControlUnitModel::named(name).expect("there is this model");
    let paths = |name| Arc::new(Paths::of(model(name).unit, 8));
    let at: Vec<_> = (0..units).map(|_| paths("3880-3")).collect();
    let data: Vec<_> = (0..10).map(|n| Timing::new(&kind, at[n % units].clone())).collect();
    let packs = [0, 1].map(|_| Timing::new(&kind, paths(system)));
    let cache = (model(system).cache > 0).then(|| Cache::sized([model(system).cache, model(system).storage], 47_616));
    let mut random = Random::seeded(0x3880_1985);
    let (mut started, mut processor, mut last) = (0, 0, 0);
    let step = (cpu * SECOND as f64) as u64 / u64::from(programs);
    let mut jobs: BinaryHeap<_> = (0..8).map(|n| Reverse((0u64, n))).collect();
    while let Some(Reverse((now, job))) = jobs.pop() {
        if started == programs {
            last = last.max(now);
            continue;
        }
        started += 1;
        processor = now.max(processor) + step;
        let (read, of_system) = (random.fraction() < 0.88, random.fraction() < 0.2);
        let track = batch_track(&mut random);
        let spread = track.wrapping_mul(2_654_435_761);
        let (track, n) = (3000 + spread % 4000, spread as usize / 4000);
        let (device, found) = match (of_system, &cache) {
            (true, Some(cache)) => (&packs[n % 2], cache.used((n % 2) as u8, track, !read, Usage::default())),
            (true, None) => (&packs[n % 2], Found::Disk { stage: false }),
            (false, _) => (&data[n % 10], Found::Disk { stage: false }),
        };
        let access = Access { track, at: random.below(40_000), bytes: 4096, found };
        jobs.push(Reverse((processor + device.serve(processor, &[access]).response(), job)));
    }
    last as f64 / SECOND as f64
}

#[test]
fn control_units_of_the_3880s_kind() {
    table(
        "PACEX8, V=V, 3380s at 3880s (VM/ESA 1.1 performance report, Tables 25 and 30); the CPU times are the report's",
    );
    let (plain, cached) = (batch_at_3880s(4, "3880-3", 169_847, 223.9), batch_at_3880s(2, "3880-23", 162_810, 225.5));
    row("all at 3880-3s: elapsed, s", 546.0, plain, 0.2);
    row("system packs at 3880-23s: elapsed, s", 463.0, cached, 0.25);
    row("system packs at 3880-23s : at 3880-3s, elapsed", 0.85, cached / plain, 0.1);
    // 4K from a 3380 goes at 3 MB/s whether its control unit could do more or not; what a cache has, at what the
    // control unit does.
    let access = |found| [Access { track: 0, at: 0, bytes: 4096, found }];
    let connect = |name: &str, found| {
        let unit = ControlUnitModel::named(name).expect("there is this model").unit;
        Timing::new(&kind("3380-A"), Arc::new(Paths::of(unit, 8))).serve(0, &access(found)).connect
    };
    let (disk, hit) = (Found::Disk { stage: false }, Found::Cache { destage: false });
    let sent = |rate: u64| 4 * MILLISECOND / 10 + 4096 * SECOND / rate;
    assert_eq!(["3880-3", "3880-23", "3990-3"].map(|name| connect(name, disk)), [sent(3_000_000); 3]);
    assert_eq!(["3880-23", "3990-3"].map(|name| connect(name, hit)), [sent(3_000_000), sent(4_500_000)]);
    // Two transfers at once, and a third a turn later.
    let long = [Access { track: 0, at: 20_000, bytes: 47_000, found: disk }];
    let waits = |channels| {
        let paths = Arc::new(Paths::of(ControlUnitModel::named("3880-3").expect("there is this model").unit, channels));
        [0; 3].map(|_| Timing::new(&kind("3380-A"), paths.clone()).serve(0, &long).reconnect)
    };
    let turn = 167 * MILLISECOND / 10;
    assert_eq!([4, 2, 1].map(waits), [[0, 0, turn], [0, 0, turn], [0, turn, 2 * turn]]);
}

#[test]
fn a_cache_without_non_volatile_storage_has_no_fast_writes() {
    let model = ControlUnitModel::named("3880-23").expect("there is this model");
    let cache = Cache::sized([model.cache, model.storage], 47_616);
    let read = |track| cache.used(0, track, false, Usage::default());
    let write = |track| cache.used(0, track, true, Usage::default());
    assert_eq!(read(7), Found::Disk { stage: true });
    assert_eq!(read(7), Found::Cache { destage: false });
    assert!(matches!(write(7), Found::Disk { .. }) && read(7) == Found::Cache { destage: false });
    let counts = cache.statistics(0);
    assert_eq!((counts.reads, counts.read_hits, counts.writes, counts.fast_write_hits), (3, 2, 1, 0));
}
