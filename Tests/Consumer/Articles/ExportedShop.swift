// Requests of “Shop API”, written by `apus export --as swift`.
// swift-format-ignore-file

import Apus
import Foundation
import HTTPTypes

/// The shop's own.
///
/// `Provider(headerFields: [:])` sends them as they are, without fields of its own.
enum ShopAPI: TargetType {
    /// List
    case usersList(baseURL: String = "http://127.0.0.1:8080/v1")

    /// Show
    case usersShow(baseURL: String = "http://127.0.0.1:8080/v1", user: String = "7")

    /// Show file
    case usersShowFile(baseURL: String = "http://127.0.0.1:8080/v1", user: String = "7")

    /// Create
    case usersCreate(baseURL: String = "http://127.0.0.1:8080/v1", token: String, user: String = "7")

    /// class
    ///
    /// Removes one
    case usersClass(baseURL: String = "http://127.0.0.1:8080/v1", password: String)

    /// Login
    case formsLogin(baseURL: String = "http://127.0.0.1:8080/v1", password: String)

    /// Text
    case formsText(baseURL: String = "http://127.0.0.1:8080/v1")

    /// Braces
    case formsBraces(baseURL: String = "http://127.0.0.1:8080/v1")

    /// Graph
    case formsGraph(baseURL: String = "http://127.0.0.1:8080/v1")

    /// Digest
    case authDigest(baseURL: String = "http://127.0.0.1:8080/v1", password: String)

    /// NTLM
    case authNTLM(baseURL: String = "http://127.0.0.1:8080/v1", password: String)

    /// Key
    case authKey(baseURL: String = "http://127.0.0.1:8080/v1", token: String)

    /// Key in query
    case authKeyInQuery(baseURL: String = "http://127.0.0.1:8080/v1", token: String)

    /// AWS
    case authAWS(baseURL: String = "http://127.0.0.1:8080/v1")

    /// OAuth
    case authOAuth(baseURL: String = "http://127.0.0.1:8080/v1")

    /// Elsewhere
    case elsewhere

    var baseURL: URL {
        switch self {
        case .usersList(let baseURL):
            Self.url(baseURL)
        case .usersShow(let baseURL, _):
            Self.url(baseURL)
        case .usersShowFile(let baseURL, _):
            Self.url(baseURL)
        case .usersCreate(let baseURL, _, _):
            Self.url(baseURL)
        case .usersClass(let baseURL, _):
            Self.url(baseURL)
        case .formsLogin(let baseURL, _):
            Self.url(baseURL)
        case .formsText(let baseURL):
            Self.url(baseURL)
        case .formsBraces(let baseURL):
            Self.url(baseURL)
        case .formsGraph(let baseURL):
            Self.url(baseURL)
        case .authDigest(let baseURL, _):
            Self.url(baseURL)
        case .authNTLM(let baseURL, _):
            Self.url(baseURL)
        case .authKey(let baseURL, _):
            Self.url(baseURL)
        case .authKeyInQuery(let baseURL, _):
            Self.url(baseURL)
        case .authAWS(let baseURL):
            Self.url(baseURL)
        case .authOAuth(let baseURL):
            Self.url(baseURL)
        case .elsewhere:
            Self.url("https://other.example")
        }
    }

    var path: String {
        switch self {
        case .usersList:
            "/users?sort=name&tag=a&tag=b"
        case .usersShow(_, let user):
            "/users/\(Self.escaped(user))"
        case .usersShowFile(_, let user):
            "/users/\(Self.escaped(user)).json?full"
        case .usersCreate:
            "/users"
        case .usersClass:
            "/users/1"
        case .formsLogin:
            "/login"
        case .formsText:
            "/text"
        case .formsBraces:
            "/braces"
        case .formsGraph:
            "/graphql"
        case .authDigest:
            "/digest"
        case .authNTLM:
            "/ntlm"
        case .authKey:
            "/key"
        case .authKeyInQuery(_, let token):
            "/key2?a=1&api_key=\(Self.escaped(token))"
        case .authAWS:
            "/aws"
        case .authOAuth:
            "/oauth"
        case .elsewhere:
            "/a%20b/%C3%BC?q=x%26y"
        }
    }

    var method: HTTPRequest.Method {
        switch self {
        case .usersCreate:
            .post
        case .usersClass:
            .delete
        case .formsLogin:
            .post
        case .formsText:
            .put
        case .formsBraces:
            .put
        case .formsGraph:
            .post
        default: .get
        }
    }

    var headerFields: HTTPFields {
        switch self {
        case .usersList:
            Self.fields([("Accept", "application/json"), ("X-Tag", "one"), ("X-Tag", "two")])
        case .usersCreate(_, let token, _):
            Self.fields([("Content-Type", "application/json"), ("Authorization", "Bearer \(token)")])
        case .usersClass(_, let password):
            Self.fields([("Authorization", "Basic \(Self.base64("ada" + ":" + password))")])
        case .formsLogin:
            Self.fields([("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")])
        case .formsText:
            Self.fields([("Content-Type", "text/plain")])
        case .formsBraces:
            Self.fields([("Content-Type", "text/plain")])
        case .formsGraph:
            Self.fields([("Content-Type", "application/json")])
        case .authKey(_, let token):
            Self.fields([("X-Key", token)])
        default: [:]
        }
    }

    var task: RequestTask {
        switch self {
        case .usersCreate(_, _, let user):
            .data(Array("{\"name\":\"A \\\"good\\\" one\",\"roles\":[\"admin\",\"a \\\"b\\\" \\\\ c\"],\"id\":\(Self.inJSON(user)),\"rate\":1.50,\"none\":null}".utf8))
        case .formsLogin(_, let password):
            .data(Array("user=a+b%26c&password=\(Self.escaped(password))&tags=a&tags=b".utf8))
        case .formsText:
            .data(Array("Hello \\(x)\n\"quoted\" ünï 🐦 $1 `x`\n".utf8))
        case .formsBraces:
            .data(Array("a {{ no }} b".utf8))
        case .formsGraph:
            .data(Array("{\"query\":\"query($id: ID!) { user(id: $id) { name } }\",\"variables\":{\"id\":7}}".utf8))
        default: .plain
        }
    }

    var options: TransportOptions {
        switch self {
        case .authDigest(_, let password):
            TransportOptions().with { $0.credentials = ServerCredentials(.digest, user: "ada", password: Secret(password)) }
        case .authNTLM(_, let password):
            TransportOptions().with { $0.credentials = ServerCredentials(.ntlm, user: "ada", password: Secret(password)) }
        case .elsewhere:
            TransportOptions().with { $0.maximumRedirects = 0; $0.verifiesTLS = false }
        default: TransportOptions()
        }
    }

    private static func url(_ text: String) -> URL {
        guard let url = URL(string: text) else { preconditionFailure("no URL: \(text)") }
        return url
    }

    private static func fields(_ rows: [(name: String, value: String)]) -> HTTPFields {
        var fields = HTTPFields()
        for row in rows {
            guard let name = HTTPField.Name(row.name) else { continue }
            fields.append(HTTPField(name: name, value: row.value))
        }
        return fields
    }

    /// The text percent-encoded (RFC 3986), as one segment of a path or one value.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E:
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += byte < 16 ? "%0" : "%"
                result += String(byte, radix: 16, uppercase: true)
            }
        }
        return result
    }

    /// The text as it stands in a string of JSON.
    private static func inJSON(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\0"..<" ":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
    }
}
