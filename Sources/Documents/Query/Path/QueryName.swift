/// A member's name or a string in a query: its UTF-8, which is compared without making a `String`.
struct QueryName: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ text: some StringProtocol) {
        bytes = Array(text.utf8)
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }
}
