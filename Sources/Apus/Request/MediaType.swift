/// Media types by a file's extension (the IANA registry's names).
enum MediaType {
    private static let byExtension = [
        "json": "application/json", "xml": "application/xml", "pdf": "application/pdf",
        "zip": "application/zip", "gz": "application/gzip", "yaml": "application/yaml",
        "yml": "application/yaml", "js": "text/javascript", "csv": "text/csv",
        "html": "text/html", "htm": "text/html", "css": "text/css", "txt": "text/plain",
        "md": "text/markdown", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "svg": "image/svg+xml",
        "mp4": "video/mp4", "mp3": "audio/mpeg", "wasm": "application/wasm",
        "avif": "image/avif", "ico": "image/vnd.microsoft.icon", "tiff": "image/tiff",
        "bmp": "image/bmp", "webm": "video/webm", "mov": "video/quicktime",
        "ogg": "audio/ogg", "wav": "audio/wav", "aac": "audio/aac", "flac": "audio/flac",
        "tar": "application/x-tar", "zst": "application/zstd", "7z": "application/x-7z-compressed",
        "doc": "application/msword", "rtf": "application/rtf", "epub": "application/epub+zip",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "ics": "text/calendar", "graphql": "application/graphql", "jsonl": "application/jsonl",
        "ndjson": "application/x-ndjson", "geojson": "application/geo+json",
        "mjs": "text/javascript",
        "cbor": "application/cbor", "pem": "application/x-pem-file", "sql": "application/sql",
        "bin": "application/octet-stream",
    ]

    /// Extensions of a type that has a better known one.
    private static let lesserExtensions: Set = ["htm", "jpeg", "mjs", "yml"]

    /// The type for a file's name; `application/octet-stream` if it tells nothing.
    static func ofFile(named path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            return "application/octet-stream"
        }
        return byExtension[name[dot...].dropFirst().lowercased()] ?? "application/octet-stream"
    }

    /// The extension for a media type, with its point; empty if none is known.
    static func fileExtension(for value: String?) -> String {
        let type = (value ?? "").prefix { $0 != ";" && $0 != " " }.lowercased()
        let name = byExtension.first { $0.value == type && !lesserExtensions.contains($0.key) }?.key
        return name.map { ".\($0)" } ?? ""
    }
}
