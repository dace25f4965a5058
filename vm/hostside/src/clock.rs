//! The host's clock: the only place that reads it.

use base::{Clock, Tod};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// The time of day at start, and the host's monotonic clock since then: setting the host's date back does not make
/// guests' clocks run backwards.
pub struct HostClock {
    start: Instant,
    base: u64,
    last: AtomicU64,
}

impl HostClock {
    /// The clock from now on.
    pub fn start() -> HostClock {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        HostClock { start: Instant::now(), base: now.as_nanos() as u64, last: AtomicU64::new(0) }
    }
}

impl Clock for HostClock {
    fn now(&self) -> Tod {
        let ns = self.base.saturating_add(self.start.elapsed().as_nanos() as u64);
        let now = Tod::from_unix_nanos(ns).0;
        Tod(self.last.fetch_max(now, Ordering::Relaxed).max(now))
    }
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
