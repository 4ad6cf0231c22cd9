import Foundation
import NIOConcurrencyHelpers

@testable import PusherSwift

#if canImport(Network)
    import Network
#endif

/// A mock as tests of apps have it: a subclass that answers within its calls, the greeting first and `webSocketDidConnect` after it.
class MockSocket: NWWebSocket, @unchecked Sendable {
    private struct State {
        var calls: [String] = []
        var sent: [String] = []
        var answer: (@Sendable (String) -> [String])?
        var opens = true
    }

    private let state = NIOLockedValueBox(State())

    /// What was called, without what was sent.
    var calls: [String] { state.withLockedValue { $0.calls } }
    /// The text that was sent, in order.
    var sent: [String] { state.withLockedValue { $0.sent } }

    init() {
        super.init(url: URL(fileURLWithPath: "test"))
    }

    /// What comes back for a frame. Without an answer of its own a mock confirms every subscription.
    func answer(_ answer: @escaping @Sendable (String) -> [String]) {
        state.withLockedValue { $0.answer = answer }
    }

    /// Dials lead nowhere from now on.
    func staySilent() {
        state.withLockedValue { $0.opens = false }
    }

    static func greeting(_ id: String = Fixture.socketID) -> String {
        #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"\#(id)\",\"activity_timeout\":120}"}"#
    }

    static func confirmation(of frame: String) -> [String] {
        guard let object = try? JSONSerialization.jsonObject(with: Data(frame.utf8)) as? [String: Any],
            object["event"] as? String == "pusher:subscribe", let data = object["data"] as? [String: Any],
            let channel = data["channel"] as? String
        else { return [] }
        return [#"{"event":"pusher_internal:subscription_succeeded","channel":"\#(channel)","data":"{}"}"#]
    }

    override func connect() {
        let opens = state.withLockedValue { state in
            state.calls.append("connect")
            return state.opens
        }
        guard opens else { return }
        delegate?.webSocketDidReceiveMessage(connection: self, string: Self.greeting())
        delegate?.webSocketDidConnect(connection: self)
    }

    override func send(string: String) {
        let answer = state.withLockedValue { state in
            state.sent.append(string)
            return state.answer
        }
        for text in answer?(string) ?? Self.confirmation(of: string) {
            delegate?.webSocketDidReceiveMessage(connection: self, string: text)
        }
    }

    override func ping() {
        state.withLockedValue { $0.calls.append("ping") }
    }

    override func disconnect(closeCode: NWProtocolWebSocket.CloseCode = .protocolCode(.normalClosure)) {
        state.withLockedValue { $0.calls.append("disconnect \(closeCode.number)") }
        delegate?.webSocketDidDisconnect(connection: self, closeCode: closeCode, reason: nil)
    }
}
