import Synchronization

/// The plans for the types that were met, so that their conformances are looked up once.
final class TypePlans {
    /// At how many places a type may lie.
    private static let ways = 4
    private static let count = 64 + ways
    /// Those of all decoders, so that a small document need not learn them again.
    private static let known = Mutex<[UInt: TypePlan]>([:])
    private typealias Entry = (type: UInt, plan: TypePlan)

    private var entries: UnsafeMutablePointer<(type: UInt, plan: TypePlan)>?

    @inline(__always) func plan<T>(for type: T.Type) -> TypePlan {
        let address = UInt(bitPattern: unsafeBitCast(type, to: UnsafeRawPointer.self))
        if let entries {
            let first = Self.slot(of: address)
            for slot in first..<first &+ Self.ways where entries[slot].type == address {
                return entries[slot].plan
            }
        }
        return learn(type, address)
    }

    @inline(never) private func learn<T>(_ type: T.Type, _ address: UInt) -> TypePlan {
        let plan = Self.known.withLock { known in
            if let plan = known[address] { return plan }
            let plan = TypePlan(type)
            known[address] = plan
            return plan
        }
        let entries = self.entries ?? Self.empty()
        self.entries = entries
        let first = Self.slot(of: address)
        let free = (first..<first + Self.ways).first { entries[$0].type == 0 }
        entries[free ?? first] = (address, plan)
        return plan
    }

    deinit { entries?.deallocate() }

    private static func empty() -> UnsafeMutablePointer<Entry> {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: count)
        entries.initialize(repeating: (0, .ordinary), count: count)
        return entries
    }

    /// Where a type's places begin.
    @inline(__always) private static func slot(of address: UInt) -> Int {
        // The high bits of a product depend on all bits of the address.
        Int(truncatingIfNeeded: (address &* 0x9E37_79B9_7F4A_7C15) &>> 58)
    }
}
