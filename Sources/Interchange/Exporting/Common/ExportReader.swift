package import Apus
import Documents
import HTTPTypes
import Secrets
package import Workspaces

/// Makes an export of the targets of a workspace: each is prepared as it is sent, with marks in place of variables, which
/// are then looked for in the request.
package struct ExportReader: Sendable {
    private let workspace: Workspace
    private let environment: String
    private let keepsVariables: Bool
    private let keepsSecrets: Bool
    private let folder: String?
    private let setVariables: Set<String>?
    private let provider: AnyProvider
    private let names: ExportNames
    private let known: CredentialMask

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - workspace: The workspace and its environment.
    ///   - keepsVariables: Whether variables stay variables (`Exporter.keepsVariables`).
    ///   - keepsSecrets: Whether secrets stand in clear.
    ///   - folder: The folder that the export is written to, by its real path; nil if it is written nowhere.
    ///   - variables: The environment variables of the program that copies a request: it is copied as it would be sent
    ///     now, with the cookies and the supplied values that there are. Nil for what is written.
    package init(
        _ workspace: NamedWorkspace,
        keepsVariables: Bool,
        keepsSecrets: Bool = false,
        folder: String? = nil,
        copyingWith variables: [String: String]? = nil
    ) {
        environment = workspace.environment
        self.workspace =
            variables == nil
            ? workspace.workspace
            : workspace.workspace.keepingSuppliedValues(
                in: environment,
                withSecrets: keepsSecrets
            )
        (self.keepsVariables, self.keepsSecrets) = (keepsVariables, keepsSecrets)
        self.folder = folder
        setVariables = variables.map { Set($0.filter { !$0.value.isEmpty }.keys) }
        // As commands send: nothing is added but what the workspace says.
        provider = AnyProvider(headerFields: [:])
        names = ExportNames(workspace.workspace, in: environment, variables ?? [:])
        known = workspace.workspace.mask(
            adding: workspace.workspace.literalCredentials.map(\.value)
        )
    }

    /// Reads targets in the order of the workspace.
    ///
    /// - Parameter isChosen: Whether a target is exported.
    /// - Returns: The targets; those that have no value for a variable are losses.
    package func read(_ isChosen: (TargetID) -> Bool = { _ in true }) async -> ExportedWorkspace {
        var losses: [(target: String, loss: ImportLoss)] = []
        var ids: Set<TargetID> = []
        let items = await items(workspace.tree, isChosen, &losses, &ids)
        var chains: [ExportedWorkspace.Chain] = []
        for chain in workspace.chains
        where !chain.steps.isEmpty && chain.steps.allSatisfy({ ids.contains($0.target.id) }) {
            switch await self.chain(chain) {
            case .success(let chain): chains.append(chain)
            case .failure(let fault):
                losses.append((words(chain.name), ImportLoss("a chain", words(fault.words))))
            }
        }
        return finished(
            ExportedWorkspace(
                name: words(workspace.name),
                note: workspace.note.map(words),
                environment: environment,
                environments: [],
                items: items,
                chains: chains,
                batches: workspace.batches.filter { batch in
                    batch.targets.allSatisfy(ids.contains)
                }.map { words($0.name) },
                losses: losses,
                keepsSecrets: keepsSecrets,
                folder: folder,
                setVariables: setVariables
            )
        )
    }

    /// Reads one target, which may have edits that are not in the workspace.
    package func read(_ definition: TargetDefinition) async -> ExportedWorkspace {
        switch await request(of: definition) {
        case .success(let request): alone(request, words(workspace.name))
        case .failure(let fault): alone(nil, "", [fault.loss(of: definition, words)])
        }
    }

    /// Reads a request that no workspace has, to be copied: a program's own.
    ///
    /// - Parameters:
    ///   - request: The request as it would be sent.
    ///   - id: What it is called.
    ///   - keepsSecrets: Whether secrets stand in clear.
    ///   - variables: The environment variables of the program.
    /// - Returns: The request alone.
    /// - Throws: `WorkspaceError` never: the workspace that stands for the program has nothing.
    package static func read(
        _ request: PreparedRequest,
        named id: String,
        keepsSecrets: Bool,
        copyingWith variables: [String: String]
    ) throws(WorkspaceError) -> ExportedWorkspace {
        let workspace = try Workspace.new(text: "targets: {}\n", file: "copied.apus.yaml")
        let reader = ExportReader(
            NamedWorkspace(
                workspace: workspace,
                environment: workspace.environments.first?.name ?? ""
            ),
            keepsVariables: false,
            keepsSecrets: keepsSecrets,
            copyingWith: variables
        )
        return reader.alone(reader.exported(request, named: id), "Copied request")
    }

    private func exported(_ request: PreparedRequest, named id: String) -> ExportedRequest {
        let marks = TemplateMarks(hidesSecrets: !keepsSecrets)
        let reader = ExportMarkReader(
            marks: marks,
            workspace: workspace.marking(with: marks),
            environment: environment,
            names: names,
            known: known.adding(request.mask, without: marks)
        )
        var request = CookieJar.addingCookies(to: request)
        if let credentials = request.options.credentials, credentials.scheme == .basic,
            request.head.headerFields[.authorization] == nil,
            case .string(let pair)? = Workspace.value(
                ofFunction: "base64",
                [.string("\(credentials.user):\(credentials.password.value)")]
            )
        {
            request.head.headerFields[.authorization] = "Basic \(pair)"
        }
        let hidden =
            keepsSecrets ? request : ExportSecrets(reader.known, reader).request(request)
        return ExportedRequestBuilder(id: id, prepared: hidden, source: nil, reader: reader)
            .request(base: nil)
    }

    /// One request, or none, as all that is exported.
    private func alone(
        _ request: ExportedRequest?,
        _ name: String,
        _ losses: [(target: String, loss: ImportLoss)] = []
    ) -> ExportedWorkspace {
        finished(
            ExportedWorkspace(
                name: name,
                note: nil,
                environment: environment,
                environments: [],
                items: request.map { [.request($0)] } ?? [],
                chains: [],
                batches: [],
                losses: losses,
                keepsSecrets: keepsSecrets,
                folder: folder,
                setVariables: setVariables
            )
        )
    }

    private func finished(_ exported: ExportedWorkspace) -> ExportedWorkspace {
        exported.with(environments: environmentNames.map { values(in: $0, for: exported) })
    }

    private var environmentNames: [String] {
        keepsVariables ? workspace.environments.map(\.name) : [environment]
    }

    private func items(
        _ tree: [TreeItem],
        _ isChosen: (TargetID) -> Bool,
        _ losses: inout [(target: String, loss: ImportLoss)],
        _ ids: inout Set<TargetID>
    ) async -> [ExportedWorkspace.Item] {
        var items: [ExportedWorkspace.Item] = []
        for item in tree {
            switch item {
            case .group(let group):
                let inner = await self.items(group.items, isChosen, &losses, &ids)
                guard !inner.isEmpty else { continue }
                items.append(
                    .group(
                        ExportedWorkspace.Group(
                            name: words(group.name),
                            note: group.noteText.map(words),
                            items: inner
                        )
                    )
                )
            case .target(let target):
                guard isChosen(target.id) else { continue }
                switch await request(of: target) {
                case .success(let request):
                    ids.insert(target.id)
                    items.append(.request(request))
                case .failure(let fault):
                    losses.append(fault.loss(of: target, words))
                }
            }
        }
        return items
    }

    // MARK: Requests

    /// Why a target cannot be exported.
    private struct Fault: Error {
        let words: String

        init(_ error: WorkspaceError) {
            words = error.problems.map(\.message).joined(separator: "; ")
        }

        init(_ error: ApusError) { words = error.description }

        func loss(
            of target: TargetDefinition,
            _ masking: (String) -> String
        ) -> (target: String, loss: ImportLoss) {
            let loss = ImportLoss("the request", masking(words), text: masking(target.requestText))
            return (masking(target.id.rawValue), loss)
        }
    }

    private typealias Maker = (Workspace, String) throws(WorkspaceError) -> WorkspaceTarget

    private func request(
        of definition: TargetDefinition
    ) async -> Result<ExportedRequest, Fault> {
        let make: Maker = { workspace, environment throws(WorkspaceError) in
            try workspace.resolve(definition, in: environment)
        }
        var styles: [String: TemplateMarks.Style] = [:]
        if keepsVariables { styles = await keptVariables(make) }
        let source = RequestSource(
            definition: definition,
            id: definition.id.rawValue,
            captures: [],
            styles: styles
        )
        return await request(source, make)
    }

    /// A text for people without secrets.
    private func words(_ text: String) -> String { reader([:], environment).words(text) }

    /// What a request is made of.
    private struct RequestSource {
        let definition: TargetDefinition
        let id: String
        let captures: [Capture]
        let styles: [String: TemplateMarks.Style]
    }

    private func request(
        _ source: RequestSource,
        _ make: Maker
    ) async -> Result<ExportedRequest, Fault> {
        let reader = reader(source.styles, environment)
        do {
            let target = try make(reader.workspace, environment)
            var prepared = try await provider.preparedRequest(for: target)
            if setVariables != nil { prepared = await addingCookies(to: prepared, make) }
            if !keepsSecrets {
                prepared = ExportSecrets(known.adding(target.mask, without: reader.marks), reader)
                    .request(prepared)
            }
            let builder = ExportedRequestBuilder(
                id: source.id,
                prepared: prepared,
                source: ExportedRequestBuilder.Source(
                    definition: source.definition,
                    target: target,
                    captures: source.captures
                ),
                reader: reader
            )
            return .success(
                builder.request(
                    base: keepsVariables ? await base(for: prepared, reader, make) : nil
                )
            )
        } catch let error as WorkspaceError {
            return .failure(Fault(error))
        } catch let error as ApusError {
            return .failure(Fault(error))
        } catch {
            return .failure(Fault(WorkspaceError("\(error)")))
        }
    }

    /// A request with the cookies that it would have now, which depend on its whole URL.
    private func addingCookies(
        to request: PreparedRequest,
        _ make: Maker
    ) async -> PreparedRequest {
        // Without all values it has no URL, and so no cookies.
        guard let target = try? make(workspace, environment),
            var whole = try? await provider.preparedRequest(for: target)
        else { return request }
        whole.head.headerFields[.cookie] = nil
        guard let added = CookieJar.addingCookies(to: whole).head.headerFields[.cookie] else {
            return request
        }
        var request = request
        let own = request.head.headerFields[.cookie]
        request.head.headerFields[.cookie] = [added, own].compactMap(\.self).joined(separator: "; ")
        return request
    }

    private func reader(
        _ styles: [String: TemplateMarks.Style],
        _ environment: String
    ) -> ExportMarkReader {
        let marks = TemplateMarks(styles, hidesSecrets: !keepsSecrets)
        return ExportMarkReader(
            marks: marks,
            workspace: workspace.marking(with: marks),
            environment: environment,
            names: names,
            known: known
        )
    }

    // MARK: Variables that stay variables

    /// The variables of a target that can stand as such in a text: what is made by replacing them is what is sent, in
    /// each environment.
    private func keptVariables(_ make: Maker) async -> [String: TemplateMarks.Style] {
        var expected: [String: CanonicalRequest] = [:]
        var names: Set<String> = []
        for name in environmentNames {
            let reader = reader([:], name)
            guard let target = try? make(reader.workspace, name),
                let request = try? await provider.preparedRequest(for: target)
            else { continue }
            expected[name] = CanonicalRequest(request, reader)
            names.formUnion(target.variables.keys)
        }
        guard !expected.isEmpty else { return [:] }
        let candidates = names.sorted().compactMap { name in
            let styles = styles(for: name)
            return styles.isEmpty ? nil : (name: name, styles: styles)
        }
        var kept: [String: TemplateMarks.Style] = [:]
        for candidate in candidates { kept[candidate.name] = candidate.styles[0] }
        if await isSame(expected, with: kept, make) { return kept }
        kept = [:]
        for candidate in candidates {
            for style in candidate.styles {
                var tried = kept
                tried[candidate.name] = style
                guard await isSame(expected, with: tried, make) else { continue }
                kept = tried
                break
            }
        }
        return kept
    }

    /// The styles that the marks of a variable can have, the likeliest first; none if it is no text in some environment.
    private func styles(for name: String) -> [TemplateMarks.Style] {
        guard !workspace.isSecretAnywhere(name),
            workspace.source(of: name, in: environment) == .value
        else { return [] }
        let plain = workspace.marking(with: TemplateMarks(hidesSecrets: true))
        let values = environmentNames.compactMap { plain.value(ofVariable: name, in: $0) }
        switch values.first {
        case .number, .boolean: return [.number, .text]
        case .string(let text):
            for scheme in ["https", "http"] where text.hasPrefix("\(scheme)://") {
                return [.origin(scheme: scheme), .text]
            }
            return [.text, .number]
        case .null, .array, .object, nil: return []
        }
    }

    private func isSame(
        _ expected: [String: CanonicalRequest],
        with styles: [String: TemplateMarks.Style],
        _ make: Maker
    ) async -> Bool {
        for (environment, canonical) in expected {
            let reader = reader(styles, environment)
            guard let target = try? make(reader.workspace, environment),
                let request = try? await provider.preparedRequest(for: target),
                CanonicalRequest(request, reader) == canonical
            else { return false }
        }
        return true
    }

    /// What the URL of a request begins with if it can be a variable: the base URL, which each environment has.
    private func base(
        for request: PreparedRequest,
        _ reader: ExportMarkReader,
        _ make: Maker
    ) async -> String? {
        guard let base = reader.workspace.baseURL(in: environment),
            case .bytes? = reader.marks.pieces(of: base).first, request.url.hasPrefix(base)
        else { return nil }
        let rest = String(request.url.dropFirst(base.count))
        for name in environmentNames where name != environment {
            let plain = self.reader([:], name)
            guard let base = plain.workspace.baseURL(in: name),
                let target = try? make(plain.workspace, name),
                let request = try? await provider.preparedRequest(for: target)
            else { continue }
            // Variables that stay in the rest have their values there.
            let there = ExportMarkReader(
                marks: reader.marks,
                workspace: reader.workspace,
                environment: name,
                names: names,
                known: known
            )
            guard plain.canonical(request.url) == plain.canonical(base) + there.canonical(rest)
            else { return nil }
        }
        return base
    }

    // MARK: Environments

    private func values(
        in name: String,
        for exported: ExportedWorkspace
    ) -> ExportedWorkspace.Environment {
        let requests = exported.requests.map(\.request) + exported.chains.flatMap(\.steps)
        let used = requests.flatMap(\.texts).flatMap(\.variables)
        var styles: [String: TemplateMarks.Style] = [:]
        for defined in workspace.definedVariables(in: name) { styles[defined] = .text }
        let reader = reader(styles, name)
        var values: [(variable: ExportVariable, value: ExportText?)] = []
        var seen: Set<ExportVariable> = []
        /// Adds a variable after those that it is made of.
        func add(_ variable: ExportVariable) {
            guard seen.insert(variable).inserted else { return }
            let value = value(of: variable, in: name, reader)
            for other in value?.variables ?? [] { add(other) }
            values.append((variable, value))
        }
        for variable in used { add(variable) }
        return ExportedWorkspace.Environment(name: name, values: values)
    }

    /// The value of a variable in an environment; nil if it is secret, or not known.
    private func value(
        of variable: ExportVariable,
        in environment: String,
        _ reader: ExportMarkReader
    ) -> ExportText? {
        if variable.isBaseURL {
            return reader.workspace.baseURL(in: environment).map { base in
                reader.text(reader.secrets?.url(base) ?? base)
            }
        }
        guard let own = variable.workspaceName, keepsSecrets || !variable.isSecret,
            let value = reader.workspace.value(ofVariable: own, in: environment)
        else { return nil }
        let text = ExportMarkReader.text(of: value)
        return reader.text(reader.secrets?.value(text, named: own) ?? text)
    }

    // MARK: Chains

    private func chain(
        _ chain: ChainDefinition
    ) async -> Result<ExportedWorkspace.Chain, Fault> {
        let captured = chain.steps.flatMap { step in
            step.captures.map(\.name) + (step.forEach.map { [$0.element, "index"] } ?? [])
        }
        var steps: [ExportedRequest] = []
        var losses: [ImportLoss] = []
        for step in Self.sorted(chain.steps) {
            let make: Maker = { workspace, environment throws(WorkspaceError) in
                try workspace.resolve(step, in: environment, names: captured) { name in
                    captured.contains(name) ? "captured" : nil
                }
            }
            let source = RequestSource(
                definition: step.target,
                id: "\(chain.name)/\(step.name)",
                captures: step.captures,
                styles: [:]
            )
            switch await request(source, make) {
            case .success(let request): steps.append(request)
            case .failure(let fault): return .failure(fault)
            }
            if step.condition != nil {
                losses.append(ImportLoss("a condition", "the step is always sent", text: step.name))
            }
            if step.forEach != nil {
                losses.append(ImportLoss("a repetition", "the step is sent once", text: step.name))
            }
        }
        return .success(
            ExportedWorkspace.Chain(
                name: words(chain.name),
                summary: chain.summary.map(words),
                steps: steps,
                losses: losses
            )
        )
    }

    /// The steps in an order in which each comes after those that it needs.
    private static func sorted(_ steps: [ChainStepDefinition]) -> [ChainStepDefinition] {
        var sorted: [ChainStepDefinition] = []
        var rest = steps
        var done: Set<String> = []
        while !rest.isEmpty {
            let index = rest.firstIndex { $0.needs.allSatisfy(done.contains) } ?? 0
            done.insert(rest[index].name)
            sorted.append(rest.remove(at: index))
        }
        return sorted
    }
}

extension ExportedWorkspace {
    fileprivate func with(environments: [Environment]) -> ExportedWorkspace {
        ExportedWorkspace(
            name: name,
            note: note,
            environment: environment,
            environments: environments,
            items: items,
            chains: chains,
            batches: batches,
            losses: losses,
            keepsSecrets: keepsSecrets,
            folder: folder,
            setVariables: setVariables
        )
    }
}

/// A request with what is known in place of marks, to be compared.
private struct CanonicalRequest: Equatable {
    private let method: String
    private let url: String
    private let fields: [String]
    private let body: String

    init(_ request: PreparedRequest, _ reader: ExportMarkReader) {
        method = request.head.method.rawValue
        url = reader.canonical(request.url)
        // A boundary is another one each time.
        var boundary: String?
        switch request.body {
        case .none: body = ""
        case .bytes(let bytes): body = reader.canonical(String(decoding: bytes, as: UTF8.self))
        case .file(let path): body = "file \(reader.canonical(path))"
        case .multipart(let form):
            boundary = form.boundary
            body = form.parts.map { part in
                let content =
                    switch part.content {
                    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
                    case .file(let path): "file \(path)"
                    case .stream: "stream"
                    }
                let words = [part.name, part.fileName ?? "", part.type ?? "", content]
                return reader.canonical(words.joined(separator: "\u{0}"))
            }.joined(separator: "\u{0}\u{0}")
        case .stream: body = "stream"
        }
        fields = request.head.headerFields.map { field in
            let value = boundary.map { field.value.replacing($0, with: "boundary") } ?? field.value
            return "\(field.name.rawName): \(reader.canonical(value))"
        }
    }
}
