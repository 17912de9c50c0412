import Glibc
import Testing

@testable import Documents

@Suite("Memory kept for the next document")
struct NodeMemoryPoolTests {
    private static func make(size: Int, touched: Int) throws -> NodeMemoryPool.Region {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let memory = mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
        try #require(memory != MAP_FAILED)
        return .init(address: UInt(bitPattern: memory), size: size, touchedSize: touched)
    }

    @Test("a region is given once, the smallest that is large enough")
    func takesTheSmallest() throws {
        let pool = NodeMemoryPool()
        let large = try Self.make(size: 16 << 20, touched: 4096)
        let small = try Self.make(size: 8 << 20, touched: 8192)
        pool.give(large)
        pool.give(small)
        #expect(pool.removeRegion(of: 32 << 20) == nil)
        #expect(pool.removeRegion(of: 1 << 10) == nil)
        #expect(pool.removeRegion(of: 6 << 20) == small)
        #expect(pool.removeRegion(of: 6 << 20) == large)
        #expect(pool.removeRegion(of: 6 << 20) == nil)
        small.unmap()
        large.unmap()
    }

    @Test("older regions make room for newer ones")
    func isBounded() throws {
        let pool = NodeMemoryPool()
        let regions = try (0..<3).map { try Self.make(size: (8 + $0) << 20, touched: 4096) }
        regions.forEach(pool.give)
        #expect(pool.removeRegion(of: 7 << 20) == regions[1])
        #expect(pool.removeRegion(of: 7 << 20) == regions[2])
        #expect(pool.removeRegion(of: 7 << 20) == nil)
        regions[1].unmap()
        regions[2].unmap()
    }

    @Test("all that is kept is at most 64 MB")
    func keepsLittle() throws {
        let pool = NodeMemoryPool()
        let huge = try Self.make(size: 128 << 20, touched: (64 << 20) + 1)
        pool.give(huge)
        #expect(pool.removeRegion(of: 100 << 20) == nil)
        let regions = try (0..<2).map { try Self.make(size: (64 + $0) << 20, touched: 40 << 20) }
        regions.forEach(pool.give)
        #expect(pool.removeRegion(of: 60 << 20) == regions[1])
        #expect(pool.removeRegion(of: 60 << 20) == nil)
        regions[1].unmap()
    }

    @Test("what was never written to is not kept")
    func keepsNothingFresh() throws {
        let pool = NodeMemoryPool()
        pool.give(try Self.make(size: 8 << 20, touched: 0))
        #expect(pool.removeRegion(of: 8 << 20) == nil)
    }

    @Test("a document in used memory is as in fresh memory")
    func isNotMixedUp() {
        let first = Array(
            "[\(String(repeating: "{\"key\": [1, \"two\"]}, ", count: 60_000))0]".utf8
        )
        let second = Array("[\(String(repeating: "[[\"a\", true], {}], ", count: 50_000))0]".utf8)
        for text in [first, second, first] {
            let document = Document.parse(DocumentBytes(text))
            #expect(document.fault == nil)
            #expect(document.subtreeSize(of: .root) == document.nodeCount)
            #expect(document.nodeCount == (text == first ? 240_002 : 250_002))
        }
    }
}
