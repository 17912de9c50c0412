@testable import Documents

func fuzzMarkup(_ text: [UInt8]) {
    check(text, as: .xml)
    check(text, as: .html)
}

func fuzzYAML(_ text: [UInt8]) { check(text, as: .yaml) }

func fuzzTables(_ text: [UInt8]) {
    check(text, as: .csv())
    check(text, as: .csv(delimiter: 0x09, hasHeader: false))
    check(text, as: .form)
    check(text, as: .query)
    check(text, as: .jsonLines)
}

func fuzzEvents(_ text: [UInt8]) { check(text, as: .eventStream) }

func fuzzMultipart(_ text: [UInt8]) { check(text, as: .multipart(boundary: "b")) }

/// A Content-Type and, on the next line, a body of which it may be true.
func fuzzBodies(_ input: [UInt8]) {
    let (type, text) = parts(input)
    let bytes = DocumentBytes(text)
    if let format = DocumentFormat(contentType: type) {
        check(text, as: format, charset: MediaType(type)?.parameter("charset"))
    }
    if let format = DocumentFormat(sniffing: bytes) { check(text, as: format) }
    var body = BodyDocument(bytes, contentType: type)
    for form in body.availableForms {
        body.show(form)
        body.synchronize()
        expect(body.form == form, "a body can be shown in the forms that it has")
        _ = body.rows(in: 0..<min(50, body.rowCount), textLimit: 20)
    }
    _ = (body.faultText, body.faultPosition)
}

private func check(_ text: [UInt8], as format: DocumentFormat, charset: String? = nil) {
    let opened = FormattedDocument.opening(DocumentBytes(text), as: format, charset: charset)
    walk(opened.document)
    for index in 0..<min(opened.document.nodeCount, 100) {
        let offset = opened.offset(of: NodeIndex(index)) ?? 0
        expect(0...opened.text.count ~= offset, "a value comes from a place in the text")
    }
    // A text that breaks off leaves containers open, and says why.
    if format != .json && format != .jsonLines, let fault = opened.document.fault {
        expect(fault.kind == .unexpectedEnd, "what is made of another format is JSON")
        expect(!opened.faults.isEmpty, "a text that breaks off says why")
    }
}
