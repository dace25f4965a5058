//! `endicott dasd cpfmtxa`: what the cylinders of a volume that CP owns are for, as CP's utility of that name does it.

use super::{Watch, describe, open, source, text};
use crate::system;
use dasd::allocation::{Allocation, Area, Purpose, units};
use dasd::{Kind, Pages, Volume, label};
use minidisk::map;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::Arc;

/// What the command line says.
#[derive(clap::Args)]
pub struct Options {
    /// The volume. No system may be using it.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The serial in its label: nothing is done to another volume.
    #[arg(value_name = "VOLSER")]
    volser: String,
    /// Give cylinders (pages of a fixed-block volume) a purpose, such as PAGE=1-100 or SPOL=101-END: PAGE for pages of
    /// virtual machines, SPOL for what page space has no room for, TDSK for temporary disks, DRCT for the directory,
    /// PERM for minidisks. What no --allocate names stays as it is.
    #[arg(long, value_name = "PURPOSE=FIRST-LAST", value_parser = allocate)]
    allocate: Vec<(Purpose, u32, Option<u32>)>,
    /// Begin with a new map: all that no --allocate names is PERM.
    #[arg(long)]
    new: bool,
    /// Give the volume to the system with this SYSTEM_IDENTIFIER: others do not page to it.
    #[arg(long, value_name = "SYSTEM", conflicts_with = "any_system")]
    owner: Option<String>,
    /// Give the volume to whatever system has it.
    #[arg(long)]
    any_system: bool,
    /// Format these cylinders (pages) with pages of zeros, such as 1-100. They must not be PERM. CP formats a track by
    /// itself when it first writes there.
    #[arg(long, value_name = "FIRST-LAST", value_parser = range)]
    format: Option<(u32, Option<u32>)>,
    /// The folder of the system whose minidisks may lie on the volume: what they have is not given to another purpose.
    /// Else ENDICOTT_SYSTEM in the environment.
    #[arg(long, value_name = "DIR")]
    system: Option<PathBuf>,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// `1-100` or `1-END`.
fn range(text: &str) -> Result<(u32, Option<u32>), String> {
    let parsed = text.split_once('-').and_then(|(first, last)| {
        let last = if last.eq_ignore_ascii_case("END") { None } else { Some(last.parse().ok()?) };
        Some((first.parse().ok()?, last))
    });
    parsed.ok_or_else(|| format!("\"{text}\" is not first and last, such as 1-100 or 1-END"))
}

/// `PAGE=1-100`
fn allocate(text: &str) -> Result<(Purpose, u32, Option<u32>), String> {
    let (name, place) = text.split_once('=').unwrap_or((text, ""));
    let names = Purpose::ALL.map(|row| row.0).join(", ");
    let purpose = Purpose::named(name).ok_or_else(|| format!("\"{name}\" is not one of {names}"))?;
    range(place).map(|(first, last)| (purpose, first, last))
}

/// An area as it is shown.
#[derive(Serialize)]
struct Shown {
    purpose: &'static str,
    first: u32,
    last: u32,
    units: u32,
    /// Pages that it holds, if it is for pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<u32>,
}

pub(super) fn cpfmtxa(options: &Options) -> Result<(), String> {
    let changes = !options.allocate.is_empty() || options.new || options.owner.is_some() || options.any_system;
    let image = match changes || options.format.is_some() {
        true => open(&options.file, dasd::Options::default()).map_err(text)?,
        false => source(&options.file, None)?,
    };
    let volume: Arc<dyn Volume> = image;
    let fail = |why: String| format!("{}: {why}", options.file.display());
    let label = label::read(&*volume).map_err(|error| fail(error.to_string()))?;
    let serial = label.map(|label| label.volser).unwrap_or_default();
    if !serial.eq_ignore_ascii_case(&options.volser) {
        let has = if serial.is_empty() { "no label".into() } else { format!("the label {serial}") };
        return Err(fail(format!("it has {has}, not {}; nothing was changed", options.volser.to_uppercase())));
    }
    let last = units(volume.kind()).0.saturating_sub(1);
    let mut allocation = match (options.new, Allocation::read(&*volume)) {
        (true, _) | (_, Ok(None)) => Allocation::new(volume.kind()),
        (false, Ok(Some(found))) => found,
        (false, Err(error)) => return Err(fail(error.to_string())),
    };
    let areas: Vec<Area> = options
        .allocate
        .iter()
        .map(|&(purpose, first, to)| Area { purpose, first, last: to.unwrap_or(last) })
        .collect();
    allocation.allocate(&areas).map_err(|error| fail(error.to_string()))?;
    for area in areas.iter().filter(|area| area.purpose != Purpose::Permanent) {
        refuse_used(options, &*volume, &serial, area).map_err(fail)?;
    }
    match &options.owner {
        Some(owner) => allocation.set_owner(owner).map_err(|error| fail(error.to_string()))?,
        None if options.any_system => allocation.owner = None,
        None => (),
    }
    let wanted = options.format.map(|(first, to)| (first, to.unwrap_or(last)));
    let formatted = wanted.map(|wanted| to_format(&allocation, &volume, wanted)).transpose().map_err(fail)?;
    if changes {
        allocation.write(&*volume).map_err(|error| fail(error.to_string()))?;
    }
    if let Some(pages) = formatted {
        let watch = Watch::new("Formatting");
        let whole = pages.format(&mut |done, of| watch.tell(done, of)).map_err(|error| fail(error.to_string()))?;
        if !whole {
            return Err("interrupted; a part of the volume is formatted".into());
        }
    }
    volume.flush().map_err(|error| fail(error.to_string()))?;
    show(options, &serial, &volume, &allocation);
    Ok(())
}

/// An error if data sets or minidisks lie where an area is to be.
fn refuse_used(options: &Options, volume: &dyn Volume, serial: &str, area: &Area) -> Result<(), String> {
    let (name, Area { first, last, .. }) = (area.purpose.name(), area);
    let sets = label::data_sets(volume).map_err(|error| error.to_string())?.unwrap_or_default();
    for set in &sets {
        if set.extents.iter().any(|[from, to]| area.meets(from.0, to.0)) {
            return Err(format!("{name} {first}-{last}: the data set {} lies there; nothing was changed", set.name));
        }
    }
    if options.system.is_some() || std::env::var_os("ENDICOTT_SYSTEM").is_some() {
        let directory = system::load_directory_for_disks(&system::folder(options.system.as_deref()))?;
        if let Some((owner, vdev)) = map::on_area(&directory.users, serial, volume.kind(), area).first() {
            return Err(format!("{name} {first}-{last}: minidisk {owner} {vdev:04X} lies there; nothing was changed"));
        }
    }
    Ok(())
}

/// What is to be formatted.
fn to_format(allocation: &Allocation, volume: &Arc<dyn Volume>, wanted: (u32, u32)) -> Result<Pages, String> {
    let (first, last) = wanted;
    let (units, name) = units(volume.kind());
    if first > last || last >= units {
        return Err(format!("it has no {name} {first} to {last}"));
    }
    if let Some(area) = allocation.of(Purpose::Permanent).find(|area| area.meets(first, last)) {
        let (from, to) = (area.first.max(first), area.last.min(last));
        return Err(format!("{name} {from} to {to} are PERM: minidisks are formatted by their users, or --allocate"));
    }
    let pages = Pages::new(volume.clone(), vec![Area { purpose: Purpose::Page, first, last }]);
    pages.ok_or_else(|| "it has no room for pages".into())
}

fn show(options: &Options, serial: &str, volume: &Arc<dyn Volume>, allocation: &Allocation) {
    let shown = |area: &Area| {
        let paged = matches!(area.purpose, Purpose::Page | Purpose::Spool);
        let pages = paged.then(|| Pages::new(volume.clone(), vec![*area])).flatten();
        let pages = pages.map(|pages| pages.slots());
        Shown { purpose: area.purpose.name(), first: area.first, last: area.last, units: area.units(), pages }
    };
    let rows: Vec<Shown> = allocation.areas().iter().map(shown).collect();
    if options.json {
        #[derive(Serialize)]
        struct Whole<'a> {
            volser: &'a str,
            owner: Option<&'a str>,
            unit: &'static str,
            areas: Vec<Shown>,
        }
        let unit = if matches!(volume.kind(), Kind::Ckd { .. }) { "cylinder" } else { "page" };
        say!("{}", say::json(&Whole { volser: serial, owner: allocation.owner.as_deref(), unit, areas: rows }));
        return;
    }
    let owner = allocation.owner.as_ref().map_or("of any system".into(), |owner| format!("of system {owner}"));
    say!("{}: {serial}, {}, {owner}", options.file.display(), describe(volume.kind()));
    say!("PURPOSE      FIRST       LAST {:>10}      PAGES", units(volume.kind()).1.to_uppercase());
    for Shown { purpose, first, last, units, pages } in rows {
        let pages = pages.map_or(String::new(), |pages| format!(" {pages:>10}"));
        say!("{purpose:<7} {first:>10} {last:>10} {units:>10}{pages}");
    }
}
