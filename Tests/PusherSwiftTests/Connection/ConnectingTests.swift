import ConnectionEngine
import PusherProtocol
import Testing

@testable import PusherSwift

/// Connecting, losing and coming back, through the real session on a scripted socket. Rules PA-1, PA-2, PA-5 and PA-8 to PA-16.
struct ConnectingTests {
    private let fixture = Fixture()

    @Test func `connecting dials once and tells two changes`() {
        #expect(fixture.connection.connectionState == .disconnected)
        fixture.pusher.connect()
        fixture.pusher.connect()
        #expect(fixture.connection.connectionState == .connecting && fixture.transport.dials == 1)
        fixture.greet()
        #expect(fixture.connection.connectionState == .connected)
        #expect(fixture.connection.socketId == Fixture.socketID)
        #expect(fixture.delegate.states == ["disconnected→connecting", "connecting→connected"])
    }

    @Test func `it dials what the options say`() throws {
        let options = PusherClientOptions(host: .host("h"), port: 6001, useTLS: false)
        let fixture = Fixture(key: "k", options: options)
        fixture.pusher.connect()
        guard case .open(_, let endpoint)? = fixture.transport.calls.first else {
            Issue.record("nothing was dialled")
            return
        }
        #expect(endpoint.host == "h" && endpoint.port == 6001 && !endpoint.usesTLS)
        #expect(endpoint.target == "/app/k?client=pusher-websocket-swift&version=10.1.10&protocol=7&recovery=1")
        #expect(fixture.connection.url == "ws://h:6001/app/k?client=pusher-websocket-swift&version=10.1.10&protocol=7")
    }

    // Proof of U12.
    @Test func `connecting and disconnecting tell four changes`() {
        fixture.connect()
        let channel = fixture.pusher.subscribe("a")
        fixture.confirm("a")
        #expect(channel.subscribed)
        fixture.pusher.disconnect()
        #expect(fixture.connection.connectionState == .disconnecting)
        fixture.lose(code: 1000)
        #expect(
            fixture.delegate.states == [
                "disconnected→connecting", "connecting→connected", "connected→disconnecting", "disconnecting→disconnected",
            ])
        #expect(!channel.subscribed && fixture.connection.socketId == nil && fixture.timers.runningCount == 0)
        #expect(fixture.connection.channels.find(name: "a") === channel)
    }

    // Proof of U12.
    @Test func `4009 ends the connection for good`() {
        fixture.connect()
        fixture.lose(code: 4009)
        #expect(fixture.delegate.states.suffix(1) == ["connected→disconnected"] && fixture.delegate.states.count == 3)
        #expect(fixture.timers.runningCount == 0)
    }

    @Test(arguments: [4000, 4001, 4003, 4004, 4099])
    func `codes of the first range end it for good, with an error`(code: Int) {
        fixture.connect()
        fixture.lose(code: code)
        #expect(fixture.connection.connectionState == .disconnected)
        #expect(fixture.delegate.lines.last == "error \(code): closed")
    }

    // Proof of U12.
    @Test(arguments: [4100, 4200, 4201, 4202, 4210, 4299])
    func `codes of the ranges after it come back even without autoReconnect`(code: Int) {
        let fixture = Fixture(options: PusherClientOptions(autoReconnect: false))
        fixture.connect()
        fixture.lose(code: code)
        #expect(fixture.connection.connectionState == .reconnecting)
        fixture.timers.advanceToNext()
        fixture.greet()
        #expect(
            fixture.delegate.states == [
                "disconnected→connecting", "connecting→connected", "connected→reconnecting", "reconnecting→connecting",
                "connecting→connected",
            ])
    }

    @Test(arguments: [nil, 1001, 1006])
    func `without autoReconnect a loss ends it`(code: Int?) {
        let fixture = Fixture(options: PusherClientOptions(autoReconnect: false))
        fixture.connect()
        fixture.lose(code: code)
        #expect(fixture.delegate.states.last == "connected→disconnected")
    }

    @Test func `autoReconnect can be switched off later`() {
        fixture.connect()
        fixture.connection.options = PusherClientOptions(autoReconnect: false)
        fixture.lose()
        #expect(fixture.connection.connectionState == .disconnected)
    }

    @Test func `attempts are counted, limited, and start over after a success`() {
        fixture.connection.reconnectAttemptsMax = 2
        fixture.connect()
        fixture.lose()
        #expect(fixture.connection.reconnectAttempts == 1)
        fixture.timers.advanceToNext()
        fixture.greet()
        #expect(fixture.connection.reconnectAttempts == 0)
        fixture.timers.advance(by: .seconds(10))
        fixture.lose()
        for _ in 0..<2 {
            #expect(fixture.connection.connectionState == .reconnecting)
            fixture.timers.advanceToNext()
            fixture.lose()
        }
        #expect(fixture.connection.connectionState == .disconnected && fixture.timers.runningCount == 0)
        #expect(fixture.delegate.log.contains("[PUSHER WARNING] Max reconnect attempts reached"))
    }

    // Proof of PA-2.
    @Test func `disconnecting works while connecting and while waiting`() {
        fixture.pusher.connect()
        fixture.pusher.disconnect()
        #expect(fixture.connection.connectionState == .disconnected && fixture.transport.live.isEmpty)
        fixture.connect()
        fixture.lose()
        fixture.pusher.disconnect()
        #expect(fixture.connection.connectionState == .disconnected && fixture.timers.runningCount == 0)
        #expect(!fixture.timers.advanceToNext() && fixture.transport.dials == 2)
    }

    @Test func `connecting while waiting tries at once`() {
        fixture.connect()
        fixture.lose()
        fixture.pusher.connect()
        #expect(fixture.connection.connectionState == .connecting && fixture.transport.dials == 2)
    }

    // Proof of PA-42.
    @Test func `a silent link is probed and given up, and the old socket is closed`() {
        fixture.connect()
        let old = fixture.transport.live
        fixture.timers.advance(by: .seconds(20))
        fixture.settle()
        #expect(fixture.delegate.log.last == "[PUSHER DEBUG] Ping sent")
        #expect(fixture.connection.connectionState == .connected)
        fixture.timers.advance(by: .seconds(5))
        #expect(fixture.connection.connectionState == .reconnecting)
        #expect(!old.isEmpty && fixture.transport.live.isEmpty)
    }

    // Proof of PA-15.
    @Test func `the server's timeout counts when it is shorter, the app's when it is set`() {
        fixture.pusher.connect()
        fixture.greet(activityTimeout: 7)
        fixture.timers.advance(by: .seconds(7))
        fixture.settle()
        #expect(fixture.delegate.log.last == "[PUSHER DEBUG] Ping sent")
        let patient = Fixture(options: PusherClientOptions(activityTimeout: 50))
        patient.connection.pongResponseTimeoutInterval = 9
        patient.connect()
        patient.timers.advance(by: .seconds(49))
        patient.settle()
        #expect(!patient.delegate.log.contains("[PUSHER DEBUG] Ping sent"))
        patient.timers.advance(by: .seconds(9))
        #expect(patient.connection.connectionState == .connected)
        patient.timers.advance(by: .seconds(1))
        #expect(patient.connection.connectionState == .reconnecting)
    }

    @Test func `a ping of the server is answered`() {
        fixture.connect()
        fixture.receive(#"{"event":"pusher:ping","data":{}}"#)
        #expect(fixture.sent == [#"{"event":"pusher:pong","data":{}}"#])
    }

    @Test func `errors of the server reach the delegate, with data as an object or as text`() {
        fixture.connect()
        let data = #"{"message":"Application is over connection quota","code":4004}"#
        fixture.receive(#"{"event":"pusher:error","data":\#(data)}"#)
        fixture.receive(#"{"event":"pusher:error","data":\#(AnyJSON.quote(data))}"#)
        let line = "error 4004: Application is over connection quota"
        #expect(fixture.delegate.lines.suffix(2) == [line, line])
    }

    // Proof of U12.
    @Test func `frames are logged as they came`() {
        fixture.connect()
        fixture.receive(#"{"event" : "test-event"}"#)
        #expect(fixture.delegate.log.last == #"[PUSHER DEBUG] websocketDidReceiveMessage {"event" : "test-event"}"#)
        fixture.receive("no JSON")
        #expect(fixture.delegate.log.last?.hasPrefix("[PUSHER ERROR] Unable to handle incoming Websocket message") == true)
        #expect(fixture.connection.connectionState == .connected)
    }

    @Test func `an address that is none is an error and nothing is dialled`() {
        let fixture = Fixture(options: PusherClientOptions(host: .host("two words"), port: 1))
        fixture.pusher.connect()
        fixture.settle()
        #expect(fixture.delegate.lines == ["error The connection's url is not a valid WebSocket URL."])
        #expect(fixture.transport.calls.isEmpty && fixture.connection.connectionState == .disconnected)
    }

    // Proof of PA-8.
    @Test func `callbacks that block delay no heartbeat`() {
        fixture.connect()
        fixture.queue.suspend()
        fixture.timers.advance(by: .seconds(20))
        #expect(fixture.transport.sent.contains { if case .ping = $0 { true } else { false } })
        fixture.timers.advance(by: .seconds(1))
        fixture.transport.report(.heard)
        fixture.timers.advance(by: .seconds(4))
        #expect(fixture.connection.connectionState == .connected)
        fixture.queue.resume()
    }

    @Test func `events that callbacks cannot keep up with are dropped, counted and told`() {
        let notebook = Notebook()
        fixture.pusher.subscribe("a").bind(eventName: "e") { _ in notebook.note("e") }
        fixture.connect()
        fixture.confirm("a")
        fixture.queue.suspend()
        var decoder = PusherFrameDecoder()
        var text = #"{"event":"e","channel":"a","data":"1"}"#
        for _ in 0..<(Fixture.backlog + 7) {
            let inbound = text.withUTF8 { decoder.text(UnsafeRawBufferPointer($0)) }
            if let inbound { fixture.transport.report(.received([inbound])) }
        }
        fixture.queue.resume()
        fixture.settle()
        #expect(notebook.lines.count == Fixture.backlog)
        #expect(fixture.delegate.lines.last == "error Events were dropped because callbacks are too slow: 7")
    }

    // Proof of PA-8.
    @Test func `errors and counts that callbacks cannot keep up with are dropped too`() {
        fixture.pusher.subscribe("a")
        fixture.connect()
        fixture.confirm("a")
        fixture.settle()
        fixture.queue.suspend()
        var decoder = PusherFrameDecoder()
        let frames = [
            #"{"event":"pusher:error","data":{"code":4301,"message":"slow down"}}"#, "no JSON",
            #"{"event":"pusher_internal:subscription_count","channel":"a","data":"{\"subscription_count\":1}"}"#,
        ]
        for number in 0..<(Fixture.backlog + 7) {
            var text = frames[number % frames.count]
            let inbound = text.withUTF8 { decoder.text(UnsafeRawBufferPointer($0)) }
            if let inbound { fixture.transport.report(.received([inbound])) }
        }
        fixture.queue.resume()
        fixture.settle()
        #expect(fixture.delegate.lines.last == "error Events were dropped because callbacks are too slow: 7")
    }

    // Proof of PA-42.
    @Test func `news of the network probes a link and ends a wait`() {
        #expect(fixture.network.hosts == ["ws.pusherapp.com"])
        fixture.connect()
        fixture.network.tell(.unavailable)
        #expect(fixture.transport.sent.contains { if case .ping = $0 { true } else { false } })
        fixture.lose()
        #expect(fixture.connection.connectionState == .reconnecting && fixture.connection.reconnectAttempts == 0)
        fixture.network.tell(.available)
        #expect(fixture.connection.connectionState == .connecting && fixture.transport.dials == 2)
    }
}
