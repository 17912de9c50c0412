import Documents
import Terminal
import TreeView

/// A method as lists show it: colored, and shortened where there is no room.
struct MethodTag {
    /// The width of the longest short method.
    static let columns = 4
    /// The width of the longest of the usual methods.
    static let fullColumns = 7

    /// The short method: `DEL`.
    let text: String
    /// The method as it is: `DELETE`; of an unusual one, the beginning.
    let full: String
    let scope: Scope

    /// How many columns the whole method takes to the left of where the short one begins.
    var overhang: Int { max(0, full.count - Self.columns) }

    /// The whole method if it fits, else the short one.
    func fitting(_ columns: Int) -> String { full.count <= columns ? full : text }

    init(_ method: String) {
        let method = method.asciiUppercased
        full = String(method.prefix(Self.fullColumns))
        (text, scope) =
            switch method {
            case "GET": ("GET", .methodGet)
            case "POST": ("POST", .methodPost)
            case "PUT": ("PUT", .methodPut)
            case "PATCH": ("PTCH", .methodPatch)
            case "DELETE": ("DEL", .methodDelete)
            case "HEAD": ("HEAD", .methodHead)
            case "OPTIONS": ("OPTS", .methodOther)
            default: (String(method.prefix(Self.columns)), .methodOther)
            }
    }
}

extension Look {
    /// The style of an HTTP status, by its first digit.
    func style(ofStatus status: Int) -> StyleID {
        switch status {
        case 200..<300: self[.statusSuccess]
        case 300..<400: self[.statusRedirect]
        case 400..<500: self[.statusClientError]
        default: self[.statusServerError]
        }
    }

    /// The style of an environment's name.
    func style(of mark: EnvironmentMark) -> StyleID {
        switch mark.color {
        case nil: self[mark.isDangerous ? .error : .textAccent]
        case .red: self[.error]
        case .orange: self[.methodPatch]
        case .yellow: self[.warning]
        case .green: self[.statusSuccess]
        case .cyan: self[.methodHead]
        case .blue: self[.sourceServer]
        case .violet: self[.sourceCache]
        case .pink: self[.treeBoolean]
        case .grey: self[.textMuted]
        }
    }

    /// A text with the sign for masked characters that the terminal can show.
    func shown(masked text: String) -> String {
        let dot = symbols.maskedDot
        return dot == Symbols.unicode.maskedDot
            ? text : text.replacing(String(Symbols.unicode.maskedDot), with: String(dot))
    }

    /// The shaft and head of an arrow, at least two columns.
    func arrow(columns: Int) -> String {
        String(repeating: String(symbols.horizontal), count: max(1, columns - 1))
            + String(symbols.arrowHead)
    }
}

extension Duration {
    /// The phase of a gauge without a total, which moves every tenth of a second.
    var motionPhase: Int { Int(self / .milliseconds(100)) }
}
