//! `endicott dasd list` and `show`: what is on a disk, for people and for programs.

use super::picture::{self, Bar, Piece, Shade};
use super::{describe, map, source, text};
use base::ebcdic;
use dasd::label::{self, DataSet, Label};
use dasd::{FileReport, Image, Kind, Record, Report, Track, Volume};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// What the command line says.
#[derive(clap::Args)]
pub struct Options {
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The records of a track, CYLINDER.HEAD in decimal; may be repeated.
    #[arg(long, value_name = "CC.HH")]
    track: Vec<String>,
    /// The minidisks that the USER DIRECT of the system in DIR has on this volume, and what is free between them.
    #[arg(long, value_name = "DIR")]
    map: Option<PathBuf>,
    /// What is shown as a picture, too: the data sets, the records of the tracks, or the minidisks.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// `endicott dasd list`.
pub(super) fn list(files: &[PathBuf], json: bool) -> Result<bool, String> {
    let mut rows = Vec::new();
    let mut good = true;
    // Check sums are listed with the disk they are of, as a user expects of `list volumes/*`.
    let is_disk =
        |file: &&PathBuf| file.extension().is_none_or(|end| end != "sums") || !file.with_extension("").exists();
    for file in files.iter().filter(is_disk) {
        let found = dasd::check(file, &dasd::Options::default(), false, &mut |_, _| true).map_err(text);
        match found.and_then(|report| Ok((report, source(file, None)?))) {
            Ok((report, image)) => rows.push((file, report, image)),
            Err(why) => {
                complain!("endicott: {why}");
                good = false;
            }
        }
    }
    if json {
        // A disk a line, for programs that read lines.
        let disks: Vec<String> = rows.iter().map(|(_, report, image)| disk_json(report, image)).collect();
        say!("[{}]", disks.join(",\n "));
        return Ok(good);
    }
    if !rows.is_empty() {
        say!("{:<8} {:<8} {:<28} {:>12} {:>12}  FILE", "VOLSER", "FORMAT", "DISK", "BYTES", "FREE");
    }
    for (file, report, image) in &rows {
        let volser = serial(&**image).unwrap_or("-".into());
        let (size, free) = report.files.iter().fold((0, 0), |(size, free), file| (size + file.size, free + file.free));
        let shadows = match image.shadows() {
            0 => String::new(),
            count => format!(" (+{count} shadow)"),
        };
        let (format, disk) = (report.files[0].format, describe(report.kind));
        let state = if report.clean() { "" } else { " (damaged: endicott dasd check)" };
        say!("{volser:<8} {format:<8} {disk:<28} {size:>12} {free:>12}  {}{shadows}{state}", file.display());
    }
    Ok(good)
}

fn serial(volume: &dyn Volume) -> Option<String> {
    label::read(volume).ok().flatten().map(|label| label.volser)
}

/// `endicott dasd show`.
pub(super) fn show(options: &Options) -> Result<(), String> {
    let image = source(&options.file, None)?;
    let volume: &dyn Volume = &*image;
    let fail = |error: dasd::MediaError| format!("{}: {error}", options.file.display());
    let draw = |bars: &[Bar]| match &options.svg {
        Some(svg) => {
            base::file::write(svg, picture::svg(bars).as_bytes()).map_err(|error| format!("{}: {error}", svg.display()))
        }
        None => Ok(()),
    };
    if !options.track.is_empty() {
        let mut bars = Vec::new();
        for place in &options.track {
            let (title, found) = track(volume, place)?;
            say::print(format_args!("{title}\n{}", records(&found)));
            bars.push(track_bar(title, &found, volume.kind()));
        }
        return draw(&bars);
    }
    let label = label::read(volume).map_err(fail)?;
    if let Some(folder) = &options.map {
        let volser = label.map(|label| label.volser).ok_or("the volume has no label, so no minidisk can be on it")?;
        let map = map::map(folder, &volser, volume.kind())?;
        draw(&[map.bar()])?;
        if options.json {
            say!("{}", map.json());
        } else {
            say::print(format_args!("{}", map.text()));
        }
        return Ok(());
    }
    if options.json {
        let report = dasd::check(&options.file, &dasd::Options::default(), false, &mut |_, _| true).map_err(text)?;
        say!("{}", disk_json(&report, &image));
        return Ok(());
    }
    say!("{}: {}", options.file.display(), describe(volume.kind()));
    for file in image.files() {
        say!("  {}", file.display());
    }
    match &label {
        Some(label) => say!("Label {}, volume serial {}", label.kind, label.volser),
        None => say!("No label."),
    }
    let sets = label::data_sets(volume).map_err(fail)?;
    draw(&[volume_bar(label.as_ref(), sets.as_deref().unwrap_or_default(), volume.kind())])?;
    match sets {
        None => say!("No VTOC."),
        Some(sets) if sets.is_empty() => say!("The VTOC is empty."),
        Some(sets) => {
            say!("{:<44} EXTENTS (CYLINDER.HEAD)", "DATA SET");
            for set in sets {
                let extent = |[from, to]: &[(u32, u32); 2]| format!("{}.{}-{}.{}", from.0, from.1, to.0, to.1);
                say!("{:<44} {}", set.name, set.extents.iter().map(extent).collect::<Vec<_>>().join(" "));
            }
        }
    }
    Ok(())
}

/// The track at a place as it is typed, and what it is called.
fn track(volume: &dyn Volume, place: &str) -> Result<(String, Arc<Track>), String> {
    let Kind::Ckd { cylinders, heads, .. } = volume.kind() else {
        return Err("a fixed-block disk has no tracks to show".into());
    };
    let parsed = place.split_once('.').and_then(|(c, h)| Some((c.parse::<u32>().ok()?, h.parse::<u32>().ok()?)));
    let Some((cylinder, head)) = parsed.filter(|(cylinder, head)| *cylinder < cylinders && *head < heads) else {
        return Err(format!(
            "{place} is not a track of this disk: cylinder.head, up to {}.{}",
            cylinders - 1,
            heads - 1
        ));
    };
    let track = volume.read_track(cylinder * heads + head).map_err(|error| error.to_string())?;
    Ok((format!("Track {cylinder}.{head}"), track))
}

/// A track as a bar of a picture: how much of its slot each record takes.
fn track_bar(title: String, track: &Track, kind: Kind) -> Bar {
    let Kind::Ckd { track: size, .. } = kind else { unreachable!("only count-key-data disks have tracks") };
    let piece = |record: Record<'_>| {
        let count = record.count;
        let title = format!("R{}: key {}, data {}", count.record, count.key, count.data);
        let shade = Shade::Of(format!("{} {}", count.key, count.data));
        Piece { first: record.at as u64, end: record.end() as u64, title, shade }
    };
    Bar { title, size: size.into(), pieces: track.records().map(piece).collect() }
}

/// The volume as a bar of a picture: its data sets, in tracks.
fn volume_bar(label: Option<&Label>, sets: &[DataSet], kind: Kind) -> Bar {
    let (size, heads, unit) = match kind {
        Kind::Ckd { heads, .. } => (u64::from(kind.tracks()), heads, "tracks"),
        Kind::Fba { blocks, .. } => (blocks, 1, "blocks"),
    };
    let place = |(cylinder, head): (u32, u32)| u64::from(cylinder) * u64::from(heads) + u64::from(head);
    let mut pieces: Vec<Piece> = Vec::new();
    for set in sets {
        for [from, to] in &set.extents {
            let title = format!("{}: {}.{} to {}.{}", set.name, from.0, from.1, to.0, to.1);
            pieces.push(Piece {
                first: place(*from),
                end: place(*to) + 1,
                title,
                shade: if place(*to) < size { Shade::Of(set.name.clone()) } else { Shade::Wrong },
            });
        }
    }
    pieces.sort_by_key(|piece| piece.first);
    let volser = label.map_or("No label", |label| label.volser.as_str());
    Bar { title: format!("{volser} ({size} {unit})"), size, pieces }
}

/// The records of a track, as text.
fn records(track: &Track) -> String {
    let mut out = String::new();
    for record in track.records() {
        let count = record.count;
        let place = format!("{:04X}{:04X}", count.cylinder, count.head);
        let _ = writeln!(out, "  R{:<3} {place} key {:>3} data {:>5}", count.record, count.key, count.data);
        for (name, bytes) in [("key", record.key), ("data", record.data)] {
            // The beginning, and that there is more.
            for (n, line) in bytes.chunks(32).take(4).enumerate() {
                let hex: Vec<String> =
                    line.chunks(4).map(|word| word.iter().map(|b| format!("{b:02X}")).collect()).collect();
                let printable = |c: char| if (' '..='~').contains(&c) { c } else { '.' };
                let characters: String = ebcdic::to_string(line).chars().map(printable).collect();
                let _ = writeln!(out, "      {name:<4} {:03X} {:<71} *{characters:<32}*", 32 * n, hex.join(" "));
            }
            if bytes.len() > 128 {
                let _ = writeln!(out, "      {name:<4} ... {} bytes more", bytes.len() - 128);
            }
        }
    }
    out
}

/// A disk with its label and data sets, for programs.
#[derive(Serialize)]
struct Disk<'a> {
    volser: Option<String>,
    data_sets: Vec<String>,
    #[serde(flatten)]
    checked: Checked<'a>,
}

/// What a check found, for programs.
#[derive(Serialize)]
struct Checked<'a> {
    clean: bool,
    #[serde(flatten, with = "KindFields")]
    kind: Kind,
    lost: Option<&'a str>,
    files: Vec<CheckedFile<'a>>,
}

#[derive(Serialize)]
#[serde(remote = "Kind", untagged)]
enum KindFields {
    Ckd {
        #[serde(serialize_with = "device_type")]
        device: u16,
        model: u8,
        cylinders: u32,
        heads: u32,
        track: u32,
    },
    Fba {
        #[serde(serialize_with = "device_type")]
        device: u16,
        model: u8,
        blocks: u64,
    },
}

#[derive(Serialize)]
struct CheckedFile<'a> {
    path: Cow<'a, str>,
    format: &'a str,
    shadow: bool,
    size: u64,
    free: u64,
    stored: u32,
    null: u32,
    left_open: bool,
    problems: &'a [String],
    damaged: Vec<Damaged<'a>>,
    changed: &'a [u32],
}

#[derive(Serialize)]
struct Damaged<'a> {
    unit: u32,
    why: &'a str,
}

/// In hexadecimal digits, as people know it.
fn device_type<S: Serializer>(device: &u16, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{device:04X}"))
}

impl<'a> Checked<'a> {
    fn new(report: &'a Report) -> Checked<'a> {
        let file = |file: &'a FileReport| CheckedFile {
            path: file.path.to_string_lossy(),
            format: file.format,
            shadow: file.shadow,
            size: file.size,
            free: file.free,
            stored: file.stored,
            null: file.null,
            left_open: file.left_open,
            problems: &file.problems,
            damaged: file.damaged.iter().map(|(unit, why)| Damaged { unit: *unit, why }).collect(),
            changed: &file.changed,
        };
        let files = report.files.iter().map(file).collect();
        Checked { clean: report.clean(), kind: report.kind, lost: report.lost.as_deref(), files }
    }
}

/// What a check found, for programs.
pub(super) fn report_json(report: &Report) -> String {
    say::json(&Checked::new(report))
}

/// A disk with its label and data sets, for programs.
fn disk_json(report: &Report, image: &Image) -> String {
    let sets = label::data_sets(image).ok().flatten().unwrap_or_default();
    let data_sets = sets.into_iter().map(|set| set.name).collect();
    say::json(&Disk { volser: serial(image), data_sets, checked: Checked::new(report) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_for_programs_has_its_keys_in_their_order() {
        let file = FileReport {
            path: "a\"b\n".into(),
            format: "cfba64",
            shadow: false,
            size: 1,
            free: 2,
            stored: 3,
            null: 4,
            left_open: true,
            problems: vec!["p".into()],
            damaged: vec![(5, "why".into())],
            changed: vec![6, 7],
        };
        let kind = Kind::Fba { device: 0x9336, model: 0x10, blocks: 120 };
        let report = Report { kind, files: vec![file], lost: None };
        assert_eq!(
            report_json(&report),
            r#"{"clean":false,"device":"9336","model":16,"blocks":120,"lost":null,"files":[{"path":"a\"b\n","format":"#
                .to_owned()
                + r#""cfba64","shadow":false,"size":1,"free":2,"stored":3,"null":4,"left_open":true,"problems":["p"],"#
                + r#""damaged":[{"unit":5,"why":"why"}],"changed":[6,7]}]}"#
        );
    }
}
