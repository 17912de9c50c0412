import Glibc
import Synchronization

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
    private let touchedSize = Atomic(0)

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
        if let region = NodeMemoryPool.shared.take(rounded),
            let memory = UnsafeMutableRawPointer(bitPattern: region.address)
        {
            base = memory
            mappedSize = region.size
            touchedSize.store(region.touchedSize, ordering: .relaxed)
            return
        }
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

    /// Says that the first `size` bytes were written to.
    func touch(_ size: Int) {
        // To the end of its large page.
        let page = 2 << 20
        let past = Int(bitPattern: base + size) % page
        touchedSize.max(min(size + (past == 0 ? 0 : page - past), mappedSize), ordering: .relaxed)
    }

    deinit {
        guard mappedSize > 0 else { return free(base) }
        let touched = touchedSize.load(ordering: .relaxed)
        let address = UInt(bitPattern: base)
        NodeMemoryPool.shared.give(
            .init(address: address, size: mappedSize, touchedSize: touched)
        )
    }
}
