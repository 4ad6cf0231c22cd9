import ServerRuntime
import ServerStorage

/// Applies changed applications to a running server: applications of the configuration and applications made at run time.
struct ServerReload: Sendable {
    let services: ServerServices
    let parts: ServerParts
    /// The applications made at run time; nil for a server that does not support them.
    let runtime: RuntimeApplications?

    /// Applies changes of the registry to open connections of Pusher's clients (rule SO-21).
    func applicationsChanged() {
        for service in services.running { service.applicationsChanged() }
    }

    /// Applies new settings of services, by service, together with the applications that were made at run time.
    func replace(_ settings: [ServiceName: any Sendable]) async throws {
        try await parts.reload(
            { [runtime] in runtime?.merged(settings) ?? settings }, applied: { [runtime] in runtime?.note(settings) })
    }

    /// Applies changed applications that were made at run time, together with those of the configuration.
    func runtimeChanged() async throws {
        guard let runtime else { return }
        try await parts.reload {
            let configured = runtime.configured
            return runtime.merged([.pubnub: configured.keysets, .chat: configured.chat])
        }
        applicationsChanged()
    }
}
