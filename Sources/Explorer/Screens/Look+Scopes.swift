import Terminal

extension Look {
    /// The style of a scope.
    subscript(scope: Scope) -> StyleID { theme[scope] }

    /// The style of a status: what the hundreds say.
    func style(ofStatus status: Int) -> StyleID {
        switch status {
        case 200..<300: self[.statusSuccess]
        case 300..<400: self[.statusRedirect]
        case 400..<500: self[.statusClientError]
        default: self[.statusServerError]
        }
    }

    /// The step of a spinner at a time.
    func spinner(at now: Duration) -> String {
        let step = Int(now / .milliseconds(100))
        return String(symbols.spinner[step % symbols.spinner.count])
    }

    /// What stands between two facts of a line.
    var separator: String { " \(symbols.middleDot) " }

    /// The shaft and head of an arrow, at least two columns.
    func arrow(columns: Int) -> String {
        String(repeating: String(symbols.horizontal), count: max(1, columns - 1))
            + String(symbols.arrowHead)
    }
}

extension Duration {
    /// Steps of a tenth of a second: what a gauge without a total moves by.
    var motionPhase: Int { Int(self / .milliseconds(100)) }
}
