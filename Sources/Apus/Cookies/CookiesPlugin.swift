import Documents
import Synchronization

/// Gives requests a cookie jar, and saves the jar when an exchange has changed it.
public struct CookiesPlugin: Plugin {
    /// Returns the jar for a target; nil for no jar.
    public typealias Jar = @Sendable (any TargetType) -> CookieJar?

    private let jar: Jar
    private let saves: Bool

    /// Chooses a jar for each request.
    ///
    /// - Parameters:
    ///   - saves: Whether a jar with a file is saved after an exchange that changed it; a failure to save
    ///     does not fail the exchange.
    ///   - jar: Chooses the jar.
    public init(saves: Bool = true, jar: @escaping Jar) {
        self.saves = saves
        self.jar = jar
    }

    /// Uses the same jar for all requests.
    public init(_ jar: CookieJar, saves: Bool = true) { self.init(saves: saves) { _ in jar } }

    /// Puts the jar into the transport options, unless the target has set one.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        guard request.options.cookieJar == nil, let jar = jar(context.target) else {
            return request
        }
        var request = request
        request.options.cookieJar = jar
        return request
    }

    /// Saves the jar if it has changes.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        guard saves, let jar = context.request?.options.cookieJar, jar.file != nil,
            jar.hasChanges
        else { return }
        // A failure is ignored; the changes remain unsaved in the jar.
        try? await jar.save()
    }
}

/// A cookie jar for each environment, made on first use.
public final class CookieJars: Sendable {
    /// The folder with a file for each environment; nil keeps all jars in memory.
    public let folder: String?
    private let jars = Mutex<[String: CookieJar]>([:])
    private let isOfSession: Bool

    /// Makes a set of jars.
    public init(folder: String? = nil) {
        self.folder = folder
        isOfSession = false
    }

    private init(isOfSession: Bool) {
        folder = nil
        self.isOfSession = isOfSession
    }

    /// Makes a set of jars that `CookieJar.ofSession` makes.
    package static func ofSession() -> CookieJars { CookieJars(isOfSession: true) }

    /// The jar of an environment; always the same one for a name.
    public func jar(for environment: String) -> CookieJar {
        jars.withLock { jars in
            if let jar = jars[environment] { return jar }
            let jar =
                isOfSession
                ? CookieJar.ofSession()
                : CookieJar(file: folder.map { "\($0)/\(Self.fileName(environment))" })
            jars[environment] = jar
            return jar
        }
    }

    /// Escapes characters that a file name cannot contain.
    private static func fileName(_ name: String) -> String {
        let escaped = PercentEncoding.component(name)
        return "\(escaped.hasPrefix(".") ? "%2E\(escaped.dropFirst())" : escaped).cookies"
    }
}
