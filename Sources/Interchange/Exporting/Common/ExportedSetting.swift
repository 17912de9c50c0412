import Apus
import Workspaces

/// What a workspace says of how a target is sent and of what becomes of its response, by the key of its file.
struct ExportedSetting: Sendable, Hashable {
    /// The key: `timeout`.
    let key: String
    /// What it says, in one line; empty for more than a word.
    let text: String
}

extension ExportedRequest {
    /// The settings that a format has no words for; `format` is what it is called: "a description".
    func lostSettings(carrying carried: Set<String>, _ format: String) -> [ImportLoss] {
        settings.filter { setting in
            // Programs without a store of cookies send none.
            !carried.contains(setting.key) && !(setting.key == "cookies" && setting.text == "false")
        }.map { setting in
            ImportLoss("the setting `\(setting.key)`", "\(format) has none", text: setting.text)
        }
    }

    /// A remark on a tool that follows redirects in its own way, for the methods that this concerns; else none.
    func redirectRemarks(_ words: String) -> [String] {
        let isAlike = options.maximumRedirects == 0 || ["GET", "HEAD", "POST"].contains(method)
        return isAlike ? [] : [words]
    }
}

extension ExportedWorkspace {
    /// The chains and the batches, for a format of single requests.
    func lostFlows(_ format: String, hasChains: Bool = false) -> [(
        target: String, loss: ImportLoss
    )] {
        let lost =
            hasChains ? [] : chains.map { ($0.name, ImportLoss("a chain", "\(format) has none")) }
        return lost + batches.map { ($0, ImportLoss("a batch", "\(format) has none")) }
    }
}
