/// Something that a response must be, as the file has it: its variables are not filled in.
struct ExpectationSetting: Sendable {
    /// What must hold.
    enum Requirement: Sendable {
        /// What needs no variables.
        case fixed(Expectation.Requirement)
        case value(Expectation.Operator, TemplateValue)
        case document(TemplateValue)
    }

    let subject: Expectation.Subject
    let requirement: Requirement
    let span: Span
}

extension TargetDefinition {
    /// Whether it says itself which statuses are right, by `validate` or `expect`.
    var judgesStatus: Bool {
        ownSettings.validation != nil
            || ownSettings.expectations.contains { $0.subject == .status }
    }
}

extension [ExpectationSetting] {
    /// These expectations and those of an inner layer, which stand in place of those about the same subject.
    func overridden(by inner: [ExpectationSetting]) -> [ExpectationSetting] {
        if inner.isEmpty { return self }
        let subjects = Set(inner.map(\.subject))
        return filter { !subjects.contains($0.subject) } + inner
    }
}

extension Evaluation {
    /// Fills in what is expected; nil if something is wrong, which is logged.
    mutating func expectations(_ settings: [ExpectationSetting]) -> [Expectation]? {
        var expectations: [Expectation] = []
        var isComplete = true
        for setting in settings {
            guard let requirement = requirement(setting) else {
                isComplete = false
                continue
            }
            expectations.append(
                Expectation(
                    subject: setting.subject,
                    requirement: requirement,
                    location: setting.span.location
                )
            )
        }
        return isComplete ? expectations : nil
    }

    private mutating func requirement(
        _ setting: ExpectationSetting
    ) -> Expectation.Requirement? {
        switch setting.requirement {
        case .fixed(let requirement): requirement
        case .document(let value): self.value(value).map { .document($0.value) }
        case .value(let comparison, let operand):
            value(operand).flatMap { value in
                let fault = comparison.fault(of: value.value)
                if let fault { log.add(setting.span, fault) }
                return fault == nil ? .value(comparison, value.value) : nil
            }
        }
    }
}
