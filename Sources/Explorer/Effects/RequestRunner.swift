import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import Terminal

/// Works on requests that are edited, one after the other: a later edit must not be overtaken.
final class RequestRunner: Sendable {
    private let effects: AsyncStream<RequestEffect>.Continuation
    private let work: Task<Void, Never>

    init(
        _ provider: Provider<MultiTarget>,
        _ transport: any Transport,
        send: @escaping @Sendable (RequestMessage) -> Void
    ) {
        let (stream, continuation) = AsyncStream<RequestEffect>.makeStream()
        effects = continuation
        work = Task.detached {
            for await effect in stream {
                if let message = await Self.perform(effect, provider, transport) { send(message) }
            }
        }
    }

    func perform(_ effect: RequestEffect) { effects.yield(effect) }

    func cancel() {
        effects.finish()
        work.cancel()
    }

    private static func perform(
        _ effect: RequestEffect,
        _ provider: Provider<MultiTarget>,
        _ transport: any Transport
    ) async -> RequestMessage? {
        switch effect {
        case .apply(let id, let ticket, let target, let draft):
            return .applied(id, ticket: ticket, apply(draft, to: target))
        case .save(let id, let edit, let destination):
            do throws(CatalogProblem) {
                try edit.save?(destination)
                return .saved(id, destination, nil)
            } catch {
                return .saved(id, destination, error)
            }
        case .preview(let id, let ticket, let resolved):
            return .previewed(id, ticket: ticket, await preview(of: resolved, provider, transport))
        case .paste(let text, let catalog): return paste(text, into: catalog)
        case .copy(let resolved, let language, let showsSecrets):
            return await copy(resolved, language, showsSecrets, provider)
        case .make(let name, let draft, let catalog):
            return .made(name: name, make(name, draft, in: catalog))
        case .beginScratch(let id, let text, let suffix):
            return ScratchFile.write(text, suffix: suffix).map { .scratchBegun(id, path: $0) }
                ?? .failed(
                    "cannot write the body to a file: \(String(cString: strerror(errno)))"
                )
        case .endScratch(let id, let path):
            return ScratchFile.take(path).map { .scratchEnded(id, text: $0) }
                ?? .failed("cannot read what the editor wrote")
        case .cookies(let jar, let change):
            do throws(ApusError) {
                switch change {
                case .set(let cookie): try jar.set(cookie)
                case .remove(let id): try jar.remove(id)
                case .removeAll: try jar.removeAll()
                case nil: break
                }
                return .cookies(jar, jar.cookies, problem: nil)
            } catch {
                return .cookies(jar, jar.cookies, problem: error.message.detail)
            }
        case .supply(let name, let value, let catalog):
            catalog.supply?(name, value)
            return .supplied
        }
    }

    private static func apply(
        _ draft: TargetDraft,
        to target: CatalogTarget
    ) -> Result<CatalogEdit, CatalogProblem> {
        guard let edit = target.edit else {
            return .failure(CatalogProblem("this request cannot be edited"))
        }
        do throws(CatalogProblem) {
            return .success(try edit(draft))
        } catch {
            return .failure(error)
        }
    }

    private static func make(
        _ name: String,
        _ draft: TargetDraft,
        in catalog: Catalog
    ) -> Result<CatalogEdit, CatalogProblem> {
        guard let make = catalog.make else {
            return .failure(CatalogProblem("no request can be added to \(catalog.name)"))
        }
        do throws(CatalogProblem) {
            return .success(try make(name, draft))
        } catch {
            return .failure(error)
        }
    }

    private static func paste(_ text: String, into catalog: Catalog) -> RequestMessage {
        let read: RequestText
        do throws(CatalogProblem) {
            read = try RequestText(text)
        } catch {
            return .pasteFailed(error)
        }
        let name = catalog.freeName(for: read.name)
        switch make(name, read.draft, in: catalog) {
        case .success(let edit):
            return .pasted(name: name, read.draft, edit, notes: read.warnings)
        case .failure(let problem): return .pasteFailed(problem)
        }
    }

    private static func copy(
        _ resolved: ResolvedTarget,
        _ language: RequestCode.Language,
        _ showsSecrets: Bool,
        _ provider: Provider<MultiTarget>
    ) async -> RequestMessage {
        do throws(ApusError) {
            let prepared = try await provider.preparedRequest(for: MultiTarget(resolved.target))
            let request = CookieJar.addingCookies(to: prepared)
            let text = RequestCode(request, as: language, showsSecrets: showsSecrets).text
            let secrets = showsSecrets ? ", with its secrets" : ""
            return .copied(text, what: "the request as \(language.title)\(secrets)")
        } catch {
            return .failed(error.message.title)
        }
    }

    private static func preview(
        of resolved: ResolvedTarget,
        _ provider: Provider<MultiTarget>,
        _ transport: any Transport
    ) async -> RequestPreview {
        do throws(ApusError) {
            let request = try await provider.preparedRequest(for: MultiTarget(resolved.target))
            return RequestPreview(request, adding: transport.addedFields(to: request))
        } catch {
            return RequestPreview(problem: error.message.title)
        }
    }
}

extension Catalog {
    /// A name that no pasted request has yet.
    fileprivate func freeName(for name: String) -> String {
        var taken: Set<String> = []
        for case .group(RequestsInHand.newGroup, let children) in nodes {
            for case .target(let target) in children { taken.insert(target.name) }
        }
        guard taken.contains(name) else { return name }
        let number = (2...).first { !taken.contains("\(name) \($0)") } ?? 2
        return "\(name) \(number)"
    }
}

extension RequestPreview {
    /// The rows of a body that are worth showing.
    private static let longestBody = 256 << 10

    /// What would be sent, masked by the request's own mask.
    ///
    /// The fields stand in the order in which libcurl writes them for HTTP/1.1: the host and what is accepted, the
    /// request's own, and the rest of what the transport adds.
    init(_ prepared: PreparedRequest, adding added: HTTPFields) {
        let whole = CookieJar.addingCookies(to: prepared)
        let request = whole.mask.maskingParts(of: whole)
        let head = request.head
        // With a jar libcurl makes the field itself, before the request's own.
        let isOfJar = prepared.options.cookieJar != nil && prepared.options.sendsCookies
        let cookieText = whole.head.headerFields[.cookie].map { Self.cookieLine($0, whole.mask) }
        // A field for each cookie, in one line where the first stands.
        var own: [String] = []
        for field in head.headerFields {
            guard field.name == .cookie else {
                own.append("\(field.name.rawName): \(field.value)")
                continue
            }
            if !isOfJar, let cookieText, !own.contains(cookieText) { own.append(cookieText) }
        }
        let order = ["host", "accept", "", "accept-encoding", "user-agent", "content-length"]
        func fields(_ places: Range<Int>) -> [HTTPField] {
            order[places].flatMap { name in added.filter { $0.name.canonicalName == name } }
        }
        let (before, behind) = (fields(0..<2), fields(3..<order.count))
        lines = ["\(head.method.rawValue) \(head.path ?? "/") HTTP/1.1"]
        lines += before.map { "\($0.name.rawName): \($0.value)" }
        if isOfJar, let cookieText { lines.append(cookieText) }
        lines += own
        lines += behind.map { "\($0.name.rawName): \($0.value)" }
        headCount = lines.count
        let body = Self.lines(of: request.body)
        if !body.isEmpty { lines += [""] + body }
        sendsCookies = prepared.options.sendsCookies
        guard let jar = prepared.options.cookieJar, sendsCookies else { return }
        hasJar = true
        cookies = jar.cookies(for: prepared.head).map { cookie in
            Cookie(name: cookie.name, value: CredentialMask.mask, remark: cookie.place)
        }
    }

    /// "Cookie: session=••••••; theme=••••••".
    private static func cookieLine(_ value: String, _ mask: CredentialMask) -> String {
        let pairs = value.split(separator: ";").map { pair -> String in
            guard let sign = pair.firstIndex(of: "=") else { return CredentialMask.mask }
            let name = pair[..<sign].drop { $0 == " " }
            return "\(mask.masking(line: String(name)))=\(CredentialMask.mask)"
        }
        return "Cookie: \(pairs.joined(separator: "; "))"
    }

    private static func lines(of body: PreparedRequest.Body) -> [String] {
        switch body {
        case .none: []
        case .bytes(let bytes):
            if bytes.count > longestBody || bytes.contains(0) {
                ["(\(bytes.count) bytes)"]
            } else {
                String(decoding: bytes, as: UTF8.self)
                    .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            }
        case .file(let path): ["(the bytes of the file \(path))"]
        case .multipart: ["(a form in parts)"]
        case .stream: ["(a stream)"]
        }
    }
}

/// A body in a file of its own, for the editor of the user.
enum ScratchFile {
    /// Writes a text to a new file that nobody else can read; nil if it cannot.
    static func write(_ text: String, suffix: String) -> String? {
        let folder =
            ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "/tmp"
        var template = Array("\(folder)/apus-body-XXXXXX\(suffix)".utf8CString)
        // It makes the file with the mode 600.
        let descriptor = mkstemps(&template, Int32(suffix.utf8.count))
        guard descriptor >= 0 else { return nil }
        let path = template.withUnsafeBufferPointer {
            $0.baseAddress.map { String(cString: $0) } ?? ""
        }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else {
                unlink(path)
                return nil
            }
            rest = rest.dropFirst(max(0, count))
        }
        return path
    }

    /// Reads a file and removes it; nil if it cannot be read, or is no text.
    static func take(_ path: String) -> String? {
        defer { unlink(path) }
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return String(validating: data, as: UTF8.self)
    }
}
