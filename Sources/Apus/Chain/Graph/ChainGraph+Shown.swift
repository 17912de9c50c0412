package import Documents

extension ChainGraph {
    /// What a step gave as it may be shown, in the plan's order: a mask for what is captured as a
    /// credential, and for known secrets, which a server may send back.
    package func shownCaptures(of step: ChainStepResult) -> [(name: String, value: JSON)] {
        let mask = step.results.reduce(mask) { mask, result in
            switch result {
            case .success(let response): mask.adding(response.request)
            case .failure(let error): error.response.map { mask.adding($0.request) } ?? mask
            }
        }
        return plan.steps[step.index].captures.compactMap { capture in
            guard let value = step.captures[capture.name] else { return nil }
            let isCredential = capture.isCredential
            return (capture.name, isCredential ? JSON(CredentialMask.mask) : mask.masking(value))
        }
    }
}
