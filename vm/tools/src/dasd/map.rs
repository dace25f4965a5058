//! The map of a volume: which minidisks of USER DIRECT lie where, what is free, what overlaps.

use super::picture::{self, Bar, Shade};
use crate::system;
use dasd::Kind;
use directory::{DeviceKind, Extent};
use serde::{Serialize, Serializer};
use std::fmt::{self, Write};
use std::path::Path;

/// A minidisk on the volume: units are cylinders, or blocks.
struct Minidisk {
    owner: String,
    vdev: u16,
    first: u64,
    /// The one after its last.
    end: u64,
}

impl fmt::Display for Minidisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:04X}", self.owner, self.vdev)
    }
}

impl Serialize for Minidisk {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// What is on a volume.
pub(super) struct Map {
    volser: String,
    unit: &'static str,
    size: u64,
    /// In the order of their places.
    minidisks: Vec<Minidisk>,
}

/// A piece of the volume from `first` to the one before `end`.
#[derive(Serialize)]
struct Piece<'a> {
    first: u64,
    end: u64,
    minidisk: Option<&'a Minidisk>,
    /// It begins before the one in front of it ends.
    overlaps: bool,
}

/// The map of volume `volser` as the USER DIRECT in `folder` has it.
pub(super) fn map(folder: &Path, volser: &str, kind: Kind) -> Result<Map, String> {
    let directory = system::load_directory_for_disks(folder)?;
    let (unit, size) = match kind {
        Kind::Ckd { cylinders, .. } => ("cylinder", u64::from(cylinders)),
        Kind::Fba { blocks, .. } => ("block", blocks),
    };
    let mut minidisks = Vec::new();
    for user in &directory.users {
        for device in &user.devices {
            if let DeviceKind::Mdisk(disk) = &device.kind
                && let Extent::Volume { volume, start, count } = &disk.extent
                && volume.eq_ignore_ascii_case(volser)
            {
                let first = u64::from(*start);
                let end = count.map_or(size, |count| first + u64::from(count));
                minidisks.push(Minidisk { owner: user.userid.clone(), vdev: device.vdev, first, end });
            }
        }
    }
    minidisks.sort_by_key(|disk| (disk.first, disk.end));
    Ok(Map { volser: volser.into(), unit, size, minidisks })
}

impl Map {
    /// Minidisks and gaps in their order.
    fn pieces(&self) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for disk in &self.minidisks {
            if disk.first > at {
                pieces.push(Piece { first: at, end: disk.first, minidisk: None, overlaps: false });
            }
            pieces.push(Piece { first: disk.first, end: disk.end, minidisk: Some(disk), overlaps: disk.first < at });
            at = at.max(disk.end);
        }
        if at < self.size {
            pieces.push(Piece { first: at, end: self.size, minidisk: None, overlaps: false });
        }
        pieces
    }

    pub(super) fn text(&self) -> String {
        let mut out = format!("Volume {}, {} {}s\n", self.volser, self.size, self.unit);
        let _ = writeln!(out, "{:>10} {:>10} {:>10}  OWNER    VDEV", "FIRST", "LAST", "SIZE");
        for piece in self.pieces() {
            let (first, last, size) = (piece.first, piece.end - 1, piece.end - piece.first);
            let who = piece.minidisk.map_or("free".into(), |disk| format!("{:<8} {:04X}", disk.owner, disk.vdev));
            let overlaps = if piece.overlaps { "  OVERLAPS" } else { "" };
            let beyond = if piece.end > self.size { "  BEYOND THE END" } else { "" };
            let _ = writeln!(out, "{first:>10} {last:>10} {size:>10}  {who}{overlaps}{beyond}");
        }
        out
    }

    pub(super) fn json(&self) -> String {
        #[derive(Serialize)]
        struct Whole<'a> {
            volser: &'a str,
            unit: &'a str,
            size: u64,
            pieces: Vec<Piece<'a>>,
        }
        say::json(&Whole { volser: &self.volser, unit: self.unit, size: self.size, pieces: self.pieces() })
    }

    /// The volume as a bar of a picture.
    pub(super) fn bar(&self) -> Bar {
        let picture = |piece: &Piece<'_>| {
            let who = piece.minidisk.map_or("free".into(), Minidisk::to_string);
            let shade = match piece.minidisk {
                _ if piece.overlaps || piece.end > self.size => Shade::Wrong,
                None => Shade::Free,
                Some(disk) => Shade::Of(disk.owner.clone()),
            };
            let title = format!("{who}: {} to {}", piece.first, piece.end - 1);
            picture::Piece { first: piece.first, end: piece.end, title, shade }
        };
        let title = format!("{} ({} {}s)", self.volser, self.size, self.unit);
        Bar { title, size: self.size, pieces: self.pieces().iter().map(picture).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(owner: &str, first: u64, end: u64) -> Minidisk {
        Minidisk { owner: owner.into(), vdev: 0x191, first, end }
    }

    #[test]
    fn gaps_and_overlaps_are_on_the_map() {
        let minidisks =
            vec![disk("MAINT", 1, 10), disk("LINUX1", 20, 40), disk("LINUX2", 39, 60), disk("TOOBIG", 90, 120)];
        let map = Map { volser: "VOL001".into(), unit: "cylinder", size: 100, minidisks };
        let text = map.text();
        let lines: Vec<Vec<&str>> = text.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["0", "0", "1", "free"]);
        assert_eq!(lines[1], ["1", "9", "9", "MAINT", "0191"]);
        assert_eq!(lines[2], ["10", "19", "10", "free"]);
        assert_eq!(lines[4], ["39", "59", "21", "LINUX2", "0191", "OVERLAPS"]);
        assert_eq!(lines[6], ["90", "119", "30", "TOOBIG", "0191", "BEYOND", "THE", "END"]);
        let json = map.json();
        let beginning =
            r#"{"volser":"VOL001","unit":"cylinder","size":100,"pieces":[{"first":0,"end":1,"minidisk":null,"#;
        assert!(json.starts_with(beginning), "{json}");
        assert!(json.contains(r#",{"first":39,"end":60,"minidisk":"LINUX2 0191","overlaps":true},"#), "{json}");
        let svg = picture::svg(&[map.bar()]);
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.matches("<title>").count() == lines.len());
    }
}
