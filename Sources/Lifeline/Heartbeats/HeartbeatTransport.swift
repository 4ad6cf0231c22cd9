import ChatProtocol
import ConnectionEngine
import EngineRuntime
import PubNubProtocol
import PusherProtocol

/// A transport that reports heartbeats and their answers to a ``HeartbeatMeter``. It passes on all traffic without changes.
final class HeartbeatTransport<Session: ProtocolSession>: ClientTransport {
    private let base: any ClientTransport<Session>
    private let meter: HeartbeatMeter
    private let now: @Sendable () -> Moment
    /// Returns the number of a heartbeat; nil for any other outgoing message.
    private let heartbeat: @Sendable (Session.Outbound) -> UInt64?
    private let answer: @Sendable (Session.Inbound) -> UInt64?

    init(
        _ base: any ClientTransport<Session>, _ meter: HeartbeatMeter, now: @escaping @Sendable () -> Moment,
        heartbeat: @escaping @Sendable (Session.Outbound) -> UInt64?, answer: @escaping @Sendable (Session.Inbound) -> UInt64?
    ) {
        self.base = base
        self.meter = meter
        self.now = now
        self.heartbeat = heartbeat
        self.answer = answer
    }

    func open(
        _ endpoint: Session.Endpoint, attempt: AttemptID, report: @escaping @Sendable (TransportEvent<Session.Inbound>) -> Void
    ) {
        meter.began(attempt)
        base.open(endpoint, attempt: attempt) { [meter, now, answer] event in
            switch event {
            case .received(let inbound):
                if meter.isWaiting {
                    for element in inbound {
                        if let key = answer(element) { meter.answered(key, on: attempt, at: now()) }
                    }
                }
            case .closed: meter.ended(attempt)
            case .opened, .heard: break
            }
            report(event)
        }
    }

    func send(_ outbound: Session.Outbound, attempt: AttemptID) {
        if let key = heartbeat(outbound) { meter.sent(key, on: attempt, at: now()) }
        base.send(outbound, attempt: attempt)
    }

    func close(_ attempt: AttemptID, reason: CloseReason) {
        meter.ended(attempt)
        base.close(attempt, reason: reason)
    }
}

// How the heartbeats of each service, and their answers, are recognised.

extension HeartbeatTransport<PusherSession> {
    /// Pusher's heartbeats are ping control frames, sent after silence and after client events.
    static func pusher(
        _ base: any ClientTransport<PusherSession>, _ meter: HeartbeatMeter, now: @escaping @Sendable () -> Moment
    ) -> any ClientTransport<PusherSession> {
        HeartbeatTransport(base, meter, now: now, heartbeat: { number(ofPing: $0) }) { inbound in
            if case .pong(let payload) = inbound { UInt64(String(decoding: payload, as: UTF8.self)) } else { nil }
        }
    }
}

extension HeartbeatTransport<ChatSession> {
    /// Ping control frames.
    static func chat(
        _ base: any ClientTransport<ChatSession>, _ meter: HeartbeatMeter, now: @escaping @Sendable () -> Moment
    ) -> any ClientTransport<ChatSession> {
        HeartbeatTransport(base, meter, now: now, heartbeat: { number(ofPing: $0) }) { inbound in
            if case .pong(let payload) = inbound { UInt64(String(decoding: payload, as: UTF8.self)) } else { nil }
        }
    }
}

extension HeartbeatTransport<PubNubSession> {
    /// PubNub's heartbeats are requests for the server's time, which the service answers at once while it keeps the poll open.
    static func pubnub(
        _ base: any ClientTransport<PubNubSession>, _ meter: HeartbeatMeter, now: @escaping @Sendable () -> Moment
    ) -> any ClientTransport<PubNubSession> {
        HeartbeatTransport(base, meter, now: now) { outbound in
            guard case .call(let exchange) = outbound, exchange.target.hasPrefix("/time/") else { return nil }
            return exchange.id
        } answer: { inbound in
            if case .success = inbound.result { inbound.id } else { nil }
        }
    }
}

extension HeartbeatTransport where Session.Outbound == WebSocketOutbound {
    /// The number in a ping that the session has sent; nil for any other message.
    fileprivate static func number(ofPing outbound: WebSocketOutbound) -> UInt64? {
        if case .ping(let payload) = outbound { UInt64(String(decoding: payload, as: UTF8.self)) } else { nil }
    }
}
