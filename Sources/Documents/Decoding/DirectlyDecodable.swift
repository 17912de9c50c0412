import FoundationEssentials

/// A type that is decoded from its node without decoding containers in between.
protocol DirectlyDecodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Self

    /// The elements of an array; a requirement, so that each type has its own loop.
    static func decodeElements(of array: Int, in context: DecodingContext) throws -> [Self]
}

extension DirectlyDecodable {
    static func decodeElements(of array: Int, in context: DecodingContext) throws -> [Self] {
        let nodes = context.nodes
        var elements: [Self] = []
        elements.reserveCapacity(nodes.childCount(array))
        let end = nodes.next(array)
        var at = array &+ 1
        while at < end {
            elements.append(try decodeDirectly(from: at, in: context))
            at = nodes.next(at)
        }
        return elements
    }
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
        let strategy = context.strategy(for: Element.self)
        if !context.isLenient, case .direct(let direct) = strategy {
            return try context.directElements(of: direct, in: node)
        }
        var elements: [Element] = []
        elements.reserveCapacity(context.nodes.childCount(node))
        var at = node &+ 1
        let end = context.nodes.next(node)
        while at < end {
            try context.element(Element.self, at: at) {
                // Appending the result directly avoids a copy.
                elements.append(try context.value(Element.self, at: at, strategy))
            }
            at = context.nodes.next(at)
        }
        return elements
    }
}

/// The keys are data here: no key strategy changes them.
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
        let strategy = context.strategy(for: Value.self)
        var members: [String: Value] = [:]
        members.reserveCapacity(context.nodes.childCount(node))
        var at = node &+ 1
        let end = context.nodes.next(node)
        while at < end {
            try context.element(Value.self, at: at) {
                let value = try context.value(Value.self, at: at, strategy)
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
            if let date = RFC3339Date.parse(text) { return date }
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
            if context.kind(node) == .null { throw context.mismatch(Data.self, at: node) }
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
    /// Decodes a value with a strategy's own function.
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
enum TypeStrategy {
    /// Through `init(from:)`.
    case ordinary
    /// From the node, by this module.
    case direct(any DirectlyDecodable.Type)
    /// From the node, by the type.
    case node(any NodeDecodable.Type)
    /// Through `init(from:)`; it is a `DecodingDefault`.
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
