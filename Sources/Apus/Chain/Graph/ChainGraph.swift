/// A plan that was checked: its steps, what each needs, and no circle among them.
///
/// It can be run any number of times, and drawn (`layout`, `drawing`).
public struct ChainGraph: Sendable {
    /// The plan.
    public let plan: ChainPlan
    /// Where answers come from, unless a step says otherwise.
    public var source: DataSource
    /// The steps in an order in which each stands behind those that it needs.
    public let order: [Int]

    /// What is not to be shown of what is captured, beside what the steps' requests say.
    package var mask = CredentialMask()

    let structure: ChainStructure

    /// Checks a plan.
    ///
    /// - Throws: `ChainPlanError` with all that is wrong in it.
    public init(_ plan: ChainPlan) throws(ChainPlanError) {
        let structure = ChainStructure(plan)
        let faults = ChainPlanCheck(plan: plan, structure: structure).faults
        guard faults.isEmpty else { throw ChainPlanError(faults: faults) }
        self.plan = plan
        self.structure = structure
        source = plan.source
        order = structure.order
    }

    /// The steps that a step needs directly, by their places in the plan.
    public func needs(of step: Int) -> [Int] { structure.needs[step] }

    /// The steps that need a step directly, by their places in the plan.
    public func dependants(of step: Int) -> [Int] { structure.dependants[step] }
}
