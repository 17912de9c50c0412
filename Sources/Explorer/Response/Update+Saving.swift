import Apus
import Documents
import HTTPTypes
import Secrets
import Terminal
import TreeView

/// Saving the body of a response.
extension Model {
    /// Asks for a name; the suggested one is made of the response's header, URL and type.
    mutating func askWhereToSave() -> [Effect] {
        guard let response = selectedView?[responseSide].response, !isChainSelected else {
            return refuse("there is no response yet")
        }
        if let output = selectedView?[responseSide].filter?.output {
            let field = TextField(placeholder: "a file for the command's output", limit: 4096)
            layers.prompt = LinePrompt(purpose: .save(output), field: field)
            return []
        }
        guard !response.body.isEmpty else { return refuse("the response has no body") }
        layers.prompt = LinePrompt(
            purpose: .save(response.body),
            field: TextField(response.suggestedFileName, placeholder: "a file", limit: 4096)
        )
        return []
    }

    /// The effect that saves a body; none if the name is blank.
    func save(_ body: ResponseBody, as name: String) -> [Effect] {
        let name = String(name.drop { $0 == " " })
        return name.isEmpty ? [] : [.saveBody(body, path: name, replacing: false)]
    }

    /// Reports the outcome, and asks before a file is replaced.
    mutating func finishSaving(_ outcome: BodySaveOutcome) {
        switch outcome {
        case .saved(let path, let bytes):
            say("saved \(Readable.bytes(bytes)) as \(path)")
        case .exists(let body, let path):
            guard layers.prompt == nil else {
                warn("not saved: \(path) already exists")
                return
            }
            layers.prompt = LinePrompt(
                purpose: .replace(body, path: path),
                field: TextField(placeholder: "y / esc", limit: 16)
            )
        case .failed(let text): fail(text)
        }
    }
}

extension Response {
    /// A file name for the body; if the URL gives no extension, it has that of the content type.
    var suggestedFileName: String {
        let name = SuggestedDownload(head: head, url: finalURL).name
        let isNamed = head.headerFields[.contentDisposition] != nil || name.contains(".")
        let whole =
            isNamed ? name : name + MediaType.fileExtension(for: head.headerFields[.contentType])
        return request.mask.masking(line: whole)
    }
}
