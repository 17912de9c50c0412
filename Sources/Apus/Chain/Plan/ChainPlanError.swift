/// Why a plan cannot run; nothing has been sent.
public struct ChainPlanError: Error, Sendable, Hashable {
    /// What is wrong, all of it; never empty.
    public let faults: [Fault]

    /// One thing that is wrong in a plan.
    public enum Fault: Sendable, Hashable {
        /// Two steps have the same name.
        case duplicateStep(String)
        /// A step needs one that the plan does not have.
        case unknownStep(String, neededBy: String)
        /// Steps need each other; the path begins and ends with the same one.
        case cycle([String])
        /// A step uses a value that no step it needs captures; `makers` are those
        /// that would.
        case notCaptured(String, usedBy: String, makers: [String])
        /// A condition looks at the status of a step that its own does not need.
        case notNeeded(String, by: String)
        /// Two steps that may run side by side capture the same value.
        case capturedTwice(String, by: [String])
        /// A capture has a name that conditions have another use for.
        case reservedName(String, step: String)
    }
}
