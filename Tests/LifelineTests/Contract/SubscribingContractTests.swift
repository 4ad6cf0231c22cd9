import ClientRuntime
import Testing

@testable import Lifeline

/// Run for every kind of channel of every service.
@Suite("Every service: subscribing and receiving", .serialized, .timeLimit(.minutes(2)))
struct SubscribingContractTests {
    @Test(
        "A hundred messages arrive once each and in order, from the moment of the confirmation",
        arguments: ServiceUnderTest.allCases)
    func inOrder(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, other) = try await stage.joined("ben")
            let ann = try await stage.client("ann")
            let events = ann.events
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel(kind.channel).subscribe()
            for n in 1...100 { try await other.tick(n) }
            var numbers: [Int] = []
            for await message in room.messages.prefix(100) {
                numbers.append(try message.decode(Tick.self).n)
                #expect(message.event == "tick")
                #expect(message.channel == kind.channel)
                #expect(message.precedingGap == nil)
            }
            #expect(numbers == Array(1...100))
            // The last one is seen by this sequence as well, so nothing more is on its way before it.
            var told: [Int] = []
            var confirmations = 0
            for await event in events {
                if case .subscribed = event { confirmations += 1 }
                if case .message(let message) = event { told.append(try message.decode(Tick.self).n) }
                if told.last == 100 { break }
            }
            #expect(told == Array(1...100))
            #expect(confirmations == 1)
        }
    }

    @Test("What a message says about itself", arguments: ServiceUnderTest.allCases)
    func metadata(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let (_, other) = try await stage.joined("ben")
            let outcome = try await other.publish(Tick(n: 7), event: "tick")
            guard case .accepted(let id) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            let message = try #require(await room.messages.first { _ in true })
            #expect((id != nil) == kind.describesMessages)
            // RV-19: of Pusher it is the position, which only subscribers are told.
            if kind.isPusher { #expect(message.place?.epoch != nil) } else { #expect(message.id == id) }
            #expect(message.user == (kind.describesMessages ? "ben" : nil))
            #expect(message.pattern == nil)
            // By two clocks of one machine.
            if kind.describesMessages {
                let age = try #require(message.publishedAt).timeIntervalSince1970 - Double(SystemTime.unixSeconds())
                #expect(abs(age) < 60)
            } else {
                #expect(message.publishedAt == nil)
            }
            #expect(try message.decode(Tick.self) == Tick(n: 7))
            let error = #expect(throws: LifelineError.self) { try message.decode([Int].self) }
            #expect(error?.code == .undecodable)
            #expect(error.map { !"\($0)".contains("payl0ad") } == true)
        }
    }

    @Test("LL-27: what a client publishes comes to itself as well, once and in order", arguments: ServiceUnderTest.allCases)
    func echo(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let (_, other) = try await stage.joined("ben")
            for n in 1...10 { try await (n % 2 == 0 ? room : other).tick(n) }
            for side in [room, other] {
                var messages: [Message] = []
                for await message in side.messages.prefix(10) { messages.append(message) }
                #expect(try messages.map { try $0.decode(Tick.self).n } == Array(1...10))
                #expect(messages.allSatisfy { $0.event == "tick" })
                if kind.describesMessages {
                    #expect(messages.map(\.user) == (1...10).map { $0 % 2 == 0 ? "ann" : "ben" })
                    #expect(Set(messages.map(\.id)).count == 10)
                }
            }
        }
    }

    @Test(
        "LL-7: a consumer that is too slow gets a gap with the number of what it missed, in its place",
        arguments: ServiceUnderTest.allCases)
    func slowConsumer(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann", backlog: 5)
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel(kind.channel).subscribe()
            let deliveries = room.deliveries
            let (_, talk) = try await stage.joined("ben")
            for n in 1...20 { try await talk.tick(n) }
            while deliveries.droppedCount < 15 { await Task.yield() }
            try await talk.tick(21)
            var last = 0
            var missed = 0
            for await delivery in deliveries {
                switch delivery {
                case .message(let message):
                    let n = try message.decode(Tick.self).n
                    #expect(n == last + 1)
                    last = n
                case .gap(let gap):
                    #expect(gap.reason == .slowConsumer)
                    #expect(gap.dropped > 0)
                    missed += gap.dropped
                    last += gap.dropped
                case .failed(let error, _): Issue.record("\(error)")
                }
                // The last one may have been missed as well.
                if last == 21 { break }
            }
            #expect(missed >= 15)
        }
    }

    @Test(
        "LL-110: a channel that is subscribed twice is subscribed once, and left with its last room",
        arguments: ServiceUnderTest.allCases)
    func twice(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann")
            let events = ann.events
            let again = try await ann.channel(kind.channel).subscribe()
            let (first, second) = (room.messages, again.messages)
            let (_, other) = try await stage.joined("ben")
            for n in 1...2 { try await other.tick(n) }
            for messages in [first, second] {
                var numbers: [Int] = []
                for await message in messages.prefix(2) { numbers.append(try message.decode(Tick.self).n) }
                #expect(numbers == [1, 2])
            }
            again.unsubscribe()
            #expect(again.isEnded && !room.isEnded)
            try await other.tick(3)
            #expect(try await first.first { _ in true }?.decode(Tick.self).n == 3)
            #expect(await second.first { _ in true } == nil)
            room.unsubscribe()
            var confirmations = 0
            for await event in events {
                if case .subscribed = event { confirmations += 1 }
                if case .unsubscribed = event { break }
            }
            #expect(confirmations == 0)
        }
    }

    @Test("LL-6: after unsubscribing nothing arrives, and the sequences end", arguments: ServiceUnderTest.allCases)
    func unsubscribed(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (ann, room) = try await stage.joined("ann")
            let kept = try await ann.channel(kind.other).subscribe()
            let (ben, talk) = try await stage.joined("ben")
            let marker = try await ben.channel(kind.other).subscribe()
            let (messages, events) = (room.messages, ann.events)
            room.unsubscribe()
            #expect(await messages.first { _ in true } == nil)
            for n in 1...5 { try await talk.tick(n) }
            try await marker.tick(6)
            #expect(try await kept.messages.first { _ in true }?.decode(Tick.self).n == 6)
            for await event in events {
                guard case .message(let message) = event else { continue }
                #expect(message.channel == kind.other)
                break
            }
            // It can be subscribed again, as if it were new.
            let again = try await ann.channel(kind.channel).subscribe()
            try await talk.tick(7)
            #expect(try await again.messages.first { _ in true }?.decode(Tick.self).n == 7)
        }
    }

    @Test("LL-6: unsubscribing works before the confirmation as well", arguments: ServiceUnderTest.allCases)
    func unsubscribedWhilePending(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            let subscribing = Task { await ann.refusalOfSubscribing(kind.channel) }
            // Before the connection nothing else is under way, so the first feed is that of the call.
            while ann.core.hub.rooms(of: kind.channel).isEmpty { await Task.yield() }
            ann.channel(kind.channel).unsubscribe()
            #expect(await subscribing.value?.code == .cancelled)
            let events = ann.events
            try await ann.connect(timeout: .seconds(30))
            let kept = try await ann.channel(kind.other).subscribe()
            let (ben, talk) = try await stage.joined("ben")
            let marker = try await ben.channel(kind.other).subscribe()
            try await talk.tick(1)
            try await marker.tick(2)
            #expect(try await kept.messages.first { _ in true }?.decode(Tick.self).n == 2)
            for await event in events {
                switch event {
                case .subscribed(let channel, _, _): #expect(channel == kind.other)
                case .message(let message): #expect(message.channel == kind.other)
                default: continue
                }
                if case .message = event { break }
            }
        }
    }

    @Test("LL-4: whoever cancels a subscription that is under way is not subscribed", arguments: ServiceUnderTest.allCases)
    func cancelled(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            let subscribing = Task { await ann.refusalOfSubscribing(kind.channel) }
            while ann.core.hub.rooms(of: kind.channel).isEmpty { await Task.yield() }
            subscribing.cancel()
            #expect(await subscribing.value?.code == .cancelled)
            #expect(ann.core.hub.rooms(of: kind.channel).isEmpty)
        }
    }

    @Test("Clients of one process do not get each other's messages", arguments: ServiceUnderTest.allCases)
    func apart(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let (_, room) = try await stage.joined("ann")
            let ben = try await stage.client("ben")
            try await ben.connect(timeout: .seconds(30))
            let hall = try await ben.channel(kind.other).subscribe()
            let (cat, first) = try await stage.joined("cat")
            let second = try await cat.channel(kind.other).subscribe()
            for n in 1...10 {
                try await first.tick(n)
                try await second.tick(-n)
            }
            var here: [Int] = []
            for await message in room.messages.prefix(10) { here.append(try message.decode(Tick.self).n) }
            #expect(here == Array(1...10))
            var there: [Int] = []
            for await message in hall.messages.prefix(10) { there.append(try message.decode(Tick.self).n) }
            #expect(there == (1...10).map { -$0 })
        }
    }

    @Test("Names that cannot be a channel's are refused at once, without a connection", arguments: ServiceUnderTest.allCases)
    func badNames(_ kind: ServiceUnderTest) async throws {
        try await Stage.run(kind) { stage in
            let ann = try await stage.client("ann")
            for name in kind.badNames {
                let channel = ann.channel(name)
                let refused = await #expect(throws: LifelineError.self) { _ = try await channel.subscribe() }
                #expect(refused?.code == .badRequest, "subscribing to \(name)")
                let unsent = await #expect(throws: LifelineError.self) { _ = try await channel.publish(Tick(n: 1)) }
                #expect(unsent?.code == .badRequest, "publishing to \(name)")
                let unasked = await #expect(throws: LifelineError.self) { _ = try await channel.members() }
                #expect(unasked?.code == .badRequest, "asking about \(name)")
                guard kind.hasHistory else { continue }
                let unread = await #expect(throws: LifelineError.self) { _ = try await channel.history(last: 1) }
                #expect(unread?.code == .badRequest, "reading \(name)")
            }
        }
    }
}
