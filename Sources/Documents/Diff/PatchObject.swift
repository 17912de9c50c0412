/// An object that is being patched.
struct PatchObject {
    struct Member {
        /// The key in quotes and its colon, as written.
        let quotedKey: [UInt8]
        var value: Int
        var isRemoved = false
    }

    private var members: [Member] = []
    /// The places of the members by decoded key; of several of one name the last.
    private var places: [[UInt8]: Int] = [:]

    /// What is left, in order.
    var present: [Member] { members.filter { !$0.isRemoved } }

    mutating func append(_ key: Range<Int>, of bytes: DocumentBytes, value: Int) {
        let quoted = [0x22] + bytes.array(in: key) + [0x22, 0x3A]
        places[DecodedText.bytes(key, of: bytes)] = members.count
        members.append(Member(quotedKey: quoted, value: value))
    }

    func value(of key: [UInt8]) -> Int? { places[key].map { members[$0].value } }

    mutating func set(_ key: [UInt8], to value: Int) {
        if let place = places[key] {
            members[place].value = value
            return
        }
        var quoted: [UInt8] = []
        DecodedText.appendQuoted(key, to: &quoted)
        places[key] = members.count
        members.append(Member(quotedKey: quoted + [0x3A], value: value))
    }

    mutating func remove(_ key: [UInt8]) -> Int? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        members[place].isRemoved = true
        return members[place].value
    }
}
