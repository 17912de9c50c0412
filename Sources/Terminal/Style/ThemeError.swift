/// Why a theme could not be had at all; bad entries inside one are warnings.
package enum ThemeError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Neither built in, nor a file in the folder or at the path.
    case unknown(String, available: [String])
    /// It inherits from itself, on this way.
    case cycle([String])
    /// Not YAML, or not a mapping.
    case unreadable(file: String, line: Int?, String)

    /// One line for people.
    package var description: String {
        switch self {
        case .unknown(let name, let available):
            "There is no theme \"\(name)\". There are: \(available.joined(separator: ", "))."
        case .cycle(let names):
            "Themes inherit from each other in a circle: \(names.joined(separator: " -> "))."
        case .unreadable(let file, let line, let reason):
            line.map { "\(file):\($0): \(reason)" } ?? "\(file): \(reason)"
        }
    }
}
