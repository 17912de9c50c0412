import Synchronization

/// A jar for each environment, made when it is first asked for.
public final class CookieJars: Sendable {
    /// The folder with a file for each environment; nil keeps all in memory.
    public let folder: String?
    private let jars = Mutex<[String: CookieJar]>([:])

    /// Makes a set of jars.
    public init(folder: String? = nil) { self.folder = folder }

    /// The jar of an environment; always the same one for a name.
    public func jar(for environment: String) -> CookieJar {
        jars.withLock { jars in
            if let jar = jars[environment] { return jar }
            let jar = CookieJar(file: folder.map { "\($0)/\(Self.fileName(environment))" })
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
