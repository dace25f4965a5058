//! The map of a volume: which minidisks of USER DIRECT lie where, what is free, what overlaps.

use crate::run;
use dasd::Kind;
use directory::{DeviceKind, Extent};
use std::fmt::Write;
use std::path::Path;

/// A minidisk on the volume: units are cylinders, or blocks.
struct Minidisk {
    owner: String,
    vdev: u16,
    first: u64,
    /// The one behind its last.
    end: u64,
}

/// What is on a volume.
pub struct Map {
    volser: String,
    unit: &'static str,
    size: u64,
    /// In the order of their places.
    minidisks: Vec<Minidisk>,
}

/// A piece of the volume from `first` to the one before `end`.
struct Piece<'a> {
    first: u64,
    end: u64,
    minidisk: Option<&'a Minidisk>,
    /// It begins before the one in front of it ends.
    overlaps: bool,
}

/// The map of volume `volser` as the USER DIRECT in `folder` has it.
pub fn map(folder: &Path, volser: &str, kind: Kind) -> Result<Map, String> {
    let directory = run::load_directory(folder)?;
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

    pub fn text(&self) -> String {
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

    pub fn json(&self) -> String {
        let piece = |piece: &Piece<'_>| {
            let who = piece.minidisk.map_or("null".into(), |disk| format!("\"{} {:04X}\"", disk.owner, disk.vdev));
            let (first, end, overlaps) = (piece.first, piece.end, piece.overlaps);
            format!("{{\"first\":{first},\"end\":{end},\"minidisk\":{who},\"overlaps\":{overlaps}}}")
        };
        let pieces: Vec<String> = self.pieces().iter().map(piece).collect();
        let (volser, unit, size) = (&self.volser, self.unit, self.size);
        format!("{{\"volser\":\"{volser}\",\"unit\":\"{unit}\",\"size\":{size},\"pieces\":[{}]}}\n", pieces.join(","))
    }

    /// The picture: the volume as a bar, a line for each minidisk below.
    pub fn svg(&self) -> String {
        const WIDTH: f64 = 900.0;
        let pieces = self.pieces();
        let end = pieces.iter().map(|piece| piece.end).max().unwrap_or(self.size).max(1);
        let x = |at: u64| 20.0 + at as f64 * WIDTH / end as f64;
        let height = 110 + 18 * pieces.len();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"940\" height=\"{height}\" font-family=\"monospace\" \
             font-size=\"12\">\n<rect width=\"940\" height=\"{height}\" fill=\"white\"/>\n\
             <text x=\"20\" y=\"24\" font-size=\"16\">{} ({} {}s)</text>\n",
            escaped(&self.volser),
            self.size,
            self.unit
        );
        for (n, piece) in pieces.iter().enumerate() {
            let colour = match (piece.overlaps || piece.end > self.size, piece.minidisk) {
                (true, _) => "#d33".to_string(),
                (_, None) => "#eee".to_string(),
                // The same owner has the same colour in every picture.
                (_, Some(disk)) => {
                    let hue = disk.owner.bytes().fold(7u32, |hue, byte| hue.wrapping_mul(31) + u32::from(byte)) % 360;
                    format!("hsl({hue},55%,65%)")
                }
            };
            let who =
                piece.minidisk.map_or("free".into(), |disk| format!("{} {:04X}", escaped(&disk.owner), disk.vdev));
            let (left, width) = (x(piece.first), (x(piece.end) - x(piece.first)).max(1.0));
            let title = format!("{who}: {} to {}", piece.first, piece.end - 1);
            let y = 104 + 18 * n;
            let _ = write!(
                out,
                "<rect x=\"{left:.1}\" y=\"36\" width=\"{width:.1}\" height=\"40\" fill=\"{colour}\" stroke=\"#555\" \
                 stroke-width=\"0.5\"><title>{title}</title></rect>\n\
                 <rect x=\"20\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{colour}\" stroke=\"#555\"/>\n\
                 <text x=\"38\" y=\"{y}\">{title}</text>\n",
                y - 9
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
        let svg = map.svg();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n") && svg.matches("<title>").count() == lines.len());
    }
}
