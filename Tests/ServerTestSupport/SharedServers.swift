import ServerStorage

@testable import LifelineServer

/// Runs `body` with two places to be connected to: two servers on one backend, or one server that is both places. What `body` expects of
/// both is what "two servers behave as one" means.
///
/// - Parameter count: 1 or 2.
func withSharedServers(
    _ count: Int, _ change: (inout ServerConfiguration) -> Void = { _ in },
    _ body: (_ here: LifelineServer, _ there: LifelineServer) async throws -> Void
) async throws {
    let backend = LocalBackend()
    let here = try await LifelineServer.start(sharedConfiguration(change), on: backend)
    do {
        let there = count == 1 ? here : try await LifelineServer.start(sharedConfiguration(change), on: backend)
        do {
            try await body(here, there)
            try await there.stop()
        } catch {
            try await there.stop()
            throw error
        }
        try await here.stop()
    } catch {
        try await here.stop()
        throw error
    }
}

/// Settings of a server that shares its backend with others.
func sharedConfiguration(_ change: (inout ServerConfiguration) -> Void = { _ in }) -> ServerConfiguration {
    var configuration = ServerConfiguration(port: 0, threads: 2, drainTimeout: .milliseconds(500))
    configuration.applications = InMemoryApplicationRegistry([quietApplication])
    change(&configuration)
    return configuration
}
