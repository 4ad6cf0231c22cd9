import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// Connects a WebSocket session to a test service in memory. The session's own decoder decodes the frames.
final class TestSocketTransport<Session: WebSocketSession>: ClientTransport {
    private let core: ServiceCore
    private let decoder: @Sendable () -> Session.Decoder
    private let sockets = NIOLockedValueBox<[AttemptID: UInt64]>([:])

    init(core: ServiceCore, decoder: @escaping @Sendable () -> Session.Decoder) {
        self.core = core
        self.decoder = decoder
    }

    deinit {
        for id in sockets.withLockedValue({ Array($0.values) }) { core.change { $0.forget(id) } }
    }

    func open(
        _ endpoint: WebSocketEndpoint, attempt: AttemptID,
        report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void
    ) {
        core.work.note("a client has begun to connect")
        let decoder = NIOLockedValueBox(decoder())
        let now = core.timers.now
        core.change { state in
            state.now = now
            let id = state.nextID()
            sockets.withLockedValue { $0[attempt] = id }
            state.dialled(id, to: endpoint) { event in
                switch event {
                case .opened: report(.opened)
                case .closed(let failure): report(.closed(failure))
                case .text(let bytes):
                    let inbound = decoder.withLockedValue { decoder in bytes.withUnsafeBytes { decoder.text($0) } }
                    report(inbound.map { .received([$0]) } ?? .heard)
                case .pong(let payload):
                    let inbound = decoder.withLockedValue { decoder in payload.withUnsafeBytes { decoder.pong($0) } }
                    report(inbound.map { .received([$0]) } ?? .heard)
                }
            }
        }
    }

    func send(_ outbound: WebSocketOutbound, attempt: AttemptID) {
        guard let id = sockets.withLockedValue({ $0[attempt] }) else { return }
        core.work.note("a client has sent \(outbound.kind)")
        let now = core.timers.now
        core.change { state in
            state.now = now
            state.received(id, outbound)
        }
    }

    func close(_ attempt: AttemptID, reason: CloseReason) {
        guard let id = sockets.withLockedValue({ $0[attempt] }) else { return }
        core.work.note("a client has ended its connection")
        core.change { state in
            switch reason {
            case .abort: state.forget(id)
            case .goodbye: state.saidGoodbye(id)
            }
        }
        if reason == .abort { sockets.withLockedValue { $0[attempt] = nil } }
    }
}

extension ServiceState {
    /// Called when a client closes the connection and waits for the service's answer to the close.
    fileprivate mutating func saidGoodbye(_ id: UInt64) {
        guard let socket = sockets[id], socket.isOpen, !socket.isSilent else { return }
        close(id, .goodbye)
    }
}

extension WebSocketOutbound {
    fileprivate var kind: String {
        switch self {
        case .ping: "a ping"
        case .text, .binary: "a message"
        }
    }
}
