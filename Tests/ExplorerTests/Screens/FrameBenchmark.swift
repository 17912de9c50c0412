import Terminal
import Testing

@testable import Explorer

@Suite("The time of a frame")
struct FrameBenchmark {
    @Test(
        "a frame of 200x60 takes less than 2 ms in a release build",
        arguments: [Scene.answers, .busy, .batch]
    )
    func wholeFrame(_ scene: Scene) {
        let model = scene.model(200, 60)
        var grid = Grid(size: model.size)
        let look = Look(theme: .standard)
        let rounds = 200
        let start = ContinuousClock.now
        for _ in 0..<rounds {
            grid.clear()
            _ = Screen.render(model, into: &grid, look: look)
        }
        let frame = (ContinuousClock.now - start) / rounds
        print("\(scene.rawValue) 200x60: \(frame) a frame")
        #if !DEBUG
        #expect(frame < .milliseconds(2))
        #endif
    }
}
