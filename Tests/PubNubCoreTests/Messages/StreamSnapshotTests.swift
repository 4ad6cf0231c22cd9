import Identifiers
import PubNubServer
import Testing

@Suite("A copy of streams reads as they do")
struct StreamSnapshotTests {
    /// The copy that a snapshot begins.
    private func copy(_ snapshot: StreamSnapshot<Int>) -> MessageStreams<Int> {
        var streams = MessageStreams<Int>(startingAt: snapshot.since, forgotten: snapshot.since)
        for entry in snapshot.entries { _ = streams.append(entry.message, entry.attachment) }
        for item in snapshot.dropped { streams.noteDropped(item.timetoken, from: item.channel) }
        streams.advance(to: snapshot.visible)
        return streams
    }

    @Test("Readers of a copy get the same messages from the same cursors, or are told of a gap")
    func whole() throws {
        var streams = MessageStreams<Int>(startingAt: 1000, forgotten: 1000)
        for token in 1001...1300 as ClosedRange<UInt64> { streams.publish(token, token.isMultiple(of: 50) ? "few.a" : "many.a") }
        streams.assign(1400)
        _ = streams.abandon(1400)
        let copy = copy(streams.snapshot(after: 0, maximumBytes: .max))
        #expect(copy.visible == 1400)
        let pattern = try #require(Wildcard("many.*"))
        for interest in [
            StreamInterest(channels: ["few.a"]), StreamInterest(channels: ["many.a"]), StreamInterest(patterns: [pattern]),
        ] {
            for cursor in [999, 1000, 1050, 1190, 1250, 1300, 1400] as [UInt64] {
                let (mine, other) = (streams.read(after: cursor, interest), copy.read(after: cursor, interest))
                // Patterns keep more than channels do, and a copy is made from the channels.
                guard !other.hasDropped || interest.patterns.isEmpty else { continue }
                #expect(other.hasDropped == mine.hasDropped, "\(cursor)")
                #expect(other.deliveries.map(\.entry.attachment) == mine.deliveries.map(\.entry.attachment))
            }
        }
    }

    // Proof of CB-24.
    @Test("A snapshot goes on from a timetoken, and leaves out the oldest where there is too much")
    func parts() {
        var streams = MessageStreams<Int>(startingAt: 1000, forgotten: 1000)
        for token in 1001...1010 as ClosedRange<UInt64> { streams.publish(token, "a", bytes: 1000) }
        let rest = streams.snapshot(after: 1007, maximumBytes: .max)
        #expect(rest.entries.map(\.attachment) == [1008, 1009, 1010] && rest.since == 1000 && rest.visible == 1010)
        let cut = streams.snapshot(after: 0, maximumBytes: 6000)
        #expect(cut.entries.map(\.attachment) == [1009, 1010] && cut.since == 1008)
    }

    @Test("A group takes over the channels that it is given, whatever it had")
    func groups() throws {
        var groups = ChannelGroups()
        _ = try groups.add(["a", "b"], to: "g")
        let change = groups.put(["b", "c"], into: "g")
        #expect(change.added == ["c"] && change.removed == ["a"] && change.channels == ["b", "c"])
        #expect(!groups.put(["b", "c"], into: "g").hasChanged)
        #expect(groups.put([], into: "g").removed == ["b", "c"] && groups.names.isEmpty && groups.bytes == 0)
    }
}
