package import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// Signs each attempt of a request with keys that are looked up for it.
package struct AWSRequestSigner: Interceptor {
    private let plan: AWSSigningPlan
    private let chain: AWSCredentialChain
    private let now: @Sendable () -> Date

    init(
        plan: AWSSigningPlan,
        chain: AWSCredentialChain,
        now: @escaping @Sendable () -> Date
    ) {
        (self.plan, self.chain, self.now) = (plan, chain, now)
    }

    /// Signs requests to a service with the keys that the chain finds first, for a region or for the chain's.
    package init(service: String, region: String?, chain: AWSCredentialChain) {
        let plan = AWSSigningPlan(
            service: service,
            region: region,
            profile: nil,
            keys: nil,
            payload: .signed
        )
        self.init(plan: plan, chain: chain, now: { Date() })
    }

    package var name: String { "aws" }

    /// The id of the key, or else the profile, whose process knows it.
    package func account(in context: ExchangeContext) -> String? {
        guard context.request?.isAtOwnOrigin ?? true else { return nil }
        switch try? chain.origin(for: plan) {
        case .keys(let keys): return "aws \(keys.accessKeyID)"
        case .process(let command, let profile): return "aws \(profile) \(command.text)"
        // The request fails; nothing is stored.
        case nil: return "aws"
        }
    }

    package func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        guard request.isAtOwnOrigin else { return try await next(request) }
        let keys = try await credentials()
        let signer = AWSSigner(
            region: try chain.region(for: plan),
            service: plan.service,
            payload: plan.payload
        )
        var signed = try await signer.signing(request, by: keys, at: now())
        signed.options.secretTexts.insert(keys.secretAccessKey)
        if let token = keys.sessionToken { signed.options.secretTexts.insert(token) }
        return try await next(signed)
    }

    private func credentials() async throws(ApusError) -> AWSCredentials {
        switch try chain.origin(for: plan) {
        case .keys(let keys): return keys
        case .process(let command, let profile): return try await keys(of: command, profile)
        }
    }

    /// The keys that a profile's `credential_process` prints.
    ///
    /// It stands in a file of the user's own, so that it needs no trust; AWS's tools run it for each command too.
    private func keys(
        of command: ShellCommand,
        _ profile: String
    ) async throws(ApusError) -> AWSCredentials {
        let text: String
        do throws(ShellCommandError) {
            text = try await command.output(within: .seconds(60))
        } catch {
            throw AWSCredentialChain.fault("the `credential_process` of “\(profile)”: \(error)")
        }
        guard let json = try? JSON(parsing: Array(text.utf8)), json["Version"].double == 1,
            let id = json["AccessKeyId"].string, let secret = json["SecretAccessKey"].string
        else {
            throw AWSCredentialChain.fault(
                "the `credential_process` of “\(profile)” printed no credentials in AWS's form"
            )
        }
        return AWSCredentials(
            accessKeyID: id,
            secretAccessKey: Apus.Secret(secret),
            sessionToken: json["SessionToken"].string.map { Apus.Secret($0) }
        )
    }
}
