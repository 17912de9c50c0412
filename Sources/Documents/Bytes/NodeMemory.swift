import Glibc

/// Memory that never moves, reserved for the worst case and only paid for where it is touched.
///
/// The owner orders writes and reads by its published counts.
final class NodeMemory: Sendable {
    /// Two mmap calls cost about 20 µs, which would be most of the time for a document of 1 KB.
    static let largestHeapSize = 4 << 20

    /// From here on large pages are asked for.
    static let smallestHugeSize = 16 << 20

    // Unsafe because only the pointer is shared here; what it points to is the owner's business.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    private let mappedSize: Int

    /// Reserves `size` bytes; nil when the system refuses.
    init?(size: Int) {
        if size <= Self.largestHeapSize {
            guard let memory = malloc(max(size, 16)) else { return nil }
            base = memory
            mappedSize = 0
            return
        }
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let rounded = (size + 4095) & ~4095
        guard
            let memory = mmap(nil, rounded, PROT_READ | PROT_WRITE, flags, -1, 0),
            memory != MAP_FAILED
        else { return nil }
        // 1.5-2x on large documents; the first pages stay small, because clearing 2 MB would delay
        // the first rows.
        let small = 2 << 20
        if rounded > Self.smallestHugeSize {
            madvise(memory + small, rounded - small, Int32(MADV_HUGEPAGE))
        }
        base = memory
        mappedSize = rounded
    }

    deinit {
        if mappedSize > 0 { munmap(base, mappedSize) } else { free(base) }
    }
}
