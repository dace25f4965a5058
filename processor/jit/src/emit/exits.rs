//! The ways out of a block, as they are noted while it is emitted: branches, links, side exits and other cold code.

use crate::emit::map::Map;
use crate::emit::recipes::Recipe;
use crate::plan::footprints::Access;
use dynasmrt::DynamicLabel;
use isa::Width;

// Answers of generated code that are not the number of a link.
/// The block at `ia` is wanted.
pub(crate) const LOOKUP: u32 = 0xffff_fff0;
/// The same: what was entered is stale, and what leads there is to lead elsewhere.
pub(crate) const STALE: u32 = 0xffff_fff4;
/// Something is pending, the budget is used up, or the block is stale: `ia` is its address.
pub(crate) const OUT: u32 = 0xffff_fff1;
/// An instruction has been done after which the engine must look; `ia` is where it goes on.
pub(crate) const LOOK: u32 = 0xffff_fff2;
/// An instruction was left early.
pub(crate) const FAULT: u32 = 0xffff_fff3;

/// An exit to another block, of the same page or of another that is known.
#[derive(Clone, Copy)]
pub(crate) struct Way {
    /// Where the displacement is that is changed when the target has been translated, from the start of the block's
    /// code.
    pub(crate) patch: u32,
    /// The target's page, a number among the block's.
    pub(crate) page: u8,
    /// It goes to the entry that compares the version: the text may have changed since.
    pub(crate) outer: bool,
}

/// Where a branch goes.
#[derive(Clone, Copy)]
pub(crate) enum Goal {
    /// So far from the start of the block.
    Near(i64),
    Const(u64),
    Host(u8),
}

/// What is where when a branch goes elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct Away {
    pub(crate) map: Map,
    pub(crate) cc: Recipe,
    /// Instructions that were counted and are not executed.
    pub(crate) refund: i32,
    /// The number of the instruction that would have come next: so far registers have been stepped.
    pub(crate) from: usize,
    /// Where the branch is that was taken last, if the state does not have it.
    pub(crate) at: Option<i64>,
    /// What kind of branch it is.
    pub(crate) kind: Branching,
}

/// What a branch is to the return stack ([`crate::emit::return_stack`]).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Branching {
    /// After it a register has the address of the next instruction, so far from the start of the block.
    Call(i64),
    /// By the address in the register that calls leave it in.
    Return,
    /// Neither.
    Plain,
}

/// A side exit of translated code, and its way back, as it is emitted.
pub(crate) struct Draft {
    /// The number of the instruction in its block.
    pub(crate) index: usize,
    /// Where it is among the steps of [`crate::plan::spans`].
    pub(crate) position: usize,
    /// Instructions that were counted and are not executed if the block is left here.
    pub(crate) refund: i32,
    pub(crate) before: Map,
    pub(crate) cc: Recipe,
    /// Where the branch is that was taken last, if the state does not have it.
    pub(crate) broke: Option<i64>,
    pub(crate) after: Map,
    /// At `resume`, rcx has what the slot of this register has.
    pub(crate) distance: Option<u8>,
    /// Where the host code of the next instruction begins, from the start of the block's.
    pub(crate) resume: u32,
    /// The block is left after the instruction: execution does not go on in this code.
    pub(crate) leave: bool,
    /// It is left for a reason of the site's own.
    pub(crate) quits: bool,
}

impl Draft {
    /// Floating-point registers are in the host's, at the site or after its instruction.
    pub(crate) fn holds_floats(&self) -> bool {
        [&self.before, &self.after].into_iter().any(|map| map.floats.any())
    }
}

/// Cold code after the block: what becomes of a result that is to be looked at again.
#[derive(Clone, Copy)]
pub(crate) struct Unusual {
    pub(crate) label: DynamicLabel,
    pub(crate) back: DynamicLabel,
    pub(crate) site: DynamicLabel,
    pub(crate) what: Again,
    /// The register of the result.
    pub(crate) x: u8,
    pub(crate) long: bool,
    /// What was in it before is in xmm0, and must be there again at the site.
    pub(crate) changed: bool,
}

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Again {
    /// Nothing is known yet of the floating-point-control register.
    Control,
    /// An infinity, or a NaN.
    Endless,
    /// One of them, or near them, or tiny, or near the least normal number.
    Extreme,
}

/// In a table: the host register with the index, and how many bytes are wanted.
pub(crate) type InTable = (u8, i32);

/// An access with a TLB probe of its own, and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Alone {
    pub(crate) label: DynamicLabel,
    pub(crate) resume: DynamicLabel,
    pub(crate) site: DynamicLabel,
    pub(crate) base: u8,
    pub(crate) access: Access,
    /// In a table: which of its places.
    pub(crate) place: Option<InTable>,
    /// It was to open its span: the words of the slot that are 0 now.
    pub(crate) closes: Closes,
    /// Where the span begins, and how far after that it ends, if it may be opened again. That is in a loop, which would
    /// have to do without it for long.
    pub(crate) again: Option<(i32, i32)>,
    /// It is opened again for stores, too, and its page is kept.
    pub(crate) stores: bool,
    pub(crate) page: bool,
    /// There is code in the frame: the span is open for what is fetched, and a store is a site's.
    pub(crate) marked: Option<DynamicLabel>,
    /// Where it goes on if it may lie over the end of a page, with the guest's address in rcx.
    pub(crate) across: Option<DynamicLabel>,
}

/// A register that is stored so far from the first byte, and the host register that has it, if one has.
pub(crate) type Stored = (i8, u8, Option<u8>);

/// An access of many registers that may lie over the end of a page.
pub(crate) struct Across {
    /// rcx has the guest's address there.
    pub(crate) label: DynamicLabel,
    /// Where the instruction is done if it is none such.
    pub(crate) site: DynamicLabel,
    pub(crate) width: Width,
    pub(crate) len: i32,
    /// Fetched: where rcx is to have the host's address of what is fetched. Stored: where the instruction has ended.
    pub(crate) back: DynamicLabel,
    /// What is stored.
    pub(crate) stores: Option<Vec<Stored>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closes {
    Nothing,
    Stores,
    All,
}

/// Cold code, which is emitted after the block.
pub(crate) enum Cold {
    Site(DynamicLabel, usize),
    Edge {
        label: DynamicLabel,
        away: Away,
        goal: Goal,
    },
    Exit {
        label: DynamicLabel,
        patch: u32,
        /// The target's page, a number among the block's.
        page: u8,
        outer: bool,
    },
    /// It has been emitted.
    Done,
    Unusual(Unusual),
    Alone(Alone),
    Across(Box<Across>),
    /// The condition code is worked out from what it follows from.
    Settle {
        label: DynamicLabel,
        resume: DynamicLabel,
        floats: bool,
    },
    /// A branch to a place further down in the block, which has these registers there.
    Join {
        start: DynamicLabel,
        away: Away,
        to: Map,
        to_cc: Recipe,
        label: DynamicLabel,
    },
}
