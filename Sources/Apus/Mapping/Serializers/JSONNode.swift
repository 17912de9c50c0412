import Documents

/// The node of a document that a value is decoded from.
struct JSONNode {
    let document: Document
    let index: NodeIndex

    /// The value at a path; for an optional type a missing one is `null`.
    init(
        _ json: JSON,
        at path: String?,
        for type: Any.Type,
        of response: Response
    ) throws(ApusError) {
        var found = try response.value(at: path, in: json, for: .object)
        if !found.exists, type is any ExpressibleByNilLiteral.Type { found = .null }
        found = try response.present(found, for: .object)
        if let (document, node) = found.source {
            self.document = document
            index = node
            return
        }
        // What was built or changed has no document yet.
        do throws(WriteFault) {
            document = Document.parse(DocumentBytes(try found.bytes()))
            index = .root
        } catch {
            throw response.failure(.init(.json, detail: "\(error)"))
        }
    }
}
