import Apus
import FoundationEssentials
import Glibc
import Terminal
import Workspaces

/// Runs the effects of edited requests in order, so that no older edit overwrites a newer one.
final class RequestRunner: Sendable {
    private let effects: AsyncStream<RequestEffect>.Continuation
    private let work: Task<Void, Never>

    init(
        _ provider: AnyProvider,
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
        _ provider: AnyProvider,
        _ transport: any Transport
    ) async -> RequestMessage? {
        switch effect {
        case .apply(let draft, let target, let ticket, let source):
            let result = Self.result { () throws(CatalogError) in
                try source.applying(draft, to: target)
            }
            return .applied(target.id, ticket: ticket, result)
        case .save(let target, let destination, let source):
            let result = Self.result { () throws(CatalogError) in
                try source.save(target, to: destination)
            }
            return .saved(target.id, destination, result)
        case .change(let change, let source):
            let result = Self.result { () throws(CatalogError) in try source.change(change) }
            return .changed(change, result)
        case .importFile(let read, let source):
            return .imported(
                Self.result { () throws(CatalogError) in try source.importing(read) }
            )
        case .undo(let source):
            do throws(CatalogError) {
                let undone = try source.undo()
                return .undone(undone.what, undone.change, undone.catalog)
            } catch {
                return .failed(error.description)
            }
        case .preview(let id, let ticket, let resolved):
            return .previewed(id, ticket: ticket, await preview(of: resolved, provider, transport))
        case .makeFile(let source, let name, let use): return makeFile(of: source, name, use)
        case .begin(let draft, let catalog): return begin(draft, in: catalog)
        case .paste(let text, let catalog): return paste(text, into: catalog)
        case .make(let name, let draft, let source):
            let result = Self.result { () throws(CatalogError) in
                try source.adding(draft, named: name)
            }
            return .made(name: name, result)
        case .beginScratch(let id, let text, let suffix):
            return ScratchFile.write(text, suffix: suffix).map { .scratchBegun(id, path: $0) }
                ?? .failed(
                    "cannot write the body to a file: \(String(cString: strerror(errno)))"
                )
        case .endScratch(let id, let path):
            return ScratchFile.readAndRemove(path).map { .scratchEnded(id, text: $0) }
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
        case .supply(let name, let value, let source):
            source.supply(value, for: name)
            return .supplied
        }
    }

    private static func result<Value>(
        of work: () throws(CatalogError) -> Value
    ) -> Result<Value, CatalogError> {
        do throws(CatalogError) {
            return .success(try work())
        } catch {
            return .failure(error)
        }
    }

    private static func makeFile(
        of source: any CatalogSource,
        _ name: String,
        _ use: LinePrompt.FileUse
    ) -> RequestMessage {
        switch use {
        case .save(let target, let destination):
            let result = Self.result { () throws(CatalogError) in
                try source.nameNewFile(name)
                return try source.save(target, to: destination)
            }
            return .saved(target.id, destination, result)
        case .change(let change):
            let result = Self.result { () throws(CatalogError) in
                try source.nameNewFile(name)
                return try source.change(change)
            }
            return .changed(change, result)
        case .importing(let read):
            let result = Self.result { () throws(CatalogError) in
                try source.nameNewFile(name)
                return try source.importing(read)
            }
            return .imported(result)
        case .edit, .keep:
            let isOpened = if case .edit = use { true } else { false }
            do throws(CatalogError) {
                try source.nameNewFile(name)
                try source.makeNewFile()
                return .fileMade(name, isOpened: isOpened)
            } catch {
                return .failed("not made: \(error.description)")
            }
        }
    }

    private static func begin(_ draft: TargetDraft, in catalog: Catalog) -> RequestMessage {
        begin(draft, named: draft.suggestedName, notes: [], to: catalog)
    }

    private static func paste(_ text: String, into catalog: Catalog) -> RequestMessage {
        let read: RequestText
        do throws(RequestTextError) {
            read = try RequestText(text, variables: catalog.variableNames)
        } catch {
            return .pasteFailed(CatalogError(error))
        }
        // It goes out as it stands.
        return begin(read.draft.asItStands, named: read.name, notes: read.warnings, to: catalog)
    }

    private static func begin(
        _ draft: TargetDraft,
        named wanted: String,
        notes: [String],
        to catalog: Catalog
    ) -> RequestMessage {
        let name = catalog.freeName(for: wanted)
        do throws(CatalogError) {
            let target = try catalog.source.adding(draft, named: name)
            return .pasted(name: name, draft, target, notes: notes)
        } catch {
            return .pasteFailed(error)
        }
    }

    private static func preview(
        of resolved: ResolvedTarget,
        _ provider: AnyProvider,
        _ transport: any Transport
    ) async -> RequestPreview {
        do throws(ApusError) {
            let request = try await provider.shownRequest(for: resolved)
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
