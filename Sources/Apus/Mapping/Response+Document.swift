package import Documents
import HTTPTypes
import Secrets

extension Response {
    /// An error for a fault in this response, with secrets masked and the response attached.
    func failure(_ fault: ApusError.MappingFault) -> ApusError {
        ApusError(request.mask.masking(.mapping(fault)), request: request.line, response: self)
    }

    func openedJSON(for kind: ApusError.MappingFault.Kind) throws(ApusError) -> Document {
        try opened(as: .json, for: kind).document
    }

    /// The body as a tree; if `format` is nil, it is detected from the Content-Type or the bytes.
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

    /// The body's bytes; errors carry this response.
    func ownBytes() throws(ApusError) -> DocumentBytes {
        do throws(ApusError) {
            return try body.documentBytes()
        } catch {
            throw ApusError(error.reason, request: request.line, response: self)
        }
    }

    /// The value at a path, or the JSON itself if there is no path.
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

    /// The value itself; throws if it is missing.
    func present(
        _ json: JSON,
        for kind: ApusError.MappingFault.Kind
    ) throws(ApusError) -> JSON {
        guard let absence = json.error else { return json }
        throw failure(.init(kind, path: absence.path, detail: MappingMessages.absent(absence)))
    }
}

extension ResponseBody {
    /// The bytes in the form that documents are made from.
    ///
    /// - Throws: ``ApusError`` with the reason `.file` if the file cannot be read.
    package func documentBytes() throws(ApusError) -> DocumentBytes {
        guard case .file(let file) = self else { return DocumentBytes(try load()) }
        do throws(DocumentError) {
            // Not mapped: reading a mapped file that another process has truncated crashes the program.
            return try .reading(file: file.path)
        } catch {
            throw ApusError(.file(path: file.path, errno: error.code))
        }
    }
}
