//! Doubly linked lists of numbers. A number is on one list at most, so all lists share one table of links.

/// No number.
const NONE: u32 = u32::MAX;

/// The links of all numbers from 0 on.
#[derive(Debug)]
pub(crate) struct Links(Vec<(u32, u32)>);

/// One list: its top has what was put there last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    top: u32,
    bottom: u32,
    len: u32,
}

impl Default for List {
    fn default() -> List {
        List { top: NONE, bottom: NONE, len: 0 }
    }
}

impl List {
    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    pub(crate) fn bottom(&self) -> Option<u32> {
        (self.bottom != NONE).then_some(self.bottom)
    }
}

impl Links {
    pub(crate) fn new(count: u32) -> Links {
        Links(vec![(NONE, NONE); count as usize])
    }

    /// One number more, on no list.
    pub(crate) fn grow(&mut self) {
        self.0.push((NONE, NONE));
    }

    /// Puts a number that is on no list at the top.
    pub(crate) fn push_top(&mut self, list: &mut List, number: u32) {
        self.0[number as usize] = (NONE, list.top);
        match list.top {
            NONE => list.bottom = number,
            top => self.0[top as usize].0 = number,
        }
        list.top = number;
        list.len += 1;
    }

    /// Puts a number that is on no list at the bottom.
    pub(crate) fn push_bottom(&mut self, list: &mut List, number: u32) {
        self.0[number as usize] = (list.bottom, NONE);
        match list.bottom {
            NONE => list.top = number,
            bottom => self.0[bottom as usize].1 = number,
        }
        list.bottom = number;
        list.len += 1;
    }

    /// Takes a number off its list.
    pub(crate) fn remove(&mut self, list: &mut List, number: u32) {
        let (above, below) = std::mem::replace(&mut self.0[number as usize], (NONE, NONE));
        match above {
            NONE => list.top = below,
            above => self.0[above as usize].1 = below,
        }
        match below {
            NONE => list.bottom = above,
            below => self.0[below as usize].0 = above,
        }
        list.len -= 1;
    }

    /// Takes the lowest number off the list.
    pub(crate) fn pop_bottom(&mut self, list: &mut List) -> Option<u32> {
        let number = list.bottom()?;
        self.remove(list, number);
        Some(number)
    }

    /// The numbers of the list from the bottom up.
    pub(crate) fn upwards<'a>(&'a self, list: &List) -> impl Iterator<Item = u32> + 'a {
        let above = |&number: &u32| Some(self.0[number as usize].0).filter(|&above| above != NONE);
        std::iter::successors(list.bottom(), above)
    }
}
