import Apus
import FoundationEssentials
import Terminal
import Testing

@testable import Explorer

@Suite("The cache's room")
struct CacheLineTests {
    private func model(keeps: Bool) -> Model {
        let catalog = Catalog.one("a") { _ in
            let policy: CachePolicy = keeps ? .keep(in: .memory) : .none
            return ResolvedTarget(
                target: KeepingTarget(cachePolicy: policy),
                source: nil,
                url: "http://api.test/",
                details: []
            )
        }
        return Play(catalog: catalog).model
    }

    @Test("for a target that keeps nothing it is one line, until one goes there")
    func line() {
        var model = self.model(keeps: false)
        #expect(model.layout.cacheLine.rows == 1)
        #expect(model.layout.cache.isEmpty)
        #expect(model.layout.server.columns == model.layout.detail.columns)
        _ = update(&model, .key(.character("2")), at: model.clock.now)
        #expect(!model.layout.cache.isEmpty)
    }

    @Test("above the server's response it is one line as long as it has no response of its own")
    func stacked() {
        var model = self.model(keeps: true)
        _ = update(&model, .resize(Size(columns: 80, rows: 24)), at: model.clock.now)
        #expect(model.layout.arrangement == .stacked && model.layout.cache.isEmpty)
        #expect(model.layout.cacheLine.rows == 1)
        _ = update(&model, .key(.character("2")), at: model.clock.now)
        #expect(!model.layout.cache.isEmpty)
    }

    @Test("for one that keeps responses it is half of the room")
    func half() {
        #expect(!model(keeps: true).layout.cache.isEmpty)
    }
}

/// A target that says what is kept of it.
private struct KeepingTarget: TargetType {
    var cachePolicy: CachePolicy
    var path: String { "/" }
    var baseURL: URL { PlayTarget().baseURL }
}
