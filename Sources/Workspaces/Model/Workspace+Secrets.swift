import Apus
import Secrets

extension Workspace {
    /// The secrets that its files and the command line give, whatever target or environment uses them.
    ///
    /// Any response may repeat any of them, so all are masked in whatever is shown and recorded of any request.
    /// They are the secrets that are read from outside, the values entered for them, and texts under a
    /// credential's name, unless they are so short that they may be ordinary words elsewhere.
    package var knownSecrets: Set<String> {
        let all = variables + environments.flatMap(\.variables)
        var secrets = supplier.secretTexts
        var names: Set<String> = []
        for variable in all {
            switch variable.content {
            case .secret(let secret):
                names.insert(variable.name)
                // A line end or a flag would be masked in every response.
                if let value = secret.value, value.utf8.count >= Self.shortestSecret {
                    secrets.insert(value)
                }
            case .supplied(let origin):
                if origin.isSecret(variable.name) { names.insert(variable.name) }
            case .value(let value):
                guard isCredential(variable.name), value.names.isEmpty,
                    let text = value.written.scalarText
                else { continue }
                add(text, to: &secrets)
            }
        }
        for (name, text) in session {
            if names.contains(name), text.utf8.count >= Self.shortestSecret {
                secrets.insert(text)
            } else if isCredential(name) {
                add(text, to: &secrets)
            }
        }
        for (name, value) in overrides where names.contains(name) || isCredential(name) {
            if let text = value.scalarText { add(text, to: &secrets) }
        }
        return secrets
    }

    /// A shorter value may be a part of any word.
    static let shortestSecret = 4

    private func isCredential(_ name: String) -> Bool {
        CredentialMask.isSecret(parameter: name) || rules.contains(name)
    }

    private func add(_ text: String, to secrets: inout Set<String>) {
        if text.utf8.count >= CredentialMask.shortestElsewhere { secrets.insert(text) }
    }
}
