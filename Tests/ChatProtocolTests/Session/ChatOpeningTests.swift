import ChatProtocol
import ConnectionEngine
import Testing

/// The first frames of a connection. Rules NS-1 to NS-7.
@Suite struct ChatOpeningTests {
    @Test func `A session says hello and is up once it is welcomed`() {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        #expect(script.endpoint?.target == "/nexconn/v1")
        #expect(script.endpoint?.subprotocols == ["nexconn.lifeline.v1"])
        script.handle(.opened(script.attempt))
        #expect(script.sent() == ["hello token -"])
        #expect(script.told() == ["<connecting>"])
        script.welcome()
        #expect(script.told() == ["welcome ann", "<connected>"])
        script.receive(ChatServerFrames.package([], hasMore: false))
        #expect(script.told() == ["caught up"])
        #expect(script.sent() == [], "an empty package is not acknowledged")
        #expect(script.machine.memory.user == "ann")
    }

    @Test func `Hello carries the place, the new token and whether the device yields`() {
        let script = ChatSessionScript(yields: true, resume: ChatPlace(epoch: "e", sequence: 17))
        script.submit(.setToken("newer"))
        script.connect(q: 17)
        #expect(script.sent() == ["hello newer e/17 yielding"])
    }

    @Test func `Only a connection that replaces a lost one says so`() {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        script.close(nil)
        script.handle(.connect(within: nil))
        script.open()
        #expect(script.sent() == ["hello token -"], "the first attempt came to nothing, so no link was lost")
        script.close(nil)
        script.handle(.connect(within: nil))
        script.close(nil)
        script.handle(.connect(within: nil))
        script.open()
        #expect(script.sent() == ["hello token e/0 again"])
        script.handle(.disconnect)
        script.connect()
        #expect(script.sent() == ["leave", "hello token e/0"])
    }

    @Test func `A disconnect between the loss and the next attempt makes that one asked for`() {
        let script = ChatSessionScript.connected()
        script.close(nil)
        script.handle(.disconnect)
        script.connect()
        #expect(script.sent() == ["hello token e/0"])
    }

    @Test func `After a kick a new connection is asked for as well`() {
        let script = ChatSessionScript.connected()
        script.bye(31010)
        script.connect()
        #expect(script.sent() == ["hello token e/0"])
    }

    @Test func `Nothing counts before the welcome, and a second one does not count`() {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.forget()
        script.event(4)
        script.package([5], more: false)
        script.openMessage(6)
        #expect(script.told() == [])
        script.welcome()
        script.welcome(q: 9)
        #expect(script.told() == ["welcome ann", "<connected>"])
        #expect(script.machine.memory.resume == ChatPlace(epoch: "e", sequence: 0))
    }

    @Test func `A server that does not welcome is left after the open limit`() {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.advance(.seconds(3))
        #expect(script.changes.contains { $0.phase == .waiting && $0.category == .timeout })
    }

    @Test func `The server's heartbeat limits the silence, and each ping has its number`() {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.welcome(heartbeat: 1)
        script.receive(ChatServerFrames.package([], hasMore: false))
        script.forget()
        script.advance(.milliseconds(999))
        #expect(script.sent() == [])
        script.advance(.milliseconds(1))
        #expect(script.sent() == ["ping 1"])
        script.advance(.milliseconds(1))
        script.handle(.received(script.attempt, .pong(Array("1".utf8))))
        script.advance(.seconds(1))
        #expect(script.sent() == ["ping 2"])
        script.advance(.milliseconds(999))
        #expect(script.told() == [])
        script.advance(.milliseconds(1))
        #expect(script.changes.contains { $0.phase == .waiting && $0.category == .timeout })
    }

    @Test(arguments: [Int.min, -1, 0, .max])
    func `A heartbeat beyond reason is clamped`(heartbeat: Int) {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.welcome(heartbeat: heartbeat)
        #expect(script.machine.snapshot.phase == .connected)
    }

    @Test func `The goodbye says whether notifications are to stop, and goes after the acknowledgement`() {
        let script = ChatSessionScript.connected()
        script.event(1)
        script.acknowledge(1)
        script.submit(.leave(disablePush: true))
        script.handle(.disconnect)
        #expect(script.sent() == ["ack 1", "leave for good"])
    }
}
