// XXH64 protects what is read into memory from the cache. Bodies that are lent as files are checked while
// they are streamed, and by `apus cache verify`.

/// XXH64: a checksum that detects corruption by disk or memory, at memory speed.
///
/// It does not protect against deliberate changes. SHA-256 would take longer than the rest of a hit. The
/// algorithm is Yann Collet's (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md).
struct Checksum {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5
    /// The bytes processed at once.
    private static let stripe = 32

    private var lane1 = prime1 &+ prime2
    private var lane2 = prime2
    private var lane3: UInt64 = 0
    private var lane4 = 0 &- prime1
    private var count = 0
    /// Added bytes that do not fill a stripe yet.
    private var rest: [UInt8] = []

    init() {}

    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = Checksum()
        let taken = state.takeStripes(bytes)
        state.count = bytes.count
        return state.finished(with: UnsafeRawBufferPointer(rebasing: bytes[taken...]))
    }

    static func of(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { of($0) } }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        count += bytes.count
        var bytes = bytes
        if !rest.isEmpty {
            let missing = min(Self.stripe - rest.count, bytes.count)
            rest.append(contentsOf: bytes[..<missing])
            bytes = UnsafeRawBufferPointer(rebasing: bytes[missing...])
            guard rest.count == Self.stripe else { return }
            let stripe = rest
            _ = stripe.withUnsafeBytes { takeStripes($0) }
            rest = []
        }
        let taken = takeStripes(bytes)
        rest.append(contentsOf: bytes[taken...])
    }

    /// The checksum of all bytes added.
    var value: UInt64 { rest.withUnsafeBytes { finished(with: $0) } }

    /// Processes all complete stripes; returns their size in bytes.
    private mutating func takeStripes(_ bytes: UnsafeRawBufferPointer) -> Int {
        var (a, b, c, d) = (lane1, lane2, lane3, lane4)
        var offset = 0
        while offset &+ Self.stripe <= bytes.count {
            a = Self.round(a, Self.word(bytes, offset))
            b = Self.round(b, Self.word(bytes, offset &+ 8))
            c = Self.round(c, Self.word(bytes, offset &+ 16))
            d = Self.round(d, Self.word(bytes, offset &+ 24))
            offset &+= Self.stripe
        }
        (lane1, lane2, lane3, lane4) = (a, b, c, d)
        return offset
    }

    private func finished(with rest: UnsafeRawBufferPointer) -> UInt64 {
        var hash = count < Self.stripe ? Self.prime5 : mergedLanes
        hash &+= UInt64(count)
        var offset = 0
        while offset &+ 8 <= rest.count {
            hash ^= Self.round(0, Self.word(rest, offset))
            hash = Self.rotated(hash, 27) &* Self.prime1 &+ Self.prime4
            offset &+= 8
        }
        if offset &+ 4 <= rest.count {
            let word = rest.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
            hash ^= UInt64(UInt32(littleEndian: word)) &* Self.prime1
            hash = Self.rotated(hash, 23) &* Self.prime2 &+ Self.prime3
            offset &+= 4
        }
        while offset < rest.count {
            hash ^= UInt64(rest[offset]) &* Self.prime5
            hash = Self.rotated(hash, 11) &* Self.prime1
            offset &+= 1
        }
        hash = (hash ^ hash >> 33) &* Self.prime2
        hash = (hash ^ hash >> 29) &* Self.prime3
        return hash ^ hash >> 32
    }

    private var mergedLanes: UInt64 {
        let sum =
            Self.rotated(lane1, 1) &+ Self.rotated(lane2, 7) &+ Self.rotated(lane3, 12)
            &+ Self.rotated(lane4, 18)
        return [lane1, lane2, lane3, lane4].reduce(sum) { hash, lane in
            (hash ^ Self.round(0, lane)) &* Self.prime1 &+ Self.prime4
        }
    }

    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    private static func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value &<< bits | value &>> (64 &- bits)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
