import FoundationEssentials
import Interchange
import TestSupport
import Testing

/// What hurl files have beside plain entries.
struct HurlDialectTests {
    private static func text(_ source: String) throws -> String {
        try ImportedFile(ImportSource(path: "requests.hurl", bytes: Array(source.utf8))).text
    }

    @Test("a comment in an entry does not name the next one")
    func comments() throws {
        let text = try Self.text(
            """
            # The first
            GET https://a.test/1 # at its end
            HTTP 200 # as it should
            [Asserts]
            # in the assertions
            status == 200

            # The second
            GET https://a.test/2
            """
        )
        #expect(text.contains("The first:\n"))
        #expect(text.contains("The second: GET https://a.test/2") || text.contains("The second:\n"))
        for remark in ["at its end", "as it should", "in the assertions"] {
            #expect(text.contains(remark))
        }
    }

    @Test(
        "bodies",
        arguments: [
            ("```escape\na\\tb\n```", "a\\tb"), ("```novariable\n{{x}}\n```", "\\{{x}}"),
            ("true", "json: true"), ("12", "json: 12"), ("hex,c3a9;", "body: é"),
            ("base64,w6k=; # e", "body: é"), ("file,a.bin;", "upload: a.bin"),
        ]
    )
    func bodies(_ body: String, _ expected: String) throws {
        #expect(try Self.text("POST https://a.test/\n\(body)\n").contains(expected))
    }

    @Test(
        "filters in templates",
        arguments: [
            ("{{a urlEncode}}", "{{ a | url }}"), ("{{a base64Encode}}", "{{ a | base64 }}"),
            ("{{newUuid}}", "{{ uuid }}"), ("{{getEnv \"HOME\"}}", "{{ env('HOME') }}"),
        ]
    )
    func filters(_ template: String, _ expected: String) throws {
        #expect(try Self.text("GET https://a.test/\nX-A: \(template)\n").contains(expected))
    }

    @Test("a filter that templates do not have is listed")
    func unknownFilter() throws {
        let text = try Self.text("GET https://a.test/\nX-A: {{a toDate \"%Y\"}}\n")
        #expect(text.contains("Not carried over: a filter."))
        #expect(text.contains("{{a toDate"))
    }

    @Test("options of a request")
    func options() throws {
        let text = try Self.text(
            """
            GET https://a.test/
            [Options]
            user: ada:x
            ntlm: true
            header: X-B: c
            user-agent: tests
            retry: 0
            insecure: false
            """
        )
        #expect(text.contains("ntlm: { user: ada, password: x }"))
        #expect(text.contains("X-B: c"))
        #expect(text.contains("User-Agent: tests"))
        #expect(text.contains("retry: 0"))
        #expect(!text.contains("insecure"))
    }

    @Test("of a file with variables beside it, those are taken that the entries use")
    func variables() throws {
        let folder = TemporaryFolder()
        try "host=https://a.test\nAWS_SECRET=zzzz1234\n".write(
            toFile: "\(folder.path)/.env",
            atomically: false,
            encoding: .utf8
        )
        let source = ImportSource(
            path: "\(folder.path)/a.hurl",
            bytes: Array("GET {{host}}/1\nHTTP 200\n".utf8)
        )
        let text = try ImportedFile(source).text
        #expect(text.contains("host: https://a.test"))
        #expect(!text.contains("AWS_SECRET") && !text.contains("zzzz1234"))
    }
}
