import Apus
import Foundation
import HTTPTypes

/// Sends from `ShopAPI`, which `apus export --as swift` wrote (see `ExportedShop.swift`).
enum ExportingArticle {
    static func run() async throws {
        let network = Canned("{}")
        let shop = Provider<ShopAPI>(
            transport: network,
            cache: temporaryCache(),
            headerFields: [:]
        )
        _ = try await shop.response(for: .usersShow(user: "a/b"))
        _ = try await shop.response(for: .usersList())
        _ = try await shop.response(for: .usersCreate(token: "t1"))
        _ = try await shop.response(for: .usersClass(password: "p1"))
        _ = try await shop.response(for: .formsLogin(password: "p&1"))
        _ = try await shop.response(for: .formsText())
        let sent = network.sent.all
        check(sent[0].url == "http://127.0.0.1:8080/v1/users/a%2Fb", sent[0].url)
        check(sent[1].url == "http://127.0.0.1:8080/v1/users?sort=name&tag=a&tag=b", sent[1].url)
        check(sent[1].head.headerFields[.accept] == "application/json")
        check(sent[2].head.method == .post)
        check(sent[2].head.headerFields[.authorization] == "Bearer t1")
        check(
            text(of: sent[2])
                == #"{"name":"A \"good\" one","roles":["admin","a \"b\" \\ c"],"id":7,"rate":1.50,"none":null}"#,
            text(of: sent[2])
        )
        check(sent[3].head.headerFields[.authorization] == "Basic YWRhOnAx")
        check(text(of: sent[4]) == "user=a+b%26c&password=p%261&tags=a&tags=b", text(of: sent[4]))
        check(
            text(of: sent[5]) == "Hello \\(x)\n\"quoted\" ünï 🐦 $1 `x`\n",
            text(of: sent[5])
        )
    }

    private static func text(of request: PreparedRequest) -> String {
        guard case .bytes(let bytes) = request.body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
