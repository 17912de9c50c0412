import FoundationEssentials
import Synchronization

/// A type that is read from its node without containers in between.
protocol DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Self
}

extension Bool: DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Bool {
        try context.bool(node)
    }
}

extension String: DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> String {
        try context.string(node)
    }
}

extension Double: DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Double {
        try context.double(node)
    }
}

extension Float: DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Float {
        try context.float(node)
    }
}

extension Array: DirectlyDecodable where Element: Decodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> [Element] {
        guard context.kind(node) == .array else { throw context.mismatch([Any].self, at: node) }
        try context.enter(node)
        defer { context.depth &-= 1 }
        if let elements = try context.scalars(Element.self, in: node) { return elements }
        let plan = context.plans.plan(for: Element.self)
        var elements: [Element] = []
        elements.reserveCapacity(context.nodes.childCount(node))
        var at = node &+ 1
        let end = context.nodes.next(node)
        if context.skipsElements {
            while at < end {
                if let element = try context.element(Element.self, at: at, plan) {
                    elements.append(element)
                }
                at = context.nodes.next(at)
            }
            return elements
        }
        while at < end {
            // Appended as it is returned, it is not copied.
            elements.append(try context.value(Element.self, at: at, plan))
            at = context.nodes.next(at)
        }
        return elements
    }
}

extension DecodingContext {
    /// An array of the commonest scalars, in a loop that is compiled for them; nil for other types.
    @inline(__always) func scalars<Element>(_ type: Element.Type, in node: Int) throws -> [Element]?
    {
        if isLenient { return nil }
        if type == String.self {
            return unsafeBitCast(try scalars(in: node) { try string($0) }, to: [Element].self)
        }
        if type == Int.self {
            return unsafeBitCast(
                try scalars(in: node) { try integer(Int.self, $0) },
                to: [Element].self
            )
        }
        if type == Double.self {
            return unsafeBitCast(try scalars(in: node) { try double($0) }, to: [Element].self)
        }
        return nil
    }

    @inline(__always) private func scalars<Scalar>(
        in node: Int,
        _ read: (Int) throws -> Scalar
    ) throws -> [Scalar] {
        let end = nodes.next(node)
        var elements: [Scalar] = []
        elements.reserveCapacity(nodes.childCount(node))
        var at = node &+ 1
        while at < end {
            // A container is no scalar: read throws.
            elements.append(try read(at))
            at &+= 1
        }
        return elements
    }
}

/// Names are data here: no key strategy touches them.
extension Dictionary: DirectlyDecodable where Key == String, Value: Decodable {
    static func decodeDirectly(
        from node: Int,
        in context: DecodingContext
    ) throws -> [String: Value] {
        guard context.kind(node) == .object else {
            throw context.mismatch([String: Any].self, at: node)
        }
        try context.enter(node)
        defer { context.depth &-= 1 }
        let plan = context.plans.plan(for: Value.self)
        var members: [String: Value] = [:]
        members.reserveCapacity(context.nodes.childCount(node))
        var at = node &+ 1
        let end = context.nodes.next(node)
        while at < end {
            if let value = try context.element(Value.self, at: at, plan) {
                members[context.document.key(of: NodeIndex(at)) ?? ""] = value
            }
            at = context.nodes.next(at)
        }
        return members
    }
}

extension DirectlyDecodable where Self: FixedWidthInteger & Decodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Self {
        try context.integer(Self.self, node)
    }
}

extension Int: DirectlyDecodable {}
extension Int8: DirectlyDecodable {}
extension Int16: DirectlyDecodable {}
extension Int32: DirectlyDecodable {}
extension Int64: DirectlyDecodable {}
extension Int128: DirectlyDecodable {}
extension UInt: DirectlyDecodable {}
extension UInt8: DirectlyDecodable {}
extension UInt16: DirectlyDecodable {}
extension UInt32: DirectlyDecodable {}
extension UInt64: DirectlyDecodable {}
extension UInt128: DirectlyDecodable {}

extension Date: DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Date {
        switch context.options.dateDecodingStrategy {
        case .deferredToDate:
            return Date(timeIntervalSinceReferenceDate: try context.double(node))
        case .secondsSince1970: return Date(timeIntervalSince1970: try context.double(node))
        case .millisecondsSince1970:
            return Date(timeIntervalSince1970: try context.double(node) / 1000)
        case .iso8601:
            let text = try context.string(node)
            if let date = InternetDate.parse(text) { return date }
            throw context.corrupted(.notADate(text), at: node)
        case .formatted(let parse):
            let text = try context.string(node)
            do {
                return try parse(text)
            } catch {
                throw context.corrupted(.notADate(text), at: node, because: error)
            }
        case .custom(let decode):
            return try context.custom(at: node, decode)
        }
    }
}

extension Data: DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Data {
        switch context.options.dataDecodingStrategy {
        case .deferredToData: return Data(try [UInt8].decodeDirectly(from: node, in: context))
        case .base64:
            let text = try context.string(node)
            if let data = Data(base64Encoded: text) { return data }
            throw context.corrupted(.notBase64, at: node)
        case .custom(let decode):
            if context.kind(node) == .null { throw context.absent(Data.self, at: node) }
            return try context.custom(at: node, decode)
        }
    }
}

extension URL: DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> URL {
        let text = try context.string(node)
        if let url = URL(string: text) { return url }
        throw context.corrupted(.notAURL(text), at: node)
    }
}

extension Decimal: DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Decimal {
        guard let text = context.numberText(node) else {
            throw context.mismatch(Decimal.self, at: node)
        }
        if let number = Decimal(string: text) { return number }
        throw context.corrupted(.doesNotFit(text, "Decimal"), at: node)
    }
}

extension DecodingContext {
    /// What a strategy's own function makes of a value.
    fileprivate func custom<T>(at node: Int, _ decode: (any Decoder) throws -> T) throws -> T {
        try enter(node)
        defer { depth &-= 1 }
        do {
            return try decode(NodeDecoder(context: self, node: node))
        } catch let error as DecodingError {
            throw located(error, at: node)
        }
    }
}

/// How values of a type are decoded.
enum TypePlan {
    /// Through `init(from:)`.
    case ordinary
    /// From the node, by this module.
    case direct(any DirectlyDecodable.Type)
    /// From the node, by the type.
    case node(any NodeDecodable.Type)
    /// Through `init(from:)`; it has a default of its own.
    case defaulted(any DeclaredDefault.Type)

    init<T>(_ type: T.Type) {
        if let direct = type as? any DirectlyDecodable.Type {
            self = .direct(direct)
        } else if let keeper = type as? any NodeDecodable.Type {
            self = .node(keeper)
        } else if let declared = type as? any DeclaredDefault.Type {
            self = .defaulted(declared)
        } else {
            self = .ordinary
        }
    }
}

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
