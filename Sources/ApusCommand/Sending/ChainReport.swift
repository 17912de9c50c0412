import Apus
import Documents
import FoundationEssentials
import Glibc
import Terminal

/// The result of a chain's step, as text and as JSON.
enum ChainStepText {
    /// The result in one line of text.
    static func line(for step: ChainStepResult, of graph: ChainGraph) -> String {
        var parts = [step.name, word(for: step.outcome)]
        if let status = step.status { parts.append(String(status)) }
        parts.append(Readable.duration(step.duration))
        if let reason = reason(for: step.outcome) { parts.append(reason) }
        for case .success(let response) in step.results {
            if let text = response.serverFailureText { parts.append(text) }
        }
        parts += captures(step, graph, inLine: true).map { "\($0.key)=\(short($0.value))" }
        return parts.joined(separator: "  ")
    }

    /// The members of its JSON object.
    static func members(of step: ChainStepResult, of graph: ChainGraph) -> ResponseObject {
        var members: ResponseJSON.Members = [
            ("version", 1), ("step", JSON(step.name)), ("index", JSON(step.index)),
            ("outcome", JSON(word(for: step.outcome))),
        ]
        if let reason = reason(for: step.outcome) { members.append(("reason", JSON(reason))) }
        members.append(("captures", JSON(members: captures(step, graph))))
        var object = ResponseObject(members)
        object.append(
            "responses",
            .list(step.results.map { ResponseJSON.members(of: $0, after: nil) })
        )
        object.append("milliseconds", ResponseJSON.milliseconds(step.duration))
        return object
    }

    /// How a chain ended, in a word.
    static func word(for ending: ChainSummary.Ending) -> String {
        switch ending {
        case .done: "done"
        case .failed, .ruleFailed, .tooManySteps: "failed"
        case .timedOut: "timedOut"
        case .cancelled: "cancelled"
        }
    }

    private static func word(for outcome: ChainStepResult.Outcome) -> String {
        switch outcome {
        case .done: "done"
        case .restored: "restored"
        case .failed: "failed"
        case .skipped: "skipped"
        case .cancelled: "cancelled"
        }
    }

    private static func reason(for outcome: ChainStepResult.Outcome) -> String? {
        switch outcome {
        case .done, .restored, .cancelled: nil
        case .failed(.exchange(let error)): error.workspaceMessage.description
        case .failed(let failure): failure.description
        case .skipped(let skip): skip.description
        }
    }

    private static func captures(
        _ step: ChainStepResult,
        _ graph: ChainGraph,
        inLine: Bool = false
    ) -> ResponseJSON.Members {
        graph.shownCaptures(of: step, inLine: inLine).sorted { $0.name < $1.name }.map {
            ($0.name, $0.value)
        }
    }

    /// A value, cut to 40 columns.
    private static func short(_ value: JSON) -> String {
        TextWidth.cut(value.string ?? value.text() ?? "", to: 40)
    }
}

/// The file that keeps the state of a chain; only its owner may read it.
struct ChainStateFile: Sendable {
    /// The largest file that is read, because all of it is in memory at once.
    private static let largest = 256 << 20

    let path: String

    /// Reads the state; nil if there is no file yet.
    ///
    /// - Parameter step: A step that is to be sent again.
    /// - Returns: The state.
    /// - Throws: `CommandError` if the file cannot be read, or is not the state of a chain.
    func read(forgetting step: String?) throws -> ChainState? {
        guard let bytes = try bytes() else { return nil }
        do {
            var state = try DocumentDecoder().decode(ChainState.self, from: bytes)
            if let step { state.forget(step) }
            return state
        } catch {
            throw CommandError("\(path): this is not the state of a chain")
        }
    }

    /// Replaces the file's content with a state.
    func write(_ state: ChainState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = Array(try encoder.encode(state)) + [0x0A]
        var replacement = try begin()
        try replacement.output.write(bytes)
        try replacement.output.flush()
        try replacement.commit()
    }

    /// Begins to replace the file; called before anything is sent, to see whether that is possible.
    func begin() throws(CommandError) -> FileReplacement {
        do throws(FileReplacement.Fault) {
            return try FileReplacement(of: path, mode: 0o600)
        } catch {
            throw CommandError("\(path): \(systemMessage(error.errno))")
        }
    }

    /// The file's bytes; nil if there is none.
    ///
    /// Like `ssh` with its keys, it rejects a file that others may read, because its secrets may be known, or
    /// write, because their values would be sent on as if they came from a server.
    private func bytes() throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP:
                throw CommandError("\(path): this is a symbolic link; name the file itself")
            default: throw CommandError("\(path): \(systemMessage(errno))")
            }
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw CommandError("\(path): this is not a regular file")
        }
        guard status.st_uid == geteuid() else {
            throw CommandError("\(path): it belongs to another user, so it is not used")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw CommandError(
                "\(path): others may read or write it, and it holds secrets; run chmod 600 on it"
            )
        }
        guard status.st_size <= Self.largest else {
            throw CommandError("\(path): it is larger than \(Self.largest >> 20) MiB")
        }
        return try FileBytes.read("/proc/self/fd/\(descriptor)")
    }
}
