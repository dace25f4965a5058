//! Channel programs for fixed-block disks.

mod disk;

use arch::io::DeviceStatus;
use devices::dasd::{Options, device};
use disk::{Machine, Memory, Step, get, put};
use std::sync::Arc;

fn machine(volume: &Arc<Memory>) -> Machine {
    Machine::new(device(volume.clone(), Options::default()))
}

fn extent(mask: u8, start: u32, first: u32, last: u32) -> Step {
    let words = [start, first, last].map(u32::to_be_bytes).concat();
    put(0x63, &[&[mask, 0, 2, 0][..], &words].concat())
}

fn locate(operation: u8, count: u16, block: u32) -> Step {
    put(0x43, &[&[operation, 0][..], &count.to_be_bytes(), &block.to_be_bytes()].concat())
}

#[test]
fn blocks_are_written_and_read() {
    let volume = Memory::fba(1000);
    let mut m = machine(&volume);
    m.good(&[extent(0, 100, 0, 9), locate(5, 2, 3), put(0x41, &[7; 1024])]);
    assert_eq!(volume.blocks.lock().unwrap()[103 * 512..105 * 512], [7; 1024]);
    m.good(&[extent(0x40, 100, 0, 9), locate(6, 3, 2), get(0x42, 1536)]);
    assert_eq!([0, 512, 1535].map(|n| m.data(2, 1536)[n]), [0, 7, 7]);
    // Without data, what was announced becomes zeros.
    let irb = m.run(&[extent(0, 100, 0, 9), locate(1, 2, 3), put(0x41, &[]).sli()]);
    assert_eq!(irb.scsw.device, DeviceStatus::ENDED);
    assert_eq!(volume.blocks.lock().unwrap()[103 * 512..105 * 512], [0; 1024]);
}

#[test]
fn nothing_outside_the_extent_is_reached() {
    let mut m = machine(&Memory::fba(1000));
    assert_eq!(m.bad(&[extent(0, 995, 0, 5)]).0[1], 0x04);
    assert_eq!(m.bad(&[extent(0, 100, 5, 9), locate(6, 1, 4)]).0[1], 0x04);
    assert_eq!(m.bad(&[extent(0, 100, 5, 9), locate(6, 2, 9)]).0[1], 0x04);
    assert_eq!(m.bad(&[extent(0x40, 100, 5, 9), locate(5, 1, 9)]).0[1], 0x04);
    assert_eq!(m.bad(&[extent(0, 0, 5, 4)]).0[7], 4);
    assert_eq!(m.bad(&[locate(6, 1, 4)]).0[7], 2);
    assert_eq!(m.bad(&[extent(0, 0, 0, 9), get(0x42, 512)]).0[7], 2);
}

/// A report of z/VM on fixed-block disks had DEFINE EXTENT refused for bits of the mask beside the first two. Those say
/// all: 01 inhibits writes, 10 is not used.
#[test]
fn only_the_first_two_bits_of_the_mask_count() {
    let mut m = machine(&Memory::fba(1000));
    for mask in 0..=255 {
        let (read, write) = ([locate(6, 1, 4), get(0x42, 512)], [locate(5, 1, 4), put(0x41, &[1; 512])]);
        let [read, write] = [read, write].map(|rest| [&[extent(mask, 0, 0, 9)][..], &rest].concat());
        match mask >> 6 {
            0 | 3 => [read, write].iter().for_each(|program| m.good(program)),
            1 => {
                m.good(&read);
                assert_eq!(m.bad(&write).0[1], 0x04, "{mask:02X}");
            }
            _ => assert_eq!([read, write].map(|program| m.bad(&program).0[7]), [4, 4], "{mask:02X}"),
        }
    }
}

#[test]
fn the_device_says_what_it_is() {
    let mut m = machine(&Memory::fba(1000));
    m.good(&[get(0xe4, 7), get(0x64, 32), get(0x02, 24).sli()]);
    assert_eq!(m.data(0, 7), [0xff, 0x63, 0x10, 0x80, 0x93, 0x36, 0x10]);
    assert_eq!(m.data(1, 18)[2..6], [0x21, 0x11, 2, 0]);
    assert_eq!(m.data(1, 18)[14..], [0, 0, 3, 0xe8]);
}
