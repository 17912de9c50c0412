import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal
import Workspaces

@testable import Explorer

/// The situations in which something is expected of responses.
extension Model {
    static let expectingWorkspace = """
        environments: { local: { baseURL: "http://127.0.0.1:8080" } }
        targets:
          Users:
            Show user:
              request: GET /users/7
              expect:
                status: 200
                time: < 2 s
                fields: { Content-Type: { matches: json } }
                json:
                  $.name: Ada Lovelace
                  $.balance: { ">": 100 }
                  $.roles: { count: 2 }
                  $.manager.id: { exists: true }
            List users: GET /users
        batches:
          Load the catalogue: { targets: [Users/List users], expect: { failed: 0, p95: < 30 ms, max: < 2 s } }

        """

    /// Sends the first target of a workspace, shows a response to it, and types keys.
    mutating func showExpecting(
        _ body: String = Scene.freshBody,
        keys: String,
        _ typed: String = "",
        workspace text: String = Model.expectingWorkspace
    ) {
        let file = NewWorkspaceFile(path: "shop.apus.yaml", isNamed: true)
        guard let workspace = try? Workspace.new(text: text, file: "shop.apus.yaml") else { return }
        var play = Play(size: size, catalog: Catalog(workspace, file: file))
        play.wall = clock.now.wall
        play.model.workspace.sourceName = "shop.apus.yaml"
        play.sendSelected(gettingBody: body)
        play.type(keys)
        play.write(typed)
        self = play.model
    }

    /// What came of what is expected of the batch.
    static var batchJudgement: [CheckedResponse.Item] {
        guard let workspace = try? Workspace.new(text: expectingWorkspace, file: "shop.apus.yaml")
        else { return [] }
        var tally = BatchTally()
        for number in 1...1000 {
            let result = Result<Response, ApusError>.success(.make("{}"))
            tally.count(.sample(result, after: .microseconds(40 * number)), isFailure: number > 996)
        }
        return tally.check(workspace.batches[0].expectations)
    }

    /// A person is asked to sign in.
    mutating func showSignIn(withCode: Bool) {
        let text = """
            environments: { local: { baseURL: "http://127.0.0.1:8080" } }
            targets:
              Orders:
                request: GET /orders
                auth:
                  oauth2:
                    grant: deviceCode
                    deviceURL: https://accounts.example.com/device
                    tokenURL: https://accounts.example.com/token
                    clientID: apus
            """
        guard let workspace = try? Workspace.new(text: text, file: "shop.apus.yaml"),
            let target = workspace.definition(TargetID("Orders")),
            let resolved = try? workspace.resolve(target, in: "local"),
            let plan = resolved.signing?.signIn
        else { return }
        let until = clock.now.wall.addingTimeInterval(600)
        let query = "client_id=apus&response_type=code&scope=openid%20offline_access&state="
        let url =
            "https://accounts.example.com/authorize?\(query)"
            + "aGVsbG8tdGhpcy1pcy1hLXN0YXRl&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        let page = "https://accounts.example.com/activate"
        _ = receive(
            .signIn(
                .asked(
                    plan,
                    withCode
                        ? .code(
                            "WDJB-MJHT",
                            page: page,
                            completePage: "\(page)?user_code=WDJB-MJHT",
                            until: until
                        ) : .page(url: url, until: until)
                )
            )
        )
    }
}

extension Play {
    /// Sends the target under the cursor, and has it answered.
    mutating func sendSelected(
        gettingBody body: String,
        status: Int = 200,
        after duration: Duration = .milliseconds(12)
    ) {
        move(to: "Show user")
        type("enter")
        guard let run = firedRun else { return }
        let response = Response.make(body, status: status)
        receive(.exchange(run, .response(response)))
        performChecks()
        receive(.exchange(run, .finished(.sample(.success(response), after: duration))))
        performChecks()
    }

    /// Puts the cursor on the line of a name.
    mutating func move(to name: String) {
        type("home")
        for _ in model.targets.rows where model.targets.selected?.name != name { type("down") }
    }

    /// Opens the bodies and checks the responses that the last event asked for.
    mutating func performChecks() {
        for effect in effects {
            switch effect {
            case .openBody(let address, .bytes(let bytes), let type):
                let body = BodyDocument(DocumentBytes(bytes), contentType: type)
                receive(.bodyOpened(address, body))
            case .check(let address, let target, let result, let duration):
                let checked = target.check(result, after: duration, now: .sampleNow)
                receive(.checked(address, checked))
            default: break
            }
        }
    }
}
