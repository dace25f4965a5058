//! What is on a tape, and what is wrong with it.

use crate::{HEADER, Header, Item, Tape, TapeError};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A file of the tape: what lies before a tape mark, or after the last one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Section {
    pub blocks: u32,
    pub bytes: u64,
    pub longest: usize,
    /// The standard labels in it: `VOL1` and so on, and their texts.
    pub labels: Vec<String>,
    /// The files that CMS has dumped to it, each with what wrote it: `VMFPLC2 PROFILE EXEC`.
    pub dumped: Vec<String>,
    /// Whether a tape mark ends it.
    pub marked: bool,
}

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The files of the tape, in their order.
    pub sections: Vec<Section>,
    /// What is wrong, a sentence each.
    pub wrong: Vec<String>,
    /// Bytes of the host's file.
    pub size: u64,
}

/// Reads everything on a tape.
pub fn check(path: &Path) -> Result<Report, TapeError> {
    let mut tape = Tape::open(path, false)?;
    let mut report = Report { size: tape.file.metadata()?.len(), ..Report::default() };
    let mut section = Section::default();
    for number in 0..tape.count() {
        match tape.read() {
            Ok(Item::Block(block)) => {
                section.blocks += 1;
                section.bytes += block.len() as u64;
                section.longest = section.longest.max(block.len());
                section.labels.extend(label(&block));
                section.dumped.extend(dumped(&block));
            }
            Ok(Item::Mark) => report.sections.push(Section { marked: true, ..std::mem::take(&mut section) }),
            Ok(Item::Nothing) => break,
            Err(error) => {
                section.blocks += 1;
                report.wrong.push(format!("block {number}: {error}"));
            }
        }
    }
    if section != Section::default() {
        report.sections.push(section);
    }
    trailers(&report.sections, &mut report.wrong);
    chain(&tape.file, tape.end, &mut report.wrong)?;
    report.wrong.extend(tape.rest.told(tape.end, report.size - tape.end));
    Ok(report)
}

/// Each file of a labelled tape that has labels before it has labels after it, and a tape mark after those.
fn trailers(sections: &[Section], wrong: &mut Vec<String>) {
    let count = |names: &[&str]| {
        let labels = sections.iter().flat_map(|section| &section.labels);
        labels.filter(|label| names.iter().any(|name| label.starts_with(name))).count()
    };
    let (began, ended) = (count(&["HDR1"]), count(&["EOF1", "EOV1"]));
    let open = sections.last().is_some_and(|section| !section.marked);
    if began > ended || (began > 0 && open) {
        wrong.push(format!("the last of {began} labelled files has no end: the tape was cut"));
    }
}

/// A standard label in a block of 80 bytes.
fn label(block: &[u8]) -> Option<String> {
    let text = (block.len() == 80).then(|| base::ebcdic::to_string(block))?;
    let known = ["VOL1", "HDR1", "HDR2", "EOF1", "EOF2", "EOV1", "EOV2"];
    known.iter().any(|id| text.starts_with(id)).then(|| text.trim_end().to_string())
}

/// The file that a block names, of a tape that CMS has dumped files to. A block of such a tape begins with X'02' and
/// four letters; those of one kind have the file's status entry, which begins with name and type. VMFPLC2 writes it
/// before the file, TAPE DUMP after it.
fn dumped(block: &[u8]) -> Option<String> {
    let (head, entry) = block.split_at_checked(5)?;
    let letters = head.strip_prefix(&[2]).map(base::ebcdic::to_string)?;
    let program = match letters.as_str() {
        "PLCH" => "VMFPLC2",
        "CMSN" => "TAPE DUMP",
        _ => return None,
    };
    let name = |from: usize| base::ebcdic::to_string(&entry[from..from + 8]).trim_end().to_string();
    let legal = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic());
    let (name, kind) = (entry.len() >= 16).then(|| (name(0), name(8)))?;
    (legal(&name) && legal(&kind)).then(|| format!("{program} {name} {kind}"))
}

/// Each header repeats the length of the chunk before it.
fn chain(file: &File, end: u64, wrong: &mut Vec<String>) -> Result<(), TapeError> {
    let (mut at, mut before) = (0, 0);
    while at < end {
        let mut bytes = [0; HEADER as usize];
        file.read_exact_at(&mut bytes, at)?;
        let header = Header::of(bytes);
        if header.before != before && wrong.len() < 20 {
            wrong.push(format!("byte {at}: the header says {} bytes before it, there are {before}", header.before));
        }
        before = header.length;
        at += HEADER + u64::from(header.length);
    }
    Ok(())
}
