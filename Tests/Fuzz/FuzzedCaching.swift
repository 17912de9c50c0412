import FoundationEssentials
import HTTPTypes

@testable import Apus

/// Heads with an empty line between them: a request, its response, a later request, its response.
func fuzzCaching(_ input: [UInt8]) {
    var heads = lines(input).split(separator: "", maxSplits: 3, omittingEmptySubsequences: false)
        .map(Array.init)
    while heads.count < 4 { heads.append([]) }
    let request = makeRequest(heads[0])
    let answer = makeResponse(heads[1])
    let later = heads[2].isEmpty ? request : makeRequest(heads[2])
    let laterResponse = makeResponse(heads[3])
    checkFields(answer.headerFields)
    checkFields(request.headerFields)
    let rules = HTTPCacheRules()
    let plan = rules.storing(
        answer,
        to: request,
        length: 10,
        requestTime: now,
        responseTime: now.addingTimeInterval(1)
    )
    _ = rules.invalidation(by: laterResponse, to: later)
    guard let stored = plan.stored else { return }
    checkStored(stored)
    checkReuse(of: stored, rules, later, laterResponse)
    checkParts(stored, rules, request, laterResponse)
}

private func checkFields(_ fields: HTTPFields) {
    let control = CacheControl(fields)
    let lines = fields[values: .cacheControl]
    let most = lines.reduce(lines.count) { $0 + $1.utf8.count { $0 == UInt8(ascii: ",") } }
    expect(control.directives.count <= most, "there are no more directives than were given")
    for time in [control.maxAge, control.staleIfError, control.staleWhileRevalidate, fields.age] {
        guard let time else { continue }
        expect(time >= .zero && time <= DeltaSeconds.largest, "a time is in its bounds")
    }
    for directive in control.directives {
        expect(CacheDirective(Substring(directive.text)) != nil, "a directive can be written")
    }
    if let tag = fields.entityTag {
        expect(EntityTag(tag.description) == tag, "a tag that is written is the one that was read")
        expect(tag.isWeaklyEqual(to: tag), "a tag is equal to itself")
    }
    let vary = Vary(fields)
    if case .fields = vary {
        expect(vary.matches(fields, vary.selecting(from: fields)), "a request matches itself")
    }
    _ = (EntityTagCondition(fields)?.matches(fields.entityTag), MaxStale(control))
}

private func checkStored(_ stored: StoredHead) {
    let entry = HTTPEntry(primary: KeyName("primary"), account: "", stored)
    let again = entry.encoded.withUnsafeBytes { HTTPEntry($0) }
    expect(again == entry, "an entry that is written is the one that is read")
    let freshness = Freshness(of: stored, at: stored.responseTime, HTTPCacheRules())
    expect(freshness.lifetime.duration >= .zero, "a lifetime is not negative")
    expect(freshness.age.current >= .zero, "an age is not negative")
}

private func checkReuse(
    of stored: StoredHead,
    _ rules: HTTPCacheRules,
    _ request: HTTPRequest,
    _ answer: HTTPResponse
) {
    for seconds in [0, 60, -3600, 1e9] {
        let time = stored.responseTime.addingTimeInterval(seconds)
        _ = rules.stored(of: [stored], for: request, at: time)
        let plan = rules.reuse(of: [stored], for: request, at: time)
        switch plan.action {
        case .answer(let answer): check(answer, of: stored)
        case .answerAndRevalidate(let answer, _): check(answer, of: stored)
        case .validate(let conditional):
            _ = rules.validation(
                of: [stored],
                by: answer,
                to: conditional,
                requestTime: time,
                responseTime: time
            )
        case .complete(let part):
            let range = part.request.headerFields[.range].flatMap { ByteRange($0) }
            expect(range != nil, "what is missing is a range")
        case .fetch, .gatewayTimeout: break
        }
        _ = rules.afterFailure(.unreachable, selected: stored, for: request, at: time)
        _ = rules.headUpdate(
            of: [stored],
            by: answer,
            to: request,
            requestTime: time,
            responseTime: time
        )
    }
}

private func check(_ answer: ServedResponse, of stored: StoredHead) {
    guard case .slice(let bytes) = answer.body else { return }
    let count =
        switch stored.content {
        case .whole(let length): length ?? .max
        case .part(let range): range.bytes.count
        }
    expect(bytes.lowerBound >= 0 && bytes.upperBound <= count, "a slice is in the stored body")
}

/// Two parts of one body together.
private func checkParts(
    _ stored: StoredHead,
    _ rules: HTTPCacheRules,
    _ request: HTTPRequest,
    _ answer: HTTPResponse
) {
    let newer = rules.storing(answer, to: request, length: 10, requestTime: now, responseTime: now)
    guard let newer = newer.stored else { return }
    _ = rules.superseded(byPart: newer, to: request, among: [stored])
    guard let combination = rules.combination(of: newer, with: [stored], for: request),
        case .part(let old) = stored.content
    else { return }
    expect(combination.before.upperBound <= old.bytes.count, "what is taken is there")
    expect(combination.after.upperBound <= old.bytes.count, "what is taken behind it is there")
}

private func makeRequest(_ lines: [String]) -> HTTPRequest {
    let words = (lines.first ?? "").split(separator: " ")
    let method = words.first.flatMap { HTTPRequest.Method(String($0)) } ?? .get
    let path = words.count > 1 ? String(words[1]) : "/"
    var request = HTTPRequest(method: method, scheme: "http", authority: "a.example", path: path)
    request.headerFields = fields(of: Array(lines.dropFirst()))
    return request
}

private func makeResponse(_ lines: [String]) -> HTTPResponse {
    let code = (lines.first ?? "").split(separator: " ").dropFirst().first.flatMap { Int($0) }
    let status = HTTPResponse.Status(code: code.flatMap { 0...999 ~= $0 ? $0 : nil } ?? 200)
    return HTTPResponse(status: status, headerFields: fields(of: Array(lines.dropFirst())))
}
