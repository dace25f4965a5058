//! The life of spool files: SPOOL, CLOSE, CHANGE, TRANSFER, ORDER, PURGE, reading, and what a crash leaves.

use std::path::Path;

use base::{Tod, ebcdic};
use spool::*;
use support::folder::Folder;

fn open(folder: &Folder) -> Spool {
    Spool::open(&folder.0).unwrap()
}

fn card(text: &str) -> [u8; 80] {
    ebcdic::padded(text)
}

/// `from` punches `cards` to `to`'s reader under the name `name`.
fn send(spool: &mut Spool, from: &str, to: &str, name: &str, cards: &[&str]) -> SpoolFile {
    let mut output = spool.open_output(from, Device::Punch).unwrap();
    cards.iter().for_each(|c| output.write(0x41, &card(c)).unwrap());
    let attributes = Attributes { name: name.into(), ..Attributes::new(to, Queue::Reader, Tod(1)) };
    spool.close_output(output, &attributes).unwrap().unwrap()
}

fn names(spool: &Spool, owner: &str, queue: Queue) -> Vec<String> {
    spool.files(owner, queue).map(|f| f.name.clone()).collect()
}

fn read(reader: &mut ReaderFile) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        lines.push(ebcdic::to_string(record.data));
    }
    lines
}

#[test]
fn punched_to_another_user_and_read() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    let mut output = spool.open_output("MAINT", Device::Punch).unwrap();
    assert_eq!(output.spid(), 1);
    output.write(0x41, &card("HELLO")).unwrap();
    output.write(0x41, &card("")).unwrap();
    assert_eq!(spool.count("U1", Queue::Reader), 0, "an open file is not there yet");
    let file = spool.close_output(output, &Attributes::new("U1", Queue::Reader, Tod(5))).unwrap().unwrap();
    assert_eq!((file.spid, file.originator.as_str(), file.records, file.device.name()), (1, "MAINT", 2, "PUN"));
    assert!(spool.file("MAINT", 1).is_none());

    let mut reader = spool.open_reader("U1", '*').unwrap().unwrap();
    assert!(spool.file("U1", 1).unwrap().in_use);
    assert!(spool.open_reader("U1", '*').unwrap().is_none(), "a file in use is not read twice");
    assert!(matches!(spool.open_file("U1", 1), Err(Error::InUse(..))));
    assert_eq!(spool.purge("U1", Queue::Reader, &Selection::All).unwrap(), 0);
    assert_eq!(reader.record_length(), 80);
    let first = reader.next_record().unwrap().unwrap();
    assert_eq!((first.op, first.data), (0x41, &card("HELLO")[..5]));
    assert_eq!(read(&mut reader), [" "]);
    assert_eq!(reader.next_record().unwrap(), None);
    assert!(spool.close_reader(reader, After::AsFile).unwrap().is_none(), "read files are purged");
    assert_eq!(spool.count("U1", Queue::Reader), 0);
}

#[test]
fn a_file_that_stays_with_its_writer_keeps_its_number() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    send(&mut spool, "U1", "U2", "A", &["1"]);
    let own = send(&mut spool, "U1", "U1", "B", &["1"]);
    assert_eq!(own.spid, 2);
    let empty = spool.open_output("U1", Device::Printer).unwrap();
    assert!(spool.close_output(empty, &Attributes::new("U1", Queue::Printer, Tod(0))).unwrap().is_none());
    let purged = spool.open_output("U1", Device::Console).unwrap();
    assert_eq!(purged.spid(), 4, "numbers are not used again soon");
    spool.discard_output(purged);
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().filter(|e| is_data(&e.as_ref().unwrap().path())).count(), 2);
}

fn is_data(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "data")
}

#[test]
fn keep_hold_and_class_choose_what_a_reader_gets() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    for name in ["KERNEL", "PARM", "INITRD"] {
        send(&mut spool, "U1", "U1", name, &[name]);
    }
    // CHANGE RDR ALL KEEP NOHOLD, then IPL 00C: each file is read once and the next is found.
    let keep = Change { keep: Some(true), user_hold: Some(false), ..Change::default() };
    for ipl in 0..2 {
        assert_eq!(spool.change("U1", Queue::Reader, &Selection::All, &keep).unwrap(), 3, "IPL {ipl}");
        for name in ["KERNEL", "PARM", "INITRD"] {
            let mut reader = spool.open_reader("U1", '*').unwrap().unwrap();
            assert_eq!(read(&mut reader), [name]);
            let kept = spool.close_reader(reader, After::AsFile).unwrap().unwrap();
            assert_eq!(kept.hold.name(), "USER");
        }
        assert!(spool.open_reader("U1", '*').unwrap().is_none());
    }
    spool.change("U1", Queue::Reader, &Selection::Spid(2), &Change { class: Some('B'), ..keep }).unwrap();
    assert!(spool.open_reader("U1", 'A').unwrap().is_none());
    let reader = spool.open_reader("U1", 'B').unwrap().unwrap();
    assert_eq!(reader.spid(), 2);
    assert_eq!(spool.close_reader(reader, After::Hold).unwrap().unwrap().hold.name(), "NONE");
    let reader = spool.open_reader("U1", 'B').unwrap().unwrap();
    assert!(spool.close_reader(reader, After::Purge).unwrap().is_none(), "NOKEEP goes before the file's KEEP");
}

#[test]
fn order_transfer_change_and_purge() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    for name in ["A", "B", "C", "D"] {
        send(&mut spool, "U1", "U1", name, &[name]);
    }
    let order = [Selection::Spid(4), Selection::Spid(2), Selection::Spid(77)];
    assert_eq!(spool.order("U1", Queue::Reader, &order).unwrap(), 2);
    assert_eq!(names(&spool, "U1", Queue::Reader), ["D", "B", "A", "C"]);
    send(&mut spool, "U2", "U2", "X", &["x"]);
    let moved = spool.transfer("U1", Queue::Reader, &Selection::Spid(2), "U2", Queue::Reader).unwrap();
    assert_eq!(moved, [Moved { was: 2, spid: 2 }]);
    assert_eq!(names(&spool, "U2", Queue::Reader), ["X", "B"]);
    let form = Change { form: Some("NARROW".into()), name: Some("LONGERTHANTWELVE".into()), ..Change::default() };
    assert_eq!(spool.change("U1", Queue::Reader, &Selection::Spid(1), &form).unwrap(), 1);
    assert_eq!(spool.file("U1", 1).unwrap().name, "LONGERTHANTW");
    let narrow = Selection::Form("NARROW".into());
    assert_eq!(spool.transfer("U1", Queue::Reader, &narrow, "U1", Queue::Printer).unwrap().len(), 1);
    drop(spool);
    let mut spool = open(&folder);
    assert_eq!(names(&spool, "U1", Queue::Reader), ["D", "C"], "the order survives a restart");
    assert_eq!(spool.count("U1", Queue::Printer), 1);
    assert_eq!(spool.file_after("U1", Queue::Reader, 0).unwrap().name, "D");
    assert_eq!(spool.file_after("U1", Queue::Reader, 4).unwrap().name, "C");
    assert!(spool.file_after("U1", Queue::Reader, 3).is_none());
    assert_eq!(spool.all_files().count(), 5);
    assert_eq!(spool.purge("U1", Queue::Reader, &Selection::All).unwrap(), 2);
    assert!(spool.damaged().is_empty());
}

#[test]
fn no_more_numbers() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    spool.limit("U1", 2);
    send(&mut spool, "U2", "U1", "A", &["1"]);
    send(&mut spool, "U2", "U1", "B", &["1"]);
    let mut output = spool.open_output("U2", Device::Punch).unwrap();
    output.write(0x41, &card("C")).unwrap();
    let failed = spool.close_output(output, &Attributes::new("U1", Queue::Reader, Tod(0))).unwrap_err();
    assert!(matches!(&failed.error, Error::NoSpid(user) if user == "U1"));
    // Nothing is lost: the same file goes to its writer instead.
    let kept = spool.close_output(failed.output, &Attributes::new("U2", Queue::Reader, Tod(0))).unwrap().unwrap();
    assert_eq!(kept.records, 1);
    assert!(matches!(spool.transfer("U2", Queue::Reader, &Selection::All, "U1", Queue::Reader), Err(Error::NoSpid(_))));
    assert!(matches!(spool.open_output("U1", Device::Punch), Err(Error::NoSpid(_))));
    spool.purge("U1", Queue::Reader, &Selection::Spid(1)).unwrap();
    assert_eq!(send(&mut spool, "U2", "U1", "D", &["1"]).spid, 1);
}

/// DIAGNOSE X'14': blocks of 4096 bytes with the records, their lengths and the spool id.
#[test]
fn blocks_for_diagnose_14() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    let mut output = spool.open_output("U2", Device::Punch).unwrap();
    for n in 0..100u8 {
        let mut full = [n + 1; 80];
        full[79] = 0xff;
        output.write(0x41, &full).unwrap();
    }
    spool.limit("U1", 9999);
    send(&mut spool, "U1", "U1", "FIRST", &["x"]);
    let file = spool.close_output(output, &Attributes::new("U1", Queue::Reader, Tod(0))).unwrap().unwrap();
    assert_eq!((file.spid, file.blocks), (2, 3));
    let mut reader = spool.open_file("U1", 2).unwrap();
    let mut block = [0; splink::BLOCK];
    let half = |block: &[u8], at: usize| u16::from_be_bytes([block[at], block[at + 1]]);
    let mut counts = Vec::new();
    while reader.next_block(&mut block).unwrap() {
        assert_eq!((&block[0..4], half(&block, 4064), half(&block, 4088)), (&[0; 4][..], 80, 2));
        counts.push(half(&block, 14));
    }
    assert_eq!(counts, [44, 44, 12]);
    assert!(reader.position(2) && !reader.position(4) && !reader.position(0));
    assert!(reader.next_block(&mut block).unwrap());
    assert_eq!((block[16], half(&block, 22), half(&block, 26), block[28]), (0x41, 80, 92, 45));
    reader.restart();
    assert_eq!(reader.next_record().unwrap().unwrap().data[0], 1);
    let sfblok = splink::sfblok(spool.file("U1", 2).unwrap(), 0);
    assert_eq!((sfblok[32], half(&sfblok, 30), half(&sfblok, 28), half(&sfblok, 26)), (0x80, 2, 80, 100));
    assert_eq!(ebcdic::to_string(&sfblok[8..24]), "U1      U2      ");
    assert_eq!(sfblok[86], 0xc1);
}

#[test]
fn one_system_at_a_time() {
    let folder = Folder::absent("spool");
    let spool = open(&folder);
    let second = Spool::open(&folder.0).map(|_| ()).unwrap_err();
    assert!(second.to_string().contains("belongs to a system that is running"), "{second}");
    drop(spool);
    open(&folder);
}

#[test]
fn punching_from_outside() {
    let folder = Folder::absent("spool");
    let attributes =
        |name: &str, n| Attributes { name: name.into(), ..Attributes::new("LINUX1", Queue::Reader, Tod(n)) };
    let job = |name: &str, n, content| Punch { attributes: attributes(name, n), originator: "HOST".into(), content };
    let kernel: Vec<u8> = (0..1000u32).flat_map(|n| n.to_be_bytes()).chain([0x40; 7]).collect();
    assert_eq!(punch(&folder.0, &job("KERNEL", 1, Content::Binary), &mut &kernel[..]).unwrap().cards, 51);
    let mut spool = open(&folder);
    assert_eq!(names(&spool, "LINUX1", Queue::Reader), ["KERNEL"], "a starting system takes in what is there");
    let long = format!("root=/dev/dasda1 {}\n\nend\n", "x".repeat(80));
    assert_eq!(punch(&folder.0, &job("PARM", 3, Content::Text), &mut long.as_bytes()).unwrap().cards, 4);
    assert_eq!(punch(&folder.0, &job("FIRST", 2, Content::Text), &mut &b"a"[..]).unwrap().cards, 1);
    assert_eq!(punch(&folder.0, &job("NOTHING", 2, Content::Binary), &mut &b""[..]).unwrap().cards, 0);
    let taken = spool.take_drops().unwrap();
    assert_eq!(taken.files, [("LINUX1".into(), 2), ("LINUX1".into(), 3)]);
    assert_eq!(names(&spool, "LINUX1", Queue::Reader), ["KERNEL", "FIRST", "PARM"]);
    assert!(spool.take_drops().unwrap().files.is_empty());

    let mut reader = spool.open_reader("LINUX1", '*').unwrap().unwrap();
    let mut back = Vec::new();
    while let Some(record) = reader.next_record().unwrap() {
        back.extend_from_slice(record.data);
        back.resize(back.len().next_multiple_of(80), 0x40);
    }
    assert_eq!((&back[..kernel.len()], back.len()), (&kernel[..], 51 * 80));
    assert!(back[kernel.len()..].iter().all(|&b| b == 0), "the last card ends in zeros");
    let mut reader = spool.open_file("LINUX1", 3).unwrap();
    assert_eq!(read(&mut reader)[2..], [" ", "end"]);
    // A user without room: the file waits outside.
    spool.limit("LINUX1", 3);
    punch(&folder.0, &job("LATE", 9, Content::Text), &mut &b"a"[..]).unwrap();
    assert!(matches!(spool.take_drops().unwrap().waiting[..], [(_, Error::NoSpid(_))]));
    spool.limit("LINUX1", 4);
    assert_eq!(spool.take_drops().unwrap().files, [("LINUX1".into(), 4)]);
}

/// A text of this host: UTF-8 or ISO 8859-1, and what is lost or does not fit is counted.
#[test]
fn text_becomes_ebcdic_and_what_does_not_fit_is_counted() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    let mut cards = |text: &[u8]| {
        let attributes = Attributes::new("LINUX1", Queue::Reader, Tod(1));
        let job = Punch { attributes, originator: "HOST".into(), content: Content::Text };
        let punched = punch(&folder.0, &job, &mut &text[..]).unwrap();
        let (_, spid) = spool.take_drops().unwrap().files[0].clone();
        let read = read(&mut spool.open_file("LINUX1", spid).unwrap());
        (punched, read)
    };
    let (punched, read) = cards("na\u{ef}ve caf\u{e9} 10 \u{20ac}\n".as_bytes());
    assert_eq!(read, ["na\u{ef}ve caf\u{e9} 10 \u{1a}"], "X'3F' is the substitute character");
    assert_eq!((punched.cards, punched.unknown.count, punched.unknown.first), (1, 1, Some(('\u{20ac}', 1))));
    let (punched, read) = cards(b"\xef\xbb\xbffirst\r\ncaf\xe9\r\n\x1a");
    assert_eq!((read, punched.unknown.count), (vec!["first".to_string(), "caf\u{e9}".into()], 0));
    let (punched, _) = cards(format!("a\n{}\n{}\n", "x".repeat(81), "\u{e9}".repeat(80)).as_bytes());
    assert_eq!((punched.cards, punched.long.count, punched.long.first), (4, 1, Some(2)));
}

/// Steps of taking in a file, each cut off by a crash.
#[test]
fn a_crash_while_a_file_comes_in_neither_loses_nor_doubles_it() {
    for step in 0..3 {
        let folder = Folder::absent("spool");
        drop(open(&folder));
        let job = Punch {
            attributes: Attributes::new("U", Queue::Reader, Tod(1)),
            originator: "HOST".into(),
            content: Content::Text,
        };
        punch(&folder.0, &job, &mut &b"one card"[..]).unwrap();
        let drop = folder.0.join("drop");
        let find = |e: &str| {
            let mut all = std::fs::read_dir(&drop).unwrap().map(|f| f.unwrap().path());
            all.find(|p| p.extension().is_some_and(|x| x == e)).unwrap()
        };
        let (data, meta) = (find("data"), find("meta"));
        let saved = std::fs::read(&meta).unwrap();
        match step {
            0 => {}
            1 => std::fs::rename(&data, folder.0.join(data.file_name().unwrap())).unwrap(),
            _ => {
                open(&folder);
                std::fs::write(&meta, saved).unwrap();
            }
        }
        assert_eq!(open(&folder).count("U", Queue::Reader), 1, "step {step}");
        assert_eq!(open(&folder).count("U", Queue::Reader), 1, "step {step}, again");
    }
}

#[test]
fn damage_is_listed_and_does_no_harm() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    for name in ["A", "B", "C"] {
        send(&mut spool, "U1", "U1", name, &["1"]);
    }
    let mut output = spool.open_output("U1", Device::Punch).unwrap();
    output.write(0x41, &[1; 80]).unwrap();
    std::mem::forget(output);
    drop(spool);
    let mut data: Vec<_> =
        std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().path()).filter(|p| is_data(p)).collect();
    data.sort();
    assert_eq!(data.len(), 4);
    std::fs::write(&data[0], [0; 100]).unwrap();
    std::fs::write(data[1].with_extension("meta"), "half a hea").unwrap();
    let mut spool = open(&folder);
    assert_eq!(spool.damaged().len(), 2);
    assert_eq!(names(&spool, "U1", Queue::Reader), ["C"]);
    assert!(!data[3].exists(), "what was open when the system died goes");
    assert!(data[0].exists(), "damaged files are left for somebody to look at");
    // A file whose data goes while the system runs gets out of the reader's way.
    send(&mut spool, "U1", "U1", "D", &["1"]);
    std::fs::remove_file(&data[2]).unwrap();
    assert!(spool.open_reader("U1", '*').is_err());
    assert_eq!(read(&mut spool.open_reader("U1", '*').unwrap().unwrap()), ["1"]);
    // Contents that are not records end in an error, not in nonsense.
    let file = send(&mut spool, "U1", "U2", "E", &["1"]);
    assert_eq!(file.blocks, 1);
    let last = std::fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().path()).filter(|p| is_data(p)).max().unwrap();
    let mut bytes = std::fs::read(&last).unwrap();
    bytes[22..28].fill(0xff);
    std::fs::write(&last, bytes).unwrap();
    let mut reader = spool.open_reader("U2", '*').unwrap().unwrap();
    assert!(matches!(reader.next_record(), Err(Error::Damaged(_))));
}

#[test]
fn records_of_any_length_a_block_holds() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    let mut output = spool.open_output("U1", Device::Printer).unwrap();
    assert!(matches!(output.write(9, &[1; splink::LONGEST + 1]), Err(Error::RecordTooLong(_))));
    for length in [0, 1, 132, 2000, 3000, splink::LONGEST, 5] {
        output.write(9, &vec![7; length]).unwrap();
    }
    let file = spool.close_output(output, &Attributes::new("U1", Queue::Printer, Tod(0))).unwrap().unwrap();
    assert_eq!((file.records, usize::from(file.record_length)), (7, splink::LONGEST));
    let mut reader = spool.open_file("U1", file.spid).unwrap();
    for length in [0, 1, 132, 2000, 3000, splink::LONGEST, 5] {
        assert_eq!(reader.next_record().unwrap().unwrap().data.len(), length);
    }
}

#[test]
fn a_kernel_and_an_initial_ram_disk_pass_quickly() {
    let folder = Folder::absent("spool");
    let mut spool = open(&folder);
    for (name, size) in [("KERNEL", 5 << 20), ("INITRD", 30 << 20)] {
        let bytes: Vec<u8> = (0..size as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let attributes = Attributes { name: name.into(), ..Attributes::new("LINUX1", Queue::Reader, Tod(1)) };
        let job = Punch { attributes, originator: "HOST".into(), content: Content::Binary };
        let started = std::time::Instant::now();
        punch(&folder.0, &job, &mut &bytes[..]).unwrap();
        spool.take_drops().unwrap();
        let punched = started.elapsed();
        let mut reader = spool.open_reader("LINUX1", '*').unwrap().unwrap();
        let (mut at, mut card) = (0, [0; 80]);
        while let Some(record) = reader.next_record().unwrap() {
            card.fill(0x40);
            card[..record.data.len()].copy_from_slice(record.data);
            let end = (at + 80).min(bytes.len());
            assert_eq!(card[..end - at], bytes[at..end]);
            at = end;
        }
        assert_eq!(at, bytes.len());
        spool.close_reader(reader, After::AsFile).unwrap();
        let read = started.elapsed() - punched;
        println!("{name}: punched in {punched:?}, read in {read:?}");
        assert!(punched.as_millis() < 5000 && read.as_millis() < 5000, "{name}: {punched:?}, {read:?}");
    }
}

/// What a system does that is killed: run as a process of its own by the test below.
#[test]
fn work_until_killed() {
    let Ok(folder) = std::env::var("SPOOL_WORK") else { return };
    let mut spool = Spool::open(Path::new(&folder)).unwrap();
    for n in 0u32.. {
        let text = format!("{n:08}");
        let lines = vec![text.as_str(); 1 + n as usize % 60];
        send(&mut spool, "U1", if n % 3 == 0 { "U1" } else { "U2" }, &text, &lines);
        spool.transfer("U2", Queue::Reader, &Selection::All, "U1", Queue::Reader).unwrap();
        let hold = Change { user_hold: Some(n % 2 == 0), ..Change::default() };
        spool.change("U1", Queue::Reader, &Selection::All, &hold).unwrap();
        if n % 5 == 4 {
            spool.purge("U1", Queue::Reader, &Selection::All).unwrap();
        }
    }
}

/// Whenever a system is killed, every file that is there afterwards is whole, and no number is there twice.
#[test]
fn killed_at_any_moment() {
    let folder = Folder::absent("spool");
    for round in 0..12u64 {
        let mut child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "work_until_killed"])
            .env("SPOOL_WORK", &folder.0)
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(15 + round * 7));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut spool = open(&folder);
        assert!(spool.damaged().is_empty(), "round {round}: {:?}", spool.damaged());
        let files: Vec<_> = spool.all_files().map(|f| (f.owner.clone(), f.spid, f.name.clone(), f.records)).collect();
        for (owner, spid, name, records) in files {
            let mut reader = spool.open_file(&owner, spid).unwrap();
            assert_eq!(read(&mut reader), vec![name; records as usize], "round {round}");
            spool.close_reader(reader, After::Hold).unwrap();
        }
    }
}
