package import FoundationEssentials
package import HTTPTypes

/// A response without its body, encoded as bytes for a row.
///
/// Decoding is part of every disk hit, and a JSON decoder would take longer than SQLite takes for the row.
package struct ResponseRecord: Sendable, Hashable {
    /// The response, with the body that was passed in.
    let response: ResponseParts

    /// Status, reason phrase and header fields, in order.
    package var head: HTTPResponse { response.head }
    /// When the response was received.
    package var received: Date { response.received }
    /// What the transfer measured; nil if it was not measured or cannot be decoded.
    package var metrics: TransferMetrics? { response.metrics }

    /// Makes a record.
    package init(head: HTTPResponse, received: Date, metrics: TransferMetrics?) {
        self.init(
            ResponseParts(head: head, body: .bytes([]), received: received, metrics: metrics)
        )
    }

    init(_ response: ResponseParts) { self.response = response }

    /// The version that is written and read; a record of another one is a miss.
    static let version = 4

    /// The record as stored: the version, when it was received, the head and the measurements.
    package var encoded: [UInt8] {
        var writer = RecordWriter(capacity: 512)
        writer.add(Self.version)
        writer.add(received)
        writer.add(head)
        response.measurement.encoded.withUnsafeBufferPointer { writer.add($0) }
        return writer.bytes
    }

    /// Decodes the record of a response with this body; nil if the bytes are not a record.
    package init?(_ bytes: UnsafeRawBufferPointer, body: [UInt8] = []) {
        var known = KnownHead()
        self.init(bytes, body: body, known: &known)
    }

    /// Decodes a record; fastest if its status and fields are those of `known`.
    init?(_ bytes: UnsafeRawBufferPointer, body: [UInt8], known: inout KnownHead) {
        var reader = RecordReader(bytes)
        do throws(RecordReader.Damage) {
            response = try reader.answer(body, &known)
        } catch {
            return nil
        }
    }
}

extension RecordReader {
    fileprivate mutating func answer(
        _ body: [UInt8],
        _ known: inout KnownHead
    ) throws(Damage) -> ResponseParts {
        guard try number() == ResponseRecord.version else { throw Damage() }
        let received = try date()
        let head = try head(known: &known)
        let measurement = LazyMetrics.recorded([UInt8](try raw()))
        guard isAtEnd else { throw Damage() }
        return ResponseParts(
            head: head,
            body: .bytes(body),
            received: received,
            measurement: measurement
        )
    }
}

extension RecordWriter {
    mutating func add(_ metrics: TransferMetrics) {
        add(metrics.phases)
        add(metrics.bytesSent)
        add(metrics.bytesReceived)
        add(metrics.negotiatedVersion)
        add(metrics.remoteAddress)
        add(metrics.reusedConnection ? 1 : 0)
        add(metrics.effectiveURL)
        add(metrics.redirects.count)
        for redirect in metrics.redirects {
            add(redirect.status)
            add(redirect.location)
            add(redirect.url)
            add(redirect.fields)
        }
        add(metrics.certificates.count)
        for certificate in metrics.certificates {
            add(certificate.fields.count)
            for field in certificate.fields {
                add(field.name)
                add(field.value)
            }
        }
        add(metrics.irregularHeaderLines.count)
        for line in metrics.irregularHeaderLines { add(line) }
        add(metrics.trace.count)
        for entry in metrics.trace {
            add(entry.kind.rawValue)
            add(entry.text)
        }
        // Later additions come last and only if they exist, so that other records are unchanged.
        let hasMore =
            metrics.trailerCount > 0 || !metrics.interimResponses.isEmpty
            || metrics.undecoded != nil || metrics.tls != nil
        guard hasMore || metrics.redirects.contains(where: { !$0.withheldFields.isEmpty }) else {
            return
        }
        for redirect in metrics.redirects {
            add(redirect.withheldFields.count)
            for name in redirect.withheldFields { add(name) }
        }
        guard hasMore else { return }
        add(metrics.trailerCount)
        add(metrics.interimResponses.count)
        for head in metrics.interimResponses { add(head) }
        add(metrics.undecoded)
        if let tls = metrics.tls { add(tls) }
    }

    private mutating func add(_ tls: TransferMetrics.TLS) {
        for text in [tls.version, tls.cipher, tls.applicationProtocol, tls.fault?.rawValue] {
            add(text)
        }
        add(tls.isVerified ? 1 : 0)
    }

    private mutating func add(_ phases: TransferMetrics.Phases) {
        for phase in [
            phases.nameLookup, phases.connect, phases.secureConnect, phases.preTransfer,
            phases.firstByte, phases.total, phases.redirects,
        ] { add(phase) }
    }
}

extension TransferMetrics {
    /// Decodes what `LazyMetrics.encoded` made; nil for anything else.
    init?(recorded bytes: UnsafeRawBufferPointer) {
        var reader = RecordReader(bytes)
        guard let metrics = try? reader.metrics(), reader.isAtEnd else { return nil }
        self = metrics
    }
}

extension RecordReader {
    mutating func metrics() throws(Damage) -> TransferMetrics {
        var metrics = TransferMetrics(
            phases: try phases(),
            bytesSent: try number(),
            bytesReceived: try number(),
            negotiatedVersion: try optionalText(),
            remoteAddress: try optionalText(),
            reusedConnection: try number() == 1
        )
        metrics.effectiveURL = try optionalText()
        for _ in 0..<(try count()) { metrics.redirects.append(try redirect()) }
        for _ in 0..<(try count()) { metrics.certificates.append(try certificate()) }
        for _ in 0..<(try count()) { metrics.irregularHeaderLines.append(try text()) }
        for _ in 0..<(try count()) {
            guard let kind = WireTraceEntry.Kind(rawValue: try text()) else { throw Damage() }
            metrics.trace.append(WireTraceEntry(kind: kind, text: try text()))
        }
        guard !isAtEnd else { return metrics }
        for index in metrics.redirects.indices {
            for _ in 0..<(try count()) {
                metrics.redirects[index].withheldFields.append(try text())
            }
        }
        guard !isAtEnd else { return metrics }
        metrics.trailerCount = min(try count(), metrics.irregularHeaderLines.count)
        for _ in 0..<(try count()) {
            var known = KnownHead()
            metrics.interimResponses.append(try head(known: &known))
        }
        metrics.undecoded = try optionalText()
        if !isAtEnd { metrics.tls = try tls() }
        return metrics
    }

    private mutating func tls() throws(Damage) -> TransferMetrics.TLS {
        var tls = TransferMetrics.TLS(
            version: try optionalText(),
            cipher: try optionalText(),
            applicationProtocol: try optionalText()
        )
        // A failure that a later version knows is none that can be named here.
        tls.fault = try optionalText().flatMap(ApusError.TLSFailure.init)
        tls.isVerified = try number() == 1
        return tls
    }

    private mutating func phases() throws(Damage) -> TransferMetrics.Phases {
        TransferMetrics.Phases(
            nameLookup: try duration(),
            connect: try duration(),
            secureConnect: try duration(),
            preTransfer: try duration(),
            firstByte: try duration(),
            total: try duration(),
            redirects: try duration()
        )
    }

    private mutating func redirect() throws(Damage) -> TransferMetrics.Redirect {
        var redirect = TransferMetrics.Redirect(status: try number(), location: try text())
        redirect.url = try text()
        redirect.fields = try fields()
        return redirect
    }

    private mutating func certificate() throws(Damage) -> TransferMetrics.Certificate {
        var fields: [TransferMetrics.Certificate.Field] = []
        for _ in 0..<(try count()) { fields.append(.init(name: try text(), value: try text())) }
        return TransferMetrics.Certificate(fields: fields)
    }
}

/// The metrics of a transfer, decoded or still encoded.
///
/// Metrics of stored responses are rarely needed, so they are decoded on demand.
enum LazyMetrics: Sendable {
    case read(TransferMetrics?)
    /// The bytes that `encoded` returns.
    case recorded([UInt8])

    /// The metrics; nil if there are none or they cannot be decoded.
    var metrics: TransferMetrics? {
        switch self {
        case .read(let metrics): metrics
        case .recorded(let bytes): bytes.withUnsafeBytes { TransferMetrics(recorded: $0) }
        }
    }

    /// The encoded metrics; empty if there are none.
    var encoded: [UInt8] {
        switch self {
        case .recorded(let bytes): return bytes
        case .read(nil): return []
        case .read(let metrics?):
            var writer = RecordWriter(capacity: 256)
            writer.add(metrics)
            return writer.bytes
        }
    }
}

extension LazyMetrics: Hashable {
    static func == (left: LazyMetrics, right: LazyMetrics) -> Bool { left.metrics == right.metrics }

    func hash(into hasher: inout Hasher) { hasher.combine(metrics) }
}
