/// Where in an answer a value is: `$.user.roles[0]`, `header:X-Token`, `status`.
package enum CapturePath: Sendable, Hashable, CustomStringConvertible {
    /// One step down into a JSON body.
    package enum Step: Sendable, Hashable {
        /// The member of this name.
        case member(String)
        /// The element at this index; negative ones count from the end.
        case index(Int)
    }

    /// The status.
    case status
    /// A header field.
    case header(String)
    /// A value in the body.
    case body([Step])

    /// Reads a path: member and index steps with or without `$` before them.
    ///
    /// - Throws: `Fault`, with the offset in Unicode scalars.
    package init(_ text: String) throws(Fault) {
        if text == "status" {
            self = .status
        } else if text.hasPrefix("header:") {
            let name = String(text.dropFirst("header:".count).drop { $0 == " " })
            guard !name.isEmpty else {
                throw Fault(offset: text.unicodeScalars.count, expected: "a field's name")
            }
            self = .header(name)
        } else {
            var parser = CapturePathParser(text)
            self = .body(try parser.parse())
        }
    }

    /// Why a text is no path.
    package struct Fault: Error, Sendable, Hashable {
        /// Where, from 0, in Unicode scalars.
        package let offset: Int
        /// What was expected there.
        package let expected: String
    }

    /// The value in an answer; nil if there is none.
    package func value(in answer: some CaptureSource) -> Value? {
        switch self {
        case .status: .number(String(answer.status))
        case .header(let name): answer.headerField(name).map { .string($0) }
        case .body(let steps): answer.bodyValue(at: steps)
        }
    }

    package var description: String {
        switch self {
        case .status: "status"
        case .header(let name): "header:\(name)"
        case .body(let steps): "$" + steps.map(Self.text).joined()
        }
    }

    private static func text(_ step: Step) -> String {
        switch step {
        case .index(let index): "[\(index)]"
        case .member(let name) where TemplateParser.isName(name): ".\(name)"
        case .member(let name):
            "['" + name.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "']"
        }
    }
}

extension CapturePath.Step: CustomStringConvertible {
    package var description: String { CapturePath.body([self]).description }
}
