extension ChainPlan {
    /// A captured list, for each of whose elements a step runs once.
    ///
    /// The step's captures gather as lists in the order of the elements. In an
    /// empty list there is nothing to do, and the step is done.
    public struct ForEach: Sendable, Hashable {
        /// The captured list.
        public var list: String
        /// What an element is called in the step's values; `index` counts from 1.
        public var element: String
        /// How many elements are under way at once, within the plan's limit.
        public var concurrency: Int
        /// What the failure of one does to the others and to the step; with
        /// `.settled` the step is done whatever happened, and what an element
        /// did not give is null.
        public var mode: Batch.Mode

        /// Makes one.
        public init(
            _ list: String,
            as element: String = "item",
            concurrency: Int = 8,
            mode: Batch.Mode = .all
        ) {
            self.list = list
            self.element = element
            self.concurrency = max(1, concurrency)
            self.mode = mode
        }
    }
}
