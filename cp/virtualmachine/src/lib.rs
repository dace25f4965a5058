//! One virtual machine: its block, its hardware, and what runs it.
//!
//! * `vmdbk`: the block that CP keeps for a virtual machine; `class`: its privilege classes.
//! * `machine`: its hardware; `nic`, `ctca` and `peripheral`: adapters of networks, channels and the host.
//! * `processor`: the host threads that run virtual CPUs.
//! * `issuer`: where a command of its user came from.
//! * `trace` and `examine`: what TRACE, DISPLAY and STORE see of it.
//! * `block_path` and `vmcf_memory`: its minidisks at the ends of IUCV's paths, and its storage as VMCF sees it.
//! * `tape`: the real tape drives that virtual machines hold.
//!
//! Nothing here knows other users, terminals or commands: that is CP as a whole, in `nucleus`.

pub mod block_path;
pub mod class;
pub mod ctca;
pub mod examine;
pub mod issuer;
pub mod machine;
pub mod nic;
pub mod peripheral;
pub mod processor;
pub mod suspended;
pub mod tape;
pub mod trace;
pub mod vmcf_memory;
pub mod vmdbk;
