import Apus
import HTTPTypes
import Interchange
import Recordings
import Workspaces

/// The responses of a workspace's targets that the history has, for descriptions of what servers send back.
struct RecordedResponses {
    /// How many exchanges are looked through, the newest first.
    private static let mostExchanges = 2_000
    private static let mostResponsesOfTarget = 20
    private static let maximumBody = 4 << 20

    private let byTarget: [String: [ExportedResponse]]

    /// Reads the history; what cannot be read of it is left out, for an export does not depend on it.
    init(of workspace: String, in history: History) async {
        var filter = HistoryFilter()
        filter.workspaces = [workspace]
        let found = try? await history.exchanges(matching: filter, limit: Self.mostExchanges)
        var responses: [String: [ExportedResponse]] = [:]
        for exchange in found ?? [] where exchange.origin.workspace == workspace {
            guard let target = exchange.origin.target,
                responses[target, default: []].count < Self.mostResponsesOfTarget,
                let details = try? await history.readableExchange(exchange.id),
                let response = details.response, details.unkeptSize == nil,
                let body = try? response.body.load(), body.count <= Self.maximumBody
            else { continue }
            responses[target, default: []].append(
                ExportedResponse(
                    status: response.status,
                    contentType: response.head.headerFields[.contentType],
                    body: body
                )
            )
        }
        byTarget = responses
    }

    /// The workspace with the responses of its requests.
    func adding(to workspace: ExportedWorkspace) -> ExportedWorkspace {
        var workspace = workspace
        workspace.items = workspace.items.map { adding(to: $0) }
        return workspace
    }

    private func adding(to item: ExportedWorkspace.Item) -> ExportedWorkspace.Item {
        switch item {
        case .request(var request):
            request.add(responses: byTarget[request.id] ?? [])
            return .request(request)
        case .group(var group):
            group.items = group.items.map { adding(to: $0) }
            return .group(group)
        }
    }
}
