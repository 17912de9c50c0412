import FlyingFox

extension Route {
    /// The route table, in the order of the index.
    static var all: [Route] {
        [Route("GET", "/", "what there is") { call in index(call) }]
            + users + orders + products + accounts + timing + caching + authorization + inspection
            + samples + broken
    }

    private static func index(_ call: Call) -> HTTPResponse {
        .json(["name": "Apus demo API", "version": "1", "routes": call.index])
    }
}
