import Documents

/// Finds the credentials that stand as literals in a GraphQL document (GraphQL, October 2021, section 2).
///
/// They are the strings and numbers of arguments, input fields and variables' defaults with a credential's
/// name:
///
///     mutation ($pin: String = "••••••") { login(user: "ada", password: "••••••") { id } }
///
/// The document is scanned and not parsed, since one that is cut off has credentials too.
struct GraphQLLiterals {
    private typealias Bytes = UnsafeBufferPointer<UInt8>

    /// The ranges of the credentials in bytes, without quotes.
    private(set) var places: [Range<Int>] = []
    /// The credentials.
    private(set) var texts: [String] = []

    /// What says which names are those of credentials, and other such names.
    private let names: CredentialMask
    private let own: Set<String>

    /// Scans a text, if it begins as a document does.
    init(_ text: String, by names: CredentialMask) {
        var text = text
        self = text.withUTF8 { GraphQLLiterals($0, by: names) }
    }

    /// The same for bytes; a `+` counts as the blank that it is in a form.
    init(
        _ bytes: UnsafeBufferPointer<UInt8>,
        by names: CredentialMask,
        among own: Set<String> = []
    ) {
        (self.names, self.own) = (names, own)
        guard Self.begins(bytes) else { return }
        var place = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "#"):
                place = bytes[place...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? bytes.count
            case UInt8(ascii: "\""): place = Self.string(from: place, in: bytes).end
            case let byte where Self.isOfName(byte):
                place = addValue(ofNameAt: place, in: bytes)
            default: place += 1
            }
        }
    }

    /// Whether a text begins as a document does: with a selection, or with an operation's or a fragment's word.
    static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        var rest = bytes[...].drop(while: isBlank)
        while rest.first == UInt8(ascii: "#") {
            rest = rest.drop { $0 != 0x0A && $0 != 0x0D }.drop(while: isBlank)
        }
        if rest.first == UInt8(ascii: "{") { return true }
        let word = rest.prefix(13).prefix(while: isOfName)
        return ["query", "mutation", "subscription", "fragment"].contains {
            word.elementsEqual($0.utf8)
        }
    }

    // MARK: values

    /// Adds the value of a name, if it has one that is a credential.
    ///
    /// - Returns: where to go on.
    private mutating func addValue(ofNameAt start: Int, in bytes: Bytes) -> Int {
        let end = bytes[start...].firstIndex { !Self.isOfName($0) } ?? bytes.count
        var value = Self.skippingBlanks(from: end, in: bytes)
        guard value < bytes.count, bytes[value] == UInt8(ascii: ":"), end - start <= 64 else {
            return end
        }
        value = Self.skippingBlanks(from: value + 1, in: bytes)
        // A variable has its type first: `$password: [String!] = "…"`.
        if start > 0, bytes[start - 1] == UInt8(ascii: "$") {
            let afterType =
                bytes[value...].firstIndex { !(Self.isOfType($0) || Self.isBlank($0)) }
                ?? bytes.count
            guard afterType < bytes.count, bytes[afterType] == UInt8(ascii: "=") else {
                return value
            }
            value = Self.skippingBlanks(from: afterType + 1, in: bytes)
        }
        let name = String(decoding: bytes[start..<end], as: UTF8.self)
        var isInList = false
        while value < bytes.count {
            switch bytes[value] {
            case UInt8(ascii: "["): (isInList, value) = (true, value + 1)
            case UInt8(ascii: "\""):
                let found = Self.string(from: value, in: bytes)
                let text = Self.decoded(bytes[found.content])
                if names.isCredential(.text(text), named: name, among: own) {
                    add(found.content, text)
                }
                value = found.end
                if !isInList { return value }
            case UInt8(ascii: "-"), 0x30...0x39:
                let end =
                    bytes[(value + 1)...].firstIndex {
                        !Self.isOfName($0) && !"+-.".utf8.contains($0)
                    } ?? bytes.count
                if names.isCredential(.number, named: name, among: own) {
                    add(value..<end, String(decoding: bytes[value..<end], as: UTF8.self))
                }
                value = end
                if !isInList { return value }
            case let byte where isInList && Self.isBlank(byte): value += 1
            // A variable, an enumeration's value, an object: the names in it are read next.
            default: return value
            }
        }
        return value
    }

    private mutating func add(_ range: Range<Int>, _ text: String) {
        guard !range.isEmpty else { return }
        places.append(range)
        texts.append(text)
    }

    /// The content of a string, and where what follows its closing quotes begins; a cut one ends with the text.
    private static func string(
        from start: Int,
        in bytes: Bytes
    ) -> (content: Range<Int>, end: Int) {
        let quotes: [UInt8] = [0x22, 0x22, 0x22]
        guard bytes[start...].starts(with: quotes) else {
            let end = CredentialMask.endOfQuoted(from: start + 1, in: bytes)
            return (start + 1..<end, min(end + 1, bytes.count))
        }
        var end = start + 3
        while end < bytes.count, !bytes[end...].starts(with: quotes) {
            // `\"""` does not end a block string.
            let isEscaped = bytes[end] == UInt8(ascii: "\\")
            end += isEscaped && bytes[(end + 1)...].starts(with: quotes) ? 4 : 1
        }
        end = min(end, bytes.count)
        return (start + 3..<end, min(end + 3, bytes.count))
    }

    private static func decoded(_ content: Slice<Bytes>) -> String {
        let text = String(decoding: content, as: UTF8.self)
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return text }
        // A string that JSON cannot read is searched for as it is written.
        return (try? JSON(parsing: "\"\(text)\""))?.string ?? text
    }

    // MARK: bytes

    private static func skippingBlanks(from start: Int, in bytes: Bytes) -> Int {
        bytes[start...].firstIndex { !isBlank($0) } ?? bytes.count
    }

    /// A comma is white space in GraphQL.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "+")
            // The bytes of U+FEFF, which may stand at the beginning.
            || [0xEF, 0xBB, 0xBF].contains(byte)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isOfType(_ byte: UInt8) -> Bool {
        isOfName(byte) || "[]!".utf8.contains(byte)
    }
}

extension CredentialMask {
    /// The bytes of a GraphQL document without its credentials, and these, except short ones.
    func masking(graphQL bytes: [UInt8]) -> (masked: [UInt8], found: Set<String>) {
        bytes.withUnsafeBufferPointer { text in
            let literals = GraphQLLiterals(text, by: self)
            guard isOn, !literals.places.isEmpty else { return (bytes, []) }
            let found = literals.texts.filter { $0.utf8.count >= Self.shortestElsewhere }
            return (text.replacing(literals.places) { name(of: $0, in: $1) }, Set(found))
        }
    }
}
