import Lifeline
import Testing

/// Run for every kind of channel of every service.
@Suite("Every service: who is typing", .serialized, .timeLimit(.minutes(2)))
struct TypingContractTests {
    @Test(arguments: ServiceUnderTest.allCases)
    func `LL-121: who else types is told with a whole list, or that is unsupported`(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            guard kind.showsTyping else {
                let error = #expect(throws: LifelineError.self) { _ = try room.typing }
                #expect(error?.code == .unsupported && error?.service == kind.serviceName)
                #expect(error?.feature?.hasPrefix("typing indicator") == true)
                return
            }
            let (_, talk) = try await stage.joined("ben")
            let messages = room.messages
            var users = try room.typing.users.makeAsyncIterator()
            #expect(await users.next() == [])
            try await talk.typing.keystroke()
            #expect(await users.next() == ["ben"])
            #expect(try talk.typing.current.isEmpty)
            try await talk.typing.stop()
            #expect(await users.next() == [])
            try await talk.typing.keystroke()
            #expect(await users.next() == ["ben"])
            // By the message where the service says from whom it is, and otherwise when its time is over.
            try await talk.tick(1)
            #expect(await users.next() == [])
            // None of it is a message.
            #expect(try await messages.first { _ in true }?.decode(Tick.self).n == 1)
            room.unsubscribe()
            #expect(await users.next() == nil)
            let error = await #expect(throws: LifelineError.self) { try await room.typing.keystroke() }
            #expect(error?.code == .notSubscribed)
        }
    }

    @Test func `LL-123: on direct channels chat tells who types, and a message ends it`() async throws {
        try await Stage.run(.chatOpen) { stage in
            let (ann, ben) = (try await stage.client("ann"), try await stage.client("ben"))
            try await ann.connect(timeout: .seconds(30))
            try await ben.connect(timeout: .seconds(30))
            let room = try await ann.channel("direct:ben").subscribe()
            let talk = try await ben.channel("direct:ann").subscribe()
            #expect(room.channel.supports(.typing))
            var users = try room.typing.users.makeAsyncIterator()
            #expect(await users.next() == [])
            try await talk.typing.keystroke()
            #expect(await users.next() == ["ben"])
            try await talk.tick(1)
            #expect(await users.next() == [])
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }

    @Test(arguments: ServiceUnderTest.allCases)
    func `LL-123: a client that insists on encryption has no typing indicators`(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann", requiresEncryption: true)
            #expect(!ann.channel(kind.channel).supports(.typing))
            guard kind.isEncrypted else { return }
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel(kind.channel).subscribe()
            let error = #expect(throws: LifelineError.self) { _ = try room.typing }
            #expect(error == .unsupported(feature: "encryption of typing", service: kind.serviceName))
        }
    }
}
