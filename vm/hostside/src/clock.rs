//! The host's clock: the only place that reads it.

use base::{Clock, Tod};
use rustix::time::{ClockId, clock_gettime};
use std::time::{SystemTime, UNIX_EPOCH};

/// The time of day at start, and the host's monotonic clock since then: setting the host's date back does not make
/// guests' clocks run backwards. Linux orders the monotonic clock's answers across its processors.
///
/// A system call of Linux reads the CPU timer twice, so each nanosecond here counts.
pub struct HostClock {
    /// Nanoseconds after the Unix epoch where the monotonic clock was 0.
    base: u64,
}

impl HostClock {
    /// The clock from now on.
    pub fn start() -> HostClock {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        HostClock { base: (now.as_nanos() as u64).saturating_sub(monotonic()) }
    }
}

impl Clock for HostClock {
    fn now(&self) -> Tod {
        Tod::from_unix_nanos(self.base.saturating_add(monotonic()))
    }
}

/// Nanoseconds of the host's monotonic clock.
fn monotonic() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The bytes of storage that the host has, or lets this process have (a container's limit: Linux,
/// admin-guide/cgroup-v2, `memory.max`); 0 if it does not say.
pub fn host_storage() -> u64 {
    let told = |file| std::fs::read_to_string(file).unwrap_or_default();
    let memory = told("/proc/meminfo");
    let line = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let all = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()).unwrap_or(0) << 10;
    // Where there is no limit, it is a word or a number beyond everything.
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    limits.into_iter().filter_map(|file| told(file).trim().parse().ok()).fold(all, u64::min)
}
