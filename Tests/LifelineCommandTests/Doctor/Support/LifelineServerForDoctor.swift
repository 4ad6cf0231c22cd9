import LifelineServer
import ServerStorage

/// Servers of ours on a free port.
enum LifelineServerForDoctor {
    static func start(_ application: Application = .development) async throws -> LifelineServer {
        // A machine that has too much to do may take its time between the connection and the request.
        var configuration = ServerConfiguration(port: 0, requestTimeout: .seconds(100), drainTimeout: .milliseconds(500))
        configuration.applications = InMemoryApplicationRegistry([application])
        return try await LifelineServer.start(configuration)
    }
}
