import FlyingFox
import FoundationEssentials

extension Route {
    static let authorization: [Route] = [
        Route("GET", "/bearer", "401 without a bearer token, any token will do") { call in
            guard let token = call.bearerToken else {
                throw Problem.unauthorized("Bearer", "Send any bearer token.")
            }
            return .json(["authenticated": true, "token": .string(token)])
        },
        Route("GET", "/basic-auth/{user}/{password}", "401 without exactly these") { call in
            let expected = Data("\(call.parameter(0)):\(call.parameter(1))".utf8)
            guard let text = call.credentials(scheme: "basic"),
                Data(base64Encoded: text) == expected
            else {
                throw Problem.unauthorized(
                    "Basic",
                    "Send the user and the password that stand in the path."
                )
            }
            return .json(["authenticated": true, "user": .string(call.parameter(0))])
        },
        Route("GET", "/cookies", "sets two cookies and shows those received") { call in
            var fields = HTTPHeaders()
            fields.addValue("session=demo; Path=/; HttpOnly", for: .setCookie)
            fields.addValue("theme=dusk; Path=/; Max-Age=3600", for: .setCookie)
            return .json(
                ["received": call.request.headers[.cookie].map(JSON.string) ?? nil],
                fields: fields
            )
        },
    ]
}
