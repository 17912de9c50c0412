import FoundationEssentials

/// Why a file cannot be read, in words that follow its name.
package struct FileFault: Error, Sendable, Hashable {
    /// "does not exist", for example.
    package let detail: String

    /// Makes a fault.
    package init(detail: String) {
        self.detail = detail
    }
}

/// Reads small text files.
enum TextFile {
    private static let maximumSize = 4 << 20

    static func read(_ path: String) throws(FileFault) -> String {
        let bytes = try bytes(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileFault(detail: "is not a UTF-8 text (\(faultPlace(in: bytes)))")
        }
        return text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
    }

    /// Whether there is a folder of that name.
    static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// The names in a folder, sorted.
    static func names(inFolder path: String) throws(FileFault) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw FileFault(detail: words(for: error))
        }
    }

    /// `path`, seen from the folder of `file`, unless it is absolute.
    static func resolve(_ path: String, besideFile file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }

    private static func bytes(_ path: String) throws(FileFault) -> [UInt8] {
        do {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            if let size = attributes[.size] as? UInt64, size > maximumSize {
                throw FileFault(detail: "is larger than 4 MiB")
            }
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch let fault as FileFault {
            throw fault
        } catch {
            throw FileFault(detail: words(for: error))
        }
    }

    private static func words(for error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: "does not exist"
        case .fileReadNoPermission: "may not be read (permission denied)"
        default: "cannot be read"
        }
    }

    private static func faultPlace(in bytes: [UInt8]) -> String {
        var line = 1
        var start = 0
        for end in bytes.indices where bytes[end] == 0x0A || end == bytes.count - 1 {
            if String(validating: bytes[start...end], as: UTF8.self) == nil { break }
            line += 1
            start = end + 1
        }
        return "line \(line)"
    }
}
