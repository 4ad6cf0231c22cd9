import ChatAppModel
import Lifeline
import LifelineTesting
import Testing

/// The tests that the author of the example app would write: its model on a service in memory.
@MainActor
@Suite(.timeLimit(.minutes(5))) struct ChatModelTests {
    let service = TestService()

    /// A model that is in the room, with its loops at work.
    private func started(on service: TestService) async throws -> ChatModel {
        let model = ChatModel(service.pubnub(user: "me"), name: "me", channel: "chatapp")
        try await model.start()
        // Statuses, deliveries and who is here.
        try await service.until { service.waitingLoopCount == 3 }
        return model
    }

    private func lines(_ model: ChatModel) -> [String] {
        model.state.rows.map { row in
            switch row.content {
            case .line(let line): "\(line.from): \(line.text)"
            case .gap: "gap"
            case .unreadable: "unreadable"
            }
        }
    }

    @Test func `LT-32: lines come, and the banner has nothing to say`() async throws {
        let model = try await started(on: service)
        #expect(model.state.banner == .none)
        try await service.deliver(Line(from: "ann", text: "hello"), on: "chatapp")
        try await service.deliver("something else", on: "chatapp")
        #expect(lines(model) == ["ann: hello", "unreadable"])
    }

    @Test func `LT-32: what was said before is shown first`() async throws {
        let early = try await started(on: service)
        await early.send("first")
        await early.stop()
        let model = try await started(on: service)
        #expect(lines(model) == ["me: first"])
    }

    @Test func `LT-32: the banner tells of an outage, and the gap is marked`() async throws {
        let model = try await started(on: service)
        service.loseMessages()
        service.refuse(.overloaded(retryAfter: .seconds(9)))
        try await service.drop(.reset)
        guard case .waiting = model.state.banner else {
            Issue.record("\(model.state.banner)")
            return
        }
        try await service.advance(by: .seconds(4))
        if case .waiting(let seconds?, let reason) = model.state.banner {
            #expect(seconds >= 9 && reason.contains("overloaded"))
        }
        try await service.accept()
        try await service.advance(by: .seconds(30))
        #expect(model.state.banner == .none)
        try await service.deliver(Line(from: "ann", text: "again"), on: "chatapp")
        #expect(lines(model) == ["gap", "ann: again"])
    }

    @Test func `LT-32: who is here`() async throws {
        try await service.join("ben", to: "chatapp")
        let model = try await started(on: service)
        try await service.join("ann", to: "chatapp")
        #expect(Set(model.state.present) == ["ben", "me", "ann"])
        try await service.leave("ben", from: "chatapp")
        #expect(Set(model.state.present) == ["me", "ann"])
    }

    @Test func `LT-32: the outbox says what became of each line`() async throws {
        let model = try await started(on: service)
        await model.send("one")
        try await service.settle()
        #expect(model.state.outbox.isEmpty && lines(model) == ["me: one"])
        service.answerPublishing(.refused(reason: "Not today."))
        await model.send("two")
        guard case .refused(let reason)? = model.state.outbox.last?.state else {
            Issue.record("\(model.state.outbox)")
            return
        }
        #expect(reason.contains("Not today."))
        service.answerPublishing(.unanswered)
        async let writing: Void = model.send("three")
        try await service.until { service.published().count == 3 }
        #expect(model.state.outbox.last?.state == .sending)
        try await service.advance(by: .seconds(11))
        await writing
        #expect(model.state.outbox.last?.state == .unknown)
    }

    @Test func `LT-32: a failure for good is not called an attempt`() async throws {
        let service = TestService()
        service.refuse(.unknownKey)
        let model = ChatModel(service.pusher(), name: "me", channel: "presence-chatapp")
        await #expect(throws: LifelineError.self) { try await model.start() }
        try await service.until { if case .failed = model.state.banner { true } else { false } }
        #expect(model.state.banner.text?.contains("nothing more is tried") == true)
    }
}
