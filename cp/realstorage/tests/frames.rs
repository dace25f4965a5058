//! Each frame is counted once.

use realstorage::frames::{Frames, LEAST};

#[test]
fn frames_add_up() {
    let mut frames = Frames::new(256 << 20, 2);
    assert_eq!((frames.installed, frames.nucleus, frames.save), (65_536, 768 + 512, 32));
    assert_eq!((frames.paging(), frames.available()), (64_224, 64_224));
    frames.charge(1, 2 << 20, 18);
    frames.charge(4, 32 << 20, 100);
    frames.charge(1, (1 << 30) + 1, 1000);
    assert_eq!((frames.free_storage, frames.pageable), (1 + 5 + 3, 1118));
    let all = frames.nucleus + frames.save + frames.free_storage + frames.pageable + frames.available();
    assert_eq!(all, frames.installed);
    frames.charge(1, 1 << 30, 100_000);
    assert_eq!(frames.available(), 0);
    let least = Frames::new(LEAST, 64);
    assert!(least.paging() > least.installed / 2, "the least is enough for a system with all processors");
}
