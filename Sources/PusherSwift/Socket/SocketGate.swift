import ConnectionEngine
import EngineRuntime
import Foundation
import NIOConcurrencyHelpers
import PusherProtocol

#if canImport(Network)
    import Network
#endif

/// The transport of a connection: the library's own transport, or a socket that the app assigned to ``PusherConnection/socket``.
///
/// Calls for the library's own transport are passed on unchanged, and that transport reports directly to the engine. For an app's socket,
/// the delegate calls of ``WebSocketConnectionDelegate`` are converted to the reports of a transport. No code is called while the lock is
/// held.
///
/// `@unchecked Sendable`: everything that changes is protected by `state`, a `NIOLockedValueBox`.
final class SocketGate: ClientTransport, @unchecked Sendable {
    typealias Session = PusherSession
    typealias Report = @Sendable (TransportEvent<PusherInbound>) -> Void

    /// The state of the latest attempt to connect.
    private struct Link {
        let id: AttemptID
        let report: Report
        /// The app's socket; nil for an attempt on the library's own transport.
        let socket: NWWebSocket?
        var decoder: PusherFrameDecoder
        var isOpen = false
        /// Messages that arrived before the app's socket called `webSocketDidConnect`, because some mock sockets in tests of apps send
        /// messages so early. The messages are passed on when the socket has connected.
        var early: [PusherInbound] = []
        /// The payloads of pings that were not answered yet, oldest first. They are stored here, because the `ping()` of an app's socket
        /// takes no payload.
        var pings: [[UInt8]] = []
    }

    private struct State {
        var own: (any ClientTransport<PusherSession>)?
        var wantsFrames: @Sendable () -> Bool = { false }
        weak var connection: PusherConnection?
        var socket: NWWebSocket?
        var link: Link?
    }

    private let state = NIOLockedValueBox(State())

    /// Sets the library's own transport, to which this object passes calls. Returns this object.
    func around(
        _ transport: any ClientTransport<PusherSession>, wantsFrames: @escaping @Sendable () -> Bool
    ) -> SocketGate {
        state.withLockedValue { state in
            state.own = transport
            state.wantsFrames = wantsFrames
        }
        return self
    }

    func attach(_ connection: PusherConnection, socket: NWWebSocket) {
        state.withLockedValue { $0.connection = connection }
        use(socket)
    }

    /// The socket that the next attempt to connect uses.
    var socket: NWWebSocket? { state.withLockedValue { $0.socket } }

    /// Uses `socket` for the next attempt to connect. The present connection stays open.
    func use(_ socket: NWWebSocket) {
        socket.join(self)
        state.replace(\.socket, with: socket)
    }

    /// Whether the next attempt to connect uses the library's own transport, which connects to the connection's `url`, instead of an app's
    /// socket.
    var dialsItself: Bool { socket.map(isOwn) ?? true }

    /// Whether `socket` represents the library's own transport: it is the facade, and its delegate is the connection.
    func isOwn(_ socket: NWWebSocket) -> Bool {
        let connection = state.withLockedValue { $0.connection }
        return connection != nil && socket.isFace(of: self) && socket.delegate === connection
    }
}

// Methods of the transport, which the engine calls.
extension SocketGate {
    func open(_ endpoint: WebSocketEndpoint, attempt: AttemptID, report: @escaping Report) {
        let socket = self.socket
        let foreign = socket.flatMap { isOwn($0) ? nil : $0 }
        let own = state.withLockedValue { state in
            let decoder = PusherFrameDecoder(keepsText: state.wantsFrames)
            state.link = Link(id: attempt, report: report, socket: foreign, decoder: decoder)
            return state.own
        }
        if let foreign {
            foreign.connect()
        } else {
            own?.open(endpoint, attempt: attempt, report: report)
        }
    }

    func send(_ outbound: WebSocketOutbound, attempt: AttemptID) {
        let (own, foreign) = state.withLockedValue { state -> ((any ClientTransport<PusherSession>)?, NWWebSocket?) in
            guard let socket = state.link?.socket, state.link?.id == attempt else { return (state.own, nil) }
            if case .ping(let payload) = outbound { state.link?.pings.append(payload) }
            return (nil, socket)
        }
        own?.send(outbound, attempt: attempt)
        guard let foreign else { return }
        switch outbound {
        case .text(let text): foreign.send(string: text)
        case .binary(let bytes): foreign.send(data: Data(bytes))
        case .ping: foreign.ping()
        }
    }

    func close(_ attempt: AttemptID, reason: CloseReason) {
        let (own, foreign) = state.withLockedValue { state -> ((any ClientTransport<PusherSession>)?, NWWebSocket?) in
            guard let socket = state.link?.socket, state.link?.id == attempt else { return (state.own, nil) }
            if reason == .abort { state.link = nil }
            return (nil, socket)
        }
        own?.close(attempt, reason: reason)
        foreign?.disconnect(closeCode: .protocolCode(reason == .goodbye ? .normalClosure : .goingAway))
    }
}

// Methods that the facade socket calls, to act on the library's own transport.
extension SocketGate {
    func connect() {
        state.withLockedValue { $0.connection }?.connect()
    }

    func sendOwn(_ outbound: WebSocketOutbound) {
        let (own, id) = state.withLockedValue { ($0.own, $0.link?.id) }
        if let id { own?.send(outbound, attempt: id) }
    }
}

// Methods that the connection calls when a socket has called the connection as its delegate. `sender` is this socket. Tests of apps may
// pass any socket.
extension SocketGate {
    func opened(by sender: WebSocketConnection) {
        let (report, early) = state.withLockedValue { state -> (Report?, [PusherInbound]) in
            guard let link = state.link, link.socket === sender as AnyObject, !link.isOpen else { return (nil, []) }
            state.link?.isOpen = true
            state.link?.early = []
            return (link.report, link.early)
        }
        report?(.opened)
        if !early.isEmpty { report?(.received(early)) }
    }

    /// Passes a message to the engine, if the message belongs to the present attempt to connect.
    ///
    /// - Returns: nil if the message belongs to the present attempt: it was passed to the engine, or is kept until the attempt has opened
    ///   its socket. Otherwise the decoded message.
    func received(_ text: String, by sender: WebSocketConnection, isConnected: Bool) -> PusherInbound? {
        let (report, inbound) = state.withLockedValue { state -> (Report?, PusherInbound?) in
            guard var link = state.link, isConnected || link.socket === sender as AnyObject else {
                var decoder = PusherFrameDecoder(keepsText: state.wantsFrames)
                return (nil, Self.decode(text, &decoder))
            }
            defer { state.link = link }
            let inbound = Self.decode(text, &link.decoder)
            if link.socket != nil && !link.isOpen {
                if let inbound { link.early.append(inbound) }
                return (link.report, nil)
            }
            return (link.report, inbound)
        }
        guard let report else { return inbound }
        if let inbound { report(.received([inbound])) }
        return nil
    }

    func ponged(by sender: WebSocketConnection) {
        let (report, payload) = state.withLockedValue { state -> (Report?, [UInt8]?) in
            guard let link = state.link, link.socket == nil || link.socket === sender as AnyObject else { return (nil, nil) }
            let payload = link.pings.first
            if payload != nil { state.link?.pings.removeFirst() }
            return (link.report, payload)
        }
        report?(payload.map { .received([.pong($0)]) } ?? .heard)
    }

    func closed(by sender: WebSocketConnection, _ code: NWProtocolWebSocket.CloseCode, reason: Data?) {
        let words = reason.flatMap { $0.isEmpty ? nil : String(decoding: $0.prefix(123), as: UTF8.self) }
        let failure = ConnectionFailure(
            .unexpectedDisconnect, words ?? "The WebSocket was closed, and its close frame gave no reason.", origin: .server,
            closeCode: code.number)
        end(sender, failure, goodbye: true)
    }

    /// Ends the present attempt with a failure, and closes the socket (rule PA-51).
    func failed(by sender: WebSocketConnection, _ failure: ConnectionFailure) {
        end(sender, failure, goodbye: false)?.disconnect(closeCode: .protocolCode(.goingAway))
    }

    /// Ends the present attempt, if it uses `sender` or the library's own transport.
    ///
    /// - Returns: the app's socket that the attempt used; nil for the library's own transport.
    @discardableResult
    private func end(_ sender: WebSocketConnection, _ failure: ConnectionFailure, goodbye: Bool) -> NWWebSocket? {
        let (link, own) = state.withLockedValue { state -> (Link?, (any ClientTransport<PusherSession>)?) in
            guard let link = state.link, link.socket == nil || link.socket === sender as AnyObject else { return (nil, nil) }
            state.link = nil
            return (link, link.socket == nil ? state.own : nil)
        }
        guard let link else { return nil }
        link.report(.closed(failure))
        own?.close(link.id, reason: goodbye ? .goodbye : .abort)
        return link.socket
    }

    private static func decode(_ text: String, _ decoder: inout PusherFrameDecoder) -> PusherInbound? {
        var text = text
        return text.withUTF8 { decoder.text(UnsafeRawBufferPointer($0)) }
    }
}
