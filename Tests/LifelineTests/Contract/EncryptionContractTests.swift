import Lifeline
import Testing

/// Run for every kind of channel of every service.
@Suite("Every service: encryption from end to end", .serialized, .timeLimit(.minutes(2)))
struct EncryptionContractTests {
    @Test(
        "LL-26: who insists on encryption gets it, or that is unsupported and nothing is sent",
        arguments: ServiceUnderTest.allCases)
    func required(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann", requiresEncryption: true)
            try await ann.connect(timeout: .seconds(30))
            let channel = ann.channel(kind.channel)
            #expect(channel.isEncrypted == kind.isEncrypted)
            if kind.isEncrypted {
                let room = try await channel.subscribe()
                try await room.tick(1)
                #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 1)
                return
            }
            let (_, room) = try await stage.joined("ben")
            for attempt in [{ _ = try await channel.subscribe() }, { _ = try await channel.publish(Tick(n: 1)) }]
                as [() async throws -> Void]
            {
                let error = await #expect(throws: LifelineError.self) { try await attempt() }
                #expect(error?.code == .unsupported)
                #expect(error?.feature?.hasPrefix("end-to-end encryption") == true)
                #expect(error?.service == kind.serviceName)
            }
            let (_, other) = try await stage.joined("cat")
            try await other.tick(2)
            #expect(try await room.messages.first { _ in true }?.decode(Tick.self).n == 2)
        }
    }

    @Test(
        "What cannot be decrypted is told, live and in history, and never delivered",
        arguments: ServiceUnderTest.allCases.filter(\.isEncrypted))
    func wrongKey(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ben, blind) = try await stage.joined("ben", otherKey: true)
            let events = ben.events
            let (_, talk) = try await stage.joined("ann")
            try await talk.tick(1)
            var deliveries = blind.deliveries.makeAsyncIterator()
            let first = await deliveries.next()
            guard case .failed(let error, willRetry: true)? = first else {
                Issue.record("\(String(describing: first))")
                return
            }
            #expect(error.code.rawValue == "decryptionFailed")
            for secret in Stage.secrets + ["payl0ad"] { #expect(!error.reason.contains(secret)) }
            let problem = await events.first { if case .problem = $0 { true } else { false } }
            guard case .problem(error, channel: kind.channel, willRetry: true, _)? = problem else {
                Issue.record("\(String(describing: problem))")
                return
            }
            guard kind.hasHistory else { return }
            let unread = await #expect(throws: LifelineError.self) { _ = try await blind.history(last: 1) }
            #expect(unread?.code.rawValue == "decryptionFailed")
            let page = try await blind.history()
            #expect(page.messages.isEmpty)
            #expect(page.failures.map(\.error.code.rawValue) == ["decryptionFailed"])
            #expect(page.failures.first?.id == (try await talk.history(last: 1).first?.id))
        }
    }
}
