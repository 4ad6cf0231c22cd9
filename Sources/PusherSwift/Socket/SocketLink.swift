import ConnectionEngine
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import TransportCommon
import WebSocketTransport

/// One connection of a stand-alone ``NWWebSocket``, on the library's transport. Releasing this object ends the connection.
final class SocketLink: Sendable {
    enum Event: Sendable {
        case opened
        case messages([PlainMessage])
        case viable(Bool)
        /// The connection was closed. The code is a number, because the Network framework's own type is not `Sendable`.
        case closed(Int, reason: Data?)
        case failed(ConnectionFailure)
    }

    private struct State {
        var isOver = false
        /// The close code that the app passed to `disconnect`; nil while the app has not closed the connection.
        var asked: Int?
        var network: NetworkObservation?
    }

    private static let attempt = AttemptID(1)

    private let transport: WebSocketTransport<PlainSession>
    private let state = NIOLockedValueBox(State())

    /// Creates a connection that is not open yet.
    ///
    /// - Parameter maximumMessageSize: the longest message in bytes; 0 for the transport's own limit.
    init(maximumMessageSize: Int) {
        var configuration = WebSocketTransportConfiguration()
        configuration.limitMessages(to: PusherEngineAssembly.longestMessage)
        if maximumMessageSize > 0 { configuration.limits.messageBytes = maximumMessageSize }
        transport = WebSocketTransport(decoder: { PlainDecoder() }, configuration: configuration)
    }

    /// Whether the transport has reported the end of the connection.
    var isOver: Bool { state.withLockedValue { $0.isOver } }

    func open(_ endpoint: WebSocketEndpoint, _ tell: @escaping @Sendable (Event) -> Void) {
        let network = NetworkMonitor.shared.observe(forHost: endpoint.host) { tell(.viable($0 == .available)) }
        state.withLockedValue { $0.network = network }
        transport.open(endpoint, attempt: Self.attempt) { [weak self] event in
            switch event {
            case .opened: tell(.opened)
            case .received(let messages): tell(.messages(messages))
            case .heard: break
            case .closed(let failure): if let self { tell(self.end(failure)) }
            }
        }
        // The app may have closed the socket from another thread while `open` ran. Then the new connection is closed at once.
        if state.withLockedValue({ $0.asked != nil }) { transport.close(Self.attempt, reason: .goodbye) }
    }

    func send(_ outbound: WebSocketOutbound) {
        transport.send(outbound, attempt: Self.attempt)
    }

    func close(_ number: Int) {
        let isFirst = state.withLockedValue { state in
            guard !state.isOver, state.asked == nil else { return false }
            state.asked = number
            return true
        }
        if isFirst { transport.close(Self.attempt, reason: .goodbye) }
    }

    private func end(_ failure: ConnectionFailure) -> Event {
        let asked = state.withLockedValue { state in
            state.isOver = true
            state.network = nil
            return state.asked
        }
        if let asked { return .closed(asked, reason: nil) }
        guard let code = failure.closeCode else { return .failed(failure) }
        return .closed(code, reason: Data(failure.reason.utf8))
    }
}
