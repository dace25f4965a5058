//! Files of monitor data: records that CP's own writer makes, of any contents, in both forms, damaged.

use arch::monitor::{
    ControlElement, DeviceActivity, LogoffData, MonwriteControl, ProcessorTime, SystemConfiguration, SystemProcessor,
    UserActivity, UserInteraction,
};
use base::Tod;
use monitor::frames::Frames;
use reduce::{Choice, Source};
use zerocopy::{FromBytes, FromZeros, IntoBytes};

use super::Target;
use crate::chance::Chance;

pub(super) const TARGET: Target = Target { name: "monitor", about: "files of monitor data", run };

/// A record of chance; its header is the writer's.
fn record<R: FromBytes + IntoBytes + FromZeros>(chance: &mut Chance) -> R {
    let mut bytes = chance.bytes(size_of::<R>());
    bytes.resize(size_of::<R>(), 0);
    R::read_from_bytes(&bytes).expect("it is so long")
}

fn records(chance: &mut Chance, at: u64) -> (Vec<u8>, u16) {
    let mut frames = Frames::new(Tod(at));
    frames.put(SystemProcessor::default());
    for _ in 0..chance.below(6usize) {
        match chance.below(6u8) {
            0 => frames.put(record::<ProcessorTime>(chance)),
            1 => frames.put(record::<UserActivity>(chance)),
            2 => frames.put(record::<UserInteraction>(chance)),
            3 => frames.put(record::<DeviceActivity>(chance)),
            4 => frames.put(record::<LogoffData>(chance)),
            _ => frames.put(record::<SystemConfiguration>(chance)),
        }
        // The same user and device again, so that there are differences.
        frames.put(UserActivity { total: chance.word().into(), ..UserActivity::default() });
        frames.put(DeviceActivity { reads: (chance.word() as u32).into(), ..DeviceActivity::default() });
    }
    frames.finish()
}

fn run(chance: &mut Chance) {
    let written = chance.one_in(2);
    let (mut bytes, mut at) = (Vec::new(), chance.word());
    for _ in 0..=chance.below(4u8) {
        let (pages, masks) = records(chance, at);
        at = if chance.one_in(9) { chance.word() } else { at.wrapping_add(chance.word() >> 24) };
        let end = (pages.len() as u32 - 1).into();
        let element = ControlElement { kind: 0xe2, domains: masks.into(), end, ..ControlElement::default() };
        if written {
            let mut control = MonwriteControl::new_zeroed();
            control.interruption[3] = iucv::kind::MESSAGE;
            control.elements[0] = element;
            bytes.extend(control.as_bytes());
        } else {
            bytes.extend(element.as_bytes());
        }
        bytes.extend(pages);
    }
    for _ in 0..chance.below(3u8) {
        chance.damage(&mut bytes);
    }
    let choice = Choice { each: true, ..Choice::default() };
    match reduce::reduce(&[Source { name: "FUZZ", bytes: &bytes }], &choice) {
        Ok(report) => assert!(!report.text().chars().any(|c| c.is_control() && c != '\n'), "a terminal would act"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
