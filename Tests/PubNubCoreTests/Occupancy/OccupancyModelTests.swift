import ConnectionEngine
import Identifiers
import PubNubServer
import Testing

/// Deadlines of everybody in a dictionary, looked through every second.
private struct NaivePresence {
    struct Key: Hashable {
        var channel: Identifier
        var user: Identifier
    }

    var deadlines: [Key: [Identifier: Int]] = [:]

    mutating func touch(_ key: Key, _ connection: Identifier, until second: Int) {
        deadlines[key, default: [:]][connection] = second
    }

    mutating func leave(_ key: Key, _ connection: Identifier) {
        if connection.isEmpty {
            deadlines[key] = nil
        } else if deadlines[key]?.removeValue(forKey: connection) == nil {
            deadlines[key]?[""] = nil
        }
        if deadlines[key]?.isEmpty == true { deadlines[key] = nil }
    }

    mutating func pass(to second: Int) {
        deadlines = deadlines.mapValues { $0.filter { $0.value > second } }.filter { !$0.value.isEmpty }
    }

    func users(_ channel: Identifier) -> Set<Identifier> { Set(deadlines.keys.filter { $0.channel == channel }.map(\.user)) }
}

@Suite("Presence against a dictionary (HB-32 to HB-37)")
struct OccupancyModelTests {
    @Test(
        "Whatever happens, queries agree with the model, and an observer who adds events up sees who is there",
        arguments: 1...30 as ClosedRange<UInt64>)
    func randomly(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var script = OccupancyScript(OccupancySettings(announceMaximum: 3, interval: .seconds(10)))
        var model = NaivePresence()
        var observed: [Identifier: Set<Identifier>] = [:]
        let channels: [Identifier] = ["a", "b"], users = (0..<8).map { Identifier("u\($0)") }
        for second in 0..<600 {
            model.pass(to: second)
            script.pass(to: second)
            for _ in 0..<Int.random(in: 0..<3, using: &random) {
                let key = NaivePresence.Key(
                    channel: try #require(channels.randomElement(using: &random)),
                    user: try #require(users.randomElement(using: &random)))
                let connection = try #require((["", "x", "y"] as [Identifier]).randomElement(using: &random))
                if Int.random(in: 0..<3, using: &random) == 0 {
                    model.leave(key, connection)
                    script.leave(key.user, key.channel, via: connection)
                } else {
                    let timeout = Int.random(in: 20...60, using: &random)
                    model.touch(key, connection, until: second + timeout)
                    script.touch(key.user, key.channel, via: connection, for: timeout)
                }
            }
            for channel in channels {
                let here = script.book.hereNow(channel)
                try #require(Set(here.occupants.map(\.user)) == model.users(channel), "second \(second)")
                try #require(here.occupancy == here.occupants.count)
            }
            for user in users {
                try #require(script.book.whereNow(user) == channels.filter { model.users($0).contains(user) })
            }
            for event in script.all { apply(event, to: &observed) }
            _ = script.news()
        }
        // When nothing has happened for an interval, the observer knows everything.
        for second in 600..<611 {
            for (key, connections) in model.deadlines {
                for connection in connections.keys {
                    script.touch(key.user, key.channel, via: connection)
                }
            }
            script.pass(to: second)
        }
        for event in script.all { apply(event, to: &observed) }
        for channel in channels { #expect(observed[channel, default: []] == model.users(channel)) }
    }

    private func apply(_ event: OccupancyEvent, to observed: inout [Identifier: Set<Identifier>]) {
        let gone = event.left + event.timedOut + (event.action == .leave || event.action == .timeout ? [event.user ?? ""] : [])
        let came = event.joined + (event.action == .join ? [event.user ?? ""] : [])
        for user in gone { #expect(observed[event.channel, default: []].remove(user) != nil, "\(event.short)") }
        for user in came { #expect(observed[event.channel, default: []].insert(user).inserted, "\(event.short)") }
        if event.action != .stateChange {
            #expect(observed[event.channel, default: []].count == event.occupancy, "\(event.short)")
        }
    }
}
