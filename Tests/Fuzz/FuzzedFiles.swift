import FoundationEssentials
import Glibc
import HTTPTypes

@testable import Apus
@testable import Documents
@testable import Workspaces

/// A workspace's file: all that can be made of it is made.
func fuzzWorkspaces(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let secrets = SecretReader(
        environmentVariable: { $0 == "T" ? "hidden" : nil },
        file: { (_: String) throws(Workspaces.FileReadError) -> String in
            throw Workspaces.FileReadError(detail: "does not exist")
        }
    )
    let workspace: Workspace
    do throws(WorkspaceError) {
        workspace = try Workspace.parse(text: text, file: "a.apus.yaml", secrets: secrets)
    } catch {
        return check(error, text)
    }
    expect(!workspace.environments.isEmpty, "a workspace has an environment")
    for environment in workspace.environments.prefix(3) {
        _ = workspace.variables(in: environment.name)
        for target in workspace.targets.prefix(20) {
            guard let made = try? workspace.resolve(target, in: environment.name) else { continue }
            expect(!"\(made) \(made.display)".contains("hidden"), "a secret is not shown")
        }
        for batch in workspace.batches where batch.entries.allSatisfy({ $0.repeatCount < 20 }) {
            _ = try? workspace.resolve(batch, in: environment.name)
        }
        for chain in workspace.chains { _ = try? workspace.graph(of: chain, in: environment.name) }
    }
}

private func check(_ error: WorkspaceError, _ text: String) {
    expect(!error.problems.isEmpty, "what is wrong is said")
    let count = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count
    for problem in error.problems {
        expect(problem.location.line <= count + 1, "a problem is in the file")
    }
    expect(!error.description.isEmpty, "a problem has words")
}

/// A template; the lines behind it are values of its variables.
func fuzzTemplates(_ input: [UInt8]) {
    let (text, rest) = parts(input)
    let log = ProblemLog()
    let source = SourceText(name: "a", text: text)
    let span = Workspaces.Span(source, line: 1, column: 1)
    let template = Template(text, span, log)
    expect(template.text == text, "a template keeps what was written")
    var values: [String: ResolvedValue] = [:]
    for (name, value) in zip(["a", "b", "c_d", "é", "e-f"], lines(rest)) {
        values[name] = ResolvedValue(Value(plain: value))
    }
    let scope = Workspaces.Scope(given: [:], workspace: [], environment: [])
        .overlaid(with: values)
    var evaluation = Evaluation(scope: scope, purpose: .sending, log: log)
    let result = evaluation.text(template)
    if template.segments.isEmpty { expect(result?.text == "", "nothing stays nothing") }
    if text.utf8.firstRange(of: "{{".utf8) == nil {
        expect(result?.text == text, "a text without names is itself")
    }
    _ = evaluation.value(TemplateValue.text(template))
    expect(Set(template.credentialNames).isSubset(of: template.names), "a credential has a name")
    for problem in log.problems {
        expect(problem.location.column <= text.unicodeScalars.count + 1, "a problem has a place")
    }
}

/// A chain's state; its first line is a path into a response and a condition too.
func fuzzChains(_ input: [UInt8]) {
    let (first, rest) = parts(input)
    if var state = try? DocumentDecoder().decode(ChainState.self, from: input) {
        check(state)
        for step in state.done { state.forget(step) }
        expect(state.done.isEmpty, "what is forgotten is not done")
    }
    if let path = try? CapturePath(first) {
        let again = try? CapturePath(path.description)
        expect(again == path, "a path that is written is the one that was read")
        _ = path.value(in: response(head([:]), rest))
    }
    if let condition = try? ChainCondition(first) {
        expect(condition.text == first, "a condition keeps its text")
        expect(!condition.uses.contains("steps"), "steps are no values")
    }
}

private func check(_ state: ChainState) {
    guard let bytes = try? JSONEncoder().encode(state),
        let again = try? DocumentDecoder().decode(ChainState.self, from: Array(bytes))
    else { return expect(false, "a state that was read can be written") }
    expect(again.done == state.done, "what is done stays done")
    for (name, step) in state.steps {
        expect(again.steps[name]?.captures == step.captures, "what was captured stays")
        _ = ChainState.values(step.captures, Array(step.captures.keys))
    }
    var bare = state
    for name in state.steps.keys { bare.steps[name]?.captures = [:] }
    expect("\(bare)" == "\(state)", "a state does not show what was captured")
}

/// A row of the cache without its checksum, which nothing random has, or a part of one.
func fuzzRows(_ input: [UInt8]) {
    let checksum = withUnsafeBytes(of: Checksum.of(input).littleEndian) { Array($0) }
    (checksum + input).withUnsafeBytes { bytes in
        if let (facts, head) = EntryRecord.read(bytes) { check(facts, head) }
    }
    input.withUnsafeBytes { bytes in
        _ = EntryRecord.read(bytes)
        if let record = ResponseRecord(bytes) { check(record) }
        if let entry = HTTPEntry(bytes) { check(entry) }
        if let metrics = TransferMetrics(recorded: bytes) { check(metrics) }
    }
}

private func check(_ facts: EntryRecord, _ head: UnsafeRawBufferPointer) {
    let bytes = facts.encoded(before: Array(head))
    let again = bytes.withUnsafeBytes { EntryRecord.read($0).map { ($0.facts, Array($0.head)) } }
    expect(again?.0.key == facts.key, "facts that are written are those that were read")
    expect(again?.0.encoded(before: Array(head)) == bytes, "and written the same again")
    expect(again?.1 == Array(head), "so is the head behind them")
    var known = KnownHead()
    guard let record = ResponseRecord(head, body: [], known: &known) else { return }
    let entry = StoredResponse(
        origin: facts.origin,
        content: CopyOnWriteBox(record.response),
        life: EntryLifetime(stored: facts.stored, lifetime: facts.lifetime, expires: nil),
        lastAccess: facts.stored,
        hits: 0
    )
    check(entry)
}

/// All that the cache asks of an entry from disk.
private func check(_ entry: StoredResponse) {
    let listed = entry.entry(in: .disk, at: now)
    expect(listed.size >= 0, "a body has a size")
    _ = entry.life.isOver(at: now)
    _ = entry.life.end(afterUseAt: now, CachePolicy.keep(in: .disk, extending: .cacheTime))
    let request = HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/")
    if let stored = entry.storedHead {
        let rules = HTTPCacheRules()
        _ = rules.reuse(of: [stored], for: request, at: now)
        _ = rules.afterFailure(.unreachable, selected: stored, for: request, at: now)
    }
    let answer = entry.response(for: PreparedRequest(head: request), at: now) { .disk($0) }
    _ = (answer.metrics, HTTPDate.format(answer.received))
}

private func check(_ record: ResponseRecord) {
    let again = record.encoded.withUnsafeBytes { ResponseRecord($0) }
    expect(again?.head == record.head, "a head that is written is the one that was read")
    expect(again?.encoded == record.encoded, "a record is written the same again")
    _ = HTTPDate.format(record.received)
}

private func check(_ entry: HTTPEntry) {
    let again = entry.encoded.withUnsafeBytes { HTTPEntry($0) }
    expect(again?.encoded == entry.encoded, "an entry is written the same again")
    let stored = entry.storedHead(CacheKey(digest: "a", recipe: ""), head([.date: "x"]))
    _ = stored.freshUntil(HTTPCacheRules())
    _ = stored.wholeIfComplete
}

private func check(_ metrics: TransferMetrics) {
    var writer = RecordWriter()
    writer.add(metrics)
    let again = writer.bytes.withUnsafeBytes { TransferMetrics(recorded: $0) }
    expect(again == metrics, "metrics that are written are those that were read")
}

/// A file in memory that has these bytes.
func scratchFile(_ bytes: [UInt8]) -> String {
    let path = "/dev/shm/apus-fuzz-\(getpid())"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    return path
}
