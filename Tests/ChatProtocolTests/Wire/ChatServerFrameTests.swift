import ChatProtocol
import Testing

@Suite("Frames of servers (rules NP-14 to NP-20)")
struct ChatServerFrameTests {
    @Test("Every event is read as it was written, in each of the frames that carry events", arguments: FrameCatalogue.events)
    func roundTrips(event: ChatWireEvent) {
        let item = ChatInboxItem(sequence: 12, event: event)
        #expect(FrameCatalogue.read(ChatServerFrames.event(event.body, sequence: 12)) == .event(item))
        #expect(FrameCatalogue.read(ChatServerFrames.transient(event.body)) == .transient(event))
        let package = ChatServerFrames.package([(12, event.body), (40, event.body)], hasMore: true)
        #expect(
            FrameCatalogue.read(package) == .package([item, ChatInboxItem(sequence: 40, event: event)], hasMore: true))
    }

    @Test("The message of the document is read")
    func message() {
        let text = """
            {"t":"ev","e":{"k":"msg","id":"17637100000000123","time":1763710000000,"conv":"direct","from":"u1","to":"u2",
            "type":"RC:TxtMsg","content":{"content":"hello"},"cid":"x","receipt":true,"meta":{"k":"v"}}}
            """
        var options = ChatMessageOptions()
        options.needsReceipt = true
        options.metadata = ["k": "v"]
        let message = ChatMessage(
            id: ChatMessageID(rawValue: 17_637_100_000_000_123), conversation: .direct, from: "u1", to: "u2",
            type: "RC:TxtMsg",
            content: Array(#"{"content":"hello"}"#.utf8), clientID: "x", options: options)
        #expect(FrameCatalogue.read(text) == .transient(.message(message)))
        #expect(message.time == 1_763_710_000_000)
    }

    @Test("A message without options has no more members than it needs")
    func shortBody() {
        #expect(
            String(decoding: FrameCatalogue.plain.body, as: UTF8.self)
                == #"{"k":"msg","id":"17637100000000999","time":1763710000000,"conv":"direct","from":"u1","to":"u2","type":"my:type","content":{}}"#
        )
    }

    @Test("A draft becomes the message that receivers read")
    func draft() {
        let message = FrameCatalogue.draft.message(id: FrameCatalogue.id, from: "u1")
        #expect(message.clientID == "c-1")
        #expect(message.options == FrameCatalogue.options)
        #expect(FrameCatalogue.read(ChatServerFrames.transient(message.body)) == .transient(.message(message)))
    }

    @Test("Welcome, goodbye and refusal are read as they were written")
    func session() {
        #expect(FrameCatalogue.read(ChatServerFrames.welcome(FrameCatalogue.welcome)) == .welcome(FrameCatalogue.welcome))
        let bye = ChatBye(code: .kicked, reason: "Signed in on another device.")
        #expect(FrameCatalogue.read(ChatServerFrames.bye(bye)) == .bye(bye))
        #expect(
            String(decoding: ChatServerFrames.bye(bye), as: UTF8.self)
                == #"{"t":"bye","code":31010,"reason":"Signed in on another device.","retry":false}"#)
        let refusal = ChatRequestRefusal(.tooManySends, "slowly", retryAfter: 200)
        #expect(FrameCatalogue.read(ChatServerFrames.no(7, refusal)) == .refusal(number: 7, refusal))
    }

    @Test("A refusal without a reason gets the sentence of its code")
    func refusalWithoutReason() {
        #expect(
            FrameCatalogue.read(#"{"t":"no","n":3,"code":22406}"#)
                == .refusal(number: 3, ChatRequestRefusal(.notInGroup, ChatErrorCode.notInGroup.sentence)))
    }

    @Test("Events of unknown kinds, and those that lack a member, keep their place")
    func unknownEvents() {
        let text = """
            {"t":"pack","in":[{"q":1,"e":{"k":"wave","to":"u2"}},{"q":2,"e":{"k":"msg","id":"1"}},{"q":3,"e":7},{"q":4},{"e":{"k":"read"}},5]}
            """
        guard case .package(let items, false) = FrameCatalogue.read(text) else {
            Issue.record("no package")
            return
        }
        // Those without a place count as the next ones (NC-41).
        #expect(items.map(\.sequence) == [1, 2, 3, 4, 5, 6])
        #expect(items[0].event == .unknown(kind: "wave"))
        guard case .unknown("msg", .some) = items[1].event, case .unknown("", .some) = items[2].event,
            case .unknown("", .some) = items[3].event
        else {
            Issue.record("\(items)")
            return
        }
    }

    @Test("An event's known members are read beside unknown ones, in any order")
    func unknownMembers() {
        let text = #"{"e":{"time":9,"new":[{"k":"x"}],"ch":"g1","conv":"group","k":"read"},"new":{"e":1},"q":12,"t":"in"}"#
        #expect(
            FrameCatalogue.read(text)
                == .event(ChatInboxItem(sequence: 12, event: .read(ChatChannel(.group, "g1"), time: 9))))
    }

    @Test(
        "Frames of unknown types are nobody's business", arguments: [#"{"t":"wave"}"#, #"{"t":"wave","e":{"k":"msg"},"in":7}"#])
    func unknownFrames(text: String) {
        #expect(FrameCatalogue.read(text) == nil)
    }

    @Test(
        "What is no frame says so",
        arguments: [
            "", "[]", "7", "{}", #"{"t":7}"#, #"{"t":"in","e":{"k":"read"}}"#, #"{"t":"in","q":-1,"e":{}}"#, #"{"t":"ev"}"#,
            #"{"t":"pack","in":{}}"#, #"{"t":"ok"}"#, #"{"t":"no","code":1}"#, #"{"t":"welcome","user":"u"}"#, #"{"t":"bye"}"#,
            #"{"t":"ok","n":1}}"#, #"{"t":"ok","n":18446744073709551616}"#,
        ])
    func malformed(text: String) {
        guard case .malformed = FrameCatalogue.read(text) else {
            Issue.record("accepted")
            return
        }
    }

    @Test("Sequence numbers have the whole range of 64 bits, and numbers beyond it are no numbers")
    func largeNumbers() {
        #expect(
            FrameCatalogue.read(#"{"t":"in","q":18446744073709551615,"e":{"k":"x"}}"#)
                == .event(ChatInboxItem(sequence: .max, event: .unknown(kind: "x"))))
        let text = #"{"t":"ev","e":{"k":"read","conv":"direct","ch":"u","time":9223372036854775808}}"#
        guard case .transient(.unknown("read", .some)) = FrameCatalogue.read(text) else {
            Issue.record("accepted")
            return
        }
        let least = #"{"t":"ev","e":{"k":"read","conv":"direct","ch":"u","time":-9223372036854775808}}"#
        #expect(FrameCatalogue.read(least) == .transient(.read(ChatChannel(.direct, "u"), time: .min)))
    }

    @Test("Binary messages are malformed, pongs are passed on")
    func otherMessages() {
        var decoder = ChatFrameDecoder()
        [UInt8(1), 2].withUnsafeBytes { bytes in
            #expect(decoder.binary(bytes) == .malformed(reason: "The server sent a binary message, but the protocol uses text."))
            #expect(decoder.pong(bytes) == .pong([1, 2]))
        }
    }
}
