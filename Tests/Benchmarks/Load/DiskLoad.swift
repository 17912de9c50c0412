import Apus
import FoundationEssentials
import Glibc

/// Downloads a file, and shows what memory that takes.
struct DiskLoad {
    /// A download.
    struct Download: TargetType {
        let baseURL: URL
        let path = ""
        let file: String
        var task: RequestTask {
            .download(to: DownloadDestination(path: file, replacesExisting: true), sending: .plain)
        }
    }

    let url: URL
    let file: String

    init?(_ arguments: [String]) {
        guard arguments.count >= 4, let url = URL(string: arguments[2]) else { return nil }
        self.url = url
        file = arguments[3]
    }

    func run() async {
        let provider = Provider<Download>()
        let start = ContinuousClock.now
        do {
            let response = try await provider.response(for: Download(baseURL: url, file: file))
            let elapsed = (ContinuousClock.now - start) / .seconds(1)
            Usage.print(rate: Double(response.body.count) / 1e6 / elapsed)
        } catch {
            print(error)
            exit(1)
        }
    }
}
