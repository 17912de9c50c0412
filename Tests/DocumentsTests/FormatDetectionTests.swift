import Testing

@testable import Documents

@Suite struct FormatDetectionTests {
    @Test(
        "a Content-Type names a format",
        arguments: [
            ("application/json", .json), ("application/problem+json", .json),
            ("application/x-ndjson", .jsonLines), ("text/event-stream;charset=utf-8", .eventStream),
            ("Application/XML", .xml), ("image/svg+xml", .xml), ("text/html; charset=x", .html),
            ("application/xhtml+xml", .xml), ("application/yaml", .yaml), ("a/b+yaml", .yaml),
            ("application/x-www-form-urlencoded", .form), ("text/csv", .csv()),
            ("text/csv; header=present", .csv(hasHeader: true)),
            ("text/csv; Header=absent", .csv(hasHeader: false)),
            ("text/tab-separated-values", .csv(delimiter: 0x09)),
            ("multipart/form-data; boundary=\"a;b\"", .multipart(boundary: "a;b")),
            ("multipart/byteranges; boundary=x y", .multipart(boundary: "x y")),
            ("multipart/mixed", nil), ("image/png", nil), ("text/plain", nil), ("", nil),
        ] as [(String, DocumentFormat?)]
    )
    func readsTypes(type: String, format: DocumentFormat?) {
        #expect(DocumentFormat(contentType: type) == format)
    }

    @Test(
        "a file's name says its format",
        arguments: [
            ("a.json", .json), ("x/y.YML", .yaml), ("a.b.csv", .csv()), ("page.htm", .html),
            ("feed.rss", .xml), ("log.ndjson", .jsonLines), ("README", nil), ("a.", nil),
        ] as [(String, DocumentFormat?)]
    )
    func readsNames(name: String, format: DocumentFormat?) {
        #expect(DocumentFormat(fileName: name) == format)
    }

    @Test(
        "the first bytes say what a body is when they say it clearly",
        arguments: [
            ("<?xml version='1.0'?><a/>", .xml), ("\u{FEFF} <rss>", .xml),
            ("<!DOCTYPE HTML>", .html),
            ("<html lang=en>", .html), ("<htmlx/>", .xml), ("<3 you", nil), ("---\na: 1", .yaml),
            ("data: x\n\n", .eventStream), ("event: y\n", .eventStream), ("a: 1", nil),
            ("--x1\r\nContent-Type: a/b\r\n", .multipart(boundary: "x1")), ("--x1\r\ntext", nil),
            ("a,b\n1,2", nil), ("a=1&b=2", nil), ("", nil),
        ] as [(String, DocumentFormat?)]
    )
    func sniffs(text: String, format: DocumentFormat?) {
        #expect(BodySniffer(bytes: .make(text)).format == format)
    }

    @Test("header parameters: quotes, escapes, blanks, and what is none")
    func readsParameters() {
        let header = HeaderParameters(#" a/b ; X = 1; y="q;\"\\ C:\d"; z ; w="open"#)
        #expect(header.value == "a/b")
        #expect(header["x"] == "1")
        #expect(header["y"] == #"q;"\ C:\d"#)
        #expect(header["z"] == nil)
        #expect(header["w"] == "open")
    }
}
