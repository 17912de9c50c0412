package import Apus
import Secrets
package import Workspaces

/// A target's request for another program, byte for byte what would be sent, with variables in it.
package struct ExportedRequest: Sendable {
    /// A header field.
    package struct Field: Sendable, Hashable {
        /// The name as it is sent.
        package let name: String
        /// Its value.
        package let value: ExportText

        /// Whether this is the field's name, in any case.
        package func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
    }

    /// A body.
    package enum Body: Sendable, Hashable {
        case none
        /// A text, which is UTF-8.
        case text(ExportText)
        /// Bytes that are no text.
        case bytes([UInt8])
        /// The bytes of a file, by its path (`ExportedWorkspace.path(_:)`).
        case file(path: String)
        /// Parts (`multipart/form-data`).
        case multipart([Part], boundary: String)
        /// What cannot be known before it is sent.
        case unknown
    }

    /// What a text of a body is, for formats that have words for it.
    package enum BodyKind: Sendable, Hashable {
        case text
        case json
        /// A web form, with its names and values before they are encoded.
        case form([FormField])
        /// GraphQL, with its variables as JSON.
        case graphQL(query: ExportText, operation: ExportText?, variables: ExportText?)
    }

    /// A field of a web form.
    package struct FormField: Sendable, Hashable {
        package let name: String
        package let value: ExportText
    }

    /// A piece of a multipart body as it is sent.
    package enum RawPart: Sendable, Hashable {
        case text(ExportText)
        case bytes([UInt8])
        /// A file, by its absolute path.
        case file(path: String)
    }

    /// A part of a multipart body.
    package struct Part: Sendable, Hashable {
        package enum Content: Sendable, Hashable {
            case text(ExportText)
            case bytes([UInt8])
            /// A file, by its absolute path.
            case file(path: String)
        }

        /// The field's name.
        package let name: String
        package let content: Content
        /// The file name that is sent; nil if none is.
        package let fileName: String?
        /// The `Content-Type` that is sent; nil if none is.
        package let type: String?
        /// Further fields of the part.
        package let fields: [Field]
    }

    /// The target's groups and its name: `Users/Show`; the chain and the step for a step.
    package let id: String
    /// The target's own name.
    package let name: String
    /// What the workspace says under its name; nil if it says nothing.
    package let summary: String?
    /// Its note, in Markdown; nil if there is none.
    package let note: String?
    /// The method, such as GET.
    package let method: String
    /// The whole URL, percent-encoded.
    package private(set) var url: ExportText
    /// The fields that the request itself has, in their order; cookies are one field.
    ///
    /// They have its credentials and its `Content-Type`, and not what a client adds: `Host`, `Content-Length`,
    /// `User-Agent`, `Accept` and `Accept-Encoding`.
    package private(set) var fields: [Field]
    /// The fields that are not sent though a client would add them.
    package let omittedFields: [String]
    package private(set) var body: Body
    package private(set) var bodyKind: BodyKind
    /// A multipart body as it is sent, with its boundaries; empty for other bodies.
    package private(set) var rawParts: [RawPart]
    /// How it proves who sends it.
    ///
    /// Bearer, basic and keys stand in `fields` and `url`, too; see `ownFields`.
    package let authorization: ExportedAuthorization
    /// How it travels: times, redirects, TLS, proxy.
    ///
    /// Texts in it have marks (`text(_:)`).
    package let options: TransportOptions
    /// Where the response is saved, by an absolute path; nil if it is not.
    package let download: String?
    /// What its response must be.
    ///
    /// Texts in it may have marks.
    package let expectations: [Expectation]
    /// What the workspace says of how it is sent and of what comes back, of which a format may have no word.
    let settings: [ExportedSetting]
    /// The values that a chain takes out of its response, for steps.
    package let captures: [Capture]
    /// The responses that are known, the newest first; empty where none were recorded.
    package private(set) var responses: [ExportedResponse] = []
    let reader: ExportMarkReader
    /// Whether a format can make what a function gives.
    private var isKnown: @Sendable (ExportCall) -> Bool = { _ in true }
    /// The calls whose value, or else a variable for it, stands in their places.
    private(set) var unknownCalls: [ExportCall] = []

    init(
        id: String,
        name: String,
        summary: String?,
        note: String?,
        method: String,
        url: ExportText,
        fields: [Field],
        omittedFields: [String],
        body: Body,
        bodyKind: BodyKind,
        rawParts: [RawPart],
        authorization: ExportedAuthorization,
        options: TransportOptions,
        download: String?,
        expectations: [Expectation],
        captures: [Capture],
        settings: [ExportedSetting],
        reader: ExportMarkReader
    ) {
        (self.id, self.name, self.summary, self.note) = (id, name, summary, note)
        (self.method, self.url, self.fields) = (method, url, fields)
        self.omittedFields = omittedFields
        (self.body, self.bodyKind, self.rawParts) = (body, bodyKind, rawParts)
        (self.authorization, self.options, self.download) = (authorization, options, download)
        (self.expectations, self.captures) = (expectations, captures)
        (self.settings, self.reader) = (settings, reader)
    }

    /// The fields without those that `authorization` makes.
    package var ownFields: [Field] {
        switch authorization {
        case .bearer, .basic: fields.filter { !$0.isNamed("Authorization") }
        case .apiKey(.header, let name, _): fields.filter { !$0.isNamed(name) }
        default: fields
        }
    }

    /// A text of `authorization`, `options` or `expectations`, with the variables whose marks stand in it.
    package func text(_ marked: String, _ place: ExportText.Place = .plain) -> ExportText {
        var unknown: [ExportCall] = []
        return reader.text(marked, place).replacingCalls(unless: isKnown, &unknown)
    }

    /// The request for a format that has some functions only.
    func with(functions isKnown: @escaping @Sendable (ExportCall) -> Bool) -> ExportedRequest {
        var request = self
        var unknown: [ExportCall] = []
        func known(_ text: ExportText) -> ExportText {
            text.replacingCalls(unless: isKnown, &unknown)
        }
        request.isKnown = isKnown
        request.url = known(url)
        request.fields = fields.map { Field(name: $0.name, value: known($0.value)) }
        switch body {
        case .text(let text): request.body = .text(known(text))
        case .multipart(let parts, let boundary):
            request.body = .multipart(parts.map { $0.mappingText(known) }, boundary: boundary)
        case .none, .bytes, .file, .unknown: break
        }
        if case .none = authorization {
        } else {
            for marked in authorization.sentTexts { _ = known(reader.text(marked)) }
        }
        // The same calls as in the body.
        var again: [ExportCall] = []
        func same(_ text: ExportText) -> ExportText {
            text.replacingCalls(unless: isKnown, &again)
        }
        switch bodyKind {
        case .text, .json: break
        case .form(let fields):
            request.bodyKind = .form(
                fields.map { FormField(name: $0.name, value: same($0.value)) }
            )
        case .graphQL(let query, let operation, let variables):
            request.bodyKind = .graphQL(
                query: same(query),
                operation: operation.map(same),
                variables: variables.map(same)
            )
        }
        request.rawParts = rawParts.map { part in
            if case .text(let text) = part { .text(same(text)) } else { part }
        }
        request.unknownCalls = unknown
        return request
    }

    /// Adds responses that were recorded, the newest first; secrets in them are masked.
    package mutating func add(responses: [ExportedResponse]) {
        self.responses += responses.map { response in
            guard reader.marks.hidesSecrets else { return response }
            var content = ContentMask(reader.known)
            let body = content.masking(response.body, response.contentType)
            let mask = reader.known.adding(content.found)
            return ExportedResponse(
                status: response.status,
                contentType: response.contentType,
                body: mask.masking(body)
            )
        }
    }

    /// The value of a field; nil if there is none of the name.
    package func field(_ name: String) -> ExportText? {
        fields.first { $0.isNamed(name) }?.value
    }

    /// The environment variables for the keys of an AWS profile, which other programs do not read; nil without one.
    var keysOfProfile: (id: ExportText, secret: ExportText)? {
        guard case .aws(let aws) = authorization, aws.accessKey == nil || aws.secretKey == nil
        else { return nil }
        func variable(_ name: String) -> ExportText {
            ExportText([.variable(reader.environmentVariable(name))])
        }
        return (variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"))
    }

    /// The paths of the files that it reads and writes.
    var paths: [String] {
        var paths = [
            options.certificateAuthorityFile, options.clientCertificate?.file,
            options.clientCertificate?.keyFile, options.unixSocket, download,
        ].compactMap(\.self)
        if case .netrc(let file?) = authorization { paths.append(file) }
        switch body {
        case .file(let path): paths.append(path)
        case .multipart(let parts, _):
            for part in parts {
                if case .file(let path) = part.content { paths.append(path) }
            }
        case .none, .text, .bytes, .unknown: break
        }
        return paths
    }

    /// All variables of the request, each once, in the order in which it uses them.
    package var variables: [ExportVariable] {
        var seen: Set<String> = []
        return texts.flatMap(\.variables).filter { seen.insert($0.name).inserted }
    }

    /// The texts of the request itself, with a token that must be set.
    var messageTexts: [ExportText] {
        var texts = [url] + sentFields.map(\.value)
        switch body {
        case .text(let text): texts.append(text)
        case .multipart(let parts, _):
            for part in parts {
                if case .text(let text) = part.content { texts.append(text) }
                texts += part.fields.map(\.value)
            }
        case .none, .bytes, .file, .unknown: break
        }
        return texts
    }

    /// The texts that are sent, or that answer the server and the proxy.
    var sentTexts: [ExportText] {
        var texts = messageTexts + authorization.sentTexts.map { text($0) }
        if let keys = keysOfProfile { texts += [keys.id, keys.secret] }
        if let password = options.clientCertificate?.password { texts.append(text(password.value)) }
        if let proxy = options.proxy { texts.append(text(proxy, .url)) }
        return texts
    }

    /// The texts that its response is compared with.
    var expectedTexts: [ExportText] { expectations.flatMap(\.texts).map { text($0) } }

    /// All texts of the request: those that are sent, those that a token is got with, and what is expected.
    package var texts: [ExportText] {
        sentTexts + authorization.signInTexts.map { text($0) } + expectedTexts
    }
}

extension ExportedRequest.Part {
    fileprivate func mappingText(_ change: (ExportText) -> ExportText) -> ExportedRequest.Part {
        var content = content
        if case .text(let text) = content { content = .text(change(text)) }
        return ExportedRequest.Part(
            name: name,
            content: content,
            fileName: fileName,
            type: type,
            fields: fields.map { ExportedRequest.Field(name: $0.name, value: change($0.value)) }
        )
    }
}

extension Expectation {
    /// The texts that a response is compared with.
    fileprivate var texts: [String] {
        switch requirement {
        case .value(_, let value), .document(let value): Self.texts(in: value)
        case .statuses, .quantity, .flag: []
        }
    }

    private static func texts(in value: Value) -> [String] {
        switch value {
        case .string(let text), .number(let text): [text]
        case .boolean, .null: []
        case .array(let elements): elements.flatMap(texts)
        case .object(let members): members.flatMap { texts(in: $0.value) }
        }
    }
}

/// A response that was recorded.
package struct ExportedResponse: Sendable {
    /// The status code.
    package let status: Int
    /// The value of `Content-Type`; nil if there was none.
    package let contentType: String?
    /// The body.
    package let body: [UInt8]

    /// Makes a response.
    package init(status: Int, contentType: String?, body: [UInt8]) {
        (self.status, self.contentType, self.body) = (status, contentType, body)
    }
}
