import Apus
import Documents
import HTTPTypes
import Secrets

/// A request and its response as a report shows them: secrets are masked, and long bodies are cut.
package struct RunExchange: Sendable {
    /// The largest part of a body that is kept, in bytes.
    private static let bodyLimit = 64 << 10

    /// The header fields of the request as sent, one line each.
    package let requestFields: [String]
    /// The body of the request; nil if there is none.
    package let requestBody: String?
    /// The status line and the header fields of the response, one line each; empty if there is none.
    package let responseFields: [String]
    /// The body of the response; nil if there is none, or it is not text.
    package let responseBody: String?
    /// What of the body is not kept, in words; nil if nothing is missing.
    package let remark: String?

    init(_ target: WorkspaceTarget, _ response: Response?) {
        let mask = target.mask
        requestBody = target.display.body.map { Self.cut($0) }
        guard let response else {
            requestFields = target.display.fields.map { "\($0.name): \($0.value)" }
            (responseFields, responseBody, remark) = ([], nil, nil)
            return
        }
        let sent = response.request.mask.masking(response.request.head.headerFields)
        requestFields = sent.map { mask.masking(line: "\($0.name): \($0.value)") }
        let head = response.head
        let phrase = head.status.reasonPhrase
        responseFields =
            ["\(response.status)\(phrase.isEmpty ? "" : " \(phrase)")"]
            + response.request.mask.masking(head.headerFields).map {
                mask.masking(line: "\($0.name): \($0.value)")
            }
        let size = response.body.count
        guard size > 0 else {
            (responseBody, remark) = (nil, nil)
            return
        }
        let isTooLarge = size > 4 << 20
        let bytes = isTooLarge ? nil : try? response.body.load()
        guard let bytes, let text = String(validating: bytes, as: UTF8.self) else {
            let type = response.mediaType ?? "an unknown type"
            (responseBody, remark) = (nil, "\(Readable.bytes(size)) of \(type)")
            return
        }
        var content = ContentMask(mask)
        let type = head.headerFields[.contentType]
        let masked = String(decoding: content.masking(Array(text.utf8), type), as: UTF8.self)
        responseBody = Self.cut(masked)
        remark = masked.utf8.count > Self.bodyLimit ? "cut: it has \(Readable.bytes(size))" : nil
    }

    private static func cut(_ text: String) -> String {
        guard text.utf8.count > bodyLimit else { return text }
        return String(decoding: text.utf8.prefix(bodyLimit), as: UTF8.self)
    }
}
