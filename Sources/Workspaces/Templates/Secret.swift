import FoundationEssentials

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

    /// Reads this process's environment and the machine's files.
    package static let process = SecretReader(
        environmentVariable: { ProcessInfo.processInfo.environment[$0] },
        file: { (path: String) throws(FileFault) -> String in try TextFile.read(path) }
    )

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
