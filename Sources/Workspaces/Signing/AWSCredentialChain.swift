package import Apus
import FoundationEssentials
import Glibc

/// Finds the keys and the region for signatures of AWS, in the order that AWS documents.
///
///     keys    in the workspace ▸ its profile ▸ AWS_ACCESS_KEY_ID … ▸ the profile AWS_PROFILE ▸ default
///     region  in the workspace ▸ AWS_REGION ▸ AWS_DEFAULT_REGION ▸ the profile's
///
/// A profile has its keys in the credentials file, from its `credential_process`, or in the configuration file.
package struct AWSCredentialChain: Sendable {
    /// Where keys are, before a process has to be asked for them.
    enum Origin: Sendable {
        case keys(AWSCredentials)
        case process(ShellCommand, profile: String)
    }

    private let variable: @Sendable (_ name: String) -> String?
    private let home: String

    /// Makes a chain.
    ///
    /// - Parameters:
    ///   - home: the folder that has `.aws`.
    ///   - variable: returns the value of an environment variable; nil if it is not set.
    package init(home: String, variable: @escaping @Sendable (_ name: String) -> String?) {
        self.home = home
        // An empty variable counts as none, as it does for AWS.
        self.variable = { name in variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    }

    /// With this process's environment.
    package static var process: AWSCredentialChain {
        let environment = ProcessInfo.processInfo.environment
        return AWSCredentialChain(home: environment["HOME"] ?? "/") { environment[$0] }
    }

    // MARK: Keys

    /// Where the keys of a plan are.
    ///
    /// - Throws: `.authorization(.unsignable)` that says what is missing.
    func origin(for plan: AWSSigningPlan) throws(ApusError) -> Origin {
        if let keys = plan.keys { return .keys(keys) }
        guard let profile = plan.profile else {
            if let keys = environmentKeys { return .keys(keys) }
            return try origin(of: standardProfile, isNamed: variable("AWS_PROFILE") != nil)
        }
        return try origin(of: profile, isNamed: true)
    }

    private var environmentKeys: AWSCredentials? {
        guard let id = variable("AWS_ACCESS_KEY_ID"),
            let secret = variable("AWS_SECRET_ACCESS_KEY")
        else { return nil }
        return AWSCredentials(
            accessKeyID: id,
            secretAccessKey: Apus.Secret(secret),
            sessionToken: variable("AWS_SESSION_TOKEN").map { Apus.Secret($0) }
        )
    }

    private var standardProfile: String {
        variable("AWS_PROFILE") ?? variable("AWS_DEFAULT_PROFILE") ?? "default"
    }

    private func origin(of profile: String, isNamed: Bool) throws(ApusError) -> Origin {
        let shared = try profiles(in: credentialsPath)[profile]
        let configured = try profiles(in: configurationPath, isConfiguration: true)[profile]
        guard shared != nil || configured != nil else {
            let files = "\(credentialsPath) and \(configurationPath)"
            throw Self.fault(
                isNamed
                    ? "there is no profile “\(profile)” in \(files)"
                    : "there are no credentials: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "
                        + "nor a profile “\(profile)” in \(files)"
            )
        }
        if let keys = Self.keys(in: shared ?? [:]) { return .keys(keys) }
        let both = (configured ?? [:]).merging(shared ?? [:]) { $1 }
        if let command = both["credential_process"] {
            return .process(ShellCommand(command, in: home), profile: profile)
        }
        if let keys = Self.keys(in: configured ?? [:]) { return .keys(keys) }
        let foreign = ["sso_session", "sso_start_url", "role_arn", "web_identity_token_file"]
        if let key = foreign.first(where: { both[$0] != nil }) {
            throw Self.fault(
                "the profile “\(profile)” gets its keys by `\(key)`, which only AWS's own tools do: "
                    + "export them (`aws configure export-credentials --profile \(profile) --format env`), "
                    + "or give the profile a `credential_process`"
            )
        }
        throw Self.fault("the profile “\(profile)” has no keys")
    }

    private static func keys(in profile: [String: String]) -> AWSCredentials? {
        guard let id = profile["aws_access_key_id"], let secret = profile["aws_secret_access_key"],
            !id.isEmpty, !secret.isEmpty
        else { return nil }
        let token = profile["aws_session_token"] ?? ""
        return AWSCredentials(
            accessKeyID: id,
            secretAccessKey: Apus.Secret(secret),
            sessionToken: token.isEmpty ? nil : Apus.Secret(token)
        )
    }

    // MARK: Region

    /// The region of a plan.
    ///
    /// - Throws: `.authorization(.unsignable)` if nothing says one.
    func region(for plan: AWSSigningPlan) throws(ApusError) -> String {
        if let region = plan.region { return region }
        if let region = variable("AWS_REGION") ?? variable("AWS_DEFAULT_REGION") { return region }
        let profile = plan.profile ?? standardProfile
        let configured = try profiles(in: configurationPath, isConfiguration: true)[profile]
        let shared = try profiles(in: credentialsPath)[profile]
        if let region = configured?["region"] ?? shared?["region"], !region.isEmpty {
            return region
        }
        throw Self.fault(
            "there is no region: neither `region` in `aws`, nor AWS_REGION, nor one of the profile “\(profile)”"
        )
    }

    /// The region that the environment or the profile names, or else the given one.
    ///
    /// - Throws: `.authorization(.unsignable)` if there is neither.
    package func region(or standard: String?) throws(ApusError) -> String {
        let plan = AWSSigningPlan(
            service: "",
            region: nil,
            profile: nil,
            keys: nil,
            payload: .signed
        )
        guard let standard else { return try region(for: plan) }
        return (try? region(for: plan)) ?? standard
    }

    static func fault(_ detail: String) -> ApusError {
        ApusError(.authorization(.unsignable(detail: detail)))
    }

    // MARK: Files

    private var credentialsPath: String {
        path("AWS_SHARED_CREDENTIALS_FILE", else: "credentials")
    }
    private var configurationPath: String { path("AWS_CONFIG_FILE", else: "config") }

    private func path(_ name: String, else file: String) -> String {
        guard let path = variable(name) else { return "\(home)/.aws/\(file)" }
        return path.hasPrefix("~/") ? home + path.dropFirst() : path
    }

    /// The profiles of a file; empty if there is none.
    private func profiles(
        in path: String,
        isConfiguration: Bool = false
    ) throws(ApusError) -> [String: [String: String]] {
        guard access(path, F_OK) == 0 else { return [:] }
        do throws(FileReadError) {
            let text = try TextFile.read(path, atMost: 1 << 20)
            return AWSProfiles.read(text, isConfiguration: isConfiguration)
        } catch {
            throw Self.fault("\(path) \(error.detail)")
        }
    }
}

/// The files `credentials` and `config` of AWS.
enum AWSProfiles {
    /// The settings of each profile.
    ///
    /// - Parameters:
    ///   - text: the file.
    ///   - isConfiguration: whether profiles but `default` are called `[profile NAME]`.
    /// - Returns: the settings by their names in lower case, for each profile.
    static func read(_ text: String, isConfiguration: Bool) -> [String: [String: String]] {
        var profiles: [String: [String: String]] = [:]
        var current: String?
        for line in text.split(whereSeparator: \.isNewline) {
            let bare = trimmed(line)
            if bare.isEmpty || bare.hasPrefix("#") || bare.hasPrefix(";") { continue }
            if bare.hasPrefix("[") {
                current = name(of: bare, isConfiguration: isConfiguration)
                if let current { profiles[current, default: [:]] = profiles[current] ?? [:] }
                continue
            }
            // What is indented belongs to the setting before, such as those of `s3 =`.
            guard let current, line.first?.isWhitespace == false,
                let equals = bare.firstIndex(of: "=")
            else { continue }
            let key = trimmed(bare[..<equals]).lowercased()
            profiles[current]?[key] = trimmed(bare[bare.index(after: equals)...])
        }
        return profiles
    }

    /// The profile that a section is of; nil for other sections, such as `[sso-session …]`.
    private static func name(of line: String, isConfiguration: Bool) -> String? {
        guard let end = line.firstIndex(of: "]") else { return nil }
        let words = trimmed(line[..<end].dropFirst())
        guard isConfiguration, words != "default" else { return words }
        guard words.hasPrefix("profile"),
            words.dropFirst("profile".count).first?.isWhitespace == true
        else { return nil }
        let name = trimmed(words.dropFirst("profile".count))
        return name.count > 1 && name.hasPrefix("\"") && name.hasSuffix("\"")
            ? String(name.dropFirst().dropLast()) : name
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var text = Substring(text)
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
