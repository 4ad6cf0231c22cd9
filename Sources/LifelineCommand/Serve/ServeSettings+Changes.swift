import LifelineServer
import ServerStorage

// Finds changed settings that a reload cannot apply, and public secrets on a server that other machines can reach.
extension ServeSettings {
    /// The names of settings that differ from those of a running server and take effect only after a restart (rule SO-20).
    func settingsForNewStart(since started: ServeSettings) -> [String] {
        var names: [String] = []
        for setting in ServerSetting.all where setting.needsNewStart(started, self) {
            // All members of an object such as `tls` are reported as one name, the object's.
            let name = setting.group ?? setting.name
            if names.last != name { names.append(name) }
        }
        return names
    }

    /// The ids or keys of the applications that a bridge joins: the first application of each service.
    var bridged: [String] {
        [applications.first?.id, keysets.first?.subscribeKey, chatApplications.first?.key].compactMap(\.self)
    }

    /// Whether the server listens on this machine's own addresses only.
    private var isLocal: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Whether other machines can reach the server, according to its settings: directly or through a proxy.
    private var isExposed: Bool { !isLocal || server.trustsProxyHeaders || !server.pathPrefix.isEmpty }

    /// Throws if other machines can reach the server and one of its secrets is published in this package, unless the settings permit it
    /// (rule SO-64).
    func refusePublicSecrets() throws(CommandFailure) {
        guard !isLocal, !allowsPublicSecrets, !openServices.isEmpty else { return }
        let missing = openSections.map(\.secretOption).joined(separator: ", ")
        throw CommandFailure(
            "Other machines can reach this server at \(host), and the development secrets of "
                + "\(openServices.joined(separator: ", ")) are public. Give secrets of your own: \(missing). Or switch "
                + "services off with --services, or listen on 127.0.0.1. Or give --allow-public-secrets if everybody may read "
                + "and write everything.", .usage)
    }

    /// The running services that other machines can use with a secret that is published in this package.
    var openServices: [String] { openSections.compactMap(\.service?.word) }

    private var openSections: [ServeSection] {
        isExposed ? sections.filter { $0.isOn(self) && $0.hasPublicSecret(self) } : []
    }
}
