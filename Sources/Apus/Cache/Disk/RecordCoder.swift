import FoundationEssentials
import Glibc
import HTTPTypes

/// Puts values one behind the other: numbers as varints, text and bytes with
/// their length in front.
package struct RecordWriter {
    /// What was added.
    package private(set) var bytes: [UInt8] = []

    /// Makes one with room for so many bytes.
    package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    /// Adds a number.
    package mutating func add(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number << 1 ^ number >> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Adds a text.
    package mutating func add(_ text: String) {
        add(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    /// Adds bytes.
    package mutating func add(_ raw: UnsafeBufferPointer<UInt8>) {
        add(raw.count)
        bytes.append(contentsOf: raw)
    }

    /// Adds a text, or that there is none.
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
        // All bits, so that the date comes back equal.
        add(Int(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern)))
    }

    /// Adds a number.
    package mutating func add(_ number: Double) { add(fixed: number.bitPattern) }

    /// Eight bytes.
    mutating func add(fixed number: UInt64) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// The bytes, behind their checksum.
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

/// Takes apart what `RecordWriter` put together; nothing in it is trusted.
package struct RecordReader {
    /// The bytes are not a record.
    package struct Damage: Error {
        package init() {}
    }

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    /// Reads bytes, which it does not keep.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Reads what `RecordWriter.sealed` wrote; nil if it has changed since.
    init?(sealed bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8 else { return nil }
        let checksum = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        let rest = UnsafeRawBufferPointer(rebasing: bytes[8...])
        guard checksum == Checksum.of(rest) else { return nil }
        self.init(rest)
    }

    /// Whether all was read.
    package var isAtEnd: Bool { offset == bytes.count }

    /// A number.
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

    /// A number of things that are to follow, each at least a byte.
    mutating func count() throws(Damage) -> Int {
        let count = try number()
        guard count >= 0, count <= bytes.count - offset else { throw Damage() }
        return count
    }

    /// A number of fields, no more than there may be.
    private mutating func fieldCount() throws(Damage) -> Int {
        let count = try count()
        guard count <= FieldLimits.mostLines else { throw Damage() }
        return count
    }

    /// Room that is made for fields before they are read: a count may promise a hundred times the
    /// memory that its record has.
    private static let usualCount = 64

    /// Bytes, as long as the reader's.
    package mutating func raw() throws(Damage) -> UnsafeRawBufferPointer {
        try next(try count())
    }

    private mutating func next(_ count: Int) throws(Damage) -> UnsafeRawBufferPointer {
        guard count <= bytes.count - offset else { throw Damage() }
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    /// A text.
    package mutating func text() throws(Damage) -> String {
        String(decoding: try raw(), as: UTF8.self)
    }

    /// A text, or nil.
    package mutating func optionalText() throws(Damage) -> String? {
        try number() == 0 ? nil : try text()
    }

    /// Fields as `RecordWriter` adds them; at first it wrote all names as text.
    mutating func fields(hasNumbers: Bool = true) throws(Damage) -> HTTPFields {
        let count = try fieldCount()
        var fields = HTTPFields()
        fields.reserveCapacity(min(count, Self.usualCount))
        for _ in 0..<count { fields.append(try field(hasNumber: hasNumbers)) }
        return fields
    }

    /// Status, reason phrase and fields as `RecordWriter` adds them; what is `known` is not made
    /// anew.
    mutating func head(known: inout KnownHead) throws(Damage) -> HTTPResponse {
        let start = offset
        if try !renew(&known) {
            offset = start
            known = try newHead()
        }
        return known.head
    }

    /// Makes the head that is `known` the next one; false if the fields have other names.
    private mutating func renew(_ known: inout KnownHead) throws(Damage) -> Bool {
        guard let length = known.length(ofPart: 0, in: rest) else { return false }
        offset += length
        for part in 1..<known.ends.count {
            if let length = known.length(ofPart: part, in: rest) {
                offset += length
                continue
            }
            let start = offset
            let field = try field(hasNumber: true)
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
            fields.append(try field(hasNumber: true))
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

    private mutating func field(hasNumber: Bool) throws(Damage) -> HTTPField {
        let number = hasNumber ? try number() : 0
        let name = number == 0 ? HTTPField.Name(try text()) : FieldNames.name(number)
        guard let name else { throw Damage() }
        return HTTPField(name: name, stored: try raw())
    }

    mutating func duration() throws(Damage) -> Duration {
        let seconds = try number()
        let attoseconds = try number()
        // What is longer than a million years would overflow where it is added up.
        guard seconds.magnitude < 1 << 45, attoseconds.magnitude < 1_000_000_000_000_000_000
        else { throw Damage() }
        return Duration(
            secondsComponent: Int64(seconds),
            attosecondsComponent: Int64(attoseconds)
        )
    }

    /// A number.
    package mutating func double() throws(Damage) -> Double { Double(bitPattern: try fixed()) }

    /// Eight bytes.
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

    /// A date as `RecordWriter` adds numbers.
    mutating func fixedDate() throws(Damage) -> Date { try Self.date(try double()) }

    /// Dates that no clock gives would overflow where they become durations.
    private static func date(_ seconds: Double) throws(Damage) -> Date {
        // The numbers, for a date of NaN is neither before nor behind any other.
        let (first, last) = (Date.distantPast, Date.distantFuture)
        guard seconds >= first.timeIntervalSinceReferenceDate,
            seconds <= last.timeIntervalSinceReferenceDate
        else { throw Damage() }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

extension HTTPField {
    /// A field whose value comes back as it was stored.
    fileprivate init(name: Name, stored value: UnsafeRawBufferPointer) {
        // Most values need no more than that; to look through them first, and for UTF-8, takes
        // several times as long.
        self.init(name: name, value: String(decoding: value, as: UTF8.self))
        let isAsStored = withUnsafeBytesOfValue { UnsafeRawBufferPointer($0).isEqual(to: value) }
        if !isAsStored { self.init(name: name, lenientValue: value) }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether two memories have the same bytes.
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
