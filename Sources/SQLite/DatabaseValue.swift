package import FoundationEssentials

/// A value as SQLite stores it.
package enum DatabaseValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])

    /// Whether it is NULL.
    package var isNull: Bool { self == .null }
}

/// A type whose values are stored in columns.
package protocol DatabaseValueConvertible {
    /// The value to store.
    var databaseValue: DatabaseValue { get }

    /// The value that was stored; nil if it is of another type.
    static func fromDatabaseValue(_ value: DatabaseValue) -> Self?
}

extension DatabaseValue: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { self }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseValue? { value }
}

/// NULL is nil.
extension Optional: DatabaseValueConvertible where Wrapped: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { self?.databaseValue ?? .null }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> Wrapped?? {
        value.isNull ? .some(nil) : Wrapped.fromDatabaseValue(value).map { .some($0) }
    }
}

/// A real number is one too if it is whole: SQLite makes one of a sum that is too large.
extension DatabaseValueConvertible where Self: FixedWidthInteger {
    package static func fromDatabaseValue(_ value: DatabaseValue) -> Self? {
        switch value {
        case .integer(let number): Self(exactly: number)
        case .real(let number): Self(exactly: number)
        default: nil
        }
    }
}

extension Int: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}

extension Int64: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .integer(self) }
}

extension UInt32: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .integer(Int64(self)) }
}

/// Stored as 0 or 1; any other number is true.
extension Bool: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .integer(self ? 1 : 0) }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> Bool? {
        Int64.fromDatabaseValue(value).map { $0 != 0 }
    }
}

extension Double: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .real(self) }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> Double? {
        switch value {
        case .real(let number): number
        case .integer(let number): Double(number)
        default: nil
        }
    }
}

/// A number's text is its digits, as for SQLite.
extension String: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .text(self) }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> String? {
        switch value {
        case .text(let text): text
        case .blob(let bytes): String(validating: bytes, as: UTF8.self)
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .null: nil
        }
    }
}

/// Bytes are a blob; those of a text are its UTF-8.
extension [UInt8]: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .blob(self) }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> [UInt8]? {
        switch value {
        case .blob(let bytes): bytes
        case .text(let text): Array(text.utf8)
        default: nil
        }
    }
}

extension Data: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { .blob([UInt8](self)) }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> Data? {
        [UInt8].fromDatabaseValue(value).map { Data($0) }
    }
}
