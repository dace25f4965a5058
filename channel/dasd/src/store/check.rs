//! Checking images, and making damaged ones whole.

use crate::format::unit::{self, checked};
use crate::image::layer::Layer;
use crate::image::layer::packed::Place;
use crate::image::layer::plain::{self, Mended};
use crate::image::{Image, Options};
use crate::progress::{Progress, went_on};
use crate::store::copy::{Anew, Lose};
use crate::{ImageError, Kind, MediaError};
use std::path::{Path, PathBuf};

/// What was found in one file of an image.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileReport {
    /// Where the file is.
    pub path: PathBuf,
    /// The format's name: ckd, cckd, cckd64, fba, cfba, cfba64; then "shadow" if it is one.
    pub format: &'static str,
    /// Whether it is a shadow file, which holds what has changed since a snapshot.
    pub shadow: bool,
    /// Bytes of the file, and of the free spaces in it.
    pub size: u64,
    /// Bytes of the free spaces in the file.
    pub free: u64,
    /// Units (tracks, groups of 120 blocks) that are stored, and that are known to be empty.
    pub stored: u32,
    /// Units that are known to be empty.
    pub null: u32,
    /// The program that wrote it last did not close it. Nothing is lost by that.
    pub left_open: bool,
    /// What is wrong with the file as a whole.
    pub problems: Vec<String>,
    /// Units that cannot be trusted, with the reason.
    pub damaged: Vec<(u32, String)>,
    /// Units that another program has written since, or something else has changed. The next program that opens the
    /// disk to write takes them as they are.
    pub changed: Vec<u32>,
}

impl FileReport {
    fn is_plain(&self) -> bool {
        ["ckd", "fba"].contains(&self.format)
    }

    fn clean(&self) -> bool {
        self.problems.is_empty() && self.damaged.is_empty() && self.changed.is_empty()
    }
}

/// What was found in an image, the base first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// What kind of disk the image is, and how large.
    pub kind: Kind,
    /// What was found in each of its files, the base first.
    pub files: Vec<FileReport>,
    /// The newest shadow file is gone: what there is to do about that.
    pub lost: Option<String>,
}

impl Report {
    /// Nothing is wrong.
    pub fn clean(&self) -> bool {
        self.lost.is_none() && self.files.iter().all(FileReport::clean)
    }
}

/// Looks at the image in `path` with its shadow files. `units`: every track and group is read, not only the tables.
pub fn check(path: &Path, options: &Options, units: bool, progress: Progress<'_>) -> Result<Report, ImageError> {
    let only_read = || Image::open(path, Options { read_only: true, ..options.clone() });
    let image = match only_read() {
        // A write that was in flight when a process was killed is finished first; that is no damage.
        Err(ImageError::Damaged { .. }) => {
            drop(Image::open(path, options.clone()));
            only_read()
        }
        opened => opened,
    }?;
    let lost = image.lost().map(str::to_string);
    image.with_layers(|layers| {
        let each = u64::from(unit::count(layers[0].kind()));
        let all = each * layers.len() as u64;
        let mut files = Vec::new();
        for (n, layer) in layers.iter_mut().enumerate() {
            let mut file = survey(layer);
            let kind = layer.kind();
            let alien = layer.sums().iter().any(|sums| sums.alien());
            for unit in (0..unit::count(kind)).filter(|_| units) {
                match layer.read(unit).and_then(|bytes| checked(kind, unit, bytes)) {
                    Ok(_) if alien && !layer.is_ours(unit)? => file.changed.push(unit),
                    Ok(_) => {}
                    Err(MediaError::Damaged(why)) => file.damaged.push((unit, why)),
                    Err(error) => return Err(error.into()),
                }
                went_on(progress, n as u64 * each + u64::from(unit) + 1, all)?;
            }
            files.push(file);
        }
        Ok(Report { kind: image_kind(layers), files, lost })
    })
}

fn image_kind(layers: &[Layer]) -> Kind {
    layers[0].kind()
}

/// What there is to say of a file without reading its units.
fn survey(layer: &mut Layer) -> FileReport {
    let kind = layer.kind();
    let units = unit::count(kind);
    let host = &layer.hosts()[0];
    let size = layer.hosts().iter().map(|host| host.len().unwrap_or(0)).sum();
    let mut report = FileReport {
        path: host.path().to_path_buf(),
        format: format_name(layer),
        shadow: false,
        size,
        free: 0,
        stored: units,
        null: 0,
        left_open: false,
        problems: Vec::new(),
        damaged: Vec::new(),
        changed: Vec::new(),
    };
    report.problems.extend(layer.sums().iter().filter_map(|sums| sums.broken()).map(str::to_string));
    if let Some(packed) = layer.packed() {
        let count = |wanted: fn(Place) -> bool| (0..units).filter(|unit| wanted(packed.place(*unit))).count() as u32;
        report.stored = count(|place| matches!(place, Place::At(_)));
        report.null = count(|place| matches!(place, Place::Null(_)));
        report.free = packed.sizes().1;
        report.shadow = packed.shadow;
        report.left_open = packed.left_open();
        report.problems = packed.problems.clone();
    }
    report
}

/// The format's name, as the tools take it.
fn format_name(layer: &mut Layer) -> &'static str {
    match (&layer, layer.kind()) {
        (Layer::Packed(packed), Kind::Ckd { .. }) => {
            if packed.style().wide {
                "cckd64"
            } else {
                "cckd"
            }
        }
        (Layer::Packed(packed), Kind::Fba { .. }) => {
            if packed.style().wide {
                "cfba64"
            } else {
                "cfba"
            }
        }
        (Layer::Ckd(_), _) => "ckd",
        (Layer::Fba(_), _) => "fba",
    }
}

/// Makes a damaged image whole: compressed files are written anew from what can be read, and the old file is kept as
/// `NAME.damaged`. In plain files, tracks that have no structure become empty ones; what differs from its check sum
/// only is taken as it is. Nothing is changed before all that takes long is done. Returns what had to be given up
/// (`damaged`) and what was taken (`changed`), by file.
pub fn repair(path: &Path, options: &Options, progress: Progress<'_>) -> Result<Report, ImageError> {
    let mut lost = Vec::new();
    let mut report = loop {
        match check(path, options, true, progress) {
            Err(ImageError::Cut { path, wanted, .. }) => {
                lost.push((plain::lengthen(&path, wanted, progress)?, path));
            }
            checked => break checked?,
        }
    };
    // What is gone cannot be made again, and it is not for a repair to give it up.
    if let Some(why) = report.lost {
        return Err(ImageError::Damaged { path: path.into(), why });
    }
    let mut anew = Vec::new();
    for file in report.files.iter_mut().filter(|file| !file.clean() && !file.is_plain()) {
        let mut lost = Vec::new();
        let lose: Lose<'_> = &mut |unit, error| lost.push((unit, error.to_string()));
        anew.push((file.path.with_added_extension("damaged"), Anew::write(&file.path, Some(lose), progress)?));
        file.damaged = lost;
    }
    for file in report.files.iter_mut().filter(|file| !file.clean() && file.is_plain()) {
        mend_plain(file, options)?;
    }
    for (units, path) in lost {
        let what = if report.kind.blocks() > 0 { "group of 120 blocks" } else { "track" };
        let why = |unit| (unit, format!("{what} {unit} was missing: the file was cut"));
        let of = report.files.iter_mut().find(|file| file.path == path);
        of.into_iter().for_each(|file| file.damaged.extend(units.iter().map(|unit| why(*unit))));
    }
    anew.into_iter().try_for_each(|(kept, anew)| anew.finish(Some(&kept)))?;
    Ok(report)
}

fn mend_plain(file: &mut FileReport, options: &Options) -> Result<(), ImageError> {
    // That it is opened is all that is wanted of units that another program has written.
    let mut layer = Layer::open(&file.path, options, false)?;
    for (unit, why) in std::mem::take(&mut file.damaged) {
        match layer.mend(unit)? {
            Mended::Taken => file.changed.push(unit),
            Mended::Lost => file.damaged.push((unit, why)),
        }
    }
    Ok(layer.close()?)
}
