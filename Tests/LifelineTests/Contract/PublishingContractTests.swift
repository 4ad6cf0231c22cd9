import Testing

@testable import Lifeline

/// Run for every kind of channel of every service.
@Suite("Every service: what became of a message", .serialized, .timeLimit(.minutes(2)))
struct PublishingContractTests {
    @Test("Refused: nobody sees it, and the reason names no secret", arguments: ServiceUnderTest.allCases)
    func refused(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let (_, other) = try await stage.joined("ben")
            // A wrong secret or key; for the others somebody who is not in the channel.
            let impostor = try await stage.client("dan", isImpostor: true)
            try await impostor.connect(timeout: .seconds(30))
            let outcome = try await impostor.channel(kind.channel).publish(Tick(n: 666), event: "tick")
            guard case .refused(let error) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let text = "\(error) \(String(reflecting: outcome))"
            for secret in Stage.secrets { #expect(!text.contains(secret)) }
            #expect(!text.contains("666"))
            try await other.tick(1)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }

    @Test("Unknown: the line broke before the answer came; it is seen once", arguments: ServiceUnderTest.allCases)
    func unknown(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let messages = room.messages
            let (ben, talk) = try await stage.joined("ben", relayed: true)
            let (_, other) = try await stage.joined("cat")
            stage.relay.swallowAnswers()
            let publishing = Task { try await talk.publish(Tick(n: 1), event: "tick") }
            var iterator = messages.makeAsyncIterator()
            #expect(try await iterator.next()?.decode(Tick.self).n == 1)
            // The server has it; the publisher never hears so.
            stage.relay.refuse()
            await ben.disconnect()
            let outcome = try await publishing.value
            guard case .unknown(let error) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            for secret in Stage.secrets { #expect(!"\(error)".contains(secret)) }
            stage.relay.pass()
            try await other.tick(2)
            #expect(try await iterator.next()?.decode(Tick.self).n == 2)
        }
    }

    @Test("Unknown: whoever cancels while it is under way", arguments: ServiceUnderTest.allCases)
    func cancelled(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let (_, talk) = try await stage.joined("ben", relayed: true)
            stage.relay.swallowAnswers()
            let publishing = Task { try await talk.publish(Tick(n: 1), event: "tick") }
            _ = await room.messages.first { _ in true }
            publishing.cancel()
            let outcome = try await publishing.value
            guard case .unknown(let error) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            // Its time may be over on a slow machine.
            #expect(error.code == .cancelled || error.code == .timeout)
        }
    }

    @Test("What cannot be encoded, or is no JSON, is not sent", arguments: ServiceUnderTest.allCases)
    func unencodable(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let unencodable = await #expect(throws: LifelineError.self) {
                _ = try await room.publish(["value": Double.infinity])
            }
            #expect(unencodable?.code == .unencodable)
            let noJSON = await #expect(throws: LifelineError.self) { _ = try await room.publish(json: "hello") }
            #expect(noJSON?.code == .badRequest)
        }
    }

    @Test("LL-28: a message is kept for history as asked for, or that is unsupported", arguments: ServiceUnderTest.allCases)
    func stored(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let (_, talk) = try await stage.joined("ben")
            try await talk.tick(1, options: PublishOptions(isStored: false))
            guard kind.hasHistory else {
                let error = await #expect(throws: LifelineError.self) {
                    try await talk.tick(2, options: PublishOptions(isStored: true))
                }
                #expect(error == .unsupported(feature: "storing of messages", service: kind.serviceName))
                return
            }
            try await talk.tick(2, options: PublishOptions(isStored: true))
            var numbers: [Int] = []
            for await message in room.messages.prefix(2) { numbers.append(try message.decode(Tick.self).n) }
            #expect(numbers == [1, 2])
            #expect(try await room.history(last: 5).map { try $0.decode(Tick.self).n } == [2])
        }
    }

    @Test("Before the connection a message goes by HTTP, waits, or is refused", arguments: ServiceUnderTest.allCases)
    func beforeConnecting(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let ben = try await stage.client("ben")
            let channel = ben.channel(kind.channel)
            let publishing = Task { try await channel.publish(Tick(n: 1), event: "tick") }
            switch kind {
            case .pusherPrivate:
                guard case .refused(let error) = try await publishing.value else {
                    Issue.record("\(try await publishing.value)")
                    return
                }
                #expect(error.code == .notSubscribed)
                return
            case .chatOpen:
                // Whoever has not entered must not write.
                try await ben.connect(timeout: .seconds(30))
                #expect(try await !publishing.value.isAccepted)
                return
            case .chatGroup:
                try await ben.connect(timeout: .seconds(30))
            default: break
            }
            #expect(try await publishing.value.isAccepted)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
        }
    }

    @Test(
        "In an outage a message waits and is seen once; what goes by HTTP is told not to have arrived for sure",
        arguments: ServiceUnderTest.allCases)
    func inOutage(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (room, ben, talk) = try await stage.outage()
            let messages = room.messages
            let publishing = Task { try await talk.publish(Tick(n: 1), event: "tick") }
            if kind.publishesByHTTP {
                #expect(try await !publishing.value.isAccepted)
                stage.relay.pass()
            } else {
                stage.relay.pass()
                #expect(try await publishing.value.isAccepted)
            }
            let (_, other) = try await stage.joined("cat")
            try await other.tick(2)
            var numbers: [Int] = []
            while numbers.last != 2, let message = await messages.first(matching: { _ in true }) {
                numbers.append(try message.decode(Tick.self).n)
            }
            #expect(numbers == (kind.publishesByHTTP ? [2] : [1, 2]))
            withExtendedLifetime(ben) {}
        }
    }
}
