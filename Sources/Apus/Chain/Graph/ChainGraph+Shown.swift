package import Documents

extension ChainGraph {
    /// What a step gave as it may be shown, in the plan's order: a mask for what is captured as a
    /// credential.
    package func shownCaptures(of step: ChainStepResult) -> [(name: String, value: JSON)] {
        plan.steps[step.index].captures.compactMap { capture in
            guard let value = step.captures[capture.name] else { return nil }
            return (capture.name, capture.isCredential ? JSON(CredentialMask.mask) : value)
        }
    }
}
