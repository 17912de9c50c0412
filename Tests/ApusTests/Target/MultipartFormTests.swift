import HTTPTypes
import Testing

@testable import Apus

@Suite("Forms of many parts")
struct MultipartFormTests {
    private static func head(_ part: MultipartForm.Part) -> String {
        guard case .bytes(let bytes) = MultipartForm([part], boundary: "b").pieces().first else {
            return ""
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test(
        "a file's name and type are told, and each of them can be given alone",
        arguments: [
            (.file("n", path: "/a/x.png"), "x.png", "image/png"),
            (.file("n", path: "/a/x.png", fileName: "y.txt"), "y.txt", "text/plain"),
            (.file("n", path: "/a/x.png", type: "a/b"), "x.png", "a/b"),
            (.file("n", path: "/a/x.png", fileName: "y", type: "a/b"), "y", "a/b"),
            (.data("n", [1], fileName: "d.json"), "d.json", "application/json"),
            (.data("n", [1], type: "a/b"), nil, "a/b"),
            (.data("n", [1]), nil, nil),
        ] as [(MultipartForm.Part, String?, String?)]
    )
    func names(part: MultipartForm.Part, fileName: String?, type: String?) {
        let name = fileName.map { "; filename=\"\($0)\"" } ?? ""
        let line = type.map { "Content-Type: \($0)\r\n" } ?? ""
        #expect(
            Self.head(part)
                == "--b\r\nContent-Disposition: form-data; name=\"n\"\(name)\r\n\(line)\r\n"
        )
    }

    @Test("a name cannot end its line or its quotes")
    func hostileNames() {
        let part = MultipartForm.Part.data(
            "a\"b\r\nX-Evil: 1",
            [],
            fileName: "é\"\n.txt",
            type: "text/plain\r\nX-Evil: 1"
        )
        #expect(
            Self.head(part)
                == "--b\r\nContent-Disposition: form-data; name=\"a%22b%0D%0AX-Evil: 1\"; "
                + "filename=\"é%22%0A.txt\"\r\nContent-Type: text/plainX-Evil: 1\r\n\r\n"
        )
    }

    @Test("a form with its method names its boundary; a random one is new each time")
    func boundary() throws {
        let form: MultipartForm = [.text("a", "b")]
        let request = try Endpoint(TestTarget(method: .post, task: .multipart(form))).request
        #expect(
            request.head.headerFields[.contentType]
                == "multipart/form-data; boundary=\(form.boundary)"
        )
        #expect(request.body == .multipart(form))
        #expect(MultipartForm([]).boundary != MultipartForm([]).boundary)
        let related = try Endpoint(
            TestTarget(
                method: .patch,
                task: .composite(
                    body: .multipart(MultipartForm(form.parts, boundary: "a b")),
                    query: [Parameter("q", 1)]
                ),
                headerFields: [.contentType: "multipart/related"]
            )
        ).request
        #expect(
            related.head.headerFields[.contentType] == "multipart/related; boundary=\"a b\""
        )
        #expect(related.head.path == "/users/7?q=1")
    }

    @Test("forms of the same parts share a cache key, whatever their boundary")
    func key() throws {
        func key(_ parts: [MultipartForm.Part]) throws -> CacheKey {
            let target = TestTarget(method: .post, task: .multipart(MultipartForm(parts)))
            return CacheKey(for: try Endpoint(target).request, policy: .keep())
        }
        let parts: [MultipartForm.Part] = [.text("a", "b"), .data("c", [1], fileName: "d")]
        #expect(try key(parts).digest == key(parts).digest)
        #expect(try key(parts).digest != key([.text("a", "b")]).digest)
    }
}
