import Apus
import Sharing
import TestSupport
import Testing

@testable import Workspaces

/// What a workspace gives to workers.
@Suite("workers' plans")
struct WorkersPlanTests {
    private static let text = """
        name: Shop
        variables: { token: { env: SHOP_TOKEN }, user: 7 }
        environments: { local: { baseURL: "http://a" }, live: { baseURL: "http://b" } }
        targets:
          Home: GET /
          Show: { request: "GET /{{ n }}", auth: { bearer: "{{ token }}" } }
        batches:
          Many: [Home, { target: Show, repeat: 3, set: { n: "{{ index }}" } }, { target: Home, repeat: 2 }]
          Fast: { rate: 10/s for 2 s, concurrency: 3, targets: [Home, { target: Show, set: { n: 1 } }] }
        """

    private func workspace(
        _ text: String = text,
        in folder: TemporaryFolder = TemporaryFolder(),
        environment: String = "local"
    ) throws -> NamedWorkspace {
        try TemporaryFolder.write(text.utf8, to: folder.path + "/shop.apus.yaml")
        var secrets = SecretReader.process
        secrets.environmentVariable = { $0 == "SHOP_TOKEN" ? "sesame-street" : nil }
        return NamedWorkspace(
            workspace: try Workspace.load(
                path: folder.path + "/shop.apus.yaml",
                secrets: secrets
            ),
            environment: environment
        )
    }

    @Test("each index has the target that the batch has there")
    func targets() throws {
        let workspace = try workspace()
        for (name, count) in [("Many", 6), ("Fast", 20)] {
            let plan = try workspace.workersPlan(ofBatch: name)
            #expect(plan.count == count)
            let all = try workspace.batch(named: name).targets
            let work = try workspace.work(on: plan.batch)
            for index in 0..<count {
                let target = try work.target(at: index)
                #expect(target.display == all[index % all.count].display)
                #expect(target.headerFields == all[index % all.count].headerFields)
            }
        }
        let fast = try workspace.workersPlan(ofBatch: "Fast")
        #expect(fast.rate?.perSecond == 10)
        #expect(try workspace.work(on: fast.batch).concurrency == 3)
    }

    @Test("the same files elsewhere are the same, and others are refused")
    func digest() throws {
        let (here, there) = (try workspace(), try workspace())
        let batch = try here.workersPlan(ofBatch: "Many").batch
        _ = try there.work(on: batch)
        let changed = try workspace(Self.text + "\n  Other: [Home]")
        #expect(throws: WorkspaceError.self) { try changed.work(on: batch) }
        let renamed = try workspace(Self.text.replacing("name: Shop", with: "name: Stop"))
        do {
            _ = try renamed.work(on: batch)
            Issue.record("a batch of another workspace was taken")
        } catch {
            #expect("\(error)".contains("it belongs to the workspace “Shop”"))
        }
    }

    @Test("no secret is among what goes through the server")
    func secrets() throws {
        let workspace = try workspace()
        for values in [["token": "x"], ["user": "sesame-street"], ["user": "a sesame-street b"]] {
            do {
                _ = try workspace.workersPlan(ofBatch: "Many", values: values)
                Issue.record("a secret was taken: \(values)")
            } catch {
                #expect("\(error)".contains("is secret"))
            }
        }
        let plan = try workspace.workersPlan(ofBatch: "Many", values: ["user": "8"])
        #expect(plan.batch.values == ["user": "8"])
        #expect(!"\(plan)".contains("sesame"))
    }
}
