import Apus
import Glibc
import HTTPTypes
import Interchange
import Workspaces

/// Gets what is imported from a URL, and the files that it refers to by URL.
enum ImportFetch {
    /// How often files that were fetched refer to others.
    private static let mostRounds = 8
    private static let mostFiles = 200

    /// Whether a text is the URL of a file that may be imported, by how its path ends.
    static func mayBeImported(_ text: String) -> Bool {
        guard ImportSource.isURL(text) else { return false }
        let path = text.prefix { !"?#".contains($0) }.lowercased()
        let endings = [".json", ".yaml", ".yml", ".har", ".http", ".rest", ".hurl", ".bru"]
        return endings.contains { path.hasSuffix($0) } || path.hasSuffix("/api-docs")
    }

    /// What is at a path or a URL, with what it refers to by URL.
    ///
    /// - Throws: `ImportError` if it cannot be fetched or read.
    static func source(at path: String) async throws(ImportError) -> ImportSource {
        if ImportSource.isURL(path) {
            let files = await fetch(path)
            guard let bytes = files[path] else {
                throw ImportError("\(path): it cannot be fetched; `apus send \(path)` says why")
            }
            return ImportSource(path: path, bytes: bytes, fetched: files)
        }
        guard access(path, R_OK) == 0 else { throw ImportError("\(path): \(systemMessage(errno))") }
        guard let found = ImportSource(at: path) else {
            throw ImportError("\(path): it cannot be read, or is larger than 256 MiB")
        }
        return found.with(fetched: await fetchingReferences(of: found))
    }

    /// What a path or a URL has, in whatever format it is.
    static func file(at path: String) async -> Result<ImportedFile, ImportError> {
        do throws(ImportError) {
            return .success(try ImportedFile(try await source(at: path)))
        } catch {
            return .failure(error)
        }
    }

    /// The bytes of a URL and of what it refers to, by their URLs; what cannot be fetched is missing.
    static func fetch(_ url: String) async -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        guard let bytes = await bytes(of: url) else { return files }
        files[url] = bytes
        return await fetchingReferences(of: ImportSource(path: url, bytes: bytes), files)
    }

    /// Files with those that a source refers to by URL.
    static func fetchingReferences(
        of source: ImportSource,
        _ fetched: [String: [UInt8]] = [:]
    ) async -> [String: [UInt8]] {
        guard source.mayReferElsewhere else { return fetched }
        var files = fetched
        var tried = Set(fetched.keys)
        for _ in 0..<mostRounds {
            let source = source.with(fetched: files)
            // What is wrong with the file is said when it is read for good.
            _ = try? ImportedFile(source)
            let missing = source.missing.filter { tried.insert($0).inserted }
            guard !missing.isEmpty, files.count < mostFiles else { return files }
            for url in missing { files[url] = await bytes(of: url) }
        }
        return files
    }

    /// Nil if the URL cannot be fetched, or its answer has another status than 200.
    private static func bytes(of url: String) async -> [UInt8]? {
        let target = QuickTarget(.get, url)
        // Whoever asked for it says that it cannot be fetched.
        guard let response = try? await Provider<QuickTarget>().response(for: target),
            response.status == 200
        else { return nil }
        return try? response.body.load()
    }
}
