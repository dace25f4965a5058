//! The transport's commands, as a driver sends them and as none should.

mod driver;

use arch::io::{DeviceStatus, path_type, subchannel_status};
use arch::virtio::{AdapterIndicators, NetConfig, QueueParts, QueueSize, command, feature, kind, net_feature, status};
use css::{Device, Reset};
use driver::*;
use net::Mac;
use virtio::{Cable, Card, Entropy, Virtio};
use zerocopy::{FromBytes, IntoBytes};

const MAC: Mac = Mac([2, 0, 0, 0, 0, 1]);

fn card() -> Driver {
    Driver::new(Box::new(Virtio::new(Card::new(Cable::new(), MAC, 1500))))
}

fn entropy() -> Driver {
    Driver::new(Box::new(Virtio::new(Entropy::new(|bytes| bytes.fill(0x5a)))))
}

fn device(driver: &mut Driver) -> &mut Virtio<Card> {
    driver.stand.css.device_mut(driver.id).expect("it is one")
}

#[test]
fn the_device_says_what_it_is() {
    for (mut driver, model) in [(card(), kind::NET), (entropy(), kind::RNG)] {
        assert_eq!(driver.command(0xe4, &[0; 7]), Ok(vec![0xff, 0x38, 0x32, model, 0, 0, 0]));
        assert_eq!(driver.command(0x03, &[]), Ok(vec![]), "no operation, before there is a revision");
        assert_eq!(driver.end(0x04, 32).scsw.device, DeviceStatus::ENDED);
        // CHANNEL SUBSYSTEM CALL, store channel-path description.
        let mut block = [0; arch::io::chsc::BLOCK];
        block[..12].copy_from_slice(&[0, 0x10, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0xff]);
        assert_eq!(driver.stand.css.channel_subsystem_call(&mut block), Ok(0));
        assert_eq!(block[24..32], [0x80, 0, path_type::VIRTIO, 0x10, 0, 0, 0, 0]);
    }
}

#[test]
fn linux_brings_a_card_up() {
    let mut driver = card();
    driver.command(command::SET_REVISION, &[0, 2, 0, 0]).unwrap();
    driver.command(command::RESET, &[]).unwrap();
    assert_eq!(driver.command(command::READ_STATUS, &[9]), Ok(vec![0]));
    driver.status(1).unwrap();
    driver.status(3).unwrap();
    let all = driver.offered();
    let own = net_feature::MAC | net_feature::STATUS | net_feature::MTU | net_feature::MRG_RXBUF;
    // Check sums, and long segments of TCP, each way.
    let own = own | 0x1983;
    assert_eq!(all, own | feature::VERSION_1 | feature::INDIRECT_DESC | feature::EVENT_IDX);
    let none = driver.command(command::READ_FEATURES, &[1, 2, 3, 4, 2]).unwrap();
    assert_eq!(none, [0, 0, 0, 0, 2], "there is no third word");
    driver.features(all);
    driver.status(0x0b).unwrap();
    assert_eq!(driver.command(command::READ_STATUS, &[0]), Ok(vec![0x0b]));
    let config = driver.command(command::READ_CONFIG, &[0xee; 20]).unwrap();
    let (config, rest) = NetConfig::read_from_prefix(&config).unwrap();
    assert_eq!((config.mac, config.mtu.get(), config.pairs.get(), config.status.get()), (MAC.0, 1500, 1, 0));
    assert_eq!(rest, [0; 8], "after its end there are zeros");
    assert_eq!(driver.command(command::READ_CONFIG, &[0; 2]), Ok(vec![2, 0]));
    for (index, size) in [(0u16, 256u16), (1, 256), (2, 0), (0xffff, 0)] {
        let queue = QueueSize { index: index.into(), size: 7.into() };
        let answer = driver.command(command::READ_QUEUE, queue.as_bytes()).unwrap();
        assert_eq!(QueueSize::read_from_bytes(&answer).unwrap().size.get(), size, "queue {index}");
    }
    driver.start(2, true);
    assert_eq!(driver.command(command::READ_STATUS, &[0]), Ok(vec![0x0f]));
    // The way down: reset, queues and indicators taken back, another driver.
    driver.command(command::RESET, &[]).unwrap();
    for queue in 0..2u16 {
        let none = QueueParts { index: queue.into(), ..QueueParts::default() };
        driver.command(command::SET_QUEUE, none.as_bytes()).unwrap();
    }
    driver.command(command::SET_ADAPTER_INDICATORS, &[0; 25]).unwrap();
    assert_eq!(driver.command(command::SET_REVISION, &[0, 1, 0, 0]), Err(()), "there is one already");
    driver.enable(false);
    driver.enable(true);
    driver.command(command::SET_REVISION, &[0, 1, 0, 0]).unwrap();
    assert_eq!(driver.command(command::READ_STATUS, &[0]), Err(()), "it came with revision 2");
}

#[test]
fn revisions_are_1_and_2_and_come_first() {
    let mut driver = card();
    for (code, length) in [
        (command::RESET, 0),
        (command::READ_FEATURES, 5),
        (command::WRITE_FEATURES, 5),
        (command::READ_CONFIG, 6),
        (command::WRITE_STATUS, 1),
        (command::READ_STATUS, 1),
        (command::READ_QUEUE, 4),
        (command::SET_QUEUE, 32),
        (command::SET_INDICATORS, 8),
        (command::SET_CONFIG_INDICATORS, 8),
        (command::SET_ADAPTER_INDICATORS, 25),
    ] {
        let irb = driver.end(code, length);
        assert!(irb.scsw.device.has(DeviceStatus::UNIT_CHECK) && irb.ecw[0] == 0x80, "{code:02X}");
    }
    for wrong in [[0, 0, 0, 0], [0, 3, 0, 0], [1, 1, 0, 0], [0, 1, 0, 4]] {
        assert_eq!(driver.command(command::SET_REVISION, &wrong), Err(()), "{wrong:?}");
    }
    driver.command(command::SET_REVISION, &[0, 1, 0, 0]).unwrap();
    assert_eq!(driver.command(command::SET_REVISION, &[0, 2, 0, 0]), Err(()));
    for unknown in [0x21, 0x01, 0x02, 0x14, 0x63, 0x93, 0xff] {
        assert_eq!(driver.command(unknown, &[0; 4]), Err(()), "{unknown:02X}");
    }
}

#[test]
fn lengths_are_exact() {
    let mut driver = card();
    driver.negotiate(feature::VERSION_1);
    let queue = parts(0);
    for (code, data) in [
        (command::WRITE_STATUS, &[0x0b][..]),
        (command::READ_STATUS, &[0]),
        (command::READ_FEATURES, &[0; 5]),
        (command::READ_QUEUE, &[0; 4]),
        (command::SET_QUEUE, queue.as_bytes()),
        (command::SET_INDICATORS, &[0; 8]),
        (command::SET_CONFIG_INDICATORS, &[0; 8]),
    ] {
        driver.stand.put(DATA.into(), data);
        let length = data.len() as u16;
        assert_eq!(driver.end(code, length + 1).scsw.subchannel, subchannel_status::INCORRECT_LENGTH, "{code:02X}");
        if length > 1 {
            // A short one is rejected.
            let irb = driver.end(code, length - 1);
            assert!(irb.scsw.device.has(DeviceStatus::UNIT_CHECK) && irb.ecw[0] == 0x80, "{code:02X}");
        }
        let irb = driver.end(code, length);
        assert_eq!((irb.scsw.device, irb.scsw.subchannel), (DeviceStatus::ENDED, 0), "{code:02X}");
    }
}

#[test]
fn a_driver_cannot_have_what_is_not_offered() {
    let mut driver = card();
    driver.command(command::SET_REVISION, &[0, 2, 0, 0]).unwrap();
    driver.status(3).unwrap();
    for wrong in [net_feature::MAC, feature::VERSION_1 | 4, feature::VERSION_1 | 1 << 63] {
        driver.features(wrong);
        assert_eq!(driver.status(0x0b), Err(()), "{wrong:X}");
    }
    assert_eq!(driver.command(command::WRITE_FEATURES, &[1, 0, 0, 0, 2]), Err(()));
    driver.command(command::WRITE_FEATURES, &[0, 0, 0, 0, 2]).unwrap();
    driver.features(feature::VERSION_1);
    assert_eq!(driver.status(0x07), Err(()), "ready, and the features are not settled");
    assert_eq!(driver.command(command::SET_QUEUE, parts(0).as_bytes()), Err(()), "not yet");
    driver.status(0x0b).unwrap();
    assert_eq!(driver.command(command::WRITE_FEATURES, &[0; 5]), Err(()), "they are settled");
    assert_eq!(driver.status(0x03), Err(()), "nothing is taken back");
    assert_eq!(driver.status(0x4b), Err(()), "that is the device's to say");
    driver.status(0x8b).unwrap();
    driver.status(0).unwrap();
    assert_eq!(driver.command(command::READ_STATUS, &[1]), Ok(vec![0]));
}

#[test]
fn queues_and_indicators_lie_in_storage_where_they_can() {
    let mut driver = card();
    driver.negotiate(feature::VERSION_1);
    let good = parts(0);
    for wrong in [
        QueueParts { index: 2.into(), ..good },
        QueueParts { size: 15.into(), ..good },
        QueueParts { size: 512.into(), ..good },
        QueueParts { descriptors: (good.descriptors.get() + 8).into(), ..good },
        QueueParts { available: (good.available.get() + 1).into(), ..good },
        QueueParts { used: (good.used.get() + 2).into(), ..good },
        QueueParts { descriptors: (STORAGE - 0x10).into(), ..good },
        QueueParts { available: (STORAGE - 2).into(), ..good },
        QueueParts { used: (u64::MAX - 3).into(), ..good },
        QueueParts { used: (1 << 62).into(), ..good },
    ] {
        assert_eq!(driver.command(command::SET_QUEUE, wrong.as_bytes()), Err(()), "{wrong:?}");
    }
    driver.command(command::SET_QUEUE, good.as_bytes()).unwrap();
    let adapter = AdapterIndicators { summary: SUMMARY.into(), indicators: AREA.into(), first: 6.into(), isc: 3 };
    for wrong in [
        AdapterIndicators { isc: 8, ..adapter },
        AdapterIndicators { summary: STORAGE.into(), ..adapter },
        AdapterIndicators { indicators: STORAGE.into(), ..adapter },
        AdapterIndicators { first: (8 * STORAGE).into(), ..adapter },
        AdapterIndicators { first: u64::MAX.into(), ..adapter },
        AdapterIndicators { indicators: u64::MAX.into(), first: 64.into(), ..adapter },
    ] {
        assert_eq!(driver.command(command::SET_ADAPTER_INDICATORS, wrong.as_bytes()), Err(()), "{wrong:?}");
    }
    for code in [command::SET_INDICATORS, command::SET_CONFIG_INDICATORS] {
        for wrong in [STORAGE - 7, u64::MAX] {
            assert_eq!(driver.command(code, &wrong.to_be_bytes()), Err(()), "{wrong:X}");
        }
    }
    // One kind of indicators or the other.
    driver.command(command::SET_ADAPTER_INDICATORS, adapter.as_bytes()).unwrap();
    assert_eq!(driver.command(command::SET_INDICATORS, &CLASSIC.to_be_bytes()), Err(()));
    driver.command(command::SET_ADAPTER_INDICATORS, &[0; 25]).unwrap();
    driver.command(command::SET_INDICATORS, &CLASSIC.to_be_bytes()).unwrap();
    assert_eq!(driver.command(command::SET_ADAPTER_INDICATORS, adapter.as_bytes()), Err(()));
    driver.status(0x0f).unwrap();
    assert_eq!(driver.command(command::SET_QUEUE, good.as_bytes()), Err(()), "the device works already");
}

#[test]
fn random_numbers_come_by_either_kind_of_interruption() {
    for adapter in [true, false] {
        let mut driver = entropy();
        driver.negotiate(feature::VERSION_1);
        driver.start(1, adapter);
        assert!(driver.notify(0) && !driver.notify(1));
        assert_eq!(driver.interruptions(), (0, 0), "nothing was asked for");
        driver.fill(0, 0..2, 100);
        assert!(driver.notify(0));
        assert_eq!(driver.used(0), [(0, 100), (1, 100)]);
        assert_eq!(driver.stand.get(Driver::buffer(0, 1), 101), [&[0x5a; 100][..], &[0]].concat());
        if adapter {
            assert_eq!((driver.stand.get(AREA, 2), driver.stand.get(SUMMARY, 1)), (vec![0x02, 0], vec![1]));
            assert_eq!(driver.interruptions(), (1, 0));
        } else {
            assert_eq!(driver.stand.get(CLASSIC, 8), [0, 0, 0, 0, 0, 0, 0, 1]);
            assert_eq!(driver.interruptions(), (0, 1));
        }
        // As long as the summary says so, there is no second interruption.
        driver.fill(0, 2..3, 5);
        assert!(driver.notify(0));
        assert_eq!(driver.used(0), [(2, 5)]);
        assert_eq!(driver.interruptions(), (0, usize::from(!adapter)));
        // The driver wants none.
        driver.stand.put(SUMMARY, &[0]);
        driver.stand.put(parts(0).available.get(), &[1, 0]);
        driver.fill(0, 3..4, 5);
        assert!(driver.notify(0));
        assert_eq!((driver.used(0).len(), driver.interruptions()), (1, (0, 0)));
    }
}

#[test]
fn a_driver_says_by_an_index_when_it_is_told() {
    let mut driver = entropy();
    driver.negotiate(feature::VERSION_1 | feature::EVENT_IDX);
    driver.start(1, true);
    let event = |driver: &Driver, index: u16| {
        driver.stand.put(parts(0).available.get() + 4 + 2 * u64::from(SIZE), &index.to_le_bytes());
    };
    event(&driver, 2);
    for (n, expected) in [(0, 0), (1, 0), (2, 1), (3, 0)] {
        driver.stand.put(SUMMARY, &[0]);
        driver.fill(0, n..n + 1, 5);
        assert!(driver.notify(0));
        assert_eq!((driver.used(0).len(), driver.interruptions().0), (1, expected), "request {n}");
    }
}

#[test]
fn what_a_driver_does_wrong_in_a_queue_breaks_the_device_until_it_is_reset() {
    type Deed = fn(&mut Driver);
    let deeds: [(&str, Deed); 10] = [
        ("a descriptor that does not exist", |driver| driver.offer(0, SIZE)),
        ("more than there is room for", |driver| {
            driver.stand.put(parts(0).available.get() + 2, &(SIZE + 1).to_le_bytes());
        }),
        ("a loop", |driver| {
            driver.describe(0, 0, 8, 3, 1);
            driver.describe(0, 1, 8, 3, 0);
            driver.offer(0, 0);
        }),
        ("a next one that does not exist", |driver| {
            driver.describe(0, 0, 8, 3, SIZE);
            driver.offer(0, 0);
        }),
        ("reading after writing", |driver| {
            driver.describe(0, 0, 8, 3, 1);
            driver.describe(0, 1, 8, 0, 0);
            driver.offer(0, 0);
        }),
        ("a table that was not agreed upon", |driver| {
            driver.describe(0, 0, 16, 4, 0);
            driver.offer(0, 0);
        }),
        ("a buffer after the end of storage", |driver| {
            driver.stand.put(parts(0).descriptors.get(), &(STORAGE - 7).to_le_bytes());
            driver.stand.put(parts(0).descriptors.get() + 8, &[8, 0, 0, 0, 2, 0]);
            driver.offer(0, 0);
        }),
        ("a buffer at the end of all addresses", |driver| {
            driver.stand.put(parts(0).descriptors.get(), &(u64::MAX - 3).to_le_bytes());
            driver.stand.put(parts(0).descriptors.get() + 8, &[8, 0, 0, 0, 2, 0]);
            driver.offer(0, 0);
        }),
        ("an index that goes back", |driver| driver.stand.put(parts(0).available.get() + 2, &[0xff, 0xff])),
        ("a buffer of four gigabytes", |driver| {
            driver.describe(0, 0, u32::MAX, 2, 0);
            driver.stand.put(parts(0).descriptors.get(), &(STORAGE - 16).to_le_bytes());
            driver.offer(0, 0);
        }),
    ];
    for (what, deed) in deeds {
        let mut driver = entropy();
        driver.negotiate(feature::VERSION_1);
        driver.start(1, true);
        deed(&mut driver);
        assert!(driver.notify(0));
        assert_eq!(driver.interruptions(), (0, 1), "{what}");
        assert_eq!(driver.stand.get(CONFIG, 8), [0, 0, 0, 0, 0, 0, 0, 1], "{what}");
        assert_eq!(driver.command(command::READ_STATUS, &[0]), Ok(vec![0x4f]), "{what}");
        driver.used(0);
        driver.fill(0, 0..1, 5);
        assert!(driver.notify(0));
        assert_eq!((driver.used(0), driver.interruptions()), (vec![], (0, 0)), "it does nothing: {what}");
        driver.status(0x8f).unwrap();
        driver.command(command::RESET, &[]).unwrap();
        driver.status(0x03).unwrap();
        driver.features(feature::VERSION_1);
        driver.status(0x0b).unwrap();
        driver.start(1, true);
        driver.fill(0, 0..1, 5);
        assert!(driver.notify(0));
        assert_eq!(driver.used(0), [(0, 5)], "it works again: {what}");
    }
}

#[test]
fn a_reset_or_a_disabled_subchannel_stops_the_device() {
    let ends: [fn(&mut Driver); 4] = [
        |driver| drop(driver.command(command::RESET, &[])),
        |driver| driver.enable(false),
        |driver| device(driver).reset(Reset::System),
        |driver| driver.stand.css.reset(),
    ];
    for end in ends {
        let mut driver = card();
        driver.negotiate(feature::VERSION_1);
        driver.start(2, true);
        assert_eq!(device(&mut driver).status(), 0x0f);
        end(&mut driver);
        assert_eq!(device(&mut driver).status(), 0);
        driver.fill(1, 0..1, 5);
        driver.notify(1);
        assert_eq!((driver.used(1), driver.interruptions()), (vec![], (0, 0)));
    }
    // CLEAR SUBCHANNEL ends a channel program and nothing else.
    let mut driver = card();
    driver.negotiate(feature::VERSION_1);
    driver.start(2, true);
    assert_eq!(driver.stand.css.clear_subchannel(driver.id), 0);
    assert_eq!(device(&mut driver).status() & status::DRIVER_OK, status::DRIVER_OK);
}
