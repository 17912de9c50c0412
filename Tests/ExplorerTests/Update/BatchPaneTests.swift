import Apus
import Documents
import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("A batch's pane")
struct BatchPaneTests {
    private func summary(_ status: Int, milliseconds: Int = 4) -> ExchangeSummary {
        .sample(.success(.sample("{}", status: status)), after: .milliseconds(milliseconds))
    }

    /// A batch that has ended with these statuses, in its pane.
    private func ended(_ statuses: [Int], size: Size = Size(columns: 120, rows: 40)) throws -> Play
    {
        var play = Play(size: size, catalog: .batch(of: statuses.count))
        play.type("enter")
        let run = try #require(play.firedRun)
        var progress = BatchProgress(total: statuses.count)
        for (index, status) in statuses.enumerated() {
            progress.succeeded += 1
            play.receive(.batch(run, .started(index: index)))
            play.receive(.batch(run, .ended(index: index, summary(status), progress)))
        }
        play.model.runs.end(run, at: .seconds(1))
        play.type("3")
        return play
    }

    private func screen(_ play: Play) -> [String] {
        var grid = Grid(size: play.model.size)
        _ = Screen.render(play.model, into: &grid, look: Look(theme: .standard))
        return grid.textRows
    }

    @Test(
        "every status is shown, what went wrong first",
        arguments: [Size(columns: 120, rows: 40), Size(columns: 80, rows: 24)]
    )
    func allStatuses(size: Size) throws {
        let statuses = [200, 201, 204, 304, 400, 401, 403, 404, 409, 500, 502, 503]
        let play = try ended(statuses, size: size)
        let shown = play.model.shownBatch?.state?.endings.groups.compactMap(\.cause.status)
        #expect(shown == [500, 502, 503, 400, 401, 403, 404, 409, 200, 201, 204, 304])
        let rows = screen(play)
        for status in statuses {
            #expect(rows.contains { $0.contains("\(status) ") }, "\(status) is hidden")
        }
        #expect(rows.contains { $0.contains("8 failed") && $0.contains("4 succeeded") })
    }

    @Test("a response of 400 or more has failed in the row of the run too, without a history")
    func failedInRow() throws {
        let rows = screen(try ended([200, 404, 503, 201]))
        let row = try #require(rows.last { $0.contains("4 of 4") })
        #expect(row.contains("2") && !row.contains("4 of 4 \u{2713}"), "\(row)")
        let good = screen(try ended([200, 201]))
        #expect(good.contains { $0.contains("2 of 2 \u{2713}") })
    }

    @Test("what was sent is whole where there is room, with its target's name")
    func wholeTitles() throws {
        var endings = BatchOutcomes()
        let title = "GET api.test/status/500"
        endings.record(summary(500), of: 0, title: title, name: "Failing")
        var state = BatchRunState(
            titles: [],
            concurrency: 1,
            progress: BatchProgress(total: 1),
            slots: []
        )
        state.endings = endings
        func row(columns: Int) -> String {
            var grid = Grid(size: Size(columns: columns, rows: 2))
            BatchOutcomesView(
                state: state,
                lines: BatchLines(endings, open: [:], height: 2).lines,
                scroll: ListScroll(),
                isFocused: false,
                look: Look(theme: .standard)
            ).draw(in: grid.bounds, into: &grid)
            return grid.textRows[0]
        }
        #expect(row(columns: 48).contains(title) && row(columns: 48).contains("500 "))
        #expect(!row(columns: 48).contains("Internal"))
        #expect(row(columns: 90).contains(title) && row(columns: 90).contains("Failing"))
        #expect(row(columns: 90).contains("500 Internal Server Error"))
    }

    @Test("a few requests have no rate")
    func rate() throws {
        let few = screen(try ended([200, 201, 200]))
        #expect(few.contains { $0.contains("too few to tell") })
        #expect(!few.contains { $0.contains("/s") })
        let many = screen(try ended(Array(repeating: 200, count: 60)))
        #expect(many.contains { $0.contains("/s") })
    }

    @Test("no cause is hidden by what another has below it; one that is opened shows what is known")
    func lines() {
        var endings = BatchOutcomes()
        for index in 0..<1000 {
            endings.record(
                summary(index % 10 == 0 ? 500 : index % 2 == 0 ? 404 : 200),
                of: index,
                title: "GET /\(index)"
            )
        }
        let causes = endings.groups.map(\.cause)
        let lines = BatchLines(endings, open: [:], height: 12).lines
        #expect(lines.count == 12)
        #expect(lines.count { if case .group = $0 { true } else { false } } == 3)
        #expect(lines.contains(.more(group: 0, 92)))
        let all = BatchLines(endings, open: [causes[1]: true], height: 12).lines
        #expect(all.contains(.row(group: 1, row: BatchOutcomes.rowLimit - 1)))
        #expect(all.contains(.more(group: 1, 200)))
        let closed = BatchLines(endings, open: [causes[0]: false], height: 12).lines
        #expect(!closed.contains(.row(group: 0, row: 0)))
    }

    @Test("what is kept of a hundred thousand requests is bounded, and all are counted")
    func bounded() {
        var endings = BatchOutcomes()
        var course = BatchTimeline()
        for index in 0..<100_000 {
            endings.record(summary(index % 700), of: index, title: "GET /")
            course.record(
                at: .milliseconds(index * 50),
                took: .milliseconds(index % 3000),
                isBad: false
            )
        }
        let rows = endings.groups.flatMap(\.rows)
        #expect(endings.goodCount + endings.badCount == 100_000)
        #expect(rows.count <= BatchOutcomes.allRowsLimit)
        #expect(
            rows.reduce(0) { $0 + ($1.result?.response?.body.count ?? 0) }
                <= BatchOutcomes.memoryLimit
        )
        #expect(course.steps.count <= BatchTimeline.limit)
        #expect(course.steps.reduce(0) { $0 + $1.ended } == 100_000)
        #expect(
            course.columns(40, until: .seconds(5000)).reduce(0) { $0 + $1.step.ended } == 100_000
        )
    }

    @Test("enter opens the exchange under the cursor, escape goes back")
    func opens() throws {
        var play = try ended([200, 503])
        play.type("enter")
        #expect(play.model.responses.openedPart?.name == "GET /1")
        #expect(play.openedBodies.map(\.side) == [.server])
        #expect(screen(play).contains { $0.contains("503") && $0.contains("Server") })
        play.type("escape")
        #expect(play.model.responses.openedPart == nil)
        #expect(play.model.panes.focus == .server)
        #expect(screen(play).contains { $0.contains("Batch: Many") })
    }

    @Test("enter in a batch that has not run runs it")
    func runs() {
        var play = Play(catalog: .batch(of: 2))
        play.type("3 enter")
        #expect(play.firedRun != nil)
    }

    @Test(
        "f sends again what failed or was not sent, from the pane and from the list",
        arguments: ["3 f", "1 f"]
    )
    func failedAgain(keys: String) throws {
        var play = try ended([200, 503, 200, 404])
        play.type(keys)
        guard case .runBatch(_, let resolved, _, _)? = play.effects.first,
            let run = play.firedRun
        else {
            Issue.record("nothing is sent")
            return
        }
        #expect(resolved.batch.count == 4)
        #expect(play.model.shownBatch?.state?.total == 2)
        #expect(play.model.shownBatch?.state?.repeats == 4)
        // Of those only one is well now: the next time there is one left.
        let progress = BatchProgress(total: 2, succeeded: 2)
        play.receive(.batch(run, .ended(index: 1, summary(200), progress)))
        play.receive(.batch(run, .ended(index: 3, summary(404), progress)))
        play.model.runs.end(run, at: .seconds(1))
        play.type("3 f")
        #expect(play.model.shownBatch?.state?.total == 1)
    }

    @Test("of a batch that went well nothing is sent again, which is said")
    func nothingFailed() throws {
        var play = try ended([200, 201])
        play.type("f")
        #expect(play.effects.isEmpty)
        #expect(play.model.notice?.text == "nothing failed; r sends the whole batch again")
    }
}

extension Catalog {
    /// A batch of so many requests, alone.
    fileprivate static func batch(of count: Int) -> Catalog {
        Catalog(
            name: "Batches",
            nodes: [
                .batch(
                    CatalogBatch(id: CatalogID("batch/Many"), name: "Many") { _ in
                        ResolvedBatch(
                            batch: Batch((0..<count).map { PlayTarget(path: "/\($0)") }),
                            titles: (0..<count).map { "GET /\($0)" }
                        )
                    }
                )
            ]
        )
    }
}
