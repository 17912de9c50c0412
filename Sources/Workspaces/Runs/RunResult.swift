import Apus
import Documents
import FoundationEssentials
import Secrets

/// What came of one request of a run, or of a batch as a whole.
package struct RunResult: Sendable {
    /// How it ended.
    package enum Ending: String, Sendable {
        /// The response is as expected.
        case passed
        /// The response is not as expected.
        case failed
        /// There is no response.
        case error
        /// It was not sent.
        case skipped
    }

    /// What reports call it.
    package let name: String
    /// Where it is defined.
    package let location: SourceLocation
    /// The method and the URL, masked; empty if the request could not be prepared.
    package let request: String
    /// The status of the response; nil if there is none.
    package let status: Int?
    /// How long it took.
    package let duration: Duration
    /// How many expectations were checked.
    package let checks: Int
    /// What is not as expected.
    package let failures: [RunFailure]
    /// How it ended.
    package let ending: Ending
    /// What was sent and received; nil unless the run keeps it.
    package private(set) var exchange: RunExchange?

    /// The result without what was sent and received.
    package var withoutExchange: RunResult {
        var result = self
        result.exchange = nil
        return result
    }

    init(
        name: String,
        location: SourceLocation,
        request: String = "",
        status: Int? = nil,
        duration: Duration = .zero,
        checks: Int = 0,
        failures: [RunFailure],
        ending: Ending? = nil,
        exchange: RunExchange? = nil
    ) {
        self.exchange = exchange
        self.name = name
        self.location = location
        self.request = request
        self.status = status
        self.duration = duration
        self.checks = checks
        self.failures = failures
        self.ending = ending ?? (failures.isEmpty ? .passed : .failed)
    }
}

/// Something that is not as expected, in words that show no secret.
package struct RunFailure: Sendable, Hashable {
    /// Why a request could not be prepared, in a line.
    package struct Unprepared: Error, Sendable, Hashable {
        let text: String

        init(_ error: WorkspaceError) {
            text = error.problems.map(\.summary).joined(separator: "; ")
        }
    }

    /// What was expected, or what went wrong.
    package let expected: String
    /// What the response has instead; nil if there is none.
    package let actual: String?
    /// Where the file says so; nil if it does not say it.
    package let location: SourceLocation?
    /// Where a whole body differs.
    package let differences: [String]

    init(
        _ expected: String,
        actual: String? = nil,
        location: SourceLocation? = nil,
        differences: [String] = []
    ) {
        self.expected = expected
        self.actual = actual
        self.location = location
        self.differences = differences
    }

    /// The failure in one line, without its place and the differences.
    package var line: String {
        "expected: \(expected)" + (actual.map { ", actual: \($0)" } ?? "")
    }

    /// The failure in a few lines.
    package var lines: [String] {
        let place = location.map { "  (\($0))" } ?? ""
        return ["expected: \(expected)\(place)"] + (actual.map { ["actual:   \($0)"] } ?? [])
            + differences
    }
}

extension RunResult {
    /// Checks what came of a request.
    init(
        of summary: ExchangeSummary,
        _ request: RunPlan.Request,
        _ target: WorkspaceTarget,
        now: Date,
        keepsExchange: Bool
    ) {
        self.init(
            of: summary,
            request.name,
            request.location,
            target,
            now: now,
            keepsExchange: keepsExchange
        )
    }

    init(
        of summary: ExchangeSummary,
        _ name: String,
        _ location: SourceLocation,
        _ target: WorkspaceTarget,
        now: Date,
        keepsExchange: Bool
    ) {
        let exchange = keepsExchange ? RunExchange(target, summary.result.checkable) : nil
        let request = "\(target.display.method) \(target.display.url)"
        let checked = target.check(
            summary.result,
            after: summary.duration,
            now: now,
            keepsMet: false
        )
        guard let response = summary.result.checkable, let checked else {
            let message: String =
                if case .failure(let error) = summary.result {
                    error.workspaceMessage.description
                } else { "" }
            self.init(
                name: name,
                location: location,
                request: request,
                duration: summary.duration,
                failures: [RunFailure("a response", actual: target.mask.masking(line: message))],
                ending: .error,
                exchange: exchange
            )
            return
        }
        self.init(
            name: name,
            location: location,
            request: request,
            status: response.status,
            duration: summary.duration,
            checks: max(1, target.expectations.count),
            failures: checked.items.map { RunFailure($0) },
            exchange: exchange
        )
    }
}

extension WorkspaceTarget {
    /// Whether it says which status is expected.
    var expectsStatus: Bool { expectations.contains { $0.subject == .status } }
}

extension RunFailure {
    init(_ item: CheckedResponse.Item) {
        self.init(
            item.expectation == nil ? item.expected : "\(item.subject) \(item.expected)",
            actual: item.actual,
            location: item.location,
            differences: item.differences
        )
    }
}
