package import HTTPTypes

/// What the header fields of a message may be together: those of a request, or of all heads of an
/// answer and its trailers.
///
/// `HTTPFields` ends the process for a field too many, and libcurl writes no head of a request that
/// is longer than 1 MiB. Who makes fields of foreign text counts them as they come (`CountedFields`).
package struct FieldLimits: Sendable {
    /// Fields are more, or longer, than they may be.
    package enum Excess: Error, Equatable {
        case bytes(limit: Int)
        case lines(limit: Int)
    }

    /// `HTTPFields` takes 65,534.
    package static let mostLines = 65_000

    /// Names and values with what stands around them: `: ` and the line's end.
    var bytes = 1 << 20
    var lines = 10_000

    /// Refuses fields that are more, or longer.
    package static func check(_ fields: HTTPFields) throws(Excess) {
        let limits = FieldLimits()
        guard fields.count <= limits.lines else { throw .lines(limit: limits.lines) }
        guard fields.byteCount <= limits.bytes else { throw .bytes(limit: limits.bytes) }
    }
}

extension FieldLimits.Excess: CustomStringConvertible {
    package var description: String {
        switch self {
        case .bytes(let limit): "the header fields of a request may have \(limit) bytes in all"
        case .lines(let limit): "a request may have \(limit) header fields"
        }
    }
}

/// Fields of foreign text, counted as they come.
package struct CountedFields {
    /// Those so far.
    package private(set) var fields = HTTPFields()
    private var byteCount = 0
    private let limits = FieldLimits()

    /// Begins with none.
    package init() {}

    /// Adds a field.
    package mutating func append(_ field: HTTPField) throws(FieldLimits.Excess) {
        byteCount += field.byteCount
        guard fields.count < limits.lines else { throw .lines(limit: limits.lines) }
        guard byteCount <= limits.bytes else { throw .bytes(limit: limits.bytes) }
        fields.append(field)
    }
}

extension HTTPFields {
    /// Adds a field of foreign text; false if there is no room.
    package mutating func appendForeign(_ field: HTTPField) -> Bool {
        guard count < FieldLimits.mostLines else { return false }
        append(field)
        return true
    }

    /// The bytes of the fields as a head has them, with their line ends.
    var byteCount: Int { reduce(0) { $0 + $1.byteCount } }

    /// Gives a name one field, or none.
    ///
    /// `self[name]` divides a `Cookie` into a field for each cookie, however many there are.
    mutating func set(_ value: String?, for name: HTTPField.Name) {
        self[values: name] = [value].compactMap(\.self)
    }

    /// Refuses fields that a request may not have.
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
