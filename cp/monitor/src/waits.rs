//! What virtual CPUs were found doing at the high-frequency rate.

use dispatch::{Queued, Status, VcpuId};
use std::collections::HashMap;

/// How often virtual CPUs were found in each state.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Seen {
    /// Test idle.
    pub test_idle: u32,
    /// Waiting for a page.
    pub page_wait: u32,
    /// On the limit list.
    pub limited: u32,
    /// Waiting for a processor.
    pub cpu_wait: u32,
    /// Running.
    pub running: u32,
    /// In the eligible list.
    pub eligible: u32,
    /// How often it was looked. Of a virtual CPU: since it was first asked for.
    pub looks: u32,
}

impl Seen {
    fn add(&mut self, status: Status) {
        let count = match status {
            Status::Dormant => return,
            Status::Eligible => &mut self.eligible,
            Status::Ready => &mut self.cpu_wait,
            Status::Running(_) => &mut self.running,
            Status::Limited => &mut self.limited,
            Status::TestIdle => &mut self.test_idle,
            Status::PageWait => &mut self.page_wait,
        };
        *count = count.wrapping_add(1);
    }

    /// How often it was none of these.
    pub fn dormant(&self) -> u32 {
        let Seen { test_idle, page_wait, limited, cpu_wait, running, eligible, looks } = self;
        [test_idle, page_wait, limited, cpu_wait, running, eligible]
            .into_iter()
            .fold(*looks, |left, n| left - n.min(&left))
    }
}

/// What was seen of all virtual CPUs, and of those that are asked for.
#[derive(Default)]
pub struct Waits {
    /// Of all together.
    pub all: Seen,
    vcpus: HashMap<VcpuId, Seen>,
}

impl Waits {
    /// A look at the lists: those that are on none are dormant.
    pub fn look(&mut self, queued: &[Queued]) {
        self.all.looks = self.all.looks.wrapping_add(1);
        self.vcpus.values_mut().for_each(|seen| seen.looks = seen.looks.wrapping_add(1));
        for entry in queued {
            self.all.add(entry.status);
            if let Some(seen) = self.vcpus.get_mut(&entry.vcpu) {
                seen.add(entry.status);
            }
        }
    }

    /// What was seen of a virtual CPU since this was first asked.
    pub fn of(&mut self, vcpu: VcpuId) -> Seen {
        *self.vcpus.entry(vcpu).or_default()
    }

    /// Forgets virtual CPUs that are gone.
    pub fn keep(&mut self, there: impl Fn(VcpuId) -> bool) {
        self.vcpus.retain(|&vcpu, _| there(vcpu));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_on_no_list_is_dormant() {
        let mut waits = Waits::default();
        let queued = |vcpu, status| Queued { vcpu: VcpuId(vcpu), class: 1, status, deadline: 0, interactive: false };
        waits.look(&[queued(1, Status::Ready)]);
        assert_eq!(waits.of(VcpuId(1)), Seen::default());
        waits.look(&[queued(1, Status::Running(0)), queued(2, Status::TestIdle)]);
        waits.look(&[queued(2, Status::PageWait)]);
        let seen = waits.of(VcpuId(1));
        assert_eq!((seen.running, seen.cpu_wait, seen.dormant(), seen.looks), (1, 0, 1, 2));
        let all = waits.all;
        assert_eq!((all.cpu_wait, all.running, all.test_idle, all.page_wait, all.looks), (1, 1, 1, 1, 3));
        waits.keep(|vcpu| vcpu != VcpuId(1));
        assert_eq!(waits.of(VcpuId(1)).looks, 0);
    }
}
