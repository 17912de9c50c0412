import Testing

@testable import Documents

@Suite("Faults among the rows of a tree")
struct FaultRowsTests {
    private func rows(_ body: BodyDocument) -> [String] {
        body.rows(in: 0..<body.rowCount).enumerated().map { row, content in
            switch content {
            case .tree(let value):
                return "\(value.depth) \(value.key ?? value.index.map(String.init) ?? "$")"
            case .fault(let fault): return "\(fault.depth) !\(fault.fault.offset) \(fault.text)"
            case .text, .hex: return "\(row)"
            }
        }
    }

    @Test(
        "the fault stands behind what was read, as deep as it is",
        arguments: [
            (
                #"{"a": 1, "b": [1, x], "c": 3}"#,
                ["0 $", "1 a", "1 b", "2 0", "2 !18 x], \"c\": 3}"]
            ),
            (#"{"a": [1, 2], oops"#, ["0 $", "1 a", "2 0", "2 1", "1 !14 oops"]),
            ("[1]\n tail\nmore", ["0 $", "1 0", "0 !5 tail"]),
            ("[1, 2", ["0 $", "1 0", "1 1", "1 !5 "]),
        ]
    )
    func places(text: String, expected: [String]) {
        let body = BodyDocument(.make(text), contentType: "application/json")
        #expect(rows(body) == expected)
        #expect(body.rowCount == expected.count)
        #expect(body.fault(atRow: expected.count - 1)?.offset == body.fault?.offset)
        #expect(body.node(atRow: expected.count - 1) == nil)
    }

    @Test("folds move the faults, and rows and values still find each other")
    func folds() {
        var body = BodyDocument(
            .make(#"{"a": [1, tru, [2, nul]], "b": fals, "c": [3]}"#),
            contentType: "application/json"
        )
        body.document?.resume(toEnd: true)
        body.document?.parseToEnd()
        body.synchronize()
        #expect(body.document?.faultCount == 3)
        checkPlaces(body)
        for row in 0..<body.rowCount {
            var folded = body
            folded.toggle(row: row)
            checkPlaces(folded)
        }
        body.foldAll()
        checkPlaces(body)
        #expect(rows(body).filter { $0.contains("!") }.count == 3)
        body.toggle(row: body.row(ofFault: 0) ?? 0)
        body.unfoldAll()
        checkPlaces(body)
    }

    private func checkPlaces(_ body: BodyDocument) {
        let all = body.rows(in: 0..<body.rowCount)
        #expect(all.count == body.rowCount)
        for (row, content) in all.enumerated() {
            #expect(body.row(at: row) == content)
            if case .tree(let value) = content {
                #expect(body.node(atRow: row) == value.node)
                #expect(body.row(of: value.node) == row)
            } else {
                #expect(body.node(atRow: row) == nil)
            }
            if let parent = body.parentRow(of: row) { #expect(parent < row) }
        }
    }

    @Test("a body that grows is not told that it ends too early, but what is wrong in it is")
    func growing() {
        let cut = BodyDocument(.make("[1, 2"), contentType: "application/json", isGrowing: true)
        #expect(cut.fault == nil)
        #expect(cut.rowCount == 3)
        let broken = BodyDocument(.make("[1, x"), contentType: "application/json", isGrowing: true)
        #expect(broken.fault != nil)
        #expect(broken.rowCount == 3)
    }
}
