@testable import Documents

func fuzzJSON(_ text: [UInt8]) {
    checkParsing(text)
    checkRecovery(text)
    checkWriting(text)
    checkDecoding(text)
}

private func checkParsing(_ text: [UInt8]) {
    let bytes = DocumentBytes(text)
    let whole = Document(bytes)
    whole.parseAll(with: VectorScanner.self)
    let portable = Document(bytes)
    portable.parseAll(with: PortableScanner.self)
    expect(whole.fault == portable.fault, "both scanners find the same fault")
    let pieces = Document(bytes)
    pieces.parseStart(with: FastestScanner.self, window: 16)
    while pieces.parseSlice(with: FastestScanner.self, length: 16) {}
    expect(pieces.fault == whole.fault, "a parse in pieces finds the same fault")
    expect(pieces.nodeCount == whole.nodeCount, "a parse in pieces finds the same values")
    walk(whole)
    walk(Document.parse(bytes, as: .sequence))
}

private func checkRecovery(_ text: [UInt8]) {
    for form in [DocumentForm.value, .sequence] {
        let document = Document.parse(DocumentBytes(text), as: form)
        if document.resume(toEnd: true) { document.parseToEnd() }
        expect(document.isFinished, "resuming ends")
        walk(document)
    }
}

private func checkWriting(_ text: [UInt8]) {
    let document = Document.parse(DocumentBytes(text))
    guard document.fault == nil, let minified = try? DocumentWriter().bytes(in: document)
    else { return }
    let again = Document.parse(DocumentBytes(minified))
    expect(again.fault == nil, "what is written can be parsed")
    expect((try? DocumentWriter().bytes(in: again)) == minified, "minified text stays")
    let pretty = (try? DocumentWriter(.pretty(PrettyStyle())).bytes(in: document)) ?? []
    let unpretty = try? DocumentWriter().bytes(in: Document.parse(DocumentBytes(pretty)))
    expect(unpretty == minified, "pretty text has the same tokens")
    guard let canonical = try? DocumentWriter(.canonical(.strict)).bytes(in: document) else {
        return
    }
    let stable = try? DocumentWriter(.canonical(.strict)).bytes(
        in: Document.parse(DocumentBytes(canonical))
    )
    expect(stable == canonical, "canonical text is its own canonical form")
}

/// A query and, on the next line, what it looks into.
func fuzzQuery(_ input: [UInt8]) {
    let (query, text) = parts(input)
    guard let path = try? JSONPath(parsing: query) else { return }
    let canonical = path.description
    expect((try? JSONPath(canonical))?.description == canonical, "\(canonical) parses as itself")
    let document = Document.parse(DocumentBytes(text))
    let nodes = document.nodes(matching: path)
    expect(nodes.first == document.first(matching: path), "the first match is the first")
    for node in nodes.prefix(100) {
        // A key with half a surrogate pair has no JSONPath (RFC 9535, section 2.3.1.1).
        if document.path(of: node).contains("\u{FFFD}") { continue }
        guard let exact = try? JSONPath(document.path(of: node)) else {
            return expect(false, "\(document.path(of: node)) is a JSONPath")
        }
        expect(document.nodes(matching: exact).contains(node), "a path finds its value")
    }
}

/// A text or an expression and, on the next line, what it is looked for in.
func fuzzSearch(_ input: [UInt8]) {
    let (needle, text) = parts(input)
    let document = Document.parse(DocumentBytes(text))
    for scope in [SearchScope.everything, .keys, .values] {
        let patterns = [
            SearchPattern(text: needle, in: scope),
            try? SearchPattern(expression: needle, in: scope),
        ]
        for case let pattern? in patterns {
            let search = DocumentSearch(pattern, in: document)
            while search.searchSlice() {}
            var offset = -1
            var seen = 0
            while let hit = search.next(after: offset), !hit.isWrapped {
                expect(hit.range.upperBound <= text.count, "a hit lies in the text")
                offset = hit.range.lowerBound
                seen += 1
            }
            expect(seen <= search.progress.hitCount, "no more hits than were counted")
        }
    }
}

/// A document in a line, and another behind it, which is read as a patch too.
func fuzzDiff(_ input: [UInt8]) {
    let (first, second) = parts(input)
    let left = Document.parse(DocumentBytes(Array(first.utf8)))
    let right = Document.parse(DocumentBytes(second))
    if let patch = try? JSONPatch(parsing: right) { _ = try? patch.apply(to: left) }
    var options = DiffOptions()
    options.numbers = .text
    let diff = DocumentDiff(between: left, and: right, options: options)
    var rows = AlignedRows(diff)
    rows.showOnlyDifferences()
    rows.foldAll()
    _ = rows.rows(in: 0..<rows.rowCount, textLimit: 20)
    guard left.fault == nil, right.fault == nil, left.nodeCount > 0, right.nodeCount > 0 else {
        return
    }
    guard let patched = try? diff.patch().apply(to: left) else {
        return expect(false, "a patch applies to what it was made from")
    }
    let rest = DocumentDiff(between: patched, and: right, options: options)
    expect(rest.isEqual, "a patch makes one document of the other")
}

private func checkDecoding(_ text: [UInt8]) {
    let decoder = DocumentDecoder()
    let strict = try? decoder.decode(Sample.self, from: text)
    let lenient = try? decoder.decodeLeniently(Sample.self, from: text)
    if let strict {
        expect(lenient?.value == strict, "lenience changes nothing that is right")
    }
    guard let json = try? JSON(parsing: text) else { return }
    var copy = json
    copy["added"] = 1
    _ = (json["a"][0]["b"].stringValue, json.arrayValue.count, copy.description, json == copy)
}

private struct Sample: Decodable, Equatable {
    var a: [Int]?
    var b: [String: Double]?
    var c: Bool?
    var d: String?
    var e: [Sample]?
}

/// Reads everything that a pane would ask for.
func walk(_ document: Document) {
    let count = document.bytes.count
    for index in 0..<document.nodeCount {
        let node = NodeIndex(index)
        let range = document.valueRange(of: node)
        expect(range.lowerBound >= 0 && range.upperBound <= count, "a value lies in the text")
        _ = (document.key(of: node), document.string(of: node), document.dottedPath(of: node))
        expect(document.indexInParent(of: node) <= index, "places are counted from the parent")
    }
    var rows = RowIndex(document)
    rows.fold(fromDepth: 2)
    rows.toggle(NodeIndex(document.nodeCount / 2))
    _ = rows.rows(in: 0..<min(100, rows.rowCount), textLimit: 20)
}
