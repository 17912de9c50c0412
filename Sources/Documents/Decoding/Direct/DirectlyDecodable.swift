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
