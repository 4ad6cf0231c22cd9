import Dispatch
import LifelineServer

@testable import PubNub

/// A client of a server in the same process, with the fast profile and its callbacks on a queue of its own.
struct LiveClient {
    let client: PubNub
    let listener = RecordingListener()

    init(
        _ server: LifelineServer, user: String = "me", subscribeKey: String = "demo", port: Int? = nil,
        configure: (PNConfiguration) -> Void = { _ in }
    ) {
        let configuration = PNConfiguration(
            publishKey: "demo", subscribeKey: subscribeKey, identities: IdentityStore(directory: nil))
        configuration.origin = "127.0.0.1:\(port ?? server.port)"
        configuration.TLSEnabled = false
        configuration.uuid = user
        configuration.timing = .fast
        configuration.backgroundGrace = 0
        configure(configuration)
        client = PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "live.callbacks"))
        client.addListener(listener)
    }
}

/// A server on a free port, for as long as `body` runs.
func withServer(_ body: (LifelineServer) async throws -> Void) async throws {
    let server = try await LifelineServer.start(
        .init(port: 0, threads: 1, pollHold: .seconds(5), drainTimeout: .milliseconds(200)))
    let result: Result<Void, any Error>
    do { result = .success(try await body(server)) } catch { result = .failure(error) }
    try await server.stop()
    try result.get()
}
