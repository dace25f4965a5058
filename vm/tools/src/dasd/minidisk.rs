//! `endicott dasd minidisk`: the blocks of a minidisk, to and from a file of the host.

use super::{Watch, open, text};
use crate::system;
use base::file::{self, Access};
use dasd::{BlockError, Blocks, Extent, ImageError, Kind, Volume, label};
use directory::{DeviceKind, Directory};
use std::fs;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What the command line says.
#[derive(clap::Args)]
#[command(group(clap::ArgGroup::new("which").required(true)))]
#[command(group(clap::ArgGroup::new("what").required(true).multiple(true).args(["format", "get", "put"])))]
pub struct Options {
    /// The volume.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The minidisk that the USER DIRECT of the system (--system) gives to a user, such as MAINT.190.
    #[arg(long, value_name = "USERID.VDEV", group = "which")]
    of: Option<String>,
    /// The first cylinder (block), and how many: 1.100
    #[arg(long, value_name = "FIRST.COUNT", group = "which")]
    extent: Option<String>,
    /// The folder of the system; else ENDICOTT_SYSTEM in the environment, or "sample".
    #[arg(long, value_name = "DIR")]
    system: Option<PathBuf>,
    /// Bytes of a block: 512, 1024, 2048 or 4096.
    #[arg(long, value_name = "BYTES", default_value_t = 4096)]
    size: u32,
    /// Format the minidisk with blocks of zeros; what was there is lost.
    #[arg(long)]
    format: bool,
    /// Write the blocks, one behind the other, to a file.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["format", "put"])]
    get: Option<PathBuf>,
    /// Fill the blocks from a file, from the first on; what it does not reach stays.
    #[arg(long, value_name = "FILE")]
    put: Option<PathBuf>,
}

/// What messages call the cylinders or blocks of a volume.
fn units(volume: &dyn Volume) -> &'static str {
    if volume.kind().blocks() > 0 { "blocks" } else { "cylinders" }
}

/// The blocks of a part of the volume in `file`.
fn blocks_of(volume: &Arc<dyn Volume>, file: &Path, (first, count): (u64, u64), size: u32) -> Result<Blocks, String> {
    let outside = || format!("{} has no {count} {} from {first} on", file.display(), units(&**volume));
    let disk = Arc::new(Extent::new(volume.clone(), first, count, false).ok_or_else(outside)?);
    Blocks::new(disk, size).ok_or("--size is 512, 1024, 2048 or 4096".into())
}

fn format(blocks: &Blocks) -> Result<(), String> {
    let watch = Watch::new("Formatting");
    blocks.format(&mut |done, of| watch.tell(done, of)).map_err(|error| match error {
        BlockError::Interrupted => "interrupted; a part of the minidisk is formatted".into(),
        error => error.to_string(),
    })
}

/// Formats minidisks of the volume in `file`, such as MAINT.190, in blocks of 4096 bytes, and fills each from a file.
pub fn fill(file: &Path, directory: &Directory, disks: &[(&str, PathBuf)]) -> Result<(), String> {
    let volume: Arc<dyn Volume> = open(file, dasd::Options::default()).map_err(text)?;
    for (of, image) in disks {
        let blocks = blocks_of(&volume, file, minidisk_extent(directory, of, &*volume)?, 4096)?;
        format(&blocks).and_then(|()| put(&blocks, image)).map_err(|why| format!("{of}: {why}"))?;
    }
    volume.flush().map_err(|error| error.to_string())
}

pub(super) fn minidisk(options: &Options) -> Result<(), String> {
    let how = dasd::Options { read_only: options.get.is_some(), ..dasd::Options::default() };
    let volume: Arc<dyn Volume> = open(&options.file, how).map_err(text)?;
    let (first, count) = extent(options, &*volume)?;
    let units = units(&*volume);
    let blocks = blocks_of(&volume, &options.file, (first, count), options.size)?;
    if options.format {
        format(&blocks)?;
    }
    let moved = match (&options.get, &options.put) {
        (Some(to), _) => get(&blocks, to)?,
        (_, Some(from)) => put(&blocks, from)?,
        _ => 0,
    };
    volume.flush().map_err(|error| error.to_string())?;
    let (all, size) = (blocks.count(), blocks.size());
    say!("{}, {units} {first} to {}: {all} blocks of {size} bytes", options.file.display(), first + count - 1);
    if let Some(file) = options.get.as_ref().or(options.put.as_ref()) {
        say!("{}: {moved} blocks", file.display());
    }
    Ok(())
}

/// First cylinder or block, and how many.
fn extent(options: &Options, volume: &dyn Volume) -> Result<(u64, u64), String> {
    if let Some(extent) = &options.extent {
        let parsed = extent.split_once('.').and_then(|(first, count)| Some((first.parse().ok()?, count.parse().ok()?)));
        return parsed
            .filter(|(_, count)| *count > 0)
            .ok_or_else(|| format!("{extent} is not an extent, such as 1.100"));
    }
    let directory = system::load_directory_for_disks(&system::folder(options.system.as_deref()))?;
    minidisk_extent(&directory, options.of.as_deref().unwrap_or_default(), volume)
}

/// Where the minidisk that is `wanted`, such as MAINT.190, lies on the volume.
fn minidisk_extent(directory: &Directory, wanted: &str, volume: &dyn Volume) -> Result<(u64, u64), String> {
    let size = match volume.kind() {
        Kind::Ckd { cylinders, .. } => u64::from(cylinders),
        Kind::Fba { blocks, .. } => blocks,
    };
    let parsed = wanted.rsplit_once('.').and_then(|(user, vdev)| Some((user, u16::from_str_radix(vdev, 16).ok()?)));
    let (user, vdev) = parsed.ok_or_else(|| format!("{wanted} is not a minidisk, such as MAINT.190"))?;
    let user = directory.user(&user.to_uppercase()).ok_or_else(|| format!("USER DIRECT has no user {user}"))?;
    let found = user.device(vdev).and_then(|device| match &device.kind {
        DeviceKind::Mdisk(disk) => Some(disk),
        _ => None,
    });
    let disk = found.ok_or_else(|| format!("USER DIRECT has no minidisk {:04X} of {}", vdev, user.userid))?;
    let directory::Extent::Volume { volume: on, start, count } = &disk.extent else {
        return Err(format!("{wanted} does not lie on a volume"));
    };
    let serial = label::read(volume).ok().flatten().map(|label| label.volser).unwrap_or_default();
    if !serial.eq_ignore_ascii_case(on) {
        return Err(format!("{wanted} lies on {on}, and this volume is {serial}"));
    }
    let first = u64::from(*start);
    Ok((first, count.map_or(size.saturating_sub(first), u64::from)))
}

/// The file gets its name when it is complete.
fn get(blocks: &Blocks, to: &Path) -> Result<u64, String> {
    let unfinished = to.with_added_extension("unfinished");
    let fail = |error: std::io::Error| format!("{}: {error}", to.display());
    file::may_be_replaced(to).map_err(fail)?;
    let done = get_all(blocks, &unfinished, to).and_then(|()| {
        let named = fs::rename(&unfinished, to).and_then(|()| file::sync_folder(to));
        named.map_err(fail)
    });
    if done.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    done.map(|()| blocks.count())
}

/// Errors are told of `to`, the name that the user knows.
fn get_all(blocks: &Blocks, unfinished: &Path, to: &Path) -> Result<(), String> {
    let fail = |error: std::io::Error| format!("{}: {error}", to.display());
    let new = file::open(unfinished, Access::Make).and_then(|new| new.set_len(0).map(|()| new));
    let mut file = BufWriter::new(new.map_err(fail)?);
    let mut bytes = vec![0; blocks.size()];
    let watch = Watch::new("Reading");
    for block in 0..blocks.count() {
        blocks.read(block, &mut bytes).map_err(|error| format!("block {block}: {error}"))?;
        file.write_all(&bytes).map_err(fail)?;
        if !watch.tell(block, blocks.count()) {
            return Err(ImageError::Interrupted.to_string());
        }
    }
    file.flush().map_err(fail)
}

fn put(blocks: &Blocks, from: &Path) -> Result<u64, String> {
    let fail = |error: std::io::Error| format!("{}: {error}", from.display());
    let file = file::open(from, Access::Read).map_err(fail)?;
    let size = blocks.size() as u64;
    let count = file.metadata().map_err(fail)?.len().div_ceil(size);
    if count > blocks.count() {
        return Err(format!("{} has {count} blocks, the minidisk {}", from.display(), blocks.count()));
    }
    let mut file = BufReader::new(file);
    let watch = Watch::new("Writing");
    for block in 0..count {
        let mut bytes = Vec::with_capacity(blocks.size());
        file.by_ref().take(size).read_to_end(&mut bytes).map_err(fail)?;
        bytes.resize(blocks.size(), 0);
        blocks.write(block, &bytes).map_err(|error| format!("block {block}: {error} (--format formats it)"))?;
        if !watch.tell(block, count) {
            return Err("interrupted; a part of the blocks is written".into());
        }
    }
    Ok(count)
}
