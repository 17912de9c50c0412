import Apus
import Documents
import Glibc
import Recordings
import Workspaces

/// One run of `apus pipe`: requests in, responses out, many at a time.
///
/// ```
/// input ─▶ line ─▶ [as many tasks as may run at once] ─▶ line ─▶ output
///   ▲                                                      │
///   └───────────────── room for one ◀──────────────────────┘
/// ```
struct PipeRun: Sendable {
    let provider: AnyProvider
    let resolver: PipeResolver
    let input: PipeInput
    let output: PipeOutput

    /// Answers the lines of standard input on standard output, until either ends.
    ///
    /// - Throws: `CommandError` if the input or the output failed, `ExitCode` when interrupted.
    static func run(
        recorder: HistoryRecorder,
        provider: @escaping @Sendable ([any Plugin]) -> AnyProvider,
        resolver: PipeResolver,
        concurrency: Int,
        lineLimit: Int
    ) throws {
        let input = PipeInput(
            descriptor: STDIN_FILENO,
            atOnce: concurrency,
            lineLimit: lineLimit
        )
        let output = PipeOutput(descriptor: STDOUT_FILENO)
        try CommandRun.untilEnd {
            await recorder.begin()
            let run = PipeRun(
                provider: provider(recorder.plugins),
                resolver: resolver,
                input: input,
                output: output
            )
            return try await recorder.closing { try await run.answerAll() }
        }
    }

    /// Answers the lines; returns the exit status.
    private func answerAll() async throws -> Int32 {
        let work = Task { await run() }
        // When the reader is gone, no more lines are read, and running requests are cancelled.
        output.watch { work.cancel() }
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
            output.cut()
        }
        if let failure = output.failure ?? input.failure { throw failure }
        if Task.isCancelled { return ExitStatus.interrupted }
        // A reader that leaves after the last response has missed nothing.
        if !output.isOpen, !input.isAtEnd {
            throw CommandError(writing: "standard output", EPIPE)
        }
        return 0
    }

    private func run() async {
        input.begin()
        await withDiscardingTaskGroup { group in
            for await line in input.lines {
                guard output.isOpen else { break }
                group.addTask {
                    await answer(line)
                    input.release(line)
                }
            }
            if !output.isOpen { group.cancelAll() }
        }
        await provider.cache.close()
        await output.finish()
    }

    /// The memory limit for the tree of a line.
    private static let treeLimit = TreeMemoryLimit(base: 64 << 20, perTextByte: 8)

    private func answer(_ line: PipeInput.Line) async {
        let document = Document.parse(DocumentBytes(line.bytes ?? []), memory: Self.treeLimit)
        let json = JSON(document: document)
        // A line that is cut off may still have its id.
        let id = json["id"]
        // An id that is cut off itself cannot be written.
        let isWhole = id.exists && (document.fault == nil || (try? id.bytes()) != nil)
        var members = ResponseObject([("id", isWhole ? id : .null)])
        do throws(PipeError) {
            guard line.bytes != nil else {
                throw PipeError("the line is longer than \(input.lineLimit) bytes (--line-limit)")
            }
            if document.fault?.kind == .treeTooLarge {
                throw PipeError(
                    "too many values: parsing may take 64 MiB plus 8 times the size of the line"
                )
            }
            if let fault = document.fault {
                throw PipeError("\(fault)", column: document.position(of: fault.offset).column)
            }
            members += await answer(try resolver.resolve(PipeRequest(json)))
        } catch {
            members.append("error", Self.value(of: error, line: line.number))
        }
        await output.write(members)
    }

    private func answer(_ resolved: PipeResolver.Resolved) async -> ResponseObject {
        let start = ContinuousClock.now
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            result = .success(
                try await provider.response(
                    for: recorded(resolved),
                    from: resolved.source
                )
            )
        } catch {
            result = .failure(error)
        }
        return ResponseJSON.members(
            of: result,
            after: .now - start,
            hidesSecrets: resolved.own != nil
        )
    }

    /// The target, made to record its exchange under the name that it has in the workspace.
    private func recorded(_ resolved: PipeResolver.Resolved) -> any TargetType {
        guard let own = resolved.own, let workspace = resolver.workspace else {
            return resolved.target
        }
        return RecordingTarget(resolved.target, origin: workspace.origin(of: own))
    }

    private static func value(of error: PipeError, line: Int) -> JSON {
        let place = error.column.map { "line \(line), column \($0)" } ?? "line \(line)"
        var members: ResponseJSON.Members = [
            ("code", JSON(ExitStatus.usage)),
            ("message", JSON("\(place): \(error.message)")),
            ("line", JSON(line)),
        ]
        if let column = error.column { members.append(("column", JSON(column))) }
        return JSON(members: members)
    }
}
