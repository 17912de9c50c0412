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
    ]

    /// The type for a file's name; `application/octet-stream` if it tells nothing.
    static func ofFile(named path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            return "application/octet-stream"
        }
        return byExtension[name[dot...].dropFirst().lowercased()] ?? "application/octet-stream"
    }
}
