import Apus
import Foundation
import Synchronization

enum CookiesArticle {
    private enum Members: TargetType {
        case logIn
        case profile

        static let server = Mutex("")
        var baseURL: URL { URL(string: Self.server.withLock { $0 }) ?? URL(filePath: "/") }
        var path: String { self == .logIn ? "login" : "profile" }
    }

    static func run() async throws {
        try await withServer(requests: 3, respond) { url in
            Members.server.withLock { $0 = url }
            //> let jar = CookieJar()
            check(profile == "session=1")
            check(jar.cookies.map(\.name) == ["session"])
            let without = try await Provider<Members>().value(for: .profile, using: .string)
            check(without == "no cookie")
        }
        try await file()
    }

    @Sendable private static func respond(to request: String) -> String {
        if request.hasPrefix("GET /login") {
            return "Set-Cookie: session=1; Path=/\r\nContent-Length: 0\r\n\r\n"
        }
        let field = request.split(separator: "\r\n").first { $0.lowercased().hasPrefix("cookie:") }
        let text = field.map { String($0.dropFirst("Cookie: ".count)) } ?? "no cookie"
        return "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
    }

    private static func file() async throws {
        let folder = temporaryFolder()
        //> let jar = CookieJar(file
        //> try jar.set
        check(jar.cookies.isEmpty)
        try jar.set(Cookie("kept", "1", domain: "127.0.0.1", expires: .distantFuture))
        try await jar.save()
        check(try text(of: folder + "/cookies.txt").contains("kept"))
        //> let jars
        let request = try await provider.preparedRequest(for: .profile)
        check(request.options.cookieJar === jars.jar(for: "none"))
    }
}
