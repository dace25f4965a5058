//! Text files as people's programs save them.

/// The text in `bytes`, without what only marks it: a byte-order mark at its beginning, and the X'1A' that ends files
/// of CP/M and DOS. A line that is not UTF-8 is ISO 8859-1, for card images may be in any character set; the lines
/// beside it stay what they are.
pub fn decode(bytes: &[u8]) -> String {
    let wide = |pair: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].as_chunks().0.iter().map(|&unit| pair(unit)).collect();
        String::from_utf16_lossy(&units)
    };
    let mut text = match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            let line = |line: &[u8]| match std::str::from_utf8(line) {
                Ok(text) => text.to_owned(),
                Err(_) => line.iter().map(|&byte| char::from(byte)).collect(),
            };
            bytes.split_inclusive(|&byte| byte == b'\n').map(line).collect()
        }
    };
    if let Some(marked) = text.trim_end_matches(['\r', '\n']).strip_suffix('\u{1a}') {
        text.truncate(marked.trim_end_matches('\u{1a}').len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_no_part_of_the_text() {
        assert_eq!(decode(b"\xef\xbb\xbfUSER A\r\n B\r\n\x1a"), "USER A\r\n B\r\n");
        assert_eq!(decode(b"A\n\x1a\x1a\r\n"), "A\n");
        assert_eq!(decode(b"A\x1aB"), "A\x1aB", "only the last one ends the file");
        assert_eq!(decode(b"\xff\xfeU\0\xe4\0\n\0"), "U\u{e4}\n");
        assert_eq!(decode(b"\xfe\xff\0U\0\n"), "U\n");
        for nothing in [&b""[..], b"\xef\xbb\xbf", b"\xff\xfe", b"\x1a"] {
            assert_eq!(decode(nothing), "");
        }
    }

    #[test]
    fn a_line_in_another_character_set_leaves_the_others_alone() {
        assert_eq!(decode(b"\xc3\xa4\n\xe4\n\xc3\xa4"), "\u{e4}\n\u{e4}\n\u{e4}");
    }
}
