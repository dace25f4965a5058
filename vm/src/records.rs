//! Records that no virtual machine has collected when the system ends: they wait in a file for the next start.

use base::Held;
use iucv::records::KINDS;
use nucleus::system::Cp;
use std::collections::BTreeMap;
use std::path::Path;

/// The file in the system's folder: for each kind of QUERY RECORDING its records, in hexadecimal.
const FILE: &str = "records";
/// More than as many records as there may be take.
const MOST: u64 = 1 << 30;

type Kinds = BTreeMap<String, Vec<String>>;

fn digits(record: &[u8]) -> String {
    record.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let pair = |pair: &[u8; 2]| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok();
    if rest.is_empty() { pairs.iter().map(pair).collect() } else { None }
}

/// Gives a new system the records of the one before, whose file then goes. What is wrong with the file, if it is: it
/// stays there under another name.
pub(crate) fn restore(folder: &Path, cp: &Cp) -> Option<String> {
    let path = folder.join(FILE);
    let bad = |why: String| {
        let aside = folder.join(format!("{FILE}.bad"));
        let moved = match std::fs::rename(&path, &aside) {
            Ok(()) => format!("it is {} now", aside.display()),
            Err(error) => format!("it cannot be moved away: {error}"),
        };
        Some(format!("{}: the records of the last system cannot be had: {why}; {moved}", path.display()))
    };
    let text = match base::file::read(&path, MOST) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
        Err(error) => return bad(error.to_string()),
    };
    let kinds: Kinds = match serde_json::from_slice(&text) {
        Ok(kinds) => kinds,
        Err(error) => return bad(error.to_string()),
    };
    let mut all = Vec::new();
    for (kind, records) in &kinds {
        let Some((_, service)) = KINDS.iter().find(|(name, _)| name == kind) else {
            return bad(format!("there are no {kind} records"));
        };
        for record in records {
            let Some(record) = bytes(record) else { return bad(format!("{record:?} is no record")) };
            all.push((*service, record));
        }
    }
    if let Err(error) = std::fs::remove_file(&path) {
        return bad(error.to_string());
    }
    let mut iucv = cp.iucv.lock().held();
    for (service, record) in all {
        iucv.keep(service, record);
    }
    None
}

/// Writes what waits when the system has ended.
pub(crate) fn save(folder: &Path, cp: &Cp) -> Result<(), String> {
    let path = folder.join(FILE);
    let iucv = cp.iucv.lock().held();
    let waiting = KINDS.map(|(name, service)| (name, iucv.waiting_records(service)));
    let waiting = waiting.into_iter().filter(|(_, records)| !records.is_empty());
    let kinds: Kinds =
        waiting.map(|(name, records)| (name.into(), records.iter().map(|r| digits(r)).collect())).collect();
    if kinds.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_vec(&kinds).map_err(|error| error.to_string())?;
    // A system that is killed meanwhile leaves all of them or none.
    base::file::replace(&path, &text, 0o666).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
