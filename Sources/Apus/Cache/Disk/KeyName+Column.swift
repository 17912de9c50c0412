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

    /// Whether these bytes, which are text if `isText`, are the name's.
    func isStored(as bytes: UnsafeRawBufferPointer, isText: Bool) -> Bool {
        guard isText else { return KeyName(digest: bytes) == self }
        return other.map { bytes.elementsEqual($0.utf8) } ?? false
    }

    /// Reads what stands in a column, which is text if `isText`.
    init?(_ bytes: UnsafeRawBufferPointer, isText: Bool) {
        if isText {
            self.init(String(decoding: bytes, as: UTF8.self))
        } else {
            self.init(digest: bytes)
        }
    }
}
