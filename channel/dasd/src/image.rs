//! An image: a disk in host files, one of which may be written while others below it keep what it was before.
//!
//! Reads look from the newest file down to the base; writes go to the newest. A lock orders them: many readers or one
//! writer. The last tracks used are kept in storage.

use crate::header::{self, Header, Packing};
use crate::host::{Faults, HostFile, ImageError};
use crate::{Kind, MediaError, Track, Volume, plain, sync};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};

/// How soon writes survive the end of the *host*. The end of this process loses no acknowledged write under any policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Policy {
    /// Every write is on the host's medium before it is acknowledged. Nothing is ever lost.
    Through,
    /// Writes are on the host's medium within two seconds, or when the volume is flushed.
    #[default]
    Safe,
    /// Writes reach the host's medium when the volume is flushed or closed, or when the host thinks fit.
    Lazy,
}

/// How an image is opened.
#[derive(Clone, Default)]
pub struct Options {
    /// Nothing is written; other readers may use the files, too.
    pub read_only: bool,
    pub policy: Policy,
    /// Which fixed-block device type it is (X'3370'), as no format says so.
    pub device: Option<u16>,
    /// Host failures made to order, for tests.
    pub faults: Option<Arc<dyn Faults>>,
}

/// Opens the disk in `path` for reading and writing.
pub fn open(path: &Path) -> Result<Arc<dyn Volume>, ImageError> {
    Ok(Image::open(path, Options::default())?)
}

/// A disk in host files.
pub struct Image {
    kind: Kind,
    policy: Policy,
    read_only: bool,
    stack: RwLock<Vec<Layer>>,
    recent: Mutex<Recent>,
    /// Something was written since the last sync.
    dirty: AtomicBool,
    /// A sync that nobody waited for failed: whoever flushes next hears of it.
    failed: Mutex<Option<MediaError>>,
}

/// One file, or one volume's plain files.
enum Layer {
    Ckd(plain::Ckd),
    Fba(plain::Fba),
}

impl Image {
    /// Opens the disk whose base is `path`.
    pub fn open(path: &Path, options: Options) -> Result<Arc<Image>, ImageError> {
        let (layer, kind) = Layer::open(path, &options)?;
        let read_only = options.read_only || !layer.writable();
        let image = Arc::new(Image {
            kind,
            policy: options.policy,
            read_only,
            stack: RwLock::new(vec![layer]),
            recent: Mutex::default(),
            dirty: AtomicBool::new(false),
            failed: Mutex::default(),
        });
        if options.policy == Policy::Safe && !read_only {
            sync::watch(Arc::downgrade(&image));
        }
        Ok(image)
    }

    /// The host files, the base's first.
    pub fn files(&self) -> Vec<PathBuf> {
        self.stack.read().expect("no panic while it is held").iter().flat_map(Layer::files).collect()
    }

    /// Brings what was written to the host's medium, for [`Policy::Safe`].
    pub(crate) fn settle(&self) {
        if let Err(error) = self.sync() {
            *self.failed.lock().expect("no panic while it is held") = Some(error);
        }
    }

    fn sync(&self) -> Result<(), MediaError> {
        if !self.dirty.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        let stack = self.stack.read().expect("no panic while it is held");
        let top = stack.last().expect("an image has a file");
        top.sync().inspect_err(|_| self.dirty.store(true, Ordering::Release))
    }

    fn may_write(&self) -> Result<(), MediaError> {
        if self.read_only { Err(MediaError::ReadOnly) } else { Ok(()) }
    }

    fn recall(&self, unit: u32) -> Option<Unit> {
        self.recent.lock().expect("no panic while it is held").find(unit)
    }

    fn remember(&self, unit: u32, data: Unit) {
        self.recent.lock().expect("no panic while it is held").put(unit, data);
    }

    fn forget(&self, unit: u32) {
        self.recent.lock().expect("no panic while it is held").remove(unit);
    }
}

impl Volume for Image {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn read_only(&self) -> bool {
        self.read_only
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        let home = self.kind.home(track)?;
        if let Some(Unit::Track(found)) = self.recall(track) {
            return Ok(found);
        }
        // Held until the track is remembered, so that no write comes between.
        let stack = self.stack.read().expect("no panic while it is held");
        let image = read_unit(&stack, track)?;
        let place = || format!("track {track} (cylinder {}, head {})", home.0, home.1);
        let found = Track::from_image(image)
            .ok_or_else(|| MediaError::Damaged(format!("{} has no valid structure", place())))?;
        if found.home() != home {
            return Err(MediaError::Damaged(format!("{} has another track's home address", place())));
        }
        let found = Arc::new(found);
        self.remember(track, Unit::Track(found.clone()));
        Ok(found)
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        let new = self.kind.fitting(track, new)?;
        self.may_write()?;
        let mut stack = self.stack.write().expect("no panic while it is held");
        let old = match self.recall(track) {
            Some(Unit::Track(old)) => Some(old),
            _ => None,
        };
        self.dirty.store(true, Ordering::Release);
        let top = stack.last_mut().expect("an image has a file");
        match top.write(track, new.image(), old.as_ref().map(|old| old.image())) {
            Ok(()) => {
                self.remember(track, Unit::Track(Arc::new(new.into_owned())));
                Ok(())
            }
            Err(error) => {
                self.forget(track);
                Err(error)
            }
        }
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.kind.inside(block, to.len())?;
        let stack = self.stack.read().expect("no panic while it is held");
        match stack.as_slice() {
            [Layer::Fba(flat)] => flat.read(block * Kind::BLOCK as u64, to),
            _ => Err(MediaError::WrongKind),
        }
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.kind.inside(block, from.len())?;
        self.may_write()?;
        let stack = self.stack.write().expect("no panic while it is held");
        self.dirty.store(true, Ordering::Release);
        match stack.as_slice() {
            [Layer::Fba(flat)] => flat.write(block * Kind::BLOCK as u64, from),
            _ => Err(MediaError::WrongKind),
        }
    }

    fn flush(&self) -> Result<(), MediaError> {
        let failed = self.failed.lock().expect("no panic while it is held").take();
        self.sync()?;
        failed.map_or(Ok(()), Err)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; the data is with the host already.
        let _ = self.sync();
    }
}

/// Track or group `unit`, from the newest file that has it.
fn read_unit(stack: &[Layer], unit: u32) -> Result<Vec<u8>, MediaError> {
    for layer in stack.iter().rev() {
        if let Some(found) = layer.read(unit)? {
            return Ok(found);
        }
    }
    Err(MediaError::Damaged(format!("no file has unit {unit}")))
}

impl Layer {
    fn open(path: &Path, options: &Options) -> Result<(Layer, Kind), ImageError> {
        let host = HostFile::open(path, !options.read_only, options.faults.clone())?;
        let not = |why: &str| ImageError::NotAnImage { path: path.into(), why: why.into() };
        let length = host.len()?;
        if length == 0 {
            return Err(not("it is empty"));
        }
        let mut bytes = vec![0; length.min(header::LEN as u64) as usize];
        host.read_at(0, &mut bytes)?;
        match Header::decode(&bytes) {
            Some(header) if header.form.packing == Packing::Plain => {
                let ckd = plain::Ckd::open(host, header, options)?;
                let kind = ckd.kind;
                Ok((Layer::Ckd(ckd), kind))
            }
            Some(_) => Err(not("compressed images are not known")),
            None => {
                let fba = plain::Fba::open(host, options)?;
                let kind = fba.kind;
                Ok((Layer::Fba(fba), kind))
            }
        }
    }

    fn writable(&self) -> bool {
        match self {
            Layer::Ckd(ckd) => ckd.writable(),
            Layer::Fba(fba) => fba.writable(),
        }
    }

    fn files(&self) -> Vec<PathBuf> {
        match self {
            Layer::Ckd(ckd) => ckd.files(),
            Layer::Fba(fba) => vec![fba.file()],
        }
    }

    fn read(&self, unit: u32) -> Result<Option<Vec<u8>>, MediaError> {
        match self {
            Layer::Ckd(ckd) => ckd.read(unit).map(Some),
            Layer::Fba(_) => Err(MediaError::WrongKind),
        }
    }

    fn write(&mut self, unit: u32, new: &[u8], old: Option<&[u8]>) -> Result<(), MediaError> {
        match self {
            Layer::Ckd(ckd) => ckd.write(unit, new, old),
            Layer::Fba(_) => Err(MediaError::WrongKind),
        }
    }

    fn sync(&self) -> Result<(), MediaError> {
        match self {
            Layer::Ckd(ckd) => ckd.sync(),
            Layer::Fba(fba) => fba.sync(),
        }
    }
}

/// A track, or a group of blocks of a compressed fixed-block image.
#[derive(Clone)]
enum Unit {
    Track(Arc<Track>),
}

/// The units used last.
#[derive(Default)]
struct Recent {
    units: VecDeque<(u32, Unit)>,
}

impl Recent {
    /// Up to 3.5 MB of 3390 tracks.
    const LIMIT: usize = 64;

    fn find(&mut self, unit: u32) -> Option<Unit> {
        let at = self.units.iter().position(|(found, _)| *found == unit)?;
        let found = self.units.remove(at)?;
        let data = found.1.clone();
        self.units.push_front(found);
        Some(data)
    }

    fn put(&mut self, unit: u32, data: Unit) {
        self.remove(unit);
        self.units.truncate(Self::LIMIT - 1);
        self.units.push_front((unit, data));
    }

    fn remove(&mut self, unit: u32) {
        self.units.retain(|(found, _)| *found != unit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CkdModel;
    use crate::scratch::Folder;
    use crate::{Count, Format, create};

    fn plain(folder: &Folder, name: &str, cylinders: u32) -> PathBuf {
        let path = folder.path(name);
        let kind = Kind::of_model(CkdModel::named("3390").unwrap(), cylinders);
        create(&path, kind, Format::Plain).unwrap();
        path
    }

    fn with_record(cylinder: u16, head: u16, fill: u8) -> Track {
        let mut track = Track::new(cylinder, head);
        for record in 1..=12 {
            let end = track.records().last().unwrap().end();
            track.format(end, Count { cylinder, head, record, key: 0, data: 4096 }, &[], &[fill; 4096]);
        }
        track
    }

    #[test]
    fn a_plain_volume_keeps_its_tracks() {
        let folder = Folder::new("image-plain");
        let path = plain(&folder, "a.3390", 3);
        let volume = open(&path).unwrap();
        assert_eq!(volume.kind(), Kind::Ckd { device: 0x3390, model: 2, cylinders: 3, heads: 15, track: 56832 });
        for fill in [1, 2] {
            volume.write_track(17, &with_record(1, 2, fill)).unwrap();
            assert_eq!(*volume.read_track(17).unwrap(), with_record(1, 2, fill));
        }
        // A track of another place gets this place's home address.
        volume.write_track(18, &with_record(0, 0, 3)).unwrap();
        assert_eq!(volume.read_track(18).unwrap().home(), (1, 3));
        assert_eq!(volume.read_track(45).err(), Some(MediaError::Outside));
        drop(volume);
        assert!(!journal_of(&path).exists());
        let volume = Image::open(&path, Options { read_only: true, ..Options::default() }).unwrap();
        assert_eq!(*volume.read_track(17).unwrap(), with_record(1, 2, 2));
        assert_eq!(volume.write_track(17, &with_record(1, 2, 1)).err(), Some(MediaError::ReadOnly));
    }

    fn journal_of(path: &Path) -> PathBuf {
        crate::journal::path_of(path)
    }

    #[test]
    fn several_files_are_one_volume() {
        let folder = Folder::new("image-files");
        let (one, two) = (plain(&folder, "vol_1.3390", 3), plain(&folder, "vol_2.3390", 2));
        // The second file's tracks begin with cylinder 3, and the headers tell of one another.
        for (path, sequence, last, first) in [(&one, 1, 2u16, 0), (&two, 2, 0, 3u16)] {
            let mut bytes = std::fs::read(path).unwrap();
            bytes[17] = sequence;
            bytes[18..20].copy_from_slice(&last.to_le_bytes());
            for n in 0..(bytes.len() - 512) / 56832 {
                let home = 512 + n * 56832;
                bytes[home + 1..home + 3].copy_from_slice(&(first + n as u16 / 15).to_be_bytes());
            }
            std::fs::write(path, bytes).unwrap();
        }
        let volume = open(&one).unwrap();
        assert_eq!(volume.kind().tracks(), 75);
        volume.write_track(74, &with_record(4, 14, 5)).unwrap();
        drop(volume);
        assert_eq!(*open(&one).unwrap().read_track(74).unwrap(), with_record(4, 14, 5));
        std::fs::remove_file(&two).unwrap();
        assert!(matches!(open(&one), Err(ImageError::Host(_))));
    }

    #[test]
    fn a_damaged_track_is_reported_not_served() {
        let folder = Folder::new("image-damaged");
        let path = plain(&folder, "a.3390", 1);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes[512 + 56832 + 4] = 9;
        bytes[512 + 2 * 56832..512 + 3 * 56832].fill(0);
        std::fs::write(&path, bytes).unwrap();
        let volume = open(&path).unwrap();
        assert!(volume.read_track(0).is_ok());
        assert!(matches!(volume.read_track(1), Err(MediaError::Damaged(_))));
        assert!(matches!(volume.read_track(2), Err(MediaError::Damaged(_))));
        // Writing the whole track anew repairs it.
        volume.write_track(1, &Track::new(0, 1)).unwrap();
        assert!(volume.read_track(1).is_ok());
    }

    #[test]
    fn blocks_of_a_fixed_block_volume() {
        let folder = Folder::new("image-fba");
        let path = folder.path("a.3370");
        std::fs::write(&path, vec![0; 1000 * 512]).unwrap();
        let volume = Image::open(&path, Options { device: Some(0x3370), ..Options::default() }).unwrap();
        assert_eq!(volume.kind(), Kind::Fba { device: 0x3370, model: 0, blocks: 1000 });
        volume.write_blocks(998, &[[1; 512], [2; 512]].concat()).unwrap();
        let mut read = [0; 512];
        volume.read_blocks(999, &mut read).unwrap();
        assert_eq!(read, [2; 512]);
        assert_eq!(volume.read_blocks(999, &mut [0; 1024]).err(), Some(MediaError::Outside));
        std::fs::write(folder.path("odd"), [0; 700]).unwrap();
        assert!(matches!(open(&folder.path("odd")), Err(ImageError::NotAnImage { .. })));
    }
}
