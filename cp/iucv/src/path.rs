//! Paths: which users may connect to which, and what becomes of a path.

use crate::server::USUAL;
use crate::service::{Service, TCPIP};
use crate::{Answer, Disk, Iucv, List, Member, Path, Peer, Stage, code, flag, kind};
use directory::{IucvWith, User};
use std::collections::BTreeMap;

/// How many messages may be on a path if neither the program nor the directory says how many.
const USUAL_LIMIT: u16 = 10;

/// What the directory grants to a user who connects: the limit of messages it sets, and messages with priority.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Grant {
    pub limit: Option<u16>,
    pub priority: bool,
}

/// Whether `from` may connect to the user `to`, of whom the directory says `target`.
fn grant(from: &User, to: &str, target: Option<&User>) -> Option<Grant> {
    let by_own = from.iucv.iter().find(|iucv| match &iucv.with {
        IucvWith::Any => !to.starts_with('*'),
        IucvWith::Name(name) | IucvWith::Service(name) => name == to,
        _ => false,
    });
    let allowed = || target.and_then(|user| user.iucv.iter().find(|iucv| iucv.with == IucvWith::Allow));
    if let Some(iucv) = by_own.or_else(allowed) {
        return Some(Grant { limit: iucv.message_limit, priority: iucv.priority });
    }
    // A user needs no leave to connect to himself, nor to be told what CP would show on his own console.
    let free = from.userid == to || matches!(to, "*MSG" | "*MSGALL");
    free.then_some(Grant { limit: None, priority: true })
}

/// The limit of a path's end: what the program asked for, within what the directory says.
fn limit(asked: u16, directory: Option<u16>) -> u16 {
    let asked = if asked == 0 { directory.unwrap_or(USUAL_LIMIT) } else { asked };
    directory.map_or(asked, |limit| asked.min(limit))
}

impl<D> Path<D> {
    pub(crate) fn new(peer: Peer, stage: Stage, list: &List, grant: Grant) -> Path<D> {
        let flags = list.flags();
        Path {
            limit: limit(list.limit(), grant.limit),
            priority: grant.priority && flags & flag::PRIORITY != 0,
            takes_parameter_data: flags & flag::PARAMETER_DATA != 0,
            quiesced: flags & flag::QUIESCE != 0,
            ..Path::empty(peer, stage)
        }
    }

    /// A path without messages, on which none may be yet.
    pub(crate) fn empty(peer: Peer, stage: Stage) -> Path<D> {
        Path {
            peer,
            stage,
            limit: 0,
            outstanding: 0,
            priority: false,
            takes_parameter_data: false,
            quiesced: false,
            incoming: BTreeMap::new(),
            block: None,
            serial: 0,
            asked: BTreeMap::new(),
        }
    }
}

impl<D: Disk> Iucv<D> {
    /// CONNECT: asks for a path to the user, the resource or the service that the list names.
    pub fn connect(&mut self, id: u32, list: &mut List) -> Answer {
        let name = list.name();
        let me = self.members.get(&id).ok_or(code::NO_BUFFER)?;
        if name.starts_with('*') || self.is_served(&name) {
            return self.connect_to_service(id, &name, list);
        }
        let owner = self.resources.get(&name).map(|(owner, _)| *owner);
        let target = self.names.get(&name).copied().or(owner).ok_or(code::NOT_LOGGED_ON)?;
        let other = &self.members[&target];
        let grant = grant(&me.user, &name, Some(&other.user)).ok_or(code::NOT_AUTHORISED)?;
        if other.buffers.is_empty() {
            return Err(code::NO_BUFFER);
        }
        let mine = me.free_path().ok_or(code::OWN_PATHS)?;
        // Both ends of a path to oneself come out of the same numbers.
        let theirs = match target == id {
            true => (mine + 1..me.most_paths()).find(|path| !me.paths.contains_key(path)).ok_or(code::OWN_PATHS)?,
            false => other.free_path().ok_or(code::TARGET_PATHS)?,
        };
        let userid = me.user.userid.clone();
        let path = Path::new(Peer::Member(target, theirs), Stage::Asking, list, grant);
        let asked = Path {
            peer: Peer::Member(id, mine),
            stage: Stage::Asked,
            quiesced: false,
            ..Path::new(path.peer, path.stage, list, grant)
        };
        let mut pending = List::default();
        pending.set_path(theirs);
        pending.set_flags(
            list.flags() & (flag::PARAMETER_DATA | flag::QUIESCE) | if path.priority { flag::PRIORITY } else { 0 },
        );
        pending.set_kind(kind::CONNECTION_PENDING);
        pending.set_limit(path.limit);
        pending.set_name(&userid);
        pending.set_user(list.user());
        list.set_path(mine);
        list.set_limit(path.limit);
        list.set_flags(list.flags() & !flag::PRIORITY | if path.priority { flag::PRIORITY } else { 0 });
        self.enter_path(id, mine, path);
        self.enter_path(target, theirs, asked);
        self.control(target, pending);
        Ok(0)
    }

    fn connect_to_service(&mut self, id: u32, name: &str, list: &mut List) -> Answer {
        let service = if self.is_served(name) { Some(Service::Tcpip) } else { Service::named(name) };
        let service = service.filter(|service| *service != Service::Tcpip || self.server.is_some());
        let service = service.ok_or(code::NO_SERVICE)?;
        let me = &self.members[&id];
        let resource = (service == Service::Identify).then(|| {
            let mut first = [0; 8];
            first.copy_from_slice(&list.user()[..8]);
            base::ebcdic::to_string(&first).trim_end_matches([' ', '\0']).to_string()
        });
        let grant = match &resource {
            // The statement that lets a user own a resource names it.
            Some(resource) => {
                let owned = |iucv: &&directory::Iucv| matches!(&iucv.with, IucvWith::Ident(name) if name == resource);
                me.user.iucv.iter().find(owned).map(|iucv| Grant { limit: iucv.message_limit, priority: iucv.priority })
            }
            // Of a service with two names, the statement may have either.
            None if service == Service::Tcpip => [TCPIP, USUAL].iter().find_map(|name| grant(&me.user, name, None)),
            None => grant(&me.user, name, None),
        };
        let grant = grant.ok_or(code::NOT_AUTHORISED)?;
        if service.is_exclusive() && self.connected_to(service).is_some()
            || !service.takes_many() && me.paths.values().any(|path| path.peer == Peer::Service(service))
            || resource.as_ref().is_some_and(|resource| self.resources.contains_key(resource))
        {
            return Err(code::TARGET_PATHS);
        }
        let mine = me.free_path().ok_or(code::OWN_PATHS)?;
        let mut path = Path::new(Peer::Service(service), Stage::Open, list, grant);
        if service == Service::Tcpip {
            self.bind(id, mine, &mut path);
        }
        let mut complete = List::default();
        complete.set_path(mine);
        complete.set_kind(kind::CONNECTION_COMPLETE);
        complete.set_limit(path.limit);
        complete.set_user(list.user());
        list.set_path(mine);
        list.set_limit(path.limit);
        self.enter_path(id, mine, path);
        if let Some(resource) = resource {
            self.resources.insert(resource, (id, mine));
        }
        self.control(id, complete);
        self.feed(service);
        Ok(0)
    }

    /// ACCEPT: agrees to a path that another has asked for.
    pub fn accept(&mut self, id: u32, list: &mut List) -> Answer {
        let number = list.path();
        let path = self.path(id, number).ok_or(code::INVALID_PATH)?;
        match path.stage {
            Stage::Asked => (),
            Stage::Severed => return Err(code::SEVERED),
            _ => return Err(code::INVALID_PATH),
        }
        let flags = list.flags();
        path.stage = Stage::Open;
        path.takes_parameter_data = flags & flag::PARAMETER_DATA != 0;
        path.quiesced = flags & flag::QUIESCE != 0;
        path.priority &= flags & flag::PRIORITY != 0;
        if list.limit() != 0 {
            // What the directory allows was settled when the path was asked for.
            path.limit = list.limit().min(path.limit.max(USUAL_LIMIT));
        }
        let (peer, priority, limit) = (path.peer, path.priority, path.limit);
        list.set_limit(limit);
        let Peer::Member(other, theirs) = peer else { return Ok(0) };
        let mut complete = List::default();
        complete.set_path(theirs);
        complete.set_flags(flags & (flag::PARAMETER_DATA | flag::QUIESCE) | if priority { flag::PRIORITY } else { 0 });
        complete.set_kind(kind::CONNECTION_COMPLETE);
        complete.set_user(list.user());
        if let Some(path) = self.path(other, theirs) {
            path.stage = Stage::Open;
            path.priority = priority;
            complete.set_limit(path.limit);
        }
        self.control(other, complete);
        Ok(0)
    }

    /// SEVER: ends one path, or all of them.
    pub fn sever(&mut self, id: u32, list: &List) -> Answer {
        let me = self.member(id).ok_or(code::INVALID_PATH)?;
        if list.flags() & flag::ALL != 0 {
            let paths: Vec<u16> = me.paths.keys().copied().collect();
            paths.into_iter().for_each(|path| self.sever_one(id, path, list.user()));
            return Ok(0);
        }
        if !me.paths.contains_key(&list.path()) {
            return Err(code::INVALID_PATH);
        }
        self.sever_one(id, list.path(), list.user());
        Ok(0)
    }

    /// Takes one end of a path away, and tells the other.
    pub(crate) fn sever_one(&mut self, id: u32, number: u16, user: [u8; 16]) {
        let Some(member) = self.members.get_mut(&id) else { return };
        let Some(path) = member.paths.remove(&number) else { return };
        member.forget(number);
        self.resources.retain(|_, owner| *owner != (id, number));
        let Peer::Member(other, theirs) = path.peer else {
            self.left(id, number, &path);
            return self.take_back_records(path);
        };
        let Some(other_member) = self.members.get_mut(&other).filter(|_| path.stage != Stage::Severed) else { return };
        let asked = other_member
            .control
            .iter()
            .position(|list| list.kind() == kind::CONNECTION_PENDING && list.path() == theirs);
        other_member.forget(theirs);
        // A program that has not yet been told of a path is not told of its end either.
        if asked.is_some() {
            other_member.paths.remove(&theirs);
            return;
        }
        if let Some(end) = other_member.paths.get_mut(&theirs) {
            end.stage = Stage::Severed;
            end.outstanding = 0;
            end.incoming.clear();
        }
        let mut severed = List::default();
        severed.set_path(theirs);
        severed.set_kind(kind::SEVERED);
        severed.set_user(user);
        self.control(other, severed);
    }

    /// QUIESCE (true): no messages on this path for now; RESUME (false): again.
    pub fn quiesce(&mut self, id: u32, list: &List, stop: bool) -> Answer {
        let me = self.member(id).ok_or(code::INVALID_PATH)?;
        let numbers: Vec<u16> = match list.flags() & flag::ALL != 0 {
            true => me.paths.iter().filter(|(_, path)| path.stage == Stage::Open).map(|(&number, _)| number).collect(),
            false => vec![list.path()],
        };
        for number in numbers {
            let path = self.path(id, number).ok_or(code::INVALID_PATH)?;
            if path.stage != Stage::Open {
                return Err(code::INVALID_PATH);
            }
            path.quiesced = stop;
            match path.peer {
                Peer::Member(other, theirs) => {
                    let mut told = List::default();
                    told.set_path(theirs);
                    told.set_kind(if stop { kind::QUIESCED } else { kind::RESUMED });
                    told.set_user(list.user());
                    // Of several changes that have not been announced only the last matters.
                    if let Some(other) = self.member(other) {
                        let change = [kind::QUIESCED, kind::RESUMED];
                        other.control.retain(|list| list.path() != theirs || !change.contains(&list.kind()));
                    }
                    self.control(other, told);
                }
                Peer::Service(service) => self.feed(service),
            }
        }
        Ok(0)
    }

    pub(crate) fn enter_path(&mut self, id: u32, number: u16, path: Path<D>) {
        if let Some(member) = self.members.get_mut(&id) {
            member.paths.insert(number, path);
        }
    }

    /// Makes an interruption about a path pending.
    pub(crate) fn control(&mut self, id: u32, list: List) {
        if let Some(member) = self.members.get_mut(&id) {
            member.control.push_back(list);
            member.tell();
        }
    }
}

impl<D> Member<D> {
    /// Nothing about this path is pending any more.
    pub(crate) fn forget(&mut self, path: u16) {
        self.control.retain(|list| list.path() != path);
        self.messages.iter_mut().for_each(|messages| messages.retain(|_, message| message.0 != path));
        self.completions.iter_mut().for_each(|completions| completions.retain(|_, completion| completion.path != path));
    }
}
