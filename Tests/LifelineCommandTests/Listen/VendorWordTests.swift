import ConnectionEngine
import Lifeline
import Testing

@testable import LifelineCommand

@Suite("The services' own names of a status")
struct VendorWordTests {
    private func word(_ phase: ConnectionPhase, _ category: StatusCategory, of service: ServiceKind) -> String? {
        ListenLine.Status(ConnectionStatus(phase: phase, category: category), of: service)?.vendor
    }

    @Test("CL-11: PubNub's categories")
    func pubNub() {
        let expected: [(ConnectionPhase, StatusCategory, String?)] = [
            (.connecting, .connecting, nil), (.connected, .connected, "PNConnectedCategory"),
            (.connected, .reconnected, "PNReconnectedCategory"), (.waiting, .timeout, "PNUnexpectedDisconnectCategory"),
            (.suspended, .networkUnavailable, "PNUnexpectedDisconnectCategory"),
            (.waiting, .malformedResponse, "PNUnexpectedDisconnectCategory"),
            (.waiting, .accessDenied, "PNAccessDeniedCategory"),
            (.failed, .malformedFilter, "PNMalformedFilterExpressionCategory"),
            (.failed, .requestTooLong, "PNRequestURITooLongCategory"), (.failed, .badRequest, "PNBadRequestCategory"),
            (.failed, .timeout, "PNUnexpectedDisconnectCategory"), (.disconnecting, .disconnected, "PNDisconnectedCategory"),
            (.disconnected, .disconnected, "PNDisconnectedCategory"),
        ]
        for (phase, category, name) in expected { #expect(word(phase, category, of: .pubnub) == name, "\(phase) \(category)") }
    }

    @Test("CL-2: Pusher's states")
    func pusher() {
        #expect(word(.connecting, .connecting, of: .pusher) == "connecting")
        #expect(word(.waiting, .timeout, of: .pusher) == "reconnecting")
        #expect(word(.failed, .refused, of: .pusher) == "disconnected")
    }

    @Test("CL-17: Nexconn's names and numbers")
    func nexconn() {
        func word(_ phase: ConnectionPhase, _ category: StatusCategory, after previous: ConnectionPhase) -> String? {
            let status = ConnectionStatus(previous: previous, phase: phase, category: category)
            return ListenLine.Status(status, of: .nexconn)?.vendor
        }
        #expect(word(.connecting, .connecting, after: .idle) == "connecting 10")
        #expect(word(.connected, .connected, after: .connecting) == "connected 0")
        #expect(word(.waiting, .timeout, after: .connected) == "suspend 13")
        #expect(word(.waiting, .networkUnavailable, after: .connecting) == "networkUnavailable 1")
        #expect(word(.failed, .kicked, after: .connected) == "kickedOfflineByOtherClient 6")
        #expect(word(.failed, .credentialsRejected, after: .connecting) == "tokenIncorrect 15")
        #expect(word(.disconnected, .disconnected, after: .disconnecting) == "signOut 12")
    }

    @Test("A status without a name of the service's has null in its place")
    func null() throws {
        let status = try #require(
            ListenLine.Status(ConnectionStatus(phase: .connecting, category: .connecting), of: .pubnub))
        let line = ListenLine(at: .zero, subscriber: "a", content: .status(status))
        #expect(line.json { _ in "T" }.hasSuffix(#""vendor":null}"#))
    }
}
