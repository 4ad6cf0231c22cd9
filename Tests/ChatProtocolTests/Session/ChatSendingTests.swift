import ChatProtocol
import ConnectionEngine
import Testing

/// Messages and what becomes of them. Rules NS-10 to NS-16.
@Suite struct ChatSendingTests {
    @Test func `Messages go out in order and are answered once`() {
        let script = ChatSessionScript.connected()
        script.send("a")
        script.send("b")
        #expect(script.sent() == ["send 1 a", "send 2 b"])
        script.ok(1, id: 70)
        script.ok(1, id: 71)
        #expect(script.answers() == ["1 sent a as 70"])
        script.no(2, 22408)
        #expect(script.answers() == ["2 accessDenied 22408"])
        #expect(script.machine.memory.waitingMessages == 0)
    }

    @Test func `Without a link they wait, and go out in order before newer ones`() {
        let script = ChatSessionScript()
        script.send("a")
        script.handle(.connect(within: nil))
        script.send("b")
        script.handle(.opened(script.attempt))
        script.send("c")
        #expect(script.sent() == ["hello token -"])
        script.welcome()
        #expect(script.sent() == ["send 1 a", "send 2 b", "send 3 c"])
    }

    @Test func `After a loss everything unanswered goes out again with its client id, in order`() {
        let script = ChatSessionScript.connected()
        for name in ["a", "b", "c"] { script.send(name) }
        script.ok(1, id: 1)
        script.close(nil)
        script.send("d")
        #expect(script.answers() == ["1 sent a as 1"])
        script.forget()
        script.handle(.connect(within: nil))
        script.open()
        #expect(script.sent() == ["hello token e/0 again", "send 1 b", "send 2 c", "send 3 d"])
        for number in 1...3 as ClosedRange<UInt64> { script.ok(number, id: 10 + number) }
        #expect(script.answers() == ["2 sent b as 11", "3 sent c as 12", "4 sent d as 13"])
    }

    @Test func `At most 64 are under way, and each answer makes room for one`() {
        let script = ChatSessionScript.connected()
        for index in 1...70 { script.send("c\(index)") }
        #expect(script.sent().count == 64)
        script.ok(2, id: 1)
        #expect(script.sent() == ["send 65 c65"])
        script.no(1, 405)
        #expect(script.sent() == ["send 66 c66"])
    }

    @Test func `At most one mebibyte is under way`() {
        let script = ChatSessionScript.connected()
        let content = #"{"a":""# + String(repeating: "x", count: 120 * 1024) + #""}"#
        for index in 1...10 { script.send("c\(index)", content: content) }
        #expect(script.sent().count == 8)
        script.ok(1, id: 1)
        #expect(script.sent() == ["send 9 c9"])
    }

    @Test func `A thousand may wait; the next one is refused`() {
        let script = ChatSessionScript()
        for index in 1...1_000 { script.send("c\(index)") }
        #expect(script.answers() == [])
        script.send("too many")
        #expect(script.answers() == ["1001 overloaded 30015"])
        script.handle(.abandon(RequestID(7)))
        script.send("room again")
        #expect(script.answers() == ["7 cancelled 30002"])
        script.connect()
        #expect(!script.sent().contains { $0.hasSuffix(" c7") })
    }

    @Test func `Sixteen mebibytes may wait`() {
        let script = ChatSessionScript()
        let content = #"{"a":""# + String(repeating: "x", count: 128 * 1024 - 8) + #""}"#
        for index in 1...129 { script.send("c\(index)", content: content) }
        #expect(script.answers() == ["129 overloaded 30015"])
    }

    @Test(arguments: [
        ("", "bob", "{}", 33003), (String(repeating: "c", count: 65), "bob", "{}", 33003), ("c", "", "{}", 33003),
        ("c", "bob", "[]", 33003), ("c", "bob", "{", 33003), ("c", "bob", "", 33003),
        ("c", "bob", #"{"a":""# + String(repeating: "x", count: 128 * 1024) + #""}"#, 30016),
    ])
    func `What no server would take is refused at once`(clientID: String, to: String, content: String, code: Int) {
        for script in [ChatSessionScript(), .connected()] {
            script.send(clientID, to: to, content: content)
            #expect(script.answers() == ["1 badRequest \(code)"])
            #expect(script.sent() == [])
        }
    }

    @Test func `Whoever stopped waiting does not want it sent`() {
        let script = ChatSessionScript()
        let id = script.send("a")
        script.send("b")
        script.handle(.abandon(RequestID(id)))
        script.connect()
        #expect(script.sent() == ["hello token -", "send 1 b"])
    }

    @Test func `Nobody has to wait for a message`() {
        let script = ChatSessionScript.connected()
        script.submit(.send(ChatSessionScript.draft("a")))
        script.reconnect()
        #expect(script.sent() == ["send 1 a", "hello token e/0 again", "send 1 a"])
        script.ok(1, id: 1)
        #expect(script.machine.memory.waitingMessages == 0)
    }

    /// A second instead of thirty.
    private func impatient() -> ChatSessionScript { ChatSessionScript(sendLimit: .milliseconds(900)) }

    @Test func `A message that was written and not answered in time is unknown, and a late answer changes nothing`() {
        let script = impatient()
        script.connect()
        script.forget()
        script.send("a")
        script.advance(.milliseconds(899))
        #expect(script.answers() == [])
        script.advance(.milliseconds(1))
        #expect(script.answers() == ["1 unknown 31000"])
        script.ok(1, id: 1)
        #expect(script.answers() == [])
        script.forget()
        script.reconnect()
        #expect(script.sent() == ["hello token e/0 again"])
    }

    @Test func `One whose turn did not come was surely not sent`() {
        let script = impatient()
        script.connect()
        script.forget()
        for index in 1...65 { script.send("c\(index)") }
        script.advance(.milliseconds(900))
        let answers = script.answers()
        #expect(answers.count == 65)
        #expect(answers.prefix(64).allSatisfy { $0.hasSuffix("unknown 31000") })
        #expect(answers.last == "65 timeout 30003")
    }

    @Test func `Without a link the limit is kept when an attempt ends, and when it is asked for`() {
        let script = impatient()
        script.send("a")
        script.handle(.connect(within: nil))
        script.advance(.milliseconds(950))
        script.send("b")
        #expect(script.answers() == ["1 timeout 30002"])
        script.advance(.milliseconds(950))
        script.close(nil)
        #expect(script.answers() == ["2 timeout 30002"])
        script.send("c")
        script.advance(.milliseconds(10))
        script.submit(.expire)
        #expect(script.answers() == [])
        script.close(nil)
        script.handle(.disconnect)
        #expect(script.answers() == ["3 disconnected 30002"])
    }

    @Test func `A pause between attempts does not keep the limit by itself, so that its owner asks for it`() {
        let script = ChatSessionScript(policy: .chat(), sendLimit: .milliseconds(1))
        script.handle(.connect(within: nil))
        script.close(nil)
        script.send("a")
        script.advance(.milliseconds(1))
        script.submit(.expire)
        #expect(script.answers() == ["1 timeout 30002"])
    }

    @Test func `A disconnect answers by what may have happened`() {
        let script = ChatSessionScript.connected()
        for index in 1...65 { script.send("c\(index)") }
        script.handle(.disconnect)
        let answers = script.answers()
        #expect(answers.count == 65)
        #expect(answers.first == "1 unknown 31000")
        #expect(answers.last == "65 disconnected 30002")
        script.forget()
        script.connect()
        #expect(script.sent() == ["hello token e/0"])
        #expect(script.machine.memory.waitingMessages == 0)
    }

    @Test func `The same between two attempts, when the owner says that a disconnect follows`() {
        let script = ChatSessionScript.connected()
        script.send("a")
        script.close(nil)
        script.send("b")
        script.submit(.leave(disablePush: false))
        script.handle(.disconnect)
        #expect(script.answers() == ["1 unknown 31000", "2 disconnected 30002"])
        #expect(script.machine.memory.waitingMessages == 0)
    }

    @Test func `The same when the link is lost between the owner's word and the disconnect`() {
        let script = ChatSessionScript.connected()
        script.send("a")
        script.submit(.leave(disablePush: false))
        script.close(nil)
        script.handle(.disconnect)
        #expect(script.answers() == ["1 unknown 31000"])
        #expect(script.machine.memory.waitingMessages == 0)
    }

    @Test func `A goodbye for good answers by what may have happened`() {
        let script = ChatSessionScript.connected()
        for index in 1...65 { script.send("c\(index)") }
        script.bye(31010)
        let answers = script.answers()
        #expect(answers.count == 65)
        #expect(answers.first == "1 unknown 31000")
        #expect(answers.last == "65 kicked 31010")
    }

    @Test func `A goodbye for now keeps them`() {
        let script = ChatSessionScript.connected()
        script.send("a")
        script.bye(32061, retry: true)
        #expect(script.answers() == [])
        script.forget()
        script.handle(.connect(within: nil))
        script.open()
        #expect(script.sent() == ["hello token e/0 again", "send 1 a"])
    }
}
