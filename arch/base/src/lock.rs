//! Locks that a panic does not close.

use std::sync::{LockResult, PoisonError};

/// Takes what a lock gives, poisoned or not: what it guards is whole between any two statements, and a panic ends one
/// virtual machine at most.
///
/// ```
/// use base::Held;
/// let count = std::sync::Mutex::new(1);
/// *count.lock().held() += 1;
/// assert_eq!(count.into_inner().held(), 2);
/// ```
pub trait Held<G> {
    /// The guard, or the value of a lock that is taken apart; poison is overlooked.
    fn held(self) -> G;
}

impl<G> Held<G> for LockResult<G> {
    fn held(self) -> G {
        self.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;

    #[test]
    fn a_poisoned_lock_gives_what_it_guards() {
        let count = Mutex::new(1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            let mut count = count.lock().held();
            *count = 2;
            panic!("on purpose");
        }));
        assert!(panicked.is_err() && count.is_poisoned());
        assert_eq!(*count.lock().held(), 2);
    }
}
