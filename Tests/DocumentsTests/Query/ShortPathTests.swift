import Testing

@testable import Documents

@Suite struct ShortPathTests {
    @Test(
        "short paths of every seed are read",
        arguments: [
            ("a", "$['a']"), ("a>b", "$['a']['b']"), ("data > list", "$['data']['list']"),
            ("a.b[0]", "$['a']['b'][0]"), ("a.b.0", "$['a']['b']['0',0]"), ("[0].a", "$[0]['a']"),
            ("0", "$['0',0]"), ("a[-1]", "$['a'][-1]"), ("a.*.b", "$['a'][*]['b']"),
            ("a[*]", "$['a'][*]"), ("a['b.c']", "$['a']['b.c']"),
            ("a.'b.c'.d", "$['a']['b.c']['d']"),
            (#"a."b>c""#, "$['a']['b>c']"), (#"a.b\.c"#, "$['a']['b.c']"), (#"a\>b"#, "$['a>b']"),
            (#"a\[0\]"#, "$['a[0]']"), (#"\0"#, "$['0']"), ("a b.c d", "$['a b']['c d']"),
            ("00", "$['00']"), ("-1", "$['-1']"), ("$ref", "$['$ref']"), ("日本.é", "$['日本']['é']"),
            ("a-b_c", "$['a-b_c']"), ("''", "$['']"), (" a ", "$['a']"),
            ("a[ 'b' ] [ 1 ]", "$['a']['b'][1]"),
            ("99999999999999999999", "$['99999999999999999999']"), (#"a\ "#, "$['a ']"),
            (#"\*"#, "$['*']"),
            // As in jq.
            (".", "$"), (".a.b", "$['a']['b']"), (".[0].name", "$[0]['name']"),
            (".a[].b", "$['a'][*]['b']"), (".a.[0]", "$['a'][0]"), (".[]", "$[*]"),
            (#"."a b"[ ]"#, "$['a b'][*]"),
        ]
    )
    func reads(text: String, canonical: String) throws {
        #expect(try JSONPath(shortPath: text).description == canonical)
    }

    @Test(
        "a short path that is none says where and why",
        arguments: [
            ("", "column 1: the end of the text where a name or an index was expected"),
            ("a.", "column 3: the end of the text where a name or an index was expected"),
            ("a..b", "column 3: '.' where a name or an index was expected"),
            ("é>>b", "column 3: '>' where a name or an index was expected"),
            (
                "a[",
                "column 3: the end of the text where an index, * or a name in quotes was expected"
            ),
            ("a[x]", "column 3: 'x' where an index, * or a name in quotes was expected"),
            ("a[0", "column 4: the end of the text where ] was expected"),
            ("a]", "column 2: ']' where a name or an index was expected"),
            ("a['b'", "column 6: the end of the text where ] was expected"),
            ("'a'b", "column 4: 'b' where ., > or [ was expected"),
            ("a.'b", "column 3: this string has no closing quote"),
            ("a\\", "column 3: the end of the text where a character after \\ was expected"),
        ]
    )
    func explains(text: String, message: String) {
        let error = #expect(throws: JSONPathError.self) { _ = try JSONPath(shortPath: text) }
        #expect(error?.description == message)
    }

    @Test(
        "the form is told by the beginning",
        arguments: [
            ("$", "$"), ("$.a", "$['a']"), ("$[0]", "$[0]"), ("$ .a", "$['a']"),
            ("$..a", "$..['a']"), (" $.a ", "$['a']"), ("\n$ .a\t", "$['a']"),
            ("  a.b ", "$['a']['b']"),
            (#" a\ "#, "$['a ']"), (" $ ", "$"),
            ("$a", "$['$a']"), ("a", "$['a']"), ("a>b", "$['a']['b']"), ("$$", "$['$$']"),
        ]
    )
    func decides(text: String, canonical: String) throws {
        #expect(try JSONPath(parsing: text).description == canonical)
    }

    @Test("the column of a mistake counts the blanks before the path")
    func columns() {
        for (text, column) in [("  $.a[", 7), (" a]", 3), ("$.a b", 5)] {
            let error = #expect(throws: JSONPathError.self) { _ = try JSONPath(parsing: text) }
            #expect(error?.column == column, "\(text)")
        }
    }

    @Test("digits find an element or a member of that name, and the path is singular")
    func findsPlaces() throws {
        let path = try JSONPath(shortPath: "a.0")
        #expect(path.isSingular)
        #expect(Document.make(#"{"a":[7]}"#).nodes(matching: path) == [NodeIndex(2)])
        #expect(Document.make(#"{"a":{"1":8,"0":7}}"#).nodes(matching: path) == [NodeIndex(3)])
    }

    @Test("the short path of every value finds that value", arguments: 0..<20)
    func readsBack(seed: Int) throws {
        let document = Document.make(RandomJSON(seed: UInt64(seed)).spaced)
        for node in document.allNodes {
            let path = try JSONPath(parsing: document.dottedPath(of: node))
            let found = document.nodes(matching: path)
            #expect(found.contains(node), "\(path)")
            #expect(found.allSatisfy { document.path(of: $0) == document.path(of: node) })
        }
    }

    @Test("the short path of odd keys finds them too")
    func readsBackOddKeys() throws {
        let keys = [
            "$", "$ref", "$.a", "0", "00", "-1", "*", "a.b", "a>b", "a[0]", "'", #"\""#, #"\\"#,
            " ", "a b",
            "…", "é", "\\u0000", "e\u{301}", "@", "?", "]",
        ]
        let members = keys.map { "\"\($0)\":{\"\($0)\":[1]}" }.joined(separator: ",")
        let document = Document.make("{" + members + "}")
        #expect(document.fault == nil)
        for node in document.allNodes {
            let path = try JSONPath(parsing: document.dottedPath(of: node))
            #expect(document.nodes(matching: path) == [node], "\(document.dottedPath(of: node))")
        }
    }
}
