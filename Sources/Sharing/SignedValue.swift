import Apus
import CZlib

/// A value as it stands in the store: compressed if it is large, and signed with the team's key under the
/// names that it is stored by.
///
/// ```
/// "APS1"  flags  length of the content (8 bytes)  content, perhaps deflated  HMAC-SHA256 (32 bytes)
/// ```
/// The signature is over the names and all bytes before it, so a value cannot be moved to another name.
struct SignedValue {
    /// Why a value is not used.
    enum Refusal: Error, Hashable {
        case unsigned
        case wrongSignature
        case unreadable

        /// The reason for people.
        var text: String {
            switch self {
            case .unsigned: "it is not signed"
            case .wrongSignature: "it is not signed with the team's key, or was changed"
            case .unreadable: "it cannot be read"
            }
        }
    }

    private static let magic: [UInt8] = Array("APS1".utf8)
    private static let deflated: UInt8 = 1
    private static let headCount = 13
    private static let codeCount = 32
    /// More bytes are compressed.
    static let largestPlain = 1 << 20
    /// No value has more.
    static let largest = 64 << 20

    let key: TeamKey

    /// The bytes to store.
    func sealed(_ content: [UInt8], _ names: [String]) -> [UInt8] {
        var flags: UInt8 = 0
        var packed = content
        if content.count > Self.largestPlain, let small = Self.deflated(content),
            small.count < content.count
        {
            (packed, flags) = (small, Self.deflated)
        }
        var value = Self.magic + [flags]
        value.reserveCapacity(packed.count + Self.headCount + Self.codeCount)
        withUnsafeBytes(of: UInt64(content.count).littleEndian) { value.append(contentsOf: $0) }
        value += packed
        return value + key.code(names, value)
    }

    /// The content of stored bytes.
    ///
    /// - Throws: why they are not used.
    func opened(_ value: [UInt8], _ names: [String]) throws(Refusal) -> [UInt8] {
        let count = value.count - Self.codeCount
        guard count >= Self.headCount, value.starts(with: Self.magic) else { throw .unsigned }
        let code = key.code(names, Array(value[..<count]))
        guard Self.areEqual(code, value[count...]) else { throw .wrongSignature }
        let length = value[5..<13].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard length <= UInt64(Self.largest) else { throw .unreadable }
        let content = Array(value[Self.headCount..<count])
        let isDeflated = value[4] & Self.deflated != 0
        let whole = isDeflated ? Self.inflated(content, to: Int(length)) : content
        guard let whole, whole.count == Int(length) else { throw .unreadable }
        return whole
    }

    /// Compares all bytes, whatever they are, so that the time says nothing about the signature.
    private static func areEqual(_ one: [UInt8], _ other: ArraySlice<UInt8>) -> Bool {
        one.count == other.count && zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func deflated(_ bytes: [UInt8]) -> [UInt8]? {
        let room = czlib_bound(bytes.count)
        let packed = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let start = buffer.baseAddress else { return }
            count = czlib_compress(bytes, bytes.count, Int32(CZLIB_FORMAT_ZLIB), start)
        }
        return packed.isEmpty ? nil : packed
    }

    private static func inflated(_ bytes: [UInt8], to length: Int) -> [UInt8]? {
        var isWhole = false
        let whole = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            var size = UInt(length)
            let result = uncompress(buffer.baseAddress, &size, bytes, UInt(bytes.count))
            isWhole = result == Z_OK
            count = isWhole ? Int(size) : 0
        }
        return isWhole ? whole : nil
    }
}
