import Apus
import Synchronization
import Terminal
import Workspaces

@testable import Explorer

/// A source of one request that can be edited: a draft in memory stands for the file.
struct EditableCatalog: CatalogSource {
    /// What was saved, in order.
    var saves: [(draft: TargetDraft, destination: SaveDestination)] { saved.all }

    private let saved = SavedDrafts()
    private var base = EditableCatalog.draft
    /// Whether there is a file to save to.
    var isSavable = true

    static let item = CatalogID("Users/Create user")

    static let draft = TargetDraft(
        method: "POST",
        url: "{{ baseURL }}/users",
        headers: [
            TargetDraft.Row("Accept", "application/json", inheritedFrom: "defaults"),
            TargetDraft.Row("X-Tenant", "{{ tenant }}"), TargetDraft.Row("X-API-Key", "s3cr3t-k3y"),
        ],
        query: [TargetDraft.Row("page", "1"), TargetDraft.Row("size", "20")],
        authorization: .bearer("{{ token }}"),
        body: .json(
            """
            {
              "name": "Ada",
              "email": "ada@example.org",
              "age": 36,
              "roles": ["admin", "editor"],
              "password": "hunter22"
            }
            """
        ),
        options: [TargetDraft.Row("timeout", "5 s"), TargetDraft.Row("redirects", nil)]
    )

    private static let other = TargetDraft(method: "GET", url: "/other")

    /// The catalog, with other drafts for the request and its neighbor.
    func catalog(_ draft: TargetDraft = EditableCatalog.draft, hasTarget: Bool = true) -> Catalog {
        var source = self
        source.base = draft
        let targets =
            (hasTarget ? [target(Self.item, draft)] : [])
            + [target(CatalogID("Users/Other"), Self.other)]
        return Catalog(
            name: "Editable",
            environments: ["local", "staging"],
            nodes: [.group(name: "Users", targets.map { .target($0) })],
            source: source
        )
    }

    private func target(_ id: CatalogID, _ draft: TargetDraft) -> CatalogTarget {
        CatalogTarget(
            id: id,
            name: String(id.description.split(separator: "/").last ?? ""),
            method: draft.method
        )
    }

    private func written(_ target: CatalogTarget) -> TargetDraft {
        target.edits ?? (target.id == Self.item ? base : Self.other)
    }

    func resolve(_ target: CatalogTarget, in environment: Int) throws(CatalogError)
        -> ResolvedTarget
    {
        let rows = written(target).query.map { "\($0.name)=\($0.value ?? "")" }
        return ResolvedTarget(
            target: PlayTarget(path: "/users"),
            source: .server,
            url: "http://127.0.0.1:8080/users?\(rows.joined(separator: "&"))",
            details: []
        )
    }

    func draft(of target: CatalogTarget, in environment: Int) throws(CatalogError)
        -> TargetDraft
    {
        var draft = written(target)
        if environment == 1 {
            let row = TargetDraft.Row("X-Stage", "yes", inheritedFrom: "environment staging")
            draft.headers.insert(row, at: 0)
        }
        return draft
    }

    func applying(_ draft: TargetDraft, to target: CatalogTarget) throws(CatalogError)
        -> CatalogTarget
    {
        if draft.headers.contains(where: { $0.name.contains(" ") }) {
            throw CatalogError("a header's name has no blanks")
        }
        var target = target
        (target.method, target.edits) = (draft.method, draft)
        return target
    }

    func adding(_ draft: TargetDraft, named name: String) throws(CatalogError) -> CatalogTarget {
        try applying(draft, to: target(CatalogID("New/\(name)"), draft))
    }

    var isCurrent: Bool { true }

    func save(_ target: CatalogTarget, to destination: SaveDestination) throws(CatalogError)
        -> Catalog?
    {
        saved.add(written(target), destination)
        return nil
    }

    func nameNewFile(_ name: String) throws(CatalogError) {}
    func makeNewFile() throws(CatalogError) {}

    func variables(in environment: Int) -> [CatalogVariable] {
        [
            CatalogVariable(name: "baseURL", value: "http://127.0.0.1:8080"),
            CatalogVariable(name: "tenant", value: environment == 0 ? "acme" : "umbrella"),
            CatalogVariable(name: "token", value: "t0k3n", isSecret: true),
        ]
    }

    func supply(_ value: String, for name: String) {}
    func cookies(in environment: Int) -> CookieJar? { nil }
}

/// What a catalog was asked to save.
private final class SavedDrafts: Sendable {
    private let saved = Mutex<[(draft: TargetDraft, destination: SaveDestination)]>([])

    var all: [(draft: TargetDraft, destination: SaveDestination)] { saved.withLock(\.self) }

    func add(_ draft: TargetDraft, _ destination: SaveDestination) {
        saved.withLock { $0.append((draft, destination)) }
    }
}

/// A source whose requests a test makes, and whose targets cannot be edited.
struct SampleSource: CatalogSource {
    /// Makes a target's request for an environment.
    var make: @Sendable (CatalogTarget, _ environment: Int) throws(CatalogError) -> ResolvedTarget
    /// The cookies of each environment.
    var jar: CookieJar?
    /// Takes missing values.
    var supplied: SuppliedValue?

    init(
        jar: CookieJar? = nil,
        supplied: SuppliedValue? = nil,
        make:
            @escaping @Sendable (CatalogTarget, _ environment: Int) throws(CatalogError) ->
            ResolvedTarget = { _, environment in .sample(environment) }
    ) {
        (self.jar, self.supplied, self.make) = (jar, supplied, make)
    }

    func resolve(_ target: CatalogTarget, in environment: Int) throws(CatalogError)
        -> ResolvedTarget
    { try make(target, environment) }

    func draft(of target: CatalogTarget, in environment: Int) throws(CatalogError)
        -> TargetDraft
    { throw Self.refusal }

    func applying(_ draft: TargetDraft, to target: CatalogTarget) throws(CatalogError)
        -> CatalogTarget
    { throw Self.refusal }

    func adding(_ draft: TargetDraft, named name: String) throws(CatalogError) -> CatalogTarget {
        throw Self.refusal
    }

    private static var refusal: CatalogError {
        CatalogError("The program builds this request, so it cannot be edited here.")
    }

    var isSavable: Bool { false }
    var isCurrent: Bool { true }

    func save(_ target: CatalogTarget, to destination: SaveDestination) throws(CatalogError)
        -> Catalog?
    { throw Self.refusal }

    func nameNewFile(_ name: String) throws(CatalogError) {}
    func makeNewFile() throws(CatalogError) {}
    func variables(in environment: Int) -> [CatalogVariable] { [] }
    func supply(_ value: String, for name: String) { supplied?.note(name, value) }
    func cookies(in environment: Int) -> CookieJar? { jar }
}

extension Catalog {
    /// A catalog of one target whose requests a test makes.
    static func one(
        _ id: String,
        method: String = "GET",
        make: @escaping @Sendable (_ environment: Int) throws(CatalogError) -> ResolvedTarget
    ) -> Catalog {
        Catalog(
            name: "One",
            nodes: [.target(CatalogTarget(id: CatalogID(id), name: id, method: method))],
            source: SampleSource { _, environment throws(CatalogError) in try make(environment) }
        )
    }
}

extension Play {
    /// Begins with a request that can be edited, under the cursor.
    static func editing(
        _ catalog: EditableCatalog = EditableCatalog(),
        size: Size = Size(columns: 120, rows: 40)
    ) -> Play {
        var play = Play(size: size, catalog: catalog.catalog())
        play.type("j k")
        return play
    }

    /// Text that is typed.
    mutating func write(_ text: String) {
        for character in text { send(.key(.character(character))) }
    }

    /// Does what was asked of the catalog, and takes its word; gives the effects of the last step.
    mutating func answerRequests() {
        var waiting = effects
        while !waiting.isEmpty {
            let effect = waiting.removeFirst()
            guard case .request(let request) = effect, let message = request.answer else {
                continue
            }
            receive(.request(message))
            waiting += effects
        }
    }
}

extension RequestEffect {
    /// What the catalog says to it at once; nil for what needs more than a catalog.
    var answer: RequestMessage? {
        switch self {
        case .apply(let draft, let target, let ticket, let source):
            do throws(CatalogError) {
                let edited = try source.applying(draft, to: target)
                return .applied(target.id, ticket: ticket, .success(edited))
            } catch {
                return .applied(target.id, ticket: ticket, .failure(error))
            }
        case .save(let target, let destination, let source):
            do throws(CatalogError) {
                let saved = try source.save(target, to: destination)
                return .saved(target.id, destination, .success(saved))
            } catch {
                return .saved(target.id, destination, .failure(error))
            }
        case .paste(let text, let catalog):
            let read: RequestText
            do throws(RequestTextError) {
                read = try RequestText(text, variables: catalog.variableNames)
            } catch {
                return .pasteFailed(CatalogError(error))
            }
            do throws(CatalogError) {
                let draft = read.draft.asItStands
                let target = try catalog.source.adding(draft, named: read.name)
                return .pasted(name: read.name, draft, target, notes: read.warnings)
            } catch {
                return .pasteFailed(error)
            }
        case .make(let name, let draft, let source):
            do throws(CatalogError) {
                let target = try source.adding(draft, named: name)
                return .made(name: name, .success(target))
            } catch {
                return .made(name: name, .failure(error))
            }
        case .supply(let name, let value, let source):
            source.supply(value, for: name)
            return .supplied
        case .change(let change, let source):
            do throws(CatalogError) {
                return .changed(change, .success(try source.change(change)))
            } catch {
                return .changed(change, .failure(error))
            }
        case .undo(let source):
            do throws(CatalogError) {
                let undone = try source.undo()
                return .undone(undone.what, undone.change, undone.catalog)
            } catch {
                return .failed(error.description)
            }
        default: return nil
        }
    }
}

/// A value that a catalog was given.
final class SuppliedValue: Sendable {
    private let given = Mutex<String?>(nil)
    var value: String? { given.withLock { $0 } }
    func note(_ name: String, _ value: String) { given.withLock { $0 = value } }
}
