//! INDICATE: the lines of LOAD, USER and QUEUES, of which programs know the columns.
//!
//! CP pages nothing itself, to expanded storage neither: those counts are 0 because there is nothing to count.

use dispatch::{Load, Queued, Status};

/// LOAD. `used` are the percent that the host keeps of the storage that all virtual machines have.
pub fn load(load: &Load, used: u64) -> Vec<String> {
    let mut lines = vec![
        format!("AVGPROC-{:03}% {:02}", load.average, load.processors.len()),
        "XSTORE-000000/SEC MIGRATE-0000/SEC".to_string(),
        "MDC READS-000000/SEC WRITES-000000/SEC HIT RATIO-000%".to_string(),
        format!("STORAGE-{used:03}% PAGING-0000/SEC STEAL-000%"),
        format!("Q0-{:05}(00000)                           DORMANT-{:05}", load.in_queue[0], load.dormant),
        format!("Q1-{:05}(00000)           E1-{:05}(00000)", load.in_queue[1], load.eligible[1]),
    ];
    for class in 2..4 {
        lines.push(format!(
            "Q{class}-{:05}(00000) EXPAN-{:03} E{class}-{:05}(00000)",
            load.in_queue[class], load.expansion[class], load.eligible[class]
        ));
    }
    let processors: Vec<String> =
        load.processors.iter().enumerate().map(|(n, busy)| format!("PROC {n:04}-{busy:03}%")).collect();
    lines.extend(processors.chunks(2).map(|two| two.join("            ")));
    lines.push(format!("LIMITED-{:05}", load.limited));
    lines
}

/// What USER shows of one virtual machine.
pub struct User<'a> {
    /// The user ID.
    pub userid: &'a str,
    /// `370`, `XA`, `ESA`.
    pub machine: &'a str,
    /// Of storage.
    pub megabytes: u64,
    /// Megabytes of expanded storage.
    pub expanded: Option<u64>,
    /// The saved system or device of the last IPL.
    pub ipl: &'a str,
    /// How many virtual devices it has.
    pub devices: usize,
    /// Pages that the host keeps.
    pub resident: u64,
    /// Microseconds since LOGON.
    pub connected_us: u64,
    /// I/O instructions.
    pub started: u64,
    /// Spool records.
    pub read: u64,
    /// Spool records printed.
    pub printed: u64,
    /// Spool records punched.
    pub punched: u64,
    /// Of each virtual CPU: its address, microseconds of virtual and of total time.
    pub cpus: Vec<(u16, (u64, u64))>,
}

/// The lines of one user.
pub fn user(user: &User<'_>) -> Vec<String> {
    let User { userid, machine, megabytes, ipl, devices, resident, .. } = user;
    let minutes = |microseconds: u64| {
        let seconds = microseconds / 1_000_000;
        format!("{:03}:{:02}", seconds / 60, seconds % 60)
    };
    let expanded = user.expanded.map_or("NONE".into(), |megabytes| format!("{megabytes:04}M"));
    let mut lines = vec![
        format!("USERID={userid:<8} MACH={machine:<3} STOR={megabytes:04}M VIRT=V XSTORE={expanded}"),
        format!("IPLSYS={ipl:<8} DEVNUM={devices:04}"),
        format!("PAGES: RES={resident:06} WS={resident:06} LOCK=000000 RESVD=000000"),
        "NPREF=000000 PREF=000000 READS=000000 WRITES=000000".to_string(),
        "XSTORE=000000 READS=000000 WRITES=000000 MIGRATES=000000".to_string(),
    ];
    let connected = user.connected_us / 60_000_000;
    let connected = format!("{:02}:{:02}", connected / 60, connected % 60);
    for (n, &(cpu, (virtual_us, total_us))) in user.cpus.iter().enumerate() {
        // I/O is the virtual machine's, not a CPU's: it is shown with the first.
        let io = if n == 0 { user.started } else { 0 };
        let (virtual_time, total_time) = (minutes(virtual_us), minutes(total_us));
        lines.push(format!("CPU {cpu:02}: CTIME={connected} VTIME={virtual_time} TTIME={total_time} IO={io:06}"));
        if n == 0 {
            let User { read, printed, punched, .. } = user;
            lines.push(format!("        RDR={read:06} PRT={printed:06} PCH={punched:06}"));
        }
    }
    lines
}

/// The lines of QUEUES. `who` says which user a virtual CPU belongs to, and its address.
pub fn queues(queued: &[Queued], expanded: bool, who: impl Fn(&Queued) -> Option<(String, u16)>) -> Vec<String> {
    let entry = |entry: &Queued| {
        let (userid, cpu) = who(entry)?;
        let name = if cpu == 0 { userid } else { format!("{userid} MP{cpu:02}") };
        let list = match entry.status {
            Status::Eligible => 'E',
            Status::Limited => 'L',
            _ => 'Q',
        };
        let state = match entry.status {
            Status::Running(processor) => format!("R{processor:02}"),
            Status::TestIdle => "TI".into(),
            Status::PageWait => "PG".into(),
            _ => "...".to_string(),
        };
        let short = format!("{name:<13}{list}{} {state:<3}", entry.class);
        if !expanded {
            return Some(short);
        }
        let flags = if entry.interactive { ".I.." } else { "...." };
        let sign = if entry.deadline < 0 { '-' } else { ' ' };
        let seconds = entry.deadline.unsigned_abs() as f64 / 1e6;
        Some(format!("{short} 00000000/00000000 {flags} {sign}{seconds:<6.4} A{:02}", 0))
    };
    let entries: Vec<String> = queued.iter().filter_map(entry).collect();
    if entries.is_empty() {
        return vec!["No users in the dispatch or eligible list".into()];
    }
    let per_line = if expanded { 1 } else { 2 };
    entries.chunks(per_line).map(|some| some.join("       ").trim_end().to_string()).collect()
}
