//! Tapes written and read, in both formats, against a model; and files that are damaged or cut off anywhere.

use std::fs;
use std::path::PathBuf;
use support::Random;
use tape::{Item, Tape, TapeError, check};

fn place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("endicott-tape-{}-{name}", std::process::id()));
    let _ = fs::remove_file(&path);
    path
}

#[test]
fn random_work_agrees_with_a_model() {
    for (name, seed) in [("model.aws", 1), ("model.het", 2), ("other.aws", 3), ("other.het", 4)] {
        let path = place(name);
        let mut tape = Tape::create(&path).expect("a new file");
        let (mut model, mut at): (Vec<Option<Vec<u8>>>, usize) = (Vec::new(), 0);
        let mut random = Random::seeded(seed);
        for step in 0..3000 {
            match random.below(10) {
                0..3 => {
                    let length = [1, 80, 800, 4096, 65_535, 65_536, 70_000][random.below(7)];
                    let block: Vec<u8> = (0..length).map(|n| (n / 7 + step) as u8).collect();
                    tape.write(&block).expect("there is room");
                    model.truncate(at);
                    model.push(Some(block));
                    at += 1;
                }
                3 => {
                    tape.write_mark().expect("there is room");
                    model.truncate(at);
                    model.push(None);
                    at += 1;
                }
                4 | 5 => {
                    let wanted =
                        model.get(at).map_or(Item::Nothing, |block| block.clone().map_or(Item::Mark, Item::Block));
                    assert!(tape.read().expect("it is whole") == wanted, "{name} step {step}");
                    at += usize::from(wanted != Item::Nothing);
                }
                6 => {
                    let before = at.checked_sub(1).map(|n| model[n].clone());
                    let wanted = before.map_or(Item::Nothing, |block| block.map_or(Item::Mark, Item::Block));
                    assert!(tape.read_backward().expect("it is whole") == wanted, "{name} step {step}");
                    at -= usize::from(wanted != Item::Nothing);
                }
                7 => {
                    let forward = random.one_in(2);
                    let there = if forward { at < model.len() } else { at > 0 };
                    assert_eq!(tape.space(forward) != Item::Nothing, there);
                    at = if !there {
                        at
                    } else if forward {
                        at + 1
                    } else {
                        at - 1
                    };
                }
                8 => {
                    let to = random.below(model.len() + 3);
                    assert_eq!(tape.locate(to as u32), to <= model.len());
                    at = to.min(model.len());
                }
                // The tape is dismounted, and mounted again.
                _ if random.one_in(20) => {
                    drop(tape);
                    assert_eq!(check(&path).expect("it is a tape").wrong, Vec::<String>::new());
                    tape = Tape::open(&path, true).expect("it is a tape");
                    at = 0;
                }
                _ => {
                    tape.rewind();
                    at = 0;
                }
            }
            assert_eq!((tape.position() as usize, tape.count() as usize), (at, model.len()), "{name} step {step}");
        }
        fs::remove_file(path).expect("it is ours");
    }
}

#[test]
fn a_file_as_others_write_it_is_read() {
    // One block in two chunks, and a tape mark.
    let path = place("foreign");
    let mut bytes = vec![3, 0, 0, 0, 0x80, 0, 1, 2, 3, 2, 0, 3, 0, 0x20, 0, 4, 5, 0, 0, 2, 0, 0x40, 0];
    fs::write(&path, &bytes).expect("a folder for temporary files");
    let mut tape = Tape::open(&path, false).expect("it is a tape");
    assert_eq!(tape.read().expect("it is whole"), Item::Block(vec![1, 2, 3, 4, 5]));
    assert_eq!(tape.read().expect("it is whole"), Item::Mark);
    assert_eq!(tape.read().expect("it is whole"), Item::Nothing);
    assert!(matches!(tape.write(&[1]), Err(TapeError::ReadOnly)));
    drop(tape);
    let report = check(&path).expect("it is a tape");
    assert_eq!((report.sections.len(), report.sections[0].blocks, report.sections[0].bytes), (1, 1, 5));
    // A header that says another length before it is told, and read over.
    bytes[11] = 9;
    fs::write(&path, &bytes).expect("it is ours");
    assert_eq!(check(&path).expect("it is a tape").wrong.len(), 1);
    fs::remove_file(path).expect("it is ours");
}

#[test]
fn damaged_files_are_refused_or_read_and_break_nothing() {
    let path = place("whole.het");
    let mut tape = Tape::create(&path).expect("a new file");
    for length in [80, 5000, 70_000] {
        tape.write(&vec![0x40; length]).expect("there is room");
        tape.write(&(0..length).map(|n| (n * n) as u8).collect::<Vec<u8>>()).expect("there is room");
        tape.write_mark().expect("there is room");
    }
    drop(tape);
    let whole = fs::read(&path).expect("it was just written");
    let other = place("damaged.het");
    let mut random = Random::seeded(99);
    for round in 0..400 {
        let mut bytes = whole.clone();
        if round % 2 == 0 {
            bytes.truncate(random.below(bytes.len()));
        } else {
            let places = [random.below(200), random.below(bytes.len())];
            bytes[places[random.below(2)]] = random.byte();
        }
        fs::write(&other, &bytes).expect("it is ours");
        if let Ok(mut tape) = Tape::open(&other, true) {
            while !matches!(tape.read(), Ok(Item::Nothing)) {}
            while !matches!(tape.read_backward(), Ok(Item::Nothing)) {}
            // A cut tape can be written on at its end; one that is damaged further in is not to lose what follows.
            tape.locate(u32::MAX);
            if !tape.writable() {
                assert!(tape.notice().expect("there is a reason").contains("may only be read"));
                assert!(matches!(tape.write(b"after"), Err(TapeError::ReadOnly)));
                continue;
            }
            tape.write(b"after").expect("there is room");
            assert_eq!(tape.read_backward().expect("it was just written"), Item::Block(b"after".to_vec()));
        }
        let _ = check(&other);
    }
    for path in [path, other] {
        fs::remove_file(path).expect("it is ours");
    }
}

#[test]
fn a_tape_is_on_one_drive() {
    let path = place("locked.aws");
    let tape = Tape::create(&path).expect("a new file");
    assert!(matches!(Tape::open(&path, true), Err(TapeError::InUse)));
    assert!(Tape::create(&path).is_err());
    drop(tape);
    assert!(Tape::open(&path, true).is_ok());
    fs::write(&path, b"this is no tape").expect("it is ours");
    assert!(matches!(Tape::open(&path, true), Err(TapeError::NotATape(_))));
    fs::remove_file(path).expect("it is ours");
}

/// What follows the last block of a tape, of each kind: the blocks before it are read, and the rest is told.
#[test]
fn what_follows_the_end_of_a_tape_is_told_and_the_rest_is_read() {
    let path = place("followed.aws");
    let mut tape = Tape::create(&path).expect("a new file");
    tape.write(&[0xc1; 80]).unwrap();
    tape.write_mark().unwrap();
    tape.write_mark().unwrap();
    drop(tape);
    let whole = fs::read(&path).unwrap();
    let cases: [(&[u8], bool, &str); 5] = [
        (&[0; 1], true, "1 bytes from byte 98 on are no whole block: it was cut"),
        (&[0; 414], true, "414 bytes of zeros from byte 98 on fill the file up"),
        (&[0xff; 200], false, "200 bytes from byte 98 on cannot be read (byte 98: a tape mark in a block)"),
        (b"\0\0\0\0\0\0 and then a text", false, "(byte 98: no block begins here)"),
        (&[80, 0, 0, 0, 0xa3, 0, 1, 2], true, "8 bytes from byte 98 on are no whole block"),
    ];
    for (rest, writable, told) in cases {
        fs::write(&path, [whole.as_slice(), rest].concat()).unwrap();
        let mut tape = Tape::open(&path, true).unwrap();
        assert_eq!((tape.count(), tape.writable()), (3, writable), "{told}");
        assert_eq!(tape.read().unwrap(), Item::Block(vec![0xc1; 80]));
        let notice = tape.notice().unwrap();
        assert!(notice.contains(told) && notice.contains("after block 3: "), "{notice}");
        drop(tape);
        let report = check(&path).unwrap();
        assert_eq!((report.sections.len(), report.wrong.len()), (2, 1), "{report:?}");
        assert!(report.wrong[0].contains(told), "{report:?}");
        // Zeros and what is left of a block go when something is written there; nothing else does.
        let mut tape = Tape::open(&path, true).unwrap();
        tape.locate(3);
        assert_eq!(tape.write(b"more").is_ok(), writable, "{told}");
        drop(tape);
        let length = if writable { whole.len() + 10 } else { whole.len() + rest.len() };
        assert_eq!(fs::metadata(&path).unwrap().len(), length as u64, "{told}");
    }
    fs::remove_file(path).expect("it is ours");
}

/// Files that CMS has dumped are named, whatever program has written them.
#[test]
fn files_that_cms_has_dumped_are_named() {
    let path = place("dumped.aws");
    let mut tape = Tape::create(&path).expect("a new file");
    let block = |letters: &str, text: &str, length: usize| {
        let mut block = [&[2][..], &base::ebcdic::from_str(letters), &base::ebcdic::from_str(text)].concat();
        block.resize(length, 0);
        block
    };
    tape.write(&block("PLCH", "PROFILE EXEC    ", 109)).unwrap();
    tape.write(&block("PLCD", "/* */", 4005)).unwrap();
    tape.write(&block("PLCH", "DMSNUC  TEXT    ", 109)).unwrap();
    tape.write_mark().unwrap();
    tape.write(&block("CMS ", "data", 805)).unwrap();
    tape.write(&block("CMSN", "ALL     NOTEBOOK", 805)).unwrap();
    tape.write(&block("CMSN", "\u{0}", 805)).unwrap();
    tape.write(&block("PLCH", "SHORT", 9)).unwrap();
    tape.write_mark().unwrap();
    drop(tape);
    let report = check(&path).unwrap();
    assert_eq!(report.sections[0].dumped, ["VMFPLC2 PROFILE EXEC", "VMFPLC2 DMSNUC TEXT"]);
    assert_eq!(report.sections[1].dumped, ["TAPE DUMP ALL NOTEBOOK"]);
    assert_eq!(report.wrong, [""; 0]);
    fs::remove_file(path).expect("it is ours");
}

/// Files that are no tapes of ours, each told by its name, and whatever else as before.
#[test]
fn a_file_that_is_no_tape_is_told_by_its_name() {
    let record = |length: u32| {
        let data = vec![0xe5; length.next_multiple_of(2) as usize];
        [&length.to_le_bytes()[..], &data, &length.to_le_bytes(), &[0; 8]].concat()
    };
    let cases: [(Vec<u8>, &str); 9] = [
        (record(80), "a tape in SIMH format (.tap), which is not read here"),
        (record(801), "a tape in SIMH format (.tap), which is not read here"),
        ([b"000000500050".to_vec(), vec![0x40; 80]].concat(), "a tape in FakeTape format, which is not read here"),
        (b"@TDF\nfile1 FIXED RECSIZE 80\nTM\nEOT\n".to_vec(), "the list of files of an OMA tape"),
        (b"<!DOCTYPE html><html>".to_vec(), "an HTML page"),
        ([&b"\x1f\x8b\x08\0\0\0\0\0"[..], &[7; 500]].concat(), "compressed with gzip"),
        (b"CKD_C370\x0f\0\0\0".to_vec(), "a disk image"),
        (vec![0; 512], ""),
        (b"Dear Sir, thank you".to_vec(), ""),
    ];
    let path = place("foreign.aws");
    for (bytes, name) in cases {
        fs::write(&path, bytes).unwrap();
        let said = Tape::open(&path, true).unwrap_err().to_string();
        let name = if name.is_empty() { String::new() } else { format!(": it is {name}") };
        assert_eq!(said, format!("it is not a tape in AWSTAPE or HET format{name}"));
    }
    fs::remove_file(path).expect("it is ours");
}

/// Tapes that end anywhere: what is read of them is what was written, and a block that is not whole is told; a labelled
/// one is told always.
#[test]
fn a_tape_that_was_cut_is_told() {
    let mut cases = 0;
    for (name, labelled) in
        [("cut-plain.aws", false), ("cut-plain.het", false), ("cut-label.aws", true), ("cut-label.het", true)]
    {
        let path = place(name);
        let mut tape = Tape::create(&path).expect("a new file");
        let label = |text: &str| {
            let mut block = base::ebcdic::from_str(text);
            block.resize(80, 0x40);
            block
        };
        let mut written = Vec::new();
        if labelled {
            written.extend([Some(label("VOL1TAPE01")), Some(label("HDR1FILE")), None]);
        }
        written.extend((0..6u8).map(|n| Some(vec![n; 300 * (usize::from(n) + 1)])));
        written.push(None);
        if labelled {
            written.extend([Some(label("EOF1FILE")), None]);
        }
        written.push(None);
        for block in &written {
            match block {
                Some(block) => tape.write(block).unwrap(),
                None => tape.write_mark().unwrap(),
            }
        }
        assert_eq!(tape.notice(), None);
        drop(tape);
        assert_eq!(check(&path).unwrap().wrong, [""; 0]);
        let whole = fs::read(&path).unwrap();
        let near = |length: &usize| *length < 400 || length + 400 > whole.len() || length.is_multiple_of(11);
        for length in (0..whole.len()).filter(near) {
            fs::write(&path, &whole[..length]).unwrap();
            let mut tape = Tape::open(&path, false).unwrap();
            let read: Vec<Option<Vec<u8>>> = (0..tape.count())
                .map(|_| match tape.read().unwrap() {
                    Item::Block(block) => Some(block),
                    Item::Mark => None,
                    Item::Nothing => panic!("{name}, {length}: fewer than there are"),
                })
                .collect();
            assert_eq!(read[..], written[..read.len()], "{name}, {length} bytes");
            assert!(matches!(tape.read(), Ok(Item::Nothing)));
            let told = !check(&path).unwrap().wrong.is_empty();
            assert!(told || tape.notice().is_none(), "{name}, {length} bytes");
            // Only what ends with a block says nothing; with labels even that does, until what comes after the last
            // file is read.
            let at_end = length == 0 || labelled && read.len() >= written.len() - 1 || read.len() < 2;
            let border = tape.notice().is_none();
            assert!(told || border && (!labelled || at_end), "{name}, {length} bytes: {} elements", read.len());
            cases += 1;
        }
        fs::remove_file(&path).unwrap();
    }
    println!("{cases} cuts");
}
