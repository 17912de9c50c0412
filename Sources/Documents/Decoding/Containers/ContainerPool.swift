/// Keyed containers to use again.
///
/// Making a `KeyedDecodingContainer` of a generic type costs two allocations and four look-ups in
/// the runtime, a third of the time of a small object. When nobody holds the one that was made for
/// the last object of this type at this depth, it moves on to the next object.
struct ContainerPool {
    private static let count = 64

    private struct Entry {
        var key: UInt = 0
        var box: AnyObject?
        var cursor: Unmanaged<MemberCursor>?
    }

    private var entries: [Entry] = []

    /// A container for an object, a used one if possible.
    @inline(__always) mutating func container<Key: CodingKey>(
        for type: Key.Type,
        at node: Int,
        in context: DecodingContext
    ) -> KeyedDecodingContainer<Key> {
        let address = UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
        let key = address &+ UInt(bitPattern: context.depth)
        let slot = slot(of: key)
        if !entries.isEmpty, entries[slot].key == key,
            isKnownUniquelyReferenced(&entries[slot].box), let box = entries[slot].box,
            let cursor = entries[slot].cursor
        {
            // The box holds the cursor.
            cursor._withUnsafeGuaranteedRef { $0.move(to: node) }
            return unsafeBitCast(box, to: KeyedDecodingContainer<Key>.self)
        }
        return make(type, at: node, in: context, Entry(key: key), slot)
    }

    /// A key's place; of two that share one, the second lies beside it.
    @inline(__always) private func slot(of key: UInt) -> Int {
        let slot = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) &>> 58)
        guard !entries.isEmpty, entries[slot].key != key, entries[slot].key != 0 else {
            return slot
        }
        return slot ^ 1
    }

    @inline(never) private mutating func make<Key: CodingKey>(
        _: Key.Type,
        at node: Int,
        in context: DecodingContext,
        _ entry: Entry,
        _ slot: Int
    ) -> KeyedDecodingContainer<Key> {
        let cursor = MemberCursor(context)
        cursor.move(to: node)
        let container = KeyedDecodingContainer(NodeKeyedContainer<Key>(cursor: cursor))
        // A wrapper around one reference, as its box is called, in every version so far.
        guard MemoryLayout<KeyedDecodingContainer<Key>>.size == MemoryLayout<AnyObject>.size else {
            return container
        }
        if entries.isEmpty { entries = Array(repeating: Entry(), count: Self.count) }
        var entry = entry
        entry.box = unsafeBitCast(container, to: AnyObject.self)
        entry.cursor = .passUnretained(cursor)
        entries[slot] = entry
        return container
    }

    /// Lets go of the containers, which hold the context.
    mutating func removeAll() { entries = [] }
}
