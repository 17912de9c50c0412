// The memory of large trees is kept for the next document, because fresh pages cost as much as parsing a deep
// document. `MADV_FREE` lets the kernel take it back meanwhile.

import Glibc
import Synchronization

/// Memory that never moves: reserved for the worst case, although only pages that are written cost memory.
///
/// The owner orders writes and reads with its published counts.
final class NodeMemory: Sendable {
    /// Larger sizes are mapped; two mmap calls cost about 20 µs, most of the time for a document of 1 KB.
    static let largestHeapSize = 4 << 20

    /// Larger regions ask for huge pages.
    static let smallestHugeSize = 16 << 20

    // Safe to share: only the pointer is shared here; the owner guards what it points to.
    nonisolated(unsafe) let base: UnsafeMutableRawPointer
    private let mappedSize: Int
    private let touchedSize = Atomic(0)

    /// Reserves `size` bytes; nil if the system refuses.
    init?(size: Int) {
        if size <= Self.largestHeapSize {
            guard let memory = malloc(max(size, 16)) else { return nil }
            base = memory
            mappedSize = 0
            return
        }
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let rounded = (size + 4095) & ~4095
        if let region = NodeMemoryPool.shared.removeRegion(of: rounded),
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
        // Makes large documents 1.5-2x faster. The first 2 MB keep small pages, because clearing a huge page
        // would delay the first rows.
        let small = 2 << 20
        if rounded > Self.smallestHugeSize {
            madvise(memory + small, rounded - small, Int32(MADV_HUGEPAGE))
        }
        base = memory
        mappedSize = rounded
    }

    /// Records that the first `size` bytes were written.
    func touch(_ size: Int) {
        // Rounded up to the end of the huge page.
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

/// Keeps the memory of released documents for the next one.
///
/// Most of the time for a deeply nested text goes to the kernel, which clears fresh pages. Kept memory costs
/// nothing when memory gets short: the kernel may take its pages back at any time. Their content is never read.
final class NodeMemoryPool: Sendable {
    static let shared = NodeMemoryPool()

    /// The maximum number of regions: the nodes and the containers of one document.
    static let largestCount = 2
    /// The default limit for the written bytes of all regions together.
    static let largestTouchedSize = 64 << 20
    /// A region may be up to this many times as large as the request it serves.
    static let largestRatio = 8

    /// A mapping that is not in use, by address because a pointer is not `Sendable`.
    struct Region: Equatable {
        var address: UInt
        var size: Int
        /// The number of bytes from its start that were ever written.
        var touchedSize: Int

        func unmap() { munmap(UnsafeMutableRawPointer(bitPattern: address), size) }
    }

    private let regions = Mutex<[Region]>([])
    private let bound = Atomic(NodeMemoryPool.largestTouchedSize)

    /// Sets the maximum number of written bytes to keep, from the next `give` on.
    func keep(atMost size: Int) { bound.store(size, ordering: .relaxed) }

    /// Takes out the smallest region that is large enough but not far too large; nil if there is none.
    func removeRegion(of size: Int) -> Region? {
        regions.withLock { regions in
            let fitting = regions.indices.filter {
                regions[$0].size >= size && regions[$0].size / Self.largestRatio <= size
            }
            let best = fitting.min { regions[$0].size < regions[$1].size }
            return best.map { regions.remove(at: $0) }
        }
    }

    /// Keeps a region for later, and unmaps the oldest ones if there are too many.
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
    /// Sets how much memory of released documents is kept for later ones; 64 MiB by default.
    ///
    /// The explorer opens documents one at a time and rarely, and should not seem to hold the old ones still.
    package static func keepMemory(atMost size: Int) { NodeMemoryPool.shared.keep(atMost: size) }
}
