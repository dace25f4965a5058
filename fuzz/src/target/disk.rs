//! Disk images: whole ones of every format, with a shadow file, check sums or the journal of a killed process, damaged
//! at a few places or cut, then opened, read, written, checked, merged and repaired.

use dasd::allocation::{Allocation, Area, Purpose};
use dasd::{Format, Image, Kind, MediaError, Method, Options, Track, Volume, check, create, label, repair};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "disk", about: "disk images", run };

/// The files of a disk: how their names end, and what is in them.
type Files = Vec<(&'static str, Vec<u8>)>;

const BASE: &str = ".dasd";
const SHADOW: &str = "_s1.dasd";
const JOURNAL: &str = ".dasd.journal";
const SUMS: &str = ".dasd.sums";

/// The whole disks, made once: of every format alone, with a shadow file on top, and left by a process that was killed.
fn whole() -> &'static [Files] {
    static WHOLE: OnceLock<Vec<Files>> = OnceLock::new();
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
        let mut disks = Vec::new();
        for kind in kinds {
            for format in formats {
                let folder = Folder::new();
                create(&folder.file(BASE), kind, format).expect("an image is made");
                let image = Image::open(&folder.file(BASE), Options::default()).expect("it opens");
                label::write(&*image, "FUZZED").expect("a label fits");
                write(&image, 0);
                if let Kind::Fba { .. } = kind {
                    // What was written lies over the label.
                    label::write(&*image, "FUZZED").expect("a label fits");
                    let mut allocation = Allocation::new(kind);
                    let area = Area { purpose: Purpose::Page, first: 5, last: 20 };
                    allocation.allocate(&[area]).expect("the disk has these pages");
                    allocation.write(&*image).expect("a map fits");
                }
                // As a killed process leaves it: a plain one has its last write in the journal, too.
                // Its check sums come last, and so are younger than it.
                let left = folder.files(&[BASE, JOURNAL, SUMS]);
                drop(image);
                let closed = folder.files(&[BASE, SUMS]);
                let image = Image::open(&folder.file(BASE), Options::default()).expect("it opens");
                image.snapshot().expect("a shadow file is made");
                write(&image, 1);
                drop(image);
                disks.extend([closed, left, folder.files(&[BASE, SHADOW, SUMS])]);
            }
        }
        disks
    })
}

/// Writes here and there; `fill` tells one time from another.
fn write(image: &Image, fill: u8) {
    let kind = image.kind();
    for n in 0..16 {
        let _ = image.write_blocks(n * 17, &[n as u8 + fill; 1024]);
        let Ok((cylinder, head)) = kind.home(n as u32) else { continue };
        let mut track = Track::new(cylinder, head);
        let end = track.records().last().expect("record 0").end();
        let count = dasd::Count { cylinder, head, record: 1, key: 0, data: 600 };
        track.format(end, count, &[], &[n as u8 + fill; 600]);
        image.write_track(n as u32 + 2, &track).ok();
    }
}

/// A folder for one disk, whatever files it turns into; it goes with all of them.
struct Folder(support::folder::Folder);

impl Folder {
    fn new() -> Folder {
        Folder(support::folder::Folder::empty("fuzz"))
    }

    fn file(&self, ending: &str) -> PathBuf {
        self.0.path(&format!("disk{ending}"))
    }

    /// Those of these files that there are.
    fn files(&self, endings: &[&'static str]) -> Files {
        let read = |ending: &&'static str| Some((*ending, std::fs::read(self.file(ending)).ok()?));
        endings.iter().filter_map(read).collect()
    }
}

fn run(chance: &mut Chance) {
    let whole = whole();
    let mut files = whole[chance.below(whole.len())].clone();
    for _ in 0..1 + chance.below(6) {
        let one = chance.below(files.len());
        let bytes = &mut files[one].1;
        // Most damage is where the numbers are: in the headers, the tables and the beginnings of tracks.
        let limit = if chance.one_in(3) { bytes.len() } else { bytes.len().min(4096) };
        match chance.below(4) {
            0 => bytes[chance.below(limit)] = chance.byte(),
            1 => bytes[chance.below(limit)] ^= 1 << chance.below(8),
            2 => {
                let at = chance.below(limit);
                let end = bytes.len().min(at + 4);
                bytes[at..end].fill(if chance.one_in(2) { 0xFF } else { chance.byte() });
            }
            _ if chance.one_in(8) => bytes.truncate(1 + chance.below(bytes.len())),
            _ => {}
        }
    }
    let folder = Folder::new();
    for (ending, bytes) in &files {
        std::fs::write(folder.file(ending), bytes).expect("the folder can be written");
    }
    look(&folder.file(BASE), chance);
}

/// More units than this are not read: a damaged header may name many.
const UNITS: u32 = 400;

fn look(path: &Path, chance: &mut Chance) {
    for read_only in [true, false] {
        let Ok(image) = Image::open(path, Options { read_only, ..Options::default() }) else { continue };
        let kind = image.kind();
        let _ = (label::read(&*image), label::data_sets(&*image), Allocation::read(&*image));
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
    if chance.one_in(4) {
        let _ = repair(path, &Options::default(), &mut { small });
    }
    if chance.one_in(4)
        && let Ok(image) = Image::open(path, Options::default())
    {
        let _ = if chance.one_in(4) { image.discard() } else { image.merge(&mut { small }) };
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
