import Apus
import Testing
import Workspaces

@Suite("Cookies of a workspace")
struct CookieSettingTests {
    private static let text = """
        environments: { a: { baseURL: "http://h" }, b: { baseURL: "http://h", cookies: none } }
        targets:
          Plain: GET /plain
          Without: { request: GET /without, cookies: none }
          With: { request: GET /with, cookies: environment }
        batches: { All: [Plain, Without] }
        chains: { One: [{ step: plain, target: Plain }] }
        """

    @Test("requests of an environment have its jar, unless cookies are switched off")
    func jars() throws {
        let jars = CookieJars()
        let workspace = try Workspace.make(Self.text).keeping(cookiesIn: jars)
        let plain = try workspace.sent("Plain").options
        #expect(plain.cookieJar == jars.jar(for: "a") && plain.sendsCookies)
        let without = try workspace.sent("Without").options
        #expect(without.cookieJar == nil && !without.sendsCookies)
        #expect(try !workspace.sent("Plain", in: "b").options.sendsCookies)
        #expect(try workspace.sent("With", in: "b").options.cookieJar == jars.jar(for: "b"))
    }

    @Test("those of batches and chains, too")
    func flows() throws {
        let jars = CookieJars()
        let workspace = try Workspace.make(Self.text).keeping(cookiesIn: jars)
        let targets = try workspace.resolve(workspace.batches[0], in: "a")
        #expect(targets.map { $0.options.cookieJar } == [jars.jar(for: "a"), nil])
        let step = try workspace.resolve(workspace.chains[0].steps[0], in: "a", captured: [:])
        #expect(step.options.cookieJar == jars.jar(for: "a"))
    }

    @Test("without jars there are none, and another word is a problem")
    func none() throws {
        #expect(try Workspace.make(Self.text).sent("Plain").options.cookieJar == nil)
        #expect(
            problems("targets: { A: { request: GET http://h, cookies: some } }").first?
                .contains("`cookies`") == true
        )
    }
}
