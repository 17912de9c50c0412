import Apus
import Terminal
import TreeView
import Workspaces

/// Signing in and out, as the selected target does.
extension Model {
    /// The sign-in of the target under the cursor; nil if it has none.
    var selectedSignIn: SignInPlan? {
        guard let id = targets.selected?.id, case .success(let resolved)? = view(of: id)?.request
        else { return nil }
        return resolved.signing?.signIn
    }

    /// Finds out who is signed in for a target.
    func lookAtSignIn(of resolved: ResolvedTarget) -> [Effect] {
        resolved.signing?.signIn.map { [.signIn(.look($0))] } ?? []
    }

    mutating func startSignIn() -> [Effect] {
        guard let plan = selectedSignIn else { return sayNoSignIn() }
        guard signIn.waits.isEmpty else {
            layers.open(.signIn)
            return []
        }
        say("signing in at \(plan.server) …")
        return [.signIn(.signIn(plan))]
    }

    mutating func signOut() -> [Effect] {
        guard let plan = selectedSignIn else { return sayNoSignIn() }
        return [.signIn(.signOut(plan))]
    }

    private mutating func sayNoSignIn() -> [Effect] {
        say("choose a target that has `auth: { oauth2: … }`")
    }

    /// Handles the result of work on sign-ins.
    mutating func receive(_ message: SignInMessage) -> [Effect] {
        switch message {
        case .asked(let plan, let step):
            signIn.ask(SignInState.Wait(plan: plan, step: step))
            layers.open(.signIn)
        case .answered(let key):
            signIn.endWait(key)
            if signIn.waits.isEmpty { layers.close(.signIn) }
            fitPanes()
        case .status(let key, let status):
            if signIn.set(status, for: key), let status { say(words(for: status)) }
            arrangeRequest()
        case .signedIn(let key, let status):
            _ = signIn.set(status, for: key)
            arrangeRequest()
            return say(words(for: status))
        case .signedOut(let key, let wasSignedIn):
            _ = signIn.set(nil, for: key)
            arrangeRequest()
            return say(wasSignedIn ? "signed out" : "nobody was signed in")
        case .failed(let text): return fail(text)
        }
        return []
    }

    func words(for status: SignInStatus) -> String {
        status.words(now: clock.now.wall, zone: clock.zone)
    }

    /// Who is signed in for the target under the cursor, in words; nil if it has no sign-in.
    var signInWords: String? {
        selectedSignIn.map { signIn.statuses[$0.key].map(words) ?? "not signed in" }
    }

    // MARK: The page that is open while a person signs in

    /// Handles a key while a person is asked to sign in.
    mutating func handleInSignIn(_ key: Key) -> [Effect] {
        if key == Key("ctrl+c") { return leave() }
        guard let wait = signIn.waits.first else {
            layers.close(.signIn)
            return []
        }
        switch key.text {
        case "y":
            say("copied the address")
            return [.session(.copy(wait.step.url))]
        case "c":
            guard case .code(let code, _, _, _) = wait.step else {
                return say("there is no code to copy: y copies the address")
            }
            say("copied the code")
            return [.session(.copy(code))]
        case "o":
            say("opened the page, if there is a browser")
            return [.signIn(.open(wait.step.url))]
        default: break
        }
        switch keys.action(for: key, in: [.everywhere]) {
        case .back, .quit:
            // What waits for it ends too, and reports that it is cancelled.
            signIn.endWait(wait.plan.key)
            if signIn.waits.isEmpty { layers.close(.signIn) }
            fitPanes()
            return [.signIn(.cancel(wait.plan.key))] + say("not signed in")
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        default: return say("this page waits for the sign-in: esc cancels it")
        }
    }
}
