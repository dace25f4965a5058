//! IUCV as CP has it: with minidisks at the other ends of paths to *BLOCKIO.

use iucv::Disk;
use minidisk::{BlockEnvironment, Link};
use std::sync::Arc;

/// IUCV of the whole system.
pub type Iucv = iucv::Iucv<BlockPath>;
/// The same, as all virtual machines share it.
pub type SharedIucv = iucv::Shared<BlockPath>;

/// The disk at the other end of a path.
pub struct BlockPath {
    /// The user's link to the minidisk.
    pub link: Arc<Link>,
    /// Its blocks.
    pub environment: BlockEnvironment,
}

impl Disk for BlockPath {
    type Device = Link;

    fn device(&self) -> &Arc<Link> {
        &self.link
    }

    fn extent(&self) -> (u32, u32) {
        let BlockEnvironment { disk, offset, .. } = &self.environment;
        let (first, last) = (1i64.wrapping_sub(*offset), (disk.count() as i64).wrapping_sub(*offset));
        (first as u32, last as u32)
    }

    fn is_read_only(&self) -> bool {
        self.environment.disk.read_only
    }
}
