import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("AWS Signature Version 4")
struct AWSSignatureV4Tests {
    /// The key of the examples for S3 ("Signature Calculations for the
    /// Authorization Header", Amazon S3 API reference).
    private static let credentials = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )
    private static let day = Date(timeIntervalSince1970: 1_369_353_600)  // 2013-05-24
    private static let bucket = "examplebucket.s3.amazonaws.com"
    private static let s3 = AWSSigner(region: "us-east-1", service: "s3")

    private static func make(
        _ method: HTTPRequest.Method = .get,
        _ path: String = "/",
        _ fields: [String: String] = [:],
        host: String = bucket,
        body: PreparedRequest.Body = .none
    ) -> PreparedRequest {
        var headerFields = HTTPFields()
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { headerFields[name] = value }
        }
        return .make(method, scheme: "https", host, path, fields: headerFields, body: body)
    }

    private static func signature(_ request: PreparedRequest) -> Substring? {
        request.head.headerFields[.authorization]?.split(separator: "Signature=").last
    }

    struct Example: Sendable {
        let request: PreparedRequest
        let fields: String
        let signature: String
    }

    static let examples = [
        Example(
            request: make(.get, "/test.txt", ["Range": "bytes=0-9"]),
            fields: "host;range;x-amz-content-sha256;x-amz-date",
            signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        ),
        Example(
            request: make(
                .put,
                "/test$file.text",
                [
                    "Date": "Fri, 24 May 2013 00:00:00 GMT",
                    "X-Amz-Storage-Class": "REDUCED_REDUNDANCY",
                ],
                body: .bytes(Array("Welcome to Amazon S3.".utf8))
            ),
            fields: "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
            signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        ),
        Example(
            request: make(.get, "/?lifecycle"),
            fields: "host;x-amz-content-sha256;x-amz-date",
            signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        ),
        Example(
            request: make(.get, "/?prefix=J&max-keys=2"),
            fields: "host;x-amz-content-sha256;x-amz-date",
            signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        ),
    ]

    @Test("the examples of the S3 reference come out as printed", arguments: examples.indices)
    func examplesOfS3(index: Int) async throws {
        let example = Self.examples[index]
        let signed = try await Self.s3.signing(example.request, by: Self.credentials, at: Self.day)
        let value = try #require(signed.head.headerFields[.authorization])
        #expect(value.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/"))
        #expect(value.contains("SignedHeaders=\(example.fields),"))
        #expect(Self.signature(signed).map(String.init) == example.signature)
    }

    @Test("the presigned example of the S3 reference comes out as printed")
    func presigned() async throws {
        let url = try await Self.s3.presigning(
            Self.make(.get, "/test.txt"),
            by: Self.credentials,
            at: Self.day,
            expires: .seconds(86_400)
        ).url
        #expect(
            url == "https://\(Self.bucket)/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature="
                + "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        )
    }

    @Test("the example of the IAM guide comes out as printed")
    func iam() async throws {
        let signed = try await AWSSigner(region: "us-east-1", service: "iam").signing(
            Self.make(
                .get,
                "/?Action=ListUsers&Version=2010-05-08",
                ["Content-Type": "application/x-www-form-urlencoded; charset=utf-8"],
                host: "iam.amazonaws.com"
            ),
            by: AWSCredentials(
                accessKeyID: "AKIDEXAMPLE",
                secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
            ),
            at: Date(timeIntervalSince1970: 1_440_938_160)  // 2015-08-30 12:36:00
        )
        #expect(
            Self.signature(signed)
                == "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"
        )
    }

    @Test("openssl derives the same signature")
    func openssl() async throws {
        let request = Self.make(
            .post,
            "/a b/../%2e/ü?z=1&a=%20&a=+",
            ["X-Amz-Target": "  two   words "],
            host: "dynamodb.eu-central-1.amazonaws.com:443",
            body: .bytes(Array("{}".utf8))
        )
        let signer = AWSSigner(region: "eu-central-1", service: "dynamodb")
        let signed = try await signer.signing(request, by: Self.credentials, at: Self.day)
        let scope = AWSScope(at: Self.day, region: signer.region, service: signer.service)
        var bare = signed.head
        bare.headerFields[.authorization] = nil
        let canonical = AWSCanonicalRequest(
            bare,
            service: "dynamodb",
            payloadHash: ContentDigest.hex(of: "{}")
        )
        let folder = Temporary.folder()
        try Temporary.write(
            scope.textToSign(canonicalRequest: canonical.text),
            to: folder + "/text"
        )
        try Shell.run(
            """
            cd '\(folder)'
            sign() { openssl dgst -sha256 -mac HMAC -macopt "$1" | sed 's/.* //'; }
            key=$(printf 20130524 | sign "key:AWS4\(Self.credentials.secretAccessKey.value)")
            key=$(printf eu-central-1 | sign "hexkey:$key")
            key=$(printf dynamodb | sign "hexkey:$key")
            key=$(printf aws4_request | sign "hexkey:$key")
            sign "hexkey:$key" <text | tr -d '\\n' >signature
            """
        )
        let expected = String(decoding: try FileBytes.read(folder + "/signature"), as: UTF8.self)
        #expect(expected.count == 64)
        #expect(Self.signature(signed).map(String.init) == expected)
        // The rules of the form: host without its port, one space, sorted, escaped twice.
        #expect(canonical.text.contains("\nhost:dynamodb.eu-central-1.amazonaws.com\n"))
        #expect(canonical.text.contains("\nx-amz-target:two words\n"))
        #expect(canonical.text.contains("\na=%20&a=%2B&z=1\n"))
    }

    @Test(
        "S3 takes a path as it is, other services tidy and escape it again",
        arguments: [
            ("s3", "/a//b/../c%20d", "/a//b/../c%20d"),
            ("s3", "/a+(1)", "/a%2B%281%29"),
            ("sqs", "/a//b/../c%20d", "/a/c%2520d"),
            ("sqs", "/a/./b/", "/a/b/"),
            ("sqs", "/..", "/"),
        ]
    )
    func paths(service: String, path: String, canonical: String) {
        let request = AWSCanonicalRequest(
            Self.make(.get, path).head,
            service: service,
            payloadHash: ""
        )
        #expect(request.text.split(separator: "\n")[1] == canonical)
    }

    @Test("temporary credentials bring their token, and it is signed")
    func sessionToken() async throws {
        var credentials = Self.credentials
        credentials.sessionToken = "session"
        let signed = try await Self.s3.signing(Self.make(), by: credentials, at: Self.day)
        let name = try #require(HTTPField.Name("X-Amz-Security-Token"))
        #expect(signed.head.headerFields[name] == "session")
        #expect(
            signed.head.headerFields[.authorization]?
                .contains("x-amz-date;x-amz-security-token,") == true
        )
    }

    @Test("every part that is signed changes the signature, and no other does")
    func properties() async throws {
        func signature(_ request: PreparedRequest) async throws -> Substring? {
            Self.signature(try await Self.s3.signing(request, by: Self.credentials, at: Self.day))
        }
        let base = try await signature(Self.make(.put, "/a?b=1", body: .bytes([1])))
        for other in [
            Self.make(.post, "/a?b=1", body: .bytes([1])),
            Self.make(.put, "/b?b=1", body: .bytes([1])),
            Self.make(.put, "/a?b=2", body: .bytes([1])),
            Self.make(.put, "/a?b=1", body: .bytes([2])),
            Self.make(.put, "/a?b=1", ["Range": "bytes=0-1"], body: .bytes([1])),
        ] {
            #expect(try await signature(other) != base)
        }
        let proxied = Self.make(
            .put,
            "/a?b=1",
            ["User-Agent": "x", "Expect": "y"],
            body: .bytes([1])
        )
        #expect(try await signature(proxied) == base)
    }

    @Test("signing again replaces the old signature")
    func again() async throws {
        let once = try await Self.s3.signing(Self.make(), by: Self.credentials, at: Self.day)
        let twice = try await Self.s3.signing(once, by: Self.credentials, at: Self.day)
        #expect(twice == once)
    }

    @Test("a file is signed by its bytes; a stream and a missing file are errors")
    func bodies() async throws {
        let path = Temporary.folder() + "/body"
        try Temporary.write("Welcome to Amazon S3.", to: path)
        let hash = try await AWSPayload.hash(of: .file(path: path))
        #expect(hash == "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        await #expect(throws: ApusError.self) {
            try await AWSPayload.hash(of: .file(path: path + "2"))
        }
        let stream = BodyStream(count: 1, again: { AsyncStream<[UInt8]> { $0.finish() } })
        let form = MultipartForm([.stream("a", stream)])
        let error = await #expect(throws: ApusError.self) {
            try await Self.s3.signing(
                Self.make(.put, body: .multipart(form)),
                by: Self.credentials,
                at: Self.day
            )
        }
        #expect(error?.code == 1407)
        let unsigned = AWSSigner(region: "us-east-1", service: "s3", payload: .unsigned)
        let signed = try await unsigned.signing(
            Self.make(.put, body: .multipart(form)),
            by: Self.credentials,
            at: Self.day
        )
        let name = try #require(HTTPField.Name("X-Amz-Content-Sha256"))
        #expect(signed.head.headerFields[name] == "UNSIGNED-PAYLOAD")
    }

    @Test("a URL is valid for a second to seven days", arguments: [0, 604_801])
    func lifetimes(seconds: Int) async {
        let error = await #expect(throws: ApusError.self) {
            try await Self.s3.presigning(
                Self.make(),
                by: Self.credentials,
                at: Self.day,
                expires: .seconds(seconds)
            )
        }
        #expect(error?.code == 1407)
    }

    @Test("the interceptor signs each attempt by the time it is sent")
    func interceptor() async throws {
        let transport = ScriptedTransport.answering("ok")
        let repeating = TestInterceptor { request, _, next in
            _ = try await next(request)
            return try await next(request)
        }
        let clock = ManualClock()
        let signing = AWSSignatureV4(
            Self.s3,
            now: { Self.day.addingTimeInterval(clock.now.offset / .seconds(1)) },
            credentials: { _ in
                defer { clock.advance(by: .seconds(60)) }
                return Self.credentials
            }
        )
        let provider = Provider.make(transport, interceptors: [repeating, signing])
        _ = try await provider.response(for: TestTarget())
        let name = try #require(HTTPField.Name("X-Amz-Date"))
        #expect(transport.received.count == 2)
        let dates = transport.received.map { $0.head.headerFields[name] }
        #expect(dates == ["20130524T000100Z", "20130524T000200Z"])
    }
}
