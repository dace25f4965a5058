//! What processes of this host use: processor time and memory, as the host says it.

/// Seconds of processor time that this process has used.
pub(crate) fn own() -> f64 {
    seconds(rustix::time::ClockId::ProcessCPUTime)
}

/// What a clock of the host shows, in seconds.
pub(crate) fn seconds(clock: rustix::time::ClockId) -> f64 {
    let now = rustix::time::clock_gettime(clock);
    now.tv_sec as f64 + now.tv_nsec as f64 / 1e9
}

/// Seconds of processor time that a process has used, if the host says so (Linux, proc_pid_stat(5): utime and stime).
pub(crate) fn times(process: u32) -> Option<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace().skip(11);
    let ticks = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(ticks as f64 / rustix::param::clock_ticks_per_second() as f64)
}

/// Resident bytes of a process, if the host says so.
pub(crate) fn resident(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
}
