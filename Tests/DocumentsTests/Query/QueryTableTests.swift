import Testing

@testable import Documents

@Suite struct QueryTableTests {
    @Test("segments and selectors find what RFC 9535 says", arguments: QueryCase.selectors)
    func selects(query: QueryCase) throws { try check(query) }

    @Test("names in quotes are read with all their escapes", arguments: QueryCase.names)
    func reads(query: QueryCase) throws { try check(query) }

    @Test("filters keep what RFC 9535 says", arguments: QueryCase.filters)
    func filters(query: QueryCase) throws { try check(query) }

    @Test("comparisons follow RFC 9535 section 2.3.5.2.2", arguments: QueryCase.comparisons)
    func compares(query: QueryCase) throws { try check(query) }

    @Test("functions follow RFC 9535 section 2.4", arguments: QueryCase.functions)
    func calls(query: QueryCase) throws { try check(query) }

    @Test("blanks may stand where the grammar has them", arguments: QueryCase.blanks)
    func blanks(query: QueryCase) throws { try check(query) }

    @Test(
        "invalid queries are refused",
        arguments: QueryCase.invalidSyntax + QueryCase.invalidFilters
    )
    func refuses(query: QueryCase) throws { try check(query) }

    private func check(_ test: QueryCase) throws {
        guard let results = test.results else {
            #expect(throws: JSONPathError.self) { _ = try JSONPath(test.query) }
            return
        }
        let query = try JSONPath(test.query)
        let document = Document.make(test.document)
        #expect(document.fault == nil)
        let found = document.nodes(matching: query).map { document.sourceText(of: $0) }
        #expect(found == results)
        #expect(document.first(matching: query) == document.nodes(matching: query).first)
        #expect(try JSONPath(query.description) == query, "\(query)")
    }
}
