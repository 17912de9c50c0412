/// Targets that are made, or arrive, while a batch runs.
///
/// `@unchecked` because the iterator and the counts are only touched by the task
/// that has the one turn.
final class MadeSupply: BatchSupply, @unchecked Sendable {
    private let turn = Turns(1)
    private let source: DataSource
    private let done: PlaceSet
    private var pull: BatchPull?
    private var index = 0

    init(_ make: @Sendable () -> BatchPull, of batch: Batch) {
        source = batch.source
        done = batch.done
        pull = make()
    }

    /// Only to be read when no worker is left.
    var reached: Int { index }

    func next() async throws -> BatchItem? {
        guard await turn.take() else { return nil }
        defer { turn.give() }
        do {
            while let pull {
                guard let target = try await pull() else { break }
                index += 1
                if !done.contains(index - 1) {
                    return BatchItem(index: index - 1, target: target, source: source, group: 0)
                }
            }
        } catch {
            pull = nil
            throw error
        }
        // An iterator that has ended is not asked again.
        pull = nil
        return nil
    }

    func ended(_ item: BatchItem) {}
}
