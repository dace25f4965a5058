//! From bodies to x86-64 code by the plan: registers, words, addresses, conditions, branches.

pub(crate) mod arms;
pub(crate) mod assembler;
pub(crate) mod block;
pub(crate) mod body;
pub(crate) mod branches;
pub(crate) mod conditions;
pub(crate) mod control;
pub(crate) mod copies;
pub(crate) mod emitter;
pub(crate) mod exits;
pub(crate) mod float_flags;
pub(crate) mod floating;
pub(crate) mod inline_forms;
pub(crate) mod loop_carried;
pub(crate) mod map;
pub(crate) mod notes;
pub(crate) mod partial_words;
pub(crate) mod recipes;
pub(crate) mod return_stack;
pub(crate) mod scratch;
pub(crate) mod second_page;
pub(crate) mod shared_probes;
pub(crate) mod slots;
pub(crate) mod targets;
pub(crate) mod tlb_probes;
pub(crate) mod words;
