import Terminal

/// A method as the lists show it: short, aligned, in its colour.
struct MethodTag {
    /// The columns that the longest takes.
    static let columns = 4

    let text: String
    let scope: Scope

    init(_ method: String) {
        let method = method.uppercased()
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
