/// Reads `$.a['b c'][0]`: the singular queries of RFC 9535 section 2.3.5, and
/// the same without `$`.
struct CapturePathParser {
    private let scalars: [Unicode.Scalar]
    private var at = 0

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func parse() throws(CapturePath.Fault) -> [CapturePath.Step] {
        var steps: [CapturePath.Step] = []
        if scalars.first == "$" {
            at = 1
        } else if scalars.first != "[" {
            steps.append(.member(try name()))
        }
        while at < scalars.count {
            switch scalars[at] {
            case ".":
                at += 1
                steps.append(.member(try name()))
            case "[": steps.append(try bracket())
            default: throw fault("`.name` or `[index]`")
            }
        }
        return steps
    }

    private mutating func name() throws(CapturePath.Fault) -> String {
        var view = String.UnicodeScalarView()
        while at < scalars.count, scalars[at] != ".", scalars[at] != "[" {
            guard scalars[at].value > 0x20, !"]'\"*()?@,:".unicodeScalars.contains(scalars[at])
            else {
                throw fault("a name; others are written as `['a name']`")
            }
            view.append(scalars[at])
            at += 1
        }
        guard !view.isEmpty else { throw fault("a name") }
        return String(view)
    }

    private mutating func bracket() throws(CapturePath.Fault) -> CapturePath.Step {
        at += 1
        guard at < scalars.count else { throw fault("an index or a quoted name") }
        let step: CapturePath.Step =
            if scalars[at] == "'" || scalars[at] == "\"" {
                .member(try quoted())
            } else {
                .index(try index())
            }
        guard at < scalars.count, scalars[at] == "]" else { throw fault("`]`") }
        at += 1
        return step
    }

    private mutating func index() throws(CapturePath.Fault) -> Int {
        let start = at
        while at < scalars.count, scalars[at] != "]" { at += 1 }
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars[start..<at])
        guard let index = Int(String(view)), index > Int.min else {
            at = start
            throw fault("an index or a quoted name")
        }
        return index
    }

    private mutating func quoted() throws(CapturePath.Fault) -> String {
        let quote = scalars[at]
        at += 1
        var view = String.UnicodeScalarView()
        while at < scalars.count, scalars[at] != quote {
            if scalars[at] == "\\", at + 1 < scalars.count { at += 1 }
            view.append(scalars[at])
            at += 1
        }
        guard at < scalars.count else { throw fault("the closing quote") }
        at += 1
        return String(view)
    }

    private func fault(_ expected: String) -> CapturePath.Fault {
        CapturePath.Fault(offset: at, expected: expected)
    }
}
