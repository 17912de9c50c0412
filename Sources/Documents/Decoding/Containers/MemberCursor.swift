import Glibc

/// Finds an object's members by name.
///
/// Types ask in the order in which objects are mostly written, so the search goes on behind the
/// last hit and compares bytes. That is right only if all names differ and none has an escape,
/// which is established once per object, against the object before it where possible. Other
/// objects, wide ones and those whose keys a strategy changes get a table.
///
/// A class, so that the containers around it can be used again for the next object.
final class MemberCursor {
    static let widest = 32

    let context: DecodingContext
    private(set) var node: Int
    private var end = 0
    /// The member after the last that was found.
    private var next = 0
    /// An object whose names are all different and have no escapes; the last of this kind.
    private var plainObject = -1
    private var table: [String: Int]?

    init(_ context: DecodingContext) {
        self.context = context
        node = DecodingContext.nothing
    }

    /// Goes to an object; to anything else as if it were one without members.
    @inline(__always) func move(to node: Int) {
        self.node = node
        guard context.kind(node) == .object else {
            table = [:]
            return
        }
        end = context.next(node)
        next = node &+ 1
        if context.hasPlainKeys && isPlain() {
            if table != nil { table = nil }
        } else {
            table = makeTable()
        }
    }

    /// The last member of a name, or `DecodingContext.nothing`.
    @inline(__always) func find(_ name: String) -> Int {
        if table != nil { return findInTable(name) }
        var name = name
        return name.withUTF8 { search($0) }
    }

    @inline(never) private func findInTable(_ name: String) -> Int {
        table?[name] ?? DecodingContext.nothing
    }

    @inline(__always) private func search(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let first = node &+ 1
        if first == end { return DecodingContext.nothing }
        var at = next
        if at >= end { at = first }
        let stop = at
        repeat {
            let behind = context.next(at)
            if isNamed(at, name) {
                next = behind
                return at
            }
            at = behind >= end ? first : behind
        } while at != stop
        return DecodingContext.nothing
    }

    @inline(__always) private func isNamed(
        _ member: Int,
        _ name: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let key = context.key(member)
        guard key.count == name.count else { return false }
        guard let wanted = name.baseAddress else { return true }
        return memcmp(context.base + key.start, wanted, key.count) == 0
    }

    /// The names as coding keys have them, each once.
    var names: [String] {
        if let table { return table.sorted { $0.value < $1.value }.map(\.key) }
        var names: [String] = []
        var at = node &+ 1
        while at < end {
            names.append(context.document.key(of: NodeIndex(at)) ?? "")
            at = context.next(at)
        }
        return names
    }

    // MARK: - Before the first search

    /// Whether all names differ and have no escapes, in an object that is not wide.
    @inline(__always) private func isPlain() -> Bool {
        guard (plainObject >= 0 && hasNames(of: plainObject)) || hasPlainNames() else {
            return false
        }
        plainObject = node
        return true
    }

    /// Whether the names are those of another object, in the same order.
    @inline(__always) private func hasNames(of other: Int) -> Bool {
        let otherEnd = context.next(other)
        var at = node &+ 1
        var before = other &+ 1
        while at < end && before < otherEnd {
            guard hasSameName(at, before) else { return false }
            at = context.next(at)
            before = context.next(before)
        }
        return at >= end
    }

    @inline(__always) private func hasSameName(_ one: Int, _ other: Int) -> Bool {
        let key = context.key(one)
        let known = context.key(other)
        return key.count == known.count
            && memcmp(context.base + key.start, context.base + known.start, key.count) == 0
    }

    @inline(never) private func hasPlainNames() -> Bool {
        guard context.document.childCount(of: NodeIndex(node)) <= Self.widest else { return false }
        var at = node &+ 1
        while at < end {
            let key = context.key(at)
            if memchr(context.base + key.start, 0x5C, key.count) != nil { return false }
            var before = node &+ 1
            while before < at {
                if hasSameName(at, before) { return false }
                before = context.next(before)
            }
            at = context.next(at)
        }
        return true
    }

    /// The members by their names as coding keys have them; of equal ones the last.
    @inline(never) private func makeTable() -> [String: Int] {
        var table: [String: Int] = [:]
        table.reserveCapacity(context.document.childCount(of: NodeIndex(node)))
        var at = node &+ 1
        while at < end {
            table[context.codingName(at)] = at
            at = context.next(at)
        }
        return table
    }
}
