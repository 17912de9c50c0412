import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Workspaces

/// Objects in a bucket of S3, or of a server with its protocol, by signed requests of the engine.
///
/// Source: Amazon S3 API Reference, version 2006-03-01.
struct ObjectStore: Sendable {
    /// An object in a list.
    struct Listed: Sendable, Hashable {
        let key: String
        let size: Int
        /// When it was last written, in ISO 8601.
        let modified: String
    }

    let address: ObjectStoreAddress
    private let region: String
    private let provider: AnyProvider
    /// The server, whose requests alone are signed.
    private let server: EnvironmentStore

    /// Finds the credentials and the region as AWS's own tools do; nothing is sent.
    ///
    /// - Throws: `ApusError` that says what is missing.
    init(_ address: ObjectStoreAddress, chain: AWSCredentialChain = .process) throws(ApusError) {
        self.address = address
        // A server that is not AWS's has a region only in name.
        region = try chain.region(or: address.endpoint == nil ? nil : "us-east-1")
        let signer = AWSRequestSigner(service: "s3", region: region, chain: chain)
        let url = address.url(region: region)
        guard let base = URL(string: url) else {
            throw ApusError(.invalidRequest(.url(url)))
        }
        server = EnvironmentStore(TargetEnvironment("s3", baseURL: base))
        var retries = RetryPolicy(limit: 4)
        // What is put has the name of its content, so that to repeat it changes nothing. Where a repeat fails because
        // the first attempt succeeded (If-None-Match, the completion of an upload), the caller looks what is there.
        retries.methods.formUnion([.put, .post])
        provider = AnyProvider(
            transport: CurlTransport(),
            cache: .none,
            headerFields: [:],
            interceptors: [retries, signer]
        )
    }

    // MARK: Objects

    /// The size of an object; nil if there is none.
    func size(of key: String) async throws -> Int? {
        let response = try await send(.head, key)
        if response.status == 404 { return nil }
        try check(response, key)
        return response.head.headerFields[.contentLength].flatMap { Int($0) }
    }

    /// The bytes of an object; nil if there is none.
    func bytes(of key: String, atMost limit: Int) async throws -> [UInt8]? {
        let response = try await send(.get, key) { $0.options.maximumBodySize = limit }
        if response.status == 404, Self.document(response)["Error"]["Code"].string == "NoSuchKey" {
            return nil
        }
        try check(response, key)
        return try response.body.load()
    }

    /// Writes an object to a file, which is there only once it is whole.
    func download(_ key: String, of size: Int, to path: String) async throws {
        let response = try await send(
            .get,
            key,
            task: .download(
                to: DownloadDestination(path: path, replacesExisting: true),
                sending: .plain
            )
        ) { target in
            target.options.maximumBodySize = size
            target.validation = .successCodes
        }
        try check(response, key)
    }

    /// Makes an object; one that is there already is left as it is if it must be new.
    ///
    /// - Returns: Whether the object was made.
    /// - Throws: ``ObjectStoreError`` for what the server refuses, `ApusError`, `CancellationError`.
    @discardableResult func put(_ key: String, _ task: RequestTask, isNew: Bool = false)
        async throws
        -> Bool
    {
        let response = try await send(.put, key, task: task) { target in
            guard isNew, let name = HTTPField.Name("If-None-Match") else { return }
            target.headerFields[name] = "*"
        }
        if isNew, response.status == 412 { return false }
        try check(response, key)
        return true
    }

    /// The objects whose keys begin with a text, in the order of their keys.
    func list(_ prefix: String) async throws -> [Listed] {
        var found: [Listed] = []
        var token: String?
        repeat {
            var query = [("list-type", "2"), ("prefix", prefix), ("encoding-type", "url")]
            if let token { query.append(("continuation-token", token)) }
            let response = try await send(.get, "", query: query)
            try check(response, prefix)
            let result = Self.root(of: response)
            for object in Self.all("Contents", of: result) {
                guard let key = object["Key"].string, let size = object["Size"].string else {
                    continue
                }
                found.append(
                    Listed(
                        key: PercentEncoding.decoded(key) ?? key,
                        size: Int(size) ?? 0,
                        modified: object["LastModified"].string ?? ""
                    )
                )
            }
            token =
                result["IsTruncated"].string == "true"
                ? result["NextContinuationToken"].string : nil
            try Task.checkCancellation()
        } while token != nil
        return found
    }

    // MARK: Requests

    func send(
        _ method: HTTPRequest.Method,
        _ key: String,
        query: [(name: String, value: String)] = [],
        task: RequestTask = .plain,
        _ change: (inout QuickTarget) -> Void = { _ in }
    ) async throws -> Response {
        let parameters = query.map { "\($0)=\(PercentEncoding.component($1))" }
        let url = address.url(key, region: region)
        var target = QuickTarget(
            method,
            parameters.isEmpty ? url : "\(url)?\(parameters.joined(separator: "&"))",
            task: task,
            environments: server
        )
        target.options.maximumRedirects = 0
        target.options.timeout = .seconds(600)
        target.options.decodesContent = false
        change(&target)
        return try await provider.response(for: target)
    }

    /// Throws what the server says is wrong.
    func check(_ response: Response, _ key: String) throws(ObjectStoreError) {
        let error = Self.document(response)["Error"]
        // A copy or a completion can fail after its status was sent.
        guard !(200..<300).contains(response.status) || error.exists else { return }
        let code = error["Code"].string
        let bucket = "the bucket “\(address.bucket)”"
        let words =
            switch code {
            case "NoSuchBucket": "there is no bucket “\(address.bucket)”"
            case "AccessDenied": "these credentials may not do that in \(bucket)"
            case "InvalidAccessKeyId": "the server does not know the access key"
            case "SignatureDoesNotMatch":
                "the server refuses the signature: is the secret key the right one?"
            case "RequestTimeTooSkewed": "this machine's clock is off by more than 15 minutes"
            case "PermanentRedirect", "AuthorizationHeaderMalformed":
                "\(bucket) is in another region than “\(region)”: set AWS_REGION"
            case .some(let code): "\(code): \(error["Message"].string ?? "no message")"
            case nil where response.status == 404: "there is no such object"
            case nil where response.status == 403: "these credentials may not do that in \(bucket)"
            case nil: "the server responded with status \(response.status)"
            }
        throw ObjectStoreError("\(address.text): \(words)", code: code)
    }

    /// The XML of a response; a missing value if it has none.
    static func document(_ response: Response) -> JSON {
        guard response.mediaType?.hasSuffix("xml") == true,
            let body = try? response.body.load()
        else { return JSON.null["none"] }
        // Blanks keep the connection open while parts are put together; in front of a declaration XML allows none.
        let bytes = Array(body.drop { $0 == 0x20 || (0x09...0x0D).contains($0) })
        guard !bytes.isEmpty else { return JSON.null["none"] }
        return JSON(document: FormattedDocument.opening(DocumentBytes(bytes), as: .xml).document)
    }

    /// The outermost element, whose name servers do not agree on.
    static func root(of response: Response) -> JSON {
        document(response).members.first { !$0.key.hasPrefix("?") }?.value ?? JSON.null["none"]
    }

    /// The children of a name, however many there are.
    static func all(_ name: String, of element: JSON) -> [JSON] {
        let child = element[name]
        return child.array ?? (child.exists ? [child] : [])
    }
}
