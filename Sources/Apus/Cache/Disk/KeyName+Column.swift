import FoundationEssentials
import GRDB

/// A digest is a column's 32 bytes, any other name its text.
extension KeyName: DatabaseValueConvertible {
    var databaseValue: DatabaseValue {
        other?.databaseValue ?? withDigest { Data($0).databaseValue }
    }

    static func fromDatabaseValue(_ value: DatabaseValue) -> KeyName? {
        if case .blob(let bytes) = value.storage {
            return bytes.withUnsafeBytes { KeyName(digest: $0) }
        }
        return String.fromDatabaseValue(value).map { KeyName($0) }
    }
}
