import TestSupport

/// Random JSON texts, without white space and with it.
struct RandomJSON {
    private static let scalars = [
        "null", "true", "false", "0", "-1", "12.50", "1E400", "-0.0e-7", "\"\"", "\"text\"",
        #""\u00e9\n\"""#, "\"é日本語😀\"", #""a long string that is longer than one vector \\""#,
        "123456789012345678901234567890", #""\ud800""#,
    ]
    private static let keys = ["a", "b", "", "a", "日本", #"q\"uote"#, "a longer key than sixteen"]

    private(set) var minified = ""
    private(set) var spaced = ""
    private var generator: SeededGenerator

    init(seed: UInt64, depth: Int = 5) {
        generator = SeededGenerator(seed: seed)
        value(depth)
    }

    private mutating func value(_ depth: Int) {
        let choice = depth == 0 ? 9 : Int.random(in: 0..<10, using: &generator)
        switch choice {
        case 0..<3: container(depth, "[", "]", hasKeys: false)
        case 3..<6: container(depth, "{", "}", hasKeys: true)
        default: put(Self.scalars.randomElement(using: &generator) ?? "null")
        }
    }

    private mutating func container(_ depth: Int, _ open: String, _ close: String, hasKeys: Bool) {
        put(open)
        for index in 0..<Int.random(in: 0..<6, using: &generator) {
            if index > 0 { put(",") }
            if hasKeys {
                put("\"" + (Self.keys.randomElement(using: &generator) ?? "") + "\"")
                put(":")
            }
            value(depth - 1)
        }
        put(close)
    }

    private mutating func put(_ token: String) {
        minified += token
        let spaces = ["", "", "", " ", "\n", "\r\n\t", "\n                   "]
        spaced += (spaces.randomElement(using: &generator) ?? "") + token
    }
}
