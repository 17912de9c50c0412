import Synchronization

/// Keyed containers to use again.
///
/// With a new one for every object, 100,000 records of three objects each take twice as long
/// (353 instead of 175 ms), and small objects inside each other three times as long.
///
/// When nobody holds the container that was made for the last object of this key type at this depth,
/// it moves on to the next object.
final class ContainerPool {
    /// At how many places a key may lie.
    private static let ways = 4
    private static let count = 64 + ways

    private struct Key: Equatable {
        /// The address of the coding keys' type; 0 for none.
        var type: UInt = 0
        var depth = 0
    }

    private struct Entry {
        var key = Key()
        var box: AnyObject?
        var cursor: UnsafeMutablePointer<MemberCursor>?
    }

    /// The contexts that are never freed, so that tools which look for leaks see them held.
    private static let keptContexts = Mutex<[UInt]>([])

    private var entries: UnsafeMutablePointer<Entry>?
    private var isClosed = false

    /// A container for an object, a used one if possible.
    @inline(__always) func container<Keys: CodingKey>(
        for type: Keys.Type,
        at node: Int,
        in context: DecodingContext
    ) -> KeyedDecodingContainer<Keys> {
        let address = UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
        let key = Key(type: address, depth: context.depth)
        if let entry = entry(of: key), isKnownUniquelyReferenced(&entry.pointee.box),
            let box = entry.pointee.box, let cursor = entry.pointee.cursor
        {
            cursor.pointee.move(to: node)
            return unsafeBitCast(box, to: KeyedDecodingContainer<Keys>.self)
        }
        return make(type, at: node, in: context, key)
    }

    @inline(__always) private func entry(of key: Key) -> UnsafeMutablePointer<Entry>? {
        guard let entries else { return nil }
        let first = Self.slot(of: key)
        for slot in first..<first &+ Self.ways where entries[slot].key == key {
            return entries + slot
        }
        return nil
    }

    /// Where a key's places begin.
    @inline(__always) private static func slot(of key: Key) -> Int {
        // The high bits of a product depend on all bits of the key.
        let number = key.type &+ UInt(bitPattern: key.depth)
        return Int(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) &>> 58)
    }

    /// A place for a key: its own, an empty one, or one whose container nobody uses now.
    private func place(for key: Key) -> UnsafeMutablePointer<Entry>? {
        if let entry = entry(of: key) {
            return isKnownUniquelyReferenced(&entry.pointee.box) ? entry : nil
        }
        let entries = self.entries ?? Self.emptyEntries()
        self.entries = entries
        let first = entries + Self.slot(of: key)
        let places = first..<first + Self.ways
        return places.first { $0.pointee.box == nil }
            ?? places.first { isKnownUniquelyReferenced(&$0.pointee.box) }
    }

    @inline(never) private func make<Keys: CodingKey>(
        _: Keys.Type,
        at node: Int,
        in context: DecodingContext,
        _ key: Key
    ) -> KeyedDecodingContainer<Keys> {
        let cursor = UnsafeMutablePointer<MemberCursor>.allocate(capacity: 1)
        cursor.initialize(to: MemberCursor(context))
        cursor.pointee.move(to: node)
        guard Self.isOneReference, !isClosed, let entry = place(for: key) else {
            return owned(cursor, in: context)
        }
        let container = KeyedDecodingContainer(
            NodeKeyedContainer<Keys>(cursor: cursor, owner: nil)
        )
        let box = unsafeBitCast(container, to: AnyObject.self)
        Self.empty(entry)
        entry.initialize(to: Entry(key: key, box: box, cursor: cursor))
        return container
    }

    /// A container that keeps what it needs itself, and is never used again.
    private func owned<Keys: CodingKey>(
        _ cursor: UnsafeMutablePointer<MemberCursor>,
        in context: DecodingContext
    ) -> KeyedDecodingContainer<Keys> {
        let owner = CursorOwner(cursor, context)
        return KeyedDecodingContainer(NodeKeyedContainer<Keys>(cursor: cursor, owner: owner))
    }

    /// Whether a container consists of a reference to its box and nothing else.
    ///
    /// It does in every version so far; should that change, containers are not used again.
    private static let isOneReference: Bool = {
        let decoder = DocumentDecoder()
        let document = Document.parse(DocumentBytes([0x7B, 0x7D]))
        let context = DecodingContext(document, root: 0, decoder, isLenient: false)
        let cursor = UnsafeMutablePointer<MemberCursor>.allocate(capacity: 1)
        cursor.initialize(to: MemberCursor(context))
        let owner = CursorOwner(cursor, context)
        let container = KeyedDecodingContainer(
            NodeKeyedContainer<DecodingKey>(cursor: cursor, owner: owner)
        )
        guard MemoryLayout.size(ofValue: container) == MemoryLayout<AnyObject>.size,
            let child = Mirror(reflecting: container).children.first?.value,
            type(of: child) is AnyClass
        else { return false }
        let address = unsafeBitCast(container, to: UnsafeMutableRawPointer.self)
        return Unmanaged.passUnretained(child as AnyObject).toOpaque() == address
    }()

    private static func emptyEntries() -> UnsafeMutablePointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: Entry(), count: count)
        return entries
    }

    private static func empty(_ entry: UnsafeMutablePointer<Entry>) {
        if let cursor = entry.pointee.cursor {
            cursor.pointee.deallocate()
            cursor.deinitialize(count: 1).deallocate()
        }
        entry.deinitialize(count: 1)
    }

    /// Lets go of the containers at the end of the call.
    ///
    /// One that a value has kept needs its cursor and the context for good: they stay in memory.
    /// Those that a kept decoder makes later are not in the pool.
    func close(_ context: DecodingContext) {
        isClosed = true
        guard let entries else { return }
        var isKept = false
        for entry in entries..<entries + Self.count where entry.pointee.box != nil {
            guard isKnownUniquelyReferenced(&entry.pointee.box) else {
                isKept = true
                continue
            }
            Self.empty(entry)
            entry.initialize(to: Entry())
        }
        if isKept {
            let address = UInt(bitPattern: Unmanaged.passRetained(context).toOpaque())
            Self.keptContexts.withLock { $0.append(address) }
        } else {
            entries.deallocate()
            self.entries = nil
        }
    }
}
