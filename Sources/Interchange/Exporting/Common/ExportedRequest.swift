package import Apus
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
        /// The bytes of a file, by its absolute path.
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
    package let url: ExportText
    /// The fields that the request itself has, in their order; cookies are one field.
    ///
    /// They have its credentials and its `Content-Type`, and not what a client adds: `Host`, `Content-Length`,
    /// `User-Agent`, `Accept` and `Accept-Encoding`.
    package let fields: [Field]
    /// The fields that are not sent though a client would add them.
    package let omittedFields: [String]
    package let body: Body
    package let bodyKind: BodyKind
    /// A multipart body as it is sent, with its boundaries; empty for other bodies.
    package let rawParts: [RawPart]
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
    /// The values that a chain takes out of its response, for steps.
    package let captures: [Capture]
    /// The responses that are known, the newest first; empty where none were recorded.
    package var responses: [ExportedResponse] = []
    /// What could not be carried over whatever the format.
    package var losses: [ImportLoss] = []
    let reader: ExportMarkReader

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
        reader.text(marked, place)
    }

    /// The value of a field; nil if there is none of the name.
    package func field(_ name: String) -> ExportText? {
        fields.first { $0.isNamed(name) }?.value
    }

    /// All variables of the request, each once, in the order in which it uses them.
    package var variables: [ExportVariable] {
        var seen: Set<String> = []
        return texts.flatMap(\.variables).filter { seen.insert($0.name).inserted }
    }

    /// All texts of the request.
    package var texts: [ExportText] {
        var texts = [url] + fields.map(\.value)
        switch body {
        case .text(let text): texts.append(text)
        case .multipart(let parts, _):
            for part in parts {
                if case .text(let text) = part.content { texts.append(text) }
            }
        case .none, .bytes, .file, .unknown: break
        }
        switch authorization {
        case .digest(let user, let password), .ntlm(let user, let password):
            texts += [text(user), text(password)]
        case .aws(let aws):
            texts += [aws.accessKey, aws.secretKey, aws.sessionToken].compactMap(\.self)
                .map { text($0) }
        default: break
        }
        if let proxy = options.proxy { texts.append(text(proxy)) }
        return texts
    }
}

/// A response that was recorded.
package struct ExportedResponse: Sendable {
    /// The status code.
    package let status: Int
    /// The value of `Content-Type`; nil if there was none.
    package let contentType: String?
    /// The header fields, with secrets masked.
    package let fields: [(name: String, value: String)]
    /// The body, with secrets masked.
    package let body: [UInt8]

    /// Makes a response.
    package init(
        status: Int,
        contentType: String?,
        fields: [(name: String, value: String)] = [],
        body: [UInt8]
    ) {
        (self.status, self.contentType) = (status, contentType)
        (self.fields, self.body) = (fields, body)
    }
}
