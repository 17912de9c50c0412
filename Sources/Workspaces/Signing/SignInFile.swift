import Apus
import Documents
package import FoundationEssentials
import Glibc
import Synchronization

/// A sign-in as it is on disk: the token, and the account that caches know its responses by.
///
/// The file is readable by its owner only. It is replaced in one step, so that a crash leaves no half of it.
final class SignInFile: OAuth2TokenStore {
    /// What the file has.
    private struct Content: Codable {
        var token: OAuth2Token
        var account: String
    }

    let path: String
    private let account: Mutex<String>

    /// Names the file, and reads the account that it has, or makes a new one.
    init(path: String) {
        self.path = path
        account = Mutex((try? Self.read(path))?.account ?? Self.newAccount())
    }

    /// The owner of the token, for cache keys.
    var currentAccount: String { account.withLock(\.self) }

    /// Begins another account: what caches have for the one before is not found any more.
    func beginAccount() -> String {
        account.withLock { account in
            account = Self.newAccount()
            return account
        }
    }

    private static func newAccount() -> String { UUID().uuidString }

    @concurrent
    func load() async throws -> OAuth2Token? { try Self.read(path)?.token }

    @concurrent
    func save(_ token: OAuth2Token?) async throws {
        guard let token else {
            unlink(path)
            return
        }
        let content = Content(token: token, account: currentAccount)
        let bytes = Array(try JSONEncoder().encode(content))
        do throws(PrivateFileError) {
            try PrivateFiles.replace(path, with: bytes)
        } catch {
            throw ApusError(.file(path: error.path, errno: error.errno))
        }
    }

    /// The content of the file; nil if there is none.
    ///
    /// - Throws: `ApusError`: `.file` if it cannot be read or belongs to another user,
    ///   `.authorization(.unreadableStore)` if it is no sign-in.
    private static func read(_ path: String) throws(ApusError) -> Content? {
        guard access(path, F_OK) == 0 else { return nil }
        let bytes = try PrivateFiles.readFile(path, upTo: 1 << 20, isOurs: true)
        // The decoder's error is dropped because it may quote the file.
        guard let content = try? DocumentDecoder().decode(Content.self, from: bytes) else {
            throw ApusError(
                .authorization(.unreadableStore(detail: "\(path) contains no sign-in"))
            )
        }
        return content
    }
}

/// Who is signed in, and until when.
package struct SignInStatus: Sendable, Hashable {
    /// Who it is: a name of the identity token, or else the user or the client; nil if none is known.
    package let name: String?
    /// When the token expires; nil if that is not known.
    package let expires: Date?
    /// Whether the token can be refreshed without asking anybody.
    package let isRefreshable: Bool

    init(_ token: OAuth2Token, of plan: SignInPlan) {
        name =
            token.identityToken.flatMap { Self.name(in: $0) } ?? plan.user
            ?? (plan.grant == .clientCredentials ? plan.configuration.clientID : nil)
        expires = token.expires
        isRefreshable = token.refreshToken != nil || !plan.grant.asksPerson
    }

    /// Makes a status.
    package init(name: String?, expires: Date?, isRefreshable: Bool) {
        (self.name, self.expires, self.isRefreshable) = (name, expires, isRefreshable)
    }

    /// The name that people know in an identity token (OpenID Connect Core section 5.1).
    ///
    /// The signature is not checked: the name is shown and used for nothing else.
    private static func name(in token: Apus.Secret) -> String? {
        let parts = token.value.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        var payload = parts[1].replacing("-", with: "+").replacing("_", with: "/")
        payload += String(repeating: "=", count: (4 - payload.utf8.count % 4) % 4)
        guard let bytes = Data(base64Encoded: String(payload)),
            let claims = try? JSON(parsing: Array(bytes))
        else { return nil }
        return ["email", "preferred_username", "name", "sub"].lazy
            .compactMap { claims[$0].string }.first { !$0.isEmpty }
            .map { String($0.prefix(80)) }
    }
}
