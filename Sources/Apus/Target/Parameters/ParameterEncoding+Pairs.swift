extension ParameterEncoding {
    /// `a=1&b[]=2`, in the parameters' order, for a query.
    func queryText(of parameters: [Parameter]) -> String {
        text(of: parameters, escape: PercentEncoding.component)
    }

    /// The same for a form body.
    func formText(of parameters: [Parameter]) -> String {
        text(of: parameters, escape: PercentEncoding.form)
    }

    /// The members in the order that they are written in; equal names stay as
    /// they were given.
    func ordered(_ members: [Parameter]) -> [Parameter] {
        guard sortsKeys else { return members }
        return members.enumerated()
            .sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
            .map(\.element)
    }

    private func text(of parameters: [Parameter], escape: (String) -> String) -> String {
        var pairs: [(name: String, value: String)] = []
        for parameter in ordered(parameters) {
            collect(parameter.value, named: parameter.name, into: &pairs)
        }
        // Brackets are told from data by the reader, so they are escaped like data.
        return pairs.map { "\(escape($0.name))=\(escape($0.value))" }.joined(separator: "&")
    }

    private func collect(
        _ value: ParameterValue,
        named name: String,
        into pairs: inout [(name: String, value: String)]
    ) {
        switch value {
        case .string(let text): pairs.append((name, text))
        case .integer(let number): pairs.append((name, String(number)))
        case .number(let number): pairs.append((name, String(number)))
        case .boolean(let flag): pairs.append((name, text(of: flag)))
        case .null: pairs.append((name, ""))
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                collect(element, named: self.name(name, ofElement: index), into: &pairs)
            }
        case .object(let members):
            for member in ordered(members) {
                collect(member.value, named: "\(name)[\(member.name)]", into: &pairs)
            }
        }
    }

    private func text(of flag: Bool) -> String {
        switch booleans {
        case .numeric: flag ? "1" : "0"
        case .literal: flag ? "true" : "false"
        }
    }

    private func name(_ name: String, ofElement index: Int) -> String {
        switch arrays {
        case .brackets: "\(name)[]"
        case .repeated: name
        case .indexed: "\(name)[\(index)]"
        case .custom(let naming): naming.elementName(name, index)
        }
    }
}
