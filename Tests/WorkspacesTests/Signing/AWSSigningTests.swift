import Apus
import FoundationEssentials
import HTTPTypes
import Secrets
import Synchronization
import TestSupport
import Testing

@testable import Workspaces

@Suite("AWS signatures, as a workspace says them")
struct AWSSigningTests {
    /// Keeps what would be sent.
    final class Catcher: Transport {
        let caught = Mutex<PreparedRequest?>(nil)

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            caught.withLock { $0 = request }
            throw ApusError(.cancelled)
        }
    }

    private static let keys =
        "accessKey: AKIDEXAMPLE, secretKey: { env: AWS_SECRET }, region: us-east-1"

    /// The request that is sent for a target, or why none is.
    private static func sent(
        _ target: String,
        environment: [String: String] = [:],
        home: String = "/nowhere",
        at date: Date = Date(timeIntervalSince1970: 1_440_938_160)
    ) async throws -> PreparedRequest {
        let workspace = try Workspace.make(
            "targets: { A: \(target) }",
            environmentVariables: ["AWS_SECRET": "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"]
        )
        let catcher = Catcher()
        let signer = RequestSigner(
            signIns: SignIns(prompt: .none("")),
            aws: AWSCredentialChain(home: home) { environment[$0] },
            now: { date }
        )
        let provider = Provider<MultiTarget>(
            transport: catcher,
            headerFields: [:],
            interceptors: [signer]
        )
        do {
            _ = try await provider.response(for: workspace.sent("A"))
        } catch let error as ApusError where error.reason != .cancelled {
            throw error
        } catch is ApusError {}
        let caught = catcher.caught.withLock { $0 }
        return try #require(caught)
    }

    private static func signature(_ request: PreparedRequest) -> String? {
        request.head.headerFields[.authorization]?.split(separator: "Signature=").last
            .map(String.init)
    }

    /// AWS's test suite of Signature Version 4, 30 August 2015.
    @Test(
        "AWS's published vectors",
        arguments: [
            (
                "GET https://example.amazonaws.com/", "",
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
            ),
            (
                "GET https://example.amazonaws.com/", ", query: { Param2: value2, Param1: value1 }",
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
            ),
            (
                "POST https://example.amazonaws.com/", "",
                "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
            ),
        ]
    )
    func vectors(request: String, more: String, signature: String) async throws {
        let sent = try await Self.sent(
            "{ request: '\(request)'\(more), auth: { aws: { service: service, \(Self.keys) } } }"
        )
        #expect(Self.signature(sent) == signature)
        #expect(sent.mask.masking(text: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY") == "••••••")
    }

    /// The example of S3's reference, 24 May 2013, in whose key the `+` is a `/`.
    @Test("an object of S3, with its digest in a field")
    func s3() async throws {
        let sent = try await Self.sent(
            """
            { request: 'GET https://examplebucket.s3.amazonaws.com/test.txt', headers: { Range: bytes=0-9 },
              auth: { aws: { service: s3 } } }
            """,
            environment: [
                "AWS_ACCESS_KEY_ID": "AKIAIOSFODNN7EXAMPLE",
                "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                "AWS_REGION": "us-east-1",
            ],
            at: Date(timeIntervalSince1970: 1_369_353_600)
        )
        #expect(
            Self.signature(sent)
                == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
    }

    private static let environmentKeys = [
        "AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "e", "AWS_SESSION_TOKEN": "t0ken-e",
    ]

    /// A home folder with profiles.
    private static func home() throws -> TemporaryFolder {
        let home = TemporaryFolder(".aws")
        try """
        # comment
        [default]
        aws_access_key_id = DEFAULT
        aws_secret_access_key = d

        [work]
        aws_access_key_id=WORK
        aws_secret_access_key=w
        aws_session_token=t0ken-w
        """.write(toFile: "\(home.path)/.aws/credentials", atomically: true, encoding: .utf8)
        try """
        [default]
        region = eu-west-1
        s3 =
          region = nested
        [profile work]
        region = eu-central-1
        [profile configured]
        aws_access_key_id = CONFIGURED
        aws_secret_access_key = c
        region = eu-north-1
        [profile asked]
        region = eu-south-1
        credential_process = echo '{"Version":1,"AccessKeyId":"ASKED","SecretAccessKey":"a","SessionToken":"t0ken-a"}'
        [profile broken]
        region = eu-south-1
        credential_process = echo nothing
        [profile sso]
        sso_session = x
        [sso-session x]
        region = us-east-2
        """.write(toFile: "\(home.path)/.aws/config", atomically: true, encoding: .utf8)
        return home
    }

    struct Example: Sendable {
        let aws: String
        var environment: [String: String] = [:]
        let key: String
        let region: String
        var token: String?
    }

    @Test(
        "keys and regions come from where AWS documents, in that order",
        arguments: [
            Example(aws: "", key: "DEFAULT", region: "eu-west-1"),
            Example(
                aws: "",
                environment: environmentKeys,
                key: "ENV",
                region: "eu-west-1",
                token: "t0ken-e"
            ),
            Example(
                aws: ", profile: work",
                environment: environmentKeys,
                key: "WORK",
                region: "eu-central-1",
                token: "t0ken-w"
            ),
            Example(
                aws: ", \(keys)",
                environment: environmentKeys,
                key: "AKIDEXAMPLE",
                region: "us-east-1"
            ),
            Example(
                aws: "",
                environment: ["AWS_PROFILE": "configured"],
                key: "CONFIGURED",
                region: "eu-north-1"
            ),
            Example(
                aws: ", region: ap-east-1",
                environment: ["AWS_REGION": "x", "AWS_ACCESS_KEY_ID": ""],
                key: "DEFAULT",
                region: "ap-east-1"
            ),
            Example(
                aws: "",
                environment: ["AWS_REGION": "r1", "AWS_DEFAULT_REGION": "r2"],
                key: "DEFAULT",
                region: "r1"
            ),
            Example(
                aws: ", profile: asked",
                key: "ASKED",
                region: "eu-south-1",
                token: "t0ken-a"
            ),
        ]
    )
    func chain(_ example: Example) async throws {
        let home = try Self.home()
        let sent = try await Self.sent(
            "{ request: 'GET https://h.test/', auth: { aws: { service: s\(example.aws) } } }",
            environment: example.environment,
            home: home.path
        )
        let field = try #require(sent.head.headerFields[.authorization])
        #expect(field.contains("Credential=\(example.key)/20150830/\(example.region)/s/"))
        let name = try #require(HTTPField.Name("X-Amz-Security-Token"))
        #expect(sent.head.headerFields[name] == example.token)
        if let token = example.token { #expect(sent.mask.masking(text: token) == "••••••") }
    }

    @Test(
        "what is missing is named",
        arguments: [
            (", profile: nobody", "there is no profile “nobody”"),
            (", profile: sso, region: r", "by `sso_session`, which only AWS's own tools do"),
            (", profile: broken", "printed no credentials in AWS's form"),
        ]
    )
    func missing(aws: String, words: String) async throws {
        let home = try Self.home()
        let error = await #expect(throws: ApusError.self) {
            try await Self.sent(
                "{ request: 'GET https://h.test/', auth: { aws: { service: s\(aws) } } }",
                home: home.path
            )
        }
        #expect(error?.code == 1407)
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test("without any credentials, and without a region")
    func nothing() async throws {
        let target = "{ request: 'GET https://h.test/', auth: { aws: { service: s } } }"
        let none = await #expect(throws: ApusError.self) { try await Self.sent(target) }
        #expect(none?.description.contains("there are no credentials") == true)
        let place = await #expect(throws: ApusError.self) {
            try await Self.sent(target, environment: Self.environmentKeys)
        }
        #expect(place?.description.contains("there is no region") == true)
    }
}
