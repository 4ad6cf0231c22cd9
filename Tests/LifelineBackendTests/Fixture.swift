import ConnectionEngine
import HTTPTransport
import Lifeline
import LifelineServer
import NIOConcurrencyHelpers

@testable import LifelineBackend

/// A server in this process, which is stopped at the end.
func withServer(_ body: (LifelineServer) async throws -> Void) async throws {
    let server = try await LifelineServer.start(.init(port: 0))
    do {
        try await body(server)
    } catch {
        try? await server.drain(timeout: .zero)
        throw error
    }
    try await server.drain(timeout: .zero)
}

extension PusherBackend {
    static let testKey = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

    /// A backend of the server's default application.
    static func of(_ server: LifelineServer, secret: String = "app-secret") throws -> PusherBackend {
        try PusherBackend(
            appID: "1001", keys: [PusherKey("app-key", secret: secret)],
            address: BackendAddress("127.0.0.1", port: server.port, tls: false), encryptionMasterKey: testKey)
    }
}

/// Answers with a list of outcomes, the last one again and again, and notes the calls.
final class ScriptedSending: BackendSending {
    private let state: NIOLockedValueBox<(left: [Result<HTTPCallAnswer, ConnectionFailure>], calls: [HTTPCall])>

    init(_ outcomes: [Result<HTTPCallAnswer, ConnectionFailure>]) {
        state = NIOLockedValueBox((outcomes, []))
    }

    var calls: [HTTPCall] { state.withLockedValue { $0.calls } }

    func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPCallAnswer {
        let outcome = state.withLockedValue { state in
            state.calls.append(call)
            return state.left.count > 1 ? state.left.removeFirst() : state.left[0]
        }
        return try outcome.get()
    }

    static func answer(
        _ status: Int, _ body: String = "{}", headers: [HTTPField] = []
    ) -> Result<HTTPCallAnswer, ConnectionFailure> {
        .success(HTTPCallAnswer(status: status, headers: headers, body: Array(body.utf8), url: "http://127.0.0.1/"))
    }
}

/// Notes the pauses and does not wait.
final class Pauses: Sendable {
    private let noted = NIOLockedValueBox<[Duration]>([])
    var all: [Duration] { noted.withLockedValue { $0 } }
    func caller(_ sending: ScriptedSending, options: BackendOptions = BackendOptions()) -> BackendCaller {
        BackendCaller(options, http: sending) { duration in self.noted.withLockedValue { $0.append(duration) } }
    }
}
