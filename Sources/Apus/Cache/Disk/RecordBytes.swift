import FoundationEssentials
import HTTPTypes

/// Puts values one behind the other: numbers as varints, text and bytes with
/// their length in front.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    mutating func add(_ number: Int) {
        var rest = UInt64(bitPattern: Int64(number << 1 ^ number >> 63))
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    mutating func add(_ text: String) {
        add(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    mutating func add(_ raw: UnsafeBufferPointer<UInt8>) {
        add(raw.count)
        bytes.append(contentsOf: raw)
    }

    mutating func add(_ text: String?) {
        add(text == nil ? 0 : 1)
        if let text { add(text) }
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

    mutating func add(_ duration: Duration) {
        add(Int(duration.components.seconds))
        add(Int(duration.components.attoseconds))
    }

    mutating func add(_ date: Date) {
        // All bits, so that the date comes back equal.
        add(Int(Int64(bitPattern: date.timeIntervalSinceReferenceDate.bitPattern)))
    }
}

/// Takes apart what `RecordWriter` put together; nothing in it is trusted.
struct RecordReader {
    /// The bytes are not a record.
    struct Damage: Error {}

    private let bytes: UnsafeRawBufferPointer
    private var offset = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func number() throws(Damage) -> Int {
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

    mutating func raw() throws(Damage) -> UnsafeRawBufferPointer {
        let count = try count()
        defer { offset += count }
        return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count])
    }

    mutating func text() throws(Damage) -> String {
        String(decoding: try raw(), as: UTF8.self)
    }

    mutating func optionalText() throws(Damage) -> String? {
        try number() == 0 ? nil : try text()
    }

    /// Fields as `RecordWriter` adds them; at first it wrote all names as text.
    mutating func fields(hasNumbers: Bool = true) throws(Damage) -> HTTPFields {
        let count = try count()
        var fields = HTTPFields()
        fields.reserveCapacity(count)
        for _ in 0..<count {
            let number = hasNumbers ? try number() : 0
            let name = number == 0 ? HTTPField.Name(try text()) : FieldNames.name(number)
            guard let name else { throw Damage() }
            fields.append(HTTPField(name: name, stored: try raw()))
        }
        return fields
    }

    mutating func duration() throws(Damage) -> Duration {
        Duration(
            secondsComponent: Int64(try number()),
            attosecondsComponent: Int64(try number())
        )
    }

    mutating func date() throws(Damage) -> Date {
        Date(
            timeIntervalSinceReferenceDate: Double(
                bitPattern: UInt64(bitPattern: Int64(try number()))
            )
        )
    }
}

extension HTTPField {
    /// A field whose value comes back as it was stored.
    ///
    /// Most values are printable ASCII, and need not be looked through for UTF-8: that takes five
    /// times as long as to make the field.
    fileprivate init(name: Name, stored value: UnsafeRawBufferPointer) {
        let isPrintable = value.allSatisfy { 0x20..<0x7F ~= $0 }
        if isPrintable, value.first != 0x20, value.last != 0x20 {
            self.init(name: name, value: String(decoding: value, as: UTF8.self))
        } else {
            self.init(name: name, lenientValue: value)
        }
    }
}
