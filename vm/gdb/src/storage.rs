//! Storage as a debugger addresses it. Neither storage keys nor protection by tables keep it from anything.

use arch::{Absolute, AddressSpaceControl, PAGE, Real, mask};
use cpu::{Space, State, Translation};

/// What an address means.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Meaning {
    /// What it would mean to the CPU's next instruction fetch.
    #[default]
    Logical,
    /// An address of a space, whatever the PSW says.
    Virtual(Space),
    /// Prefixing is applied, and no translation.
    Real,
    /// Not even that.
    Absolute,
}

/// The words of `monitor storage`.
pub(crate) const WORDS: [(&str, Meaning); 6] = [
    ("logical", Meaning::Logical),
    ("primary", Meaning::Virtual(Space::Primary)),
    ("secondary", Meaning::Virtual(Space::Secondary)),
    ("home", Meaning::Virtual(Space::Home)),
    ("real", Meaning::Real),
    ("absolute", Meaning::Absolute),
];

/// The absolute address, if there is storage.
fn locate(state: &mut State, meaning: Meaning, address: u64) -> Option<Absolute> {
    let psw = state.psw();
    let space = match (meaning, psw.space()) {
        (Meaning::Virtual(space), _) => Some(space),
        (Meaning::Logical, AddressSpaceControl::Home) => Some(Space::Home),
        (Meaning::Logical, _) => Some(Space::Primary),
        (Meaning::Real | Meaning::Absolute, _) => None,
    };
    let absolute = match space.filter(|_| meaning != Meaning::Logical || psw.is(mask::DAT)) {
        None if meaning == Meaning::Absolute => Absolute(address),
        None => state.absolute(Real(address)),
        Some(space) => {
            // What the guest was told of its last exception stays.
            let kept = (state.translation_exception_id, state.exception_access_id);
            let found = state.translate_only(address, space);
            (state.translation_exception_id, state.exception_access_id) = kept;
            match found {
                Ok(Translation::Found(place)) => state.placed(place),
                _ => return None,
            }
        }
    };
    state.storage().contains(absolute, 1).then_some(absolute)
}

/// Reads bytes, and answers how many there are before the first that cannot be read.
pub(crate) fn read(state: &mut State, meaning: Meaning, address: u64, to: &mut [u8]) -> usize {
    let mut done = 0;
    while done < to.len() {
        let at = address.wrapping_add(done as u64);
        let count = (to.len() - done).min((PAGE - at % PAGE) as usize);
        let Some(absolute) = locate(state, meaning, at) else { break };
        // A look: the storage key stays as it is.
        if state.storage().peek(absolute, &mut to[done..done + count]).is_err() {
            break;
        }
        done += count;
    }
    done
}

/// Changes all bytes, or none: false.
pub(crate) fn write(state: &mut State, meaning: Meaning, address: u64, from: &[u8]) -> bool {
    let mut pieces = Vec::new();
    let mut done = 0;
    while done < from.len() {
        let at = address.wrapping_add(done as u64);
        let count = (from.len() - done).min((PAGE - at % PAGE) as usize);
        let Some(absolute) = locate(state, meaning, at) else { return false };
        pieces.push((absolute, &from[done..done + count]));
        done += count;
    }
    pieces.iter().all(|(absolute, piece)| state.storage().write(*absolute, piece).is_ok())
}
