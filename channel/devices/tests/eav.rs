//! Disks of more than 65,520 cylinders, in every format: 28-bit cylinder numbers in addresses (IBM 3990 Reference,
//! "Extended address volumes": CCCC CCCH), and what says how large they are.

mod disk;

use arch::dasd::Cchh;
use dasd::model::CkdModel;
use dasd::{Format, Image, Kind, Method, Volume};
use devices::dasd::{Eckd, Options};
use disk::{Machine, Step, get, put};
use std::sync::Arc;
use support::Random;
use support::folder::Folder;
use zerocopy::IntoBytes;

const CYLINDERS: u32 = 262_668;

fn machine(image: &Arc<Image>) -> Machine {
    Machine::new(Box::new(Eckd::new(image.clone(), Options::default())))
}

/// A DEFINE EXTENT that allows all writes.
fn extent(first: Cchh, last: Cchh) -> Step {
    put(0x63, &[&[0xc0, 0xc0, 0, 0, 0, 0, 0, 0][..], first.as_bytes(), last.as_bytes()].concat())
}

fn locate(operation: u8, count: u8, track: Cchh, record: u8) -> Step {
    put(0x47, &[&[operation, 0, 0, count][..], track.as_bytes(), track.as_bytes(), &[record, 0xff, 0, 0]].concat())
}

/// A WRITE CKD of record 1 with 512 bytes.
fn format(track: Cchh, fill: u8) -> Step {
    put(0x1d, &[track.as_bytes(), &[1, 0, 2, 0], &[fill; 512]].concat())
}

#[test]
fn cylinders_beyond_65535_are_reached_and_stay_apart() {
    let folder = Folder::empty("eav-reached");
    let kind = Kind::of_model(CkdModel::named("3390-A").expect("there is one"), CYLINDERS);
    for (name, wide) in [("cckd", false), ("cckd64", true)] {
        let path = folder.path(name);
        dasd::create(&path, kind, Format::Compressed { wide, method: Method::Zlib }).expect("it is made");
        let open = || Image::open(&path, dasd::Options::default()).expect("it opens");
        let mut m = machine(&open());
        // The number that fits, and the one that is meant.
        m.good(&[get(0xe4, 7).sli(), get(0x64, 64)]);
        let rdc = m.data(1, 64);
        assert_eq!((m.data(0, 7)[6], &rdc[12..16], &rdc[60..]), (0x0e, &[0xff, 0xfe, 0, 15][..], &[0, 4, 2, 0x0c][..]));
        // Cylinders that have the right 16 bits in common, around each border, and random ones.
        let mut random = Random::seeded(0xea5);
        let mut cylinders = vec![0, 65_519, 65_520, 65_535, 65_536, 65_537, 131_072, 196_608, 262_143, CYLINDERS - 1];
        cylinders.extend((0..50).map(|_| random.below(u64::from(CYLINDERS)) as u32));
        cylinders.sort_unstable();
        cylinders.dedup();
        let track = |cylinder: u32| Cchh::of(cylinder, cylinder % 15);
        for &cylinder in &cylinders {
            let at = track(cylinder);
            m.good(&[extent(at, at), locate(0x03, 1, at, 0), format(at, cylinder as u8 ^ (cylinder >> 16) as u8)]);
        }
        drop(m);
        let mut m = machine(&open());
        for &cylinder in &cylinders {
            let at = track(cylinder);
            m.good(&[extent(at, at), locate(0x16, 2, at, 1), get(0x1a, 5), get(0x06, 512)]);
            let home = [&[0][..], at.as_bytes()].concat();
            let fill = cylinder as u8 ^ (cylinder >> 16) as u8;
            assert_eq!((m.data(2, 5), m.data(3, 512)), (home, vec![fill; 512]), "{name}, cylinder {cylinder}");
            // By SEEK and SEARCH ID, too.
            let seek = put(0x07, &[&[0, 0][..], at.as_bytes()].concat());
            m.good(&[seek, put(0x31, &[at.as_bytes(), &[1]].concat()), disk::tic(1), get(0x06, 512)]);
            assert_eq!(m.data(3, 512), [fill; 512]);
        }
        drop(m);
        let checked = open();
        assert_eq!(checked.kind(), kind);
        drop(checked);
        let report = dasd::check(&path, &dasd::Options::default(), false, &mut |_, _| true).expect("it is read");
        assert!(report.clean(), "{name}");
    }
}

#[test]
fn programs_go_on_over_cylinder_65535_and_not_beyond_the_end() {
    let folder = Folder::empty("eav-borders");
    let path = folder.path("eav");
    let kind = Kind::of_model(CkdModel::named("3390-A").expect("there is one"), 65_667);
    dasd::create(&path, kind, Format::Compressed { wide: true, method: Method::Zlib }).expect("it is made");
    let mut m = machine(&Image::open(&path, dasd::Options::default()).expect("it opens"));
    let (before, after) = (Cchh::of(65_535, 14), Cchh::of(65_536, 0));
    assert_eq!((before.get(), after.get()), ((0xffff, 14), (0, 0x10)));
    for (at, fill) in [(before, 1), (after, 2)] {
        m.good(&[extent(at, at), locate(0x03, 1, at, 0), format(at, fill)]);
    }
    m.good(&[extent(before, after), locate(0x06, 2, before, 1), get(0x86, 512), get(0x86, 512)]);
    assert_eq!((m.data(2, 1), m.data(3, 1)), (vec![1], vec![2]));
    // WRITE HOME ADDRESS verifies all 28 bits; SEEK HEAD wants the head alone.
    let home = |at: Cchh| put(0x19, &[&[0][..], at.as_bytes()].concat());
    m.good(&[extent(after, after), locate(0x43, 1, after, 0), home(after)]);
    assert_eq!(m.bad(&[extent(after, after), locate(0x43, 1, after, 0), home(Cchh::of(0, 0))]).0[7], 4);
    let seek = |at: Cchh| put(0x07, &[&[0, 0][..], at.as_bytes()].concat());
    m.good(&[seek(before), put(0x1b, &[&[0, 0][..], Cchh::of(65_535, 3).as_bytes()].concat())]);
    // Beyond the last cylinder, and a head that is none.
    for at in [Cchh::of(65_667, 0), Cchh::of(131_072, 0), Cchh::of(0x0fff_ffff, 0), Cchh::of(65_536, 15)] {
        assert_eq!(m.bad(&[seek(at)]).0[7], 4, "{at:?}");
        assert_eq!(m.bad(&[extent(Cchh::of(0, 0), at)]).0[7], 4, "{at:?}");
    }
    m.good(&[seek(Cchh::of(65_666, 14))]);
}
