package import FoundationEssentials
package import HTTPTypes

/// What is kept of a response beside its body, as one row's bytes.
///
/// An own form, because reading it back is part of every hit from disk: a
/// JSON decoder takes longer for it than SQLite for the row.
package struct ResponseRecord: Sendable, Hashable {
    /// Status, reason phrase and header fields, in order.
    package var head: HTTPResponse
    /// When it was received.
    package var received: Date
    /// What the transfer measured.
    package var metrics: TransferMetrics?

    /// Makes a record.
    package init(head: HTTPResponse, received: Date, metrics: TransferMetrics?) {
        self.head = head
        self.received = received
        self.metrics = metrics
    }

    /// The version of the form.
    private static let version = 1

    /// The record as bytes.
    package var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.add(Self.version)
        writer.add(received)
        writer.add(head.status.code)
        writer.add(head.status.reasonPhrase)
        writer.add(head.headerFields.count)
        for field in head.headerFields {
            writer.add(field.name.rawName)
            field.withUnsafeBytesOfValue { writer.add($0) }
        }
        writer.add(metrics == nil ? 0 : 1)
        if let metrics { writer.add(metrics) }
        return writer.bytes
    }

    /// Reads a record; nil if the bytes are none.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = RecordReader(bytes)
        do throws(RecordReader.Damage) {
            try self.init(&reader)
        } catch {
            return nil
        }
    }

    private init(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        guard try reader.number() == Self.version else { throw RecordReader.Damage() }
        received = try reader.date()
        let code = try reader.number()
        let reason = try reader.text()
        guard (100...999).contains(code) else { throw RecordReader.Damage() }
        head = HTTPResponse(status: .init(code: code, reasonPhrase: reason))
        let count = try reader.count()
        head.headerFields.reserveCapacity(count)
        for _ in 0..<count {
            guard let name = FieldNames.name(try reader.text()) else { throw RecordReader.Damage() }
            head.headerFields.append(HTTPField(name: name, lenientValue: try reader.raw()))
        }
        if try reader.number() == 1 { metrics = try reader.metrics() }
        guard reader.isAtEnd else { throw RecordReader.Damage() }
    }
}
