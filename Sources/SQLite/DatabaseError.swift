internal import CSQLite

/// An error of SQLite.
package struct DatabaseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The code with its details: why reading or writing failed.
    package let extendedResultCode: ResultCode
    /// SQLite's words; nil if it has none but those of the code.
    package let message: String?

    /// Makes an error with the words.
    package init(resultCode: ResultCode, message: String? = nil) {
        extendedResultCode = resultCode
        self.message = message
    }

    /// The code without details.
    package var resultCode: ResultCode { ResultCode(rawValue: extendedResultCode.rawValue & 0xFF) }

    /// Whether the file is damaged, or is not a database.
    package var isDamage: Bool { [.corrupt, .notADatabase].contains(resultCode) }

    /// Whether another connection holds the file, so that it may work later.
    package var isBusy: Bool { [.busy, .locked].contains(resultCode) }

    /// SQLite's words, or those of the code.
    package var words: String { message ?? "\(resultCode)" }

    /// The words and the number.
    package var description: String {
        message.map { "\($0) (\(extendedResultCode.rawValue))" } ?? "\(extendedResultCode)"
    }
}

/// A result code of SQLite; its number is SQLite's.
package struct ResultCode: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// SQLite's number.
    package let rawValue: Int32

    /// Makes the code with a number.
    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// The statement is wrong, or a table is missing.
    package static let error = ResultCode(rawValue: 1)
    /// The file may not be opened.
    package static let noPermission = ResultCode(rawValue: 3)
    /// Another connection holds the file.
    package static let busy = ResultCode(rawValue: 5)
    /// Another statement of the same process holds the table.
    package static let locked = ResultCode(rawValue: 6)
    /// The file may not be written.
    package static let readOnly = ResultCode(rawValue: 8)
    /// The task was cancelled.
    package static let interrupted = ResultCode(rawValue: 9)
    /// Reading or writing failed.
    package static let ioError = ResultCode(rawValue: 10)
    /// There was no room for the shared memory of the log.
    package static let ioErrorSharedMemorySize = ResultCode(rawValue: 10 | 19 << 8)
    /// The file is damaged.
    package static let corrupt = ResultCode(rawValue: 11)
    /// The disk is full, or the file has its most pages.
    package static let full = ResultCode(rawValue: 13)
    /// The file, or one beside it, cannot be opened.
    package static let cannotOpen = ResultCode(rawValue: 14)
    /// A value is larger than the limit.
    package static let tooBig = ResultCode(rawValue: 18)
    /// A row would not meet a constraint of its table.
    package static let constraint = ResultCode(rawValue: 19)
    /// A value is of another type than was asked for.
    package static let mismatch = ResultCode(rawValue: 20)
    /// The module was used wrongly.
    package static let misuse = ResultCode(rawValue: 21)
    /// The file is not a database.
    package static let notADatabase = ResultCode(rawValue: 26)

    /// SQLite's words for the code, and its number.
    package var description: String {
        let words = sqlite3_errstr(rawValue).map { String(cString: $0) } ?? "SQLite error"
        return "\(words) (\(rawValue))"
    }
}
