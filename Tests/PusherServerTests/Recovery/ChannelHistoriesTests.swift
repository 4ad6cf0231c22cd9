import NIOCore
import PusherProtocol
import ServerStorage
import Testing

@testable import PusherServer
@testable import ServerTestSupport

@Suite("What is kept of channels' events (RV-2 to RV-13)")
struct ChannelHistoriesTests {
    private let room = ChannelID(application: "1", name: "room")
    private let settings = RecoverySettings(messages: 3, lifetime: .seconds(10))
    private let ann = SocketID(high: 1, low: 1)

    /// Histories whose epochs are `e1`, `e2` …
    private struct Fixture {
        var histories = ChannelHistories()
        var epochs = 0

        mutating func join(
            _ channel: ChannelID, after number: UInt64? = nil, epoch: String = "e1", socketID: String? = nil, user: String? = nil,
            limit: Int = .max, at seconds: Int64 = 0
        ) -> Replay {
            let request = number.map {
                PusherRecoverRequest(position: PusherPosition(epoch: epoch, number: $0), socketID: socketID)
            }
            var next = epochs
            defer { epochs = next }
            return histories.join(channel, after: request, user: user, limit: limit, at: .seconds(seconds)) {
                next += 1
                return "e\(next)"
            }
        }
    }

    private func frame(_ name: String) -> ByteBuffer {
        PusherWire.frame(PusherFrames.event(name: name, channel: "room", data: "{}"))
    }

    private func add(
        _ name: String, _ fixture: inout Fixture, excluding: SocketID? = nil, user: String? = nil, isKept: Bool = true,
        to channel: ChannelID? = nil, limit: Int = .max, at seconds: Int64 = 0
    ) -> PositionedEvent? {
        fixture.histories.add(
            frame(name), to: channel ?? room, excluding: excluding, user: user, isKept: isKept, settings, limit: limit,
            at: .seconds(seconds))
    }

    /// The names and positions of what is replayed.
    private func texts(_ replay: Replay) -> [String] {
        var (frames, texts) = (replay.frames, [String]())
        while frames.readableBytes > 0 {
            let message = PusherWire.message(in: frames)
            let header = frames.readableBytes - message.readableBytes
            let length = Int(frames.getInteger(at: frames.readerIndex + 1, as: UInt8.self) ?? 0)
            guard length < 126, let text = message.getString(at: message.readerIndex, length: length),
                let envelope = try? PusherEnvelope(parsing: text)
            else { return texts + ["unreadable"] }
            texts.append("\(envelope.event) \(envelope.position ?? "-")")
            frames.moveReaderIndex(forwardBy: header + length)
        }
        return texts
    }

    @Test("Channels without a connection with recovery have no history, and their events no position")
    func none() {
        var fixture = Fixture()
        #expect(add("a", &fixture) == nil)
        #expect(fixture.histories.isEmpty)
    }

    @Test("A new subscription begins a history; what comes later is numbered and replayed in order, once")
    func replay() {
        var fixture = Fixture()
        let first = fixture.join(room)
        #expect(first.outcome == PusherRecoveryOutcome(position: PusherPosition(epoch: "e1", number: 0)))
        for name in ["a", "b", "c"] { #expect(add(name, &fixture) != nil) }
        let replay = fixture.join(room, after: 1)
        #expect(texts(replay) == ["b e1:2", "c e1:3"])
        #expect(replay.outcome == PusherRecoveryOutcome(position: PusherPosition(epoch: "e1", number: 3), recovered: true))
        #expect(texts(fixture.join(room, after: 3)) == [])
    }

    @Test("Beyond the number of events, the rest is replayed and the loss is told")
    func overflow() {
        var fixture = Fixture()
        _ = fixture.join(room)
        for name in ["a", "b", "c", "d"] { _ = add(name, &fixture) }
        let lost = fixture.join(room, after: 0)
        #expect(texts(lost) == ["b e1:2", "c e1:3", "d e1:4"])
        #expect(lost.outcome.recovered == false)
        #expect(fixture.join(room, after: 1).outcome.recovered == true)
    }

    @Test("Another epoch, and a position of the future, are recovered from never", arguments: [("e0", 0), ("e1", 2)])
    func foreign(_ epoch: String, _ number: UInt64) {
        var fixture = Fixture()
        _ = fixture.join(room)
        _ = add("a", &fixture)
        let replay = fixture.join(room, after: number, epoch: epoch)
        #expect(texts(replay) == [])
        #expect(replay.outcome.recovered == false)
    }

    @Test("An event that has expired is lost, swept or not")
    func expiry() {
        for sweeps in [false, true] {
            var fixture = Fixture()
            _ = fixture.join(room)
            _ = add("a", &fixture, at: 0)
            _ = add("b", &fixture, at: 5)
            if sweeps { fixture.histories.sweep(at: .seconds(10)) }
            let replay = fixture.join(room, after: 0, at: 10)
            #expect(texts(replay) == ["b e1:2"])
            #expect(replay.outcome.recovered == false)
            #expect(fixture.join(room, after: 1, at: 10).outcome.recovered == true)
        }
    }

    @Test("Whoever was left out of an event is left out of its replay, and members are not told of themselves")
    func exclusions() {
        var fixture = Fixture()
        _ = fixture.join(room)
        _ = add("mine", &fixture, excluding: ann)
        _ = add("me", &fixture, user: "u")
        _ = add("other", &fixture, user: "v")
        let replay = fixture.join(room, after: 0, socketID: ann.description, user: "u")
        #expect(texts(replay) == ["other e1:3"])
        #expect(replay.outcome.recovered == true)
        #expect(texts(fixture.join(room, after: 0)).count == 3)
    }

    @Test("An event that is never kept is a loss for all but its sender, and takes no place of others (RV-6)")
    func unkept() {
        var fixture = Fixture()
        _ = fixture.join(room)
        for name in ["a", "b", "c"] { _ = add(name, &fixture) }
        for _ in 0..<100 { _ = add("client-x", &fixture, excluding: ann, isKept: false) }
        let replay = fixture.join(room, after: 0)
        #expect(texts(replay) == ["a e1:1", "b e1:2", "c e1:3"])
        #expect(replay.outcome.recovered == false)
        #expect(fixture.join(room, after: 0, socketID: ann.description).outcome.recovered == true)
        #expect(fixture.join(room, after: 103).outcome.recovered == true)
    }

    @Test("The latest events that fit are replayed, and the loss of the others is told (RV-13)")
    func limit() {
        var fixture = Fixture()
        _ = fixture.join(room)
        let size = add("a", &fixture)?.frame.readableBytes ?? 0
        for name in ["b", "c"] { _ = add(name, &fixture) }
        let replay = fixture.join(room, after: 0, limit: 2 * size)
        #expect(texts(replay) == ["b e1:2", "c e1:3"])
        #expect(replay.outcome.recovered == false)
    }

    @Test("A member misses nothing when only its own coming and going is kept no longer (RV-18)")
    func ownPresence() {
        var fixture = Fixture()
        _ = fixture.join(room, user: "ann")
        // It left, and came and left once more from another device.
        for name in ["left", "came", "left"] { _ = add(name, &fixture, user: "ann") }
        fixture.histories.sweep(at: .seconds(11))
        #expect(fixture.join(room, after: 0, user: "ann", at: 11).outcome.recovered == true)
        #expect(fixture.join(room, after: 0, user: "bob", at: 11).outcome.recovered == false)
        #expect(fixture.join(room, after: 0, at: 11).outcome.recovered == false)
        _ = add("came", &fixture, user: "bob", at: 11)
        _ = add("came", &fixture, user: "ann", at: 11)
        fixture.histories.sweep(at: .seconds(22))
        #expect(fixture.join(room, after: 3, user: "ann", at: 22).outcome.recovered == false)
        #expect(fixture.join(room, after: 4, user: "ann", at: 22).outcome.recovered == true)
    }

    @Test("A history ends when the channel has had no subscribers for a day; its events end as always (RV-12, RV-18)")
    func vacancy() {
        var fixture = Fixture()
        _ = fixture.join(room)
        fixture.histories.vacated(room, settings, at: .seconds(0))
        _ = add("a", &fixture, at: 5)
        fixture.histories.occupied(room)
        fixture.histories.sweep(at: .seconds(11))
        #expect(fixture.join(room, after: 0, at: 11).outcome.recovered == true)
        fixture.histories.vacated(room, settings, at: .seconds(11))
        _ = add("b", &fixture, at: 20)
        fixture.histories.sweep(at: .seconds(31))
        #expect(fixture.histories.tallies.values.allSatisfy { $0.events == 0 && $0.channels == 1 })
        // Who was there for the last event has missed nothing, and who was not is told.
        #expect(fixture.join(room, after: 2, at: 31).outcome.recovered == true)
        #expect(fixture.join(room, after: 1, at: 31).outcome.recovered == false)
        fixture.histories.sweep(at: .seconds(10 + 86_400))
        #expect(!fixture.histories.isEmpty)
        fixture.histories.sweep(at: .seconds(11 + 86_400))
        #expect(fixture.histories.isEmpty)
        #expect(fixture.histories.tallies.values.allSatisfy { $0.bytes == 0 && $0.events == 0 && $0.channels == 0 })
        let replay = fixture.join(room, after: 2, at: 11 + 86_400)
        #expect(replay.outcome == PusherRecoveryOutcome(position: PusherPosition(epoch: "e2", number: 0), recovered: false))
    }

    @Test("Without recovery in the application the history ends, so its numbers never go on after a hole")
    func switchedOff() {
        var fixture = Fixture()
        _ = fixture.join(room)
        _ = add("a", &fixture)
        let off = RecoverySettings(messages: 0)
        #expect(fixture.histories.add(frame("b"), to: room, off, limit: .max, at: .seconds(0)) == nil)
        #expect(fixture.histories.isEmpty)
    }

    @Test("An application's oldest events are dropped beyond its bytes, and no other application's (RV-11)")
    func bytes() {
        var fixture = Fixture()
        let other = ChannelID(application: "2", name: "room")
        for channel in [room, other] { _ = fixture.join(channel) }
        _ = add("kept", &fixture, to: other)
        let memory = add("a", &fixture)?.memory ?? 0
        let used = fixture.histories.tallies.first { $0.key.text == "1" }?.value.bytes ?? 0
        let limit = used + memory
        for name in ["b", "c"] { _ = add(name, &fixture, limit: limit) }
        #expect(texts(fixture.join(room, after: 0)) == ["b e1:2", "c e1:3"])
        #expect(fixture.histories[room]?.dropped.latest(except: nil) == 1)
        #expect(fixture.histories[other]?.events.count == 1)
        let bytes = fixture.histories.tallies.first { $0.key.text == "1" }?.value.bytes ?? 0
        #expect(bytes <= limit)
    }

    @Test("Positions of channels that nobody has been in for longer than events are kept make room before any event (RV-18)")
    func quietPositions() {
        var fixture = Fixture()
        let quiet = ChannelID(application: "1", name: "quiet")
        _ = fixture.join(quiet)
        fixture.histories.vacated(quiet, settings, at: .seconds(0))
        _ = fixture.join(room, at: 100)
        _ = add("a", &fixture, at: 100)
        let used = fixture.histories.tallies.values.first?.bytes ?? 0
        _ = add("b", &fixture, limit: used, at: 101)
        #expect(fixture.histories[quiet] == nil && fixture.histories[room]?.events.count == 2)
    }

    @Test(
        "Histories without events take three quarters of the bytes; those without subscribers make room, the oldest first (RV-16)"
    )
    func churn() {
        var fixture = Fixture()
        func channel(_ number: Int) -> ChannelID { ChannelID(application: "1", name: "c\(1_000 + number)") }
        func join(_ number: Int) -> PusherRecoveryOutcome {
            fixture.histories.join(channel(number), after: nil, user: nil, limit: 0, room: room, at: .seconds(0)) { "e" }.outcome
        }
        // Room for three histories and some events.
        let room = 4 * RecoveryTally.cost(of: channel(0))
        _ = join(0)
        for number in 1...10_000 {
            _ = join(number)
            fixture.histories.vacated(channel(number), settings, at: .seconds(0))
            let tally = fixture.histories.tallies.values.first ?? RecoveryTally()
            #expect(tally.channels <= 3 && tally.bytes <= room)
        }
        #expect(fixture.histories[channel(0)] != nil)
        #expect(fixture.histories[channel(9_998)] == nil)
        #expect(fixture.histories[channel(10_000)] != nil)
        // Where all have subscribers no other history begins, and the confirmation's position is one of no history.
        for number in 9_999...10_000 { fixture.histories.occupied(channel(number)) }
        #expect(join(10_001) == PusherRecoveryOutcome(position: PusherPosition(epoch: "e", number: 0)))
        #expect(fixture.histories[channel(10_001)] == nil)
        let back = fixture.histories.join(
            channel(10_001), after: PusherRecoverRequest(position: PusherPosition(epoch: "e", number: 0)), user: nil, limit: 0,
            room: room, at: .seconds(0)
        ) { "f" }
        #expect(back.outcome.recovered == false)
    }

    @Test("A subscription that may not begin a history takes part in one that is there (RV-16)")
    func mayNotBegin() {
        var fixture = Fixture()
        func join() -> Replay {
            fixture.histories.join(room, after: nil, user: nil, limit: 0, mayBegin: false, at: .seconds(0)) { "e" }
        }
        #expect(!join().beganHistory && fixture.histories.isEmpty)
        #expect(fixture.join(room).beganHistory)
        _ = add("a", &fixture)
        let replay = join()
        #expect(!replay.beganHistory && replay.outcome.position == PusherPosition(epoch: "e1", number: 1))
    }

    @Test("What is counted is what is kept, after any course of things (RV-11)", arguments: UInt64(1)...8)
    func ledger(_ seed: UInt64) {
        var random = FuzzRandom(seed: seed)
        var fixture = Fixture()
        let channels = (0..<5).map { ChannelID(application: "1", name: "c\($0)") }
        var now: Int64 = 0
        for _ in 0..<3_000 {
            let channel = channels[Int.random(in: 0..<5, using: &random)]
            switch Int.random(in: 0..<10, using: &random) {
            case 0: _ = fixture.join(channel, after: 0, at: now)
            case 1: fixture.histories.vacated(channel, settings, at: .seconds(now))
            case 2: fixture.histories.occupied(channel)
            case 3:
                now += Int64.random(in: 0..<3, using: &random)
                fixture.histories.sweep(at: .seconds(now))
            default: _ = add("e", &fixture, to: channel, limit: 4_000, at: now)
            }
            let kept = channels.compactMap { fixture.histories[$0] }
            let tally = fixture.histories.tallies.values.first ?? RecoveryTally()
            #expect(tally.channels == kept.count)
            #expect(tally.events == kept.reduce(0) { $0 + $1.events.count })
            #expect(kept.allSatisfy { $0.events.count <= settings.messages })
        }
        for channel in channels { fixture.histories.vacated(channel, settings, at: .seconds(now)) }
        fixture.histories.sweep(at: .seconds(now + 86_400))
        #expect(fixture.histories.isEmpty)
        #expect(fixture.histories.tallies.values.allSatisfy { $0.bytes == 0 })
    }
}
