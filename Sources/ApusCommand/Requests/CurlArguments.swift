import Apus
import ArgumentParser
import Documents
import Glibc
import HTTPTypes
import Workspaces

/// The options of a request that are curl's shorthands.
struct CurlArguments: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Send a user and a password (Basic); a -H Authorization takes its place.",
            valueName: "user:password"
        )
    )
    var user: String?

    @Option(
        name: [.customShort("A"), .customLong("user-agent")],
        parsing: .unconditional,
        help: ArgumentHelp("The User-Agent; empty to send none.", valueName: "name")
    )
    var userAgent: String?

    @Option(
        name: [.customShort("b"), .customLong("cookie")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Cookies to send: name=value; … Without =, a file of cookies (Netscape's format). Can be repeated.",
            valueName: "cookies"
        )
    )
    var cookies: [String] = []

    @Flag(
        name: [.customShort("G"), .customLong("get")],
        help: "Put --data and --data-urlencode into the query; the method stays GET."
    )
    var isQuery = false

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            """
            Data that is encoded for a form: name=content, =content, content, name@FILE or @FILE. \
            It stands after that of --data. Can be repeated.
            """,
            valueName: "data"
        )
    )
    var dataUrlencode: [String] = []

    @Flag(
        name: [.customShort("I"), .customLong("head")],
        help: "Ask for the header fields only (HEAD), and print them."
    )
    var isHead = false

    @Flag(
        name: [.customShort("L"), .customLong("location")],
        help:
            "Follow redirects. A URL's are followed anyway; for a target that does not follow any."
    )
    var follows = false

    @Option(
        help: ArgumentHelp(
            "How many redirects are followed; 0 to get the redirect itself. Default: 10.",
            valueName: "number"
        )
    )
    var maxRedirs: Int?

    func validate() throws {
        if let user, !user.contains(":") {
            throw ValidationError("-u takes user:password; for an empty password write “user:”.")
        }
        if let maxRedirs, !(0...1000).contains(maxRedirs) {
            throw ValidationError("--max-redirs takes 0 to 1000.")
        }
    }

    /// Applies what does not concern the body.
    ///
    /// Fields that `-H` sets, with the names `given`, replace these.
    func apply(to target: inout OverridingTarget, given: Set<HTTPField.Name>) throws {
        if let user, !given.contains(.authorization) {
            target.authorize(by: user)
        }
        if let userAgent, !given.contains(.userAgent) {
            let field = userAgent.isEmpty ? nil : try Self.field("User-Agent", userAgent)
            target.setUserAgent(field)
        }
        try applyCookies(to: &target)
        if isHead { target.method = .head }
        if let maxRedirs {
            target.options.maximumRedirects = maxRedirs
        } else if follows {
            target.followRedirects()
        }
    }

    private func applyCookies(to target: inout OverridingTarget) throws {
        let pairs = cookies.filter { $0.contains("=") }
        if !pairs.isEmpty {
            let own = target.headerFields[.cookie].map { [$0] } ?? []
            target.headerFields[values: .cookie] = []
            let line = (own + pairs).joined(separator: "; ")
            target.headerFields.append(try Self.field("Cookie", line))
        }
        let files = cookies.filter { !$0.contains("=") }
        guard let file = files.first else { return }
        guard files.count == 1 else { throw ValidationError("-b takes one file of cookies.") }
        // A jar treats a file that does not exist as an empty one.
        guard access(file, R_OK) == 0 else {
            throw CommandError("-b \(file): \(systemMessage(errno))")
        }
        let jar = CookieJar(file: file)
        do throws(ApusError) {
            try jar.check()
        } catch {
            throw CommandError("-b \(file): \(error.message.detail)")
        }
        target.useCookies(in: jar)
    }

    private static func field(_ name: String, _ value: String) throws -> HTTPField {
        do throws(FieldTextError) {
            return try FieldText.field(name, bytes: Array(value.utf8))
        } catch {
            throw ValidationError("\(error).")
        }
    }

    /// The encoded data, in order.
    func encodedData() throws -> [String] {
        try dataUrlencode.map { text in
            let sign = text.unicodeScalars.first { $0 == "=" || $0 == "@" }
            guard let sign, let place = text.unicodeScalars.firstIndex(of: sign) else {
                return PercentEncoding.form(text)
            }
            let name = text[..<place]
            let rest = String(text.unicodeScalars[text.unicodeScalars.index(after: place)...])
            var value = rest
            if sign == "@" {
                let bytes = try BodyArgument.joined([BodyArgument("@\(rest)")], by: 0)
                value = String(decoding: bytes, as: UTF8.self)
            }
            let encoded = PercentEncoding.form(value)
            return name.isEmpty ? encoded : "\(name)=\(encoded)"
        }
    }
}
