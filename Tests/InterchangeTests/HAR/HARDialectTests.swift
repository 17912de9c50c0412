import FoundationEssentials
import Interchange
import Testing

/// Archives as programs write them.
struct HARDialectTests {
    private static func text(_ entries: String, _ end: String = "]}}") throws -> String {
        let source = "{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries)\(end)"
        return try ImportedFile(ImportSource(path: "a.har", bytes: Array(source.utf8))).text
    }

    private static let entry =
        #"{"request":{"method":"GET","url":"https://a.test/1"},"response":{"status":200}}"#

    @Test(
        "a file that was cut off opens with its whole entries",
        arguments: [
            ",{\"request\":{\"method\":\"GET\",\"url\":\"https://a.te", "]", "]}", ",",
        ]
    )
    func cut(_ end: String) throws {
        let text = try Self.text(Self.entry, end)
        #expect(text.contains("https://a.test/1"))
        #expect(text.contains("Not carried over: the rest of the file."))
    }

    @Test("a body in Base64 that is text is a text")
    func base64() throws {
        let request =
            #"{"request":{"method":"POST","url":"https://a.test/","postData":{"mimeType":"text/plain","encoding":"base64","text":"w6k="}}}"#
        #expect(try Self.text(request).contains("body: é"))
    }

    @Test("a form with a row without a name is sent as it was")
    func rowWithoutName() throws {
        let request =
            #"{"request":{"method":"POST","url":"https://a.test/","postData":{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a","value":"1 2"},{"name":"","value":"3"}]}}}"#
        #expect(try Self.text(request).contains("a=1+2&=3"))
    }

    @Test("another host than the URL's is sent, and stands for the host of a path")
    func hosts() throws {
        let other =
            #"{"request":{"method":"GET","url":"https://a.test/","headers":[{"name":"Host","value":"b.test"}]}}"#
        #expect(try Self.text(other).contains("headers: { Host: b.test }"))
        let path =
            #"{"request":{"method":"GET","url":"/x","headers":[{"name":"Host","value":"b.test"}]}}"#
        #expect(try Self.text(path).contains("GET http://b.test/x"))
        let same =
            #"{"request":{"method":"GET","url":"https://a.test:8443/","headers":[{"name":"host","value":"a.test:8443"}]}}"#
        #expect(try !Self.text(same).lowercased().contains("host:"))
    }

    @Test("an entry that is none is listed")
    func noEntry() throws {
        #expect(try Self.text(Self.entry + ",5").contains("Not carried over: an entry."))
    }
}
