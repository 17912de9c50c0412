import Documents
import Foundation

enum DocumentsArticle {
    //> struct Account

    static func run() throws {
        try values()
        try decoding()
        try comparing()
    }

    private static func values() throws {
        //> let json
        check(user["name"].string == "Ada" && user["id"].numberText == "9007199254740993")
        check(json["users"][7]["name"].string == nil && json["users"][7].error != nil)
        //> let document
        check(dear.map { document.path(of: $0) } == ["$['items'][1]"])
        //> let bytes
        check(String(decoding: bytes, as: UTF8.self) == #"{"items":[{"price":5},{"price":15}]}"#)
    }

    private static func decoding() throws {
        //> let lenient
        check(lenient.value.login == "ada" && lenient.value.id == 7)
        check(lenient.coercions.map(\.path) == ["$.id"])
    }

    private static func comparing() throws {
        //> let left
        check(diff.counts.total == 2)
        check(DocumentDiff(between: patched, and: right).isEqual)
    }
}
