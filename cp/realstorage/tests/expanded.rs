//! Who gets how much of the system's expanded storage, and what is left of it.

use arch::Absolute;
use realstorage::expanded::Amount::{All, Megabytes};
use realstorage::expanded::{Error, Expanded, System};

const MEGABYTE: u64 = 1 << 20;

#[test]
fn megabytes_go_to_users_and_come_back() {
    let expanded = Expanded::new(64 * MEGABYTE + 4096);
    let first = expanded.attach("FIRST", Megabytes(16)).unwrap();
    first.blocks.write(Absolute(16 * MEGABYTE - 1), &[1]).unwrap();
    assert!(first.blocks.write(Absolute(16 * MEGABYTE), &[1]).is_err());
    assert!(matches!(expanded.attach("OTHER", Megabytes(49)), Err(Error::TooMuch(48))));
    assert!(matches!(expanded.attach("OTHER", Megabytes(0)), Err(Error::TooMuch(48))));
    let rest = expanded.attach("OTHER", All).unwrap();
    assert_eq!(rest.megabytes, 48);
    assert!(matches!(expanded.attach("THIRD", All), Err(Error::TooMuch(0))));
    assert_eq!(expanded.owners(), [("FIRST".to_string(), 16), ("OTHER".to_string(), 48)]);
    drop(first);
    let again = expanded.attach("THIRD", Megabytes(16)).unwrap();
    assert_eq!(again.blocks.read_array(Absolute(16 * MEGABYTE - 1)), Ok([0]), "what was there is gone");
    drop((rest, again));
    assert_eq!(expanded.system(), System { megabytes: 64, retained: 0, pending: 0 });
    assert!(matches!(Expanded::default().attach("FIRST", All), Err(Error::Absent)));
}

#[test]
fn what_is_retained_is_not_attached() {
    let expanded = Expanded::new(64 * MEGABYTE);
    let partition = expanded.attach("FIRST", Megabytes(40)).unwrap();
    assert_eq!(expanded.retain(Megabytes(10)), System { megabytes: 24, retained: 10, pending: 0 });
    assert!(matches!(expanded.attach("OTHER", Megabytes(15)), Err(Error::TooMuch(14))));
    assert_eq!(expanded.retain(All), System { megabytes: 24, retained: 24, pending: 40 });
    drop(partition);
    assert_eq!(expanded.system(), System { megabytes: 64, retained: 64, pending: 0 });
    assert_eq!(expanded.retain(Megabytes(u64::MAX)).available(), 0);
    assert_eq!(expanded.retain(Megabytes(0)).available(), 64);
}
