import HTTPTypes

/// The status and header fields of the record that was read last, with the bytes they were read of.
///
/// Answers of one server have most of their fields in common, and to compare a field's bytes is
/// a twentieth of the work of making it: a hit on disk takes 1.51 times as long as raw SQLite
/// with this, 1.67 times without (`Tests/Benchmarks/Cache`).
struct KnownHead {
    /// What was read.
    private(set) var head = HTTPResponse(status: .ok)
    /// What it was read of.
    private var bytes: [UInt8] = []
    /// Where in `bytes` its parts end: what stands before the fields, and each of them.
    private(set) var ends: [Int] = []

    /// Knows nothing.
    init() {}

    init(head: HTTPResponse, bytes: [UInt8], ends: [Int]) {
        self.head = head
        self.bytes = bytes
        self.ends = ends
    }

    /// How many bytes a part takes; nil if other bytes do not begin with them.
    func length(ofPart index: Int, in other: UnsafeRawBufferPointer) -> Int? {
        guard index < ends.count else { return nil }
        let range = range(ofPart: index)
        return has(range, at: other) ? range.count : nil
    }

    /// Puts a field in the place of a part other than the first; false if that has another name.
    ///
    /// Also false if the field there has a text that is equal but not of the same bytes (é as one
    /// letter or as two): to assign it would change nothing.
    mutating func replace(
        _ index: Int,
        with field: HTTPField,
        _ encoded: UnsafeRawBufferPointer
    ) -> Bool {
        let place = index - 1
        let last = head.headerFields[place]
        guard last.name.rawName == field.name.rawName, last.value != field.value else {
            return false
        }
        let range = range(ofPart: index)
        head.headerFields[place] = field
        bytes.replaceSubrange(range, with: encoded)
        let shift = encoded.count - range.count
        for later in index..<ends.count where shift != 0 { ends[later] += shift }
        return true
    }

    private func range(ofPart index: Int) -> Range<Int> {
        (index == 0 ? 0 : ends[index - 1])..<ends[index]
    }

    private func has(_ range: Range<Int>, at other: UnsafeRawBufferPointer) -> Bool {
        guard range.count <= other.count else { return false }
        return bytes.withUnsafeBytes { own in
            UnsafeRawBufferPointer(rebasing: own[range])
                .isEqual(to: UnsafeRawBufferPointer(rebasing: other[..<range.count]))
        }
    }
}

/// The usual names of header fields, which stand as numbers in records.
///
/// That makes records shorter, not hits quicker (by less than 2 %).
enum FieldNames {
    /// The number of a name, from 1; nil if it is none of the usual.
    static func number(_ name: HTTPField.Name) -> Int? { numbers[name.rawName] }

    /// The name that has a number; nil if none has.
    static func name(_ number: Int) -> HTTPField.Name? {
        1...usual.count ~= number ? usual[number - 1] : nil
    }

    private static let numbers = Dictionary(
        uniqueKeysWithValues: usual.enumerated().map { ($1.rawName, $0 + 1) }
    )

    // The place of a name is its number in records on disk: new ones go to the end.
    private static let usual: [HTTPField.Name] = words.flatMap { word in
        [word, word.lowercased()].compactMap { HTTPField.Name($0) }
    }

    private static let words = [
        "Accept-Ranges", "Access-Control-Allow-Origin", "Age", "Alt-Svc", "Cache-Control",
        "Connection", "Content-Disposition", "Content-Encoding", "Content-Language",
        "Content-Length", "Content-Location", "Content-Range", "Content-Security-Policy",
        "Content-Type", "Date", "ETag", "Expires", "Keep-Alive", "Last-Modified", "Link",
        "Location", "Pragma", "Referrer-Policy", "Retry-After", "Server", "Set-Cookie",
        "Strict-Transport-Security", "Transfer-Encoding", "Vary", "Via", "X-Cache",
        "X-Content-Type-Options", "X-Frame-Options", "X-Powered-By", "X-Request-Id",
        "X-XSS-Protection",
    ]
}
