import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Times of single channels, and what a failure says (rules PS-33, PS-34)")
struct PusherTimeoutTests {
    private static func script(_ channel: String, _ timeout: Duration?) -> PusherScript {
        let script = PusherScript()
        script.perform(.subscribe(PusherSubscription(channel: channel, timeout: timeout)))
        script.connect()
        script.forget()
        return script
    }

    @Test(
        "A channel's time counts for the confirmation, within bounds, and the failure says how long was waited",
        arguments: [
            (Duration.milliseconds(700), 700), (.zero, 100), (.seconds(-3), 100), (nil, 10_000), (.seconds(15), 15_000),
            (.seconds(1_000_000), 300_000),
        ] as [(Duration?, Int)])
    func confirmation(_ timeout: Duration?, _ milliseconds: Int) {
        let script = Self.script("a", timeout)
        PusherUserTests.wait(script, .milliseconds(milliseconds - 10))
        #expect(script.told().filter { $0.contains("failed") } == [])
        PusherUserTests.wait(script, .milliseconds(20))
        #expect(script.told().filter { $0.contains("failed") } == ["failed a timeout retry"])
    }

    @Test("It counts for the authorisation too, and whoever authorises is told")
    func authorisation() {
        let script = PusherScript()
        script.perform(.subscribe(PusherSubscription(channel: "private-a", timeout: .milliseconds(300))))
        script.subscribe("private-b")
        script.connect()
        #expect(script.jobs.map(\.job.limit) == [.milliseconds(300), nil])
        script.forget()
        script.advance(.milliseconds(310))
        #expect(script.told() == ["failed private-a timeout retry"])
        script.authorize(.success(PusherAuthorization(auth: "k:s")))
    }

    @Test("The reason names the time that was waited")
    func reason() {
        var effects: [Effect<PusherSession>] = []
        let script = Self.script("a", .milliseconds(250))
        var machine = script.machine
        let timer = script.running.map(\.id)
        for id in timer { machine.handle(.timerFired(id), at: script.now + .milliseconds(260), into: &effects) }
        let reasons = effects.compactMap { effect -> String? in
            if case .deliver(.subscriptionFailed(_, let failure, _, _)) = effect { failure.reason } else { nil }
        }
        #expect(reasons == ["The server's confirmation did not arrive within 0.25 s."])
    }

    @Test("The status of an authorisation comes through, and the body of a refusal up to 1 KiB")
    func statusAndBody() {
        let script = PusherScript.connected("private-a", "b")
        script.forget()
        script.authorize(.failure(ConnectionFailure(.unknown, "no", httpStatus: 503)))
        #expect(script.told() == ["failed private-a unknown 503 retry"])
        let words = String(repeating: "é", count: 2000)
        script.receive(PusherFrames.error(code: nil, message: words, channel: "b"))
        let told = script.told()
        #expect(told.count == 2)
        let body = told.first?.dropFirst("failed b badRequest ".count) ?? ""
        #expect(body.utf8.count <= 1026 && body.utf8.count >= 1024)
        #expect(body.hasPrefix(#"{"code":null,"message":"éé"#))
    }
}
