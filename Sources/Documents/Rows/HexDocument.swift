/// Bytes as rows of sixteen, made on request.
package struct HexDocument: Sendable {
    /// The bytes in a row.
    package static let width = 16

    /// The bytes that the rows show, sixteen in each.
    package let bytes: DocumentBytes

    /// Creates rows of bytes.
    package init(_ bytes: DocumentBytes) {
        self.bytes = bytes
    }

    /// The number of rows.
    package var rowCount: Int { (bytes.count + Self.width - 1) / Self.width }

    /// One row; nil if there is none.
    package func row(at row: Int) -> HexRow? {
        guard row >= 0 && row < rowCount else { return nil }
        let offset = row * Self.width
        let end = min(offset + Self.width, bytes.count)
        return HexRow(offset: offset, bytes: bytes.array(in: offset..<end))
    }
}

/// A row of up to sixteen bytes, as shown in a pane.
package struct HexRow: Sendable, Equatable {
    /// The offset of the first byte in the body.
    package let offset: Int
    /// Up to sixteen bytes.
    package let bytes: [UInt8]

    /// The offset in hexadecimal, at least eight digits.
    package var offsetText: String {
        let digits = String(offset, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    /// The bytes in hexadecimal, padded with spaces to the width of a full row: 48 characters, including an
    /// extra space in the middle.
    package var hex: String {
        var text: [UInt8] = []
        for column in 0..<HexDocument.width {
            if column > 0 { text.append(0x20) }
            if column == HexDocument.width / 2 { text.append(0x20) }
            guard column < bytes.count else {
                text.append(contentsOf: [0x20, 0x20])
                continue
            }
            text.append(HexDigit.digit(bytes[column] >> 4))
            text.append(HexDigit.digit(bytes[column]))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes as ASCII, with a dot for each unprintable one.
    package var ascii: String {
        String(decoding: bytes.map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
    }
}
