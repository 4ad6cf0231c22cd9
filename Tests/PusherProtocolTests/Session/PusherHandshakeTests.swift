import ConnectionEngine
import PusherProtocol
import Testing

@Suite("Opening, liveness and closing (rules PS-1 to PS-8)")
struct PusherHandshakeTests {
    @Test("The target, the key's spelling and the subprotocol are as documented")
    func endpoint() {
        let script = PusherScript()
        script.handle(.connect(within: nil))
        #expect(script.endpoint?.target == "/app/Key?client=pusher-websocket-swift&version=10.1.10&protocol=7")
        #expect(script.endpoint?.subprotocols == ["pusher-channels-protocol-7"])
        let other = PusherMemory(
            key: "a/b?c ü", host: "h", port: 1, usesTLS: false, path: "/pre/fix/", clientName: "lifeline", version: "1&2")
        #expect(
            other.endpoint.target == "/pre/fix/app/a%2Fb%3Fc%20%C3%BC?client=lifeline&version=1%262&protocol=7")
    }

    @Test("Nothing is sent before the greeting; then wanted channels follow in order")
    func order() {
        let script = PusherScript()
        for channel in ["c", "a", "private-x", "b"] { script.subscribe(channel) }
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        #expect(script.sent() == [])
        script.greet()
        #expect(script.told() == ["<connecting>", "established 1.1", "<connected>"])
        #expect(script.sent() == ["c", "a", "b"].map { PusherClientFrames.subscribe(channel: $0) })
        #expect(script.jobs.map(\.job.channel) == ["private-x"])
        script.greet(socketID: "9.9")
        #expect(script.told() == [])
    }

    @Test("The greeting's data may be an object, and its timeout may be missing")
    func shapes() {
        for data in [#"{"socket_id":"1.1"}"#, #"{"socket_id":1.1,"activity_timeout":null}"#, #""{\"socket_id\":\"1.1\"}""#] {
            let script = PusherScript()
            script.handle(.connect(within: nil))
            script.handle(.opened(script.attempt))
            script.receive(#"{"event":"pusher:connection_established","data":\#(data)}"#)
            #expect(script.told().suffix(2) == ["established 1.1", "<connected>"])
        }
    }

    @Test(
        "A greeting without a usable socket id ends the attempt",
        arguments: [
            "{}", #"{"socket_id":""}"#, #"{"socket_id":"1.1\r\nX: y"}"#, #"{"socket_id":"1 1"}"#, #"{"socket_id":null}"#, "[]",
            #"{"socket_id":"é"}"#,
        ])
    func badGreeting(_ data: String) {
        let script = PusherScript()
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.receive(#"{"event":"pusher:connection_established","data":\#(data)}"#)
        #expect(script.told() == ["<connecting>", "<waiting>"])
        #expect(script.machine.snapshot.lastFailure?.category == .malformedResponse)
    }

    @Test(
        "The shorter activity timeout counts, and nonsense does not",
        arguments: [("120", 20), ("7", 7), ("0.001", 1), ("0", 20), ("-1", 20), ("1e300", 20), (#"\"9\""#, 9), ("null", 20)])
    func activity(_ timeout: String, _ seconds: Int) {
        let script = PusherScript()
        script.connect(timeout: timeout)
        script.forget()
        script.advance(.seconds(seconds) - .milliseconds(10))
        #expect(script.sent() == [])
        script.advance(.milliseconds(20))
        #expect(script.sent() == ["ping 1", PusherClientFrames.ping])
        #expect(script.told() == ["pinged"])
        script.pong("1")
        script.receive(PusherFrames.pong)
        #expect(script.told() == ["ponged"])
    }

    // Proof of P2.
    @Test("A server's ping is answered at once, also before the greeting")
    func ping() {
        let script = PusherScript()
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.receive(PusherFrames.ping)
        script.greet()
        script.receive(#"{"event":"pusher:ping"}"#)
        #expect(script.sent() == [PusherClientFrames.pong, PusherClientFrames.pong])
    }

    @Test("What is no message is reported, and the connection goes on")
    func malformed() {
        let script = PusherScript.connected("a")
        script.confirm("a")
        script.forget()
        script.receive("{oops")
        script.receive(#"{"data":1}"#)
        script.receive(PusherFrames.event(name: "e", channel: "a", data: "1"))
        #expect(script.told() == ["malformed", "malformed", "message a e 1"])
    }

    @Test("The text of frames is told only when the decoder keeps it")
    func frames() {
        var decoder = PusherFrameDecoder(keepsText: { true })
        let text = #"{"event":"e","data":"1"}"#
        guard case .message(let envelope, let kept) = Array(text.utf8).withUnsafeBytes({ decoder.text($0) }) else {
            Issue.record("no message")
            return
        }
        #expect(kept == text)
        let script = PusherScript.connected()
        script.forget()
        script.handle(.received(script.attempt, .message(envelope, text: kept)))
        #expect(script.told() == ["frame " + text, "message - e 1"])
        guard case .malformed = [UInt8](repeating: 0, count: 3).withUnsafeBytes({ decoder.binary($0) }) else {
            Issue.record("binary accepted")
            return
        }
    }

    @Test(
        "Close codes go by their range",
        arguments: [
            (4000, .refused, .failed), (4001, .refused, .failed), (4002, .refused, .failed), (4009, .accessDenied, .failed),
            (4099, .refused, .failed), (4100, .overloaded, .waiting), (4199, .overloaded, .waiting),
            (4200, .serverRestart, .waiting), (4201, .serverRestart, .waiting), (4299, .serverRestart, .waiting),
            (4300, .unexpectedDisconnect, .waiting), (4999, .unexpectedDisconnect, .waiting),
            (1000, .unexpectedDisconnect, .waiting), (1001, .serverRestart, .waiting), (1012, .serverRestart, .waiting),
            (1002, .malformedResponse, .waiting), (1007, .malformedResponse, .waiting), (1009, .malformedResponse, .waiting),
            (1013, .overloaded, .waiting), (3000, .unexpectedDisconnect, .waiting), (nil, .unexpectedDisconnect, .waiting),
        ] as [(Int?, StatusCategory, ConnectionPhase)])
    func closeCodes(_ code: Int?, _ category: StatusCategory, _ phase: ConnectionPhase) {
        let script = PusherScript.connected()
        script.close(code)
        #expect(script.machine.snapshot.phase == phase)
        #expect(script.machine.snapshot.lastFailure?.category == category)
        #expect(script.machine.snapshot.lastFailure?.closeCode == code)
        #expect(script.machine.snapshot.lastFailure?.origin == (code == nil ? .local : .server))
    }

    @Test("An error before the greeting is told, and is the reason when the close has none")
    func earlyError() {
        for code in [4001, nil] {
            let script = PusherScript()
            script.handle(.connect(within: nil))
            script.handle(.opened(script.attempt))
            script.receive(PusherFrames.error(code: 4001, message: "App does not exist"))
            script.close(code)
            #expect(script.told() == ["<connecting>", "error 4001 App does not exist", "<failed>"])
            #expect(script.machine.snapshot.lastFailure?.closeCode == 4001)
            #expect(script.machine.snapshot.lastFailure?.reason == "App does not exist")
        }
    }

    @Test("Errors are read in every shape, a routine restart is none, and none lasts")
    func errors() {
        let script = PusherScript.connected()
        script.forget()
        script.receive(#"{"event":"pusher:error","data":"{\"code\":4301,\"message\":\"slow down\"}"}"#)
        script.receive(#"{"event":"pusher:error","data":{"message":"m"}}"#)
        script.receive(#"{"event":"pusher:error"}"#)
        script.receive(PusherFrames.error(code: 4200, message: "restarting"))
        #expect(script.told() == ["error 4301 slow down", "error - m", "error - "])
        // Not a restart, but something that Reverb would not take.
        script.receive(PusherFrames.ping)
        #expect(script.told() == ["error 4200 restarting"])
        script.receive(PusherFrames.ping)
        #expect(script.told() == [])
        script.close(nil)
        #expect(script.machine.snapshot.lastFailure?.category == .unexpectedDisconnect)
        // Said and then hung up: that was the reason.
        script.handle(.connect(within: nil))
        script.open()
        script.receive(PusherFrames.error(code: 4200, message: "restarting"))
        script.close(nil)
        #expect(script.machine.snapshot.lastFailure?.category == .serverRestart)
        // A refusal of one channel does not end the connection for good.
        script.handle(.connect(within: nil))
        script.open()
        script.receive(PusherFrames.error(code: 4009, message: "not authorized"))
        script.close(nil)
        #expect(script.machine.snapshot.phase == .waiting)
    }
}
