import Apus
import Documents
import Glibc
import HTTPTypes

/// Writes a large file in parts, and goes on where an earlier upload of it ended.
///
/// The key is the digest of the content, so that parts that are there are parts of the same file.
struct MultipartUpload: Sendable {
    /// Files above this many bytes are sent in parts, which have this size but for the last one.
    static let partSize = 16 << 20
    /// How many parts are sent at once; each is held in memory.
    private static let concurrency = 4

    let store: ObjectStore
    let key: String
    let path: String
    let size: Int

    /// - Returns: the number of bytes that were sent; the others were there.
    func run() async throws -> Int {
        let (upload, present) = try await begin()
        let missing = (1...partCount).filter { present[$0] == nil }
        do {
            let sent = try await forEach(missing, atMost: Self.concurrency) { number in
                (number, try await put(number, of: upload))
            }
            let tags = sent.reduce(into: present) { $0[$1.0] = $1.1 }
            try await complete(upload, tags)
        } catch let error as ObjectStoreError {
            // An upload is gone once it is complete. Whoever completed it, this request of which the response was lost
            // or another program, the object has the content that its key names.
            guard error.code == "NoSuchUpload", try await store.size(of: key) == size else {
                throw error
            }
        }
        return missing.reduce(0) { $0 + length(of: $1) }
    }

    private var partCount: Int { (size + Self.partSize - 1) / Self.partSize }

    private func length(of part: Int) -> Int {
        min(Self.partSize, size - (part - 1) * Self.partSize)
    }

    /// The upload that was begun before, with the tags of its parts; or a new one.
    private func begin() async throws -> (upload: String, tags: [Int: String]) {
        let listed = try await store.send(.get, "", query: [("uploads", ""), ("prefix", key)])
        // Servers that cannot list uploads begin anew each time.
        let uploads = ObjectStore.all(
            "Upload",
            of: ObjectStore.root(of: listed)
        )
        if let upload = uploads.last(where: { $0["Key"].string == key })?["UploadId"].string,
            let tags = try await tags(of: upload)
        {
            return (upload, tags)
        }
        let response = try await store.send(.post, key, query: [("uploads", "")])
        try store.check(response, key)
        let result = ObjectStore.root(of: response)
        guard let upload = result["UploadId"].string else {
            throw ObjectStoreError("\(store.address.text): the server began no upload")
        }
        return (upload, [:])
    }

    /// The tags of the parts that are there, by their numbers; nil if the upload is gone.
    private func tags(of upload: String) async throws -> [Int: String]? {
        var tags: [Int: String] = [:]
        var marker: String? = "0"
        while let after = marker {
            let response = try await store.send(
                .get,
                key,
                query: [("uploadId", upload), ("part-number-marker", after)]
            )
            guard response.status == 200 else { return nil }
            let result = ObjectStore.root(of: response)
            for part in ObjectStore.all("Part", of: result) {
                guard let number = part["PartNumber"].string.flatMap({ Int($0) }),
                    (1...partCount).contains(number),
                    part["Size"].string == String(length(of: number)),
                    let tag = part["ETag"].string
                else { continue }
                tags[number] = tag.replacing("&quot;", with: "\"")
            }
            let isTruncated = result["IsTruncated"].string == "true"
            let next = result["NextPartNumberMarker"].string
            marker = isTruncated && next != after ? next : nil
        }
        return tags
    }

    /// Sends a part; returns its tag.
    private func put(_ number: Int, of upload: String) async throws -> String {
        let bytes = try read(number)
        let response = try await store.send(
            .put,
            key,
            query: [("partNumber", String(number)), ("uploadId", upload)],
            task: .data(bytes)
        )
        try store.check(response, key)
        guard let tag = response.head.headerFields[.eTag] else {
            throw ObjectStoreError("\(store.address.text): the server gave a part no ETag")
        }
        return tag
    }

    private func read(_ number: Int) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
        defer { close(descriptor) }
        let (offset, length) = ((number - 1) * Self.partSize, length(of: number))
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            while count < length {
                let got = pread(
                    descriptor,
                    buffer.baseAddress.map { $0 + count },
                    length - count,
                    offset + count
                )
                if got < 0, errno == EINTR { continue }
                if got <= 0 {
                    failure = got < 0 ? errno : EIO
                    return
                }
                count += got
            }
        }
        guard failure == 0 else { throw ApusError(.file(path: path, errno: failure)) }
        return bytes
    }

    private func complete(_ upload: String, _ tags: [Int: String]) async throws {
        let parts = tags.sorted { $0.key < $1.key }.map { number, tag in
            let tag = tag.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return "<Part><PartNumber>\(number)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let document = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let response = try await store.send(
            .post,
            key,
            query: [("uploadId", upload)],
            task: .data(Array(document.utf8), type: "application/xml")
        )
        try store.check(response, key)
        // The status is sent before the parts are put together, so that only this says that they were.
        guard ObjectStore.root(of: response)["ETag"].exists else {
            throw ObjectStoreError(
                "\(store.address.text): the server did not say that it completed the upload; push again"
            )
        }
    }
}

/// Does work for each value, so many at a time, and gives the results in the order in which they end.
///
/// - Throws: the first error; the others are cancelled.
func forEach<Value: Sendable, Result: Sendable>(
    _ values: some Sequence<Value>,
    atMost limit: Int,
    _ work: @escaping @Sendable (Value) async throws -> Result
) async throws -> [Result] {
    try await withThrowingTaskGroup(of: Result.self) { group in
        var results: [Result] = []
        var running = 0
        for value in values {
            if running == limit, let result = try await group.next() {
                results.append(result)
                running -= 1
            }
            group.addTask { try await work(value) }
            running += 1
        }
        while let result = try await group.next() { results.append(result) }
        return results
    }
}
