//! Both ways with the tools of Debian's `hercules` package: their images open here, ours pass their checkers.

mod common;

use common::{Folder, blocks_of, small_3390, track_of};
use dasd::{Existing, Format, Image, Kind, Method, Options, Track, Volume, check, copy, create, label};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

/// Signals that end a process in which something is wrong.
const SIGABRT: i32 = 6;
const SIGSEGV: i32 = 11;

/// Runs a tool; `None`, and a line that says so, if it is not installed.
fn tool(name: &str, arguments: &[&str]) -> Option<String> {
    let run = || Command::new(name).args(arguments).output();
    let Ok(mut done) = run() else {
        println!("skipped: {name} is not installed (apt-get install hercules)");
        return None;
    };
    // In one run of thirty dasdcopy frees something twice when it has written everything, and is ended for it: it has
    // to copy again.
    for _ in 0..5 {
        if name == "dasdcopy" && matches!(done.status.signal(), Some(SIGABRT | SIGSEGV)) {
            std::fs::remove_file(arguments.last().expect("what it writes")).unwrap();
            done = run().unwrap();
        }
    }
    let text = [done.stdout, done.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(done.status.success(), "{name} {arguments:?}: {}: {text}", done.status);
    Some(text)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the folder's name is text")
}

fn quiet(_: u64, _: u64) -> bool {
    true
}

fn clean(path: &Path) {
    let report = check(path, &Options::default(), true, &mut quiet).unwrap();
    assert!(report.clean(), "{report:?}");
}

/// Their checker finds nothing, and nothing to repair.
fn passes_theirs(path: &Path) {
    let Some(said) = tool("cckdcdsk", &["-3", "-ro", text(path)]) else { return };
    let bad = ["error", "recover", "inconsist", "bad "].iter().any(|word| said.to_lowercase().contains(word));
    assert!(!bad, "{said}");
}

/// A track with more than an end-of-file mark on it, which the device has room for.
fn full_track(kind: Kind, track: u32, mut seed: u64) -> Track {
    loop {
        let made = track_of(kind, track, seed);
        if made.image().len() > 60 && kind.fitting(track, &made).is_ok() {
            return made;
        }
        seed += 1000;
    }
}

#[test]
fn volumes_made_by_dasdinit_open() {
    let folder = Folder::empty("dasdinit");
    let cases: [(&[&str], &str, u32); 9] = [
        (&[], "3390-1", 12),
        (&["-z"], "3390-1", 12),
        (&["-bz2"], "3390", 40),
        (&["-0"], "3390", 40),
        (&["-z", "-linux"], "3390", 40),
        (&["-z"], "3380-A", 20),
        (&[], "3350", 5),
        (&[], "2314", 5),
        (&["-z"], "9345-1", 30),
    ];
    for (n, (flags, model, cylinders)) in cases.into_iter().enumerate() {
        let path = folder.path(&format!("v{n}.dasd"));
        let size = cylinders.to_string();
        let arguments = [flags, &[text(&path), model, "HER001", &size]].concat();
        if tool("dasdinit", &arguments).is_none() {
            return;
        }
        clean(&path);
        let image = Image::open(&path, Options::default()).unwrap();
        let Kind::Ckd { device, cylinders: found, .. } = image.kind() else { panic!("{:?}", image.kind()) };
        assert_eq!((format!("{device:04X}").as_str(), found), (&model[..4], cylinders));
        assert_eq!(label::read(&*image).unwrap().unwrap().volser, "HER001");
        // Tracks that are not stored have what the null format says.
        let records = image.read_track(image.kind().tracks() - 1).unwrap().records().count();
        let expected = if flags.contains(&"-linux") { 13 } else { 1 };
        assert_eq!(records, expected, "{flags:?}");
        // Their checker refuses stored tracks that are empty, as their dasdinit stores track 1.
        for track in [1, 3, 17, 30] {
            image.write_track(track, &full_track(image.kind(), track, 77)).unwrap();
        }
        drop(image);
        if !flags.is_empty() {
            passes_theirs(&path);
        }
    }
}

#[test]
fn volumes_made_by_dasdload_open() {
    let folder = Folder::empty("dasdload");
    std::fs::write(folder.path("text"), "the first line\nand the second\n").unwrap();
    let control = format!(
        "# a volume\nher002 3390-1 40\nsysvtoc vtoc trk 14\nUSER.TEXT TEXT {} TRK 2 0 0 PS FB 80 800\n\
         USER.LIB EMPTY TRK 10 5 20 PO FB 80 19040\nUSER.DATA EMPTY CYL 2 1 0 PS FB 80 3120\n",
        text(&folder.path("text"))
    );
    std::fs::write(folder.path("control"), control).unwrap();
    for (n, flags) in [&[][..], &["-z"], &["-bz2"]].into_iter().enumerate() {
        let path = folder.path(&format!("v{n}.dasd"));
        if tool("dasdload", &[flags, &[text(&folder.path("control")), text(&path)]].concat()).is_none() {
            return;
        }
        clean(&path);
        let image = Image::open(&path, Options::default()).unwrap();
        assert_eq!(label::read(&*image).unwrap().unwrap().volser, "HER002");
        let sets = label::data_sets(&*image).unwrap().unwrap();
        let names: Vec<_> = sets.iter().map(|set| set.name.as_str()).collect();
        assert_eq!(names, ["USER.TEXT", "USER.LIB", "USER.DATA"]);
        let [[(cylinder, head), _]] = sets[0].extents[..] else { panic!("{sets:?}") };
        let track = image.read_track(cylinder * 15 + head).unwrap();
        let first = track.records().nth(1).unwrap();
        assert_eq!(base::ebcdic::to_string(&first.data[..14]), "the first line");
        assert_eq!(base::ebcdic::to_string(&first.data[80..94]), "and the second");
        // It is written, too, and stays theirs.
        image.write_track(30 * 15, &full_track(image.kind(), 30 * 15, 77)).unwrap();
        drop(image);
        if !flags.is_empty() {
            passes_theirs(&path);
        }
    }
}

#[test]
fn fixed_block_volumes_made_by_dasdinit_open() {
    let folder = Folder::empty("dasdinit-fba");
    for (n, flags) in [&[][..], &["-z"], &["-bz2"]].into_iter().enumerate() {
        let path = folder.path(&format!("v{n}.3370"));
        if tool("dasdinit", &[flags, &[text(&path), "3370", "FBA001", "2000"]].concat()).is_none() {
            return;
        }
        let image = Image::open(&path, Options::default()).unwrap();
        assert_eq!(image.kind().blocks(), 2000);
        assert_eq!(label::read(&*image).unwrap().unwrap().volser, "FBA001");
        image.write_blocks(1900, &blocks_of(100, 3)).unwrap();
        image.write_blocks(100, &blocks_of(300, 4)).unwrap();
        drop(image);
        clean(&path);
        if !flags.is_empty() {
            passes_theirs(&path);
            let plain = folder.path("plain");
            let _ = std::fs::remove_file(&plain);
            tool("dasdcopy", &["-q", "-o", "FBA", text(&path), text(&plain)]);
            let bytes = std::fs::read(&plain).unwrap();
            assert_eq!(&bytes[100 * 512..400 * 512], blocks_of(300, 4));
            assert_eq!(&bytes[1900 * 512..], blocks_of(100, 3));
        }
    }
}

#[test]
fn our_volumes_pass_their_checkers_and_copy_to_the_same_tracks() {
    let folder = Folder::empty("cckdcdsk");
    let kind = small_3390(40);
    for (n, method) in [Method::Zlib, Method::Bzip2, Method::None].into_iter().enumerate() {
        let path = folder.path(&format!("v{n}.cckd"));
        create(&path, kind, Format::Compressed { wide: false, method }).unwrap();
        let image = Image::open(&path, Options::default()).unwrap();
        label::write(&*image, "OUR001").unwrap();
        // Written several times over, so that there is free space of every kind.
        for round in 0..4u64 {
            for track in (2..600).step_by(5) {
                image.write_track(track, &full_track(kind, track, round ^ u64::from(track))).unwrap();
            }
            image.flush().unwrap();
        }
        drop(image);
        clean(&path);
        passes_theirs(&path);
        let plain = folder.path("plain.3390");
        let _ = std::fs::remove_file(&plain);
        if tool("dasdcopy", &["-q", "-o", "CKD", text(&path), text(&plain)]).is_none() {
            return;
        }
        clean(&plain);
        let (ours, theirs) = (dasd::open(&path).unwrap(), dasd::open(&plain).unwrap());
        assert_eq!(ours.kind(), theirs.kind());
        for track in 0..600 {
            let (ours, theirs) = (ours.read_track(track).unwrap(), theirs.read_track(track).unwrap());
            // To their copy a track that is not stored has an end-of-file mark, whatever the null format says.
            let empty = ours.records().count() == 1 && theirs.records().skip(1).all(|record| record.data.is_empty());
            assert!(ours == theirs || empty, "track {track}: {ours:?} {theirs:?}");
        }
        drop((ours, theirs));
        // Their compression makes a file that opens here, and ours one that opens there.
        tool("cckdcomp", &[text(&path)]);
        clean(&path);
        let again = folder.path("again.cckd");
        let _ = std::fs::remove_file(&again);
        tool("dasdcopy", &["-q", "-z", "-o", "CCKD", text(&plain), text(&again)]);
        clean(&again);
        let listed = tool("dasdls", &["-info", text(&again)]).unwrap();
        assert!(listed.contains("OUR001"), "{listed}");
    }
}

/// A compressed image of a big-endian host is read and written as any; the tool swaps it back afterwards.
#[test]
fn a_big_endian_image_is_read_and_written() {
    let folder = Folder::empty("swapped");
    let kinds = [small_3390(20), Kind::Fba { device: 0x9336, model: 0x10, blocks: 5000 }];
    for (n, kind) in kinds.into_iter().enumerate() {
        let path = folder.path(&format!("swapped.{n}"));
        let format = Format::Compressed { wide: false, method: Method::Zlib };
        let fixed = matches!(kind, Kind::Fba { .. });
        create(&path, kind, format).unwrap();
        let write = |volume: &dyn Volume, seed: u64| match fixed {
            true => volume.write_blocks(seed * 100, &blocks_of(7, seed)).unwrap(),
            false => volume.write_track(seed as u32, &full_track(kind, seed as u32, seed)).unwrap(),
        };
        let reads = |volume: &dyn Volume, seed: u64| match fixed {
            true => {
                let mut found = vec![0; 7 * Kind::BLOCK];
                volume.read_blocks(seed * 100, &mut found).unwrap();
                assert!(found == blocks_of(7, seed), "{kind:?} {seed}");
            }
            false => {
                let wanted = full_track(kind, seed as u32, seed);
                assert!(volume.read_track(seed as u32).unwrap().image() == wanted.image(), "{kind:?} {seed}");
            }
        };
        let volume = dasd::open(&path).unwrap();
        write(&*volume, 1);
        volume.close().unwrap();
        drop(volume);
        if tool("cckdswap", &[text(&path)]).is_none() {
            return;
        }
        clean(&path);
        let volume = dasd::open(&path).unwrap();
        assert_eq!(volume.kind(), kind);
        reads(&*volume, 1);
        write(&*volume, 2);
        // A shadow file over it is ours, and little-endian.
        volume.snapshot().unwrap();
        write(&*volume, 3);
        volume.merge_snapshot().unwrap();
        volume.close().unwrap();
        drop(volume);
        let bytes = std::fs::read(&path).unwrap();
        assert!(bytes[515] & 0x02 != 0, "it keeps its byte order");
        clean(&path);
        tool("cckdswap", &[text(&path)]);
        let volume = dasd::open(&path).unwrap();
        (1..4).for_each(|seed| reads(&*volume, seed));
    }
}

#[test]
fn a_new_3390_is_of_a_form_that_they_know_unless_it_is_too_large() {
    for (kind, wide) in [
        (small_3390(3339), false),
        (small_3390(3800), true),
        (Kind::Fba { device: 0x9336, model: 0, blocks: 5000 }, true),
    ] {
        assert_eq!(Format::usual(kind, Method::Zlib), Format::Compressed { wide, method: Method::Zlib }, "{kind:?}");
    }
}

#[test]
fn our_fixed_block_volumes_pass_their_checkers_and_copy_to_the_same_blocks() {
    let folder = Folder::empty("usual");
    let fba = |blocks| Kind::Fba { device: 0x9336, model: 0, blocks };
    for (n, method) in [Method::Zlib, Method::Bzip2, Method::None].into_iter().enumerate() {
        let (path, plain) = (folder.path(&format!("v{n}.9336")), folder.path(&format!("p{n}.9336")));
        create(&path, fba(5000), Format::Compressed { wide: false, method }).unwrap();
        let image = Image::open(&path, Options::default()).unwrap();
        // Written several times over, so that there is free space of every kind.
        for seed in 1..5 {
            for block in (0..4800).step_by(270) {
                image.write_blocks(block, &blocks_of(100 + (seed as usize) * 17, seed ^ block)).unwrap();
            }
            image.flush().unwrap();
        }
        let mut wanted = vec![0; 5000 * 512];
        image.read_blocks(0, &mut wanted).unwrap();
        drop(image);
        clean(&path);
        passes_theirs(&path);
        if tool("dasdcopy", &["-q", "-o", "FBA", text(&path), text(&plain)]).is_none() {
            return;
        }
        assert!(std::fs::read(&plain).unwrap() == wanted, "{method:?}");
    }
}

#[test]
fn our_plain_volumes_copy_and_list() {
    let folder = Folder::empty("dasdcopy");
    let (path, theirs) = (folder.path("ours.3380"), folder.path("theirs.cckd"));
    let kind = Kind::of_model(dasd::model::CkdModel::named("3380-K").unwrap(), 10);
    create(&path, kind, Format::Plain).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    label::write(&*image, "PLAIN1").unwrap();
    for track in 2..150 {
        image.write_track(track, &track_of(kind, track, track.into())).unwrap();
    }
    drop(image);
    if tool("dasdcopy", &["-q", "-z", "-o", "CCKD", text(&path), text(&theirs)]).is_none() {
        return;
    }
    clean(&theirs);
    let listed = tool("dasdls", &[text(&path)]).unwrap();
    assert!(!listed.contains("not found"), "{listed}");
    let from = Image::open(&theirs, Options { read_only: true, ..Options::default() }).unwrap();
    let back = folder.path("back.3380");
    copy(&*from, &back, kind, Format::Plain, Existing::Refuse, &mut quiet).unwrap();
    let back = dasd::open(&back).unwrap();
    for track in 2..150 {
        assert_eq!(*back.read_track(track).unwrap(), track_of(kind, track, track.into()));
    }
}

#[test]
fn shadow_files_are_read_by_their_tools() {
    let folder = Folder::empty("their-shadows");
    let path = folder.path("base.3390");
    let kind = small_3390(30);
    create(&path, kind, Format::Compressed { wide: false, method: Method::Zlib }).unwrap();
    let image = Image::open(&path, Options::default()).unwrap();
    for track in 0..100 {
        image.write_track(track, &track_of(kind, track, 1)).unwrap();
    }
    let shadow = image.snapshot().unwrap();
    for track in 50..150 {
        image.write_track(track, &track_of(kind, track, 2)).unwrap();
    }
    drop(image);
    passes_theirs(&shadow);
    let plain = folder.path("plain.3390");
    let template = format!("sf={}", text(&folder.path("base_s1.3390")));
    if tool("dasdcopy", &["-q", "-o", "CKD", text(&path), &template, text(&plain)]).is_none() {
        return;
    }
    let theirs = dasd::open(&plain).unwrap();
    for track in 0..150 {
        let seed = if track < 50 { 1 } else { 2 };
        assert_eq!(*theirs.read_track(track).unwrap(), track_of(kind, track, seed), "track {track}");
    }
}
