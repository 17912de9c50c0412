import Synchronization

/// The plans for the types that were met: looking at a type's conformances costs more than
/// decoding a small value of it.
struct TypePlans {
    private static let count = 64
    /// Those of all decoders, so that a small document need not learn them again.
    private static let known = Mutex<[UInt: TypePlan]>([:])
    private typealias Entry = (type: UInt, plan: TypePlan)

    private var entries: UnsafeMutablePointer<(type: UInt, plan: TypePlan)>?

    @inline(__always) mutating func plan<T>(for type: T.Type) -> TypePlan {
        let address = UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
        if let entries {
            let slot = Self.slot(address, entries)
            if entries[slot].type == address { return entries[slot].plan }
        }
        return learn(type, address)
    }

    @inline(never) private mutating func learn<T>(_ type: T.Type, _ address: UInt) -> TypePlan {
        let plan = Self.known.withLock { known in
            if let plan = known[address] { return plan }
            let plan = TypePlan(type)
            known[address] = plan
            return plan
        }
        let entries = self.entries ?? Self.empty()
        self.entries = entries
        entries[Self.slot(address, entries)] = (address, plan)
        return plan
    }

    func deallocate() { entries?.deallocate() }

    private static func empty() -> UnsafeMutablePointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: (0, .ordinary), count: count)
        return entries
    }

    /// A type's place; of two that share one, the second lies beside it.
    @inline(__always) private static func slot(
        _ address: UInt,
        _ entries: UnsafeMutablePointer<(type: UInt, plan: TypePlan)>
    ) -> Int {
        // The high bits of a product depend on all bits of the address.
        let slot = Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) &>> 58)
        let isFree = entries[slot].type == address || entries[slot].type == 0
        return isFree ? slot : slot ^ 1
    }
}
