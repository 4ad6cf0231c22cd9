import TransportCommon

/// Makes the parts of a client: for production, or scripted ones in tests.
struct EngineAssembly: Sendable {
    /// What makes the requests of calls.
    var makeCalls: @Sendable (ConfigurationValues) -> any CallTransport
}

extension EngineAssembly {
    /// Real sockets, on the event loops that all clients of the process share.
    static let live = EngineAssembly(
        makeCalls: { LiveCalls(roots: roots(of: $0)) })

    private static func roots(of values: ConfigurationValues) -> TrustRoots {
        values.certificateAuthorityFile.map { .file($0) } ?? .system
    }
}
