import Apus
import ArgumentParser
import HTTPTypes
import Terminal
import Workspaces

/// The parts of a form on the command line, read as curl reads `-F`.
enum FormArgument {
    /// The form of these parts.
    static func form(_ arguments: [String]) throws -> MultipartForm {
        MultipartForm(try arguments.map(part))
    }

    /// Throws if one of the parts cannot be read; opens no file.
    static func check(_ arguments: [String]) throws {
        for argument in arguments { _ = try parsed(argument) }
    }

    private static func parsed(_ argument: String) throws -> CurlFormPart {
        do throws(RequestTextError) {
            return try CurlFormPart(argument)
        } catch {
            throw ValidationError("\(error.description).")
        }
    }

    private static func part(_ argument: String) throws -> MultipartForm.Part {
        let parsed = try parsed(argument)
        for warning in parsed.warnings { StandardError.write("apus: \(warning)") }
        var fileName = parsed.fileName
        let content: MultipartForm.Part.Content
        switch parsed.content {
        case .text(let text): content = .bytes(Array(text.utf8))
        case .file(let path):
            // From the argument, because the copy of a pipe has another name.
            if fileName == nil {
                fileName = path.split(separator: "/").last.map(String.init) ?? path
            }
            content = try opened(path, of: parsed).content
        case .contents(let path):
            content = .bytes(try BodyArgument.joined([opened(path, of: parsed)], by: 0))
        }
        return MultipartForm.Part(
            parsed.name,
            content,
            fileName: fileName,
            type: parsed.type,
            headerFields: try fields(of: parsed)
        )
    }

    private static func opened(_ path: String, of part: CurlFormPart) throws -> BodyArgument {
        do {
            return path == "-" ? try BodyArgument("-") : try BodyArgument(file: path)
        } catch let failure as CommandError {
            throw CommandError(part.problem(failure.description).description)
        }
    }

    private static func fields(of part: CurlFormPart) throws -> HTTPFields {
        var lines = part.headers
        for path in part.headerFiles {
            let bytes = try BodyArgument.joined([opened(path, of: part)], by: 0)
            lines += String(decoding: bytes, as: UTF8.self)
                .split(whereSeparator: \.isNewline).map(String.init)
                .filter { !$0.hasPrefix("#") }
        }
        var fields = HTTPFields()
        for line in lines {
            guard let colon = line.firstIndex(of: ":"),
                let name = HTTPField.Name(String(line[..<colon]))
            else {
                throw ValidationError(
                    "\(part.problem("“\(line)” is not a header field").description)."
                )
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            fields.append(HTTPField(name: name, value: String(value)))
        }
        return fields
    }
}

extension BodyArgument {
    /// The argument as the content of a part.
    fileprivate var content: MultipartForm.Part.Content {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path): .file(path: path)
        }
    }
}
