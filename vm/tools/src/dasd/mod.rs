//! `endicott dasd`: disks in host files, made, looked at, checked, copied, and put back.
//!
//! Whatever takes long shows how far it is and may be interrupted (Ctrl-C): sources are only read, and a new file gets
//! its name when it is complete.

mod cpfmtxa;
mod import;
mod map;
pub mod minidisk;
mod picture;
pub mod show;

use crate::signals;
use clap::{Subcommand, ValueEnum};
use dasd::model::{CkdModel, FbaModel};
use dasd::{Existing, Format, Image, ImageError, Kind, Method, Report, Tracks, Volume, label};
use indicatif::ProgressBar;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What is to be done.
#[derive(Subcommand)]
pub enum Command {
    /// Makes a new disk, with a volume label and an empty VTOC if it gets a serial.
    Create {
        /// The new disk.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The model: 3390-3, 3380-K, 9345-2, 3350, 2314, 9336-20, 3370-2 ...
        #[arg(value_name = "MODEL")]
        model: String,
        /// Another number of cylinders than the model has.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        cylinders: Option<u32>,
        /// Another number of 512-byte blocks than the model has.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        blocks: Option<u64>,
        /// The volume serial, one to six characters.
        #[arg(long, value_name = "VOLSER")]
        volser: Option<String>,
        /// A 3390 whose tracks hold blocks of 4096 bytes, in Linux's compatible disk layout: as dasdfmt would leave it.
        #[arg(long, requires = "volser")]
        linux: bool,
        /// Without it: cckd, or cckd64 for disks of more than 3 GB and for fixed-block ones.
        #[arg(long, value_enum)]
        format: Option<FormatName>,
        /// What compresses it.
        #[arg(long, value_enum, default_value_t = Compression::Zlib)]
        compression: Compression,
    },
    /// Tells what disks are in files: format, model, size, serial.
    List {
        /// The disks.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Reads all of a disk and tells what is wrong with it. Exit code 1: something is.
    Check {
        /// The disk.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Look at tables and headers only, not at every track.
        #[arg(long)]
        quick: bool,
        /// Make a damaged disk whole. A compressed file is written anew and the old one kept as FILE.damaged; in a
        /// plain file, tracks that are none become empty, and those that only differ from their check sums are taken as
        /// they are.
        #[arg(long, conflicts_with = "quick")]
        repair: bool,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Writes a compressed file anew, without free space and as small as it can be made.
    Compact {
        /// The disk.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Copies a disk, with what its shadow files hold, to a new file of the same format.
    Copy {
        /// The disk.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The copy.
        #[arg(value_name = "NEW")]
        new: PathBuf,
        /// Another number of cylinders.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        cylinders: Option<u32>,
        /// Another number of 512-byte blocks.
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        blocks: Option<u64>,
        /// A file that is called NEW is replaced.
        #[arg(long)]
        replace: bool,
        /// The disk as it was at its snapshot N, also while it is in use; 1 is the first.
        #[arg(long, value_name = "N")]
        snapshot: Option<usize>,
    },
    /// Copies a disk, with what its shadow files hold, to a new file of another format.
    Convert {
        /// The disk.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The copy.
        #[arg(value_name = "NEW")]
        new: PathBuf,
        /// The other format.
        #[arg(long, value_enum)]
        to: FormatName,
        /// What compresses it.
        #[arg(long, value_enum, default_value_t = Compression::Zlib)]
        compression: Compression,
        /// A file that is called NEW is replaced.
        #[arg(long)]
        replace: bool,
        /// The disk as it was at its snapshot N, also while it is in use; 1 is the first.
        #[arg(long, value_name = "N")]
        snapshot: Option<usize>,
    },
    /// Puts a copy back: FILE becomes the disk that is in COPY, in FILE's format, all at once or not at all.
    Restore {
        /// The copy.
        #[arg(value_name = "COPY")]
        copy: PathBuf,
        /// The disk.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Keeps a disk as it is now: writes go to a new shadow file. (Of a disk that a system uses, CP's command SNAPSHOT
    /// does.)
    Snapshot {
        /// The disk.
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Instead, merge the newest shadow file into the file below.
        #[arg(long, conflicts_with = "discard")]
        merge: bool,
        /// Instead, throw the newest shadow file away: the disk is as it was at the last snapshot.
        #[arg(long)]
        discard: bool,
    },
    /// Shows what is on a disk: label, data sets, records of tracks, minidisks.
    Show(show::Options),
    /// Formats a minidisk on a volume, or moves its blocks to or from a file of the host. No system may be using
    /// the volume.
    Minidisk(minidisk::Options),
    /// Says what the cylinders of a volume that CP owns are for: paging, spooling, temporary disks, minidisks. Without
    /// options it shows that.
    Cpfmtxa(cpfmtxa::Options),
    /// Turns a Hercules configuration file into statements of SYSTEM CONFIG and USER DIRECT.
    ImportHercules {
        /// The configuration file.
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// The formats of image files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum FormatName {
    /// Every track or block in a place of its own.
    #[value(alias = "ckd", alias = "fba")]
    Plain,
    /// Compressed, up to 4 GB.
    #[value(alias = "cfba")]
    Cckd,
    /// Compressed, of any size.
    #[value(alias = "cfba64")]
    Cckd64,
}

/// What compresses tracks and groups of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Compression {
    /// Nothing does.
    None,
    /// Deflate, as zlib has it.
    Zlib,
    /// Bzip2.
    Bzip2,
}

impl From<Compression> for Method {
    fn from(compression: Compression) -> Method {
        match compression {
            Compression::None => Method::None,
            Compression::Zlib => Method::Zlib,
            Compression::Bzip2 => Method::Bzip2,
        }
    }
}

impl FormatName {
    fn with(self, compression: Compression) -> Format {
        let method = compression.into();
        match self {
            FormatName::Plain => Format::Plain,
            FormatName::Cckd => Format::Compressed { wide: false, method },
            FormatName::Cckd64 => Format::Compressed { wide: true, method },
        }
    }
}

/// Does it; `false`: a check found something.
pub fn dasd(command: &Command) -> Result<bool, String> {
    let done = match command {
        Command::Create { file, model, cylinders, blocks, volser, linux, format, compression } => {
            let kind = kind_of(model, *cylinders, *blocks)?;
            let tracks = match (linux, kind) {
                (false, _) => Tracks::Empty,
                (true, Kind::Ckd { device: 0x3390, .. }) => Tracks::Blocks,
                (true, _) => return Err(format!("{model}: --linux formats 3390s; Linux formats others (dasdfmt)")),
            };
            let usual = || Format::usual(kind, (*compression).into());
            let format = format.map_or_else(usual, |format| format.with(*compression));
            create(file, kind, format, tracks, volser.as_deref()).map(|made| say!("{made}"))
        }
        Command::List { files, json } => return show::list(files, *json),
        Command::Check { file, quick, repair, json } => return check(file, !quick, *repair, *json),
        Command::Compact { file } => compact(file),
        Command::Copy { file, new, cylinders, blocks, replace, snapshot } => {
            let from = source(file, *snapshot)?;
            let kind = resized(from.kind(), *cylinders, *blocks)?;
            copy(&from, new, kind, from.format(), existing(*replace))?;
            tell_of_vtoc(&from, kind);
            Ok(())
        }
        Command::Convert { file, new, to, compression, replace, snapshot } => {
            let from = source(file, *snapshot)?;
            copy(&from, new, from.kind(), to.with(*compression), existing(*replace))
        }
        Command::Restore { copy, file } => restore(copy, file),
        Command::Snapshot { file, merge, discard } => snapshot(file, *merge, *discard),
        Command::Show(options) => show::show(options),
        Command::Minidisk(options) => minidisk::minidisk(options),
        Command::Cpfmtxa(options) => cpfmtxa::cpfmtxa(options),
        Command::ImportHercules { file } => import::import(file),
    };
    done.map(|()| true)
}

fn existing(replace: bool) -> Existing {
    if replace { Existing::Replace } else { Existing::Refuse }
}

/// The disk that `model` names.
fn kind_of(model: &str, cylinders: Option<u32>, blocks: Option<u64>) -> Result<Kind, String> {
    if let Some(model) = CkdModel::named(model) {
        return resized(Kind::of_model(model, model.cylinders), cylinders, blocks);
    }
    if let Some(model) = FbaModel::named(model) {
        let kind = Kind::Fba { device: model.device, model: model.model, blocks: model.blocks };
        return resized(kind, cylinders, blocks);
    }
    let ckd = dasd::model::CKD.iter().map(|model| model.name);
    let names: Vec<_> = ckd.chain(dasd::model::FBA.iter().map(|model| model.name)).collect();
    Err(format!("{model} is not a model; there are {}", names.join(", ")))
}

/// `kind` with another size.
fn resized(kind: Kind, cylinders: Option<u32>, blocks: Option<u64>) -> Result<Kind, String> {
    match (kind, cylinders, blocks) {
        (_, None, None) => Ok(kind),
        (Kind::Ckd { device, model, heads, track, .. }, Some(cylinders), None) => {
            let most = CkdModel::most_cylinders(device);
            if cylinders > most {
                return Err(format!("a {device:04X} has at most {most} cylinders"));
            }
            // It stays the model that it was, unless that never had so many.
            let fits = |found: &&CkdModel| cylinders <= found.cylinders + found.alternates;
            let same = CkdModel::of(device, model, cylinders).filter(fits);
            let model = same.or_else(|| CkdModel::of_size(device, cylinders)).map_or(0, |model| model.model);
            Ok(Kind::Ckd { device, model, cylinders, heads, track })
        }
        (Kind::Fba { device, model, .. }, None, Some(blocks)) if blocks <= u32::MAX.into() => {
            Ok(Kind::Fba { device, model, blocks })
        }
        (Kind::Fba { .. }, None, Some(_)) => Err("a disk has at most 4294967295 blocks".into()),
        (Kind::Ckd { .. }, ..) => Err("a count-key-data disk is measured in cylinders: --cylinders".into()),
        (Kind::Fba { .. }, ..) => Err("a fixed-block disk is measured in blocks: --blocks".into()),
    }
}

/// Makes a disk, with a label if it gets a serial; the line that tells of it.
fn create(file: &Path, kind: Kind, format: Format, tracks: Tracks, volser: Option<&str>) -> Result<String, String> {
    let volser = volser.map(str::to_uppercase);
    if let Some(volser) = volser.as_deref().filter(|volser| !label::is_volser(volser)) {
        return Err(format!("\"{volser}\" is not a volume serial: one to six letters, digits and $ # @ - _"));
    }
    let watch = Watch::new("Creating");
    dasd::create_with(file, kind, format, tracks, &mut |done, of| watch.tell(done, of)).map_err(text)?;
    if let Some(volser) = &volser {
        let image = Image::open(file, dasd::Options::default()).map_err(text)?;
        label::write(&*image, volser).map_err(|error| format!("{}: {error}", file.display()))?;
        image.flush().map_err(|error| error.to_string())?;
    }
    Ok(format!(
        "{}: {}{}",
        file.display(),
        describe(kind),
        volser.map_or(String::new(), |volser| format!(", {volser}"))
    ))
}

/// Makes the usual kind of disk for a system: a compressed 3390-3 with a label.
pub fn create_usual(file: &Path, volser: &str) -> Result<String, String> {
    let kind = kind_of("3390-3", None, None)?;
    create(file, kind, Format::usual(kind, Method::Zlib), Tracks::Empty, Some(volser))
}

/// "3390-3, 3339 cylinders".
fn describe(kind: Kind) -> String {
    match kind {
        Kind::Ckd { device, model, cylinders, .. } => {
            // A disk of another size is none of the models.
            let size = |model: &&CkdModel| (0..=model.alternates).contains(&cylinders.wrapping_sub(model.cylinders));
            let found = CkdModel::of(device, model, cylinders).filter(size);
            let name = found.map_or(format!("{device:04X}"), |model| model.name.into());
            format!("{name}, {cylinders} cylinders")
        }
        Kind::Fba { device, model, blocks } => {
            let name = FbaModel::of(device, model, blocks).map_or(format!("{device:04X}"), |model| model.name.into());
            format!("{name}, {blocks} blocks")
        }
    }
}

/// The error, with its remedy if there is one.
pub fn text(error: ImageError) -> String {
    match error {
        ImageError::InUse { .. } => format!("{error}; end that first"),
        _ => error.to_string(),
    }
}

/// Opens a disk, and tells the user at this terminal what there is to tell of it.
pub fn open(file: &Path, options: dasd::Options) -> Result<Arc<Image>, ImageError> {
    let image = Image::open(file, options)?;
    image.notices().iter().for_each(|notice| complain!("endicott: {notice}"));
    Ok(image)
}

/// A disk to be read, or what it was at a snapshot.
fn source(file: &Path, snapshot: Option<usize>) -> Result<Arc<Image>, String> {
    let options = dasd::Options { read_only: true, snapshot, ..dasd::Options::default() };
    open(file, options).map_err(|error| match (error, snapshot) {
        (error @ ImageError::InUse { .. }, None) => {
            format!(
                "{error}; what it was at a snapshot can be read meanwhile: CP's command SNAPSHOT, then --snapshot N"
            )
        }
        (error, _) => error.to_string(),
    })
}

/// A bar that shows how far something is, and Ctrl-C.
struct Watch(ProgressBar);

impl Watch {
    fn new(what: &str) -> Watch {
        signals::watch();
        let bar = say::progress::bar(1, "{msg} [{wide_bar}] {percent}% {elapsed} (still {eta})");
        bar.set_message(what.to_string());
        Watch(bar)
    }

    fn tell(&self, done: u64, of: u64) -> bool {
        if done.is_multiple_of(64) || done == of {
            self.0.set_length(of);
            self.0.set_position(done);
        }
        !signals::stopped()
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn check(file: &Path, units: bool, repair: bool, json: bool) -> Result<bool, String> {
    let watch = Watch::new(if repair { "Repairing" } else { "Checking" });
    let options = dasd::Options::default();
    let progress = &mut |done, of| watch.tell(done, of);
    let report = match repair {
        true => dasd::repair(file, &options, progress),
        false => dasd::check(file, &options, units, progress),
    };
    drop(watch);
    let report = report.map_err(text)?;
    if json {
        say!("{}", show::report_json(&report));
    } else {
        tell(&report, repair);
    }
    Ok(repair || report.clean())
}

fn tell(report: &Report, repaired: bool) {
    for file in &report.files {
        let name = file.path.display();
        say!("{name}: {}, {}", describe(report.kind), file.format);
        if file.left_open {
            say!("{name}: it was not closed when it was last used; nothing is lost by that");
        }
        let name = name.to_string();
        some(&name, file.problems.iter().map(String::as_str));
        let lost = if repaired { "; it is empty now" } else { "" };
        let damaged: Vec<String> = file.damaged.iter().map(|(_, why)| format!("{why}{lost}")).collect();
        some(&name, damaged.iter().map(String::as_str));
        if let [first, rest @ ..] = &file.changed[..] {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            let what = if repaired { "taken as they are now" } else { "not what Endicott wrote there last" };
            say!("{name}: {} {first}{more}: {what}", unit_name(report.kind));
        }
    }
    if let Some(why) = &report.lost {
        let last = report.files.last().expect("an image has a file");
        return say!("{}: {why}", last.path.display());
    }
    let damaged = report.files.iter().any(|file| !file.problems.is_empty() || !file.damaged.is_empty());
    say!(
        "{}",
        match (report.clean(), damaged, repaired) {
            (true, ..) => "Nothing is wrong.",
            (_, true, true) => "The disk is whole again; what is listed above as empty was lost.",
            (_, true, false) => "endicott dasd check --repair makes the disk whole again, without what is lost.",
            (_, false, true) => "The disk is whole again.",
            (_, false, false) =>
                "If another program was to write the file, that is no damage: the next use takes it as it is.",
        }
    );
}

/// The first lines about a file, and how many more there are.
fn some<'a>(name: &str, lines: impl Iterator<Item = &'a str>) {
    const SHOWN: usize = 8;
    let lines: Vec<&str> = lines.collect();
    for line in lines.iter().take(SHOWN) {
        // Some name the file themselves.
        say!("{name}: {}", line.strip_prefix(name).and_then(|line| line.strip_prefix(": ")).unwrap_or(line));
    }
    if lines.len() > SHOWN {
        say!("{name}: and {} more, which --json lists", lines.len() - SHOWN);
    }
}

/// What the units of an image are called.
fn unit_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Ckd { .. } => "track",
        Kind::Fba { .. } => "group of 120 blocks",
    }
}

fn compact(file: &Path) -> Result<(), String> {
    let watch = Watch::new("Compacting");
    let done = dasd::rewrite(file, &mut |done, of| watch.tell(done, of));
    drop(watch);
    let (before, after) = done.map_err(text)?;
    say!("{}: {before} bytes before, {after} now", file.display());
    Ok(())
}

fn copy(from: &Image, new: &Path, kind: Kind, format: Format, existing: Existing) -> Result<(), String> {
    let watch = Watch::new("Copying");
    let done = dasd::copy(from, new, kind, format, existing, &mut |done, of| watch.tell(done, of));
    drop(watch);
    done.map_err(text)?;
    say!("{}: {}", new.display(), describe(kind));
    Ok(())
}

/// A copy of another size has the VTOC of the disk that it is a copy of.
fn tell_of_vtoc(from: &Image, kind: Kind) {
    if let (Kind::Ckd { cylinders, .. }, Ok(Some(before))) = (kind, label::cylinders(from))
        && before != cylinders
    {
        complain!(
            "endicott: its VTOC still says {before} cylinders: dasdfmt --mode=expand and fdasd, or ICKDSF REFORMAT \
             REFVTOC, make it that of {cylinders}"
        );
    }
}

fn restore(from: &Path, file: &Path) -> Result<(), String> {
    let from = source(from, None)?;
    let (format, held) = match file.exists() {
        true => {
            // Held until the new file is in its place, so that no other process uses the old one meanwhile.
            let held = Image::open(file, dasd::Options::default()).map_err(text)?;
            if held.shadows() > 0 {
                let name = file.display();
                return Err(format!("{name} has shadow files: merge or discard them first (endicott dasd snapshot)"));
            }
            (held.format(), Some(held))
        }
        false => (from.format(), None),
    };
    let done = copy(&from, file, from.kind(), format, Existing::Replace);
    drop(held);
    done
}

fn snapshot(file: &Path, merge: bool, discard: bool) -> Result<(), String> {
    let options = dasd::Options { give_up: discard, ..dasd::Options::default() };
    let image = Image::open(file, options).map_err(|error| match error {
        ImageError::InUse { .. } => {
            let what = match (merge, discard) {
                (true, _) => " MERGE",
                (_, true) => " DISCARD",
                _ => "",
            };
            format!("{error}; if that is a system, its operator does this with SNAPSHOT rdev{what}")
        }
        error => error.to_string(),
    })?;
    if discard && let Some(why) = image.lost() {
        say!("{}: {why}; it is given up", file.display());
        return Ok(());
    }
    image.notices().iter().for_each(|notice| complain!("endicott: {notice}"));
    if !merge && !discard {
        let shadow = image.snapshot().map_err(text)?;
        say!("{}: writes go to {} from now on", file.display(), shadow.display());
        return Ok(());
    }
    let watch = Watch::new(if merge { "Merging" } else { "Discarding" });
    let done = if merge { image.merge(&mut |done, of| watch.tell(done, of)) } else { image.discard() };
    drop(watch);
    done.map_err(|error| match error {
        ImageError::Interrupted => "interrupted; the disk is as it was, and another --merge goes on with it".into(),
        error => error.to_string(),
    })?;
    say!("{}: {} shadow files are left", file.display(), image.shadows());
    Ok(())
}
