import Apus

extension WorkspaceTargetDraft {
    struct Body {
        var task = RequestTask.plain
        var contentType: String?
        var shown: String?
    }

    mutating func body() -> Body? {
        switch target.body {
        case .none: return Body()
        case .text(let template):
            return evaluation.text(template).map {
                Body(
                    task: .data(Array($0.text.utf8)),
                    contentType: "text/plain; charset=utf-8",
                    shown: $0.shown
                )
            }
        case .json(let template):
            // Written here and not by the engine's encoder: numbers stay as the file has them.
            let value = evaluation.value(template)
            addCredentials(of: template)
            return value.map {
                Body(
                    task: .data(Array($0.value.json.utf8)),
                    contentType: "application/json",
                    shown: $0.shown.prettyJSON
                )
            }
        case .form(let members): return form(members)
        case .upload(let setting):
            return upload(setting).map {
                Body(task: .uploadFile(path: $0.path), shown: "file \($0.shown)")
            }
        }
    }

    /// Takes the values of members that have a credential's name for credentials.
    private mutating func addCredentials(of template: TemplateValue) {
        switch template {
        case .constant, .text: break
        case .array(let elements): for element in elements { addCredentials(of: element) }
        case .object(let members):
            for member in members {
                guard CredentialMask.isSecret(parameter: member.name) else {
                    addCredentials(of: member.value)
                    continue
                }
                let value = evaluation.value(member.value)?.value.scalarText
                evaluation.addCredential(value ?? "", madeOf: member.value)
            }
        }
    }

    private mutating func form(_ members: [TemplateValue.Member]) -> Body? {
        var pairs = ResolvedPairs()
        var isComplete = true
        for member in members
        where !append(member.name, member.value, to: &pairs, "a form field", target.span) {
            isComplete = false
        }
        guard isComplete else { return nil }
        return Body(
            task: .parameters(pairs.parameters, encoding: .form),
            shown: pairs.shown.map { "\($0.name)=\($0.value)" }.joined(separator: "\n")
        )
    }

    func task(
        _ body: RequestTask,
        _ query: [Parameter],
        _ destination: DownloadDestination?
    ) -> RequestTask {
        var task = body
        if !query.isEmpty {
            if case .plain = body {
                task = .parameters(query, encoding: .query)
            } else {
                task = .composite(body: body, query: query)
            }
        }
        return destination.map { .download(to: $0, sending: task) } ?? task
    }
}
