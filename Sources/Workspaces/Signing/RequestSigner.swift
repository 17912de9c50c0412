package import Apus
package import FoundationEssentials
import HTTPTypes
import Synchronization

/// Adds credentials to the requests of targets that have `auth: { oauth2 | aws | custom }`; leaves all others alone.
///
/// One of them serves all targets of a provider: what each needs is asked of the target itself.
package final class RequestSigner: Interceptor {
    package let name = "auth"
    /// Long, because a person may have to sign in; each part has a limit of its own.
    package let hookLimit: Duration? = .seconds(3600)

    private let signIns: SignIns
    private let aws: AWSCredentialChain
    private let now: @Sendable () -> Date
    private let commands = Mutex<[SignInKey: TokenRefresher]>([:])

    /// Makes a signer.
    ///
    /// - Parameters:
    ///   - signIns: where tokens of OAuth 2 come from.
    ///   - aws: where keys of AWS come from.
    ///   - now: returns the time.
    package init(
        signIns: SignIns,
        aws: AWSCredentialChain = .process,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.signIns = signIns
        self.aws = aws
        self.now = now
    }

    /// The account of the credentials that it adds.
    package func account(in context: ExchangeContext) -> String? {
        guard let inner = interceptor(for: context.request, in: context) else { return nil }
        return inner.account(in: context)
    }

    /// Sends the request with its target's credentials.
    package func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        guard let inner = interceptor(for: request, in: context) else {
            return try await next(request)
        }
        return try await inner.intercept(request, in: context, next: next)
    }

    private func interceptor(
        for request: PreparedRequest?,
        in context: ExchangeContext
    ) -> (any Interceptor)? {
        let supplied = context[SupplyPlugin.Signing.self]
        guard let signing = supplied ?? context.signedCredentials as? RequestSigning else {
            return nil
        }
        // Credentials that somebody gave for this one request go before the target's.
        if request?.head.headerFields[.authorization] != nil { return nil }
        if request?.options.credentials != nil { return nil }
        switch signing {
        case .oauth2(let plan): return signIns.session(for: plan).interceptor
        case .aws(let plan): return AWSRequestSigner(plan: plan, chain: aws, now: now)
        case .command(let plan):
            return RefreshInterceptor(refresher(of: plan)) { token, request throws(ApusError) in
                try CommandOutput(token.value).apply(to: &request)
            }
        }
    }

    /// Runs the command when its output is needed, has expired or was refused.
    private func refresher(of plan: CommandPlan) -> TokenRefresher {
        commands.withLock { commands in
            let key = plan.key
            if let refresher = commands[key] { return refresher }
            // The account is the same in each process, so that caches on disk are found again.
            let refresher = TokenRefresher(
                account: key.text,
                leeway: .zero,
                now: now
            ) { [now] _, _ in try await plan.output(at: now) }
            commands[key] = refresher
            return refresher
        }
    }
}

extension CommandPlan {
    /// Runs the command; throws if the workspace is not trusted with it.
    fileprivate func output(at now: @Sendable () -> Date) async throws(ApusError) -> AccessToken {
        guard isTrusted() else {
            let reason =
                "`auth` needs the command `\(command.text)`, and the workspace is not trusted to run it"
            throw ApusError(.vetoed(reason: reason))
        }
        let text: String
        do throws(ShellCommandError) {
            text = try await command.output(within: limit)
        } catch {
            throw ApusError(.vetoed(reason: "\(error)"))
        }
        let expires = lifetime.map { now().addingTimeInterval($0 / .seconds(1)) }
        return AccessToken(Apus.Secret(text), expires: expires)
    }
}

/// What a command has printed: the value of `Authorization`, or lines `Name: value`.
struct CommandOutput {
    let fields: [HTTPField]

    /// Reads an output.
    ///
    /// - Throws: `.authorization(.unusable)` if it is empty, or cannot be sent.
    init(_ output: Apus.Secret) throws(ApusError) {
        let lines = output.value.split(whereSeparator: \.isNewline).map { line -> String in
            var line = line.drop { $0 == " " || $0 == "\t" }
            while line.last == " " || line.last == "\t" { line.removeLast() }
            return String(line)
        }.filter { !$0.isEmpty }
        let named = lines.compactMap(Self.field)
        if !named.isEmpty, named.count == lines.count {
            fields = named
            return
        }
        guard lines.count == 1, HTTPField.isValidValue(lines[0]) else {
            throw ApusError(.authorization(.unusable(what: "What the command of `auth` printed")))
        }
        fields = [HTTPField(name: .authorization, value: lines[0])]
    }

    private static func field(_ line: String) -> HTTPField? {
        guard let colon = line.firstIndex(of: ":"),
            let name = HTTPField.Name(String(line[..<colon]))
        else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        guard !value.isEmpty, HTTPField.isValidValue(String(value)) else { return nil }
        return HTTPField(name: name, value: String(value))
    }

    func apply(to request: inout PreparedRequest) throws(ApusError) {
        for name in Set(fields.map(\.name)) { request.head.headerFields[name] = nil }
        for field in fields {
            request.head.headerFields.append(field)
            request.options.secretTexts.insert(Apus.Secret(field.value))
            // The credentials without their scheme, as responses may repeat them.
            let words = field.value.split(separator: " ")
            if words.count == 2, words[1].utf8.count >= 8 {
                request.options.secretTexts.insert(Apus.Secret(String(words[1])))
            }
        }
    }
}
