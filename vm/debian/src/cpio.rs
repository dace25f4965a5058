//! The archive a Linux kernel unpacks as its first file system: cpio in the "newc" form
//! (Linux, Documentation/driver-api/early-userspace/buffer-format.rst).
//!
//! Written here rather than by the cpio program, so that the console's device node needs no privilege and the same
//! input always gives the same bytes.

const DIRECTORY: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;
const FILE: u32 = 0o100_644;
const LINK: u32 = 0o120_777;
const CHARACTER_DEVICE: u32 = 0o020_600;

/// An archive under construction. Every member belongs to root and carries no time.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    members: u32,
}

impl Archive {
    /// Adds a folder.
    pub fn directory(&mut self, name: &str) {
        self.member(name, DIRECTORY, (0, 0), &[]);
    }

    /// Adds a file that may be executed.
    pub fn program(&mut self, name: &str, content: &[u8]) {
        self.member(name, PROGRAM, (0, 0), content);
    }

    /// Adds an ordinary file, which may be executed if `executable`.
    pub fn file(&mut self, name: &str, executable: bool, content: &[u8]) {
        self.member(name, if executable { PROGRAM } else { FILE }, (0, 0), content);
    }

    /// A symbolic link.
    pub fn link(&mut self, name: &str, target: &str) {
        self.member(name, LINK, (0, 0), target.as_bytes());
    }

    /// Adds a device file with these numbers.
    pub fn character_device(&mut self, name: &str, major: u32, minor: u32) {
        self.member(name, CHARACTER_DEVICE, (major, minor), &[]);
    }

    /// Ends the archive and returns it.
    pub fn finish(mut self) -> Vec<u8> {
        self.member("TRAILER!!!", 0, (0, 0), &[]);
        self.bytes
    }

    fn member(&mut self, name: &str, mode: u32, (major, minor): (u32, u32), content: &[u8]) {
        let length = u32::try_from(content.len()).expect("a member is shorter than 4 GiB");
        let name_length = u32::try_from(name.len() + 1).expect("a name is short");
        let (inode, uid, gid, links, time, check) = (self.members, 0, 0, 1, 0, 0);
        self.bytes.extend_from_slice(b"070701");
        for field in [inode, mode, uid, gid, links, time, length, 0, 0, major, minor, name_length, check] {
            self.bytes.extend_from_slice(format!("{field:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend_from_slice(content);
        self.align();
        self.members += 1;
    }

    /// Names and contents both end on a word boundary of the archive.
    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_is_ascii_hexadecimal_and_everything_is_word_aligned() {
        let mut archive = Archive::default();
        archive.program("init", b"#!x");
        let bytes = archive.finish();
        let text = String::from_utf8_lossy(&bytes);
        assert!(text.starts_with("070701" /* magic */));
        assert_eq!(&text[14..22], "000081ed", "mode: a regular file, rwxr-xr-x");
        assert_eq!(&text[54..62], "00000003", "the content's length");
        assert_eq!(&text[94..102], "00000005", "the name's length counts its zero byte");
        // 110 bytes of header and "init\0" make 115: the content begins at 116.
        assert_eq!(&bytes[116..119], b"#!x");
        assert_eq!(&bytes[120..126], b"070701");
        assert_eq!(bytes.len() % 4, 0);
    }

    #[test]
    fn links_hold_their_target_and_files_are_executed_or_not() {
        let mut archive = Archive::default();
        archive.link("a", "b/c");
        archive.file("d", false, b"text");
        let bytes = archive.finish();
        assert_eq!((&bytes[14..22], &bytes[112..115]), (&b"0000a1ff"[..], &b"b/c"[..]));
        assert_eq!((&bytes[116 + 14..116 + 22], &bytes[116 + 112..116 + 116]), (&b"000081a4"[..], &b"text"[..]));
    }

    #[test]
    fn device_node_carries_its_numbers() {
        let mut archive = Archive::default();
        archive.character_device("dev/console", 5, 1);
        let bytes = archive.finish();
        assert_eq!(&bytes[78..94], b"0000000500000001");
    }
}
