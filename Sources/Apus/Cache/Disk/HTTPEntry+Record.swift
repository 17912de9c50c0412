import FoundationEssentials

extension HTTPEntry {
    /// As a column's bytes.
    var encoded: [UInt8] {
        var writer = RecordWriter()
        writer.add(primary.text)
        writer.add(account)
        selecting.add(to: &writer)
        writer.add(requestTime)
        writer.add(responseTime)
        writer.add(isInvalidated ? 1 : 0)
        switch content {
        case .whole(let length):
            writer.add(0)
            writer.add(length ?? -1)
        case .part(let range):
            writer.add(1)
            writer.add(range.bytes.lowerBound)
            writer.add(range.bytes.upperBound)
            writer.add(range.total ?? -1)
        }
        return writer.bytes
    }

    /// Reads what `encoded` wrote; nil for anything else.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var reader = RecordReader(bytes)
        do throws(RecordReader.Damage) {
            try self.init(&reader)
        } catch {
            return nil
        }
    }

    private init(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        let primary = KeyName(try reader.text())
        let account = try reader.text()
        let selecting = try SelectingFields(&reader)
        let requestTime = try reader.date()
        let responseTime = try reader.date()
        let isInvalidated = try reader.number() == 1
        let content = try Self.content(&reader)
        guard reader.isAtEnd else { throw RecordReader.Damage() }
        self.init(
            primary: primary,
            account: account,
            selecting: selecting,
            content: content,
            requestTime: requestTime,
            responseTime: responseTime,
            isInvalidated: isInvalidated
        )
    }

    private static func content(
        _ reader: inout RecordReader
    ) throws(RecordReader.Damage) -> StoredHead.Content {
        if try reader.number() == 0 {
            let length = try reader.number()
            return .whole(length: length < 0 ? nil : length)
        }
        let start = try reader.number()
        let end = try reader.number()
        let total = try reader.number()
        guard 0 <= start, start < end else { throw RecordReader.Damage() }
        return .part(ContentRange(bytes: start..<end, total: total < 0 ? nil : total))
    }
}

extension SelectingFields {
    fileprivate func add(to writer: inout RecordWriter) {
        key.withUnsafeBufferPointer { writer.add($0) }
        writer.add(members.count)
        for member in members {
            writer.add(member.name)
            writer.add(member.value)
        }
    }

    fileprivate init(_ reader: inout RecordReader) throws(RecordReader.Damage) {
        let key = [UInt8](try reader.raw())
        var members: [Member] = []
        for _ in 0..<(try reader.count()) {
            members.append(Member(name: try reader.text(), value: try reader.text()))
        }
        self.init(key: key, members: members)
    }
}
