package import FoundationEssentials
package import HTTPTypes

/// What is kept of a response beside its body, as one row's bytes.
///
/// An own form, because reading it back is part of every hit from disk: a
/// JSON decoder takes longer for it than SQLite for the row.
package struct ResponseRecord: Sendable, Hashable {
    /// What the record is of, with the body that it was given.
    let answer: ReceivedAnswer

    /// Status, reason phrase and header fields, in order.
    package var head: HTTPResponse { answer.head }
    /// When it was received.
    package var received: Date { answer.received }
    /// What the transfer measured.
    package var metrics: TransferMetrics? { answer.metrics }

    /// Makes a record.
    package init(head: HTTPResponse, received: Date, metrics: TransferMetrics?) {
        self.init(
            ReceivedAnswer(head: head, body: .bytes([]), received: received, metrics: metrics)
        )
    }

    init(_ answer: ReceivedAnswer) { self.answer = answer }

    /// The version of the form that is written; all up to it are read.
    ///
    /// 2 adds to the metrics each redirect's URL and fields, and irregular header lines; since 3
    /// the usual names of fields are numbers; since 4 the length of the metrics stands before them.
    static let version = 4

    /// The record as bytes.
    package var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.add(Self.version)
        writer.add(received)
        writer.add(head)
        answer.measurement.encoded.withUnsafeBufferPointer { writer.add($0) }
        return writer.bytes
    }

    /// Reads the record of an answer that had this body; nil if the bytes are none.
    package init?(_ bytes: UnsafeRawBufferPointer, body: [UInt8] = []) {
        var known = KnownHead()
        self.init(bytes, body: body, known: &known)
    }

    /// Reads a record; quickest if its status and fields are `known`.
    init?(_ bytes: UnsafeRawBufferPointer, body: [UInt8], known: inout KnownHead) {
        var reader = RecordReader(bytes)
        do throws(RecordReader.Damage) {
            answer = try reader.answer(body, &known)
        } catch {
            return nil
        }
    }
}

extension RecordReader {
    fileprivate mutating func answer(
        _ body: [UInt8],
        _ known: inout KnownHead
    ) throws(Damage) -> ReceivedAnswer {
        let version = try number()
        guard (1...ResponseRecord.version).contains(version) else { throw Damage() }
        let received = try date()
        let head = version > 2 ? try head(known: &known) : try earlierHead()
        let measurement = try measurement(version: version)
        guard isAtEnd else { throw Damage() }
        return ReceivedAnswer(
            head: head,
            body: .bytes(body),
            received: received,
            measurement: measurement
        )
    }

    private mutating func earlierHead() throws(Damage) -> HTTPResponse {
        HTTPResponse(status: try status(), headerFields: try fields(hasNumbers: false))
    }

    private mutating func measurement(version: Int) throws(Damage) -> Measurement {
        guard version < 4 else { return .recorded([UInt8](try raw())) }
        return .read(try number() == 1 ? try metrics(version: version) : nil)
    }
}
