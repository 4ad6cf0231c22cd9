import ServerRuntime
import ServerStorage

/// Applies changed applications to a running server, both those of the configuration and those made at run time.
struct ServerReload: Sendable {
    let services: ServerServices
    let parts: ServerParts
    /// The applications made at run time; nil without them.
    let runtime: RuntimeApplications?

    /// Makes open connections of Pusher's clients follow the registry (rule SO-21).
    func applicationsChanged() {
        for service in services.running { service.applicationsChanged() }
    }

    /// Applies new settings of services, by service, beside the applications that were made at run time.
    func replace(_ settings: [ServiceName: any Sendable]) async throws {
        try await parts.reload(
            { [runtime] in runtime?.merged(settings) ?? settings }, applied: { [runtime] in runtime?.note(settings) })
    }

    /// Applies the present applications that were made at run time, beside those of the configuration.
    func runtimeChanged() async throws {
        guard let runtime else { return }
        try await parts.reload {
            let configured = runtime.configured
            return runtime.merged([.pubnub: configured.keysets, .chat: configured.chat])
        }
        applicationsChanged()
    }
}
