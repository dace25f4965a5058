//! An image: a disk in host files, one of which may be written while others below it keep what it was before.
//!
//! Reads look from the newest file down to the base; writes go to the newest. A lock orders them: many readers or one
//! writer. The last tracks used are kept in storage.
//!
//! A write to a compressed file stores the unit as it is; when it has not been written for a while, it is compressed.
//! So what a guest writes record by record is compressed once, and what was acknowledged is in the file all the time.
//!
//! A [snapshot](snapshot) puts a new shadow file on top. The shadow files of `NAME.EXT` are `NAME_s1.EXT` to
//! `NAME_s8.EXT` unless [`Options::shadows`] names them.

mod ahead;
mod chain;
pub(crate) mod layer;
mod places;
mod recent;
mod snapshot;
mod sync;

use crate::error::ImageError;
use crate::format::unit::{self, GROUP_BYTES, parsed};
use crate::host::{Faults, HostFile, Once, Room};
use crate::progress::Progress;
use crate::{Change, Format, Kind, MediaError, Policy, Spot, Track, Volume};
use layer::Layer;
use layer::packed::{self, Packed, Style};
use recent::{Recent, Unit};
pub(crate) use snapshot::merge_begun;
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// How an image is opened.
#[derive(Clone, Default)]
pub struct Options {
    /// Nothing is written; other readers may use the files, too.
    pub read_only: bool,
    pub policy: Policy,
    /// Which fixed-block device type it is (X'3370'), as no format says so.
    pub device: Option<u16>,
    /// The name of the first shadow file, in which the character before the last dot (or the last one) is the number;
    /// else it is made from the base's name.
    pub shadows: Option<PathBuf>,
    /// If the newest shadow file is gone, what was in it is given up.
    pub give_up: bool,
    /// The disk as it was at its snapshot of this number: without the shadow files from there on. It may only be read.
    pub snapshot: Option<usize>,
    /// Injected failures of the host, for tests.
    pub faults: Option<Arc<dyn Faults>>,
}

/// Opens the disk in `path` for reading and writing.
pub fn open(path: &Path) -> Result<Arc<dyn Volume>, ImageError> {
    Ok(Image::open(path, Options::default())?)
}

/// The most shadow files an image has.
pub const SHADOWS: usize = 8;

/// A disk in host files.
pub struct Image {
    kind: Kind,
    path: PathBuf,
    options: Options,
    files: Arc<Files>,
    /// What there is to tell of its files together.
    notices: Vec<String>,
    /// What is missing of it.
    lost: Option<String>,
}

/// The files of an image, how far they are on the host's medium, and what of them is in storage.
pub(crate) struct Files {
    kind: Kind,
    /// The base first. Empty when the image has been closed.
    stack: RwLock<Vec<Layer>>,
    recent: Mutex<Recent>,
    /// Units that are being brought into storage, and the condition variable that tells when some of that has ended.
    staging: Mutex<Vec<Range<u32>>>,
    staged: Condvar,
    /// What was read past the host's storage.
    once: Mutex<Once>,
    /// Whether what will be read next is brought nearer.
    ahead: bool,
    /// Something was written since the last sync.
    dirty: AtomicBool,
    /// One sync at a time: it frees what was given back before it began.
    syncing: Mutex<()>,
    /// Units that were written without being compressed, and in which round they were.
    loose: Mutex<HashMap<u32, u64>>,
    round: AtomicU64,
    /// While the newest shadow file is merged into the file below: units written since they were, or before their turn.
    merging: Mutex<Option<BTreeSet<u32>>>,
    /// The error of a sync in the background: the next flush returns it.
    failed: Mutex<Option<MediaError>>,
}

/// Units that may be uncompressed at a time, at most 4 MB.
const LOOSE: usize = 64;

const HELD: &str = "no panic while it is held";

impl Image {
    /// Opens the disk with the base file `path`, and its shadow files.
    pub fn open(path: &Path, options: Options) -> Result<Arc<Image>, ImageError> {
        let mut files = chain::shadows(path, &options)?;
        if let Some(number) = options.snapshot {
            if !(1..=files.len()).contains(&number) {
                let count = files.len();
                return Err(ImageError::Host(format!("{} has {count} snapshots, not {number}", path.display())));
            }
            snapshot::refused(&files[number - 1])?;
            files.truncate(number - 1);
        }
        let options = Options { read_only: options.read_only || options.snapshot.is_some(), ..options };
        let below = Options { read_only: true, ..options.clone() };
        let mut notices = Vec::new();
        let mut stack: Vec<Layer> = Vec::new();
        for (n, file) in std::iter::once(path).chain(files.iter().map(PathBuf::as_path)).enumerate() {
            let how = if n == files.len() { &options } else { &below };
            if !options.read_only && files.get(n).is_some_and(|shadow| snapshot::merge_begun(shadow)) {
                // A process that merged into this file may have been killed in a write. Opening the file to write
                // finishes that; from then on it is only read.
                drop(Layer::open(file, &options, n > 0)?);
            }
            let layer = Layer::open(file, how, n > 0)?;
            if let Some(base) = stack.first()
                && base.kind().apart_from_model() != layer.kind().apart_from_model()
            {
                let why = format!("it is not of the same disk as {}", path.display());
                return Err(ImageError::Damaged { path: file.into(), why });
            }
            if let Some(lower) = stack.last() {
                notices.extend(chain::belongs(lower, &layer)?);
            }
            stack.push(layer);
        }
        let top = top(&mut stack);
        let options = Options { read_only: options.read_only || !top.writable(), ..options };
        let lost = match options.snapshot {
            None => uncovered(top, &shadow_path(path, &options, files.len() + 1), &options)?,
            Some(_) => None,
        };
        let image = Arc::new(Image {
            kind: stack[0].kind(),
            path: path.into(),
            files: Arc::new(Files::new(stack, options.faults.is_none())),
            options,
            notices,
            lost,
        });
        // The tracks of a plain file are taken for full until some are read. This question opens the file once more,
        // and tells the host not to guess what will be read of it. A host that has begun to guess goes on, and then all
        // of the file is in its storage and read from there.
        image.files.reads_past();
        if image.options.policy == Policy::Safe && !image.options.read_only {
            sync::watch(Arc::downgrade(&image.files));
        }
        Ok(image)
    }

    /// The host files, the base's first.
    pub fn files(&self) -> Vec<PathBuf> {
        let name = |layer: &Layer| layer.hosts().into_iter().map(|host| host.path().to_path_buf()).collect::<Vec<_>>();
        self.shared().iter().flat_map(name).collect()
    }

    /// What the user of the disk is to be told: that another program has written one of its files since.
    pub fn notices(&self) -> Vec<String> {
        let of_file =
            |layer: &Layer| layer.sums().iter().filter_map(|sums| sums.notice()).map(str::to_string).collect();
        let of_files = self.shared().iter().flat_map(|layer| -> Vec<String> { of_file(layer) }).collect::<Vec<_>>();
        let lost = self.lost.iter().map(|why| format!("{}: {why}", self.path.display()));
        lost.chain(self.notices.iter().cloned()).chain(of_files).collect()
    }

    /// What is missing of it: its newest shadow file, if that is gone.
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// The format of the base.
    pub fn format(&self) -> Format {
        match &self.shared()[0] {
            Layer::Packed(packed) => {
                let Style { wide, method, .. } = packed.style();
                Format::Compressed { wide, method }
            }
            _ => Format::Plain,
        }
    }

    /// How many shadow files there are.
    pub fn shadows(&self) -> usize {
        self.shared().len() - 1
    }

    fn shared(&self) -> RwLockReadGuard<'_, Vec<Layer>> {
        self.files.stack.read().expect(HELD)
    }

    fn alone(&self) -> RwLockWriteGuard<'_, Vec<Layer>> {
        self.files.stack.write().expect(HELD)
    }

    fn note_write(&self) {
        self.files.dirty.store(true, Ordering::Release);
    }

    fn may_write(&self) -> Result<(), MediaError> {
        if self.options.read_only { Err(MediaError::ReadOnly) } else { Ok(()) }
    }

    fn recall(&self, unit: u32) -> Option<Unit> {
        self.files.recent().find(unit)
    }

    /// As [`Image::recall`], by a guest that reads: what it may want next is brought nearer.
    fn recall_to_read(&self, unit: u32) -> Option<Unit> {
        let (found, wish) = self.files.recent().read(unit, self.kind);
        if let Some(wish) = wish.filter(|_| self.files.ahead) {
            ahead::ask(&self.files, wish);
        }
        match found {
            None if self.files.wait_for_staging(unit) => self.recall(unit),
            found => found,
        }
    }

    fn remember(&self, unit: u32, data: Unit) {
        self.files.recent().put(unit, data);
    }

    fn forget(&self, unit: u32) {
        let mut recent = self.files.recent();
        recent.remove(unit);
        recent.places.forget(unit);
    }

    /// Writes a unit. It stays uncompressed for now if a sync will compress it later, and if not too many wait for
    /// that.
    fn store(&self, stack: &mut [Layer], unit: u32, new: &[u8], old: Option<&[u8]>) -> Result<(), MediaError> {
        if let Some(written) = self.files.merging.lock().expect(HELD).as_mut() {
            written.insert(unit);
        }
        let mut loose = self.files.loose.lock().expect(HELD);
        let watched = self.options.policy == Policy::Safe;
        if watched && (loose.len() < LOOSE || loose.contains_key(&unit)) {
            if top(stack).write_quickly(unit, new, old)? {
                loose.insert(unit, self.files.round.load(Ordering::Relaxed));
            }
            return Ok(());
        }
        top(stack).write(unit, new, old)
    }

    /// Writes a track; `old` may be what is there now.
    fn replace(
        &self,
        stack: &mut [Layer],
        unit: u32,
        new: Cow<'_, Track>,
        old: Option<&Track>,
    ) -> Result<(), MediaError> {
        self.note_write();
        match self.store(stack, unit, new.image(), old.map(Track::image)) {
            Ok(()) => {
                self.learn(stack, unit, &new);
                self.remember(unit, Unit::Track(Arc::new(new.into_owned())));
                Ok(())
            }
            Err(error) => {
                self.forget(unit);
                Err(error)
            }
        }
    }

    /// A group of blocks, from the newest file that has it.
    fn group(&self, stack: &[Layer], unit: u32) -> Result<Arc<Vec<u8>>, MediaError> {
        if let Some(Unit::Group(found)) = self.recall_to_read(unit) {
            return Ok(found);
        }
        let found = Arc::new(read_unit(stack, unit)?);
        self.remember(unit, Unit::Group(found.clone()));
        Ok(found)
    }

    /// Moves what is at the end of a compressed file to free space before it, and gives the rest back to the host.
    /// Guests go on meanwhile. Returns the bytes given back.
    pub fn compact(&self, progress: Progress<'_>) -> Result<u64, ImageError> {
        self.may_write()?;
        let mut before = None;
        let file = top(&mut self.alone()).hosts()[0].clone();
        // Each pass frees the places that the next one fills.
        for _ in 0..4 {
            let owners = match top(&mut self.alone()).packed() {
                None => return Ok(0),
                Some(packed) => {
                    before.get_or_insert(packed.sizes().0);
                    packed.owners()
                }
            };
            let mut moved = 0;
            for (n, some) in owners.chunks(64).enumerate() {
                {
                    let mut stack = self.alone();
                    let packed = same_top(&mut stack, &file)?;
                    for (_, owner) in some {
                        moved += usize::from(packed.move_down(*owner)?);
                    }
                    self.note_write();
                }
                self.files.sync()?;
                if !progress((n * 64) as u64, owners.len() as u64) {
                    return Err(ImageError::Interrupted);
                }
            }
            if moved == 0 {
                break;
            }
        }
        let mut stack = self.alone();
        let packed = same_top(&mut stack, &file)?;
        packed.close()?;
        Ok(before.unwrap_or(0).saturating_sub(packed.sizes().0))
    }

    /// Something about each file, for `check` and `list`.
    pub(crate) fn with_layers<T>(&self, look: impl FnOnce(&mut [Layer]) -> T) -> T {
        look(&mut self.alone())
    }
}

/// A thread's turn to bring units into storage. Other threads that want one of them wait until it ends, however it
/// does.
struct Turn<'a> {
    files: &'a Files,
    units: Range<u32>,
}

impl<'a> Turn<'a> {
    fn new(files: &'a Files, units: Range<u32>) -> Turn<'a> {
        files.staging.lock().expect(HELD).push(units.clone());
        Turn { files, units }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.files.staging.lock().expect(HELD).retain(|other| *other != self.units);
        self.files.staged.notify_all();
    }
}

impl Files {
    fn new(stack: Vec<Layer>, ahead: bool) -> Files {
        Files {
            kind: stack[0].kind(),
            stack: RwLock::new(stack),
            recent: Mutex::default(),
            staging: Mutex::default(),
            staged: Condvar::new(),
            once: Mutex::default(),
            ahead,
            dirty: AtomicBool::default(),
            syncing: Mutex::default(),
            loose: Mutex::default(),
            round: AtomicU64::default(),
            merging: Mutex::default(),
            failed: Mutex::default(),
        }
    }

    fn recent(&self) -> MutexGuard<'_, Recent> {
        self.recent.lock().expect(HELD)
    }

    /// Brings units into storage, up to the first that cannot be read, or the end of the image.
    pub(crate) fn stage(&self, units: Range<u32>, room: &mut Room) {
        let mut rest = units;
        let missing = |units: &Range<u32>| {
            let recent = self.recent();
            units.clone().find(|&unit| !recent.has(unit))
        };
        while let Some(first) = missing(&rest) {
            // Held until the units are remembered, so that no write comes between.
            let stack = self.stack.read().expect(HELD);
            let some = match stack.as_slice() {
                [] => return,
                [Layer::Ckd(ckd)] => ckd.run(first..rest.end),
                _ => first..first + 1,
            };
            rest.start = some.end;
            let turn = Turn::new(self, some);
            if self.stage_some(&stack, &turn.units, room).is_err() {
                return;
            }
        }
    }

    fn stage_some(&self, stack: &[Layer], units: &Range<u32>, room: &mut Room) -> Result<(), MediaError> {
        let put = |unit, bytes| {
            let staged = match self.kind {
                Kind::Ckd { .. } => Unit::Track(Arc::new(parsed(self.kind, unit, bytes)?)),
                Kind::Fba { .. } => Unit::Group(Arc::new(bytes)),
            };
            self.recent().put(unit, staged);
            Ok(())
        };
        match stack {
            [Layer::Ckd(ckd)] if units.len() > 1 => {
                let keep = self.once.lock().expect(HELD).again(units);
                let mut tracks = units.clone().zip(ckd.read_run(units, keep, room)?);
                tracks.try_for_each(|(unit, track)| put(unit, track?.to_vec()))
            }
            _ => units.clone().try_for_each(|unit| put(unit, read_unit(stack, unit)?)),
        }
    }

    /// Whether what is staged is read past the host's storage.
    pub(crate) fn reads_past(&self) -> bool {
        // The calling thread may have the lock already. While another thread writes, the answer does not matter much.
        match self.stack.try_read().as_ref().map(|stack| stack.as_slice()) {
            Ok([Layer::Ckd(ckd)]) => ckd.reads_past(),
            _ => false,
        }
    }

    /// Returns when no thread is bringing this unit into storage, and whether one was. Such a thread has all the locks
    /// it takes.
    fn wait_for_staging(&self, unit: u32) -> bool {
        let busy = |staging: &mut Vec<Range<u32>>| staging.iter().any(|units| units.contains(&unit));
        let mut staging = self.staging.lock().expect(HELD);
        let waits = busy(&mut staging);
        drop(self.staged.wait_while(staging, busy).expect(HELD));
        waits
    }

    /// Tells the host that these units will be read soon.
    pub(crate) fn will_need(&self, units: Range<u32>) {
        let stack = self.stack.read().expect(HELD);
        let units = units.start..units.end.min(unit::count(self.kind));
        let newest = |unit| stack.iter().rposition(|layer| layer.has(unit));
        for (layer, file) in stack.iter().enumerate() {
            let here: Vec<u32> = units.clone().filter(|&unit| newest(unit) == Some(layer)).collect();
            file.will_need(&here);
        }
    }

    /// Brings what was written to the host's medium, for [`Policy::Safe`].
    pub(crate) fn settle(&self) {
        let round = self.round.fetch_add(1, Ordering::Relaxed);
        self.tighten(|written| written < round);
        if let Err(error) = self.sync() {
            *self.failed.lock().expect(HELD) = Some(error);
        }
    }

    /// Compresses what was written without that in rounds that are `due`. What cannot be stays as it is, which is no
    /// loss.
    fn tighten(&self, due: impl Fn(u64) -> bool) {
        let units: Vec<u32> = {
            let loose = self.loose.lock().expect(HELD);
            loose.iter().filter(|(_, written)| due(**written)).map(|(&unit, _)| unit).collect()
        };
        for unit in units {
            // One at a time: guests go on between them.
            let mut stack = self.stack.write().expect(HELD);
            if !self.loose.lock().expect(HELD).remove(&unit).is_some_and(&due) || stack.is_empty() {
                continue;
            }
            // After a snapshot it is in the file below, which is not written.
            let Some(packed) = top(&mut stack).packed() else { continue };
            if matches!(packed.place(unit), packed::Place::At(_))
                && let Ok(Some(bytes)) = packed.read(unit)
                && packed.write(unit, &bytes).is_ok()
            {
                self.dirty.store(true, Ordering::Release);
            }
        }
    }

    fn sync(&self) -> Result<(), MediaError> {
        let _one = self.syncing.lock().expect(HELD);
        if !self.dirty.swap(false, Ordering::AcqRel) {
            return Ok(());
        }
        // Guests go on while the host writes: what they free meanwhile waits for the next time.
        let (hosts, waiting, files) = {
            let mut stack = self.stack.write().expect(HELD);
            let files = stack.len();
            if files == 0 {
                return Ok(());
            }
            let top = top(&mut stack);
            (top.to_sync(), top.packed().map_or(0, |packed| packed.waiting()), files)
        };
        if let Err(error) = hosts.iter().try_for_each(|host| host.sync()) {
            self.dirty.store(true, Ordering::Release);
            return Err(error);
        }
        let mut stack = self.stack.write().expect(HELD);
        if stack.len() == files
            && let Some(packed) = top(&mut stack).packed()
        {
            packed.settle(waiting);
        }
        Ok(())
    }
}

/// The newest file, which nothing lies over: what is missing of the disk if it says otherwise. That may be read, and
/// written if it is given up.
fn uncovered(top: &mut Layer, next: &Path, options: &Options) -> Result<Option<String>, ImageError> {
    let lost = chain::lost(top, next);
    match (&lost, options.read_only) {
        (Some(why), false) if !options.give_up => {
            return Err(ImageError::Damaged { path: top.hosts()[0].path().into(), why: why.clone() });
        }
        (_, false) if top.covered().is_some_and(|covered| covered != 0) => top.set_covered(0)?,
        _ => {}
    }
    Ok(lost)
}

fn top(stack: &mut [Layer]) -> &mut Layer {
    stack.last_mut().expect("an image has a file")
}

/// The newest file of an image, if it is still the compressed one in `file`: no snapshot was made or merged meanwhile.
fn same_top<'a>(stack: &'a mut [Layer], file: &Arc<HostFile>) -> Result<&'a mut Packed, ImageError> {
    top(stack).packed().filter(|packed| Arc::ptr_eq(packed.host(), file)).ok_or(ImageError::Interrupted)
}

/// Shadow file `number` of the image in `base`.
pub fn shadow_path(base: &Path, options: &Options, number: usize) -> PathBuf {
    let template = options.shadows.as_deref().unwrap_or(base);
    let name = template.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, tail) = name.split_at(name.rfind('.').filter(|at| *at > 0).unwrap_or(name.len()));
    let stem = match &options.shadows {
        Some(_) => stem.strip_suffix(|_: char| true).unwrap_or(stem).to_string(),
        None => format!("{stem}_s"),
    };
    template.with_file_name(format!("{stem}{number}{tail}"))
}

impl Volume for Image {
    fn kind(&self) -> Kind {
        self.kind
    }

    fn read_only(&self) -> bool {
        self.options.read_only
    }

    fn policy(&self) -> Option<Policy> {
        Some(self.options.policy)
    }

    fn read_track(&self, track: u32) -> Result<Arc<Track>, MediaError> {
        self.kind.home(track)?;
        if let Some(Unit::Track(found)) = self.recall_to_read(track) {
            return Ok(found);
        }
        // Held until the track is remembered, so that no write comes between.
        let stack = self.shared();
        let image = read_unit(&stack, track)?;
        let found = parsed(self.kind, track, image)?;
        let found = Arc::new(found);
        self.learn(&stack, track, &found);
        self.remember(track, Unit::Track(found.clone()));
        Ok(found)
    }

    fn spot(&self, track: u32, id: [u8; 5]) -> Option<Spot> {
        self.place(track, id)
    }

    fn read_spot(&self, track: u32, spot: Spot) -> Result<Option<Vec<u8>>, MediaError> {
        self.read_place(track, spot)
    }

    fn write_spot(&self, track: u32, spot: Spot, data: &[u8]) -> Result<bool, MediaError> {
        self.write_place(track, spot, data)
    }

    fn write_track(&self, track: u32, new: &Track) -> Result<(), MediaError> {
        let new = self.kind.fitting(track, new)?;
        self.may_write()?;
        let mut stack = self.alone();
        let old = match self.recall(track) {
            Some(Unit::Track(old)) => Some(old),
            _ => None,
        };
        self.replace(&mut stack, track, new, old.as_deref())
    }

    fn update_track(&self, track: u32, change: Change<'_>) -> Result<(), MediaError> {
        self.kind.home(track)?;
        self.may_write()?;
        let mut stack = self.alone();
        let old = match self.recall(track) {
            Some(Unit::Track(old)) => old,
            _ => Arc::new(parsed(self.kind, track, read_unit(&stack, track)?)?),
        };
        let mut new = Track::clone(&old);
        if !change(&mut new) {
            return Ok(());
        }
        self.replace(&mut stack, track, self.kind.fitting(track, &new)?, Some(&old))
    }

    fn read_blocks(&self, block: u64, to: &mut [u8]) -> Result<(), MediaError> {
        self.kind.inside(block, to.len())?;
        let stack = self.shared();
        if let [Layer::Fba(flat)] = stack.as_slice() {
            return flat.read(block * Kind::BLOCK as u64, to);
        }
        let mut at = 0;
        for (unit, from, length) in pieces(block, to.len()) {
            to[at..at + length].copy_from_slice(&self.group(&stack, unit)?[from..from + length]);
            at += length;
        }
        Ok(())
    }

    fn write_blocks(&self, block: u64, from: &[u8]) -> Result<(), MediaError> {
        self.kind.inside(block, from.len())?;
        self.may_write()?;
        let mut stack = self.alone();
        self.note_write();
        if let [Layer::Fba(flat)] = stack.as_mut_slice() {
            return flat.write(block * Kind::BLOCK as u64, from);
        }
        let mut at = 0;
        for (unit, start, length) in pieces(block, from.len()) {
            let mut group = match length {
                GROUP_BYTES => vec![0; GROUP_BYTES],
                _ => self.group(&stack, unit)?.to_vec(),
            };
            group[start..start + length].copy_from_slice(&from[at..at + length]);
            at += length;
            if let Err(error) = self.store(&mut stack, unit, &group, None) {
                self.forget(unit);
                return Err(error);
            }
            self.remember(unit, Unit::Group(Arc::new(group)));
        }
        Ok(())
    }

    fn snapshots(&self) -> usize {
        self.shadows()
    }

    fn snapshot(&self) -> Result<PathBuf, ImageError> {
        self.put_shadow()
    }

    fn merge_snapshot(&self) -> Result<(), ImageError> {
        self.merge(&mut |_, _| true)
    }

    fn discard_snapshot(&self) -> Result<(), ImageError> {
        self.discard()
    }

    fn flush(&self) -> Result<(), MediaError> {
        let failed = self.files.failed.lock().expect(HELD).take();
        self.files.sync()?;
        failed.map_or(Ok(()), Err)
    }

    fn close(&self) -> Result<(), MediaError> {
        self.files.tighten(|_| true);
        let flushed = self.flush();
        // A sync that is under way ends first: it reads the tables.
        let _one = self.files.syncing.lock().expect(HELD);
        self.alone().iter_mut().try_for_each(Layer::close).and(flushed)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.files.tighten(|_| true);
        // No caller is left to get an error; the data is with the host already.
        let _ = self.files.sync();
        // A sync that is under way ends first; then nothing holds the files.
        let _one = self.files.syncing.lock().expect(HELD);
        self.alone().clear();
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

/// The pieces of groups that `length` bytes from block `block` on are: group, where in it, how many bytes.
fn pieces(block: u64, length: usize) -> impl Iterator<Item = (u32, usize, usize)> {
    let mut at = block * Kind::BLOCK as u64;
    let end = at + length as u64;
    std::iter::from_fn(move || {
        let (unit, from) = ((at / GROUP_BYTES as u64) as u32, (at % GROUP_BYTES as u64) as usize);
        let length = (GROUP_BYTES - from).min((end - at) as usize);
        at += length as u64;
        (length > 0).then_some((unit, from, length))
    })
}

#[cfg(test)]
mod tests;
