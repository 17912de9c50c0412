import Apus
import ArgumentParser
import Glibc

/// A part of a form as one names it on the command line: `name=value`, or `name=@FILE` with
/// `;type=…` and `;filename=…` behind it.
enum FormArgument {
    /// The form of these parts.
    static func form(_ arguments: [String]) throws -> MultipartForm {
        MultipartForm(try arguments.map(part))
    }

    private static func part(_ argument: String) throws -> MultipartForm.Part {
        guard let sign = argument.firstIndex(of: "="), sign > argument.startIndex else {
            throw ValidationError("-F takes name=value or name=@FILE, not “\(argument)”.")
        }
        let name = String(argument[..<sign])
        let value = argument[argument.index(after: sign)...]
        guard value.first == "@" else { return .text(name, String(value)) }
        let pieces = value.dropFirst().split(separator: ";", omittingEmptySubsequences: false)
        let path = String(pieces[0])
        guard access(path, R_OK) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
        return .file(
            name,
            path: path,
            fileName: parameter("filename", in: pieces.dropFirst()),
            type: parameter("type", in: pieces.dropFirst())
        )
    }

    private static func parameter(_ name: String, in pieces: some Sequence<Substring>) -> String? {
        pieces.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
