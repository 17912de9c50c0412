// The memory of large trees is kept for the next document and lent to the kernel by `MADV_FREE`:
// fresh pages cost as much as the parse of a deep document.

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

/// Memory of documents that are gone, kept for the next one.
///
/// Most of the time for a deeply nested text is the kernel's, which clears fresh pages. What lies
/// here costs nothing when memory gets short: the kernel may take its pages back at any time, and
/// what it held is never read again.
final class NodeMemoryPool: Sendable {
    static let shared = NodeMemoryPool()

    /// The nodes and the containers of one document.
    static let largestCount = 2
    /// Bytes that were written to, in all regions together, when nobody says otherwise.
    static let largestTouchedSize = 64 << 20
    /// A region serves a request of this part of its size or more.
    static let largestRatio = 8

    /// A mapping that nobody uses; by its address, because a pointer cannot be shared.
    struct Region: Equatable {
        var address: UInt
        var size: Int
        /// How much of it was ever written to, from the front.
        var touchedSize: Int

        func unmap() { munmap(UnsafeMutableRawPointer(bitPattern: address), size) }
    }

    private let regions = Mutex<[Region]>([])
    private let bound = Atomic(NodeMemoryPool.largestTouchedSize)

    /// Sets how many bytes are kept at most, from now on.
    func keep(atMost size: Int) { bound.store(size, ordering: .relaxed) }

    /// The smallest region that is large enough, and not far too large.
    func take(_ size: Int) -> Region? {
        regions.withLock { regions in
            let fitting = regions.indices.filter {
                regions[$0].size >= size && regions[$0].size / Self.largestRatio <= size
            }
            let best = fitting.min { regions[$0].size < regions[$1].size }
            return best.map { regions.remove(at: $0) }
        }
    }

    /// Keeps a region for later, instead of older ones when there are too many.
    func give(_ region: Region) {
        let bound = bound.load(ordering: .relaxed)
        guard region.touchedSize > 0, region.touchedSize <= bound,
            madvise(
                UnsafeMutableRawPointer(bitPattern: region.address),
                region.touchedSize,
                Int32(MADV_FREE)
            ) == 0
        else { return region.unmap() }
        let dropped = regions.withLock { regions in
            regions.append(region)
            var dropped: [Region] = []
            while regions.count > Self.largestCount
                || regions.reduce(0, { $0 + $1.touchedSize }) > bound
            {
                dropped.append(regions.removeFirst())
            }
            return dropped
        }
        for region in dropped { region.unmap() }
    }
}

extension Document {
    /// Sets how much memory of documents that are gone is kept for later ones; 64 MiB at first.
    ///
    /// A screen opens one after the other, seldom, and should not look as if it still held them.
    package static func keepMemory(atMost size: Int) { NodeMemoryPool.shared.keep(atMost: size) }
}
