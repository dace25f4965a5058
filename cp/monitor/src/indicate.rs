//! INDICATE: the lines of LOAD, USER, QUEUES and PAGING, of which programs know the columns.

use dispatch::{Load, Queued, Status};

/// How much CP pages. Without a pager there is nothing to count.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PagingRates {
    /// Pages a second to and from expanded storage.
    pub expanded: u64,
    /// Pages a second from expanded storage to page volumes.
    pub migrated: u64,
    /// Pages a second to and from page volumes.
    pub paged: u64,
    /// How many percent of the frames that were taken had pages of users in the dispatch list.
    pub stolen: u64,
}

/// LOAD. `used` are the percent of storage that virtual machines have.
pub fn load(load: &Load, used: u64, paging: &PagingRates) -> Vec<String> {
    let PagingRates { expanded, migrated, paged, stolen } = paging;
    let mut lines = vec![
        format!("AVGPROC-{:03}% {:02}", load.average, load.processors.len()),
        format!("XSTORE-{expanded:06}/SEC MIGRATE-{migrated:04}/SEC"),
        "MDC READS-000000/SEC WRITES-000000/SEC HIT RATIO-000%".to_string(),
        format!("STORAGE-{used:03}% PAGING-{paged:04}/SEC STEAL-{stolen:03}%"),
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

/// What of a virtual machine's pages is where, and what has happened to them since LOGON.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct UserPages {
    /// Pages in real storage.
    pub resident: u64,
    /// The working set.
    pub working_set: u64,
    /// Pages that LOCK keeps.
    pub locked: u64,
    /// Pages that SET RESERVED keeps.
    pub reserved: u64,
    /// Pages on page volumes.
    pub slots: u64,
    /// Pages read from page volumes, and written there.
    pub reads: u64,
    /// See `reads`.
    pub writes: u64,
    /// Pages in expanded storage.
    pub blocks: u64,
    /// Pages from expanded storage, and to it.
    pub gets: u64,
    /// See `gets`.
    pub puts: u64,
    /// Pages that have gone from there to page volumes.
    pub migrated: u64,
    /// Page faults that its program was told of and did not wait for, and how many of these pages have come.
    pub notices: (u64, u64),
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
    /// What of its pages is where.
    pub pages: UserPages,
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
    let User { userid, machine, megabytes, ipl, devices, .. } = user;
    let UserPages {
        resident,
        working_set,
        locked,
        reserved,
        slots,
        reads,
        writes,
        blocks,
        gets,
        puts,
        migrated,
        notices,
    } = user.pages;
    let minutes = |microseconds: u64| {
        let seconds = microseconds / 1_000_000;
        format!("{:03}:{:02}", seconds / 60, seconds % 60)
    };
    let expanded = user.expanded.map_or("NONE".into(), |megabytes| format!("{megabytes:04}M"));
    let mut lines = vec![
        format!("USERID={userid:<8} MACH={machine:<3} STOR={megabytes:04}M VIRT=V XSTORE={expanded}"),
        format!("IPLSYS={ipl:<8} DEVNUM={devices:04}"),
        format!("PAGES: RES={resident:06} WS={working_set:06} LOCK={locked:06} RESVD={reserved:06}"),
        // No page volume is preferred to others.
        format!("NPREF={slots:06} PREF=000000 READS={reads:06} WRITES={writes:06}"),
        format!("XSTORE={blocks:06} READS={gets:06} WRITES={puts:06} MIGRATES={migrated:06}"),
    ];
    if let (told @ 1.., come) = notices {
        lines.push(format!("PFAULT={told:06} COMPLETED={come:06}"));
    }
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

/// Which virtual CPU an entry of QUEUES is.
pub struct Entrant {
    /// The user.
    pub userid: String,
    /// The CPU's address.
    pub cpu: u16,
    /// Pages in real storage, and the working set.
    pub pages: (u64, u64),
    /// It waits for a page.
    pub in_page_wait: bool,
}

/// The lines of QUEUES. `who` says which virtual CPU it is.
pub fn queues(queued: &[Queued], expanded: bool, who: impl Fn(&Queued) -> Option<Entrant>) -> Vec<String> {
    let entry = |entry: &Queued| {
        let Entrant { userid, cpu, pages: (resident, working_set), in_page_wait } = who(entry)?;
        let name = if cpu == 0 { userid } else { format!("{userid} MP{cpu:02}") };
        let list = match entry.status {
            Status::Eligible => 'E',
            Status::Limited => 'L',
            _ => 'Q',
        };
        let state = match entry.status {
            _ if in_page_wait => "PG".into(),
            Status::Running(processor) => format!("R{processor:02}"),
            Status::TestIdle => "TI".into(),
            _ => "...".to_string(),
        };
        let short = format!("{name:<13}{list}{} {state:<3}", entry.class);
        if !expanded {
            return Some(short);
        }
        let flags = if entry.interactive { ".I.." } else { "...." };
        let sign = if entry.deadline < 0 { '-' } else { ' ' };
        let seconds = entry.deadline.unsigned_abs() as f64 / 1e6;
        Some(format!("{short} {resident:08X}/{working_set:08X} {flags} {sign}{seconds:<6.4} A{:02}", 0))
    };
    let entries: Vec<String> = queued.iter().filter_map(entry).collect();
    if entries.is_empty() {
        return vec!["No users in the dispatch or eligible list".into()];
    }
    let per_line = if expanded { 1 } else { 2 };
    entries.chunks(per_line).map(|some| some.join("       ").trim_end().to_string()).collect()
}

/// The lines of PAGING: of each user the pages in expanded storage and on page volumes.
pub fn paging(users: &[(String, u64, u64)]) -> Vec<String> {
    let entry = |(userid, blocks, slots): &(String, u64, u64)| format!("{userid:<8} {blocks:06X}:{slots:06X}");
    match users {
        [] => vec!["No users in page wait".to_string()],
        users => users.chunks(4).map(|some| some.iter().map(entry).collect::<Vec<_>>().join(", ")).collect(),
    }
}
