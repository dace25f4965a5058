//! The size of the cache, which users may fill it, and that it never serves what was written over.

use super::*;
use dasd::model::CkdModel;
use dasd::{Memory, Volume};

/// A volume of 100 cylinders with tracks of about 4 KB, and a way for users to reach it.
fn volume() -> (Arc<Cache>, impl Fn(&str, bool) -> Cached) {
    let pack: Arc<dyn Volume> = Arc::new(Memory::ckd(CkdModel::named("3390").expect("there is this model"), 100));
    for number in 0..1500 {
        let mut track = Track::clone(&pack.read_track(number).unwrap());
        let end = track.records().last().unwrap().end();
        let count = dasd::Count { cylinder: 0, head: 0, record: 1, key: 0, data: 4000 };
        track.format(end, count, &[], &[7; 4000]);
        pack.write_track(number, &track).unwrap();
    }
    let cache = Arc::new(Cache::default());
    let (device, shared) = (cache.device(), cache.clone());
    let reach = move |userid: &str, exempt: bool| Cached {
        extent: pack.clone(),
        first: 0,
        cache: shared.clone(),
        device: device.clone(),
        disk: Arc::new(DiskCache::new(None, false)),
        user: Arc::new(UserCache::new(userid, exempt)),
        reservation: Arc::default(),
    };
    (cache, reach)
}

fn hits(link: &Cached) -> u64 {
    link.user.counters.hits.load(Relaxed)
}

#[test]
fn the_cache_keeps_its_size_and_what_is_used() {
    let (cache, reach) = volume();
    cache.set_size(Size { minimum: 0, maximum: 1 << 20, bias: 1.0 });
    let user = reach("A", false);
    for track in 0..1500 {
        user.read_track(track).unwrap();
        user.read_track(3).unwrap();
    }
    assert!(cache.bytes() <= 1 << 20 && cache.bytes() > 900 << 10, "{}", cache.bytes());
    assert!(hits(&user) > 1490, "track 3 was always in use: {}", hits(&user));
    cache.set_size(Size { minimum: 0, maximum: 1 << 16, bias: 1.0 });
    assert!(cache.bytes() <= 1 << 16);
    cache.set_on(false);
    assert_eq!(cache.bytes(), 0);
    user.read_track(0).unwrap();
    assert_eq!(cache.bytes(), 0);
}

/// One reads everything there is, the other a little again and again.
#[test]
fn nobody_but_the_exempt_takes_more_than_a_fair_share() {
    for exempt in [false, true] {
        let (cache, reach) = volume();
        cache.set_size(Size { minimum: 0, maximum: 1 << 20, bias: 1.0 });
        let (greedy, modest) = (reach("GREEDY", exempt), reach("MODEST", false));
        for track in 0..1500 {
            greedy.read_track(track).unwrap();
            modest.read_track(1400 + track % 50).unwrap();
        }
        let refused = greedy.user.counters.refused.load(Relaxed);
        assert_eq!(refused == 0, exempt, "{refused}");
    }
}

#[test]
fn a_reserved_minidisk_is_cached_no_longer() {
    let (cache, reach) = volume();
    let user = reach("A", false);
    user.disk.dropped.store(true, Relaxed);
    user.read_track(0).unwrap();
    assert!(!user.eligible() && cache.bytes() == 0);
    user.disk.dropped.store(false, Relaxed);
    user.device.set_mode(DeviceMode::DefaultOff);
    assert!(!user.eligible());
    user.disk.set_wish(Some(true));
    assert!(user.eligible());
}

/// Readers and writers at once: what a reader sees after a write has ended is what was written.
#[test]
fn the_cache_never_serves_what_was_written_over() {
    let (_cache, reach) = volume();
    let (reader, writer) = (reach("R", false), reach("W", false));
    let written = AtomicU8::new(7);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut track = Track::clone(&writer.read_track_to_update(5).unwrap());
            let at = track.records().nth(1).unwrap().at;
            for value in 8..200u8 {
                track.update(at, None, Some(&[value; 4000]));
                writer.write_track(5, &track).unwrap();
                written.store(value, Relaxed);
            }
        });
        while written.load(Relaxed) < 199 {
            let least = written.load(Relaxed);
            let seen = reader.read_track(5).unwrap().records().nth(1).unwrap().data[0];
            assert!(seen >= least, "{seen} after {least}");
        }
    });
}
