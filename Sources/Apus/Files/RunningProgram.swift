import Glibc
import Synchronization

/// The program that this process runs.
///
/// Its name keeps its cache and values apart from those of other programs, and is sent as `User-Agent`.
package enum RunningProgram {
    /// Whether it is the command line, which has a name and folders of its own, whatever its file is called.
    package static var isCommandLine: Bool {
        get { commandLine.load(ordering: .relaxed) }
        set { commandLine.store(newValue, ordering: .relaxed) }
    }
    private static let commandLine = Atomic(false)

    /// The name of the executable, such as `shop`; "program" if the system does not tell.
    static let name: String = {
        let path = executablePath ?? CommandLine.arguments.first ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.isEmpty || name == "." || name == ".." ? "program" : name
    }()

    /// The folder of its cache: `$XDG_CACHE_HOME/NAME/apus`.
    static var cacheFolder: String {
        isCommandLine
            ? StandardFolders.cache : StandardFolders.cache(of: name)
    }

    /// The folder of its values: `$XDG_DATA_HOME/NAME/apus`.
    static var dataFolder: String {
        isCommandLine
            ? StandardFolders.data : StandardFolders.data(of: name)
    }

    /// What it calls itself to servers: `shop apus/0.1.0` (RFC 9110, 10.1.5), or `apus/0.1.0` for the command line.
    package static var userAgent: String {
        guard !isCommandLine else { return engine }
        return "\(token(name)) \(engine)"
    }

    private static let engine = "apus/0.1.0"

    /// A product name may only have the characters of a token (RFC 9110, 5.6.2).
    static func token(_ name: String) -> String {
        String(
            decoding: name.utf8.map { byte in
                let character = Character(UnicodeScalar(byte))
                let isToken = byte < 0x80 && (character.isLetter || character.isNumber)
                return isToken || "!#$%&'*+-.^_`|~".utf8.contains(byte) ? byte : UInt8(ascii: "-")
            },
            as: UTF8.self
        )
    }

    private static var executablePath: String? {
        let path = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) {
            buffer in
            guard let start = buffer.baseAddress else { return String?.none }
            let count = readlink("/proc/self/exe", start, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        guard let path else { return nil }
        // The kernel appends this when the file was replaced while it runs, for example by a new build.
        let mark = " (deleted)"
        return path.hasSuffix(mark) ? String(path.dropLast(mark.count)) : path
    }
}
