import Apus
import ArgumentParser
import FoundationEssentials
import HTTPTypes

/// What is sent, as far as the command line says it.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("X"), .customLong("request")],
        help: ArgumentHelp(
            "The method. Default: the target's, POST with a body, else GET.",
            valueName: "method"
        )
    )
    var method: String?

    @Option(
        name: [.customShort("H"), .customLong("header")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header field, in the place of those of its name that the target has. May be given again.",
            valueName: "name: value"
        )
    )
    var headers: [String] = []

    @Option(
        name: .shortAndLong,
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "The body: a text, @FILE, or - for standard input; byte for byte. Given again, it is joined by &.",
            valueName: "data"
        )
    )
    var data: [String] = []

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("A JSON body: a text, @FILE or -.", valueName: "json")
    )
    var jsonBody: String?

    @Option(
        name: [.customShort("F"), .customLong("form")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A part of a multipart form: a text, or @FILE;type=…;filename=…. May be given again.",
            valueName: "name=value"
        )
    )
    var form: [String] = []

    @Flag(name: [.customShort("k"), .long], help: "Do not check the server's certificate.")
    var insecure = false

    @Option(help: ArgumentHelp("The whole time it may take; 0 for no limit.", valueName: "seconds"))
    var timeout: Double?

    @Option(
        help: ArgumentHelp(
            "Repeat so often after failures that pass; requests that are safe to repeat only.",
            valueName: "times"
        )
    )
    var retry = 0

    @Flag(exclusivity: .exclusive, help: "The HTTP version to ask for.")
    var version: Version?

    /// The versions that can be asked for.
    enum Version: String, EnumerableFlag {
        case http1, http2
    }

    func validate() throws {
        if let timeout, !(0...1e9).contains(timeout) {
            throw ValidationError("--timeout takes seconds, 0 or more.")
        }
        if [jsonBody != nil, !data.isEmpty, !form.isEmpty].filter(\.self).count > 1 {
            throw ValidationError("--data, --json-body and --form exclude each other.")
        }
        if !(0...1000).contains(retry) { throw ValidationError("--retry takes 0 to 1000.") }
        if let method, HTTPRequest.Method(method) == nil {
            throw ValidationError("“\(method)” cannot be a method.")
        }
        _ = try fields()
    }

    /// A target with all that the command line says; `isOwn` if it is one of a workspace, whose
    /// method stays.
    func applied(to target: some TargetType, isOwn: Bool) throws -> OverridingTarget {
        var result = OverridingTarget(target)
        let fields = try fields()
        for (name, _) in fields { result.headerFields[fields: name] = [] }
        for case (_, let field?) in fields { result.headerFields.append(field) }
        if let task = try body() {
            result.task = task
            if !isOwn { result.method = .post }
        }
        if let method = method.flatMap({ HTTPRequest.Method($0) }) { result.method = method }
        apply(to: &result.options)
        return result
    }

    private func apply(to options: inout TransportOptions) {
        if insecure { options.verifiesTLS = false }
        if let timeout { options.timeout = timeout == 0 ? nil : .seconds(timeout) }
        switch version {
        case .http1: options.requestedVersion = .http1
        case .http2: options.requestedVersion = .http2
        case nil: break
        }
    }

    private func body() throws -> RequestTask? {
        if let jsonBody {
            return try BodyArgument(jsonBody).task(type: "application/json")
        }
        if !form.isEmpty { return .multipart(try FormArgument.form(form)) }
        guard !data.isEmpty else { return nil }
        let type = "application/x-www-form-urlencoded"
        let pieces = try data.map { try BodyArgument($0) }
        if pieces.count == 1 { return pieces[0].task(type: type) }
        return .data(try BodyArgument.joined(pieces, by: UInt8(ascii: "&")), type: type)
    }

    /// The fields in their order; without one, the name's own are taken away.
    private func fields() throws -> [(name: HTTPField.Name, field: HTTPField?)] {
        try headers.map { text in
            // "Name;" is a field without a value, "Name:" is none.
            let isEmpty = text.last == ";" && !text.contains(":")
            let name = isEmpty ? text.dropLast() : text.prefix { $0 != ":" }
            guard isEmpty || name.count < text.count else {
                throw ValidationError("-H takes “name: value”, not “\(text)”.")
            }
            let value = isEmpty ? "" : text[name.endIndex...].dropFirst().drop { $0 == " " }
            do throws(FieldText.Fault) {
                let field = try FieldText.field(String(name), bytes: Array(value.utf8))
                return (field.name, isEmpty || !value.isEmpty ? field : nil)
            } catch {
                throw ValidationError("\(error).")
            }
        }
    }
}
