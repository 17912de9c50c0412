package import Documents
package import FoundationEssentials

extension JUnitDocument {
    /// A replay's results: differences as failures, and unsent requests as errors.
    ///
    /// - Parameters:
    ///   - session: The session that was sent again.
    ///   - results: The results, in their order.
    ///   - duration: How long it took in all.
    ///   - now: When the replay ended.
    package init(
        session: String,
        _ results: [ReplayResult],
        after duration: Duration,
        now: Date = Date()
    ) {
        self.init(
            name: "apus replay",
            suite: session,
            results.map { Self.testCase($0, session) },
            duration,
            timestamp: now.formatted(Date.ISO8601FormatStyle()).dropLast()
        )
    }

    private static func testCase(_ result: ReplayResult, _ session: String) -> Case {
        let number = result.exchange.map { "\($0.id) " } ?? ""
        let name = number + (result.chain.map { "\($0): \(result.step ?? "") " } ?? "")
        let lines = result.differences.map(\.description)
        let fault: Case.Fault? =
            switch result.outcome {
            case .same: nil
            case .different:
                .failure(
                    lines.count == 1 ? lines[0] : "\(lines.count) differences",
                    type: "difference",
                    text: lines.joined(separator: "\n")
                )
            case .trouble:
                .error(result.message ?? "", type: "trouble", text: result.message ?? "")
            }
        return Case(
            // Jenkins reads the part before a dot as a package.
            group: "apus.\(session.replacing(".", with: "_"))",
            name: "\(name)\(result.exchange?.request ?? result.request)",
            duration: result.duration ?? .zero,
            fault: fault
        )
    }
}
