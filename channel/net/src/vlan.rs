//! VLANs of ports: which frames a port takes, and in which form it gets them.

use crate::frame::{Head, Tag, VlanId};

/// A set of VLANs.
#[derive(Clone, PartialEq, Eq)]
pub struct VlanSet(Box<[u64; 64]>);

impl VlanSet {
    /// Whether `vlan` is in it.
    pub fn has(&self, vlan: VlanId) -> bool {
        (1..4095).contains(&vlan) && self.0[usize::from(vlan / 64)] & 1 << (vlan % 64) != 0
    }
}

impl FromIterator<VlanId> for VlanSet {
    fn from_iter<I: IntoIterator<Item = VlanId>>(vlans: I) -> VlanSet {
        let mut set = VlanSet(Box::new([0; 64]));
        vlans
            .into_iter()
            .filter(|vlan| *vlan < 4096)
            .for_each(|vlan| set.0[usize::from(vlan / 64)] |= 1 << (vlan % 64));
        set
    }
}

impl std::fmt::Debug for VlanSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries((0..4096).filter(|vlan| self.has(*vlan))).finish()
    }
}

/// What a port has to do with VLANs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Vlan {
    /// Nothing: frames pass as they are, tagged or not, among ports like it.
    #[default]
    Unaware,
    /// It belongs to one VLAN and knows nothing of that: its frames have no tags.
    Access(VlanId),
    /// It belongs to several VLANs, whose frames have tags; those of the native one have none.
    Trunk {
        /// The VLAN of frames without a tag; 0: there are none.
        native: VlanId,
        /// The VLANs with tags.
        allowed: VlanSet,
    },
}

impl Vlan {
    /// The VLAN of a frame that comes from such a port; `None`: it is refused.
    pub(crate) fn of(&self, head: &Head) -> Option<VlanId> {
        // A tag with VLAN 0 says a priority and no VLAN.
        let tagged = head.tag.map(Tag::vlan).filter(|vlan| *vlan != 0);
        match (self, tagged) {
            (Vlan::Unaware, _) => Some(0),
            (Vlan::Access(own), None) => Some(*own),
            (Vlan::Access(own), Some(vlan)) => (vlan == *own).then_some(vlan),
            (Vlan::Trunk { native, .. }, None) => (*native != 0).then_some(*native),
            (Vlan::Trunk { allowed, .. }, Some(vlan)) => allowed.has(vlan).then_some(vlan),
        }
    }

    /// Whether frames of `vlan` go to such a port.
    pub(crate) fn carries(&self, vlan: VlanId) -> bool {
        match self {
            Vlan::Unaware => vlan == 0,
            Vlan::Access(own) => vlan == *own,
            Vlan::Trunk { native, allowed } => vlan != 0 && (vlan == *native || allowed.has(vlan)),
        }
    }

    /// Whether a frame of a VLAN that goes to such a port loses its tag, and which tag it gets.
    pub(crate) fn form(&self, vlan: VlanId, head: &Head) -> (bool, Option<Tag>) {
        match self {
            Vlan::Unaware => (false, None),
            Vlan::Trunk { native, .. } if vlan != *native => (head.tag.is_some(), Some(Tag::of(vlan, head.tag))),
            _ => (head.tag.is_some(), None),
        }
    }
}
