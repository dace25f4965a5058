//! What is reckoned of an interval: seconds, and how far counters have gone on in them. Figures of several intervals
//! are added. What is a value of now, and no count, is multiplied by the seconds, so that its mean can be added, too.

/// Makes types of figures.
macro_rules! figures {
    ($($(#[$doc:meta])+ $name:ident { $($(#[$what:meta])+ $field:ident,)+ })+) => {$(
        $(#[$doc])+
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $name {
            /// Seconds of the intervals that had such records. 0: none had.
            pub seconds: f64,
            $($(#[$what])+ pub $field: f64,)+
        }

        impl $name {
            /// Adds those of another interval.
            pub fn add(&mut self, other: &$name) {
                self.seconds += other.seconds;
                $(self.$field += other.$field;)+
            }

            /// A sum of this, in a second. Nothing if there are no such records.
            pub fn rate(&self, sum: f64) -> Option<f64> {
                (self.seconds > 0.0).then(|| sum / self.seconds)
            }
        }
    )+};
}

figures! {
    /// All processors (0.1, 0.2, 0.11, 0.13).
    Processors {
        /// Emulation, in seconds.
        emulation,
        /// Charged to users, in seconds.
        users,
        /// CP's work that no user was charged for, in seconds.
        system,
        /// Nothing to do, in seconds.
        wait,
        /// Virtual CPUs that were dispatched.
        dispatched,
        /// Interpretive execution was begun.
        interpreted,
        /// DIAGNOSE instructions.
        diagnoses,
        /// I/O that was started.
        started,
        /// IUCV functions.
        iucv,
        /// Time slices that ended.
        slices,
    }
    /// Why interpretive execution ended (5.3).
    Interceptions {
        /// For CP to act.
        intercepted,
    }
    /// Users and transactions (0.8).
    Work {
        /// Users, times seconds.
        users,
        /// Trivial transactions.
        trivial,
        /// Their time, in seconds.
        trivial_time,
        /// The others.
        other,
        /// Their time, in seconds.
        other_time,
    }
    /// The scheduler's lists (0.10), times seconds.
    Lists {
        /// Virtual CPUs in class 0 of the dispatch list.
        q0,
        /// In class 1.
        q1,
        /// In class 2.
        q2,
        /// In class 3.
        q3,
        /// In the eligible list.
        eligible,
        /// On the limit list.
        limited,
    }
    /// Frames (0.3), times seconds.
    Frames {
        /// All.
        installed,
        /// CP's nucleus.
        nucleus,
        /// CP's blocks.
        free_storage,
        /// Shared pages.
        shared,
        /// Pages of virtual machines.
        pageable,
        /// Available.
        available,
    }
    /// Pages that the host brought (0.4).
    Host {
        /// Read.
        reads,
        /// Cleared.
        cleared,
    }
    /// Virtual machines' storage (3.1), times seconds.
    Machines {
        /// Pages that are defined.
        defined,
        /// Resident pages.
        resident,
        /// Saved segments in use.
        segments,
        /// Megabytes of expanded storage.
        expanded,
    }
    /// Spool space (0.6), times seconds.
    Spool {
        /// Pages.
        pages,
        /// Files.
        files,
    }
    /// The minidisk cache (0.14).
    Cache {
        /// Virtual reads.
        reads,
        /// Virtual writes.
        writes,
        /// Hits.
        hits,
        /// Tracks that were brought in.
        inserts,
        /// Reads that brought nothing in.
        refused,
        /// Its bytes, times seconds.
        bytes,
    }
    /// A user (4.3).
    User {
        /// Total processor time, in seconds.
        total,
        /// Virtual processor time, in seconds.
        emulation,
        /// I/O instructions.
        started,
        /// CCWs.
        ccws,
        /// Channel programs that took the fast path to their end.
        fast,
        /// All channel programs that were looked at for it.
        programs,
        /// DIAGNOSE instructions.
        diagnoses,
        /// Spool records read.
        read,
        /// Printed.
        printed,
        /// Punched.
        punched,
        /// Reads through the minidisk cache.
        cache_reads,
        /// Those that needed no I/O.
        cache_hits,
        /// Resident pages, times the seconds of records.
        resident,
        /// Working set, times the seconds of records.
        working_set,
        /// Megabytes of expanded storage, times the seconds of records.
        expanded,
        /// Seconds of intervals that ended with a record of it: it had not logged off.
        present,
    }
    /// What was seen at the high-frequency rate (4.4, 0.12).
    States {
        /// How often it was looked.
        looks,
        /// Running.
        running,
        /// Waiting for a processor.
        cpu_wait,
        /// Waiting for a page.
        page_wait,
        /// In the eligible list.
        eligible,
        /// On the limit list.
        limited,
        /// Test idle.
        test_idle,
        /// Dormant.
        dormant,
    }
    /// A disk (6.3).
    Device {
        /// I/O to it.
        started,
        /// Reads that were asked for.
        reads,
        /// Writes.
        writes,
        /// Reads that needed no I/O.
        hits,
        /// Tracks that were brought into the cache.
        inserts,
        /// Users, times seconds.
        users,
    }
}
