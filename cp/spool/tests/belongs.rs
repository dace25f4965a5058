//! Files of the spool folder that are cut, older, another file's or gone: told, or harmless; never another file's
//! cards.

use std::fs;
use std::path::{Path, PathBuf};

use base::Tod;
use spool::*;

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("spool-belongs-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    path
}

/// The cards of file `n`, of which some fill several blocks.
fn cards(n: u8) -> Vec<[u8; 80]> {
    (0..30 + 40 * u16::from(n))
        .map(|card| std::array::from_fn(|at| n.wrapping_mul(7) + card as u8 + at as u8 / 9))
        .collect()
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_file()).map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

fn put(folder: &Path, files: &[(PathBuf, Vec<u8>)]) {
    fs::remove_dir_all(folder).unwrap();
    fs::create_dir_all(folder).unwrap();
    files.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
}

/// What is read of each file that there is: its cards, or an error. Whether anything was told.
fn sound(folder: &Path, what: &str) -> bool {
    let mut spool = Spool::open(folder).unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut told = !spool.damaged().is_empty();
    let there: Vec<(String, u16)> =
        spool.files("U1", Queue::Reader).map(|file| (file.name.clone(), file.spid)).collect();
    told |= there.len() < 4;
    for (name, spid) in there {
        let n: u8 = name.parse().unwrap();
        let mut reader = match spool.open_file("U1", spid) {
            Ok(reader) => reader,
            Err(_) => {
                told = true;
                continue;
            }
        };
        let mut wanted = cards(n).into_iter();
        loop {
            match reader.next_record() {
                Ok(Some(record)) => {
                    let mut card = [0x40; 80];
                    card[..record.data.len()].copy_from_slice(record.data);
                    assert_eq!(Some(card), wanted.next(), "{what}: file {name}");
                }
                Ok(None) => {
                    assert_eq!(wanted.next(), None, "{what}: file {name} ends early");
                    break;
                }
                Err(_) => {
                    told = true;
                    break;
                }
            }
        }
    }
    told
}

#[test]
fn no_card_of_another_file_or_of_another_time_is_read() {
    let folder = folder("sweep");
    let mut steps = Vec::new();
    let mut spool = Spool::open(&folder).unwrap();
    for n in 0..4 {
        let mut output = spool.open_output("MAINT", Device::Punch).unwrap();
        cards(n).iter().for_each(|card| output.write(0x41, card).unwrap());
        let attributes = Attributes { name: n.to_string(), ..Attributes::new("U1", Queue::Reader, Tod(1)) };
        spool.close_output(output, &attributes).unwrap().unwrap();
        steps.push(files(&folder));
    }
    let spid = spool.files("U1", Queue::Reader).next().unwrap().spid;
    spool
        .change("U1", Queue::Reader, &Selection::Spid(spid), &Change { class: Some('B'), ..Change::default() })
        .unwrap();
    drop(spool);
    let newest = files(&folder);
    assert!(!sound(&folder, "as it is"));
    let (mut cases, mut told) = (0, 0);
    let mut case = |what: &str, change: &dyn Fn()| {
        put(&folder, &newest);
        change();
        cases += 1;
        told += usize::from(sound(&folder, what));
    };
    let spooled = |path: &Path| path.extension().is_some_and(|end| end == "meta" || end == "data");
    let these: Vec<_> = newest.iter().filter(|(path, _)| spooled(path)).collect();
    for (path, bytes) in &these {
        let name = path.file_name().unwrap().to_string_lossy();
        case(&format!("{name} is gone"), &|| fs::remove_file(path).unwrap());
        let steps_of = if bytes.len() > 1000 { 127 } else { 7 };
        for length in (0..bytes.len()).step_by(steps_of).chain([bytes.len() - 1]) {
            case(&format!("{name} of {length} bytes"), &|| fs::write(path, &bytes[..length]).unwrap());
        }
        for at in (0..bytes.len()).step_by(steps_of * 2 + 1) {
            let mut other = bytes.clone();
            other[at] ^= 4;
            case(&format!("{name} with another byte {at}"), &|| fs::write(path, &other).unwrap());
        }
        for (from, other) in &these {
            if from != path && from.extension() == path.extension() {
                case(&format!("{name} is {}", from.display()), &|| fs::write(path, other).unwrap());
                let mixed = [&other[..other.len().min(4096)], &bytes[bytes.len().min(4096)..]].concat();
                case(&format!("{name} begins as {}", from.display()), &|| fs::write(path, &mixed).unwrap());
            }
        }
    }
    // The whole folder as it was earlier is the spool as it was then.
    for earlier in &steps {
        case("an older folder", &|| put(&folder, earlier));
    }
    println!("{cases} cases, {told} told");
    assert!(cases > 600, "{cases}");
    fs::remove_dir_all(&folder).unwrap();
}
