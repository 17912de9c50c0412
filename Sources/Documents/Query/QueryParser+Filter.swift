/// Filters: RFC 9535 section 2.3.5.1.
extension QueryParser {
    /// Alternatives; `&&` binds more tightly.
    mutating func logicalExpression() throws(JSONPathError) -> FilterExpression {
        try enter()
        defer { leave() }
        var terms = [try conjunction()]
        while try skipLogicalOperator("||") { terms.append(try conjunction()) }
        return terms.count == 1 ? terms[0] : .any(terms)
    }

    private mutating func conjunction() throws(JSONPathError) -> FilterExpression {
        var terms = [try basicExpression()]
        while try skipLogicalOperator("&&") { terms.append(try basicExpression()) }
        return terms.count == 1 ? terms[0] : .all(terms)
    }

    private mutating func skipLogicalOperator(
        _ sign: StaticString
    ) throws(JSONPathError) -> Bool {
        let end = cursor.at
        cursor.skipBlanks()
        guard cursor.skip(sign) else {
            cursor.at = end
            return false
        }
        cursor.skipBlanks()
        return true
    }

    private mutating func basicExpression() throws(JSONPathError) -> FilterExpression {
        let start = cursor.at
        if cursor.skip("!") {
            cursor.skipBlanks()
            if cursor.byte == 0x28 { return .not(try parenthesized()) }
            let operand = try operand()
            let end = cursor.at
            cursor.skipBlanks()
            guard comparisonOperator() == nil else {
                throw cursor.error(.negatedComparison, at: start)
            }
            cursor.at = end
            return .not(try tested(operand))
        }
        if cursor.byte == 0x28 { return try parenthesized() }
        let left = try operand()
        let end = cursor.at
        cursor.skipBlanks()
        guard let sign = comparisonOperator() else {
            if let wrong = wrongOperator() { throw wrong }
            cursor.at = end
            return try tested(left)
        }
        let first = try compared(left)
        cursor.at += sign.rawValue.utf8.count
        if cursor.byte == 0x3D || (sign == .less && cursor.byte == 0x3E) {
            let found = sign.rawValue + cursor.character
            let instead = cursor.byte == 0x3D ? sign.rawValue : "!="
            let start = cursor.at - sign.rawValue.utf8.count
            throw cursor.error(.badOperator(found: found, instead: instead), at: start)
        }
        cursor.skipBlanks()
        return .comparison(first, sign, try compared(try operand()))
    }

    private mutating func parenthesized() throws(JSONPathError) -> FilterExpression {
        cursor.at += 1
        cursor.skipBlanks()
        let expression = try logicalExpression()
        cursor.skipBlanks()
        guard cursor.skip(")") else { throw wrongOperator() ?? cursor.unexpected("&&, || or )") }
        return expression
    }

    /// The comparison operator at the cursor, which does not move; nil if there is none.
    func comparisonOperator() -> FilterOperator? {
        if cursor.starts(with: "==") { return .equal }
        if cursor.starts(with: "!=") { return .notEqual }
        if cursor.starts(with: "<=") { return .lessOrEqual }
        if cursor.starts(with: ">=") { return .greaterOrEqual }
        return cursor.byte == 0x3C ? .less : cursor.byte == 0x3E ? .greater : nil
    }

    /// The error for an operator of another language at the cursor; nil if there is none.
    private func wrongOperator() -> JSONPathError? {
        func error(_ found: String, _ instead: String) -> JSONPathError {
            cursor.error(.badOperator(found: found, instead: instead))
        }
        if cursor.starts(with: "=~") { return error("=~", "match() or search()") }
        if cursor.byte == 0x3D { return error("=", "==") }
        if cursor.byte == 0x26 && cursor.byte(ahead: 1) != 0x26 { return error("&", "&&") }
        if cursor.byte == 0x7C && cursor.byte(ahead: 1) != 0x7C { return error("|", "||") }
        var word = cursor
        switch word.shorthandName().text.lowercased() {
        case "and": return error(word.text(from: cursor.at), "&&")
        case "or": return error(word.text(from: cursor.at), "||")
        case "eq": return error(word.text(from: cursor.at), "==")
        case "ne": return error(word.text(from: cursor.at), "!=")
        default: return nil
        }
    }

    /// The error for text after a complete filter.
    func filterEndError() -> JSONPathError {
        wrongOperator() ?? cursor.unexpected("an operator, ',' or ]")
    }

    // MARK: - Uses of operands

    /// An operand that stands alone: a query as an existence test, or a function with a truth value.
    private func tested(_ operand: ParsedOperand) throws(JSONPathError) -> FilterExpression {
        switch operand.form {
        case .query(let query): return .exists(query)
        case .function(let function) where function.isLogical: return .test(function)
        case .function(let function):
            throw cursor.error(.resultNotCompared(function: function.name), at: operand.start)
        case .literal:
            let text = String(decoding: cursor.bytes[operand.start..<operand.end], as: UTF8.self)
            throw cursor.error(.literalNotCompared(text), at: operand.start)
        }
    }

    private func compared(_ operand: ParsedOperand) throws(JSONPathError) -> FilterOperand {
        switch operand.form {
        case .literal(let literal): return .literal(literal)
        case .query(let query):
            guard query.isSingular else { throw cursor.error(.notSingular, at: operand.start) }
            if let blank = operand.bracketBlank {
                throw cursor.error(.blank(.inSingularBrackets), at: blank)
            }
            return .query(query)
        case .function(let function):
            guard !function.isLogical else {
                throw cursor.error(.resultCompared(function: function.name), at: operand.start)
            }
            return .function(function)
        }
    }
}

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

    /// The arguments up to the closing parenthesis; nil for an argument that is a logical expression.
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
                        "a literal, a query that finds at most one value, or length(), count(), value()"
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

/// An operand before its use is known.
struct ParsedOperand {
    enum Form {
        case literal(FilterLiteral)
        case query(FilterQuery)
        case function(FilterFunction)
    }

    let form: Form
    let start: Int
    let end: Int
    /// The first white space inside its brackets, which a compared query may not have; nil if none.
    let bracketBlank: Int?
}
