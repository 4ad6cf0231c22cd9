import LifelineServer
import RealtimeHub

/// Servers of ours on a free port.
enum LifelineServerForDoctor {
    static func start(_ application: Application = .development) async throws -> LifelineServer {
        var configuration = ServerConfiguration(port: 0, drainTimeout: .milliseconds(500))
        configuration.applications = InMemoryApplicationRegistry([application])
        return try await LifelineServer.start(configuration)
    }
}
