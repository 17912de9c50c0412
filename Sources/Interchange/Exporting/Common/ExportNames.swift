import Synchronization
import Workspaces

/// The variables of an export, by what they stand for: each has a name of its own that is one in every program.
///
/// A name of a file, of a remark or of another program can have any characters; what would be code elsewhere does not
/// get into a name. Two variables never have one name, whatever case and signs theirs differ by.
final class ExportNames: Sendable {
    /// What a variable stands for.
    enum Source: Hashable {
        /// A variable of the workspace.
        case variable(String)
        /// An environment variable that the workspace reads.
        case environmentVariable(String)
        /// A file with a secret, by its path.
        case file(String)
        /// A secret that the workspace has literally.
        case literal(String)
        /// What a function makes of its arguments.
        case call(String, arguments: [ExportText])
        /// A token that must be got first.
        case token(String)
        /// What URLs begin with.
        case baseURL
    }

    private struct State {
        var variables: [Source: ExportVariable] = [:]
        var names: Set<String>
        var environmentNames: Set<String>
    }

    private let state: Mutex<State>
    /// The environment variables of the program by their values, for those that are secret.
    private let variablesByValue: [String: String]
    /// A shorter value may be in a variable by chance.
    private static let shortestValue = 6

    /// Makes names for the variables of a workspace, in the order of its files.
    ///
    /// - Parameters:
    ///   - workspace: The workspace.
    ///   - environment: Its environment.
    ///   - variables: The environment variables of the program: a secret that is the value of one is that variable.
    init(_ workspace: Workspace, in environment: String, _ variables: [String: String] = [:]) {
        let usable = variables.filter { name, value in
            Self.isIdentifier(name) && value.utf8.count >= Self.shortestValue
                && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        }
        variablesByValue = Dictionary(usable.map { ($1, $0) }) { min($0, $1) }
        // What a variable or a template reads by a name has that name.
        var own = workspace.namedEnvironmentVariables.filter(Self.isIdentifier)
        var names: [String] = []
        for environment in workspace.environments.map(\.name) {
            for name in workspace.definedVariables(in: environment) where !names.contains(name) {
                names.append(name)
                if case .environmentVariable(let read) = workspace.source(of: name, in: environment),
                    Self.isIdentifier(read)
                {
                    own.insert(read)
                }
            }
        }
        state = Mutex(State(names: Self.reserved, environmentNames: own))
        for name in names { _ = variable(named: name, of: workspace, in: environment) }
        for (secret, kind) in workspace.literalCredentials {
            let source = Source.literal(secret)
            if state.withLock({ $0.variables[source] }) == nil {
                let label = ExportVariable.environmentName(of: kind).lowercased()
                _ = variable(for: source, label: label)
            }
        }
    }

    /// The variable for something; `label` is what it is called where it stands.
    func variable(
        for source: Source,
        label: String,
        environmentName: String? = nil,
        isSecret: Bool = true,
        origin: String = "a secret"
    ) -> ExportVariable {
        state.withLock { state in
            if let known = state.variables[source] { return known }
            let name = Self.free(Self.name(of: label), in: &state.names)
            let own = environmentName.flatMap { Self.isIdentifier($0) ? $0 : nil }
            var variable = ExportVariable(
                name: name,
                environmentName: own ?? Self.freeEnvironmentName(of: name, in: &state),
                isSecret: isSecret,
                origin: origin.inOneLine
            )
            variable.isBaseURL = source == .baseURL
            if case .variable(let name) = source { variable.workspaceName = name }
            state.variables[source] = variable
            return variable
        }
    }

    /// A variable of the workspace, and where its value comes from.
    func variable(
        named name: String,
        of workspace: Workspace,
        in environment: String
    ) -> ExportVariable {
        if let known = state.withLock({ $0.variables[.variable(name)] }) { return known }
        let isSecret = workspace.isSecretAnywhere(name)
        var environmentName: String?
        let origin: String
        switch workspace.source(of: name, in: environment) {
        case .value: origin = isSecret ? "a secret" : "a value"
        case nil: origin = "a captured value"
        case .environmentVariable(let own):
            environmentName = own
            origin =
                Self.isIdentifier(own)
                ? "a secret" : "the environment variable \u{201C}\(own)\u{201D}"
        case .secret(let words): origin = "a secret from \(words)"
        // The command itself may have a secret.
        case .command: origin = "what a command prints"
        case .question(let question): origin = question.text
        case .response(let target, let capture):
            origin = "\(capture) of the response of \(target)"
        }
        return variable(
            for: .variable(name),
            label: name,
            environmentName: environmentName,
            isSecret: isSecret,
            origin: origin
        )
    }

    /// The environment variable of the program that has a secret as its value; nil if there is none, or if the value
    /// would have to be escaped where the secret stands.
    func environmentVariable(of secret: String, in place: ExportText.Place) -> String? {
        let isBare = secret.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
                || "-._~".utf8.contains(byte)
        }
        return place == .plain || isBare ? variablesByValue[secret] : nil
    }

    // MARK: Names

    /// Whether a shell takes a text for a name.
    static func isIdentifier(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x5F
        }
    }

    /// A text as a name that all formats with variables take.
    private static func name(of text: String) -> String {
        var name = ""
        for byte in text.utf8 {
            let isLetter = (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte)
            if isLetter || byte == 0x2D || byte == 0x5F {
                name.unicodeScalars.append(Unicode.Scalar(byte))
            } else if name.utf8.last != 0x5F {
                name += "_"
            }
        }
        let first = name.utf8.first ?? 0
        return (0x41...0x5A).contains(first & 0xDF) ? name : "v\(name)"
    }

    private static func free(_ name: String, in taken: inout Set<String>) -> String {
        var free = name
        var number = 2
        while !taken.insert(free).inserted {
            free = "\(name)_\(number)"
            number += 1
        }
        return free
    }

    private static func freeEnvironmentName(of own: String, in state: inout State) -> String {
        let name = ExportVariable.environmentName(of: own)
        let means = meanings.contains(name) || prefixes.contains { name.hasPrefix($0) }
        return free(means ? "\(name)_VALUE" : name, in: &state.environmentNames)
    }

    /// The functions of hurl, which are no variables.
    private static let reserved: Set<String> = ["newUuid", "newDate", "getEnv"]

    /// Environment variables that are set already, or that change what a shell or a tool does.
    private static let meanings: Set<String> = [
        "PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "IFS", "ENV", "TERM", "LANG",
        "HOST", "HOSTNAME", "MAIL", "EDITOR", "PAGER", "TZ", "UID", "EUID", "GID", "PPID", "RANDOM",
        "SECONDS", "LINENO", "OPTARG", "OPTIND", "OPTERR", "PS1", "PS2", "PS3", "PS4", "CDPATH",
        "TMPDIR", "DISPLAY", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "FUNCNAME",
        "GROUPS", "DIRSTACK", "HISTFILE", "USERNAME", "NAME", "STATUS",
    ]
    private static let prefixes = [
        "LC_", "LD_", "BASH", "PYTHON", "CURL_", "SSL_", "REQUESTS_", "HTTPIE_", "DYLD_", "MALLOC_",
    ]
}
