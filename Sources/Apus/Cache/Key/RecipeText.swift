/// The lines of a key's recipe; a line end inside a part cannot pass for a new part.
struct RecipeText {
    private(set) var bytes: [UInt8] = []

    init(_ text: String = "") {
        // Most recipes fit: one allocation for all lines.
        bytes.reserveCapacity(max(256, 2 * text.utf8.count))
        append(text)
    }

    /// The text as far as it goes.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds a line.
    mutating func add(_ name: String, _ value: String) {
        begin(name)
        appendEscaping(value)
    }

    /// Begins a line, up to the blank before its value.
    mutating func begin(_ name: String, _ detail: String? = nil) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: "\n")) }
        append(name)
        bytes.append(UInt8(ascii: " "))
        guard let detail else { return }
        append(detail)
        bytes.append(UInt8(ascii: " "))
    }

    /// Adds to the line what is known to have neither line end nor backslash.
    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes.append(contentsOf: $0) }
    }

    /// As `append`, for a part of a text.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>) { bytes.append(contentsOf: text) }

    /// Adds to the line.
    mutating func appendEscaping(_ text: String) {
        var text = text
        text.withUTF8 { text in
            for byte in text {
                switch byte {
                case UInt8(ascii: "\n"): bytes.append(contentsOf: #"\n"#.utf8)
                case UInt8(ascii: "\\"): bytes.append(contentsOf: #"\\"#.utf8)
                default: bytes.append(byte)
                }
            }
        }
    }
}
