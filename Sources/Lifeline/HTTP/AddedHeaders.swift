import ClientRuntime
import ConnectionEngine
import EngineRuntime
import HTTPTransport

// Adding the client's own header fields (rule LL-29) to HTTP requests, WebSocket connections and long-polls.

/// Adds header fields to each HTTP request.
struct HeaderedHTTP: HTTPSending {
    let base: any HTTPSending
    let fields: [HTTPField]

    init(_ base: any HTTPSending, _ headers: [String: String]) {
        self.base = base
        fields = headers.sorted { $0.key < $1.key }.map { HTTPField($0.key, $0.value) }
    }

    func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPCallAnswer {
        if fields.isEmpty { return try await base.send(call, timeout: timeout) }
        var call = call
        call.headers += fields
        return try await base.send(call, timeout: timeout)
    }
}

/// Adds header fields to the session's long-polls, calls and WebSocket upgrades.
final class HeaderedTransport<Session: ProtocolSession>: ClientTransport {
    private let base: any ClientTransport<Session>
    private let endpoint: @Sendable (Session.Endpoint) -> Session.Endpoint
    private let outbound: @Sendable (Session.Outbound) -> Session.Outbound

    private init(
        _ base: any ClientTransport<Session>, endpoint: @escaping @Sendable (Session.Endpoint) -> Session.Endpoint,
        outbound: @escaping @Sendable (Session.Outbound) -> Session.Outbound
    ) {
        self.base = base
        self.endpoint = endpoint
        self.outbound = outbound
    }

    func open(
        _ endpoint: Session.Endpoint, attempt: AttemptID, report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void
    ) {
        base.open(self.endpoint(endpoint), attempt: attempt, report: report)
    }

    func send(_ outbound: Session.Outbound, attempt: AttemptID) { base.send(self.outbound(outbound), attempt: attempt) }

    func close(_ attempt: AttemptID, reason: CloseReason) { base.close(attempt, reason: reason) }
}

extension HeaderedTransport where Session.Endpoint == WebSocketEndpoint {
    /// A transport that adds header fields to each WebSocket upgrade.
    static func webSocket(
        _ base: any ClientTransport<Session>, _ headers: [String: String]
    ) -> any ClientTransport<Session> {
        if headers.isEmpty { return base }
        let fields = headers.sorted { $0.key < $1.key }.map { WebSocketEndpoint.Header($0.key, $0.value) }
        return HeaderedTransport(
            base,
            endpoint: { endpoint in
                var endpoint = endpoint
                endpoint.headers += fields
                return endpoint
            }, outbound: { $0 })
    }
}

extension HeaderedTransport where Session.Outbound == LongPollOutbound {
    /// A transport that adds header fields to each long-poll and each call.
    static func longPoll(
        _ base: any ClientTransport<Session>, _ headers: [String: String]
    ) -> any ClientTransport<Session> {
        if headers.isEmpty { return base }
        let fields = headers.sorted { $0.key < $1.key }.map { HTTPExchange.Header($0.key, $0.value) }
        return HeaderedTransport(
            base, endpoint: { $0 },
            outbound: { outbound in
                switch outbound {
                case .poll(var exchange):
                    exchange.headers += fields
                    return .poll(exchange)
                case .renewPoll(var exchange):
                    exchange.headers += fields
                    return .renewPoll(exchange)
                case .call(var exchange):
                    exchange.headers += fields
                    return .call(exchange)
                case .cancelPoll: return .cancelPoll
                }
            })
    }
}
