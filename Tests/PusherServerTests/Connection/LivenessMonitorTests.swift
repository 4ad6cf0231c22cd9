import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Liveness, socket ids and admission as values (SP-2, SP-12, SV-3)", .timeLimit(.minutes(1)))
struct LivenessMonitorTests {
    private func check(_ liveness: inout LivenessMonitor, at seconds: Int64) -> LivenessMonitor.Verdict {
        liveness.check(at: .seconds(seconds), silence: .seconds(150), pongTimeout: .seconds(30))
    }

    @Test("The server asks 30 s after the client should have, once, and gives up after another 30 s")
    func silence() {
        var liveness = LivenessMonitor(at: .seconds(0))
        #expect(check(&liveness, at: 149) == .alive)
        #expect(check(&liveness, at: 150) == .ask)
        #expect(check(&liveness, at: 179) == .alive)
        #expect(check(&liveness, at: 180) == .dead)
    }

    @Test("Any byte starts the time anew")
    func heard() {
        var liveness = LivenessMonitor(at: .seconds(0))
        _ = check(&liveness, at: 150)
        liveness.hear(at: .seconds(179))
        #expect(check(&liveness, at: 180) == .alive)
        #expect(check(&liveness, at: 328) == .alive)
        #expect(check(&liveness, at: 329) == .ask)
    }

    @Test("A server that was asleep asks before it gives up")
    func asleep() {
        var liveness = LivenessMonitor(at: .seconds(0))
        #expect(check(&liveness, at: 10_000) == .ask)
        #expect(check(&liveness, at: 10_029) == .alive)
        #expect(check(&liveness, at: 10_030) == .dead)
    }

    @Test("A socket id reads back from its text, and from no other spelling")
    func socketID() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<100 {
            let id = SocketID(using: &random)
            #expect(SocketID(id.description) == id)
        }
        for text in ["", ".", "1", "1.", ".1", "01.1", "1.01", "+1.1", "1.1.1", "1.-1", "a.b", "1 .1", "99999999999999999999.1"] {
            #expect(SocketID(text) == nil)
        }
    }

    @Test("Admission counts what comes and goes, for each application and in all")
    func admission() {
        var admission = Admission(maximumConnections: 3)
        let (a, b) = (ApplicationName(.pusher, "a"), ApplicationName(.pusher, "b"))
        #expect(admission.open(a, limit: 1) == .admitted)
        #expect(admission.open(a, limit: 1) == .overQuota)
        #expect(admission.open(b, limit: nil) == .admitted)
        #expect(admission.open(b, limit: nil) == .admitted)
        #expect(admission.open(b, limit: nil) == .overCapacity)
        admission.close(a)
        #expect(admission.open(a, limit: 1) == .admitted)
        admission.drain()
        admission.close(a)
        #expect(admission.open(a, limit: 1) == .draining)
        let isOpen = admission.openSocket()
        #expect(!isOpen)
    }
}
