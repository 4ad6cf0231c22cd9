import ConnectionEngine
import Dispatch
import NIOConcurrencyHelpers
import Testing

@testable import Lifeline

@Suite("Rooms")
struct RoomTests {
    @Test("LL-5: nothing is lost between the confirmation and the loop")
    func firstSequenceBeginsWithSubscription() async throws {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("room").subscribe()
        adapter.message("1")
        let messages = room.messages
        adapter.message("2")
        #expect(await texts(messages, 2) == ["1", "2"])
    }

    @Test("LL-6: after unsubscribe sequences end and nothing arrives")
    func unsubscribeEnds() async throws {
        let (client, adapter) = scriptedClient()
        let events = client.events
        let room = try await client.channel("room").subscribe()
        let messages = room.messages
        adapter.message("1")
        room.unsubscribe()
        adapter.message("2")
        adapter.tell(.unsubscribed(channel: "room"))
        var seen: [String] = []
        for await message in messages { seen.append(message.text) }
        // A stream that has ended hands out what it had gathered.
        #expect(seen == ["1"])
        #expect(room.isEnded)
        #expect(adapter.calls == [.subscribe("room"), .unsubscribe("room")])
        var kinds: [String] = []
        for await event in events.prefix(3) {
            switch event {
            case .subscribed: kinds.append("subscribed")
            case .message: kinds.append("message")
            case .unsubscribed: kinds.append("unsubscribed")
            default: kinds.append("other")
            }
        }
        #expect(kinds == ["subscribed", "message", "unsubscribed"])
    }

    @Test("LL-4: a refused subscription throws, and the channel is forgotten")
    func refusedSubscription() async {
        let (client, adapter) = scriptedClient(confirms: false)
        adapter.onCall { [weak adapter] call in
            guard case .subscribe(let channel) = call else { return }
            let error = LifelineError(.accessDenied, "No.", number: 403)
            adapter?.tell(.subscriptionFailed(channel: channel, error, willRetry: false))
            adapter?.answer(channel, .failure(error))
        }
        await #expect(throws: LifelineError(.accessDenied, "No.", number: 403)) {
            try await client.channel("private-x").subscribe()
        }
        // The service has forgotten it by itself.
        #expect(adapter.calls == [.subscribe("private-x")])
    }

    @Test("LL-4: a cancelled subscription is taken back")
    func cancelledSubscription() async {
        let (client, adapter) = scriptedClient(confirms: false)
        let task = Task { () async throws in try await client.channel("room").subscribe() }
        task.cancel()
        let error = await #expect(throws: LifelineError.self) { try await task.value }
        #expect(error?.code == .cancelled)
        #expect(adapter.calls == [.subscribe("room"), .unsubscribe("room")])
    }

    @Test("LL-6: unsubscribing before the service was asked takes the question back")
    func unsubscribedBeforeTheQuestion() async {
        let (client, adapter) = scriptedClient(confirms: false)
        adapter.beforeSubscribing { client.channel("room").unsubscribe() }
        adapter.onCall { [weak adapter] call in
            // As services do; without a question before there is nobody to answer.
            guard case .unsubscribe(let channel) = call else { return }
            adapter?.answer(channel, .failure(LifelineError(.cancelled, "Unsubscribed.")))
        }
        let error = await #expect(throws: LifelineError.self) { try await client.channel("room").subscribe() }
        #expect(error?.code == .cancelled)
        #expect(adapter.calls == [.unsubscribe("room"), .subscribe("room"), .unsubscribe("room")])
    }

    @Test("LL-36: whoever subscribes while another caller takes the channel back is subscribed")
    func subscribedWhileTakenBack() async throws {
        let (client, adapter) = scriptedClient()
        let first = try await client.channel("room").subscribe()
        let asked = DispatchSemaphore(value: 0)
        let second = NIOLockedValueBox<Task<Room, any Error>?>(nil)
        adapter.beforeUnsubscribing {
            adapter.onCall { if $0 == .subscribe("room") { asked.signal() } }
            second.withLockedValue { $0 = Task { try await client.channel("room").subscribe() } }
            // Time to be asked too early. Whoever waits for its turn is not.
            _ = asked.wait(timeout: .now() + .milliseconds(200))
        }
        first.unsubscribe()
        let room = try await #require(second.withLockedValue { $0 }).value
        #expect(adapter.calls == [.subscribe("room"), .unsubscribe("room"), .subscribe("room")])
        adapter.message("1")
        #expect(await texts(room.messages, 1) == ["1"])
        #expect(!room.isEnded)
        #expect(first.isEnded)
    }

    @Test("LL-36: whoever is unsubscribed in the moment of the confirmation gets no room")
    func unsubscribedWhileConfirmed() async {
        let (client, adapter) = scriptedClient(confirms: false)
        adapter.onCall { [weak adapter] call in
            guard call == .subscribe("room") else { return }
            adapter?.tell(.subscribed(channel: "room", members: nil, isRenewal: false))
            client.channel("room").unsubscribe()
            adapter?.answer("room", .success(()))
        }
        let error = await #expect(throws: LifelineError.self) { try await client.channel("room").subscribe() }
        #expect(error?.code == .cancelled)
        #expect(adapter.calls.last == .unsubscribe("room"))
    }

    @Test("LL-7: a slow consumer gets a gap in place of what was dropped, and newer messages after it")
    func slowConsumer() async throws {
        let (client, adapter) = scriptedClient(backlog: 2)
        let room = try await client.channel("room").subscribe()
        for number in 1...5 { adapter.message("\(number)") }
        let deliveries = room.deliveries
        var seen: [String] = []
        var gap: Gap?
        for await delivery in deliveries.prefix(3) {
            switch delivery {
            case .message(let message): seen.append(message.text)
            case .gap(let declared): gap = declared
            case .failed: seen.append("failed")
            }
        }
        #expect(seen == ["1", "2"])
        #expect(gap?.dropped == 3)
        #expect(gap?.reason == .slowConsumer)
        #expect(deliveries.droppedCount == 3)
    }

    @Test("LL-7: undecryptable messages and notices are bounded like messages, and other failures are never dropped")
    func slowConsumerOfFailures() async throws {
        let (client, adapter) = scriptedClient(backlog: 2)
        let room = try await client.channel("room").subscribe()
        let (deliveries, events) = (room.deliveries, client.events)
        let unread = LifelineError(.decryptionFailed, "The key does not fit.")
        for _ in 1...5 { adapter.tell(.problem(unread, channel: "room"), .notice(ServiceNotice(.cacheMissed, channel: "room"))) }
        adapter.tell(.problem(LifelineError(.timeout, "Late."), channel: "room"))
        var seen: [String] = []
        for await delivery in deliveries.prefix(4) {
            switch delivery {
            case .message(let message): seen.append(message.text)
            case .gap(let gap): seen.append("gap \(gap.dropped)")
            case .failed(let error, _): seen.append("\(error.code)")
            }
        }
        #expect(seen == ["decryptionFailed", "decryptionFailed", "gap 3", "timeout"])
        seen = []
        for await event in events.prefix(4) {
            switch event {
            case .problem(let error, _, _, _): seen.append("\(error.code)")
            case .notice: seen.append("notice")
            case .dropped(let count, _, _): seen.append("dropped \(count)")
            default: seen.append("other")
            }
        }
        #expect(seen == ["decryptionFailed", "notice", "dropped 8", "timeout"])
    }

    @Test("HB-11: messages that come together for two spellings of a name go to two rooms")
    func spellings() async throws {
        let (client, adapter) = scriptedClient()
        let (plain, kelvin) = (try await client.channel("K").subscribe(), try await client.channel("\u{212A}").subscribe())
        let (first, second) = (plain.messages, kelvin.messages)
        let at = adapter.clock()
        adapter.tell(
            .message(Message(channel: "K", text: "1", receivedAt: at)),
            .message(Message(channel: "\u{212A}", text: "2", receivedAt: at)),
            .message(Message(channel: "K", text: "3", receivedAt: at)))
        #expect(await texts(first, 2) == ["1", "3"])
        #expect(await texts(second, 1) == ["2"])
    }

    @Test("LL-34: a gap that a loop has taken and not told waits for the next loop")
    func gapOfALeftLoop() async throws {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("room").subscribe()
        let messages = room.messages
        adapter.tell(.gap(channel: "room", since: Moment(nanoseconds: 5), .connectionLost))
        let displaced = Task { () async -> String? in
            for await message in messages { return message.text }
            return nil
        }
        while !messages.deliveries.stream.isAwaited { await Task.yield() }
        let later = Task { () async -> Message? in
            for await message in messages { return message }
            return nil
        }
        #expect(await displaced.value == nil)
        adapter.message("1")
        let message = try #require(await later.value)
        #expect(message.text == "1" && message.precedingGap?.since.nanoseconds == 5)
    }

    @Test("LL-8: a gap reaches back by the time that a live link may hold a message back")
    func gapReachesBack() async throws {
        let (client, adapter) = scriptedClient(backlog: 1)
        let room = try await client.channel("room").subscribe()
        adapter.advance(by: .seconds(10))
        adapter.message("1")
        adapter.advance(by: .seconds(1))
        adapter.message("2")
        var iterator = room.deliveries.makeAsyncIterator()
        _ = await iterator.next()
        guard case .gap(let gap) = await iterator.next() else {
            Issue.record("no gap")
            return
        }
        // The first message came at 11 s; the fast profile notices a dead link after 3 s.
        #expect(gap.since.seconds == 8)
        #expect(gap.at.seconds == 12)
    }

    @Test("LL-7: the messages view says that messages before one may be missing, gaps joined")
    func precedingGap() async throws {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("room").subscribe()
        adapter.message("1")
        adapter.tell(.gap(channel: "room", since: Moment(nanoseconds: 5), .connectionLost))
        adapter.tell(.gap(channel: "room", since: Moment(nanoseconds: 9), .connectionLost))
        adapter.message("2")
        adapter.message("3")
        var gaps: [Int64?] = []
        for await message in room.messages.prefix(3) { gaps.append(message.precedingGap?.since.nanoseconds) }
        #expect(gaps == [nil, 5, nil])
    }

    @Test("LL-33: messages tell that one before them came and could not be decrypted")
    func undecryptable() async throws {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("room").subscribe()
        adapter.message("1")
        for _ in 0..<2 {
            adapter.tell(.problem(LifelineError(.decryptionFailed, "Another key."), channel: "room"))
        }
        adapter.message("2")
        adapter.tell(.problem(LifelineError(.timeout, "Nobody said who is there."), channel: "room"))
        adapter.message("3")
        var gaps: [Gap?] = []
        for await message in room.messages.prefix(3) { gaps.append(message.precedingGap) }
        #expect(gaps.map { $0?.reason } == [nil, .undecryptable, nil])
        #expect(gaps[1]?.dropped == 2)
        #expect(gaps[1]?.channel == "room")
    }

    @Test("LL-34: a later loop over a sequence goes on where an earlier one was left")
    func secondLoop() async throws {
        let (client, adapter) = scriptedClient(backlog: 4)
        let room = try await client.channel("room").subscribe()
        let (messages, deliveries, events) = (room.messages, room.deliveries, client.events)
        for number in 1...6 { adapter.message("\(number)") }
        #expect(await texts(messages, 1) == ["1"])
        #expect(await texts(messages, 2) == ["2", "3"])
        adapter.message("7")
        var rest = await texts(messages, 1)
        var gap: Gap?
        for await message in messages {
            rest.append(message.text)
            gap = message.precedingGap
            break
        }
        #expect(rest == ["4", "7"])
        #expect(gap?.dropped == 2)
        var told: [String] = []
        for _ in 0..<5 {
            let delivery = await deliveries.first { _ in true }
            if case .message(let message)? = delivery { told.append(message.text) }
            if case .gap(let gap)? = delivery { told.append("\(gap.dropped) missing") }
        }
        #expect(told == ["1", "2", "3", "4", "3 missing"])
        for number in 1...4 {
            guard case .message(let message)? = await events.first(where: { _ in true }) else {
                Issue.record("no message \(number)")
                return
            }
            #expect(message.text == "\(number)")
        }
    }

    @Test("Two consumers of a room are independent")
    func independentConsumers() async throws {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("room").subscribe()
        let (first, second) = (room.messages, room.messages)
        adapter.message("1")
        adapter.message("2")
        #expect(await texts(first, 2) == ["1", "2"])
        #expect(await texts(second, 2) == ["1", "2"])
    }

    @Test("A renewal that the service refuses is told, and ends the room")
    func refusedRenewal() async throws {
        let (client, adapter) = scriptedClient()
        let room = try await client.channel("private-x").subscribe()
        let deliveries = room.deliveries
        adapter.tell(.subscriptionFailed(channel: "private-x", LifelineError(.accessDenied, "No."), willRetry: false))
        var failures: [LifelineError.Code] = []
        for await delivery in deliveries {
            if case .failed(let error, false) = delivery { failures.append(error.code) }
        }
        #expect(failures == [.accessDenied])
        #expect(room.isEnded)
    }

    @Test("History and presence name the feature and the service that lacks it")
    func unsupported() async throws {
        let (client, _) = scriptedClient()
        let room = try await client.channel("room").subscribe()
        let error = await #expect(throws: LifelineError.self) { try await room.history(last: 5) }
        #expect(error?.code == .unsupported)
        #expect(error?.feature == "message history")
        #expect(error?.service == "Scripted")
        #expect(throws: LifelineError.unsupported(feature: "presence on channel room", service: "Scripted")) {
            try room.presence
        }
    }

    private func texts(_ messages: Messages, _ count: Int) async -> [String] {
        var texts: [String] = []
        for await message in messages.prefix(count) { texts.append(message.text) }
        return texts
    }
}
