import TestSupport
import Testing

@testable import Documents

@Suite struct FormatCSVTests {
    @Test(
        "rows are arrays, or objects when the first row is a header",
        arguments: [
            ("", "[]"), ("\n\r\n", "[]"), ("a,b", #"[["a","b"]]"#), ("1,2\n", #"[["1","2"]]"#),
            ("name,age\nBob,7\n", #"[{"name":"Bob","age":"7"}]"#),
            ("name,age\r\nBob,7\r\nAl,8", #"[{"name":"Bob","age":"7"},{"name":"Al","age":"8"}]"#),
            ("a,a\nb,c", #"[["a","a"],["b","c"]]"#), ("a,\nb,c", #"[["a",""],["b","c"]]"#),
            ("a,1.5\nb,c", #"[["a","1.5"],["b","c"]]"#),
            ("a;b\n1,5;2", #"[{"a":"1,5","b":"2"}]"#), ("a\tb\n1\t2", #"[{"a":"1","b":"2"}]"#),
            ("a|b\n1|2", #"[{"a":"1","b":"2"}]"#), ("one\ntwo\n", #"[{"one":"two"}]"#),
            ("1,\n,2\n", #"[["1",""],["","2"]]"#), ("1,2,", #"[["1","2",""]]"#),
            ("\u{FEFF}x,y\n1,2", #"[{"x":"1","y":"2"}]"#),
            ("x,y\n007,1e5", #"[{"x":"007","y":"1e5"}]"#),
            ("x\rone\rtwo", #"[{"x":"one"},{"x":"two"}]"#),
        ]
    )
    func readsRows(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .csv())
        #expect(opened.json == json)
        #expect(opened.faults == [])
    }

    @Test(
        "quotes hold delimiters, line ends and doubled quotes",
        arguments: [
            ("x,y\n\"a,b\",\"c\"", #"[{"x":"a,b","y":"c"}]"#),
            ("x,y\n\"a\r\nb\",c", #"[{"x":"a\r\nb","y":"c"}]"#),
            ("x,y\n\"say \"\"hi\"\"\",\"\"", #"[{"x":"say \"hi\"","y":""}]"#),
            ("x,y\n\"\"\"\",z", #"[{"x":"\"","y":"z"}]"#),
            ("\"x,1\",\"y\"\n1,2", #"[{"x,1":"1","y":"2"}]"#),
            ("x,y\na\"b,\\é\t", #"[{"x":"a\"b","y":"\\é\t"}]"#),
        ]
    )
    func readsQuotes(text: String, json: String) {
        let opened = FormattedDocument.make(text, as: .csv())
        #expect(opened.json == json)
        #expect(opened.faults == [])
    }

    @Test("a ragged row keeps what is too much and leaves out what is missing")
    func keepsRaggedRows() {
        let opened = FormattedDocument.make("a,b\n1\n1,2,3,4\n", as: .csv())
        #expect(opened.json == ##"[{"a":"1"},{"a":"1","b":"2","#surplus":["3","4"]}]"##)
    }

    @Test(
        "what the Content-Type says about header and delimiter goes before what the rows look like"
    )
    func obeysType() {
        let text = "name,age\nBob,seven"
        let absent = FormattedDocument.make(text, as: .csv(hasHeader: false))
        #expect(absent.json == #"[["name","age"],["Bob","seven"]]"#)
        let present = FormattedDocument.make("1,2\n3,4", as: .csv(hasHeader: true))
        #expect(present.json == #"[{"1":"3","2":"4"}]"#)
        let tab = FormattedDocument.make("a,b\tc\n1\t2", as: .csv(delimiter: 0x09))
        #expect(tab.json == #"[{"a,b":"1","c":"2"}]"#)
    }

    @Test(
        "broken quotes are faults, and nothing is lost",
        arguments: [
            (
                "x,y\n1,\"open\nmore", #"[{"x":"1","y":"open\nmore"}]"#,
                "2:3 a quoted cell has no closing quote"
            ),
            (
                "x,y\n\"a\" b,2", #"[{"x":"a b","y":"2"}]"#,
                "2:4 a delimiter was expected after the closing quote"
            ),
        ]
    )
    func reportsQuotes(text: String, json: String, fault: String) {
        let opened = FormattedDocument.make(text, as: .csv())
        #expect(opened.json == json)
        #expect(opened.faultTexts == [fault])
    }

    @Test("cells of every length and place agree with a plain reading")
    func agreesWithNaive() {
        var generator = SeededGenerator(seed: 3)
        let pieces = ["", "a", "é", "long text without anything", "\\", "x y", "\u{1}", "1234567"]
        for _ in 0..<200 {
            let rows = (0..<Int.random(in: 1..<6, using: &generator)).map { _ in
                (0..<Int.random(in: 2..<6, using: &generator)).map { _ in
                    (0..<Int.random(in: 0..<4, using: &generator)).map { _ in
                        pieces.randomElement(using: &generator) ?? ""
                    }.joined()
                }
            }
            let text = rows.map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n"
            let opened = FormattedDocument.make(text, as: .csv(delimiter: 0x2C, hasHeader: false))
            let document = opened.document
            let read = document.children(of: .root).map { row in
                document.children(of: row).compactMap { document.string(of: $0) }
            }
            #expect(read == rows)
        }
    }

    @Test("a row knows its line")
    func knowsLines() {
        let opened = FormattedDocument.make("a,b\n1,2\n\n\"x\ny\",3\n4,5", as: .csv())
        let lines = opened.document.children(of: .root).map { opened.position(of: $0)?.line }
        #expect(lines == [2, 4, 6])
    }
}
