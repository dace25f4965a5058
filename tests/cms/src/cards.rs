//! TEXT decks, card by card, as transcripts write them:
//!
//! ```text
//! ESD 1 SD:NAME:address:length[:flags] LD:NAME:address:section ER:NAME WX:NAME CM:NAME:length PR:NAME:length:alignment
//! TXT section address bytes
//! RLD relocation position flags address
//! END [address section]
//! =anything else, as it is, X'02' in front of it
//! -a statement, as it is
//! ```
//!
//! All numbers are hexadecimal.

use base::ebcdic;

/// The cards, 80 bytes each.
pub(crate) fn deck(lines: &str) -> Vec<u8> {
    lines.lines().flat_map(card).collect()
}

fn number(text: Option<&str>) -> u32 {
    text.map_or(0, |text| u32::from_str_radix(text, 16).expect("a hexadecimal number"))
}

fn bytes(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|two| {
            u8::from_str_radix(str::from_utf8(two).expect("hexadecimal digits"), 16).expect("hexadecimal digits")
        })
        .collect()
}

fn item(word: &str) -> Vec<u8> {
    let mut parts = word.split(':');
    let kind = parts.next();
    let name: [u8; 8] = ebcdic::padded(parts.next().unwrap_or(""));
    let mut item = name.to_vec();
    let (code, address, flags, length) = match kind {
        Some("SD") => {
            let (address, length) = (number(parts.next()), number(parts.next()));
            (0, address, number(parts.next()) as u8, length)
        }
        Some("PC") => (4, number(parts.next()), 0, number(parts.next())),
        Some("LD") => (1, number(parts.next()), 0, number(parts.next())),
        Some("ER") => (2, 0, 0, 0),
        Some("WX") => (10, 0, 0, 0),
        Some("CM") => (5, 0, 0, number(parts.next())),
        Some("PR") => {
            let length = number(parts.next());
            (6, 0, number(parts.next()) as u8, length)
        }
        _ => panic!("{word} is no ESD item"),
    };
    item.push(code);
    item.extend(&address.to_be_bytes()[1..]);
    item.push(flags);
    item.extend(&length.to_be_bytes()[1..]);
    item
}

fn card(line: &str) -> [u8; 80] {
    let mut card = [0x40; 80];
    let words: Vec<&str> = line.split(' ').collect();
    let mut put = |at: usize, what: &[u8]| card[at..at + what.len()].copy_from_slice(what);
    if let Some(text) = line.strip_prefix('-') {
        put(0, &ebcdic::from_str(text));
        return card;
    }
    put(0, &[2]);
    if let Some(text) = line.strip_prefix('=') {
        put(1, &ebcdic::from_str(text));
        return card;
    }
    put(1, &ebcdic::from_str(words[0]));
    let word = |n: usize| words.get(n).copied();
    let data = match words[0] {
        "ESD" => {
            put(14, &(number(word(1)) as u16).to_be_bytes());
            words[2..].iter().flat_map(|word| item(word)).collect()
        }
        "TXT" => {
            put(14, &(number(word(1)) as u16).to_be_bytes());
            put(5, &number(word(2)).to_be_bytes()[1..]);
            bytes(words[3])
        }
        "RLD" => {
            let of = number(word(1)) << 16 | number(word(2));
            [of.to_be_bytes(), (number(word(3)) << 24 | number(word(4))).to_be_bytes()].concat()
        }
        "END" => {
            if words.len() > 1 {
                put(5, &number(word(1)).to_be_bytes()[1..]);
                put(14, &(number(word(2)) as u16).to_be_bytes());
            }
            Vec::new()
        }
        other => panic!("{other} is no card"),
    };
    if !data.is_empty() {
        put(10, &(data.len() as u16).to_be_bytes());
        put(16, &data);
    }
    card
}
