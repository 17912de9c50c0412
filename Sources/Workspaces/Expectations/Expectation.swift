package import Documents
package import HTTPTypes

/// Something that a response must be.
package struct Expectation: Sendable, Hashable {
    /// What of the response it is about.
    package enum Subject: Sendable, Hashable {
        /// The status code.
        case status
        /// The time from the request to the last byte.
        case time
        /// The size of the decoded body in bytes.
        case size
        /// How many redirects were followed.
        case redirects
        /// How many days the server's certificate is still valid.
        case certificateDays
        /// Whether the response came from the cache.
        case fromCache
        /// The value of a header field; the values of several with one name are joined by commas.
        case field(HTTPField.Name)
        /// A value of a JSON body; all matches as a list, for a path that can match several.
        case json(JSONPath, written: String)
        /// The whole body as JSON.
        case body
        /// The whole body as text.
        case text
        /// How many requests of a batch failed.
        case failed
        /// The time within which that many of a hundred responses of a batch came.
        case percentile(Int)
    }

    /// How a value is compared.
    package enum Operator: String, Sendable, CaseIterable {
        /// The same value; numbers by value, objects in any order.
        case equals = "is"
        /// Another value.
        case differs = "not"
        /// A smaller number, or a text that is before it.
        case less = "<"
        /// Not a larger one.
        case atMost = "<="
        /// A larger number, or a text that is after it.
        case more = ">"
        /// Not a smaller one.
        case atLeast = ">="
        /// One of the values of a list.
        case isOneOf = "in"
        /// A text with this text in it, a list with this element, or an object with this member.
        case contains
        /// A text in which a regular expression matches (PCRE2).
        case matches
        /// Whether there is such a value.
        case exists
        /// How many elements, members or characters it has.
        case count
        /// The type of a JSON value.
        case type
    }

    /// What must hold.
    package enum Requirement: Sendable, Hashable {
        /// A status of one of these ranges.
        case statuses([ClosedRange<Int>])
        /// A number of microseconds, bytes, redirects or days.
        case quantity(Operator, Int)
        /// Whether it is so.
        case flag(Bool)
        /// A comparison of values.
        case value(Operator, Value)
        /// A whole document, in which the text `~ignore` stands for any value.
        case document(Value)
    }

    /// What of the response it is about.
    package let subject: Subject
    /// What must hold.
    package let requirement: Requirement
    /// Where the file says so.
    package let location: SourceLocation
}

extension Expectation.Subject: CustomStringConvertible {
    package var description: String {
        switch self {
        case .status: "status"
        case .time: "time"
        case .size: "size"
        case .redirects: "redirects"
        case .certificateDays: "certificate"
        case .fromCache: "source"
        case .field(let name): name.rawName
        case .json(_, let written): written
        case .body: "body"
        case .text: "text"
        case .failed: "failed"
        case .percentile(100): "max"
        case .percentile(let percent): "p\(percent)"
        }
    }

    /// What can be expected of a batch's times: the part of the responses in percent, and in words.
    static let percentiles = [
        (50, "half"), (90, "nine tenths"), (95, "95 of a hundred"), (99, "99 of a hundred"),
        (100, "all"),
    ]

    /// A number of the subject's unit, as people read it.
    func words(_ number: Int) -> String {
        switch self {
        case .time, .percentile: Readable.duration(.microseconds(number))
        case .size: Readable.bytes(number)
        case .certificateDays: number == 1 ? "1 day" : "\(number) days"
        default: "\(number)"
        }
    }
}

extension Expectation: CustomStringConvertible {
    /// What is expected, in a line: `status is 200`, `$.tags has 2`, `time < 2 s`.
    package var description: String { "\(subject) \(expected)" }

    /// What is expected of the subject: `is 200`, `< 2 s`, `exists`.
    package var expected: String {
        switch requirement {
        case .statuses(let ranges):
            "is \(ranges.map(Self.words).joined(separator: " or "))"
        case .quantity(.equals, let number): "is \(subject.words(number))"
        case .quantity(let sign, let number): "\(sign.rawValue) \(subject.words(number))"
        case .flag(let flag): flag ? "is the cache" : "is not the cache"
        case .value(.exists, .boolean(let flag)): flag ? "exists" : "does not exist"
        case .value(.count, let value): "has \(Self.text(value))"
        case .value(.type, let value): "is of type \(value.scalarText ?? value.json)"
        case .value(.differs, let value): "is not \(value.json)"
        case .value(.isOneOf, let value): "is one of \(value.json)"
        case .value(.equals, let value): "is \(value.json)"
        case .value(let sign, let value): "\(sign.rawValue) \(value.json)"
        case .document: "is as in the file"
        }
    }

    private static func words(_ range: ClosedRange<Int>) -> String {
        if range.count == 1 { return "\(range.lowerBound)" }
        let hundreds = range.lowerBound / 100
        let isClass = range == hundreds * 100...hundreds * 100 + 99
        return isClass ? "\(hundreds)xx" : "\(range.lowerBound)-\(range.upperBound)"
    }

    private static func text(_ value: Value) -> String { value.scalarText ?? value.json }
}

/// What came of an expectation.
package struct ExpectationOutcome: Sendable {
    /// What was expected.
    package let expectation: Expectation
    /// Whether it is met.
    package let isMet: Bool
    /// What the response has instead, in a line; nil if it is met.
    package let actual: String?
    /// The value of the body that it is about; nil if there is none.
    package let node: NodeIndex?
    /// Where a whole body differs from what was expected.
    package let differences: [DiffLine]

    init(
        _ expectation: Expectation,
        isMet: Bool,
        actual: @autoclosure () -> String?,
        node: NodeIndex? = nil,
        differences: [DiffLine] = []
    ) {
        self.expectation = expectation
        self.isMet = isMet
        self.actual = isMet ? nil : actual()
        self.node = node
        self.differences = differences
    }
}
