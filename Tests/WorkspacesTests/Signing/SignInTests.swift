import Apus
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import Secrets
import TestSupport
import Testing

@testable import Workspaces

@Suite("Signing in with OAuth 2")
struct SignInTests {
    private func send(_ fixture: SignInFixture, _ target: WorkspaceTarget) async throws -> Response
    {
        try await fixture.provider(fixture.signIns()).response(for: target)
    }

    @Test("client credentials: one token for all requests, and for later processes")
    func clientCredentials() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(SignInFixture.client)
        let provider = fixture.provider(fixture.signIns())
        #expect(try await provider.response(for: target).status == 200)
        #expect(try await provider.response(for: target).status == 200)
        #expect(try await send(fixture, target).status == 200)
        #expect(
            fixture.server.forms == [["grant_type": "client_credentials", "scope": "read write"]]
        )
        #expect(Set(fixture.server.requests.map(\.token)) == ["t0ken-number-1"])
    }

    @Test("the token is in a file of its owner alone, in a folder of its owner alone")
    func permissions() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(SignInFixture.client)
        _ = try await send(fixture, target)
        let key = try #require(target.plan?.key.text)
        var status = stat()
        #expect(stat("\(fixture.tokens)/\(key).json", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(stat(fixture.tokens, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o700)
        // What others could read is theirs no longer.
        chmod("\(fixture.tokens)/\(key).json", 0o644)
        let plan = try #require(target.plan)
        #expect(try await fixture.signIns().status(of: plan) != nil)
        #expect(stat("\(fixture.tokens)/\(key).json", &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test("a password, and who it is of")
    func password() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(SignInFixture.password)
        let signIns = fixture.signIns()
        #expect(try await fixture.provider(signIns).response(for: target).status == 200)
        let plan = try #require(target.plan)
        let status = try #require(try await signIns.status(of: plan))
        #expect(status.name == "ada")
        #expect(status.expires == Date(timeIntervalSince1970: 1_800_003_600))
        #expect(fixture.server.forms.first?["password"] == "l0velace")
        #expect(target.mask.masking(text: "a l0velace b") == "a •••••• b")
    }

    @Test("a browser: the person signs in once, with a proof, and is known by the identity token")
    func authorizationCode() async throws {
        // {"sub":"1","email":"ada@example"}
        let fixture = try SignInFixture {
            $0.identity = "e30.eyJzdWIiOiIxIiwiZW1haWwiOiJhZGFAZXhhbXBsZSJ9.x"
        }
        let target = try fixture.target(fixture.code + ", scope: read, audience: https://api.test")
        let signIns = fixture.signIns()
        let provider = fixture.provider(signIns)
        #expect(try await provider.response(for: target).status == 200)
        #expect(try await provider.response(for: target).status == 200)
        let step = try #require(fixture.steps.first)
        #expect(fixture.steps.count == 1 && fixture.endCount == 1)
        #expect(step.url.contains("&scope=read&audience=https%3A%2F%2Fapi.test"))
        #expect(step.url.contains("&code_challenge_method=S256"))
        #expect(fixture.server.forms.first?["code_verifier"]?.utf8.count == 43)
        let plan = try #require(target.plan)
        #expect(try await signIns.status(of: plan)?.name == "ada@example")
    }

    @Test("the redirect's port, host and path are those that are registered")
    func redirect() async throws {
        let fixture = try SignInFixture()
        // A port that is free now.
        let port = try RawServer { _ in [] }.port
        let target = try fixture.target(
            fixture.code + ", redirect: \"http://localhost:\(port)/done\""
        )
        let signIns = fixture.signIns(visits: false)
        let plan = try #require(target.plan)
        let attempt = Task { try await signIns.signIn(plan) }
        let url = try #require(await fixture.nextStep()?.url)
        #expect(url.contains("redirect_uri=http%3A%2F%2Flocalhost%3A\(port)%2Fdone"))
        signIns.cancel(plan.key)
        await #expect(throws: ApusError.self) { try await attempt.value }
    }

    @Test("a device: the code is shown, and the server is asked until the person has signed in")
    func deviceCode() async throws {
        let fixture = try SignInFixture { $0.pending = 3 }
        let target = try fixture.target(fixture.device)
        #expect(try await send(fixture, target).status == 200)
        guard case .code(let code, let page, nil, let until)? = fixture.steps.first
        else {
            Issue.record("no code was shown")
            return
        }
        #expect(code == "WDJB-MJHT" && page == "\(fixture.server.url)/verify")
        #expect(until == Date(timeIntervalSince1970: 1_800_000_600))
        #expect(fixture.server.grants.count == 4)
    }

    @Test("an expired token is refreshed before it is sent, and the new one is kept")
    func expiry() async throws {
        let fixture = try SignInFixture { $0.lifetime = 60 }
        let target = try fixture.target(fixture.code)
        let provider = fixture.provider(fixture.signIns())
        _ = try await provider.response(for: target)
        fixture.wait(61)
        #expect(try await provider.response(for: target).status == 200)
        #expect(try await send(fixture, target).status == 200)
        #expect(fixture.server.grants == ["authorization_code", "refresh_token"])
        #expect(fixture.server.forms.last?["refresh_token"]?.hasPrefix("r3fresh-") == true)
        #expect(fixture.steps.count == 1)
    }

    @Test("a 401 leads to one refresh and one more try")
    func refused() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(SignInFixture.client)
        let provider = fixture.provider(fixture.signIns())
        _ = try await provider.response(for: target)
        fixture.server.revokeAll()
        #expect(try await provider.response(for: target).status == 200)
        #expect(fixture.server.requests.count == 3)
        #expect(fixture.server.grants == ["client_credentials", "refresh_token"])
        fixture.server.change { $0.refusesAll = true }
        #expect(try await provider.response(for: target).status == 401)
        #expect(fixture.server.requests.count == 5)
    }

    @Test("a 401 alone sends nobody to a browser; a refresh that fails does")
    func refusedPerson() async throws {
        let fixture = try SignInFixture { $0.refreshes = false }
        let target = try fixture.target(fixture.code)
        let provider = fixture.provider(fixture.signIns())
        _ = try await provider.response(for: target)
        fixture.server.revokeAll()
        #expect(try await provider.response(for: target).status == 401)
        #expect(fixture.steps.count == 1)

        let other = try SignInFixture()
        let renewed = try other.target(other.code)
        let signIns = other.provider(other.signIns())
        _ = try await signIns.response(for: renewed)
        other.server.change { $0.refreshes = false }
        other.server.revokeAll()
        #expect(try await signIns.response(for: renewed).status == 200)
        #expect(other.steps.count == 2)
    }

    @Test("a wrong secret is said in words without it, and the right one works at once")
    func wrongSecret() async throws {
        let fixture = try SignInFixture()
        let wrong = try fixture.target(SignInFixture.client, secret: "wr0ng-s3cret")
        let provider = fixture.provider(fixture.signIns())
        let error = await #expect(throws: ApusError.self) {
            try await provider.response(for: wrong)
        }
        #expect(error?.code == 1403)
        #expect(error?.description.contains("does not know this client") == true)
        #expect(error.map { "\($0)".contains("wr0ng") } == false)
        #expect(fixture.server.requests.isEmpty)
        let right = try fixture.target(SignInFixture.client)
        #expect(try await provider.response(for: right).status == 200)
    }

    @Test("a person or a device that is denied")
    func denied() async throws {
        let fixture = try SignInFixture { $0.denies = true }
        let denied = fixture.code.replacing("/authorize", with: "/denied")
        for oauth2 in [denied, fixture.device] {
            let target = try fixture.target(oauth2)
            let error = await #expect(throws: ApusError.self) {
                try await send(fixture, target)
            }
            guard case .authorization(.refused(let refusal))? = error?.reason else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(refusal.code == "access_denied")
        }
        #expect(fixture.endCount == 2)
    }

    @Test("a wait that is cancelled ends the requests that wait for it")
    func cancelled() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(fixture.code)
        let signIns = fixture.signIns(visits: false)
        let provider = fixture.provider(signIns)
        let request = Task { try await provider.response(for: target) }
        _ = await fixture.nextStep()
        signIns.cancel(try #require(target.plan?.key))
        let error = await #expect(throws: ApusError.self) { try await request.value }
        #expect(error?.reason == .cancelled)
        #expect(fixture.endCount == 1)
        // The next one asks again.
        let again = Task { try await provider.response(for: target) }
        #expect(await fixture.nextStep() != nil)
        again.cancel()
        _ = await again.result
        #expect(fixture.endCount == 2)
    }

    @Test("where nobody can be asked, the request fails and says so")
    func noPerson() async throws {
        let fixture = try SignInFixture()
        let provider = fixture.provider(fixture.signIns(refusal: "there is no terminal"))
        for oauth2 in [fixture.code, fixture.device] {
            let target = try fixture.target(oauth2)
            let error = await #expect(throws: ApusError.self) {
                try await provider.response(for: target)
            }
            #expect(error?.reason == .vetoed(reason: "there is no terminal"))
        }
        #expect(fixture.server.received.isEmpty)
        let target = try fixture.target(SignInFixture.client)
        #expect(try await provider.response(for: target).status == 200)
    }

    @Test("each environment, scope and client has a token of its own")
    func apart() async throws {
        let fixture = try SignInFixture()
        let provider = fixture.provider(fixture.signIns())
        let targets = [
            try fixture.target(SignInFixture.client),
            try fixture.target(SignInFixture.client, environment: "two"),
            try fixture.target("grant: clientCredentials, clientSecret: { env: SECRET }"),
            try fixture.target(SignInFixture.password),
        ]
        for target in targets { _ = try await provider.response(for: target) }
        #expect(Set(targets.compactMap(\.plan?.key)).count == 4)
        #expect(Set(fixture.server.requests.map(\.token)).count == 4)
        #expect(Folders.names(in: fixture.tokens).count == 4)
    }

    @Test("many requests at once share one sign-in")
    func shared() async throws {
        let fixture = try SignInFixture()
        let first = try fixture.target(fixture.code)
        let second = try fixture.target(fixture.code, request: "GET /other")
        let provider = fixture.provider(fixture.signIns())
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<20 {
                let target = index.isMultiple(of: 2) ? first : second
                group.addTask { try await provider.response(for: target).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
        #expect(fixture.steps.count == 1)
        #expect(fixture.server.grants == ["authorization_code"])
    }

    @Test("signing out forgets the token, and signing in by hand gets another one")
    func signOut() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(fixture.code)
        let plan = try #require(target.plan)
        let signIns = fixture.signIns()
        let provider = fixture.provider(signIns)
        _ = try await provider.response(for: target)
        #expect(try await signIns.signOut(plan))
        #expect(try await signIns.signOut(plan) == false)
        #expect(Folders.names(in: fixture.tokens) == [])
        #expect(try await signIns.status(of: plan) == nil)
        #expect(try await signIns.signIn(plan).isRefreshable)
        _ = try await provider.response(for: target)
        #expect(fixture.steps.count == 2)
        #expect(fixture.server.requests.map(\.token) == ["t0ken-number-2", "t0ken-number-4"])
    }

    @Test("what is cached for one person is not found after another has signed in")
    func accounts() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(fixture.code)
        let plan = try #require(target.plan)
        let signIns = fixture.signIns()
        let provider = fixture.provider(signIns)
        func token() async throws -> String? {
            let response = try await provider.response(
                for: target,
                from: .cacheIfPossible,
                caching: .keep(in: .memory)
            )
            return try JSON(parsing: response.body.load())["token"].string
        }
        let first = try await token()
        #expect(try await token() == first)
        _ = try await signIns.signOut(plan)
        _ = try await signIns.signIn(plan)
        #expect(try await token() != first)
    }

    @Test("a token is masked in whatever is shown of its request and its response")
    func masked() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(SignInFixture.client)
        let response = try await send(fixture, target)
        #expect(response.request.mask.masking(text: "t0ken-number-1") == CredentialMask.mask)
        #expect(target.display.fields.map(\.value) == [CredentialMask.mask])
        #expect(
            target.display.notes.contains { $0.hasPrefix("oauth2, client credentials at http") }
        )
        var request = try await fixture.provider(fixture.signIns()).preparedRequest(for: target)
        #expect(request.head.headerFields[.authorization] == nil)
        target.credentials?.addPlaceholder(to: &request)
        #expect(CurlCommand(request, environment: [:]).text.contains("Bearer SECRET"))
    }

    @Test("credentials that somebody gives for one request go before the target's")
    func given() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(SignInFixture.client)
        let provider = fixture.provider(fixture.signIns()).modifying {
            $0.head.headerFields[.authorization] = "Bearer mine-alone"
        }
        #expect(try await provider.response(for: target).status == 401)
        #expect(fixture.server.requests.map(\.token) == ["mine-alone"])
        #expect(fixture.server.forms.isEmpty)
    }

    @Test("a file that is no token is reported, and signing in mends it")
    func damaged() async throws {
        let fixture = try SignInFixture()
        let target = try fixture.target(SignInFixture.client)
        let plan = try #require(target.plan)
        mkdir(fixture.tokens, 0o700)
        try "{}".write(
            toFile: "\(fixture.tokens)/\(plan.key.text).json",
            atomically: true,
            encoding: .utf8
        )
        let error = await #expect(throws: ApusError.self) { try await send(fixture, target) }
        #expect(error?.code == 1408)
        _ = try await fixture.signIns().signIn(plan)
        #expect(try await send(fixture, target).status == 200)
    }
}
