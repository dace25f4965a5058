//! Who loses frames first, and what protects them.

use paging::*;

/// A machine that remembers what is referenced and changed, and moves nothing.
#[derive(Default)]
struct Used(std::collections::HashMap<Frame, Use>);

impl Mover for Used {
    fn look(&mut self, _: Place, frame: Frame) -> Use {
        self.0.get(&frame).copied().unwrap_or_default()
    }

    fn withdraw(&mut self, pages: &[(Place, Frame)], done: &mut Vec<Use>) {
        done.extend(pages.iter().map(|(_, frame)| self.0.remove(frame).unwrap_or_default()));
    }

    fn count_anew(&mut self, pages: &[(Place, Frame)], done: &mut Vec<Use>) {
        for (_, frame) in pages {
            let used = self.0.entry(*frame).or_default();
            done.push(*used);
            used.referenced = false;
        }
    }

    fn is_blank(&mut self, _: Place, _: Frame) -> bool {
        false
    }

    fn clear(&mut self, _: Place, _: Frame) {}
    fn vacate(&mut self, _: Place, _: Frame) {}
    fn put(&mut self, _: Place, _: Frame, _: Block) {}
    fn get(&mut self, _: Block, _: Place, _: Frame) {}
    fn land(&mut self, _: Slot, _: Place, _: Frame) {}
}

struct Scene {
    real: RealStorage,
    used: Used,
}

impl Scene {
    fn new(frames: u32, blocks: u32, slots: u32) -> Scene {
        let limits = Limits { frames, blocks, volumes: vec![slots.into()], read_set: 64 };
        Scene { real: RealStorage::new(&limits), used: Used::default() }
    }

    /// Stores into pages; transfers end at once.
    fn store(&mut self, space: SpaceId, pages: std::ops::Range<u32>) {
        for page in pages {
            let at = Place { space, page };
            loop {
                match self.real.touch(at, &mut self.used).expect("the page exists") {
                    Touch::Ready(frame) => {
                        self.used.0.insert(frame, Use { referenced: true, changed: true });
                        break;
                    }
                    Touch::Wait(_) => self.land(),
                    Touch::Deferred => {
                        self.real.scan(0, &mut self.used);
                        self.land();
                    }
                }
            }
        }
    }

    fn land(&mut self) {
        for transfer in self.real.take_begun() {
            self.real.ended(transfer.number, |_| true, &mut self.used);
        }
    }

    fn scan(&mut self) -> u32 {
        let taken = self.real.scan(0, &mut self.used);
        self.land();
        taken
    }

    fn resident(&self, space: SpaceId) -> u32 {
        self.real.pages_of(space).expect("the space exists").1
    }
}

#[test]
fn the_dormant_lose_their_pages_before_those_that_run() {
    let mut scene = Scene::new(512, 0, 4096);
    let [busy, idle, older] = [0; 3].map(|_| scene.real.create(Kind::Guest, 512));
    scene.store(busy, 0..200);
    scene.store(idle, 0..100);
    scene.store(older, 0..100);
    for (space, since) in [(idle, 20), (older, 10)] {
        scene.real.stand(space, Standing::Dormant(since), u32::MAX, &mut scene.used).unwrap();
    }
    assert_eq!(scene.real.pages_of(idle), Some((50, 100, 0)), "half of what it referred to, as it had none before");
    scene.store(busy, 200..265);
    assert!(scene.real.is_short());
    let taken = scene.scan();
    assert!(taken > 0 && taken <= 100);
    assert_eq!((scene.resident(busy), scene.resident(idle), scene.resident(older)), (265, 100, 100 - taken));
    assert_eq!(scene.real.counts().taken, [u64::from(taken), 0, 0]);
}

#[test]
fn reserved_and_locked_pages_stay() {
    let mut scene = Scene::new(512, 0, 4096);
    let [server, user] = [0; 2].map(|_| scene.real.create(Kind::Guest, 1024));
    scene.store(server, 0..100);
    scene.real.reserve(server, 80).unwrap();
    let locked = Place { space: user, page: 3 };
    scene.store(user, 0..4);
    let frame = scene.real.lock(locked).unwrap();
    scene.real.stand(server, Standing::Dormant(1), u32::MAX, &mut scene.used).unwrap();
    scene.store(user, 4..900);
    assert_eq!(scene.resident(server), 80);
    assert_eq!(scene.real.touch(locked, &mut scene.used), Ok(Touch::Ready(frame)));
    assert_eq!(scene.real.unlock(locked), Ok(()));
    assert_eq!(scene.real.unlock(locked), Err(Refused::NotLocked));
    assert_eq!(scene.real.lock(Place { space: user, page: 1024 }), Err(Refused::NoPage));
    assert_eq!(scene.real.lock(Place { space: user, page: 1023 }), Err(Refused::NotResident));
    scene.real.audit();
}

#[test]
fn pages_go_out_in_sets_and_come_back_in_sets() {
    let mut scene = Scene::new(512, 0, 4096);
    let [first, second] = [0; 2].map(|_| scene.real.create(Kind::Guest, 1024));
    scene.store(first, 0..256);
    scene.real.stand(first, Standing::Dormant(1), u32::MAX, &mut scene.used).unwrap();
    scene.store(second, 0..400);
    let counts = scene.real.counts();
    assert!(counts.writes >= 8 * counts.blocks_written, "{counts:?}");
    let before = counts;
    scene.real.destroy(second, &mut scene.used).unwrap();
    scene.store(first, 0..1);
    let counts = scene.real.counts();
    assert_eq!(counts.blocks_read, before.blocks_read + 1);
    assert!(counts.reads > before.reads + 8, "{counts:?}");
    // What was not changed since leaves without being written.
    let third = scene.real.create(Kind::Guest, 1024);
    scene.store(third, 0..450);
    assert!(scene.real.counts().dropped > before.dropped);
    scene.real.audit();
}

#[test]
fn expanded_storage_is_used_before_page_space_and_migrates_to_it() {
    let mut scene = Scene::new(256, 400, 4096);
    let space = scene.real.create(Kind::Guest, 2048);
    scene.store(space, 0..500);
    let counts = scene.real.counts();
    assert!(counts.puts >= 240 && counts.writes == 0, "{counts:?}");
    scene.store(space, 500..575);
    assert!(scene.real.migrate(1_000) > 0);
    scene.land();
    let counts = scene.real.counts();
    assert!(counts.migrated > 0 && counts.writes == 0 && counts.migrated_age >= counts.migrated, "{counts:?}");
    // The oldest went, and come back from page space; the others from expanded storage.
    scene.store(space, 0..1);
    assert!(scene.real.counts().reads > 0);
    scene.real.audit();
}

#[test]
fn when_page_space_is_full_nothing_is_lost_and_references_are_deferred() {
    let mut scene = Scene::new(256, 0, 50);
    let space = scene.real.create(Kind::Guest, 2048);
    let mut stored = 0;
    'all: for page in 0..2048 {
        for _ in 0..5 {
            if let Touch::Ready(frame) = scene.real.touch(Place { space, page }, &mut scene.used).unwrap() {
                scene.used.0.insert(frame, Use { referenced: true, changed: true });
                stored += 1;
                continue 'all;
            }
            scene.scan();
        }
        break;
    }
    // A page management block for each megabyte.
    assert_eq!(stored, 256 + 50 - 2);
    assert!(scene.real.counts().full > 0 && scene.real.counts().deferred > 0);
    scene.real.release(space, 0..10, &mut scene.used).unwrap();
    scene.store(space, 1000..1001);
    scene.real.audit();
}
