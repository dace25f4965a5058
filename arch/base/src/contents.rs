//! What a host file is by its first bytes: what a message says of a file that is not what was asked for.

/// As many bytes of a file as [`named`] looks at.
pub const START: usize = 512;

/// Bytes at a place of a file, and what a file is that has them there.
type Magic = (usize, &'static [u8], &'static str);

/// What no disk or tape begins with: each is read by a program of its own, and none of it is written to a disk raw.
static FOREIGN: &[Magic] = &[
    (0, b"\x1f\x8b\x08", "compressed with gzip"),
    (0, b"BZh", "compressed with bzip2"),
    (0, b"\xfd7zXZ\0", "compressed with xz"),
    (0, b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (0, b"\x04\x22\x4d\x18", "compressed with lz4"),
    (0, b"PK\x03\x04", "a ZIP archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (0, b"\x7fELF", "an ELF file"),
    (0, b"%PDF-", "a PDF document"),
    (0, b"\x89PNG\r\n", "a picture"),
    (0, b"\xff\xd8\xff", "a picture"),
    (0, b"GIF8", "a picture"),
    (0, b"!<arch>\n", "a package or an archive of objects"),
    (0, b"\xed\xab\xee\xdb", "an RPM package"),
    (0, b"QFI\xfb", "a disk of QEMU's format qcow2"),
    (0, b"KDMV", "a disk of the format VMDK"),
    (0, b"vhdxfile", "a disk of the format VHDX"),
    (0, b"conectix", "a disk of the format VHD"),
    (0, b"SQLite format 3\0", "a database"),
];

/// What may be on a disk raw, or belongs to us, and still is not each of the things that a user may name.
static OTHERS: &[Magic] = &[
    (0, b"@TDF", "the list of files of an OMA tape"),
    (0, b"CKD_", "a disk image"),
    (0, b"FBA_", "a disk image"),
    (0, b"070701", "a cpio archive"),
    (257, b"ustar", "a tar archive"),
    // INMR01 in EBCDIC.
    (2, b"\xc9\xd5\xd4\xd9\xf0\xf1", "a file of TRANSMIT (NETDATA)"),
];

/// What no disk or tape begins with; `None`: it may be one.
pub fn foreign(start: &[u8]) -> Option<&'static str> {
    found(FOREIGN, start).or_else(|| markup(start))
}

/// What the file is that begins with these bytes, [`START`] of them or all; `None`: that is not known.
pub fn named(start: &[u8]) -> Option<&'static str> {
    foreign(start).or_else(|| found(OTHERS, start)).or_else(|| start.is_empty().then_some("empty"))
}

fn found(table: &[Magic], start: &[u8]) -> Option<&'static str> {
    let has = |(at, magic, _): &&Magic| start.get(*at..).is_some_and(|rest| rest.starts_with(magic));
    table.iter().find(has).map(|row| row.2)
}

/// A page of the web, as a download leaves it that ended in an error.
fn markup(start: &[u8]) -> Option<&'static str> {
    let text = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word));
    match () {
        () if begins(b"<!doctype") || begins(b"<html") || begins(b"<head") => Some("an HTML page"),
        () if begins(b"<?xml") => Some("an XML document"),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_file_is_stands_at_its_beginning() {
        for (at, magic, name) in FOREIGN.iter().chain(OTHERS) {
            let mut file = vec![0xe5; *at];
            file.extend_from_slice(magic);
            assert_eq!(named(&file), Some(*name));
            // One byte less is something else.
            assert_eq!(named(&file[..file.len() - 1]), None, "{name}");
        }
        assert!(FOREIGN.iter().chain(OTHERS).all(|(at, magic, _)| at + magic.len() <= START));
        assert_eq!(foreign(b"\xef\xbb\xbf \n<!DOCTYPE html>"), Some("an HTML page"));
        assert_eq!(foreign(b"<HTML>"), Some("an HTML page"));
        assert_eq!(foreign(b"<hotel"), None);
        assert_eq!((named(b""), foreign(b"")), (Some("empty"), None));
        assert_eq!((named(&[0; START]), foreign(&[0xff; 4])), (None, None));
    }
}
