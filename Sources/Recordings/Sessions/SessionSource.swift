import Apus

/// The source of an imported session: a HAR file, which is already parsed, or a folder.
package struct SessionSource: Sendable {
    private let path: String
    /// Nil for a folder.
    private let har: HARReader?

    /// Opens a source: parses a HAR file, while the files of a folder are read one by one later.
    ///
    /// - Throws: ``SessionFault`` if a HAR file cannot be read.
    package init(_ path: String) throws(SessionFault) {
        self.path = path
        har = SessionFolder.isFolder(path) ? nil : try HARReader(path: path)
    }

    /// The session's name; for a HAR file without one, the name of the file.
    func name() throws(SessionFault) -> String {
        guard let har else { return try SessionFolder(path).session() }
        let file = path.split(separator: "/").last ?? ""
        return har.session ?? String(file.hasSuffix(".har") ? file.dropLast(4) : file)
    }

    /// What is left out, one sentence for each kind.
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

    /// The exchanges in order, up to the first fault, which is the last element.
    func exchanges() throws(SessionFault) -> AnySequence<Result<ImportedExchange, SessionFault>> {
        if let har { return AnySequence(har) }
        return AnySequence(try SessionFolder(path).exchanges())
    }
}
