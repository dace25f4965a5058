//! What the allocator keeps of the host's storage though nothing uses it.

/// Gives whole pages that were freed back to the host, wherever they lie. It takes milliseconds: something for a time
/// when there is nothing to do. Allocators of other hosts do that by themselves.
pub fn give_back_free() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it concerns nothing that is allocated.
    unsafe {
        libc::malloc_trim(0);
    }
}
