/// The open file with its statements.
final class ReadStatements {
    let connection: ReaderConnection
    let find: OpaquePointer
    let variants: OpaquePointer
    let hold: ReadHold
    /// The head that was read last.
    var known = KnownHead()

    init(_ path: String) throws {
        connection = try ReaderConnection(path)
        find = try connection.prepared("\(DiskRow.selection) WHERE id = ?")
        variants = try connection.prepared("\(DiskRow.selection) WHERE primary_row = ?")
        hold = try ReadHold(connection)
    }
}
