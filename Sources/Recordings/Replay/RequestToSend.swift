package import Apus
import Documents
import HTTPTypes

/// Why a recorded request cannot be sent again.
package enum UnsendableRequest: Error, Sendable, Hashable, CustomStringConvertible {
    /// Its body was too large to keep.
    case unkeptBody(size: Int)
    /// Its form had files, of which only the names were recorded.
    case namesOfFiles
    /// Its URL is invalid or ambiguous.
    case noURL
    /// The history keeps no secrets, and the target has none for these fields, parameters or parts of the body.
    case missingSecrets([String])

    /// The reason: "its body of 40 MB was too large to be kept".
    package var description: String {
        switch self {
        case .unkeptBody(let size):
            "its body of \(Readable.bytes(size)) was too large to be kept"
        case .namesOfFiles: "only the names of its form's files were recorded"
        case .noURL: "no request can be sent to its URL"
        case .missingSecrets(let places):
            "the history does not keep secrets, and its target has none for "
                + places.joined(separator: ", ")
        }
    }
}

extension ExchangeDetails {
    /// Header fields that belong to the connection (RFC 9110, section 7.6.1) or that the engine sets itself.
    private static let dropped: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
        "content-length", "expect", "host", "accept-encoding",
    ]

    /// The request in a form that can be sent again, still with masks for its secrets.
    ///
    /// - Throws: ``UnsendableRequest`` if its body is missing or its URL is invalid.
    package func requestToSend() throws(UnsendableRequest) -> PreparedRequest {
        guard request.hasPlainURL else { throw .noURL }
        if let size = unkeptRequestSize { throw .unkeptBody(size: size) }
        var request = request
        request.head.headerFields.removeAll { Self.dropped.contains($0.name.canonicalName) }
        return request
    }

    /// The request for a copied command, in which the user replaces the masks with secrets.
    ///
    /// - Throws: ``UnsendableRequest`` if its body or files are missing.
    package func requestToCopy() throws(UnsendableRequest) -> PreparedRequest {
        try completed(ReplaySecrets.Restored(request: requestToSend()), from: nil)
    }

    /// The request with its secrets, ready to send.
    ///
    /// - Parameters:
    ///   - restored: ``requestToSend()`` with its secrets restored.
    ///   - own: the request that its target makes now, from which a form gets its files; nil if there is no
    ///     target or it goes elsewhere.
    /// - Returns: the request. If the recorded response was a redirect, it does not follow redirects.
    /// - Throws: ``UnsendableRequest`` if secrets or files are missing.
    package func completed(
        _ restored: ReplaySecrets.Restored,
        from own: PreparedRequest?
    ) throws(UnsendableRequest) -> PreparedRequest {
        guard restored.missing.isEmpty else { throw .missingSecrets(restored.missing) }
        var request = restored.request
        if request.hasOutline {
            guard let own, case .multipart = own.body else { throw .namesOfFiles }
            request.body = own.body
            request.head.headerFields[.contentType] = own.head.headerFields[.contentType]
        }
        // The recorded redirect was not followed, so do not follow it now.
        if let status = exchange.status, (300...399).contains(status) {
            request.options.maximumRedirects = 0
        }
        return request
    }
}

extension PreparedRequest {
    /// Whether the body is a form that was recorded with the names of its files instead of their content.
    fileprivate var hasOutline: Bool {
        guard case .bytes(let bytes) = body,
            head.headerFields[.contentType]?.asciiLowercased.hasPrefix("multipart/") == true
        else { return false }
        return ["\r\n\r\n[the file ", "\r\n\r\n[a stream of "].contains {
            bytes.firstRange(of: Array($0.utf8)) != nil
        }
    }
}
