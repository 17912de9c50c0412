/// Literals, queries and functions in filters.
extension QueryParser {
    mutating func operand() throws(JSONPathError) -> ParsedOperand {
        let start = cursor.at
        let outerBlank = bracketBlank
        bracketBlank = nil
        let form = try operandForm()
        let blank = bracketBlank
        bracketBlank = outerBlank ?? blank
        return ParsedOperand(form: form, start: start, end: cursor.at, bracketBlank: blank)
    }

    private mutating func operandForm() throws(JSONPathError) -> ParsedOperand.Form {
        switch cursor.byte {
        case 0x40:
            cursor.at += 1
            return .query(FilterQuery(absoluteNumber: nil, segments: try segments()))
        case 0x24:
            cursor.at += 1
            let number = absoluteQueryCount
            absoluteQueryCount += 1
            return .query(FilterQuery(absoluteNumber: number, segments: try segments()))
        case 0x22, 0x27: return .literal(.string(try cursor.quotedString()))
        case 0x2D, 0x30...0x39: return .literal(.number(try cursor.number()))
        default: return try word()
        }
    }

    private mutating func word() throws(JSONPathError) -> ParsedOperand.Form {
        let start = cursor
        guard cursor.isNameStart else { throw cursor.unexpected(Self.operands) }
        let word = cursor.shorthandName().text
        if cursor.byte == 0x28 && start.isLowercaseLetter {
            return .function(try function(word, start: start.at))
        }
        switch word {
        case "true": return .literal(.bool(true))
        case "false": return .literal(.bool(false))
        case "null": return .literal(.null)
        default:
            let end = cursor
            let isFunction = FunctionName(rawValue: word) != nil && cursor.skipBlanks()
            if isFunction && cursor.byte == 0x28 {
                throw end.error(.blank(.beforeParenthesis))
            }
            throw start.error(.unexpected(found: word, expected: Self.operands))
        }
    }

    private static let operands = "@, $, a function, a number, true, false, null or text in quotes"

    // MARK: - Functions

    private mutating func function(
        _ word: String,
        start: Int
    ) throws(JSONPathError) -> FilterFunction {
        try enter()
        defer { leave() }
        guard let name = FunctionName(rawValue: word) else {
            throw cursor.error(.unknownFunction(word), at: start)
        }
        let arguments = try arguments()
        guard arguments.count == name.argumentCount else {
            throw cursor.error(
                .argumentCount(
                    function: word,
                    expected: name.argumentCount,
                    found: arguments.count
                ),
                at: start
            )
        }
        if name == .match || name == .search, let words = RegularExpression.missingLibrary {
            throw cursor.error(.functionUnavailable(function: word, detail: words), at: start)
        }
        switch name {
        case .length: return .length(try value(arguments[0], for: name))
        case .count: return .count(try nodes(arguments[0], for: name))
        case .value: return .value(try nodes(arguments[0], for: name))
        case .match:
            return .match(
                try value(arguments[0], for: name),
                try value(arguments[1], for: name)
            )
        case .search:
            return .search(
                try value(arguments[0], for: name),
                try value(arguments[1], for: name)
            )
        }
    }

    /// Everything between the parentheses; nil for an argument that is a logical expression.
    private mutating func arguments() throws(JSONPathError) -> [(operand: ParsedOperand?, at: Int)]
    {
        cursor.at += 1
        cursor.skipBlanks()
        var arguments: [(operand: ParsedOperand?, at: Int)] = []
        if cursor.skip(")") { return arguments }
        while true {
            let start = cursor.at
            arguments.append((try argument(), start))
            cursor.skipBlanks()
            if cursor.skip(")") { return arguments }
            guard cursor.skip(",") else { throw cursor.unexpected("',' or )") }
            cursor.skipBlanks()
        }
    }

    private mutating func argument() throws(JSONPathError) -> ParsedOperand? {
        let start = cursor
        if cursor.byte != 0x21 && cursor.byte != 0x28 {
            let count = absoluteQueryCount
            let operand = try operand()
            let end = cursor.at
            cursor.skipBlanks()
            let isLogical =
                comparisonOperator() != nil || cursor.starts(with: "&&")
                || cursor.starts(with: "||")
            cursor.at = end
            if !isLogical { return operand }
            absoluteQueryCount = count
        }
        cursor = start
        _ = try logicalExpression()
        return nil
    }

    private func value(
        _ argument: (operand: ParsedOperand?, at: Int),
        for name: FunctionName
    ) throws(JSONPathError) -> FilterOperand {
        switch argument.operand?.form {
        case .literal(let literal): return .literal(literal)
        case .query(let query) where query.isSingular: return .query(query)
        case .function(let function) where !function.isLogical: return .function(function)
        default:
            throw cursor.error(
                .argumentType(
                    function: name.rawValue,
                    expected:
                        "a literal, a query that finds one value at most, or length(), count(), value()"
                ),
                at: argument.at
            )
        }
    }

    private func nodes(
        _ argument: (operand: ParsedOperand?, at: Int),
        for name: FunctionName
    ) throws(JSONPathError) -> FilterQuery {
        guard case .query(let query) = argument.operand?.form else {
            throw cursor.error(
                .argumentType(function: name.rawValue, expected: "a query"),
                at: argument.at
            )
        }
        return query
    }
}
