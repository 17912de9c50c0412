import Glibc

/// The content of a JSON string or key, between its quotes, by code points.
///
/// Escapes are decoded like in `EscapedText`, so that different lone surrogates stay different.
enum StringContent {
    /// Calls `body` with the decoded bytes, or with those of the text if it has no escapes.
    @inline(__always) static func with<R>(
        _ base: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        _ body: (UnsafeBufferPointer<UInt8>) -> R
    ) -> R {
        let start = base + range.lowerBound
        guard range.count > 0, memchr(start, 0x5C, range.count) != nil else {
            return body(UnsafeBufferPointer(start: start, count: range.count))
        }
        return EscapedText.bytes(base, range).withUnsafeBufferPointer(body)
    }

    /// Whether a key equals a name; the key is decoded only if it has an escape before any difference.
    @inline(__always) static func isEqual(
        _ base: UnsafePointer<UInt8>,
        _ range: Range<Int>,
        to name: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        // An escape is always longer than the bytes it stands for.
        guard range.count >= name.count else { return false }
        let key = base + range.lowerBound
        var at = 0
        while at < name.count {
            let byte = key[at]
            if byte == 0x5C {
                return EscapedText.bytes(base, range).elementsEqual(name)
            }
            if byte != name[at] { return false }
            at &+= 1
        }
        return range.count == name.count
    }
}
