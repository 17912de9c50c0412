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

    /// What stands here and compares; the cursor stays.
    func comparisonOperator() -> FilterOperator? {
        if cursor.starts(with: "==") { return .equal }
        if cursor.starts(with: "!=") { return .notEqual }
        if cursor.starts(with: "<=") { return .lessOrEqual }
        if cursor.starts(with: ">=") { return .greaterOrEqual }
        return cursor.byte == 0x3C ? .less : cursor.byte == 0x3E ? .greater : nil
    }

    /// The error for an operator of other languages, when there is one here.
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

    /// The error for something behind a whole filter.
    func filterEndError() -> JSONPathError {
        wrongOperator() ?? cursor.unexpected("an operator, ',' or ]")
    }

    // MARK: - Operands in their place

    /// An operand that stands alone: a query that exists, or a function with a truth value.
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
