import TestSupport

@testable import Documents

/// A JSON value that tests edit, and the text by which they tell whether two are equal.
indirect enum DiffModel {
    case scalar(String)
    case array([DiffModel])
    case object([(key: String, value: DiffModel)])

    private static let scalars = [
        "null", "true", "0", "1", "2", "1.0", "\"a\"", #""\u0061""#, "\"b/~c\"",
    ]
    private static let keys = ["a", "b", "c/d", "~e", "", "é", #"\u00e9"#, "id"]

    static func random(_ depth: Int, _ generator: inout SeededGenerator) -> DiffModel {
        let choice = depth == 0 ? 9 : Int.random(in: 0..<9, using: &generator)
        let count = Int.random(in: 0..<7, using: &generator)
        switch choice {
        case 0..<3: return .array((0..<count).map { _ in random(depth - 1, &generator) })
        case 3..<6:
            return .object(
                (0..<count).map { _ in
                    (keys.randomElement(using: &generator) ?? "", random(depth - 1, &generator))
                }
            )
        default: return .scalar(scalars.randomElement(using: &generator) ?? "0")
        }
    }

    /// A copy in which a few things were put, taken, moved or changed.
    func edited(_ depth: Int, _ generator: inout SeededGenerator) -> DiffModel {
        if Int.random(in: 0..<12, using: &generator) == 0 { return .random(depth, &generator) }
        switch self {
        case .scalar: return self
        case .array(let items):
            var items = items.map { $0.edited(depth - 1, &generator) }
            let place = Int.random(in: 0...items.count, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: items.insert(.random(depth - 1, &generator), at: place)
            case 1 where place < items.count: items.remove(at: place)
            case 2 where place < items.count:
                let item = items.remove(at: place)
                items.insert(item, at: Int.random(in: 0...items.count, using: &generator))
            case 3 where Bool.random(using: &generator): items.reverse()
            default: break
            }
            return .array(items)
        case .object(let members):
            var members = members.map { ($0.key, $0.value.edited(depth - 1, &generator)) }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: members.shuffle(using: &generator)
            case 1: _ = members.popLast()
            case 2:
                let key = Self.keys.randomElement(using: &generator) ?? ""
                members.append((key, .random(depth - 1, &generator)))
            default: break
            }
            return .object(members.map { (key: $0.0, value: $0.1) })
        }
    }

    var text: String {
        switch self {
        case .scalar(let text): text
        case .array(let items): "[" + items.map(\.text).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\"\($0.key)\": \($0.value.text)" }.joined(separator: ", ") + "}"
        }
    }
}

extension Document {
    /// A text that is the same for equal values only: sorted keys, decoded strings, numbers as written.
    func canonical(_ node: NodeIndex = .root, byValue: Bool = false) -> String {
        switch kind(of: node) {
        case .array:
            return "["
                + children(of: node).map { canonical($0, byValue: byValue) }.joined(separator: ",")
                + "]"
        case .object:
            var members: [(String, Int, String)] = []
            for (place, child) in children(of: node).enumerated() {
                members.append((key(of: child) ?? "", place, canonical(child, byValue: byValue)))
            }
            members.sort { ($0.0, $0.1) < ($1.0, $1.1) }
            return "{" + members.map { "\($0.0.debugDescription):\($0.2)" }.joined(separator: ",")
                + "}"
        case .string: return string(of: node)?.debugDescription ?? ""
        case .integer, .decimal:
            return byValue ? number(of: node)?.description ?? "" : sourceText(of: node)
        default: return sourceText(of: node)
        }
    }
}
