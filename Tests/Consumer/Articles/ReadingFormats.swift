import Documents
import Foundation

enum ReadingFormatsArticle {
    static func run() throws {
        try html()
        xml()
        formats()
        try places()
    }

    private static func html() throws {
        //> let page
        check(links.compactMap { page.document.string(of: $0) } == ["/a", "/b"])
        check(page.faults.isEmpty)
    }

    private static func xml() {
        //> let broken
        check(broken.faults.first?.position.line == 2)
        check(JSON(document: broken.document)["order"]["item"].string == "1")
    }

    private static func formats() {
        //> let formats
        check(formats == [.json, .yaml, .xml])
    }

    private static func places() throws {
        //> let settings
        check(place == TextPosition(line: 3, column: 9))
        check(JSON(document: settings.document)["server"]["port"].int == 8080)
    }
}
