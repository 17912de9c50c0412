import Apus
import Explorer
import FoundationEssentials
import Glibc
import Terminal
import TreeView
import Workspaces

extension SignInPrompt {
    /// Asks on standard error if that is a terminal; else a request that needs a person fails and says why.
    static var onTerminal: SignInPrompt {
        guard isatty(STDERR_FILENO) == 1 else {
            return .none(
                "nobody is signed in, and there is no terminal to ask on: `apus sign-in TARGET` on one signs in"
            )
        }
        return SignInPrompt(
            show: { plan, step in
                let until = DayNames(now: Date(), zone: nil).time(of: step.until)
                switch step {
                case .page(let url, _):
                    StandardError.write(
                        "apus: sign in at \(plan.server) in your browser:\n  \(url)"
                    )
                    Browser.open(url)
                case .code(let code, let page, let completePage, _):
                    StandardError.write(
                        "apus: to sign in at \(plan.server), open \(page) and type the code \(code)"
                    )
                    if let completePage {
                        StandardError.write("apus: with the code: \(completePage)")
                    }
                }
                StandardError.write("apus: waiting until \(until); ctrl-c stops")
            },
            report: { plan, status in
                guard let status, plan.grant.asksPerson else { return }
                StandardError.write("apus: \(status.words)")
            }
        )
    }
}

extension SignInStatus {
    /// "signed in as ada until 14:05:10".
    var words: String { words(now: Date(), zone: nil) }
}
