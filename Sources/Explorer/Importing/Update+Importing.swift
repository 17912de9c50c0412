import Documents
import Terminal

/// Putting a file of another program into the workspace that is open.
///
///     palette ─▶ path ─▶ read, in its own task ─▶ merged into the files, after the edits before it ─▶ catalog
extension Model {
    /// Asks for the file; says so where the workspace cannot take one.
    mutating func startImport() -> [Effect] {
        guard let source = workspace.catalog?.source else {
            return say("nothing can be imported into \(workspace.sourceName)")
        }
        if let refusal = source.importRefusal { return say(refusal) }
        layers.prompt = LinePrompt(
            purpose: .importFile,
            field: TextField("", placeholder: "a file, a folder or a URL", limit: 4096)
        )
        return []
    }

    /// Puts the next path that begins like what was typed in its place; lists them first.
    mutating func completePath(in prompt: LinePrompt) -> [Effect] {
        guard prompt.choices.contains(prompt.field.text) else {
            return [.imports(.complete(prompt.field.text))]
        }
        layers.prompt?.completeChoice()
        return []
    }

    /// Reads what was typed.
    mutating func readImport(_ prompt: LinePrompt) -> [Effect] {
        let path = prompt.field.text.trimmed
        guard !path.isEmpty else {
            return ask(again: prompt, "type the path of a file or a folder, or a URL")
        }
        request.edited.importing = prompt
        say("reading \(path)…")
        return [.imports(.read(path))]
    }

    mutating func receive(_ message: ImportMessage) -> [Effect] {
        switch message {
        case .completed(let typed, let paths):
            guard case .importFile? = layers.prompt?.purpose,
                layers.prompt?.field.text == typed
            else { return [] }
            guard !paths.isEmpty else { return say("no path begins with \(typed)") }
            layers.prompt?.choices = paths
            layers.prompt?.completeChoice()
            // The next tab looks into the folder.
            if paths.count == 1 { layers.prompt?.choices = [] }
            return []
        case .read(.success(let read)):
            guard let catalog = workspace.catalog else { return [] }
            if let file = catalog.newFile { return makeFile(file, for: .importing(read)) }
            return [.request(.importFile(read, catalog.source))]
        case .read(.failure(let problem)): return refuseImport(problem)
        }
    }

    /// Says why nothing was imported, and asks again unless something else is open.
    private mutating func refuseImport(_ problem: CatalogError) -> [Effect] {
        let prompt = request.edited.importing
        request.edited.importing = nil
        request.edited.namedFile = nil
        guard let prompt, layers.prompt == nil else { return fail(problem.description) }
        return ask(again: prompt, problem.description)
    }

    /// Says what an import did, and shows the files as they are now.
    mutating func finishImport(
        _ result: Result<ImportOutcome, CatalogError>
    ) -> [Effect] {
        switch result {
        case .failure(let problem): return refuseImport(problem)
        case .success(let outcome):
            request.edited.importing = nil
            if let name = request.edited.namedFile { workspace.sourceName = name }
            request.edited.namedFile = nil
            if outcome.isPartial { warn(outcome.words) } else { say(outcome.words) }
            return outcome.catalog.map { show($0) } ?? [.loadCatalog]
        }
    }
}
