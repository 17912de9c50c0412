/// Where values of a tree were in the text that its JSON was made from.
///
/// One pair of offsets for each value that was marked, in the order of the JSON: a lookup finds
/// the last mark at or before a value. Eight bytes a mark; what lies behind 4 GiB has none.
struct SourceMap: Sendable {
    private var outputs: [UInt32] = []
    private var inputs: [UInt32] = []

    /// What it takes, in bytes.
    var size: Int { (outputs.count + inputs.count) * MemoryLayout<UInt32>.size }

    /// Notes that what is written at `output` was read at `input`.
    mutating func mark(output: Int, input: Int) {
        guard let output = UInt32(exactly: output), let input = UInt32(exactly: input) else {
            return
        }
        outputs.append(output)
        inputs.append(input)
    }

    /// Where the value was that begins at a byte of the JSON; O(log n).
    func input(ofOutput output: Int) -> Int? {
        var low = 0
        var high = outputs.count
        while low < high {
            let middle = (low + high) / 2
            if Int(outputs[middle]) <= output { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? Int(inputs[low - 1]) : nil
    }
}
