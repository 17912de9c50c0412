import Apus
import FoundationEssentials
import Glibc
import HTTPTypes

/// The response that a target has without its server.
package struct TargetSample: Sendable {
    let status: Int
    let fields: HTTPFields
    let text: String
    /// The file with the body, in place of `text`; read when the target is sent.
    let file: String?

    /// The response; a failure if the file cannot be read.
    var answer: StubResponse {
        guard let file else {
            return StubResponse(
                status: status,
                headerFields: fields,
                body: .bytes(Array(text.utf8))
            )
        }
        guard let data = FileManager.default.contents(atPath: file) else {
            return .failure(.file(path: file, errno: access(file, R_OK) == 0 ? EIO : errno))
        }
        return StubResponse(status: status, headerFields: fields, body: .bytes(Array(data)))
    }
}

extension WorkspaceTargetBuilder {
    /// The sample, filled in; nil if there is none, or if something is wrong, which is logged.
    mutating func sample() -> TargetSample? {
        guard let setting = target.usedSample else { return nil }
        var (fields, type, text): (HTTPFields, String?, String?) = ([:], nil, "")
        for header in setting.headers {
            guard let value = header.value.flatMap({ evaluation.text($0) }) else { continue }
            fields.append(HTTPField(name: header.name, value: value.text))
        }
        switch setting.body {
        case .json(let value):
            (type, text) = ("application/json", evaluation.value(value)?.value.json)
        case .text(let template):
            (type, text) = ("text/plain; charset=utf-8", evaluation.text(template)?.text)
        default: break
        }
        if let type, fields[.contentType] == nil { fields[.contentType] = type }
        return text.map {
            TargetSample(status: setting.status, fields: fields, text: $0, file: setting.file)
        }
    }
}
