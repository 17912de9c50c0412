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

    init(_ entry: StoredResponse) {
        self.init(head: entry.head, received: entry.received, metrics: entry.metrics)
    }

    /// What the record is of.
    var answer: ReceivedAnswer {
        ReceivedAnswer(head: head, received: received, metrics: metrics)
    }

    /// The version of the form that is written; all up to it are read.
    ///
    /// 2 adds to the metrics each redirect's URL and fields, and irregular header lines; since 3
    /// the usual names of fields are numbers.
    private static let version = 3

    /// The record as bytes.
    package var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.add(Self.version)
        writer.add(received)
        writer.add(head.status.code)
        writer.add(head.status.reasonPhrase)
        writer.add(head.headerFields)
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
        let version = try reader.number()
        guard (1...Self.version).contains(version) else { throw RecordReader.Damage() }
        received = try reader.date()
        let code = try reader.number()
        let reason = try reader.text()
        guard (100...999).contains(code) else { throw RecordReader.Damage() }
        head = HTTPResponse(status: .init(code: code, reasonPhrase: reason))
        head.headerFields = try reader.fields(hasNumbers: version > 2)
        if try reader.number() == 1 { metrics = try reader.metrics(version: version) }
        guard reader.isAtEnd else { throw RecordReader.Damage() }
    }
}
