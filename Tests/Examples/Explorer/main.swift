// The explorer on a program's own targets, with a plugin and a cache policy of its own:
//
//     apus demo --serve --port 8080 &
//     swift run ExplorerExample http://127.0.0.1:8080
import Apus
import Explorer
import Foundation
import HTTPTypes

enum Shop: TargetType {
    case user(Int)
    case search(String)
    case register(name: String)
    case mirror

    var baseURL: URL { URL(string: CommandLine.arguments.dropFirst().first ?? "") ?? standard }
    var path: String {
        switch self {
        case .user(let number): "users/\(number)"
        case .search, .register: "users"
        case .mirror: "echo"
        }
    }
    var method: HTTPRequest.Method { if case .register = self { .post } else { .get } }
    var parameters: ParameterList {
        switch self {
        case .search(let text): ["q": .string(text), "limit": 10]
        case .register(let name): ["name": .string(name), "email": "ada@example.com"]
        case .user, .mirror: []
        }
    }
    var headerFields: HTTPFields { [.accept: "application/json"] }
    var cachePolicy: CachePolicy { if case .user = self { .keep() } else { .none } }
}

let standard = URL(filePath: "/")
let provider = Provider<Shop>(plugins: [HeaderPlugin(.userAgent, "shop/1.0")])
let targets: [Shop] = [.user(7), .search("an"), .register(name: "Ada"), .mirror]
do {
    try await Explorer.run("Shop", targets: targets, provider: provider)
} catch {
    print(error)
    exit(2)
}
