import Documents
import Synchronization

/// Gives requests a cookie jar, and saves it when an exchange has changed it.
public struct CookiesPlugin: Plugin {
    /// The jar for a target; nil for none.
    public typealias Jar = @Sendable (any TargetType) -> CookieJar?

    private let jar: Jar
    private let saves: Bool

    /// Chooses a jar for each request.
    ///
    /// - Parameters:
    ///   - saves: whether a jar with a file is saved after an exchange that changed
    ///     it; a file that cannot be written does not fail the exchange.
    ///   - jar: chooses.
    public init(saves: Bool = true, jar: @escaping Jar) {
        self.saves = saves
        self.jar = jar
    }

    /// Always the same jar.
    public init(_ jar: CookieJar, saves: Bool = true) { self.init(saves: saves) { _ in jar } }

    /// Puts the jar into the transport options; that of the target itself wins.
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

    /// Saves the jar.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        guard saves, let jar = context.request?.options.cookieJar, jar.file != nil,
            jar.hasChanges
        else { return }
        // The exchange has its answer; what is not saved stays as a change.
        try? await jar.save()
    }
}

/// A jar for each environment, made when it is first asked for.
public final class CookieJars: Sendable {
    /// The folder with a file for each environment; nil keeps all in memory.
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

    /// Jars as `CookieJar.ofSession` makes them.
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

    /// A name may hold what a file's name may not.
    private static func fileName(_ name: String) -> String {
        let escaped = PercentEncoding.component(name)
        return "\(escaped.hasPrefix(".") ? "%2E\(escaped.dropFirst())" : escaped).cookies"
    }
}
