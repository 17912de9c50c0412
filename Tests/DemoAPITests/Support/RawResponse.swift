/// A response as it came over the socket.
struct RawResponse: Sendable {
    var status = 0
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// All of the body came that the head promised.
    var isComplete = false

    subscript(name: String) -> String? {
        all(name).first
    }

    func all(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    var text: String { String(decoding: body, as: UTF8.self) }
}
