import Glibc

/// Finds an object's members by name.
///
/// Types ask in the order in which objects are mostly written, so the search goes on behind the
/// last hit and compares bytes. That is right only if all names differ and none has an escape,
/// which is established once per object, against the object before it where possible. Other
/// objects, wide ones and those whose keys a strategy changes get a table.
///
/// It lies in memory of its own, which the container's owner or pool frees.
struct MemberCursor {
    static let widest = 32
    private typealias Words = (UInt64, UInt64)

    /// Whoever frees the cursor holds it.
    let context: Unmanaged<DecodingContext>
    let nodes: FinishedNodes
    private(set) var node = DecodingContext.nothing
    private var end = 0
    /// The member after the last that was found, and its place.
    private var next = 0
    private var place = 0
    private let hasPlainKeys: Bool
    /// An object whose names are all different and have no escapes; the last of this kind.
    private var plainObject = -1
    /// By which string the member at a place of such an object was last asked for.
    private let asked: UnsafeMutablePointer<String?>
    private var table: [String: Int]?

    init(_ context: DecodingContext) {
        self.context = .passUnretained(context)
        nodes = context.nodes
        hasPlainKeys = context.hasPlainKeys
        asked = .allocate(capacity: Self.widest)
        asked.initialize(repeating: nil, count: Self.widest)
    }

    func deallocate() {
        asked.deinitialize(count: Self.widest).deallocate()
    }

    /// Goes to an object; to anything else as if it were one without members.
    @inline(__always) mutating func move(to node: Int) {
        self.node = node
        guard node >= 0, nodes.kind(node) == .object else {
            table = [:]
            return
        }
        end = nodes.next(node)
        next = node &+ 1
        place = 0
        if hasPlainKeys && isPlain() {
            if table != nil { table = nil }
        } else {
            table = makeTable()
        }
    }

    /// The last member of a name, or `DecodingContext.nothing`.
    @inline(__always) mutating func find(_ name: String) -> Int {
        // Equal words are equal strings, and a type's coding keys are the same words each time:
        // they are literals.
        if table == nil, next < end, unsafeBitCast(name, to: Words.self) == askedWords(place) {
            let found = next
            next = nodes.next(found)
            place &+= 1
            return found
        }
        return search(name)
    }

    /// A string as words in memory, compared without counting references.
    @inline(__always) private func askedWords(_ place: Int) -> Words {
        UnsafeRawPointer(asked + place).load(as: Words.self)
    }

    @inline(never) private mutating func search(_ name: String) -> Int {
        if let table { return table[name] ?? DecodingContext.nothing }
        var wanted = name
        let found = wanted.withUTF8 { search($0) }
        if found >= 0 {
            asked[place &- 1] = name
        }
        return found
    }

    private mutating func search(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let first = node &+ 1
        if first == end { return DecodingContext.nothing }
        var at = next
        var place = place
        if at >= end { (at, place) = (first, 0) }
        let stop = at
        repeat {
            let behind = nodes.next(at)
            place &+= 1
            if isNamed(at, name) {
                next = behind
                self.place = place
                return at
            }
            (at, place) = behind >= end ? (first, 0) : (behind, place)
        } while at != stop
        return DecodingContext.nothing
    }

    private func isNamed(_ member: Int, _ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let key = nodes.key(member), key.count == name.count else { return false }
        guard let wanted = name.baseAddress else { return true }
        return memcmp(nodes.text + key.start, wanted, key.count) == 0
    }

    /// The names as coding keys have them, each once.
    func names(in document: Document) -> [String] {
        if let table { return table.sorted { $0.value < $1.value }.map(\.key) }
        var names: [String] = []
        var at = node &+ 1
        while at < end {
            names.append(document.key(of: NodeIndex(at)) ?? "")
            at = nodes.next(at)
        }
        return names
    }

    // MARK: - Before the first search

    /// Whether all names differ and have no escapes, in an object that is not wide.
    @inline(__always) private mutating func isPlain() -> Bool {
        if plainObject >= 0 && hasNames(of: plainObject) {
            plainObject = node
            return true
        }
        return learnNames()
    }

    /// Whether the names are those of another object, in the same order.
    @inline(__always) private func hasNames(of other: Int) -> Bool {
        let otherEnd = nodes.next(other)
        var at = node &+ 1
        var before = other &+ 1
        while at < end && before < otherEnd {
            guard let key = nodes.key(at), let known = nodes.key(before), isSame(key, known)
            else { return false }
            at = nodes.next(at)
            before = nodes.next(before)
        }
        return at >= end && before >= otherEnd
    }

    @inline(__always) private func isSame(
        _ key: (start: Int, count: Int),
        _ other: (start: Int, count: Int)
    ) -> Bool {
        guard key.count == other.count else { return false }
        let one = UnsafeRawPointer(nodes.text + key.start)
        let two = UnsafeRawPointer(nodes.text + other.start)
        // Eight bytes at once: behind the text there is padding.
        var at = 0
        while key.count &- at >= 8 {
            if Self.word(one + at) != Self.word(two + at) { return false }
            at &+= 8
        }
        let difference = Self.word(one + at) ^ Self.word(two + at)
        return difference & (1 &<< UInt64((key.count &- at) &* 8) &- 1) == 0
    }

    @inline(__always) private static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    @inline(never) private mutating func learnNames() -> Bool {
        asked.update(repeating: nil, count: Self.widest)
        guard hasPlainNames() else { return false }
        plainObject = node
        return true
    }

    private func hasPlainNames() -> Bool {
        guard nodes.childCount(node) <= Self.widest else { return false }
        var at = node &+ 1
        while at < end {
            guard let key = nodes.key(at), memchr(nodes.text + key.start, 0x5C, key.count) == nil
            else { return false }
            var before = node &+ 1
            while before < at {
                if let known = nodes.key(before), isSame(key, known) { return false }
                before = nodes.next(before)
            }
            at = nodes.next(at)
        }
        return true
    }

    /// The members by their names as coding keys have them; of equal ones the last.
    @inline(never) private func makeTable() -> [String: Int] {
        context._withUnsafeGuaranteedRef { context in
            var table: [String: Int] = [:]
            table.reserveCapacity(nodes.childCount(node))
            var at = node &+ 1
            while at < end {
                table[context.codingName(at)] = at
                at = nodes.next(at)
            }
            return table
        }
    }
}
