import FoundationEssentials
import Glibc

/// A body in a temporary file, for the user's editor.
enum ScratchFile {
    /// Writes a text to a new file that nobody else can read; nil, with `errno` set, if that fails.
    static func write(_ text: String, suffix: String) -> String? {
        let folder =
            ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "/tmp"
        var template = Array("\(folder)/apus-body-XXXXXX\(suffix)".utf8CString)
        // `mkstemps` makes the file with mode 600.
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else { return nil }
        let path = template.withUnsafeBufferPointer {
            $0.baseAddress.map { String(cString: $0) } ?? ""
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else {
                unlink(path)
                return nil
            }
            rest = rest.dropFirst(max(0, count))
        }
        return path
    }

    /// Reads a file and removes it; nil if it cannot be read, or is not UTF-8.
    static func take(_ path: String) -> String? {
        defer { unlink(path) }
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}
