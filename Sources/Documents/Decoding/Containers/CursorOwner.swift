/// Keeps a cursor and what it reads for a container that is not in the pool.
final class CursorOwner {
    private let cursor: UnsafeMutablePointer<MemberCursor>
    private let context: DecodingContext

    init(_ cursor: UnsafeMutablePointer<MemberCursor>, _ context: DecodingContext) {
        self.cursor = cursor
        self.context = context
    }

    deinit {
        cursor.pointee.deallocate()
        cursor.deinitialize(count: 1).deallocate()
    }
}
