import Apus
import Synchronization

enum ApusReactiveArticle {
    static func run() async throws {
        //> let values
        //> let logins
        let received = Mutex<[String]>([])
        let watching = logins.sink(
            receiveCompletion: { _ in },
            receiveValue: { login in received.withLock { $0.append(login) } }
        )
        await wait { received.withLock { $0 } == ["ada"] }
        subscription.cancel()
        watching.cancel()
    }
}
