import Documents
import Terminal

/// What is wrong with a document, and going on behind it.
extension TreePane {
    /// Bytes whose lines are counted within a frame.
    private static let quickCount = 4 << 20

    /// Has the place of a fault counted, once there is one.
    mutating func noteFault() -> [TreePaneEffect] {
        guard faultPosition == nil, let body, let document = body.document, let fault = body.fault
        else { return [] }
        // Lines are counted from the start: in a long text that is not for the screen's thread.
        guard fault.offset <= Self.quickCount else { return [.place(fault, document)] }
        faultPosition = document.position(of: fault.offset)
        return []
    }

    /// Says that reading ended early, when it did.
    func noteLoadError() -> [TreePaneEffect] {
        guard let body, body.isFinished, let error = body.bytes.loadError else { return [] }
        return [.say(Notice(kind: .failure, text: error.description))]
    }

    /// Goes to the first fault, and from there to the next.
    mutating func showFault() -> [TreePaneEffect] {
        guard let body, let document = body.document, !document.faults.isEmpty else {
            let text = isOpening ? "no fault so far" : "the text is whole: there is no fault"
            return [.say(Notice(kind: .information, text: text))]
        }
        let faults = document.faults
        let next = shownFault.map { ($0 + 1) % faults.count } ?? 0
        shownFault = next
        let fault = faults[next]
        if body.form == .tree {
            if let node = document.node(around: fault.offset) { reveal(node) }
        } else if let row = body.row(atOffset: fault.offset) {
            scroll.select(row)
        }
        let place = fault.offset <= Self.quickCount ? document.position(of: fault.offset) : nil
        let words = place.map { "line \($0.line), column \($0.column)" } ?? "byte \(fault.offset)"
        let number = faults.count > 1 ? "\(next + 1) of \(document.faultCount): " : ""
        return [.say(Notice(kind: .warning, text: "\(number)\(words): \(fault.description)"))]
    }

    /// Reads on behind the fault, to the end.
    mutating func resumeAfterFault() -> [TreePaneEffect] {
        guard let body, let document = body.document, document.fault != nil, !isOpening,
            document.resume(toEnd: true)
        else {
            return [.say(Notice(kind: .information, text: "there is no fault to go on after"))]
        }
        return [.takeIn(body), .say(Notice(kind: .information, text: "reading on to the end"))]
    }

    /// What broke the document and where, in one line.
    var faultWords: String? {
        if let problem = body?.treeProblem { return problem }
        guard let document = body?.document, let fault = document.faults.first else { return nil }
        let more = document.faultCount - 1
        let others = more > 0 ? ", and \(Readable.count(more)) more" : ""
        guard let place = faultPosition else { return fault.description + others }
        return "line \(place.line), column \(place.column): \(fault.description)\(others)"
    }
}
