import Apus
package import FoundationEssentials
import TreeView
package import Workspaces

/// Who is signed in, and who is asked to sign in.
struct SignInState {
    /// What a person is asked to do.
    struct Wait {
        let plan: SignInPlan
        let step: SignInStep
    }

    /// What a person is asked to do, the oldest first.
    private(set) var waits: [Wait] = []
    /// Who is signed in, as far as it is known.
    private(set) var statuses: [SignInKey: SignInStatus] = [:]
    /// Those that a person has just done something for, and whose end is to be said.
    private var awaited: Set<SignInKey> = []

    /// Shows what a person is asked to do.
    mutating func ask(_ wait: Wait) {
        waits.removeAll { $0.plan.key == wait.plan.key }
        waits.append(wait)
    }

    /// Ends a wait; its outcome is to be said.
    mutating func endWait(_ key: SignInKey) {
        waits.removeAll { $0.plan.key == key }
        awaited.insert(key)
    }

    /// Sets who is signed in; returns whether that is to be said.
    mutating func set(_ status: SignInStatus?, for key: SignInKey) -> Bool {
        statuses[key] = status
        return awaited.remove(key) != nil && status != nil
    }
}

/// Work on sign-ins.
enum SignInEffect: Sendable {
    /// Find out who is signed in.
    case look(SignInPlan)
    /// Obtain a new token.
    case signIn(SignInPlan)
    /// Forget the token.
    case signOut(SignInPlan)
    /// Do not wait for a person any more.
    case cancel(SignInKey)
    /// Open a page in the browser.
    case open(String)
}

/// The result of work on sign-ins.
enum SignInMessage: Sendable {
    /// A person has to do something.
    case asked(SignInPlan, SignInStep)
    /// That person has, or will not.
    case answered(SignInKey)
    /// Who is signed in now; nil if nobody is.
    case status(SignInKey, SignInStatus?)
    /// A sign-in that was asked for has succeeded.
    case signedIn(SignInKey, SignInStatus)
    /// A token was forgotten, if there was one.
    case signedOut(SignInKey, wasSignedIn: Bool)
    /// Something failed, in words.
    case failed(String)
}

extension SignInStatus {
    /// "signed in as ada until 14:05:10".
    package func words(now: Date, zone: TimeZone?) -> String {
        let name = name.map { " as \($0)" } ?? ""
        guard let expires else { return "signed in\(name)" }
        // What has expired is renewed with the next request.
        if expires <= now { return isRefreshable ? "signed in\(name)" : "sign-in has expired" }
        return "signed in\(name) until \(DayNames(now: now, zone: zone).time(of: expires))"
    }
}
