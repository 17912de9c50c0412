package import Apus
package import Documents
package import FoundationEssentials
import HTTPTypes
import Secrets

/// What came of all that is expected of a response, in words that show no secret.
package struct CheckedResponse: Sendable {
    /// One expectation, and what came of it.
    package struct Item: Sendable {
        /// What it is about: `status`, `$.name`.
        package let subject: String
        /// What is expected of that: `is 200`.
        package let expected: String
        /// Whether the response is so.
        package let isMet: Bool
        /// What the response has instead, in a line; nil if it is as expected.
        package let actual: String?
        /// Where the file says so; nil for what holds without a word.
        package let location: SourceLocation?
        /// The value of the body that it is about; nil if there is none.
        package let node: NodeIndex?
        /// Where a whole body differs from what is expected.
        package let differences: [String]
        /// The expectation itself; nil for what holds without a word.
        package let expectation: Expectation?
    }

    /// The expectations in the order of the file.
    package let items: [Item]
    /// How many of them are not met.
    package let unmetCount: Int

    /// Whether the response is as expected.
    package var isMet: Bool { unmetCount == 0 }

    /// Makes a list of outcomes.
    package init(_ items: [Item]) {
        self.items = items
        unmetCount = items.count { !$0.isMet }
    }
}

extension CheckedResponse.Item {
    init(_ outcome: ExpectationOutcome, _ mask: CredentialMask) {
        let expectation = outcome.expectation
        let subject = expectation.subject.description
        // Masked as one line, because a name may say that what follows it is a secret.
        let line = mask.masking(line: expectation.description)
        let isWhole = line.hasPrefix("\(subject) ")
        self.init(
            subject: isWhole ? subject : mask.masking(line: subject),
            expected: isWhole
                ? String(line.dropFirst(subject.count + 1))
                : mask.masking(line: expectation.expected),
            isMet: outcome.isMet,
            actual: outcome.actual.map { mask.masking(line: $0) },
            location: expectation.location,
            node: outcome.node,
            differences: outcome.differences.map { mask.masking(line: $0.description) },
            expectation: expectation
        )
    }

    /// Something that holds without a word in the file, and does not hold here.
    init(unspoken expected: String, actual: String) {
        self.init(
            subject: "status",
            expected: expected,
            isMet: false,
            actual: actual,
            location: nil,
            node: nil,
            differences: [],
            expectation: nil
        )
    }
}

extension WorkspaceTarget {
    /// Whether something is expected of its responses.
    package var hasExpectations: Bool { !expectations.isEmpty }

    /// Checks how an exchange ended.
    ///
    /// Without an expectation of the status, one that the target does not accept fails, and so does 400 and above.
    ///
    /// - Parameters:
    ///   - result: The response, or why there is none.
    ///   - duration: How long the exchange took.
    ///   - now: The time from which a certificate's days are counted.
    ///   - keepsMet: Whether what is as expected is listed, too.
    /// - Returns: What came of it; nil without a whole response.
    package func check(
        _ result: Result<Response, ApusError>,
        after duration: Duration,
        now: Date,
        keepsMet: Bool = true
    ) -> CheckedResponse? {
        guard let response = result.checkable else { return nil }
        var check = ResponseCheck(response, after: duration, now: now, masking: mask)
        let outcomes = check.outcomes(of: expectations)
        var items: [CheckedResponse.Item] = []
        if keepsMet || outcomes.contains(where: { !$0.isMet }) {
            // What was asked for meanwhile is a secret of the request alone.
            let mask = mask.adding(response.request)
            items = outcomes.filter { keepsMet || !$0.isMet }.map { .init($0, mask) }
        }
        if !expectsStatus, let unspoken = unexpectedStatus(result, response) {
            // First, for it explains the others.
            items.insert(unspoken, at: 0)
        }
        return CheckedResponse(items)
    }

    /// Why a response ends a step of a chain as a failure, in a line; nil if it does not.
    func stepFault(in response: Response, after duration: Duration, now: Date) -> String? {
        var check = ResponseCheck(response, after: duration, now: now, masking: mask)
        let own = expectations.suffix(stepExpectationCount)
        guard let unmet = check.outcomes(of: Array(own)).first(where: { !$0.isMet }) else {
            return nil
        }
        return RunFailure(CheckedResponse.Item(unmet, mask.adding(response.request))).line
    }

    private func unexpectedStatus(
        _ result: Result<Response, ApusError>,
        _ response: Response
    ) -> CheckedResponse.Item? {
        if case .failure(let error) = result {
            return CheckedResponse.Item(
                unspoken: "an accepted status",
                actual: mask.masking(line: error.workspaceMessage.description)
            )
        }
        guard validation == .none, response.status >= 400 else { return nil }
        return CheckedResponse.Item(unspoken: "a status below 400", actual: "\(response.status)")
    }
}

extension Result where Success == Response, Failure == ApusError {
    /// The response, also one that was not accepted; nil if there is none, or not all of it.
    var checkable: Response? {
        switch self {
        case .success(let response): response
        case .failure(let error):
            if case .unacceptableStatus = error.reason { error.response } else { nil }
        }
    }
}
