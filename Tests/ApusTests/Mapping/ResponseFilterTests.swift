import Apus
import Documents
import Testing

@Suite("Filters of responses, and validation")
struct ResponseFilterTests {
    @Test(
        "each filter lets its statuses through and throws for others, the response attached",
        arguments: [
            (199, false, false), (200, true, true), (299, true, true), (300, false, true),
            (399, false, true), (400, false, false), (500, false, false),
        ]
    )
    func filters(status: Int, isSuccess: Bool, isSuccessOrRedirect: Bool) {
        let response = Response.make("x", status: status)
        for (isAccepted, error) in [
            (
                isSuccess,
                mappingError { () throws(ApusError) in try response.filterSuccessfulStatuses() }
            ),
            (
                isSuccessOrRedirect,
                mappingError { () throws(ApusError) in
                    try response.filterSuccessfulAndRedirectStatuses()
                }
            ),
            (
                (200..<300).contains(status),
                mappingError { () throws(ApusError) in try response.filter(statuses: 200..<300) }
            ),
            (
                (200...399).contains(status),
                mappingError { () throws(ApusError) in try response.filter(statuses: 200...399) }
            ),
        ] {
            #expect((error == nil) == isAccepted)
            guard let error else { continue }
            #expect(error.reason == .unacceptableStatus(status))
            #expect(error.code == 3001)
            #expect(error.response == response)
        }
    }

    @Test("a filter gives the response back, so that calls are chained")
    func chained() throws {
        let response = Response.make(#"{"a":1}"#, status: 304)
        #expect(try response.filter(statuses: [200, 304]).value(using: .json)["a"].int == 1)
        #expect(try response.filter(status: 304) == response)
        #expect(throws: ApusError.self) { try response.filter(status: 200) }
    }

    @Test(
        "validation accepts what it says",
        arguments: [
            (Validation.none, 500, true),
            (.successCodes, 200, true), (.successCodes, 299, true), (.successCodes, 300, false),
            (.successAndRedirectCodes, 399, true), (.successAndRedirectCodes, 400, false),
            (.codes([200, 404]), 404, true), (.codes([200, 404]), 201, false),
            (.codes([]), 500, true),
        ]
    )
    func validation(rule: Validation, status: Int, isAccepted: Bool) {
        #expect(rule.accepts(.make("", status: status)) == isAccepted)
    }

    @Test("a rule of one's own sees the whole response, and refuses it in an exchange")
    func ownRule() async {
        let rule = ValidationRule("has a body") { !$0.body.isEmpty }
        #expect(Validation.custom(rule).accepts(.make("x", status: 500)))
        let provider = Provider<TestTarget>(transport: ScriptedTransport.answering(""))
        do throws(ApusError) {
            _ = try await provider.response(for: TestTarget(validation: .custom(rule)))
            Issue.record("an empty body was accepted")
        } catch {
            #expect(error.reason == .unacceptableStatus(200))
            #expect(error.response?.status == 200)
        }
    }

    @Test("rules are equal when their names are")
    func ruleNames() {
        #expect(ValidationRule("a") { _ in true } == ValidationRule("a") { _ in false })
        #expect(ValidationRule("a") { _ in true } != ValidationRule("b") { _ in true })
    }
}
