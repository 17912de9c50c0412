import Apus
import Documents
import Glibc
import HTTPTypes
import Terminal

/// What became of a body that was to be saved.
enum BodySaving: Sendable {
    case saved(path: String, bytes: Int)
    /// There is a file of that name, which stays unless the user says otherwise.
    case exists(ResponseBody, path: String)
    case failed(String)

    /// Saves a body, whole or not at all; it may take as long as the disk does.
    init(of body: ResponseBody, to path: String, replacing: Bool) {
        do {
            try body.save(to: Self.expanded(path), replacesExisting: replacing)
            self = .saved(path: path, bytes: body.count)
        } catch let error as ApusError {
            if case .file(_, EEXIST) = error.reason, !replacing {
                self = .exists(body, path: path)
            } else {
                self = .failed(error.errorDescription ?? error.message.title)
            }
        } catch {
            self = .failed("not saved: \(error)")
        }
    }

    /// The path with the user's folder in the place of `~`.
    private static func expanded(_ path: String) -> String {
        guard path == "~" || path.hasPrefix("~/"), let home = getenv("HOME") else { return path }
        return String(cString: home) + path.dropFirst()
    }
}

/// Saving the body of an answer.
extension Model {
    /// Asks for a name; the answer, its URL and its type suggest one.
    mutating func askWhereToSave() {
        guard let response = selectedView?[answerSide].response, !isChainSelected else {
            notice = Notice(kind: .information, text: "there is no answer yet")
            return
        }
        if let output = selectedView?[answerSide].filter?.output {
            let field = TextField(placeholder: "a file for what the command wrote", limit: 4096)
            prompt = LinePrompt(purpose: .save(output), field: field)
            return
        }
        guard !response.body.isEmpty else {
            notice = Notice(kind: .information, text: "the answer has no body")
            return
        }
        prompt = LinePrompt(
            purpose: .save(response.body),
            field: TextField(response.suggestedFileName, placeholder: "a file", limit: 4096)
        )
    }

    /// Begins to save, if there is a name.
    func save(_ body: ResponseBody, as name: String) -> [Effect] {
        let name = String(name.drop { $0 == " " })
        return name.isEmpty ? [] : [.saveBody(body, path: name, replacing: false)]
    }

    /// Says what became of it, and asks before a file goes.
    mutating func take(_ outcome: BodySaving) {
        switch outcome {
        case .saved(let path, let bytes):
            notice = Notice(
                kind: .information,
                text: "saved \(Readable.bytes(bytes)) as \(path)"
            )
        case .exists(let body, let path):
            guard prompt == nil else {
                notice = Notice(kind: .warning, text: "not saved: \(path) is there already")
                return
            }
            prompt = LinePrompt(
                purpose: .replace(body, path: path),
                field: TextField(placeholder: "y, or esc to leave it", limit: 16)
            )
        case .failed(let text): notice = Notice(kind: .failure, text: text)
        }
    }
}

extension Response {
    /// The name of a file for the body, its extension that of the type where the URL has none.
    var suggestedFileName: String {
        let name = SuggestedDownload(head: head, url: finalURL).name
        let isNamed = head.headerFields[.contentDisposition] != nil || name.contains(".")
        let whole =
            isNamed ? name : name + MediaType.fileExtension(for: head.headerFields[.contentType])
        return request.mask.masking(line: whole)
    }
}
