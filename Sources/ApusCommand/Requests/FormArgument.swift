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
        // Told here, for what is read of a pipe has another name by then.
        let fileName = path.split(separator: "/").last.map(String.init) ?? path
        let content: MultipartForm.Part.Content =
            switch try BodyArgument(file: path) {
            case .bytes(let bytes): .bytes(bytes)
            case .file(let path): .file(path: path)
            }
        return MultipartForm.Part(
            name,
            content,
            fileName: parameter("filename", in: pieces.dropFirst()) ?? fileName,
            type: parameter("type", in: pieces.dropFirst())
        )
    }

    private static func parameter(_ name: String, in pieces: some Sequence<Substring>) -> String? {
        pieces.first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
    }
}
