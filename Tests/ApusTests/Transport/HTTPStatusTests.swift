import Apus
import Testing

@Suite("Status codes")
struct HTTPStatusTests {
    @Test(
        "a code has a class, and a phrase if it is known",
        arguments: [
            (103, HTTPStatus.Category.informational, "103 Early Hints", true),
            (200, .success, "200 OK", true), (308, .redirection, "308 Permanent Redirect", true),
            (422, .clientError, "422 Unprocessable Content", true),
            (499, .clientError, "499 Client Closed Request", false),
            (511, .serverError, "511 Network Authentication Required", true),
            (520, .serverError, "520 Web Server Returned an Unknown Error", false),
            (299, .success, "299", false), (999, .other, "999", false),
        ]
    )
    func facts(code: Int, category: HTTPStatus.Category, text: String, isRegistered: Bool) {
        let status = HTTPStatus(code)
        #expect(status.category == category)
        #expect(status.description == text)
        #expect(status.isRegistered == isRegistered)
    }
}
