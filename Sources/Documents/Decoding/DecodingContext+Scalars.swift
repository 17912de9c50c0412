/// Scalars: the common case in a few instructions, everything else in a function of its own.
extension DecodingContext {
    @inline(__always) func bool(_ node: Int) throws -> Bool {
        if let value = nodes.bool(node) { return value }
        return try unusualBool(node)
    }

    @inline(__always) func string(_ node: Int) throws -> String {
        if let text = nodes.string(node) { return text }
        return try unusualString(node)
    }

    @inline(__always) func integer<I: FixedWidthInteger & Decodable>(
        _ type: I.Type,
        _ node: Int
    ) throws -> I {
        if let value = nodes.integer(type, node) { return value }
        return try unusualInteger(type, node)
    }

    @inline(__always) func double(_ node: Int) throws -> Double {
        if let value = nodes.double(node) { return value }
        return try unusualDouble(node)
    }

    func float(_ node: Int) throws -> Float {
        if let value = nodes.float(node) { return value }
        return try unusualFloat(node)
    }

    /// A number as written; nil for other kinds.
    func numberText(_ node: Int) -> String? {
        switch kind(node) {
        case .integer, .decimal: document.sourceText(of: NodeIndex(node))
        default: nil
        }
    }

    // MARK: - The rest

    @inline(never) private func unusualBool(_ node: Int) throws -> Bool {
        if isLenient, let value = scalar(node).boolean {
            return coerced(value, at: node)
        }
        // As JSONDecoder does it, for this one type.
        if !isLenient && kind(node) == .null { throw wrongKind(Bool.self, at: node) }
        return try missing(Bool.self, at: node)
    }

    @inline(never) private func unusualString(_ node: Int) throws -> String {
        if kind(node) == .string, let text = document.string(of: NodeIndex(node)) { return text }
        if isLenient, let value = scalar(node).text {
            return coerced(value, at: node)
        }
        return try missing(String.self, at: node)
    }

    @inline(never) private func unusualInteger<I: FixedWidthInteger & Decodable>(
        _ type: I.Type,
        _ node: Int
    ) throws -> I {
        if let text = numberText(node) {
            if let value = NumberText.integer(type, text) { return value }
            throw corrupted(.doesNotFit(text, "\(type)"), at: node)
        }
        if isLenient, let value = scalar(node).integer(type) {
            return coerced(value, at: node)
        }
        return try missing(type, at: node)
    }

    @inline(never) private func unusualDouble(_ node: Int) throws -> Double {
        try unusualFloatingPoint(Double.self, node)
    }

    @inline(never) private func unusualFloat(_ node: Int) throws -> Float {
        try unusualFloatingPoint(Float.self, node)
    }

    private func unusualFloatingPoint<
        F: BinaryFloatingPoint & LosslessStringConvertible & Decodable
    >(
        _ type: F.Type,
        _ node: Int
    ) throws -> F {
        if let text = numberText(node) {
            if let value = F(text), NumberText.isRepresented(text, by: value) { return value }
            throw corrupted(.doesNotFit(text, "\(type)"), at: node)
        }
        if case .convertFromString(let plus, let minus, let nan) =
            options.nonConformingFloatDecodingStrategy,
            kind(node) == .string, let text = document.string(of: NodeIndex(node))
        {
            if text == plus { return .infinity }
            if text == minus { return -.infinity }
            if text == nan { return .nan }
        }
        if isLenient, let value = scalar(node).floatingPoint(type) {
            return coerced(value, at: node)
        }
        return try missing(type, at: node)
    }
}
