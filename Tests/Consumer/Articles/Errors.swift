import Apus
import Foundation

//> extension ApusError

enum ErrorsArticle {
    static func run() {
        check((ApusError(.cancelled) as NSError).code == 1201)
        check((ApusError(.cancelled) as NSError).domain == "ApusError")
    }
}
