import Apus

/// A sequence that may throw, as one whose last element may be a failure.
struct Outcomes<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Base.Failure == ApusError, Base.Element: Sendable {
    typealias Element = Result<Base.Element, ApusError>
    typealias Failure = Never

    private let base: Base

    init(_ base: Base) { self.base = base }

    struct Iterator: AsyncIteratorProtocol {
        private var base: Base.AsyncIterator
        private var hasFailed = false

        init(_ base: Base.AsyncIterator) { self.base = base }

        mutating func next() async -> Element? {
            guard !hasFailed else { return nil }
            do throws(ApusError) {
                return try await base.next(isolation: #isolation).map { .success($0) }
            } catch {
                hasFailed = true
                return .failure(error)
            }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(base.makeAsyncIterator()) }
}
