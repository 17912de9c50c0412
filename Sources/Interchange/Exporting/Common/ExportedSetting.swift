import Apus
import Workspaces

/// What a workspace says of how a target is sent and of what becomes of its response, by the key of its file.
struct ExportedSetting: Sendable, Hashable {
    /// The key: `timeout`.
    let key: String
    /// What it says, in one line; empty for more than a word.
    let text: String

    /// What options say that differs from the usual, for requests that no workspace has; what no workspace can say is
    /// named as in Swift.
    static func all(of options: TransportOptions) -> [ExportedSetting] {
        let standard = TransportOptions()
        var settings: [ExportedSetting] = []
        func add(_ key: String, _ text: String?, if differs: Bool) {
            if differs { settings.append(ExportedSetting(key: key, text: text ?? "")) }
        }
        func add(_ key: String, _ time: Duration?, unless usual: Duration?) {
            add(key, time.map { "\($0.inSeconds) s" } ?? "none", if: time != usual)
        }
        add("timeout", options.timeout, unless: standard.timeout)
        add("connectTimeout", options.connectTimeout, unless: standard.connectTimeout)
        let redirects = options.maximumRedirects
        add("redirects", "\(redirects)", if: redirects != standard.maximumRedirects)
        add("trustRedirects", "true", if: options.trustsRedirects)
        add("verifyTLS", "false", if: !options.verifiesTLS)
        let file = options.certificateAuthorityFile
        add("caFile", file, if: file != nil)
        add(
            "clientCertificate",
            options.clientCertificate?.file,
            if: options.clientCertificate != nil
        )
        add("unixSocket", options.unixSocket, if: options.unixSocket != nil)
        let version = options.requestedVersion
        add("httpVersion", version.rawValue, if: version != .automatic)
        add("proxy", nil, if: options.proxy != nil)
        add("decode", "false", if: !options.decodesContent)
        add("maxBody", options.maximumBodySize.map { "\($0)" }, if: options.maximumBodySize != nil)
        add("trace", "true", if: options.tracesWire)
        add("cookies", "false", if: !options.sendsCookies)
        add("pinnedPublicKeys", nil, if: !options.pinnedPublicKeys.isEmpty)
        add("minimumTLSVersion", nil, if: options.minimumTLSVersion != nil)
        // Only curl tries what a server offers.
        add("ServerCredentials.any", nil, if: options.credentials?.scheme == .any)
        return settings
    }
}

extension ExportedRequest {
    /// The settings that a format has no words for; `format` is what it is called: "a description".
    func lostSettings(carrying carried: Set<String>, _ format: String) -> [ImportLoss] {
        settings.filter { setting in
            // Programs without a store of cookies send none.
            !carried.contains(setting.key) && !(setting.key == "cookies" && setting.text == "false")
        }.map { setting in
            ImportLoss("the setting `\(setting.key)`", "\(format) has none", text: setting.text)
        }
    }

    /// A remark on a tool that follows redirects in its own way, for the methods that this concerns; else none.
    func redirectRemarks(_ words: String) -> [String] {
        let isAlike = options.maximumRedirects == 0 || ["GET", "HEAD", "POST"].contains(method)
        return isAlike ? [] : [words]
    }
}

extension ExportedWorkspace {
    /// The chains and the batches, for a format of single requests.
    func lostFlows(_ format: String, hasChains: Bool = false) -> [(
        target: String, loss: ImportLoss
    )] {
        let lost =
            hasChains ? [] : chains.map { ($0.name, ImportLoss("a chain", "\(format) has none")) }
        return lost + batches.map { ($0, ImportLoss("a batch", "\(format) has none")) }
    }
}
