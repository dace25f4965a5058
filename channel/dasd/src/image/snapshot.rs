//! Snapshots of an image, also of one that guests use. A new shadow file on top keeps everything below as it was, until
//! it is merged into the file below or thrown away.
//!
//! A snapshot comes between two writes of units. So it has every write that was acknowledged before it and none that
//! began after it. A disk would be so if the power had failed then. The shadow file appears under its name as a whole
//! or not at all.
//!
//! A merge copies the shadow's units into the file below, some at a time. Meanwhile reads look into the shadow first
//! and writes go to it as ever; what was written is copied again. Whenever the process ends on the way, the shadow
//! still has all of its units, which hide what lies below. The merge may be repeated. The shadow goes when the file
//! below has everything on the host's medium. From the first unit on, the files below are no more what the disk was at
//! the snapshot. The file NAME.merging beside the shadow says so, and a request for that is refused.

use super::chain::{self, mark, refused, unmark};
use super::draft::{Draft, Existing, unfinished};
use super::files::{Files, top};
use super::layer::Layer;
use super::layer::packed::{Packed, Style};
use super::options::{Options, SHADOWS, shadow_path};
use super::recent::Recent;
use crate::error::ImageError;
use crate::format::unit;
use crate::host::{HostFile, sync_folder};
use crate::progress::Progress;
use base::Held;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Units that are merged at a time; guests go on between two such runs.
const RUN: usize = 16;
/// How often what was written meanwhile is merged while guests go on. What is written after that is merged while they
/// wait.
const PASSES: usize = 8;

impl Files {
    /// Makes a snapshot: from now on writes go to a new shadow file, and the files below stay as they are. Guests go
    /// on.
    pub(super) fn put_shadow(&self) -> Result<PathBuf, ImageError> {
        self.may_write()?;
        let _one = self.syncing.lock().held();
        let mut stack = self.alone();
        self.not_merging()?;
        let number = stack.len();
        if number > SHADOWS {
            return Err(ImageError::Host(format!("{} has {SHADOWS} shadow files already", self.path.display())));
        }
        let path = self.name_of(number);
        if chain::shadows(&self.path, &self.options)?.len() + 1 != number {
            return Err(ImageError::Host(format!("{} is there already", path.display())));
        }
        let below = chain::number();
        let style = match top(&mut stack).packed() {
            Some(packed) => Style { shadow: true, below, covered: 0, ..packed.style() },
            // Every track of a large plain volume may come into the shadow, uncompressed.
            None => {
                let wide = self.kind.tracks() > 60_000 || self.kind.blocks() > 1 << 22;
                Style { wide, below, ..Style::shadow(self.kind) }
            }
        };
        // It appears under its name as a whole or not at all.
        let (draft, host) = Draft::begin(&path, Existing::Refuse)?;
        Packed::format(&host, self.kind, style)?;
        host.sync()?;
        drop(host);
        // A NAME.merging that a killed merge left when its shadow file was gone is not about this one.
        unmark(&path)?;
        let finished = cover(top(&mut stack), below).and_then(|()| draft.finish(None));
        if finished.is_err() && !path.exists() {
            let _ = top(&mut stack).set_covered(0);
        }
        finished?;
        let layer = Layer::open(&path, &self.options, true)?;
        // Everything below may be read by others now. That it may not is no reason to fail.
        let _ = top(&mut stack).hosts().iter().try_for_each(|host| host.share());
        stack.push(layer);
        // A fixed-block file alone is read and written past what is kept of groups: that may be old.
        *self.recent() = Recent::default();
        Ok(path)
    }

    /// Merges the newest shadow file into the file below, and takes it away. Guests go on meanwhile.
    pub(super) fn merge(&self, progress: Progress<'_>) -> Result<(), ImageError> {
        let number = {
            let mut stack = self.begin_unshadow()?;
            let number = stack.len() - 1;
            self.reopen(&mut stack, number - 1, true)?;
            if let Err(error) = mark(&self.name_of(number)) {
                self.reopen(&mut stack, number - 1, false)?;
                return Err(error);
            }
            *self.merging.lock().held() = Some(BTreeSet::new());
            number
        };
        let merged = self.merge_all(number, progress).and_then(|()| self.end_merge(number));
        if merged.is_err() {
            let mut stack = self.alone();
            *self.merging.lock().held() = None;
            // The shadow file is still on top: the one below is not written.
            if stack.len() == number + 1 {
                self.reopen(&mut stack, number - 1, false)?;
            }
        }
        merged
    }

    /// Throws the newest shadow file away: the disk is as it was at the last snapshot. It must not be in use.
    pub(super) fn discard(&self) -> Result<(), ImageError> {
        let _one = self.syncing.lock().held();
        let mut stack = self.begin_unshadow()?;
        let number = stack.len() - 1;
        refused(&self.name_of(number))?;
        self.reopen(&mut stack, number - 1, true)?;
        // Under this name it is no part of the disk any more, whenever this process ends.
        let (path, gone) = (self.name_of(number), unfinished(&self.name_of(number)));
        std::fs::rename(&path, &gone).map_err(|error| ImageError::Host(format!("{}: {error}", path.display())))?;
        self.drop_shadow(&mut stack, &gone)?;
        *self.recent() = Recent::default();
        Ok(())
    }

    /// The stack, of which the newest shadow file may be taken away.
    fn begin_unshadow(&self) -> Result<std::sync::RwLockWriteGuard<'_, Vec<Layer>>, ImageError> {
        self.may_write()?;
        let stack = self.alone();
        self.not_merging()?;
        if stack.len() < 2 {
            return Err(ImageError::Host(format!("{} has no shadow file", self.path.display())));
        }
        Ok(stack)
    }

    fn not_merging(&self) -> Result<(), ImageError> {
        match *self.merging.lock().held() {
            None => Ok(()),
            Some(_) => Err(ImageError::Host(format!("{} is being merged", self.path.display()))),
        }
    }

    /// The host file of layer `number`.
    fn name_of(&self, number: usize) -> PathBuf {
        if number == 0 { self.path.clone() } else { shadow_path(&self.path, &self.options, number) }
    }

    /// Opens a file of the stack again, to be written or only read. If it may not be written, that is an error, and it
    /// is read as before.
    fn reopen(&self, stack: &mut Vec<Layer>, number: usize, write: bool) -> Result<(), ImageError> {
        let name = self.name_of(number);
        let open = |write: bool| Layer::open(&name, &Options { read_only: !write, ..self.options.clone() }, number > 0);
        // Only this process may write it from now on. Other readers must close it first, and so must the handle that
        // was there.
        drop(stack.remove(number));
        let (layer, refused) = match open(write) {
            Ok(layer) if write && !layer.writable() => {
                (Ok(layer), Some(ImageError::Host(format!("{} may only be read", name.display()))))
            }
            Ok(layer) => (Ok(layer), None),
            Err(error) => (open(false), Some(error)),
        };
        match layer {
            Ok(layer) => {
                stack.insert(number, layer);
                refused.map_or(Ok(()), Err)
            }
            // Without it, what lies below it is no longer what the disk has there: that is not to be served.
            Err(error) => {
                drop(stack.drain(..number));
                Err(error)
            }
        }
    }

    /// Copies all units of the shadow file to the file below, and those again that are written meanwhile, until there
    /// are few.
    fn merge_all(&self, number: usize, progress: Progress<'_>) -> Result<(), ImageError> {
        let units = unit::count(self.kind);
        let all: Vec<u32> = (0..units).collect();
        for run in all.chunks(RUN) {
            self.merge_run(number, run)?;
            if !progress(run[0].into(), units.into()) {
                return Err(ImageError::Interrupted);
            }
        }
        for _ in 0..PASSES {
            // Most of it is on the medium before other threads have to wait for that.
            self.hosts_below(number)?.iter().try_for_each(|host| host.sync())?;
            let again = self.merging.lock().held().as_mut().map(std::mem::take).unwrap_or_default();
            let again: Vec<u32> = again.into_iter().collect();
            again.chunks(RUN).try_for_each(|run| self.merge_run(number, run))?;
            if again.len() <= RUN {
                break;
            }
        }
        Ok(())
    }

    fn merge_run(&self, number: usize, units: &[u32]) -> Result<(), ImageError> {
        let mut stack = self.alone();
        let (upper, lower) = pair(&mut stack, number)?;
        units.iter().try_for_each(|&unit| merge_unit(upper, lower, unit))
    }

    fn hosts_below(&self, number: usize) -> Result<Vec<Arc<HostFile>>, ImageError> {
        Ok(pair(&mut self.alone(), number)?.1.to_sync())
    }

    /// What was written since the last pass, and the end of the shadow file.
    fn end_merge(&self, number: usize) -> Result<(), ImageError> {
        let _one = self.syncing.lock().held();
        let mut stack = self.alone();
        let (upper, lower) = pair(&mut stack, number)?;
        let rest = self.merging.lock().held().as_mut().map(std::mem::take).unwrap_or_default();
        rest.into_iter().try_for_each(|unit| merge_unit(upper, lower, unit))?;
        lower.to_sync().iter().try_for_each(|host| host.sync())?;
        let path = self.name_of(number);
        self.drop_shadow(&mut stack, &path)?;
        *self.merging.lock().held() = None;
        Ok(())
    }

    /// The newest shadow file is not needed any more.
    fn drop_shadow(&self, stack: &mut Vec<Layer>, file: &Path) -> Result<(), ImageError> {
        let path = top(stack).hosts()[0].path().to_path_buf();
        let remove =
            || std::fs::remove_file(file).map_err(|error| ImageError::Host(format!("{}: {error}", file.display())));
        // What is merged is in the file below; what is discarded stays until that knows of it.
        let merged = file == path;
        if merged {
            remove()?;
        }
        // Its file is gone: nothing is to be written down in it.
        if let Some(mut upper) = stack.pop()
            && let Some(packed) = upper.packed()
        {
            packed.abandon();
        }
        self.loose.lock().held().clear();
        sync_folder(&path)?;
        top(stack).set_covered(0)?;
        if !merged {
            remove()?;
        }
        unmark(&path)
    }
}

/// The file knows that a shadow file lies over it, and is as other programs expect it.
fn cover(lower: &mut Layer, below: u64) -> Result<(), ImageError> {
    lower.set_covered(below)?;
    Ok(lower.close()?)
}

/// Shadow file `number` on top of the stack, and the file below it.
fn pair(stack: &mut [Layer], number: usize) -> Result<(&mut Layer, &mut Layer), ImageError> {
    match stack {
        [.., lower, upper] if number > 0 => Ok((upper, lower)),
        // The image has been closed.
        _ => Err(ImageError::Interrupted),
    }
}

fn merge_unit(upper: &Layer, lower: &mut Layer, unit: u32) -> Result<(), ImageError> {
    if upper.has(unit)
        && let Some(bytes) = upper.read(unit)?
    {
        lower.write(unit, &bytes, None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::{Outcome, Request};
    use crate::image::Image;
    use crate::model::CkdModel;
    use crate::{Count, Format, Kind, Method, Track, Volume, check, create};
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
    use support::folder::Folder;

    const TRACKS: u32 = 45;

    fn image(folder: &Folder, format: Format) -> (PathBuf, Arc<Image>) {
        let path = folder.path("vol.3390");
        create(&path, Kind::of_model(CkdModel::named("3390").unwrap(), TRACKS / 15), format).unwrap();
        let image = Image::open(&path, Options::default()).unwrap();
        (path, image)
    }

    /// A track that tells a number.
    fn numbered(track: u32, number: u64) -> Track {
        let (cylinder, head) = ((track / 15) as u16, (track % 15) as u16);
        let mut new = Track::new(cylinder, head);
        let end = new.records().last().unwrap().end();
        new.format(end, Count { cylinder, head, record: 1, key: 0, data: 8 }, &[], &number.to_be_bytes());
        new
    }

    fn number_in(image: &Image, track: u32) -> u64 {
        let found = image.read_track(track).unwrap();
        let record = found.records().nth(1);
        record.map_or(0, |record| u64::from_be_bytes(record.data.try_into().unwrap()))
    }

    /// Another thread writes 1, 2, 3 ... to the tracks in turn. Each snapshot is what the disk had at one moment, and
    /// merges lose nothing.
    fn snapshots_under_a_writer(name: &str, format: Format) {
        let folder = Folder::empty(name);
        let (path, image) = image(&folder, format);
        let (stop, written) = (AtomicBool::new(false), AtomicU64::new(0));
        std::thread::scope(|scope| {
            let (stop, written, image, path) = (&stop, &written, &image, &path);
            scope.spawn(move || {
                for n in 1.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let track = (n % u64::from(TRACKS)) as u32;
                    image.write_track(track, &numbered(track, n)).unwrap();
                    written.store(n, Ordering::Release);
                }
            });
            for round in 0..4 {
                let enough = written.load(Ordering::Acquire) + 2 * u64::from(TRACKS);
                while written.load(Ordering::Acquire) < enough {
                    std::thread::yield_now();
                }
                let before = written.load(Ordering::Acquire);
                let shadow = image.snapshot().unwrap();
                let after = written.load(Ordering::Acquire) + 1;
                // What others may read now: the last numbers there are, none left out.
                let kept = folder.path("kept.3390");
                std::fs::copy(path, &kept).unwrap();
                let kept = Image::open(&kept, Options { read_only: true, ..Options::default() }).unwrap();
                let mut numbers: Vec<u64> = (0..TRACKS).map(|track| number_in(&kept, track)).collect();
                numbers.sort();
                let last = *numbers.last().unwrap();
                assert!((before..=after).contains(&last), "{before} to {after}: {last}");
                assert_eq!(numbers, (last + 1 - u64::from(TRACKS)..=last).collect::<Vec<_>>(), "round {round}");
                image.merge(&mut |_, _| true).unwrap();
                assert!(!shadow.exists() && image.shadows() == 0);
            }
            stop.store(true, Ordering::Relaxed);
        });
        let last = written.into_inner();
        let all: Vec<u64> = (0..TRACKS).map(|track| number_in(&image, track)).collect();
        drop(image);
        let again = Image::open(&path, Options::default()).unwrap();
        assert_eq!((0..TRACKS).map(|track| number_in(&again, track)).collect::<Vec<_>>(), all);
        assert_eq!(all.iter().max(), Some(&last));
    }

    #[test]
    fn snapshots_and_merges_of_a_plain_image_in_use() {
        snapshots_under_a_writer("snapshot-plain", Format::Plain);
    }

    #[test]
    fn snapshots_and_merges_of_a_compressed_image_in_use() {
        snapshots_under_a_writer("snapshot-packed", Format::Compressed { wide: true, method: Method::Zlib });
    }

    #[test]
    fn who_reads_a_snapshot_keeps_it_from_being_merged() {
        let folder = Folder::empty("snapshot-read");
        let (path, image) = image(&folder, Format::Plain);
        image.write_track(3, &numbered(3, 1)).unwrap();
        image.snapshot().unwrap();
        image.write_track(3, &numbered(3, 2)).unwrap();
        let reader = HostFile::open(&path, false, None).unwrap();
        assert!(matches!(image.merge(&mut |_, _| true), Err(ImageError::InUse { .. })));
        image.write_track(4, &numbered(4, 5)).unwrap();
        assert_eq!((number_in(&image, 3), number_in(&image, 4), image.shadows()), (2, 5, 1));
        drop(reader);
        // Stopped on the way, nothing is lost, and it may be repeated.
        assert_eq!(image.merge(&mut |_, _| false), Err(ImageError::Interrupted));
        assert_eq!((number_in(&image, 3), image.shadows()), (2, 1));
        // What the disk was at the snapshot is in none of the files any more. Until the merge has ended, every request
        // for it is refused.
        let earlier = Options { read_only: true, snapshot: Some(1), ..Options::default() };
        for refused in [image.discard().err(), Image::open(&path, earlier).err()] {
            assert!(refused.is_some_and(|error| error.to_string().contains("vol_s1.3390 was begun")));
        }
        assert_eq!((number_in(&image, 3), image.shadows()), (2, 1));
        image.merge(&mut |_, _| true).unwrap();
        assert_eq!((number_in(&image, 3), number_in(&image, 4), image.shadows()), (2, 5, 0));
        // A process that ends between the last two steps of a merge leaves this.
        mark(&folder.path("vol_s1.3390")).unwrap();
        assert!(matches!(image.merge(&mut |_, _| true), Err(ImageError::Host(_))));
        image.snapshot().unwrap();
        image.write_track(3, &numbered(3, 9)).unwrap();
        image.discard().unwrap();
        assert_eq!((number_in(&image, 3), image.shadows()), (2, 0));
    }

    /// Tracks of which a write touches several pages of the host.
    fn filled(track: u32, fill: u8) -> Track {
        let mut new = numbered(track, 0);
        let end = new.records().last().unwrap().end();
        let count = Count { cylinder: (track / 15) as u16, head: (track % 15) as u16, record: 2, key: 0, data: 40_000 };
        new.format(end, count, &[], &[fill; 40_000]);
        new
    }

    #[test]
    fn a_merge_killed_in_a_write_to_the_file_below_is_gone_on_with() {
        let folder = Folder::empty("snapshot-killed");
        drop(image(&folder, Format::Plain));
        let path = folder.path("vol.3390");
        let killed = ["opened", "checked"].map(|name| folder.path(name));
        killed.iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        // What a process leaves that is killed between two pages: the files as they are when the host has taken some.
        let merging = Arc::new(AtomicBool::new(false));
        let faults = {
            let (merging, folder, killed) = (merging.clone(), path.parent().unwrap().to_owned(), killed.clone());
            move |request| match request {
                // The journal's own write is at its beginning.
                Request::Write { offset: offset @ 1.., length }
                    if merging.load(Ordering::Relaxed) && length > 20_000 =>
                {
                    if length < 40_000 {
                        merging.store(false, Ordering::Relaxed);
                        let files = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap());
                        for file in files.filter(|file| file.path().is_file()) {
                            for to in &killed {
                                std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
                            }
                        }
                    }
                    Outcome::Short(12_288 - offset as usize % 4096)
                }
                _ => Outcome::Pass,
            }
        };
        let image = Image::open(&path, Options { faults: Some(Arc::new(faults)), ..Options::default() }).unwrap();
        image.write_track(3, &filled(3, 1)).unwrap();
        image.snapshot().unwrap();
        image.write_track(3, &filled(3, 2)).unwrap();
        merging.store(true, Ordering::Relaxed);
        image.merge(&mut |_, _| true).unwrap();
        assert_eq!(*image.read_track(3).unwrap(), filled(3, 2));

        let [torn, checked] = killed.map(|folder| folder.join("vol.3390"));
        let read_only = Options { read_only: true, ..Options::default() };
        let refused = Image::open(&torn, read_only.clone()).err().unwrap().to_string();
        assert!(refused.ends_with("endicott dasd check finishes it"), "{refused}");
        let again = Image::open(&torn, Options::default()).unwrap();
        assert_eq!((&*again.read_track(3).unwrap(), again.shadows()), (&filled(3, 2), 1));
        again.merge(&mut |_, _| true).unwrap();
        assert_eq!((&*again.read_track(3).unwrap(), again.shadows()), (&filled(3, 2), 0));
        drop(again);
        assert!(!crate::image::layer::journal::path_of(&torn).exists());

        let report = check(&checked, &Options::default(), true, &mut |_, _| true).unwrap();
        assert!(report.clean(), "{report:?}");
        let again = Image::open(&checked, read_only).unwrap();
        assert_eq!((&*again.read_track(3).unwrap(), again.shadows()), (&filled(3, 2), 1));
    }
}
