import FoundationEssentials
import Synchronization

/// A secret's value, or why there is none.
///
/// Its description and its mirror do not show the value.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// Its origin, in words.
    let origin: String
    /// The value; nil if it could not be read.
    let value: String?
    /// Why it could not be read.
    let fault: String?
    /// The environment variable that it is read from; nil if it comes from elsewhere.
    var environmentVariable: String?

    var description: String { "••••••" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where secrets are read from; each is read once, while a workspace is loaded.
package struct SecretReader: Sendable {
    /// The value of an environment variable; nil if it is not set.
    package var environmentVariable: @Sendable (_ name: String) -> String?
    /// The text of a file; the path is already resolved against the file that names it.
    package var file: @Sendable (_ path: String) throws(FileReadError) -> String

    /// Makes a reader.
    package init(
        environmentVariable: @escaping @Sendable (_ name: String) -> String?,
        file: @escaping @Sendable (_ path: String) throws(FileReadError) -> String
    ) {
        self.environmentVariable = environmentVariable
        self.file = file
    }

    /// The largest file of a secret or of `NAME=value` lines, which may have a certificate or a long token in them.
    static let largestFile = 1 << 20

    /// Reads this process's environment and files of at most 1 MiB each and 16 MiB in all.
    package static var process: SecretReader {
        let rest = Rest()
        return SecretReader(
            environmentVariable: { ProcessInfo.processInfo.environment[$0] },
            file: { (path: String) throws(FileReadError) -> String in
                let text = try TextFile.read(path, atMost: largestFile)
                guard rest.takes(text.utf8.count) else {
                    throw FileReadError(detail: "exceeds the limit of 16 MiB for all secrets")
                }
                return text
            }
        )
    }

    private final class Rest: Sendable {
        private let count = Mutex(16 << 20)

        func takes(_ more: Int) -> Bool {
            count.withLock { count in
                count -= more
                return count >= 0
            }
        }
    }

    /// The reader with a text for one file, which need not be there yet.
    package func serving(_ text: String, at path: String) -> SecretReader {
        let others = file
        return SecretReader(
            environmentVariable: environmentVariable,
            file: { (name: String) throws(FileReadError) -> String in
                name == path ? text : try others(name)
            }
        )
    }

    func secret(environmentVariable name: String) -> Secret {
        let value = environmentVariable(name)
        return Secret(
            origin: "the environment variable `\(name)`",
            value: value,
            fault: value == nil ? "the environment variable `\(name)` is not set" : nil,
            environmentVariable: name
        )
    }

    func secret(file path: String) -> Secret {
        do {
            var text = try file(path)
            while text.last?.isNewline == true { text.removeLast() }
            return Secret(origin: "the file \(path)", value: text, fault: nil)
        } catch {
            return Secret(
                origin: "the file \(path)",
                value: nil,
                fault: "\(path) \(error.detail)"
            )
        }
    }
}
