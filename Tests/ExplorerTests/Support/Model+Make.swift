import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal

@testable import Explorer

/// What tests send; never really sent.
struct SampleTarget: TargetType {
    var path = "users/7"
    var baseURL: URL {
        URL(string: "http://127.0.0.1:8080") ?? URL(filePath: "/")
    }
}

extension Date {
    /// The time at which all samples are looked at.
    static let sampleNow = Date(timeIntervalSinceReferenceDate: 800_000_000)
}

extension Catalog {
    /// The demo's catalog, small.
    static func make() -> Catalog {
        Catalog(
            name: "demo",
            environments: ["local", "staging"],
            nodes: [
                .group(
                    name: "Users",
                    [
                        .make("Users/List users", "GET"), .make("Users/Show user", "GET"),
                        .make("Users/Create user", "POST"), .make("Users/Delete user", "DELETE"),
                    ]
                ),
                .group(
                    name: "Orders",
                    [.make("Orders/List orders", "GET"), .make("Orders/Order", "PATCH")]
                ),
                .group(name: "Products", (1...6).map { .make("Products/Product \($0)", "PUT") }),
                .group(
                    name: "Batches",
                    [
                        .batch(.make("Batches/Load the catalogue")),
                        .batch(.make("Batches/All statuses")),
                    ]
                ),
                .group(name: "Chains", [.chain(.make("Chains/Sign up"))]),
            ],
            source: SampleSource { _, _ in .make() }
        )
    }
}

extension CatalogNode {
    static func make(_ path: String, _ method: String) -> CatalogNode {
        .target(
            CatalogTarget(
                id: CatalogID(path),
                name: String(path.split(separator: "/").last ?? ""),
                method: method
            )
        )
    }
}

extension ResolvedTarget {
    static func make() -> ResolvedTarget {
        ResolvedTarget(
            target: SampleTarget(),
            source: .cacheAndServer,
            url: "http://127.0.0.1:8080/users/7",
            details: [
                "user=7", "Accept: application/json", "bearer ••••••",
                "cached 5 min in memory and on disk",
            ]
        )
    }
}

extension CatalogBatch {
    static func make(_ path: String) -> CatalogBatch {
        CatalogBatch(id: CatalogID(path), name: String(path.split(separator: "/").last ?? "")) {
            _ throws(CatalogError) in ResolvedBatch(batch: Batch([]), titles: [])
        }
    }
}

extension CatalogChain {
    static func make(_ path: String) -> CatalogChain {
        CatalogChain(id: CatalogID(path), name: String(path.split(separator: "/").last ?? "")) {
            _ throws(CatalogError) in
            ResolvedChain(chain: Chain(startingWith: SampleTarget()) { _ in nil }, steps: [])
        }
    }
}

extension Model {
    /// A model of the demo, with the line of a name under the cursor.
    static func make(
        size: Size = Size(columns: 120, rows: 40),
        selecting name: String = "Show user",
        focus: Focus = .targets,
        hasCatalog: Bool = true
    ) -> Model {
        var model = Model(sourceName: "demo.apus.yaml")
        model.size = size
        model.clock.now = Moment(wall: .sampleNow, uptime: .seconds(60))
        model.clock.zone = .gmt
        guard hasCatalog else { return model }
        let catalog = Catalog.make()
        model.workspace.catalog = catalog
        model.panes.focus = focus
        model.targets.arrange(catalog)
        model.targets.toggle(CatalogID("Products/"), in: catalog)
        model.targets.scroll.update(
            count: model.targets.rows.count,
            height: model.layout.inside(model.layout.targets).rows
        )
        model.select(name)
        return model
    }

    /// Puts the cursor on the line of a name, as if its request had been made.
    mutating func select(_ name: String) {
        guard let row = targets.rows.firstIndex(where: { $0.name == name }) else { return }
        targets.scroll.select(row)
        responses.views.update(targets.rows[row].id, environment: workspace.environment) { view in
            if case .target = targets.rows[row].kind { view.request = .success(.make()) }
        }
    }

    /// Changes the view of the line under the cursor.
    mutating func updateView(_ change: (inout TargetState) -> Void) {
        guard let id = targets.selected?.id else { return }
        responses.views.update(id, environment: workspace.environment, change)
    }

    /// Begins a run that began `seconds` ago.
    @discardableResult
    mutating func begin(
        _ state: Run.State,
        _ path: String,
        secondsAgo seconds: Double = 2
    ) -> RunID {
        let name = String(path.split(separator: "/").last ?? "")
        return runs.begin(
            state,
            item: CatalogID(path),
            name: name,
            environment: 0,
            at: Moment(wall: clock.now.wall - seconds, uptime: clock.now.uptime - .seconds(seconds))
        )
    }
}
