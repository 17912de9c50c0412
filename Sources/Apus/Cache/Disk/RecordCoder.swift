import FoundationEssentials
import Glibc
import HTTPTypes

/// Writes values one after another: numbers as varints, text and bytes with a length prefix.
package struct RecordWriter {
    /// Everything written so far.
    package private(set) var bytes: [UInt8] = []

    /// Makes a writer with an initial capacity in bytes.
    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Adds a number as a zigzag varint.
    package mutating func add(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number << 1 ^ number >> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Adds text as UTF-8, after its length.
    package mutating func add(_ text: String) {
        add(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    /// Adds bytes, after their length.
    package mutating func add(_ raw: UnsafeBufferPointer<UInt8>) {
        add(raw.count)
        bytes.append(contentsOf: raw)
    }

    /// Adds optional text, after a flag.
    package mutating func add(_ text: String?) {
        add(text == nil ? 0 : 1)
        if let text { add(text) }
    }

    mutating func add(_ name: KeyName) {
        add(name.other)
        if name.other == nil { name.withDigest { bytes.append(contentsOf: $0) } }
    }

    mutating func add(_ fields: HTTPFields) {
        add(fields.count)
        for field in fields {
            let number = FieldNames.number(field.name)
            add(number ?? 0)
            if number == nil { add(field.name.rawName) }
            field.withUnsafeBytesOfValue { add($0) }
        }
    }

    mutating func add(_ head: HTTPResponse) {
        add(head.status.code)
        add(head.status.reasonPhrase)
        add(head.headerFields)
    }

    mutating func add(_ duration: Duration) {
        add(Int(duration.components.seconds))
        add(Int(duration.components.attoseconds))
    }

    mutating func add(_ date: Date) {
        // All bits, so that the date is restored exactly.
        add(Int(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern)))
    }

    /// Adds a number as eight bytes.
    package mutating func add(_ number: Double) { add(fixed: number.bitPattern) }

    /// Adds eight bytes.
    mutating func add(fixed number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// The bytes, preceded by their checksum.
    var sealed: [UInt8] {
        var sealed = RecordWriter()
        sealed.bytes.reserveCapacity(bytes.count + 8)
        sealed.add(fixed: Checksum.of(bytes))
        sealed.bytes += bytes
        return sealed.bytes
    }

    mutating func add(_ number: Double?) {
        add(number == nil ? 0 : 1)
        if let number { add(number) }
    }
}

/// Decodes what `RecordWriter` wrote; the bytes are not trusted.
package struct RecordReader {
    /// The error of bytes that are not a record.
    package struct Damage: Error {
        package init() {}
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// Makes a reader of bytes, which must outlive it.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Makes a reader of what `RecordWriter.sealed` returned; nil if the checksum is wrong.
    init?(sealed bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        let checksum = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let rest = UnsafeRawBufferPointer(rebasing: bytes[8...])
        guard checksum == Checksum.of(rest) else { return nil }
        self.init(rest)
    }

    /// Whether all bytes have been read.
    package var isAtEnd: Bool { offset == bytes.count }

    /// Reads a varint.
    package mutating func number() throws(Damage) -> Int {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while offset < bytes.count, shift < 64 {
            let byte = bytes[offset]
            offset += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return Int(Int64(bitPattern: value >> 1 ^ (0 &- (value & 1)))) }
            shift += 7
        }
        throw Damage()
    }

    /// Reads the number of items that follow; each takes at least a byte.
    mutating func count() throws(Damage) -> Int {
        let count = try number()
        guard count >= 0, count <= bytes.count - offset else { throw Damage() }
        return count
    }

    /// Reads a number of fields, at most as many as are allowed.
    private mutating func fieldCount() throws(Damage) -> Int {
        let count = try count()
        guard count <= FieldLimits.mostLines else { throw Damage() }
        return count
    }

    /// The most fields to reserve room for: a false count could claim a hundred times the record's memory.
    private static let usualCount = 64

    /// Reads bytes; they are valid as long as the reader's own.
    package mutating func raw() throws(Damage) -> UnsafeRawBufferPointer {
        try next(try count())
    }

    private mutating func next(_ count: Int) throws(Damage) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw Damage() }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// Reads text.
    package mutating func text() throws(Damage) -> String {
        String(decoding: try raw(), as: UTF8.self)
    }

    /// Reads optional text.
    package mutating func optionalText() throws(Damage) -> String? {
        try number() == 0 ? nil : try text()
    }

    /// Reads fields, in order.
    mutating func fields() throws(Damage) -> HTTPFields {
        let count = try fieldCount()
        var fields = HTTPFields()
        fields.reserveCapacity(min(count, Self.usualCount))
        for _ in 0..<count { fields.append(try field()) }
        return fields
    }

    /// Reads status, reason phrase and fields; reuses what is `known`.
    mutating func head(known: inout KnownHead) throws(Damage) -> HTTPResponse {
        let start = offset
        if try !renew(&known) {
            offset = start
            known = try newHead()
        }
        return known.head
    }

    /// Changes `known` to the next head; returns false if its fields have other names.
    private mutating func renew(_ known: inout KnownHead) throws(Damage) -> Bool {
        guard let length = known.length(ofPart: 0, in: rest) else { return false }
        offset += length
        for part in 1..<known.ends.count {
            if let length = known.length(ofPart: part, in: rest) {
                offset += length
                continue
            }
            let start = offset
            let field = try field()
            let encoded = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
            guard known.replace(part, with: field, encoded) else { return false }
        }
        return true
    }

    private mutating func newHead() throws(Damage) -> KnownHead {
        let start = offset
        let status = try status()
        let count = try fieldCount()
        var fields = HTTPFields()
        fields.reserveCapacity(min(count, Self.usualCount))
        var ends = [offset - start]
        ends.reserveCapacity(min(count, Self.usualCount) + 1)
        for _ in 0..<count {
            fields.append(try field())
            ends.append(offset - start)
        }
        return KnownHead(
            head: HTTPResponse(status: status, headerFields: fields),
            bytes: [UInt8](bytes[start..<offset]),
            ends: ends
        )
    }

    mutating func status() throws(Damage) -> HTTPResponse.Status {
        let code = try number()
        guard (100...999).contains(code) else { throw Damage() }
        return HTTPResponse.Status(code: code, reasonPhrase: try text())
    }

    private var rest: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[offset...]) }

    private mutating func field() throws(Damage) -> HTTPField {
        let number = try number()
        let name = number == 0 ? HTTPField.Name(try text()) : FieldNames.name(number)
        guard let name else { throw Damage() }
        return HTTPField(name: name, stored: try raw())
    }

    mutating func duration() throws(Damage) -> Duration {
        let seconds = try number()
        let attoseconds = try number()
        // Longer than a million years would overflow in sums.
        guard seconds.magnitude < 1 << 45, attoseconds.magnitude < 1_000_000_000_000_000_000
        else { throw Damage() }
        return Duration(
            secondsComponent: Int64(seconds),
            attosecondsComponent: Int64(attoseconds)
        )
    }

    /// Reads a number of eight bytes.
    package mutating func double() throws(Damage) -> Double { Double(bitPattern: try fixed()) }

    /// Reads eight bytes.
    mutating func fixed() throws(Damage) -> UInt64 {
        UInt64(littleEndian: try next(8).loadUnaligned(as: UInt64.self))
    }

    mutating func optionalDouble() throws(Damage) -> Double? {
        try number() == 0 ? nil : try double()
    }

    mutating func name() throws(Damage) -> KeyName {
        if let other = try optionalText() { return KeyName(other) }
        guard let name = KeyName(digest: try next(32)) else { throw Damage() }
        return name
    }

    mutating func date() throws(Damage) -> Date {
        try Self.date(Double(bitPattern: UInt64(bitPattern: Int64(try number()))))
    }

    /// Reads a date of eight bytes.
    mutating func fixedDate() throws(Damage) -> Date { try Self.date(try double()) }

    /// Rejects dates that would overflow when converted to durations.
    private static func date(_ seconds: Double) throws(Damage) -> Date {
        // Compares numbers because comparing a date of NaN is meaningless.
        let (first, last) = (Date.distantPast, Date.distantFuture)
        guard seconds >= first.timeIntervalSinceReferenceDate,
            seconds <= last.timeIntervalSinceReferenceDate
        else { throw Damage() }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

extension HTTPField {
    /// Makes a field whose value has exactly the stored bytes.
    fileprivate init(name: Name, stored value: UnsafeRawBufferPointer) {
        // Most values need only this. Checking them first, also for UTF-8, takes several times as long.
        self.init(name: name, value: String(decoding: value, as: UTF8.self))
        let isAsStored = withUnsafeBytesOfValue { UnsafeRawBufferPointer($0).isEqual(to: value) }
        if !isAsStored { self.init(name: name, lenientValue: value) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether two buffers have the same bytes.
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
