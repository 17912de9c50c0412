import Apus

/// What a session is made of: a HAR file, which was read, or a folder.
package struct SessionSource: Sendable {
    private let path: String
    /// Nil for a folder.
    private let har: HARReader?

    /// Reads a HAR file, which takes as long as it is large; of a folder each file is read in its turn.
    ///
    /// - Throws: ``SessionFault``.
    package init(_ path: String) throws(SessionFault) {
        self.path = path
        har = SessionFolder.isFolder(path) ? nil : try HARReader(path: path)
    }

    /// The session's name, if the file has it, else the file's.
    func name() throws(SessionFault) -> String {
        guard let har else { return try SessionFolder(path).session() }
        let file = path.split(separator: "/").last ?? ""
        return har.session ?? String(file.hasSuffix(".har") ? file.dropLast(4) : file)
    }

    /// What is left out, a sentence each.
    var remarks: [String] {
        guard let har else { return [] }
        var remarks = har.leftOut.sorted { $0.key < $1.key }.map { scheme, count in
            "\(count) \(count == 1 ? "entry" : "entries") "
                + (scheme.isEmpty ? "without a URL: left out" : "of \(scheme): left out")
        }
        if case let count = har.webSockets, count > 0 {
            remarks.append("the messages of \(count) WebSocket\(count == 1 ? "" : "s") left out")
        }
        return remarks
    }

    /// The exchanges in their order; the first fault is the last element.
    func exchanges() throws(SessionFault) -> AnySequence<Result<ImportedExchange, SessionFault>> {
        if let har { return AnySequence(har) }
        return AnySequence(try SessionFolder(path).exchanges())
    }
}
