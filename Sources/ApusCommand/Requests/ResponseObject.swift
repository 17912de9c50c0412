import Apus
import Documents
import FoundationEssentials

/// A JSON object that is written member by member.
///
/// Bodies are read and escaped in pieces while they are written, so the object needs memory only for its other
/// members.
struct ResponseObject: Sendable {
    /// A member's value.
    indirect enum Value: Sendable {
        case json(JSON)
        case body(BodyText)
        case object(ResponseObject)
        case list([ResponseObject])
    }

    private(set) var members: [(key: String, value: Value)]

    init(_ members: ResponseJSON.Members) {
        self.members = members.map { ($0.key, .json($0.value)) }
    }

    mutating func append(_ key: String, _ value: Value) { members.append((key, value)) }
    mutating func append(_ key: String, _ value: JSON) { append(key, .json(value)) }

    static func += (a: inout ResponseObject, b: ResponseObject) { a.members += b.members }

    static func + (a: ResponseJSON.Members, b: ResponseObject) -> ResponseObject {
        var object = ResponseObject(a)
        object += b
        return object
    }

    /// About how many bytes the bodies have.
    var bodyCount: Int {
        members.reduce(0) { count, member in
            switch member.value {
            case .json: count
            case .body(let text): count + text.body.count
            case .object(let object): count + object.bodyCount
            case .list(let objects): objects.reduce(count) { $0 + $1.bodyCount }
            }
        }
    }

    /// Writes the object and a line end, in pieces of at most 256 KiB.
    ///
    /// - Throws: What the sink throws, `DocumentWritingError` for a value that is not complete, and `ApusError`
    ///   with the reason `.file` if a body cannot be read any more, after some pieces were written.
    func writeLine(to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
        try OutputBuffer.with(sink) { output in
            try write(to: &output)
            try output.append("\n")
        }
    }

    private func write(to output: inout OutputBuffer) throws {
        try output.append("{")
        var isFirst = true
        for member in members {
            if !isFirst { try output.append(",") }
            isFirst = false
            try output.appendQuoted(member.key)
            try output.append(":")
            try Self.write(member.value, to: &output)
        }
        try output.append("}")
    }

    private static func write(_ value: Value, to output: inout OutputBuffer) throws {
        switch value {
        case .json(let json): try json.write(to: &output)
        case .body(let text): try text.write(to: &output)
        case .object(let object): try object.write(to: &output)
        case .list(let objects):
            try output.append("[")
            for (place, object) in objects.enumerated() {
                if place > 0 { try output.append(",") }
                try object.write(to: &output)
            }
            try output.append("]")
        }
    }
}

/// A body as a JSON string: as text if it is UTF-8, else in Base64.
struct BodyText: Sendable {
    /// Divisible by 3, so that the Base64 of the pieces can be joined.
    private static let pieceSize = 48 << 10

    let body: ResponseBody
    /// Whether it is UTF-8.
    let isText: Bool

    /// Reads the whole body to check whether it is UTF-8.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the body is in a file that cannot be read,
    ///   `.cancelled` if the task is cancelled meanwhile.
    init(_ body: ResponseBody) throws(ApusError) {
        self.body = body
        var check = UTF8Check()
        let cancellation = CancellationCheck()
        do {
            let isWhole = try body.passPieces(of: Self.pieceSize) {
                try cancellation.check()
                return check.check($0)
            }
            isText = isWhole && check.isValid
        } catch {
            throw error as? ApusError ?? ApusError(.cancelled)
        }
    }

    /// The member's name.
    var key: String { isText ? "body" : "bodyBase64" }

    fileprivate func write(to output: inout OutputBuffer) throws {
        try output.append("\"")
        try body.forEachPiece(of: Self.pieceSize) { piece in
            if isText {
                try output.appendEscaped(piece.bindMemory(to: UInt8.self))
            } else {
                try output.append(Data(piece).base64EncodedString())
            }
        }
        try output.append("\"")
    }
}
