import FoundationEssentials
import HTTPTypes
import Workspaces

@testable import Apus
@testable import Documents
@testable import Secrets

let now = Date(timeIntervalSince1970: 1_700_000_000)

/// Header fields as a message has them, each in its line.
func fuzzFields(_ input: [UInt8]) {
    let fields = fields(of: lines(input))
    for field in fields {
        let value = field.value
        checkFileName(SuggestedDownload(head: head([.contentDisposition: value]), url: value))
        checkParameters(value)
        checkDate(value)
        _ = (DocumentFormat(contentType: value), MediaType.fileExtension(for: value))
        checkShown(field)
        let answer = response(head([.retryAfter: value]), [])
        let pause = RetryAfter(in: .success(answer), now: now)?.pause ?? .zero
        expect(pause >= .zero, "a pause is not negative")
        let text = String(String.UnicodeScalarView(bytes(of: field).map { Unicode.Scalar($0) }))
        let again = try? FieldText.field(field.name.rawName, text)
        expect(again.map(bytes) == bytes(of: field), "a field's bytes come back from their text")
    }
}

/// Nothing of a text gets around what it is shown or copied through.
private func checkShown(_ field: HTTPField) {
    let mask = CredentialMask(secrets: ["s3cret"])
    let line = mask.masking(headerLine: "\(field.name): \(field.value)")
    expect(line.utf8.firstRange(of: "s3cret".utf8) == nil, "a secret is not shown")
    let word = Array(CurlCommand.quoted(field.value).utf8)
    let pieces = word.split(separator: Array(#"'\''"#.utf8), omittingEmptySubsequences: false)
    let quotes = pieces.reduce(0) { $0 + $1.count { $0 == UInt8(ascii: "'") } }
    expect(quotes == 2, "a shell takes a word as it is written")
}

private func checkFileName(_ suggested: SuggestedDownload) {
    let name = suggested.name
    expect(!name.isEmpty && name.utf8.count <= 255, "a file can have the name")
    expect(!name.hasPrefix("."), "a name does not hide itself")
    expect(
        !name.unicodeScalars.contains {
            $0 == "/" || $0 == "\\" || $0.value < 0x20 || $0 == "\u{7F}"
        },
        "a name stays in its folder"
    )
}

private func checkParameters(_ value: String) {
    let parameters = HeaderParameters(value)
    for parameter in parameters.parameters {
        expect(parameters[parameter.name] != nil, "a parameter is found by its name")
    }
}

private func checkDate(_ value: String) {
    guard let date = HTTPDate.parse(value, now: now) else { return }
    let again = HTTPDate.parse(HTTPDate.format(date), now: now)
    expect(again == date, "a date that is written is the date that was read")
}

/// A status line and what follows: interim heads, heads, trailers.
func fuzzHeads(_ input: [UInt8]) {
    let first = HeadCollector()
    let recent = HeadCache()
    read(input, by: first, recent)
    let second = HeadCollector()
    // What was seen before changes nothing.
    read(input, by: second, recent)
    expect(first.response == second.response, "a head that is read again is the same")
    expect(first.irregularLines == second.irregularLines, "so is what is irregular in it")
    for field in first.response?.headerFields ?? [:] {
        expect(!bytes(of: field).contains { $0 == 0x0A || $0 == 0 }, "a field is in one line")
    }
    second.reset()
    expect(second.isAtStart && second.irregularLines.isEmpty, "a head forgets everything")
}

private func read(_ input: [UInt8], by head: HeadCollector, _ recent: HeadCache) {
    for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
        let event = (Array(line) + [0x0A]).withUnsafeBytes { head.handle($0) }
        switch event {
        case .ended: _ = head.finish(recent)
        case .tooLong, .tooManyLines: return
        case .line, .begun: continue
        }
    }
}

/// What `Content-Encoding` says, and a body.
func fuzzCodings(_ input: [UInt8]) {
    let (codings, body) = parts(input)
    let (whole, divided) = (decoded(body, codings, .max), decoded(body, codings, 1))
    // One has come to its end where the other one met the limit, or an error.
    guard let whole, let divided else { return }
    expect(whole == divided, "a body is the same however its bytes are divided")
}

/// What a body becomes, with 1 at its end if it is whole; nil if it is too much, or not valid.
private func decoded(_ body: [UInt8], _ codings: String, _ piece: Int) -> [UInt8]? {
    guard let decoder = BodyDecoder(FieldList([codings])) else { return body + [1] }
    var bytes: [UInt8] = []
    var rest = body[...]
    while !rest.isEmpty {
        let isValid = Array(rest.prefix(piece)).withUnsafeBytes { next in
            var input = next
            while bytes.count < 1 << 20, decoder.madeCount < 1 << 22 {
                let before = decoder.madeCount
                guard let hasMoved = try? decoder.step(&input) else { return false }
                expect(decoder.madeCount - before <= 32 << 10, "a step has a limit")
                guard hasMoved else { return input.isEmpty }
                bytes += decoder.piece
                decoder.takePiece()
            }
            return false
        }
        guard isValid else { return nil }
        rest = rest.dropFirst(piece)
    }
    return bytes + [decoder.unfinished == nil ? 1 : 0]
}

/// Values of `Set-Cookie`, and lines of a cookie file.
func fuzzCookies(_ input: [UInt8]) {
    let lines = lines(input)
    let jar = CookieJar()
    for line in lines {
        for url in ["http://a.example/b/c?d", "https://u:p@[::1]:8/"] {
            guard let field = SetCookieField(line, from: url) else { continue }
            expect(field.id.path.utf8.first == 0x2F, "a cookie's path begins at the root")
        }
        guard let cookie = CookieLine(text: line).cookie else { continue }
        _ = try? jar.set(cookie)
        guard let written = CookieLine(cookie) else { continue }
        expect(!written.text.utf8.contains(0x0A), "a cookie is a line")
        let again = CookieLine(text: written.text).cookie
        expect(again?.id == cookie.id, "a cookie that is written is the one that was read")
        expect(again?.value == cookie.value, "so is its value")
        expect(again?.isSecure == cookie.isSecure, "so is where it goes")
        expect(again?.isHostOnly == cookie.isHostOnly, "so are the hosts that it goes to")
    }
    jar.note(lines, from: "http://a.example/b")
    for cookie in jar.cookies { _ = try? jar.remove(cookie.id) }
    checkCookieFile(input)
}

private func checkCookieFile(_ input: [UInt8]) {
    let path = scratchFile(input)
    let jar = CookieJar(file: path)
    _ = try? jar.check()
    let request = HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/")
    _ = (jar.cookies.count, jar.account, jar.field(for: request, beside: nil))
}

/// `Content-Range` and `Range`, one in each line.
func fuzzRanges(_ input: [UInt8]) {
    for line in lines(input) {
        if let range = ContentRange(line) {
            expect(range.bytes.lowerBound >= 0 && !range.bytes.isEmpty, "a part has bytes")
            expect(range.total.map { $0 >= range.bytes.upperBound } ?? true, "it is in the whole")
            expect(ContentRange(range.value) == range, "what is written is what was read")
            expect(!line.contains("+"), "a number is digits")
        }
        guard let range = ByteRange(line) else { continue }
        for length in [0, 1, 100, Int.max] {
            guard let bytes = range.resolved(in: length) else { continue }
            expect(!bytes.isEmpty && bytes.lowerBound >= 0, "a range that is there has bytes")
            expect(bytes.upperBound <= length, "a range ends where the whole does")
        }
    }
}

/// A URL and, on the next lines, where it leads.
func fuzzLocations(_ input: [UInt8]) {
    let (first, rest) = parts(input)
    checkURL(first)
    guard let base = try? RequestURL(absolute: first) else { return }
    for location in lines(rest) {
        if let url = try? RequestURL(base: first, appending: location) { check(url) }
        checkRedirect(from: base, to: location)
    }
}

private func checkURL(_ text: String) {
    let masked = CredentialMask().masking(url: text)
    guard let url = try? RequestURL(absolute: text) else { return }
    check(url)
    let user = url.authority.utf8.lastIndex(of: 0x40).map { url.authority.utf8[..<$0] }
    let password = String(Substring((user ?? "".utf8[...]).drop { $0 != 0x3A }.dropFirst()))
    let isElsewhere = text.ranges(of: password).count > 1
    expect(
        password.count < 4 || isElsewhere || !masked.contains(password),
        "a password is not shown"
    )
    let target = url.requestTarget
    let head = HTTPRequest(
        method: .get,
        scheme: url.scheme,
        authority: url.authority,
        path: target.hasPrefix("/") ? target : "/" + target
    )
    checkKey(head)
    _ = TargetURI(head)?.text
    let edited = QueryEditing.setting("a b", to: "c&d", in: target)
    let query = edited.drop { $0 != "?" }.dropFirst()
    expect(QueryEditing.value(of: "a b", in: query) == "c&d", "a parameter that is set is there")
    expect(
        QueryEditing.value(of: "a b", in: QueryEditing.removing("a b", from: "/?a%20b=1")) == nil,
        "one that is removed is not"
    )
}

private func check(_ url: RequestURL) {
    expect(url.scheme == "http" || url.scheme == "https", "a URL is of HTTP")
    expect(!url.authority.isEmpty, "a URL has a host")
    expect(url.authority.utf8.allSatisfy(isVisible), "a host has no control character")
    expect(url.requestTarget.utf8.allSatisfy(isVisible), "a request line is one line")
    let text = "\(url.scheme)://\(url.authority)\(url.requestTarget)"
    let again = try? RequestURL(absolute: text)
    expect(again?.requestTarget == url.requestTarget, "a URL that is written is read as it was")
}

/// The quick way to a key gives what the slow one does.
private func checkKey(_ head: HTTPRequest) {
    guard let plain = PlainURL(head) else { return }
    var recipe = KeyRecipe()
    plain.add(to: &recipe, withQuery: true)
    let url = NormalizedURL(head, ignoring: [])
    expect(recipe.text == url.text, "a plain URL is its own normal form")
}

private func checkRedirect(from base: RequestURL, to location: String) {
    var head = HTTPRequest(
        method: .post,
        scheme: base.scheme,
        authority: base.authority,
        path: base.requestTarget
    )
    head.headerFields = [.authorization: "secret", .cookie: "a=b"]
    var follower = RedirectFollower(PreparedRequest(head: head))
    var answer = response(HTTPResponse(status: .found), [])
    answer.head.headerFields = HTTPFields([HTTPField(name: .location, value: location)])
    guard (try? follower.follow(answer)) == true else { return }
    let next = follower.next.head
    expect(next.scheme == "http" || next.scheme == "https", "a redirect leads to HTTP")
    expect(next.authority?.isEmpty == false, "a redirect leads to a host")
    expect(next.authority?.utf8.allSatisfy(isVisible) == true, "its host has no control character")
    expect(next.path?.utf8.allSatisfy(isVisible) == true, "its request line is one line")
    let isSame = TargetURI(head)?.origin == TargetURI(next)?.origin
    expect(isSame || next.headerFields[.authorization] == nil, "credentials stay at their origin")
    expect(isSame || next.headerFields[.cookie] == nil, "cookies stay at their origin")
}

/// Neither a control character nor a blank.
private func isVisible(_ byte: UInt8) -> Bool { byte > 0x20 && byte != 0x7F }

func bytes(of field: HTTPField) -> [UInt8] { field.withUnsafeBytesOfValue { Array($0) } }

func head(_ fields: HTTPFields) -> HTTPResponse { HTTPResponse(status: .ok, headerFields: fields) }

/// Those of the lines that are header fields.
func fields(of lines: [String]) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines {
        guard let colon = line.firstIndex(of: ":"),
            let name = HTTPField.Name(String(line[..<colon]))
        else { continue }
        let value = line[line.index(after: colon)...].drop { $0 == " " }
        fields.append(HTTPField(name: name, value: String(value)))
    }
    return fields
}

func response(_ head: HTTPResponse, _ body: [UInt8]) -> Response {
    let request = HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/")
    return Response(
        request: PreparedRequest(head: request),
        head: head,
        body: .bytes(body),
        source: .server,
        received: now
    )
}
