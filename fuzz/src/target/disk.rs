//! Disk images: whole ones of every format, damaged at a few places or cut, then opened, read, written, checked and
//! repaired.

use dasd::{Format, Image, Kind, MediaError, Method, Options, Track, Volume, check, create, label, repair};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use super::Target;
use crate::chance::Chance;

pub const TARGET: Target = Target { name: "disk", about: "disk images", run };

/// The whole images, made once.
fn whole() -> &'static [Vec<u8>] {
    static WHOLE: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let formats = [
            Format::Plain,
            Format::Compressed { wide: false, method: Method::Zlib },
            Format::Compressed { wide: true, method: Method::Zlib },
            Format::Compressed { wide: false, method: Method::Bzip2 },
            Format::Compressed { wide: true, method: Method::None },
        ];
        let model = dasd::model::CkdModel::named("2311").expect("the table has it");
        let kinds = [Kind::of_model(model, 2), Kind::Fba { device: 0x3370, model: 0, blocks: 300 }];
        let mut images = Vec::new();
        for kind in kinds {
            for format in formats {
                let path = scratch();
                create(&path, kind, format).expect("an image is made");
                let image = Image::open(&path, Options::default()).expect("it opens");
                label::write(&*image, "FUZZED").expect("a label fits");
                for n in 0..16 {
                    let _ = image.write_blocks(n * 17, &[n as u8; 1024]);
                    let Ok((cylinder, head)) = kind.home(n as u32) else { continue };
                    let mut track = Track::new(cylinder, head);
                    let end = track.records().last().expect("record 0").end();
                    let count = dasd::Count { cylinder, head, record: 1, key: 0, data: 600 };
                    track.format(end, count, &[], &[n as u8; 600]);
                    image.write_track(n as u32 + 2, &track).ok();
                }
                drop(image);
                images.push(std::fs::read(&path).expect("it is there"));
                std::fs::remove_file(&path).expect("it is there");
            }
        }
        images
    })
}

/// A name nobody else uses.
fn scratch() -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("endicott-fuzz-{}-{number}.dasd", std::process::id()))
}

fn run(chance: &mut Chance) {
    let whole = whole();
    let mut bytes = whole[chance.below(whole.len())].clone();
    for _ in 0..1 + chance.below(6) {
        // Most damage is where the numbers are: in the headers, the tables and the beginnings of tracks.
        let limit = if chance.once_in(3) { bytes.len() } else { bytes.len().min(4096) };
        match chance.below(4) {
            0 => bytes[chance.below(limit)] = chance.byte(),
            1 => bytes[chance.below(limit)] ^= 1 << chance.below(8),
            2 => {
                let at = chance.below(limit);
                let end = bytes.len().min(at + 4);
                bytes[at..end].fill(if chance.once_in(2) { 0xFF } else { chance.byte() });
            }
            _ if chance.once_in(8) => bytes.truncate(1 + chance.below(bytes.len())),
            _ => {}
        }
    }
    let path = scratch();
    std::fs::write(&path, &bytes).expect("the folder for temporary files can be written");
    look(&path, chance);
    for name in ["", ".damaged", ".journal", ".unfinished"] {
        let mut file = path.as_os_str().to_owned();
        file.push(name);
        let _ = std::fs::remove_file(file);
    }
}

/// More units than this are not read: a damaged header may name many.
const UNITS: u32 = 400;

fn look(path: &Path, chance: &mut Chance) {
    for read_only in [true, false] {
        let Ok(image) = Image::open(path, Options { read_only, ..Options::default() }) else { continue };
        let kind = image.kind();
        let _ = (label::read(&*image), label::data_sets(&*image));
        for track in 0..kind.tracks().min(UNITS) {
            if let Ok(track) = image.read_track(track) {
                assert!(track.records().count() >= 1, "a track that is served has record 0");
            }
        }
        let mut block = [0; Kind::BLOCK];
        for n in 0..kind.blocks().min(UNITS.into()) {
            let _ = image.read_blocks(n, &mut block);
        }
        assert_eq!(
            image.read_track(kind.tracks()).err(),
            Some(match kind {
                Kind::Ckd { .. } => MediaError::Outside,
                Kind::Fba { .. } => MediaError::WrongKind,
            })
        );
        let _ = image.write_track(chance.below(kind.tracks().max(1) as usize) as u32, &Track::new(0, 0));
        let _ = image.write_blocks(chance.below(kind.blocks().max(1) as usize) as u64, &block);
        let _ = image.flush();
    }
    let small = |_: u64, of: u64| of < 5_000;
    let _ = check(path, &Options::default(), true, &mut { small });
    if chance.once_in(4) {
        let _ = repair(path, &Options::default(), &mut { small });
    }
}

#[cfg(test)]
mod tests {
    use super::TARGET;
    use crate::{Extent, run};

    #[test]
    fn ten_thousand_damaged_images_are_read_written_checked_and_repaired() {
        if let Err(failed) = run(&TARGET, 2, 0, Extent::Inputs(10_000)) {
            panic!("{failed:?}; repeat it: cargo x fuzz disk 1 2 {}", failed.number);
        }
    }
}
