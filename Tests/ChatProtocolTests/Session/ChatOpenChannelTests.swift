import ChatProtocol
import ConnectionEngine
import Testing

/// Open channels over reconnects. Rules NS-18 to NS-22.
@Suite struct ChatOpenChannelTests {
    /// In `room`, where message 5 was seen.
    private func inside() -> ChatSessionScript {
        let script = ChatSessionScript.connected()
        script.perform(.enter(ChatEntryRequest("room", count: 2)))
        script.entered(1, messages: [4, 5])
        return script
    }

    @Test func `Whoever enters gets the latest messages with the answer`() {
        let script = inside()
        #expect(script.sent() == ["enter 1 room 2"])
        #expect(script.answers() == ["1 entered room 4 5"])
        #expect(script.told() == [])
        script.openMessage(5)
        script.openMessage(6)
        #expect(script.told() == ["message room 6"])
    }

    @Test func `A wish without a connection waits for it`() {
        let script = ChatSessionScript()
        script.perform(.enter(ChatEntryRequest("room", count: 2)))
        script.connect()
        #expect(script.sent() == ["hello token -", "enter 1 room 2"])
        script.entered(1, messages: [4])
        #expect(script.answers() == ["1 entered room 4"])
        #expect(!script.told().contains { $0.hasPrefix("again") })
    }

    @Test func `After a loss it is entered again after the last message seen, before messages go out`() {
        let script = inside()
        script.openMessage(6)
        script.send("a")
        script.forget()
        script.reconnect()
        #expect(script.sent() == ["hello token e/0 again", "enter 1 room 50 after 6", "send 2 a"])
        script.forget()
        script.entered(1, messages: [7, 8])
        #expect(script.told() == ["again in room 7 8"])
        script.openMessage(9)
        #expect(script.told() == ["message room 9"])
    }

    @Test func `What is still missing is a gap since the link was last heard`() {
        let script = inside()
        script.advance(.seconds(1))
        script.handle(.heard(script.attempt))
        script.advance(.milliseconds(500))
        script.reconnect()
        script.forget()
        script.entered(1, messages: [60], more: true)
        #expect(script.told() == ["gap of room 1.0", "again in room 60"])
    }

    @Test func `A server of another epoch has forgotten what was missed, which is a gap`() {
        let script = inside()
        script.reconnect(epoch: "f")
        script.forget()
        script.entered(1)
        #expect(script.told() == ["gap of room 0.0", "again in room"])
        script.reconnect(epoch: "f")
        script.forget()
        script.entered(1)
        #expect(script.told() == ["again in room"])
    }

    @Test func `Several losses before it is entered again make one gap since the first`() {
        let script = inside()
        script.reconnect()
        script.advance(.seconds(1))
        script.reconnect()
        script.forget()
        script.entered(1, more: true)
        #expect(script.told() == ["gap of room 0.0", "again in room"])
    }

    @Test func `Without a message seen, the time of entering is where it goes on`() {
        let script = ChatSessionScript.connected()
        script.perform(.enter(ChatEntryRequest("room", count: 0)))
        script.entered(1, entered: 1_234)
        script.forget()
        script.reconnect()
        #expect(script.sent().contains("enter 1 room 50 after 12340000"))
    }

    @Test func `Whoever comes back soon has entered before, and hears nothing of that time`() {
        let script = ChatSessionScript()
        script.perform(.enter(ChatEntryRequest("room", count: 0)))
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.welcome(time: 1_000)
        script.entered(1, entered: 17)
        script.forget()
        script.reconnect()
        #expect(script.sent().contains("enter 1 room 50 after 10000000"))
    }

    @Test func `Messages seen before the loss do not come again`() {
        let script = inside()
        script.reconnect()
        script.forget()
        script.entered(1, messages: [4, 5, 6])
        #expect(script.told() == ["again in room 6"])
    }

    @Test func `What is told while a channel is being entered comes after the answer, once`() {
        let script = inside()
        script.reconnect()
        script.forget()
        script.openMessage(7)
        script.openMessage(8)
        #expect(script.told() == [])
        script.entered(1, messages: [6, 7])
        #expect(script.told() == ["again in room 6 7", "message room 8"])
    }

    @Test func `A refusal is final`() {
        let script = ChatSessionScript.connected()
        script.perform(.enter(ChatEntryRequest("room")))
        script.no(1, 23410)
        #expect(script.answers() == ["1 badRequest 23410"])
        #expect(script.told() == [])
        #expect(script.machine.memory.openChannels == [])
        script.reconnect()
        #expect(!script.sent().contains { $0.hasPrefix("enter 1 room 50") })
    }

    @Test func `A refusal to enter again is told, and is final`() {
        let script = inside()
        script.reconnect()
        script.forget()
        script.no(1, 23409)
        #expect(script.told() == ["not in room 23409"])
        script.reconnect()
        #expect(script.sent() == ["hello token e/0 again"])
    }

    @Test func `Whoever asks again while a request is under way shares its answer`() {
        let script = ChatSessionScript.connected()
        script.perform(.enter(ChatEntryRequest("room", count: 2)))
        script.perform(.enter(ChatEntryRequest("room", count: 2)))
        #expect(script.sent() == ["enter 1 room 2"])
        script.entered(1, messages: [4])
        #expect(script.answers() == ["1 entered room 4", "2 entered room 4"])
        script.perform(.enter(ChatEntryRequest("room", count: 3)))
        #expect(script.sent() == ["enter 2 room 3"])
        script.entered(2, messages: [3, 4])
        #expect(script.answers() == ["3 entered room 3 4"])
    }

    @Test func `Whoever asks between two connections is answered with what was told already left out`() {
        let script = inside()
        script.close(nil)
        script.perform(.enter(ChatEntryRequest("room", count: 2)))
        script.handle(.connect(within: nil))
        script.open()
        script.forget()
        script.entered(1, messages: [6])
        #expect(script.told() == ["again in room 6"])
        #expect(script.answers() == ["2 entered room"])
    }

    @Test func `Leaving is answered at once and nothing is told any more`() {
        let script = inside()
        script.forget()
        script.perform(.exit("room"))
        script.openMessage(9)
        #expect(script.sent() == ["exit 2 room"])
        #expect(script.answers() == ["2 done"])
        #expect(script.told() == [])
        script.reconnect()
        #expect(script.sent() == ["hello token e/0 again"])
    }

    @Test func `Leaving before the answer ends the wish`() {
        let script = ChatSessionScript.connected()
        script.perform(.enter(ChatEntryRequest("room")))
        script.perform(.exit("room"))
        script.entered(1, messages: [4])
        #expect(script.answers() == ["1 cancelled 30002", "2 done"])
        #expect(script.sent() == ["enter 1 room 20", "exit 2 room"])
        #expect(script.told() == [])
        let offline = ChatSessionScript()
        offline.perform(.enter(ChatEntryRequest("room")))
        offline.perform(.exit("room"))
        #expect(offline.answers() == ["1 cancelled 30002", "2 done"])
        offline.connect()
        #expect(offline.sent() == ["hello token -"])
    }

    @Test func `Entering, leaving and entering again does not mistake the answers`() {
        let script = ChatSessionScript.connected()
        script.perform(.enter(ChatEntryRequest("room", count: 1)))
        script.perform(.exit("room"))
        script.perform(.enter(ChatEntryRequest("room", count: 2)))
        script.forget()
        script.no(1, 23410)
        #expect(script.answers() == [])
        script.entered(3, messages: [4])
        #expect(script.answers() == ["3 entered room 4"])
    }

    @Test func `A first entry without an answer is taken back; a renewal is asked for again`() {
        let script = ChatSessionScript.connected()
        script.perform(.enter(ChatEntryRequest("room")))
        script.forget()
        script.advance(.seconds(1))
        script.handle(.heard(script.attempt))
        script.advance(.seconds(1))
        #expect(script.answers() == ["1 unknown 31000"])
        #expect(script.sent() == ["exit 2 room"])
        #expect(script.told() == [], "who waits is answered, and not told a second time")
        let again = inside()
        again.reconnect()
        again.forget()
        again.advance(.seconds(1))
        again.handle(.heard(again.attempt))
        again.advance(.seconds(1))
        #expect(again.sent() == ["enter 2 room 50 after 5"])
        again.entered(1, messages: [6])
        #expect(again.told() == [])
        again.entered(2, messages: [6])
        #expect(again.told() == ["again in room 6"])
    }

    @Test func `NS-21: a first entry that nobody waits for, and that has no answer, is told`() {
        let script = ChatSessionScript.connected()
        script.submit(.enter(ChatEntryRequest("room")))
        script.forget()
        script.advance(.seconds(1))
        script.handle(.heard(script.attempt))
        script.advance(.seconds(1))
        #expect(script.sent() == ["exit 2 room"])
        #expect(script.told() == ["not in room 31000"])
        #expect(script.machine.memory.openChannels == [])
    }

    @Test func `A channel that is gone, or bans the user, is not entered again`() {
        for event in [
            ChatWireEvent.openDestroyed(channel: "room", isManual: true, time: 1),
            .openBan(channel: "room", users: ["ann"], duration: 0, time: 1),
        ] {
            let script = inside()
            script.forget()
            script.receive(ChatServerFrames.transient(event.body))
            #expect(script.told() == ["transient \(event.kind)"])
            script.reconnect()
            #expect(script.sent() == ["hello token e/0 again"])
        }
        let script = inside()
        script.receive(
            ChatServerFrames.transient(ChatWireEvent.openBan(channel: "room", users: ["eve"], duration: 0, time: 1).body))
        #expect(script.machine.memory.openChannels == ["room"])
    }

    @Test(arguments: ["", String(repeating: "r", count: 65)])
    func `What no server would take is refused at once`(name: String) {
        let script = ChatSessionScript()
        script.perform(.enter(ChatEntryRequest(name)))
        script.perform(.enter(ChatEntryRequest("room", count: 51)))
        #expect(script.answers() == ["1 badRequest 33003", "2 badRequest 33003"])
        #expect(script.machine.memory.openChannels == [])
    }

    @Test func `A disconnect keeps the channels for the next connection, and answers who waits`() {
        let script = inside()
        script.perform(.enter(ChatEntryRequest("hall")))
        script.forget()
        script.handle(.disconnect)
        #expect(script.answers() == ["2 disconnected 30002"])
        script.connect()
        #expect(script.sent() == ["leave", "hello token e/0", "enter 1 room 50 after 5", "enter 2 hall 20"])
    }

    @Test func `Asking again while being in does not hold back what is told`() {
        let script = inside()
        script.submit(.enter(ChatEntryRequest("room", count: 1)))
        script.openMessage(6)
        script.openMessage(7)
        #expect(script.told() == ["message room 6", "message room 7"])
        script.entered(2, messages: [7])
        #expect(script.told() == ["again in room"], "nobody waits, and all of it was told")
    }

    @Test func `A wish that nobody waits for is told when it is granted or refused`() {
        let script = ChatSessionScript.connected()
        script.submit(.enter(ChatEntryRequest("room", count: 2)))
        script.entered(1, messages: [4, 5])
        #expect(script.told() == ["again in room 4 5"])
        script.submit(.enter(ChatEntryRequest("hall")))
        script.no(2, 23410)
        #expect(script.told() == ["not in hall 23410"])
    }

    @Test func `What is left by entering another channel is told, and is not entered again`() {
        let script = inside()
        script.perform(.enter(ChatEntryRequest("hall", count: 1)))
        script.forget()
        script.entered(2, messages: [9], channel: "hall", left: ["room", "elsewhere"])
        #expect(script.answers() == ["2 entered hall 9"])
        #expect(script.told() == ["not in room 23406"])
        script.openMessage(10)
        #expect(script.told() == [])
        script.reconnect()
        #expect(script.sent() == ["hello token e/0 again", "enter 1 hall 50 after 9"])
    }

    @Test func `What another device leaves for this one as well is not entered again`() {
        let script = inside()
        script.receive(
            ChatServerFrames.transient(
                ChatWireEvent.openSync(channel: "room", isJoin: false, isOtherDevice: false).body))
        #expect(script.machine.memory.openChannels == ["room"], "only the other device has left")
        script.forget()
        script.receive(
            ChatServerFrames.transient(
                ChatWireEvent.openSync(channel: "room", isJoin: false, isOtherDevice: true).body))
        #expect(script.told() == ["transient openSync", "not in room 23406"])
        #expect(script.machine.memory.openChannels == [])
    }
}
