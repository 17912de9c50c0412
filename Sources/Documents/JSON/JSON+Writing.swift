/// The value as text.
extension JSON {
    /// The value as text; tokens that were not changed stay as written.
    ///
    /// A missing value is `null`. Throws if the value is incomplete or the form cannot express it; the fault's
    /// node and offset are those of the document if nothing was changed.
    public func bytes(_ form: DocumentWriter.Form = .minified) throws(DocumentWritingError)
        -> [UInt8]
    {
        if let source, !source.document.isSequence(source.node) {
            return try DocumentWriter(form).bytes(of: source.node, in: source.document)
        }
        let minified = try minifiedBytes()
        guard form != .minified else { return minified }
        let document = Document.parse(DocumentBytes(minified))
        return try DocumentWriter(form).bytes(in: document)
    }

    /// The value as text; nil if it is incomplete or the form cannot express it.
    public func text(_ form: DocumentWriter.Form = .minified) -> String? {
        guard let bytes = try? bytes(form) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func minifiedBytes() throws(DocumentWritingError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            let sink = { (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }
            try OutputBuffer.with(sink) { try write(to: &$0) }
        } catch let fault as DocumentWritingError {
            throw fault
        } catch {
            preconditionFailure("an array as a sink throws nothing: \(error)")
        }
        return bytes
    }

    /// Writes the value without any white space.
    ///
    /// - Throws: `DocumentWritingError` if the value is incomplete, and whatever the output's sink throws.
    package func write(to output: inout OutputBuffer) throws {
        var open: [(branch: JSONBranch, place: Int)] = []
        try begin(self, &open, to: &output)
        while let (branch, place) = open.last {
            let isObject = !branch.names.isEmpty
            guard place < branch.values.count else {
                try output.append(isObject ? 0x7D : 0x5D)
                open.removeLast()
                continue
            }
            open[open.count - 1].place += 1
            if place > 0 { try output.append(0x2C) }
            if isObject { try writeName(place, of: branch, to: &output) }
            try begin(branch.values[place], &open, to: &output)
        }
    }

    private func begin(
        _ value: JSON,
        _ open: inout [(branch: JSONBranch, place: Int)],
        to output: inout OutputBuffer
    ) throws {
        switch value.storage {
        case .node(let document, let node):
            guard document.isSequence(node) else {
                return try DocumentWriter().write(whole: node, of: document, to: &output)
            }
            try output.append(0x5B)
            open.append((JSONBranch(document, node), 0))
        case .null, .missing: try output.append("null")
        case .bool(let value): try output.append(value ? "true" : "false")
        case .number(let text): try output.append(text)
        case .string(let text): try output.appendQuoted(text)
        case .object(let branch) where branch.values.isEmpty: try output.append("{}")
        case .array(let branch), .object(let branch):
            try output.append(branch.names.isEmpty ? 0x5B : 0x7B)
            open.append((branch, 0))
        }
    }

    private func writeName(
        _ place: Int,
        of branch: JSONBranch,
        to output: inout OutputBuffer
    ) throws {
        switch branch.names[place] {
        case .text(let name): try output.appendQuoted(name)
        case .written(let node):
            guard let source = branch.source, let range = source.keyRange(of: node) else { break }
            try output.append(source.bytes.base + range.lowerBound - 1, range.count + 2)
        }
        try output.append(0x3A)
    }
}

extension JSON: CustomStringConvertible {
    /// The value as indented text; for an incomplete value, its source text so far.
    public var description: String {
        text(.pretty) ?? source.map { $0.document.sourceText(of: $0.node) } ?? "null"
    }
}
