import ConnectionEngine
import Dispatch
import Foundation
import NIOConcurrencyHelpers
import TransportCommon

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif
#if canImport(Network)
    import Network
#endif

/// A stand-alone WebSocket on this library's transport, with the API of the class `NWWebSocket` of the library of the same name.
///
/// ``PusherConnection/socket`` has this type. A subclass that overrides `connect()`, `send(string:)` and `disconnect(closeCode:)` and calls
/// its delegate replaces the network, as mocks in apps' tests do (rules PA-43 to PA-50).
///
/// May be used from any thread; the delegate is called on `connectionQueue`, which has to be serial. `@unchecked Sendable`: everything that
/// changes is protected by `state`, a `NIOLockedValueBox`; `options` is read in `init` only.
open class NWWebSocket: WebSocketConnection, @unchecked Sendable {
    private struct State {
        weak var delegate: WebSocketConnectionDelegate?
        /// The gate that passes this socket's calls to the own transport of a `PusherConnection`; nil unless this socket is the facade of
        /// such a transport.
        weak var gate: SocketGate?
        var link: SocketLink?
        /// The number of the present ping timer. Timers with an earlier number send no further pings.
        var pinging: UInt64 = 0
    }

    /// The address to which the socket connects.
    public let url: URL
    private let headers: [WebSocketEndpoint.Header]
    private let maximumMessageSize: Int
    private let queue: DispatchQueue
    private let isFace: Bool
    private let state = NIOLockedValueBox(State())

    /// The default options: pings of the server are answered.
    public static var defaultOptions: NWProtocolWebSocket.Options {
        let options = NWProtocolWebSocket.Options()
        options.autoReplyPing = true
        return options
    }

    /// Creates a socket with the URL and headers of a request. Its header `Sec-WebSocket-Protocol` names the subprotocols to offer.
    public convenience init(
        request: URLRequest, connectAutomatically: Bool = false,
        options: NWProtocolWebSocket.Options = NWWebSocket.defaultOptions, connectionQueue: DispatchQueue = .main
    ) {
        self.init(
            url: request.url ?? URL(fileURLWithPath: "/"), headers: request.allHTTPHeaderFields ?? [:], options: options,
            queue: connectionQueue, isFace: false)
        if connectAutomatically { connect() }
    }

    /// Creates a socket that is not connected, unless `connectAutomatically` is true.
    ///
    /// - Parameters:
    ///   - url: the address.
    ///   - connectAutomatically: whether to connect at once.
    ///   - options: `maximumMessageSize`, and on Linux headers and subprotocols. On Apple platforms headers cannot be read from Apple's
    ///     class, so put them in a request.
    ///   - connectionQueue: the queue on which the delegate is called.
    public init(
        url: URL, connectAutomatically: Bool = false, options: NWProtocolWebSocket.Options = NWWebSocket.defaultOptions,
        connectionQueue: DispatchQueue = .main
    ) {
        self.url = url
        headers = Self.headers([:], options)
        maximumMessageSize = options.maximumMessageSize
        queue = connectionQueue
        isFace = false
        if connectAutomatically { connect() }
    }

    private init(
        url: URL, headers: [String: String], options: NWProtocolWebSocket.Options, queue: DispatchQueue, isFace: Bool
    ) {
        self.url = url
        self.headers = Self.headers(headers, options)
        maximumMessageSize = options.maximumMessageSize
        self.queue = queue
        self.isFace = isFace
    }

    /// Creates a facade of a `PusherConnection`'s own transport.
    convenience init(faceAt url: String) {
        self.init(
            url: URL(string: url) ?? URL(fileURLWithPath: "/"), headers: [:], options: Self.defaultOptions, queue: .main,
            isFace: true)
    }

    /// The delegate that gets all events; held weakly.
    public var delegate: WebSocketConnectionDelegate? {
        get { state.withLockedValue { $0.delegate } }
        set { state.withLockedValue { $0.delegate = newValue } }
    }

    /// Connects. Has no effect while the socket is connected or connecting.
    open func connect() {
        if let gate = activeGate {
            gate.connect()
            return
        }
        guard let endpoint else {
            tell { $0.webSocketDidReceiveError(connection: $1, error: .posix(.EINVAL)) }
            return
        }
        let link = SocketLink(maximumMessageSize: maximumMessageSize)
        let isNew = state.withLockedValue { state in
            if let present = state.link, !present.isOver { return false }
            state.link = link
            return true
        }
        guard isNew else { return }
        link.open(endpoint) { [weak self] event in self?.happened(event) }
    }

    /// Sends a text message. Ignored without a connection.
    open func send(string: String) {
        send(.text(string))
    }

    /// Sends a binary message. Ignored without a connection.
    open func send(data: Data) {
        send(.binary(Array(data)))
    }

    /// Has no effect, because the socket reads automatically once it is connected. Kept for source compatibility.
    public func listen() {}

    /// Sends a ping every `interval` seconds, at least 0.1 s, until the connection ends or this is called again.
    open func ping(interval: TimeInterval) {
        let number = state.withLockedValue { state in
            state.pinging += 1
            return state.pinging
        }
        pingLater(after: max(interval.isFinite ? interval : 60, 0.1), number)
    }

    /// Sends a ping. The delegate gets the answer in `webSocketDidReceivePong`.
    open func ping() {
        send(.ping([]))
    }

    /// Closes the connection with a close handshake. The delegate gets `closeCode`; the peer gets code 1000.
    open func disconnect(closeCode: NWProtocolWebSocket.CloseCode = .protocolCode(.normalClosure)) {
        if let gate = activeGate {
            gate.closed(by: self, closeCode, reason: nil)
        } else {
            state.withLockedValue { $0.link }?.close(closeCode.number)
        }
    }
}

extension NWWebSocket {
    /// If this socket is a facade of a connection's own transport, makes it act on the transport of `gate`. Any other socket is not
    /// changed.
    func join(_ gate: SocketGate) {
        if isFace { state.withLockedValue { $0.gate = gate } }
    }

    /// Whether this socket is the facade of the transport to which `gate` passes calls.
    func isFace(of gate: SocketGate) -> Bool {
        state.withLockedValue { $0.gate } === gate
    }

    /// The gate that passes this facade's calls to the connection's own transport; nil if this socket is not a facade. Also nil if the app
    /// has assigned another delegate to the facade, because this makes the facade an independent socket.
    private var activeGate: SocketGate? {
        state.withLockedValue { $0.gate }.flatMap { $0.isOwn(self) ? $0 : nil }
    }

    private func send(_ outbound: WebSocketOutbound) {
        if let gate = activeGate {
            gate.sendOwn(outbound)
        } else {
            state.withLockedValue { $0.link }?.send(outbound)
        }
    }

    private func pingLater(after interval: TimeInterval, _ number: UInt64) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in
            guard let self, self.state.withLockedValue({ $0.pinging }) == number else { return }
            self.ping()
            self.pingLater(after: interval, number)
        }
    }

    private func happened(_ event: SocketLink.Event) {
        switch event {
        case .opened:
            tell { $0.webSocketDidConnect(connection: $1) }
        case .messages(let messages):
            tell { delegate, socket in
                for message in messages {
                    switch message {
                    case .text(let text): delegate.webSocketDidReceiveMessage(connection: socket, string: text)
                    case .binary(let bytes): delegate.webSocketDidReceiveMessage(connection: socket, data: Data(bytes))
                    case .pong: delegate.webSocketDidReceivePong(connection: socket)
                    }
                }
            }
        case .viable(let isViable):
            tell { $0.webSocketViabilityDidChange(connection: $1, isViable: isViable) }
        case .closed(let number, let reason):
            state.withLockedValue { $0.pinging += 1 }
            tell { $0.webSocketDidDisconnect(connection: $1, closeCode: .init(number: number), reason: reason) }
        case .failed(let failure):
            state.withLockedValue { $0.pinging += 1 }
            tell { $0.webSocketDidReceiveError(connection: $1, error: NWError(failure)) }
        }
    }

    private func tell(_ body: @escaping @Sendable (WebSocketConnectionDelegate, NWWebSocket) -> Void) {
        queue.async { [weak self] in
            guard let self, let delegate = self.delegate else { return }
            body(delegate, self)
        }
    }

    private var endpoint: WebSocketEndpoint? {
        guard var endpoint = PusherAddress.endpoint(url: url.absoluteString) else { return nil }
        let isSubprotocol = { (header: WebSocketEndpoint.Header) in header.name.lowercased() == "sec-websocket-protocol" }
        endpoint.subprotocols = headers.filter(isSubprotocol).flatMap { header in
            header.value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        endpoint.headers = headers.filter { !isSubprotocol($0) }
        return endpoint
    }

    private static func headers(
        _ headers: [String: String], _ options: NWProtocolWebSocket.Options
    ) -> [WebSocketEndpoint.Header] {
        let own = headers.sorted { $0.key < $1.key }.map { WebSocketEndpoint.Header($0.key, $0.value) }
        #if canImport(Network)
            return own
        #else
            let subprotocols = options.subprotocols.map { WebSocketEndpoint.Header("Sec-WebSocket-Protocol", $0) }
            return own + options.headers.map { WebSocketEndpoint.Header($0.name, $0.value) } + subprotocols
        #endif
    }
}
