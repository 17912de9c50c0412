package import HTTPTypes

/// Limits on the header fields of a message: those of a request, or of all heads and trailers of a response.
///
/// `HTTPFields` traps on too many fields, and libcurl writes no request head longer than 1 MiB. Code that
/// parses fields from untrusted text must count them as they arrive (`CountedFields`).
package struct FieldLimits: Sendable {
    /// The limit that fields exceed.
    package enum Excess: Error, Equatable {
        case bytes(limit: Int)
        case lines(limit: Int)
    }

    /// `HTTPFields` can hold 65,534.
    package static let mostLines = 65_000

    /// The size of names and values, with `: ` and a line end for each field.
    var bytes = 1 << 20
    var lines = 10_000

    /// Throws if fields exceed the limits.
    package static func check(_ fields: HTTPFields) throws(Excess) {
        let limits = FieldLimits()
        guard fields.count <= limits.lines else { throw .lines(limit: limits.lines) }
        guard fields.byteCount <= limits.bytes else { throw .bytes(limit: limits.bytes) }
    }
}

extension FieldLimits.Excess: CustomStringConvertible {
    package var description: String {
        switch self {
        case .bytes(let limit):
            "the header fields of a request may have at most \(limit) bytes in all"
        case .lines(let limit): "a request may have at most \(limit) header fields"
        }
    }
}

/// Fields from untrusted text, counted as they arrive.
package struct CountedFields {
    /// The fields so far.
    package private(set) var fields = HTTPFields()
    private var byteCount = 0
    private let limits = FieldLimits()

    /// Starts without fields.
    package init() {}

    /// Adds a field; throws if it exceeds a limit.
    package mutating func append(_ field: HTTPField) throws(FieldLimits.Excess) {
        byteCount += field.byteCount
        guard fields.count < limits.lines else { throw .lines(limit: limits.lines) }
        guard byteCount <= limits.bytes else { throw .bytes(limit: limits.bytes) }
        fields.append(field)
    }
}

extension HTTPFields {
    /// Adds a field from untrusted text; false if there is no room.
    package mutating func appendForeign(_ field: HTTPField) -> Bool {
        guard count < FieldLimits.mostLines else { return false }
        append(field)
        return true
    }

    /// The size of the fields in a head, including line ends.
    var byteCount: Int { reduce(0) { $0 + $1.byteCount } }

    /// Sets the only field of a name, or removes all of them.
    ///
    /// `self[name]` would split a `Cookie` into a field for each cookie, however many there are.
    mutating func set(_ value: String?, for name: HTTPField.Name) {
        self[values: name] = [value].compactMap(\.self)
    }

    /// Throws if a request may not have these fields.
    func check() throws(ApusError) {
        do throws(FieldLimits.Excess) {
            try FieldLimits.check(self)
        } catch {
            throw ApusError(.invalidRequest(.fields(detail: "\(error)")))
        }
    }
}

extension HTTPField {
    fileprivate var byteCount: Int {
        name.rawName.utf8.count + withUnsafeBytesOfValue(\.count) + 4
    }
}
