import ChatProtocol
import ConnectionEngine
import Testing

@Suite("Status numbers (rules NP-1 to NP-4)")
struct ChatStatusCodeTests {
    private func code(
        _ phase: ConnectionPhase, _ category: StatusCategory, from previous: ConnectionPhase = .connecting
    ) -> ChatStatusCode {
        ChatStatusCode(change: ConnectionChange(previous: previous, phase: phase, category: category, at: .zero))
    }

    @Test("The numbers are those of the seed's table")
    func numbers() {
        #expect(Set(ChatStatusCode.allCases.map(\.rawValue)) == [-1, 0, 1, 6, 10, 11, 12, 13, 14, 15, 16, 17, 19])
        #expect(Set(ChatStatusCode.allCases.map(\.name)).count == 13)
    }

    @Test("A connection that comes up and is ended")
    func life() {
        #expect(code(.idle, .disconnected) == .unconnected)
        #expect(code(.connecting, .connecting) == .connecting)
        #expect(code(.connected, .connected) == .connected)
        #expect(code(.connected, .reconnected) == .connected)
        #expect(code(.disconnecting, .disconnected, from: .connected) == .signOut)
        #expect(code(.disconnected, .disconnected, from: .disconnecting) == .signOut)
    }

    @Test("A live link that is lost is suspended; an attempt that fails goes on connecting")
    func waiting() {
        for category in [StatusCategory.unexpectedDisconnect, .timeout] {
            #expect(code(.waiting, category, from: .connected) == .suspend)
            #expect(code(.waiting, category, from: .connecting) == .connecting)
        }
        for category in [StatusCategory.overloaded, .serverRestart, .malformedResponse] {
            #expect(code(.waiting, category, from: .connected) == .connecting)
        }
        #expect(code(.waiting, .unknown) == .unknown)
    }

    @Test("No network, no TLS and no way out are an unavailable network")
    func network() {
        for category in [StatusCategory.networkUnavailable, .tlsFailed, .tlsUntrusted] {
            #expect(code(.waiting, category) == .networkUnavailable)
            #expect(code(.waiting, category, from: .connected) == .networkUnavailable)
        }
        #expect(code(.suspended, .networkUnavailable, from: .connected) == .networkUnavailable)
    }

    @Test(
        "What ends a connection for good has its own number",
        arguments: [
            (StatusCategory.kicked, 6), (.timeout, 14), (.credentialsRejected, 15), (.banned, 16), (.proxyUnavailable, 17),
            (.accountDeleted, 19), (.refused, 11), (.unknown, 11), (.networkUnavailable, 11),
        ])
    func failed(category: StatusCategory, number: Int) {
        let status = code(.failed, category)
        #expect(status.rawValue == number)
        #expect(status.isFinal)
    }

    @Test("What goes on by itself is not final")
    func notFinal() {
        #expect(ChatStatusCode.allCases.filter { !$0.isFinal }.map(\.rawValue) == [-1, 0, 1, 10, 13])
    }
}
