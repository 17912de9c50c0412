import Apus
import HTTPTypes
import Interchange
import TestSupport
import Workspaces

/// Made-up targets: all kinds of bodies with all kinds of credentials.
enum ExportSamples {
    static let token = "tok-en~1"
    static let password = "s3cret.pass"
    /// What the environment has for the variables of an export.
    static let environment = [
        "API_TOKEN": token, "API_PASSWORD": password, "PASSWORD_2": "hunter22",
        "X_KEY": "l1teral-key",
        "COOKIE": "a=b; c=d",
    ]
    /// The same by the names of the workspace.
    static let values = [
        "token": token, "password": password, "password_2": "hunter22", "x_key": "l1teral-key",
        "cookie": "a=b; c=d",
    ]

    private static let hostile = "it's \"$HOME\" `whoami` \\ !x %41 {a} #b; 😀 é"

    private static let bodies: [(name: String, text: String)] = [
        ("nothing", ""),
        ("hostile", "body: \(Value.string(hostile).json)"),
        ("at", "body: \"@file\""), ("dash", "body: \"-x\""), ("empty", "body: \"\""),
        ("lines", "body: \"one\\n\\ntwo\\n\""),
        ("controls", "body: \"a\\0b\\ac\\n\""),
        ("windows", "body: \"C:\\\\new\\r\\nx\""),
        ("fence", "body: \"```\\ncode\\n```\""),
        ("braces", "body: \"\\\\{{ name }}\""),
        ("comment", "body: \"# no comment\\n### no request\\n< no file\""),
        ("json", "json: { name: Ada, id: \"{{ user }}\", quote: \(Value.string(hostile).json) }"),
        ("secret", "json: { token: \"{{ token }}\", other: \"x {{ word }}\" }"),
        ("list", "json: [1, 2.50, null, true]"),
        ("form", "form: { a: \"b c&d\", token: \"{{ token }}\", list: [1, 2] }"),
        ("parts", "multipart: { title: Ada, note: \"it's {{ token }}\" }"),
        ("file", "multipart: { title: Ada, file: { file: FOLDER/ada.png, type: image/png } }"),
        ("names", "multipart: { \"a=b;\\\"c\": \"x\", file: { file: FOLDER/ada.png } }"),
        (
            "graphql",
            "graphql: { query: \"{ users(n: 1) { name } }\", variables: { id: \"{{ user }}\" } }"
        ),
        ("upload", "upload: FOLDER/ada.png"),
    ]

    private static let credentials: [(name: String, text: String)] = [
        ("none", ""), ("bearer", "auth: { bearer: \"{{ token }}\" }"),
        ("basic", "auth: { basic: { user: me, password: \"{{ password }}\" } }"),
        ("literal", "auth: { basic: { user: me, password: hunter22 } }"),
        ("header", "auth: { apiKey: { in: header, name: X-Key, value: l1teral-key } }"),
        ("query", "auth: { apiKey: { in: query, name: key, value: \"{{ token }}\" } }"),
    ]

    /// The text of a workspace for a server, with files of a folder.
    static func text(_ authority: String, _ folder: String) -> String {
        var text = """
            name: Samples
            variables:
              token: { env: API_TOKEN }
              password: { env: API_PASSWORD }
              user: 7
              word: a-b
              spaced: "a b"
            environments:
              test: { baseURL: "http://\(authority)/v1" }
            targets:
              Get: { request: "GET /users/{{ user }}/{{ spaced }}?q={{ word }}&x=%2f", headers: { X-Word: "{{ spaced }}" } }
              Head: HEAD /
              Delete: DELETE /users/1
              Put: PUT /empty
              "Odd 'name' $x `y` ##": { request: "GET /a[b]", headers: { X-Empty: "", X-Many: [a, b], X-Hostile: \(
                  Value.string("it's \"$HOME\" `w` ! \\\\ %").json) } }
              Cookie: { request: GET /c, headers: { Cookie: "a=b; c=d" } }
            """
        for body in bodies {
            text += "\n  \(body.name):"
            for (index, auth) in credentials.enumerated() {
                // All credentials with two bodies, and each body with two credentials.
                let isUsed = ["nothing", "json"].contains(body.name) || index < 2
                guard isUsed else { continue }
                let parts = ["request: POST /\(body.name)/\(auth.name)", body.text, auth.text]
                    .filter { !$0.isEmpty }
                let whole = parts.joined(separator: ", ").replacing("FOLDER", with: folder)
                text += "\n    \(auth.name): { \(whole) }"
            }
        }
        return text + "\n"
    }

    /// The workspace, in its environment.
    static func workspace(_ authority: String, _ folder: String) throws -> NamedWorkspace {
        try named(text(authority, folder))
    }

    static func named(_ text: String) throws -> NamedWorkspace {
        let reader = SecretReader(
            environmentVariable: { environment[$0] },
            file: { path throws(FileReadError) in
                throw FileReadError(detail: "is not there: \(path)")
            }
        )
        let workspace = try Workspace.parse(text: text, file: "samples.apus.yaml", secrets: reader)
        return NamedWorkspace(workspace: workspace, environment: workspace.environments[0].name)
    }

    /// The export of all targets.
    static func export(
        _ named: NamedWorkspace,
        as exporter: any Exporter.Type,
        keepsSecrets: Bool = false
    ) async -> ExportOutput {
        let reader = ExportReader(
            named,
            keepsVariables: exporter.keepsVariables,
            keepsSecrets: keepsSecrets
        )
        return exporter.export(await reader.read())
    }
}

/// A request without what tools choose themselves.
struct ComparableRequest: Equatable, CustomStringConvertible {
    let line: String
    let fields: [String]
    let body: String

    /// Leaves out what tools choose themselves.
    ///
    /// They say who they are, and which codings they decode; a boundary is random. curl puts `Authorization` first,
    /// so that the order between names is not compared, but that of the lines of one name is.
    init(_ received: RawServer.Received) {
        let type = received.value(of: "Content-Type") ?? ""
        let boundary = type.ranges(of: "boundary=").first.map { String(type[$0.upperBound...]) }
        func plain(_ text: String) -> String {
            boundary.map { text.replacing($0, with: "BOUNDARY") } ?? text
        }
        line = received.line
        body = plain(String(decoding: received.body, as: UTF8.self))
        let ignored = ["user-agent", "accept-encoding", "connection"]
        // Where the boundary differs, so does the length.
        let lines = received.fields.filter { field in
            let name = field.prefix { $0 != ":" }.lowercased()
            return !ignored.contains(name) && !(boundary != nil && name == "content-length")
                // requests sends a length of 0 with DELETE.
                && !(name == "content-length" && received.line.hasPrefix("DELETE"))
        }.map { field in
            let name = field.prefix { $0 != ":" }.lowercased()
            return plain(name + field.dropFirst(name.count))
        }
        fields = lines.enumerated().sorted { a, b in
            let (x, y) = (a.element.prefix { $0 != ":" }, b.element.prefix { $0 != ":" })
            return x == y ? a.offset < b.offset : x < y
        }.map(\.element)
    }

    var description: String { ([line] + fields + [body]).joined(separator: "\n") }
}
