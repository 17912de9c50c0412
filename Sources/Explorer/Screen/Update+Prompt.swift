import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal

/// The open input line: its keys, and what enter does with its text.
extension Model {
    /// Handles a key for the open input line.
    mutating func handleInPrompt(_ key: Key, _ prompt: LinePrompt) -> [Effect] {
        switch key.code {
        case .enter:
            layers.prompt = nil
            return accept(prompt)
        case .escape:
            layers.prompt = nil
            if case .find = prompt.purpose { find("") }
            return []
        case .up where !prompt.entries.isEmpty: layers.prompt?.recall(older: true)
        case .down where !prompt.entries.isEmpty: layers.prompt?.recall(older: false)
        case .tab:
            if case .filter(let source) = prompt.purpose { chooseOther(than: source) }
            if case .importFile = prompt.purpose { return completePath(in: prompt) }
            if case .session = prompt.purpose { return askWhereToShare(prompt) }
            if prompt.takesGroup { layers.prompt?.completeGroup() }
            layers.prompt?.completeChoice()
            if case .newRequest = prompt.purpose {
                layers.prompt = nil
                return addRequest(prompt.field.text, prompt, isSent: false)
            }
        case .character("s") where key.modifiers == .alt && prompt.isSecret:
            layers.prompt?.field.isMasked.toggle()
        default:
            guard layers.prompt?.handle(key) == true else {
                return key == Key("ctrl+c") ? leave() : []
            }
            if case .find = prompt.purpose { find(layers.prompt?.field.text ?? "") }
        }
        return []
    }

    /// Puts pasted text into the open input line.
    mutating func paste(_ text: String, into prompt: LinePrompt) -> [Effect] {
        // A request has several lines, but a field has only one.
        if case .request = prompt.purpose {
            layers.close(.prompt)
            return pasteRequest(text)
        }
        layers.prompt?.field.paste(text)
        return []
    }

    private mutating func accept(_ prompt: LinePrompt) -> [Effect] {
        let text = prompt.text
        switch prompt.purpose {
        case .note(let id): return [.history(.note(id, text.isEmpty ? nil : text))]
        case .session:
            guard !text.isEmpty else { return ask(again: prompt, "a session needs a name") }
            session.status = SessionStatus(name: text, count: 0)
            return [.history(.beginSession(text))]
        case .share(let name): return share(name, prompt)
        case .server: return listSessions(prompt)
        case .watch: return watch(text, prompt)
        case .find:
            guard text.isEmpty || hasMatches else {
                return refuse("no matches for \(prompt.field.text)")
            }
            return []
        case .save(let body):
            guard !text.isEmpty else { return ask(again: prompt, "the file needs a name") }
            return save(body, as: prompt.field.text)
        case .replace(let body, let path):
            guard ["y", "yes"].contains(text.lowercased()) else {
                return say("not saved: \(path) stays as it is")
            }
            return [.saveBody(body, path: path, replacing: true)]
        case .saveAs(let id):
            guard !text.isEmpty else { return ask(again: prompt, "the target needs a name") }
            return save(id, as: text, prompt)
        case .newFile(let use): return makeFile(named: prompt.field.text, for: use)
        case .newRequest: return addRequest(text, prompt, isSent: true)
        case .importFile: return readImport(prompt)
        case .workers: return send(byWorkersAt: text, prompt)
        case .request:
            guard !text.isEmpty else {
                return ask(again: prompt, "paste a curl command, a URL or raw HTTP, or press esc")
            }
            return pasteRequest(prompt.field.text)
        case .missing(let missing):
            guard !prompt.field.isEmpty else {
                return ask(again: prompt, "\(missing.name) needs a value; esc sends nothing")
            }
            guard let catalog = workspace.catalog else { return [] }
            let value = prompt.field.text
            return [.request(.supply(name: missing.name, value: value, catalog.source))]
        case .cookie(let cookie): return set(cookie, to: prompt.field.text)
        case .change(let form): return accept(form, prompt)
        case .filter(let source):
            guard !text.isEmpty else { return ask(again: prompt, "type a command, such as jq .") }
            return filter(source, through: prompt.field.text)
        }
    }
}
