import Apus
import HTTPTypes

@testable import HTTPServing
@testable import Servers
@testable import Workspaces

/// The head of a request to a server of ours, its lines without their ends.
func fuzzRequests(_ input: [UInt8]) {
    let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false)
        .map { $0.last == 0x0D ? $0.dropLast() : $0 }
    guard let head = try? RequestHead(lines) else { return }
    let request = head.request
    expect(request.path?.hasPrefix("/") == true, "a target is a path")
    let fields = request.headerFields
    switch head.framing {
    case .length(let count):
        expect(count >= 0, "a length is not negative")
        expect(!fields.contains(.transferEncoding), "a body has one framing")
        expect(fields[values: .contentLength].count <= 1, "a body has one length")
    case .chunked:
        expect(!fields.contains(.contentLength), "a body has one framing")
        expect(head.isHTTP11, "only HTTP/1.1 has chunks")
    }
    for field in fields {
        let isClean = field.withUnsafeBytesOfValue { value in
            value.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        }
        expect(isClean, "a value has no control characters")
    }
    var passed = fields
    passed.removeHopByHop(keepsTrailers: true)
    let rest = passed.filter { $0.name == .connection || $0.name == .upgrade }
    expect(rest.allSatisfy { $0.value == "TE" }, "what is for the next hop stays with it")
    // As it is passed on it is read as the same request.
    var again = ["\(request.method.rawValue) \(request.path ?? "") HTTP/1.1", "Host: x"].map {
        ArraySlice(Array($0.utf8))
    }
    for field in fields {
        var line = Array("\(field.name.rawName): ".utf8)
        field.withUnsafeBytesOfValue { line += $0 }
        again.append(line[...])
    }
    guard let second = try? RequestHead(again) else {
        return expect(false, "what was read once is read again")
    }
    expect(
        second.request.path == request.path && second.request.headerFields == fields
            && second.framing == head.framing,
        "what was read once is read again as the same"
    )
}

/// What a person pastes as a request: a curl command, a URL, or HTTP.
func fuzzCommands(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let word = CurlCommand.quoted(text)
    // What no word can hold comes from a command in it.
    if !word.hasPrefix("\"$(") {
        let words = ShellWords("curl \(word) x")?.words
        expect(words == ["curl", text, "x"], "what is quoted is a word")
    }
    _ = RequestText.isProbable(text)
    guard let read = try? RequestText(text) else { return }
    expect(
        !read.draft.method.isEmpty && !read.draft.method.contains(where: \.isWhitespace),
        "a method is a word"
    )
    expect(!read.draft.url.isEmpty, "a request has a URL")
    for row in read.draft.headers {
        expect(!row.name.contains(where: \.isNewline), "a field's name is in one line")
    }
    guard case .multipart(let rows) = read.draft.body else { return }
    let isSame = rows.allSatisfy { TargetDraft.Row($0.name, $0.part).part == $0.part }
    expect(isSame, "a row says what its part is")
}
