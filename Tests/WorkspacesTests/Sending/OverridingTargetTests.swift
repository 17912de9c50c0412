import Apus
import FoundationEssentials
import HTTPTypes
import Testing
import Workspaces

/// What one call overrides of a target.
@Suite("overriding a target")
struct OverridingTargetTests {
    private func target(_ text: String) throws -> OverridingTarget {
        OverridingTarget(
            try Workspace.make(
                """
                environments: { local: { baseURL: "http://a/v1" } }
                targets: { Own: \(text) }
                """
            ).sent("Own")
        )
    }

    @Test("nothing is lost of a target that nothing overrides")
    func same() throws {
        let own = try target("{ request: PUT /b, headers: { A: b }, json: [1], timeout: 3 s }")
        let (before, now) = (try Endpoint(own.wrapped).request, try Endpoint(own).request)
        #expect(before.head == now.head && before.body == now.body)
        #expect(before.options == now.options)
    }

    @Test("fields replace those of the same name; without a value they are left out")
    func fields() throws {
        var own = try target(
            "{ request: GET /, headers: { A: b, C: d }, auth: { basic: { user: a, password: b } } }"
        )
        let a = try #require(HTTPField.Name("A"))
        own.override(
            FieldOverrides([
                (a, HTTPField(name: a, value: "1")), (a, HTTPField(name: a, value: "2")),
                (.authorization, nil), (.accept, nil),
            ])
        )
        let fields = try Endpoint(own).request.head.headerFields
        #expect(fields.map { "\($0.name): \($0.value)" } == ["C: d", "A: 1", "A: 2"])
        #expect(own.options.omittedFields == [.authorization, .accept])
        #expect(own.options.credentials == nil)
    }

    @Test("a user, a User-Agent and cookies take the place of the target's")
    func shorthands() throws {
        var own = try target("{ request: GET /, headers: { User-Agent: own, Authorization: own } }")
        own.authorize(by: "ada:b:c")
        own.setUserAgent(HTTPField(name: .userAgent, value: "new"))
        #expect(own.headerFields[.authorization] == "Basic YWRhOmI6Yw==")
        #expect(own.headerFields[values: .userAgent] == ["new"])
        own.setUserAgent(nil)
        #expect(own.headerFields[.userAgent] == nil)
        #expect(own.options.omittedFields == [.userAgent])
        own.useCookies(in: CookieJar())
        #expect(own.options.sendsCookies && own.options.cookieJar != nil)
        own.options.maximumRedirects = 0
        own.followRedirects()
        #expect(own.options.maximumRedirects == TransportOptions().maximumRedirects)
        own.options.maximumRedirects = 3
        own.followRedirects()
        #expect(own.options.maximumRedirects == 3)
    }

    @Test("a query is added to the target's own, and a base takes the place of its server")
    func address() throws {
        var own = try target(#""GET /b?c=d""#)
        own.addedQuery = "e=f"
        own.movedBase = URL(string: "http://other/v2")
        #expect(try Endpoint(own).request.url == "http://other/v2/b?c=d&e=f")
        own.addedQuery = ""
        #expect(try Endpoint(own).request.url == "http://other/v2/b?c=d")
    }
}
