import FoundationEssentials
import Synchronization

/// A secret's value, or why there is none.
///
/// Nothing that prints it shows it.
struct Secret: Sendable, CustomStringConvertible, CustomReflectable {
    /// Where it comes from, in words.
    let origin: String
    /// The value; nil if it could not be read.
    let value: String?
    /// Why it could not be read.
    let fault: String?

    var description: String { "••••••" }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where secrets are read from, once, while a workspace is loaded.
package struct SecretReader: Sendable {
    /// The value of an environment variable; nil if it is not set.
    package var environmentVariable: @Sendable (_ name: String) -> String?
    /// The text of a file, its path resolved against the file that names it.
    package var file: @Sendable (_ path: String) throws(FileFault) -> String

    /// Makes a reader.
    package init(
        environmentVariable: @escaping @Sendable (_ name: String) -> String?,
        file: @escaping @Sendable (_ path: String) throws(FileFault) -> String
    ) {
        self.environmentVariable = environmentVariable
        self.file = file
    }

    /// Reads this process's environment and the machine's files: 64 KiB each, for no server takes a
    /// credential so long, and 16 MiB in all.
    package static var process: SecretReader {
        let rest = Rest()
        return SecretReader(
            environmentVariable: { ProcessInfo.processInfo.environment[$0] },
            file: { (path: String) throws(FileFault) -> String in
                let text = try TextFile.read(path, atMost: 64 << 10)
                guard rest.takes(text.utf8.count) else {
                    throw FileFault(detail: "is one secret too many: they may have 16 MiB in all")
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

    func secret(environmentVariable name: String) -> Secret {
        let value = environmentVariable(name)
        return Secret(
            origin: "the environment variable `\(name)`",
            value: value,
            fault: value == nil ? "the environment variable `\(name)` is not set" : nil
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
