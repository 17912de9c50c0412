import Apus
import FoundationEssentials
import Glibc
import Terminal

/// Runs the effects of edited requests in order, so that no older edit overwrites a newer one.
final class RequestRunner: Sendable {
    private let effects: AsyncStream<RequestEffect>.Continuation
    private let work: Task<Void, Never>

    init(
        _ provider: Provider<MultiTarget>,
        _ transport: any Transport,
        send: @escaping @Sendable (RequestMessage) -> Void
    ) {
        let (stream, continuation) = AsyncStream<RequestEffect>.makeStream()
        effects = continuation
        work = Task.detached {
            for await effect in stream {
                if let message = await Self.perform(effect, provider, transport) { send(message) }
            }
        }
    }

    func perform(_ effect: RequestEffect) { effects.yield(effect) }

    func cancel() {
        effects.finish()
        work.cancel()
    }

    private static func perform(
        _ effect: RequestEffect,
        _ provider: Provider<MultiTarget>,
        _ transport: any Transport
    ) async -> RequestMessage? {
        switch effect {
        case .apply(let id, let ticket, let target, let draft):
            return .applied(id, ticket: ticket, apply(draft, to: target))
        case .save(let id, let edit, let destination):
            do throws(CatalogProblem) {
                try edit.save?(destination)
                return .saved(id, destination, nil)
            } catch {
                return .saved(id, destination, error)
            }
        case .preview(let id, let ticket, let resolved):
            return .previewed(id, ticket: ticket, await preview(of: resolved, provider, transport))
        case .makeFile(let file, let name, let use): return makeFile(file, name, use)
        case .begin(let draft, let catalog): return begin(draft, in: catalog)
        case .paste(let text, let catalog): return paste(text, into: catalog)
        case .copy(let resolved, let language, let showsSecrets):
            return await copy(resolved, language, showsSecrets, provider)
        case .make(let name, let draft, let catalog):
            return .made(name: name, make(name, draft, in: catalog))
        case .beginScratch(let id, let text, let suffix):
            return ScratchFile.write(text, suffix: suffix).map { .scratchBegun(id, path: $0) }
                ?? .failed(
                    "cannot write the body to a file: \(String(cString: strerror(errno)))"
                )
        case .endScratch(let id, let path):
            return ScratchFile.take(path).map { .scratchEnded(id, text: $0) }
                ?? .failed("cannot read the edited file")
        case .cookies(let jar, let change):
            do throws(ApusError) {
                switch change {
                case .set(let cookie): try jar.set(cookie)
                case .remove(let id): try jar.remove(id)
                case .removeAll: try jar.removeAll()
                case nil: break
                }
                return .cookies(jar, jar.cookies, problem: nil)
            } catch {
                return .cookies(jar, jar.cookies, problem: error.message.detail)
            }
        case .supply(let name, let value, let catalog):
            catalog.supply?(name, value)
            return .supplied
        }
    }

    private static func apply(
        _ draft: TargetDraft,
        to target: CatalogTarget
    ) -> Result<CatalogEdit, CatalogProblem> {
        guard let edit = target.edit else {
            return .failure(CatalogProblem("this request cannot be edited"))
        }
        do throws(CatalogProblem) {
            return .success(try edit(draft))
        } catch {
            return .failure(error)
        }
    }

    private static func make(
        _ name: String,
        _ draft: TargetDraft,
        in catalog: Catalog
    ) -> Result<CatalogEdit, CatalogProblem> {
        guard let make = catalog.make else {
            return .failure(CatalogProblem("no request can be added to \(catalog.name)"))
        }
        do throws(CatalogProblem) {
            return .success(try make(name, draft))
        } catch {
            return .failure(error)
        }
    }

    private static func makeFile(
        _ file: CatalogNewFile,
        _ name: String,
        _ use: LinePrompt.FileUse
    ) -> RequestMessage {
        do throws(CatalogProblem) {
            try file.choose(name)
            switch use {
            case .save(let id, let edit, let destination):
                try edit.save?(destination)
                return .saved(id, destination, nil)
            case .edit:
                try file.make()
                return .fileMade(name)
            }
        } catch {
            guard case .save(let id, _, let destination) = use else {
                return .failed("not made: \(error.description)")
            }
            return .saved(id, destination, error)
        }
    }

    private static func begin(_ draft: TargetDraft, in catalog: Catalog) -> RequestMessage {
        let name = catalog.freeName(for: draft.suggestedName)
        switch make(name, draft, in: catalog) {
        case .success(let edit): return .pasted(name: name, draft, edit, notes: [])
        case .failure(let problem): return .pasteFailed(problem)
        }
    }

    private static func paste(_ text: String, into catalog: Catalog) -> RequestMessage {
        let read: RequestText
        do throws(CatalogProblem) {
            read = try RequestText(text, variables: catalog.variableNames)
        } catch {
            return .pasteFailed(error)
        }
        let name = catalog.freeName(for: read.name)
        // It goes out as it stands.
        let draft = read.draft.asItStands
        switch make(name, draft, in: catalog) {
        case .success(let edit):
            return .pasted(name: name, draft, edit, notes: read.warnings)
        case .failure(let problem): return .pasteFailed(problem)
        }
    }

    private static func copy(
        _ resolved: ResolvedTarget,
        _ language: RequestCode.Language,
        _ showsSecrets: Bool,
        _ provider: Provider<MultiTarget>
    ) async -> RequestMessage {
        do throws(ApusError) {
            let prepared = try await provider.preparedRequest(for: MultiTarget(resolved.target))
            let request = CookieJar.addingCookies(to: prepared)
            let text = RequestCode(
                request,
                as: language,
                showsSecrets: showsSecrets,
                environment: ProcessInfo.processInfo.environment
            ).text
            let secrets = showsSecrets ? ", with its secrets" : ""
            return .copied(text, what: "the request as \(language.title)\(secrets)")
        } catch {
            return .failed(error.message.title)
        }
    }

    private static func preview(
        of resolved: ResolvedTarget,
        _ provider: Provider<MultiTarget>,
        _ transport: any Transport
    ) async -> RequestPreview {
        do throws(ApusError) {
            let request = try await provider.preparedRequest(for: MultiTarget(resolved.target))
            return RequestPreview(request, adding: transport.addedFields(to: request))
        } catch {
            return RequestPreview(problem: error.message.title)
        }
    }
}

extension Catalog {
    /// The name, with a number if another pasted request has it.
    fileprivate func freeName(for name: String) -> String {
        var taken: Set<String> = []
        for case .group(EditedRequests.newGroup, let children) in nodes {
            for case .target(let target) in children { taken.insert(target.name) }
        }
        guard taken.contains(name) else { return name }
        let number = (2...).first { !taken.contains("\(name) \($0)") } ?? 2
        return "\(name) \(number)"
    }
}
