//! Objects of the cross compiler, where there is one, as decks.

use base::ebcdic;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The object of a C program; `None`, with a sentence, without a cross compiler.
fn object(source: &str, options: &[&str]) -> Option<Vec<u8>> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let compiler = std::env::var("S390X_CC").unwrap_or_else(|_| "s390x-linux-gnu-gcc".into());
    if Command::new(&compiler).arg("--version").output().is_err() {
        println!("skipped: there is no C compiler for s390 ({compiler})");
        return None;
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = |kind: &str| -> PathBuf {
        std::env::temp_dir().join(format!("endicott-deck-{}-{number}.{kind}", std::process::id()))
    };
    std::fs::write(path("c"), source).expect("the host has a folder for temporary files");
    let mut command = Command::new(compiler);
    command.args(["-O2", "-ffreestanding", "-fno-asynchronous-unwind-tables", "-c"]).args(options);
    let output = command.arg(path("c")).arg("-o").arg(path("o")).output().expect("the compiler was there a moment ago");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let bytes = std::fs::read(path("o")).expect("it was just made");
    let _ = (std::fs::remove_file(path("c")), std::fs::remove_file(path("o")));
    Some(bytes)
}

const USUAL: [&str; 5] = ["-m31", "-mesa", "-march=z900", "-fno-pic", "-fno-pie"];

/// The ESD items of a deck: name, type, length.
fn items(deck: &[u8]) -> Vec<(String, u8, u32)> {
    let mut items = Vec::new();
    for card in deck.chunks(80).filter(|card| card[1..4] == ebcdic::from_str("ESD")[..]) {
        let count = usize::from(u16::from_be_bytes([card[10], card[11]]));
        for item in card[16..16 + count].chunks(16) {
            let length = u32::from_be_bytes([0, item[13], item[14], item[15]]);
            items.push((ebcdic::to_string(&item[..8]).trim_end().to_string(), item[8], length));
        }
    }
    items
}

/// What TXT cards put where.
fn storage(deck: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for card in deck.chunks(80).filter(|card| card[1..4] == ebcdic::from_str("TXT")[..]) {
        let at = u32::from_be_bytes([0, card[5], card[6], card[7]]) as usize;
        let count = usize::from(u16::from_be_bytes([card[10], card[11]]));
        bytes.resize(bytes.len().max(at + count), 0);
        bytes[at..at + count].copy_from_slice(&card[16..16 + count]);
    }
    bytes
}

#[test]
fn names_of_every_kind() {
    let source = "extern int far(void); extern int maybe(void) __attribute__((weak)); int shared[25];\n\
                  int (*const table[])(void) = { far, maybe }; int near(void) { return shared[3]; }";
    let Some(object) = object(source, &[&USUAL[..], &["-fcommon"]].concat()) else { return };
    let deck = deck::deck("sample", &object).expect("it can be a deck");
    assert_eq!(deck.len() % 80, 0);
    let items = items(&deck);
    let kinds = |name: &str| items.iter().find(|(item, ..)| item == name).map(|(_, kind, length)| (*kind, *length));
    assert_eq!(kinds("SAMPLE").map(|(kind, _)| kind), Some(0));
    assert_eq!(kinds("FAR"), Some((2, 0)));
    assert_eq!(kinds("MAYBE"), Some((10, 0)));
    assert_eq!(kinds("SHARED"), Some((5, 100)));
    assert_eq!(kinds("NEAR").map(|(kind, _)| kind), Some(1));
    assert_eq!(kinds(deck::ENTRY), None);
}

#[test]
fn a_program_wants_the_library_first_of_all() {
    let Some(object) = object("extern int far(void); int main(void) { return far(); }", &USUAL) else { return };
    let deck = deck::deck("PROG", &object).expect("it can be a deck");
    let items = items(&deck);
    assert_eq!(items[1].0, deck::ENTRY);
    let last: Vec<String> = deck.chunks(80).rev().take(2).map(ebcdic::to_string).collect();
    assert!(last[1].starts_with(" ENTRY CMSENTRY"), "{last:?}");
}

/// A LARL to another deck leads to instructions that load the address from a constant and come back.
#[test]
fn addresses_in_another_deck_are_loaded_from_constants() {
    let Some(object) = object("extern int there[]; int *where(void) { return there + 2; }", &USUAL) else { return };
    let bytes = storage(&deck::deck("X", &object).expect("it can be a deck"));
    let jump = bytes.windows(2).position(|two| two == [0xc0, 0xf4]).expect("the LARL became a branch");
    let halfwords = i32::from_be_bytes(bytes[jump + 2..jump + 6].try_into().unwrap());
    let place = jump + 2 * halfwords as usize;
    assert_eq!(bytes[place..place + 8], [0x0d, 0x20, 0x58, 0x20, 0x20, 0x0a, 0xc0, 0xf4]);
    let back = i32::from_be_bytes(bytes[place + 8..place + 12].try_into().unwrap());
    assert_eq!((place + 6) as i64 + 2 * i64::from(back), jump as i64 + 6);
    assert_eq!(bytes[place + 12..place + 16], [0, 0, 0, 8]);
}

#[test]
fn what_cannot_be_a_deck_says_why() {
    let why = |source: &str, options: &[&str]| {
        object(source, options).map(|object| deck::deck("X", &object).expect_err("it cannot"))
    };
    assert!(deck::deck("X", b"no object").unwrap_err().contains("no 32-bit object"));
    let Some(wide) = why("int x;", &["-m64"]) else { return };
    assert!(wide.contains("-m31"), "{wide}");
    let same = why("int Twice; int twice;", &USUAL).unwrap();
    assert!(same.contains("both TWICE"), "{same}");
    let early = why("int n; __attribute__((constructor)) void f(void) { n++; }", &USUAL).unwrap();
    assert!(early.contains("constructors"), "{early}");
    let shared = why("extern int x; int f(void) { return x; }", &["-m31", "-mesa", "-march=z900", "-fpic"]).unwrap();
    assert!(shared.contains("-fno-pic"), "{shared}");
    let name = deck::deck("no-name", &object("int x;", &USUAL).unwrap()).unwrap_err();
    assert!(name.contains("cannot be a name"), "{name}");
}
