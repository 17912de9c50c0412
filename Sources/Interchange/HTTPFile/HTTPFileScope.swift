import Documents
import Workspaces

/// What the names in `{{ … }}` of an `.http` file stand for at the place where they are.
final class HTTPFileScope {
    /// A value from a response: `{{ login.response.body.$.token }}`.
    struct Reference {
        let original: String
        let request: String
        /// Nil if a workspace cannot capture it.
        let capture: String?
    }

    /// The names that requests have in the file.
    var requestNames: Set<String> = []
    /// The names that environments set, before which those of the file go.
    var environmentNames: Set<String> = []
    private(set) var references: [Reference] = []
    /// What a workspace makes otherwise, or asks for, since the last call of `takeLosses`.
    private var losses: [ImportLoss] = []
    /// The environment variables of the process that are used, and what stands for them.
    private(set) var processVariables: [(name: String, original: String)] = []
    /// What a redefined variable is called from there on.
    private var aliases: [String: String] = [:]
    private var values: [String: String] = [:]
    private var definitions: [String: Int] = [:]
    /// The number of the file, from 1: requests of one name in two files are two requests.
    private var fileNumber = 0

    /// httpyac's `host`, which is before URLs that are a path.
    var base: String? {
        values["host"] != nil || environmentNames.contains("host") ? "host" : nil
    }

    /// Forgets what is of the last file: variables of a file are its own.
    func beginFile() {
        aliases = [:]
        values = [:]
        references = []
        fileNumber += 1
    }

    /// What was met since the last call.
    func takeLosses() -> [ImportLoss] {
        defer { losses = [] }
        return losses
    }

    private func lose(_ text: String, _ reason: String) {
        let loss = ImportLoss("a value that is made", reason, text: "{{\(text)}}")
        if !losses.contains(loss) { losses.append(loss) }
    }

    /// The name of the variable that has a value from here on.
    func define(_ name: String, _ value: String) -> String {
        if values[name] == value { return aliases[name] ?? name }
        values[name] = value
        let number = (definitions[name] ?? (environmentNames.contains(name) ? 1 : 0)) + 1
        definitions[name] = number
        let original = number == 1 ? name : "\(name) \(number)"
        aliases[name] = original
        return original
    }

    /// The workspace's expression; nil for what stays as text.
    func expression(_ text: String, _ names: inout ImportNames) -> String? {
        guard !text.isEmpty else { return nil }
        if text.hasPrefix("$") { return dynamic(text, &names) }
        if text.hasPrefix("%") {
            return "{{ \(names.use(current(String(text.dropFirst())))) | url }}"
        }
        if values[text] == nil, let reference = reference(text) {
            if !references.contains(where: { $0.original == reference.original }) {
                references.append(reference)
            }
            return "{{ \(names.use(reference.original)) }}"
        }
        if text.contains(where: { "('[+?".contains($0) }) {
            lose(text, "a workspace runs no JavaScript, so that it is asked for")
        }
        return names.reference(to: current(text))
    }

    private func current(_ name: String) -> String { aliases[name] ?? name }

    private func reference(_ text: String) -> Reference? {
        guard let found = plainReference(text), fileNumber > 1 else { return plainReference(text) }
        let original = "\(text) \(fileNumber)"
        return Reference(original: original, request: found.request, capture: found.capture)
    }

    private func plainReference(_ text: String) -> Reference? {
        guard let dot = text.firstIndex(of: ".") else { return nil }
        let request = String(text[..<dot])
        let rest = String(text[dot...].dropFirst())
        if rest.hasPrefix("response.headers.") || rest.hasPrefix("response.headers[") {
            let field = rest.dropFirst(17).filter { !"'\"[]".contains($0) }
            return Reference(original: text, request: request, capture: "header:" + field)
        }
        if rest.hasPrefix("response.cookies.") {
            return Reference(original: text, request: request, capture: nil)
        }
        if rest.hasPrefix("response.body") || rest.hasPrefix("response.parsedBody") {
            var path = String(rest.dropFirst(rest.hasPrefix("response.body") ? 13 : 19))
            if path.hasPrefix(".$") { path = String(path.dropFirst()) }
            if path.isEmpty || path == ".*" { path = "$" }
            if !path.hasPrefix("$") { path = HandlerScript.path(path).map { "$" + $0 } ?? path }
            let isPath = path.hasPrefix("$") && (try? JSONPath(parsing: path)) != nil
            return Reference(original: text, request: request, capture: isPath ? path : nil)
        }
        if rest == "response.status" || rest == "response.statusCode" {
            return Reference(original: text, request: request, capture: "status")
        }
        if rest.hasPrefix("request.") {
            return Reference(original: text, request: request, capture: nil)
        }
        // httpyac: the name of a request stands for the JSON of its response.
        guard requestNames.contains(request), let path = HandlerScript.path("." + rest) else {
            return nil
        }
        return Reference(original: text, request: request, capture: "$" + path)
    }

    // MARK: Values that are made

    private func dynamic(_ text: String, _ names: inout ImportNames) -> String? {
        let words = Self.words(text)
        let name = words[0]
        let rest = Array(words.dropFirst())
        let call = HandlerScript.call(String(text.prefix { $0 != "(" }), text) ?? []
        switch name.prefix(while: { $0 != "(" }) {
        case "$guid", "$uuid", "$random.uuid", "$randomUUID": return "{{ uuid }}"
        case "$timestamp": return time(rest, "unix", text)
        case "$isoTimestamp": return "{{ now }}"
        case "$datetime", "$localDatetime":
            let format = DateFormat(rest.first ?? "iso8601")
            if !format.isWhole { lose(text, "a part of the format has no like here") }
            if name == "$localDatetime" { lose(text, "a workspace writes the time in UTC") }
            return time(Array(rest.dropFirst()), format.text, text)
        case "$randomInt":
            let bounds = rest.compactMap { Int($0) }
            guard bounds.count == 2, bounds[0] < bounds[1] else { return "{{ random(0, 1000) }}" }
            return "{{ random(\(bounds[0]), \(bounds[1] - 1)) }}"
        case "$random.integer", "$random.float":
            if name.hasPrefix("$random.float") {
                lose(text, "a workspace makes whole numbers, so that one stands for it")
            }
            let bounds = call.compactMap { Double($0) }.filter { abs($0) < 1e9 }.map { Int($0) }
            guard bounds.count == 2, bounds[0] < bounds[1] else { return "{{ random(0, 1000) }}" }
            return "{{ random(\(bounds[0]), \(bounds[1] - 1)) }}"
        case "$random.alphabetic", "$random.alphanumeric", "$random.hexadecimal", "$random":
            lose(text, "a workspace makes no letters, so that as many digits stand for them")
            let count = min(max(call.first.flatMap { Int($0) } ?? 10, 1), 9)
            let low = (0..<(count - 1)).reduce(1) { number, _ in number * 10 }
            return "{{ random(\(low), \(low * 10 - 1)) }}"
        case "$random.email":
            return "user{{ random }}@example.com"
        case "$processEnv", "$env":
            guard let variable = rest.first else { return nil }
            return process(
                variable.hasPrefix("%") ? String(variable.dropFirst()) : variable,
                &names
            )
        case "$dotenv", "$shared":
            guard let variable = rest.first else { return nil }
            return names.reference(
                to: variable.hasPrefix("%") ? String(variable.dropFirst()) : variable
            )
        default:
            if name.hasPrefix("$env.") { return process(String(name.dropFirst(5)), &names) }
            // Made by faker, or got by signing in elsewhere.
            lose(text, "a workspace cannot make it, so that it is asked for")
            return names.reference(to: String(text.dropFirst()))
        }
    }

    private func process(_ variable: String, _ names: inout ImportNames) -> String {
        let original = "$processEnv \(variable)"
        if !processVariables.contains(where: { $0.name == variable }) {
            // The name alone, where the file has no variable of it.
            processVariables.append((variable, original))
        }
        return "{{ \(names.use(original)) }}"
    }

    /// The words of an expression; a text in quotes is one.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word.append(character) }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == " " {
                if !word.isEmpty { words.append(word) }
                word = ""
            } else {
                word.append(character)
            }
        }
        if !word.isEmpty { words.append(word) }
        return words.isEmpty ? [text] : words
    }

    private func time(_ offset: [String], _ format: String, _ text: String) -> String {
        var shift = "+0 s"
        if offset.count >= 2, let count = Int(offset[0]) {
            let units: [String: (Int, String)] = [
                "y": (365, "day"), "Q": (91, "day"), "M": (30, "day"), "w": (7, "day"),
                "d": (1, "day"), "h": (1, "h"),
                "m": (1, "min"), "s": (1, "s"), "ms": (1, "ms"),
            ]
            if let (factor, unit) = units[offset[1]] {
                let (product, overflows) = count.multipliedReportingOverflow(by: factor)
                if !overflows, abs(product) < 1_000_000 {
                    shift = "\(product < 0 ? "-" : "+")\(abs(product)) \(unit)"
                }
                if factor > 7 { lose(text, "a month has 30 days here, and a year 365") }
            } else {
                lose(text, "its unit is not known, so that it is the present time")
            }
        }
        if format == "iso", shift == "+0 s" { return "{{ now }}" }
        return "{{ now('\(shift)', '\(format)') }}"
    }
}
