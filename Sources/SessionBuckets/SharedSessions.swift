package import Apus
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
package import Recordings
package import Workspaces

/// Sessions in a bucket, for all who may read it.
///
/// ```
/// PREFIX/sessions/NAME.json     the session's name, whether its secrets are masked, and its files with their sizes and
///                               digests
/// PREFIX/objects/ab/abcdef…     each file once, under the SHA-256 of its content
/// ```
/// The files are those of an exported folder. The session's own object is written last, so that whoever reads it finds
/// all the others, and is never partly there.
///
/// A pull leaves the long bodies of responses where they are, for ``SharedBodies`` to get. It gets everything at once
/// where their masking could change the rest of an exchange: a token that a body names is masked in URLs and fields too.
package struct SharedSessions: Sendable {
    /// A session in the bucket.
    package struct Entry: Sendable, Hashable {
        /// The session's name.
        package let name: String
        /// The number of its exchanges; nil if its object cannot be read.
        package let exchanges: Int?
        /// The bytes of all its files; nil if its object cannot be read.
        package let size: Int?
        /// When it was pushed, in ISO 8601.
        package let modified: String
    }

    /// What was sent.
    package struct Pushed: Sendable, Hashable {
        /// The number of exchanges in the session.
        package let exchanges: Int
        /// The bytes that were sent, and those that were there already.
        package let sent: Int
        package let present: Int
    }

    /// How many objects are asked for or sent at once.
    private static let concurrency = 8
    /// The largest object of a session that is read, the most files and the largest of them, because the bucket may be
    /// written by others.
    private static let manifestLimit = 64 << 20
    private static let fileLimit = 512 << 20
    /// Bodies of at most this many bytes come with the exchanges: to ask for one takes longer than to send it.
    private static let smallBody = 64 << 10
    private static let countLimit = 200_000

    private let store: ObjectStore
    private let cache: String

    /// Makes a door to a bucket; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - address: the bucket and the prefix.
    ///   - chain: finds the credentials and the region.
    ///   - cache: the folder where sessions are put together; by default that of the program's caches.
    /// - Throws: `ApusError` that says which credentials are missing.
    package init(
        _ address: ObjectStoreAddress,
        chain: AWSCredentialChain = .process,
        cache: String = StandardFolders.cache
    ) throws(ApusError) {
        store = try ObjectStore(address, chain: chain)
        self.cache = cache
    }

    // MARK: Push

    /// Sends a session.
    ///
    /// - Parameters:
    ///   - session: the session's name in the history, and in the bucket.
    ///   - history: the history.
    ///   - keepsSecrets: whether secrets that were recorded in clear leave so; else they are masked as in recordings.
    ///   - replaces: whether a session of this name in the bucket is replaced.
    ///   - damaged: is called with what cannot be read and is left out.
    /// - Returns: what was sent, and what was there.
    /// - Throws: ``ObjectStoreError``, `RecordingError`, `SessionFileError`, `ApusError`, `CancellationError`.
    package func push(
        _ session: String,
        of history: History,
        keepsSecrets: Bool = false,
        replaces: Bool = false,
        damaged: (RecordedExchange.ID, String) -> Void = { _, _ in }
    ) async throws -> Pushed {
        try await withTemporaryFolder { folder in
            let path = "\(folder)/session"
            var filter = HistoryFilter()
            filter.sessions = [session]
            var exchanges = try await history.all(matching: filter)
            try await history.export(exchanges, of: session, toFolder: path, damaged: damaged)
            if case let count = try await history.remoteCount(inSessions: [session]), count > 0 {
                throw ObjectStoreError(
                    """
                    \(count) \(count == 1 ? "body" : "bodies") of “\(session)” could not be fetched from where it \
                    was pulled; nothing is pushed without them
                    """
                )
            }
            if !keepsSecrets {
                exchanges = try await masking(session, at: path, in: folder)
            }
            let manifest = SharedManifest(
                session: session,
                exchanges: exchanges.count,
                isMasked: !keepsSecrets,
                files: try files(at: path)
            )
            return try await push(manifest, at: path, replaces: replaces)
        }
    }

    /// Imports an exported session, which masks it, and exports it again; what is masked stays as it is.
    private func masking(
        _ session: String,
        at path: String,
        in folder: String
    ) async throws -> [RecordedExchange] {
        let masked = History(path: "\(folder)/history.sqlite")
        do {
            _ = try await masked.importSession(from: path, named: session)
            let exchanges = try await masked.all(matching: HistoryFilter())
            try await masked.export(exchanges, of: session, toFolder: path)
            await masked.close()
            return exchanges
        } catch {
            await masked.close()
            throw error
        }
    }

    private func files(at path: String) throws -> [SharedFile] {
        try Folders.names(in: path).sorted().map { name in
            guard let (digest, size) = ContentDigest.hex(ofFile: "\(path)/\(name)") else {
                throw ApusError(.file(path: "\(path)/\(name)", errno: EIO))
            }
            return SharedFile(name: name, size: size, digest: digest)
        }
    }

    private func push(
        _ manifest: SharedManifest,
        at path: String,
        replaces: Bool
    ) async throws -> Pushed {
        let (session, files, count) = (manifest.session, manifest.files, manifest.exchanges)
        let key = manifestKey(of: session)
        let there = try await store.bytes(of: key, atMost: Self.manifestLimit)
        let bytes = try manifest.bytes()
        let total = files.reduce(0) { $0 + $1.size }
        if there == bytes { return Pushed(exchanges: count, sent: 0, present: total) }
        if there != nil, !replaces { throw taken(session) }
        let known = Set((there.flatMap { try? SharedManifest($0) })?.files.map(\.digest) ?? [])
        var contents: [String: SharedFile] = [:]
        for file in files { contents[file.digest] = file }
        let sent = try await forEach(contents.values, atMost: Self.concurrency) { file in
            known.contains(file.digest) ? 0 : try await push(file, at: "\(path)/\(file.name)")
        }.reduce(0, +)
        let task = RequestTask.data(bytes, type: "application/json")
        if try await !store.put(key, task, isNew: there == nil) {
            // It may be there because the response to a first attempt was lost.
            guard try await store.bytes(of: key, atMost: Self.manifestLimit) == bytes else {
                throw taken(session)
            }
        }
        return Pushed(exchanges: count, sent: sent, present: max(0, total - sent))
    }

    /// Sends a file unless it is there; returns the bytes that were sent.
    private func push(_ file: SharedFile, at path: String) async throws -> Int {
        let key = store.address.objectKey(file.digest)
        if try await store.size(of: key) == file.size { return 0 }
        if file.size > MultipartUpload.partSize {
            return try await MultipartUpload(store: store, key: key, path: path, size: file.size)
                .run()
        }
        try await store.put(key, .uploadFile(path: path, type: "application/octet-stream"))
        return file.size
    }

    private func taken(_ session: String) -> ObjectStoreError {
        ObjectStoreError(
            "\(store.address.text) has another session “\(session)”: rename yours, or push it with --replace"
        )
    }

    // MARK: Pull

    /// Gets a session into the history: its exchanges, and its long bodies once they are needed.
    ///
    /// What was got is kept until all of it is there, so that a pull that was interrupted goes on.
    ///
    /// - Parameters:
    ///   - session: the session's name in the bucket.
    ///   - name: its name in the history; nil for the same.
    ///   - history: the history, which masks it as it masks what is recorded.
    ///   - withBodies: whether all bodies are got at once.
    ///   - isKnown: returns the error for a name that the history has already.
    /// - Returns: the session in the history.
    /// - Throws: ``ObjectStoreError``, `RecordingError`, `SessionFileError`, `ApusError`, `CancellationError`.
    package func pull(
        _ session: String,
        as name: String? = nil,
        into history: History,
        withBodies: Bool = false,
        isKnown: @escaping @Sendable (_ name: String) -> SessionFileError?
    ) async throws -> ImportedSession {
        guard
            let bytes = try await store.bytes(
                of: manifestKey(of: session),
                atMost: Self.manifestLimit
            )
        else {
            let names = try await names().prefix(8).map { "“\($0)”" }.joined(separator: ", ")
            throw ObjectStoreError(
                "\(store.address.text) has no session “\(session)”; "
                    + (names.isEmpty ? "it has none" : "it has \(names)")
            )
        }
        let manifest = try SharedManifest(bytes)
        guard manifest.files.count <= Self.countLimit,
            manifest.files.allSatisfy({ $0.size <= Self.fileLimit })
        else {
            throw ObjectStoreError("the session “\(session)” is larger than a session can be")
        }
        let pulls = "\(cache)/pulls"
        try PrivateFiles.makeFolder(pulls)
        let folder = "\(pulls)/\(ContentDigest.hex(of: bytes))"
        guard try PrivateFolder.make(folder) else {
            throw ObjectStoreError("\(folder) is not a folder of yours alone")
        }
        let remote =
            withBodies || !manifest.isMasked || !history.masksSecrets
            ? [:] : remoteBodies(of: manifest)
        let files = manifest.files.filter { remote[$0.name] == nil }
        let groups = Dictionary(grouping: files, by: \.digest)
        _ = try await forEach(groups.values, atMost: Self.concurrency) { files in
            try await pull(files, to: folder)
        }
        let imported = try await history.importSession(
            from: SessionSource(folder, remote: remote),
            named: name ?? manifest.session,
            isKnown: isKnown
        )
        // Only a cache: what is left is used again.
        try? FileManager.default.removeItem(atPath: folder)
        return imported
    }

    /// The bodies that are not got now, by the names of their files.
    private func remoteBodies(of manifest: SharedManifest) -> [String: RemoteBody] {
        manifest.files.filter { $0.size > Self.smallBody && $0.isResponse }.reduce(into: [:]) {
            $0[$1.name] = RemoteBody(
                digest: $1.digest,
                size: $1.size,
                location: store.address.location
            )
        }
    }

    /// Gets the content of files that are the same, unless it is there.
    private func pull(_ files: [SharedFile], to folder: String) async throws {
        guard let first = files.first else { return }
        let path = "\(folder)/\(first.name)"
        if ContentDigest.hex(ofFile: path)?.digest != first.digest {
            unlink(path)
            let key = store.address.objectKey(first.digest)
            try await store.download(key, of: first.size, to: path)
            guard ContentDigest.hex(ofFile: path)?.digest == first.digest else {
                unlink(path)
                throw ObjectStoreError(
                    "\(store.address.text): the object \(key) is not what was pushed; "
                        + "push the session again with --replace"
                )
            }
        }
        for file in files.dropFirst() {
            let other = "\(folder)/\(file.name)"
            unlink(other)
            guard link(path, other) == 0 else { throw ApusError(.file(path: other, errno: errno)) }
        }
    }

    // MARK: List

    /// The sessions in the bucket, by name.
    package func list() async throws -> [Entry] {
        try await forEach(try await objects(), atMost: Self.concurrency) { object in
            let bytes = try await store.bytes(of: object.key, atMost: Self.manifestLimit)
            let manifest = bytes.flatMap { try? SharedManifest($0) }
            return Entry(
                name: manifest?.session ?? name(of: object) ?? object.key,
                exchanges: manifest?.exchanges,
                size: manifest?.files.reduce(0) { $0 + $1.size },
                modified: object.modified
            )
        }.sorted { $0.name < $1.name }
    }

    private func names() async throws -> [String] {
        try await objects().compactMap { name(of: $0) }
    }

    private func objects() async throws -> [ObjectStore.Listed] {
        try await store.list(store.address.key("sessions/")).filter { $0.key.hasSuffix(".json") }
    }

    private func name(of object: ObjectStore.Listed) -> String? {
        PercentEncoding.decoded(
            String(object.key.dropFirst(store.address.key("sessions/").count).dropLast(5))
        )
    }

    // MARK: Keys and folders

    private func manifestKey(of session: String) -> String {
        store.address.key("sessions/\(PercentEncoding.component(session)).json")
    }

    private func withTemporaryFolder<Result>(
        _ body: (_ folder: String) async throws -> Result
    ) async throws -> Result {
        try PrivateFiles.makeFolder(cache)
        let folder = try PrivateFolder.makeTemporary(beside: "\(cache)/push")
        // Of no use later; nothing depends on its being gone.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }
}

/// A file of a session in a bucket.
struct SharedFile: Sendable, Hashable {
    let name: String
    let size: Int
    /// The SHA-256 of its content in hexadecimal digits.
    let digest: String

    /// Whether it is the body of a response: `003-post-users.response.png`.
    var isResponse: Bool { name.contains(".response.") && !name.hasSuffix(".txt") }
}

/// The object that says of which files a session consists.
struct SharedManifest: Sendable, Hashable {
    let session: String
    let exchanges: Int
    /// Whether secrets were masked before it was pushed; whoever pulls it masks it all the same.
    let isMasked: Bool
    let files: [SharedFile]

    init(session: String, exchanges: Int, isMasked: Bool, files: [SharedFile]) {
        (self.session, self.exchanges) = (session, exchanges)
        (self.isMasked, self.files) = (isMasked, files)
    }

    /// Reads an object, which anybody who may write to the bucket can have made.
    init(_ bytes: [UInt8]) throws(ObjectStoreError) {
        guard let json = try? JSON(parsing: bytes), json["apusSession"].int == 1,
            let session = json["name"].string, !session.isEmpty
        else {
            throw ObjectStoreError(
                "this is not a session that this version of apus can read: a newer apus may have pushed it"
            )
        }
        var files: [SharedFile] = []
        for file in json["files"].elements {
            guard let name = file["name"].string, !name.isEmpty, name.utf8.count <= 255,
                !name.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }), name != ".",
                name != "..", let size = file["size"].int, size >= 0,
                let digest = file["sha256"].string, digest.utf8.count == 64,
                digest.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else {
                throw ObjectStoreError("the session “\(session)” names a file that it cannot have")
            }
            files.append(SharedFile(name: name, size: size, digest: digest))
        }
        guard Set(files.map(\.name)).count == files.count else {
            throw ObjectStoreError("the session “\(session)” names a file twice")
        }
        self.init(
            session: session,
            exchanges: json["exchanges"].int ?? 0,
            isMasked: json["masked"].bool ?? false,
            files: files
        )
    }

    func bytes() throws -> [UInt8] {
        try JSON(members: [
            ("apusSession", 1), ("name", JSON(session)), ("exchanges", JSON(exchanges)),
            ("masked", JSON(isMasked)),
            (
                "files",
                JSON(
                    files.map {
                        JSON(members: [
                            ("name", JSON($0.name)), ("size", JSON($0.size)),
                            ("sha256", JSON($0.digest)),
                        ])
                    }
                )
            ),
        ]).bytes()
    }
}
