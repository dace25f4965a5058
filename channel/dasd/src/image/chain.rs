//! Whether the files of an image belong together: none is missing, an older copy, or another disk's.
//!
//! A shadow file has only what was written since the snapshot. It belongs over the file that it was made over, as that
//! was then; over any other it makes a disk that never existed. So a snapshot has a number of its own, which both files
//! keep where other programs have zeros. It is `covered` in the file below, and `below` in the shadow file. An older
//! copy of the file below has not got it. A file that says that it is covered and lies on top has lost its shadow file,
//! with all that was written since.
//!
//! Files that other programs have made have no number, and are taken as they are, but for one that is missing between
//! two others.

use super::draft;
use super::layer::Layer;
use super::options::{Options, SHADOWS, shadow_path};
use crate::error::ImageError;
use crate::host::{HostFile, sync_folder};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// The shadow files of the image in `base`, the first one first. None of them may be missing.
pub(super) fn shadows(base: &Path, options: &Options) -> Result<Vec<PathBuf>, ImageError> {
    let all: Vec<PathBuf> = (1..=SHADOWS).map(|number| shadow_path(base, options, number)).collect();
    let there = all.iter().take_while(|path| path.exists()).count();
    if let Some(stale) = all[there..].iter().find(|path| path.exists()) {
        let missing = all[there].display();
        let why = format!("it is a shadow file over {missing}, which is not there; put that back, or move it away");
        return Err(ImageError::Damaged { path: stale.clone(), why });
    }
    Ok(all.into_iter().take(there).collect())
}

/// A number that no other snapshot has.
pub(super) fn number() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default().as_nanos() as u64 | 1
}

/// An error if `upper`, a shadow file, was made over something else than `lower`. If `lower` has no check sums that say
/// so, the notice that tells this.
pub(super) fn belongs(lower: &Layer, upper: &Layer) -> Result<Option<String>, ImageError> {
    let [below, above] = [lower, upper].map(|layer| layer.hosts()[0].path().to_path_buf());
    match (upper.below(), lower.covered()) {
        (0, _) => Ok(None),
        (wanted, Some(covered)) if covered == wanted => Ok(None),
        (_, None) => Ok(Some(format!(
            "{} has no check sums that say whether {} belongs to it",
            below.display(),
            above.display()
        ))),
        _ => {
            let what = "an older copy, or another disk's; put back what belongs together, or move the shadow file away";
            let why = format!("it was made over {} as that is not now: one of them is {what}", below.display());
            Err(ImageError::Damaged { path: above, why })
        }
    }
}

const REMEDY: &str = "put that back, or endicott dasd snapshot --discard gives it up";

/// Why `top` cannot be all of its image, if it says that `next` lies over it. If the process ended between two steps of
/// a snapshot or a merge, nothing is lost.
pub(super) fn lost(top: &Layer, next: &Path) -> Option<String> {
    let covered = top.covered().filter(|covered| *covered != 0)?;
    let unfinished = draft::unfinished(next);
    let made = || {
        HostFile::open(&unfinished, false, None).ok()?;
        let options = Options { read_only: true, ..Options::default() };
        Some(Layer::open(&unfinished, &options, true).ok()?.below() == covered)
    };
    if merge_begun(next) || made() == Some(true) {
        return None;
    }
    Some(format!("its shadow file {} is gone, with all that was written since the snapshot; {REMEDY}", next.display()))
}

/// The file that is there from the beginning of a shadow file's merge to its end.
fn mark_of(shadow: &Path) -> PathBuf {
    shadow.with_added_extension("merging")
}

/// Whether the merge of this shadow file was begun and has not ended: the file below has been written since the
/// snapshot.
pub(super) fn merge_begun(shadow: &Path) -> bool {
    mark_of(shadow).exists()
}

/// Why what a disk was at the snapshot with this shadow file cannot be had, if its merge was begun and has not ended.
pub(super) fn refused(shadow: &Path) -> Result<(), ImageError> {
    match merge_begun(shadow) {
        true => Err(ImageError::Host(format!("the merge of {} was begun, and has to be ended", shadow.display()))),
        false => Ok(()),
    }
}

/// The merge of this shadow file begins.
pub(super) fn mark(shadow: &Path) -> Result<(), ImageError> {
    let mark = mark_of(shadow);
    let fail = |error| ImageError::Host(format!("{}: {error}", mark.display()));
    std::fs::write(&mark, []).map_err(fail)?;
    Ok(sync_folder(&mark)?)
}

/// The merge of this shadow file has ended, or there is none.
pub(super) fn unmark(shadow: &Path) -> Result<(), ImageError> {
    let mark = mark_of(shadow);
    match std::fs::remove_file(&mark) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ImageError::Host(format!("{}: {error}", mark.display())))
        }
        _ => Ok(()),
    }
}
