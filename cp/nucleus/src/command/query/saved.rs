//! QUERY NSS: saved systems and segments.

use super::super::{Issuer, Response};
use crate::system::Cp;
use arch::PAGE;
use message::Message;
use message::calendar::Date;
use message::words::Words;
use realstorage::sharing;
use spool::saved::{Class, Kind, SavedFile};

/// `Query NSS [ALL|spoolid|NAME name] [MAP] | NSS USERS name`
///
/// Lists the saved systems (NSS), segments (DCSS) and members of segment spaces (DCSS-M): number, class (S defined and
/// not saved, A active, R restricted, P pending until its last user has given it back), how many pages, when and by
/// whom saved. MAP shows the pages, their types, and how many users each has, and the segment spaces (DCSS-S), which
/// have no number; USERS shows who they are.
pub fn nss(cp: &Cp, _: &Issuer, mut words: Words<'_>) -> Result<Response, Message> {
    if words.accept("USERS") {
        let name = words.need()?.upper();
        words.end()?;
        return users(cp, &name);
    }
    let (mut map, mut name, mut id) = (false, None, None);
    while let Some(word) = words.next() {
        match () {
            () if word.is("MAP") => map = true,
            () if word.is("ALL") => (),
            () if word.is("NAME") => name = Some(words.need()?.upper()),
            () => id = Some(word.decimal().and_then(|n| u16::try_from(n).ok()).ok_or_else(|| word.invalid())?),
        }
    }
    let wanted =
        |file: &&SavedFile| name.as_ref().is_none_or(|name| is_called(file, name)) && id.is_none_or(|id| file.id == id);
    let files: Vec<SavedFile> =
        spool::ask(&cp.spool, |spool| spool.saved.files().iter().filter(wanted).cloned().collect());
    if files.is_empty() {
        return match (name, id) {
            (Some(name), _) => Err(message::no_saved_system(name).from("NSS")),
            (_, Some(id)) => Err(message::spoolid_absent(format!("{id:04}")).from("NSS")),
            _ => Ok("NO NSS FILES".into()),
        };
    }
    Ok(if map { self::map(cp, &files) } else { list(cp, &files) }.into())
}

/// Whether it is the file of this name, or a member of the space.
fn is_called(file: &SavedFile, name: &str) -> bool {
    file.name == name || file.space.as_deref() == Some(name)
}

fn filetype(file: &SavedFile) -> &'static str {
    if file.space.is_some() { "DCSS-M" } else { file.kind.name() }
}

/// A line for each segment space that one of these files is in.
fn spaces(cp: &Cp, files: &[SavedFile]) -> Vec<String> {
    let mut names: Vec<&String> = files.iter().filter_map(|file| file.space.as_ref()).collect();
    names.dedup();
    let line = |space: &&String| {
        let member = |file: &&SavedFile| file.class != Class::Pending && file.space.as_ref() == Some(*space);
        let members: Vec<SavedFile> =
            spool::ask(&cp.spool, |spool| spool.saved.files().iter().filter(member).cloned().collect());
        let (first, last) = sharing::extent(&members);
        let users = members.iter().map(|file| cp.saved.user_count(file.id)).max().unwrap_or(0);
        let class = if cp.saved.parts(space).is_empty() { Class::Skeleton } else { Class::Active };
        let (first, last) = (first / PAGE, last / PAGE);
        format!(
            "---- {space:<8} {:<8} {:<8} {first:05X}  {last:05X}  --   {}  {users:05}  {:<8} N/A",
            "DCSS-S",
            "N/A",
            class.letter(),
            "N/A"
        )
    };
    names.iter().map(line).collect()
}

fn list(cp: &Cp, files: &[SavedFile]) -> Vec<String> {
    let mut lines = vec!["OWNERID  FILE TYPE CL RECS DATE  TIME     FILENAME FILETYPE ORIGINID".to_string()];
    lines.extend(files.iter().map(|file| {
        let date = Date::at(file.created, &cp.config.zone);
        format!(
            "*NSS     {:04} NSS  {}  {:04} {} {} {:<8} {:<8} {}",
            file.id,
            file.class.letter(),
            file.pages().min(9999),
            date.month_day(),
            date.time(),
            file.name,
            filetype(file),
            file.originator
        )
    }));
    lines
}

fn map(cp: &Cp, files: &[SavedFile]) -> Vec<String> {
    let mut lines = vec!["FILE FILENAME FILETYPE MINSIZE  BEGPAG ENDPAG TYPE CL #USERS PARMREGS VMGROUP".to_string()];
    for file in files {
        let users = cp.saved.user_count(file.id);
        let (minimum, registers, group) = match file.kind {
            Kind::System => (
                format!("{:07}K", file.minimum >> 10),
                file.parm_registers.map_or("OMITTED".into(), |(first, last)| format!("{first:02}-{last:02}")),
                if file.vm_group { "YES" } else { "NO" },
            ),
            Kind::Segment => ("N/A".into(), "N/A".into(), "N/A"),
        };
        for (n, range) in file.ranges.iter().enumerate() {
            let pages = format!("{:05X}  {:05X}  {}", range.first, range.last, range.kind.name());
            lines.push(match n {
                0 => format!(
                    "{:04} {:<8} {:<8} {minimum:<8} {pages}   {}  {users:05}  {registers:<8} {group}",
                    file.id,
                    file.name,
                    filetype(file),
                    file.class.letter()
                ),
                _ => format!("{:32}{pages}", ""),
            });
        }
    }
    lines.extend(spaces(cp, files));
    lines
}

fn users(cp: &Cp, name: &str) -> Result<Response, Message> {
    let named = |file: &&SavedFile| is_called(file, name);
    let files: Vec<SavedFile> =
        spool::ask(&cp.spool, |spool| spool.saved.files().iter().filter(named).cloned().collect());
    if files.is_empty() {
        return Err(message::no_saved_system(name).from("NSS"));
    }
    let mut lines = vec!["FILE FILENAME FILETYPE CLASS".to_string()];
    for file in &files {
        lines.push(format!("{:04} {:<8} {:<8} {}", file.id, file.name, filetype(file), file.class.letter()));
        let users = cp.saved.users(file.id);
        let row = |users: &[String]| users.iter().map(|user| format!("{user:<8}")).collect::<Vec<_>>().join("  ");
        lines.extend(users.chunks(6).map(|users| row(users).trim_end().to_string()));
    }
    Ok(lines.into())
}
