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
        // What came later stands at the end, and only if there is some: records without it
        // stay as they were.
        guard metrics.redirects.contains(where: { !$0.withheldFields.isEmpty }) else { return }
        for redirect in metrics.redirects {
            add(redirect.withheldFields.count)
            for name in redirect.withheldFields { add(name) }
        }
    }

    private mutating func add(_ phases: TransferMetrics.Phases) {
        for phase in [
            phases.nameLookup, phases.connect, phases.secureConnect, phases.preTransfer,
            phases.firstByte, phases.total, phases.redirects,
        ] { add(phase) }
    }
}

extension TransferMetrics {
    /// Reads what `Measurement.encoded` wrote; nil for anything else.
    init?(recorded bytes: UnsafeRawBufferPointer) {
        var reader = RecordReader(bytes)
        guard let metrics = try? reader.metrics(), reader.isAtEnd else { return nil }
        self = metrics
    }
}

extension RecordReader {
    /// Metrics as `RecordWriter` adds them to a record of this version.
    mutating func metrics(version: Int = ResponseRecord.version) throws(Damage) -> TransferMetrics {
        var metrics = TransferMetrics(
            phases: try phases(),
            bytesSent: try number(),
            bytesReceived: try number(),
            negotiatedVersion: try optionalText(),
            remoteAddress: try optionalText(),
            reusedConnection: try number() == 1
        )
        metrics.effectiveURL = try optionalText()
        for _ in 0..<(try count()) {
            metrics.redirects.append(try redirect(version: version))
        }
        for _ in 0..<(try count()) { metrics.certificates.append(try certificate()) }
        if version > 1 {
            for _ in 0..<(try count()) { metrics.irregularHeaderLines.append(try text()) }
        }
        for _ in 0..<(try count()) {
            guard let kind = WireTraceEntry.Kind(rawValue: try text()) else { throw Damage() }
            metrics.trace.append(WireTraceEntry(kind: kind, text: try text()))
        }
        // Since 4 the metrics stand alone.
        guard version > 3, !isAtEnd else { return metrics }
        for index in metrics.redirects.indices {
            for _ in 0..<(try count()) {
                metrics.redirects[index].withheldFields.append(try text())
            }
        }
        return metrics
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

    private mutating func redirect(version: Int) throws(Damage) -> TransferMetrics.Redirect {
        var redirect = TransferMetrics.Redirect(status: try number(), location: try text())
        guard version > 1 else { return redirect }
        redirect.url = try text()
        redirect.fields = try fields(hasNumbers: version > 2)
        return redirect
    }

    private mutating func certificate() throws(Damage) -> TransferMetrics.Certificate {
        var fields: [TransferMetrics.Certificate.Field] = []
        for _ in 0..<(try count()) { fields.append(.init(name: try text(), value: try text())) }
        return TransferMetrics.Certificate(fields: fields)
    }
}
