import Testing

@testable import Apus

@Suite("Parameters in queries, forms and JSON")
struct ParameterEncodingTests {
    static let mixed: [Parameter] = [
        Parameter("b", "x y+z"), Parameter("a", 7), Parameter("list", [1, 2]),
        Parameter("in", ["k": true, "n": nil]),
    ]

    @Test(
        "arrays and truth values are written as asked",
        arguments: [
            (
                ParameterEncoding.query,
                "b=x%20y%2Bz&a=7&list%5B%5D=1&list%5B%5D=2&in%5Bk%5D=1&in%5Bn%5D="
            ),
            (
                ParameterEncoding(.query, arrays: .repeated, booleans: .literal),
                "b=x%20y%2Bz&a=7&list=1&list=2&in%5Bk%5D=true&in%5Bn%5D="
            ),
            (
                ParameterEncoding(.query, arrays: .indexed),
                "b=x%20y%2Bz&a=7&list%5B0%5D=1&list%5B1%5D=2&in%5Bk%5D=1&in%5Bn%5D="
            ),
        ]
    )
    func query(encoding: ParameterEncoding, text: String) {
        #expect(encoding.queryText(of: Self.mixed) == text)
    }

    @Test("a form writes a space as plus")
    func form() {
        #expect(ParameterEncoding.form.formText(of: [Parameter("a b", "c d+")]) == "a+b=c+d%2B")
    }

    @Test("JSON keeps the order, escapes what it must, and refuses NaN")
    func json() throws {
        let value = ParameterValue.object(
            Self.mixed + [Parameter("q\"\\", "\u{1}\n/é"), Parameter("f", 1.5)]
        )
        #expect(
            String(decoding: try value.json(), as: UTF8.self)
                == #"{"b":"x y+z","a":7,"list":[1,2],"in":{"k":true,"n":null},"q\"\\":"\u0001\n/é","f":1.5}"#
        )
        #expect(throws: ApusError.self) { try ParameterValue.number(.nan).json() }
    }

    @Test("elements are named by a rule of one's own")
    func custom() {
        let naming = ParameterEncoding.ElementNaming("dots") { "\($0).\($1 + 1)" }
        let encoding = ParameterEncoding(.query, arrays: .custom(naming))
        #expect(encoding.queryText(of: [Parameter("k", ["a", "b"])]) == "k.1=a&k.2=b")
        let same = ParameterEncoding(.query, arrays: .custom(.init("dots") { _, _ in "" }))
        #expect(same == encoding)
    }

    @Test("names are sorted at every depth if asked, in queries and JSON; equal ones stay")
    func sorted() throws {
        let parameters = [
            Parameter("b", ["z": 1, "a": 2]), Parameter("a", 1), Parameter("a", 0),
        ]
        let query = ParameterEncoding(.query, sortsKeys: true)
        #expect(query.queryText(of: parameters) == "a=1&a=0&b%5Ba%5D=2&b%5Bz%5D=1")
        let json = try ParameterValue.object(parameters).json(
            ParameterEncoding(.json, sortsKeys: true)
        )
        #expect(String(decoding: json, as: UTF8.self) == #"{"a":1,"a":0,"b":{"a":2,"z":1}}"#)
    }

    @Test("JSON has line ends and indents if asked")
    func pretty() throws {
        let value: ParameterValue = ["a": [1, [:]], "b": []]
        let json = try value.json(ParameterEncoding(.json, isPretty: true))
        #expect(
            String(decoding: json, as: UTF8.self) == """
                {
                  "a": [
                    1,
                    {}
                  ],
                  "b": []
                }
                """
        )
    }
}
