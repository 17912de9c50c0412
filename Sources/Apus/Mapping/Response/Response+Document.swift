import Documents
import HTTPTypes

extension Response {
    /// What a value could not be read for, with this response attached.
    func failure(_ fault: ApusError.MappingFault) -> ApusError {
        ApusError(request.mask.masking(.mapping(fault)), request: request.line, response: self)
    }

    /// The body as a tree of JSON.
    func openedJSON(for kind: ApusError.MappingFault.Kind) throws(ApusError) -> Document {
        try opened(as: .json, for: kind).document
    }

    /// The body as a tree; nil finds the format out.
    func opened(
        as format: DocumentFormat?,
        for kind: ApusError.MappingFault.Kind
    ) throws(ApusError) -> FormattedDocument {
        guard !body.isEmpty else { throw failure(.init(.empty, detail: MappingMessages.empty)) }
        let bytes = try ownBytes()
        let named = format ?? DocumentFormat(contentType: value(of: .contentType))
        guard let format = named ?? DocumentFormat(sniffing: bytes) else {
            throw failure(.init(kind, detail: MappingMessages.unknownFormat))
        }
        let opened = FormattedDocument.opening(bytes, as: format, charset: charset)
        if format.isJSON, let fault = opened.document.fault {
            throw failure(.init(kind, fault, in: opened.document))
        }
        if let fault = opened.faults.first { throw failure(.init(kind, fault, format)) }
        return opened
    }

    /// The body's bytes; what fails carries the response.
    func ownBytes() throws(ApusError) -> DocumentBytes {
        do throws(ApusError) {
            return try body.documentBytes()
        } catch {
            throw ApusError(error.reason, request: request.line, response: self)
        }
    }

    /// The value at a path; what has no path is the value itself.
    func value(
        at path: String?,
        in json: JSON,
        for kind: ApusError.MappingFault.Kind
    ) throws(ApusError) -> JSON {
        guard let path, !path.isEmpty else { return json }
        do throws(JSONPathError) {
            return try json.at(path: path)
        } catch {
            throw failure(.init(.path, detail: MappingMessages.badPath(path, error)))
        }
    }

    /// A value that must be there.
    func present(
        _ json: JSON,
        for kind: ApusError.MappingFault.Kind
    ) throws(ApusError) -> JSON {
        guard let absence = json.error else { return json }
        throw failure(.init(kind, path: absence.path, detail: MappingMessages.absent(absence)))
    }
}
