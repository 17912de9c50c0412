package import Documents

/// A format of another program that can be opened as a workspace.
package protocol Importer: Sendable {
    /// What `apus import --from` calls it: "openapi".
    static var name: String { get }
    /// Whether a source is of this format, by its content, and where that says nothing, by its path.
    static func recognizes(_ head: ImportHead) -> Bool
    /// Reads the source.
    ///
    /// - Throws: `ImportError` if nothing of it can be read. What has no place in a workspace is a loss, never an error.
    static func read(_ source: ImportSource) throws(ImportError) -> ImportedWorkspace
}

/// All formats, in the order in which they are asked whether a file is theirs.
package enum Importers {
    /// The formats.
    package static let all: [any Importer.Type] = [
        OpenAPIImporter.self, PostmanImporter.self, InsomniaImporter.self, HARImporter.self,
        BrunoImporter.self,
        HurlImporter.self, HTTPFileImporter.self, CurlImporter.self,
    ]

    /// The format of a source; nil if it is none of them.
    package static func importer(for source: ImportSource) -> (any Importer.Type)? {
        let head = ImportHead(source)
        return all.first { $0.recognizes(head) }
    }
}

/// What a format is recognized by, read once for all of them.
package struct ImportHead {
    /// The source.
    package let source: ImportSource
    /// What the path ends with after its last dot, in lowercase: "json"; empty without one, and for a folder.
    package let fileExtension: String
    /// The file as JSON; nil if it is none.
    package let json: JSON?
    /// The values of the top-level keys of a YAML file, as they stand on their lines: `["openapi": "3.0.3"]`.
    package let yamlKeys: [String: String]
    /// The beginning of the text, at most 64 KiB.
    package let text: String
    /// The names in a folder; empty for a file.
    package let names: [String]

    init(_ source: ImportSource) {
        self.source = source
        let file = source.path.split(separator: "/").last ?? ""
        let path = file.prefix { !"?#".contains($0) }
        fileExtension =
            source.isFolder
            ? "" : path.lastIndex(of: ".").map { path[$0...].dropFirst().lowercased() } ?? ""
        names = source.isFolder ? source.names() : []
        var bytes = source.bytes[...]
        if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
            bytes = Array(SourceText.decoded(source.bytes).utf8)[...]
        } else if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            bytes = bytes.dropFirst(3)
        }
        text = String(decoding: bytes.prefix(64 << 10), as: UTF8.self)
        let first = bytes.first { !" \t\r\n".utf8.contains($0) }
        let mayBeJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        // What is wrong with it is said when it is read.
        json = mayBeJSON && !text.hasPrefix("{{") ? try? source.tree().root : nil
        yamlKeys = json == nil ? Self.topLevelKeys(bytes) : [:]
    }

    /// The keys at the beginning of lines; all of the file, for a key may stand at its end.
    private static func topLevelKeys(_ bytes: ArraySlice<UInt8>) -> [String: String] {
        var keys: [String: String] = [:]
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let first = line.first, !" \t#-\r".utf8.contains(first),
                let colon = line.firstIndex(of: UInt8(ascii: ":")), colon - line.startIndex < 64
            else { continue }
            let key = String(decoding: line[..<colon], as: UTF8.self).trimmingBlanks.unquoted
            let value = String(decoding: line[(colon + 1)...].prefix(256), as: UTF8.self)
            if keys[key] == nil { keys[key] = value.trimmingBlanks.unquoted }
            if keys.count == 64 { break }
        }
        return keys
    }
}

extension String {
    /// The text without quotes around it.
    fileprivate var unquoted: String {
        guard count > 1, let first, first == last, first == "\"" || first == "'" else {
            return self
        }
        return String(dropFirst().dropLast())
    }
}
