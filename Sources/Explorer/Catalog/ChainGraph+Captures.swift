import Apus
import Documents

extension ChainGraph {
    /// What a step gave, for the screen, in the plan's order.
    func captures(of step: ChainStepResult) -> [ResolvedChain.Capture] {
        plan.steps[step.index].captures.compactMap { capture in
            step.captures[capture.name].map {
                ResolvedChain.Capture(name: capture.name, value: $0.shortText)
            }
        }
    }
}

extension JSON {
    /// The value in a few characters.
    fileprivate var shortText: String {
        switch kind {
        case nil, .null: "null"
        case .true: "true"
        case .false: "false"
        case .integer, .decimal: numberText ?? ""
        case .string: string ?? ""
        case .array: "[\(count)]"
        case .object: "{\(count)}"
        }
    }
}
