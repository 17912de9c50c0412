/// Bytes as rows of sixteen, made when they are asked for.
package struct HexDocument: Sendable {
    /// The bytes in a row.
    package static let width = 16

    /// The bytes.
    package let bytes: DocumentBytes

    /// Shows some bytes.
    package init(_ bytes: DocumentBytes) {
        self.bytes = bytes
    }

    /// The number of rows.
    package var rowCount: Int { (bytes.count + Self.width - 1) / Self.width }

    /// One row.
    package func row(at row: Int) -> HexRow? {
        guard row >= 0 && row < rowCount else { return nil }
        let offset = row * Self.width
        let end = min(offset + Self.width, bytes.count)
        return HexRow(offset: offset, bytes: bytes.array(in: offset..<end))
    }
}
