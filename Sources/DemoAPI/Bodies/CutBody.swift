import FlyingSocks

/// Pieces, and then the connection breaks: FlyingFox closes it when a body throws.
struct CutBody: AsyncBufferedSequence {
    typealias Element = UInt8

    let pieces: [[UInt8]]

    func makeAsyncIterator() -> Iterator {
        Iterator(pieces: pieces[...])
    }

    struct Iterator: AsyncBufferedIteratorProtocol {
        fileprivate var pieces: ArraySlice<[UInt8]>

        mutating func nextBuffer(suggested count: Int) async throws -> [UInt8]? {
            guard let piece = pieces.popFirst() else { throw Cut() }
            return piece
        }

        // Required by AsyncIteratorProtocol; FlyingFox sends buffers only.
        mutating func next() async throws -> UInt8? { nil }
    }

    private struct Cut: Error {}
}
