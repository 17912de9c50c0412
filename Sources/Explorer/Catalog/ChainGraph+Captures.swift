import Apus
import Documents

extension ChainGraph {
    /// What a step gave, for the screen, in the plan's order.
    func captures(of step: ChainStepResult) -> [ResolvedChain.Capture] {
        shownCaptures(of: step).map { capture in
            ResolvedChain.Capture(name: capture.name, value: capture.value.shortText)
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
