import FoundationEssentials

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
