import Identifiers
import ServerValues
import Testing

@testable import PusherServer

/// What a node knows of its own subscriptions, against a model that lists each of them.
@Suite struct NodeSubscriptionsTests {
    private struct Seat: Hashable {
        var channel: ChannelID
        var socketID: SocketID
        var eventLoopID: Int
        var user: String?
        var isRecovering: Bool
    }

    /// A subscription that the leader counts for the node.
    private struct Held: Hashable {
        var channel: ChannelID
        var user: String?
    }

    private let channels = ["room", "presence-x", "presence-y"].map { ChannelID(application: "1001", name: $0) }

    private func check(_ node: NodeSubscriptions, _ seats: [Seat], _ held: [Held: Int]) {
        for channel in channels {
            let here = seats.filter { $0.channel == channel }
            let isPresence = channel.name.hasPrefix("presence-")
            let users = Set(held.keys.filter { $0.channel == channel }.compactMap(\.user))
            #expect(Array(node.audience(of: channel)) == Set(here.map(\.eventLoopID)).sorted())
            let occupancy = ChannelOccupancy(
                name: channel.name, subscriptions: here.count, users: isPresence ? users.count : nil)
            #expect(node.occupancy(of: channel, isPresence: isPresence) == (here.isEmpty ? nil : occupancy))
            #expect(Set(node.members(of: channel).map(\.userID)) == users)
            #expect(node.isKnown(channel) == (!here.isEmpty || held.keys.contains { $0.channel == channel }))
        }
        #expect(Set(node.recovering) == Set(seats.filter(\.isRecovering).map(\.channel)))
        let counted = Dictionary(
            uniqueKeysWithValues: node.holdings.map { (Held(channel: $0.channel, user: $0.member?.userID), $0.count) })
        #expect(counted == held)
        #expect(node.occupiedCount == Set(seats.map(\.channel)).count)
        #expect(node.tallies["1001"]?.subscriptions ?? 0 == seats.count)
    }

    @Test func `CP-3: a node's subscriptions agree with a list of them, whatever comes and goes`() {
        var random = SystemRandomNumberGenerator()
        for most in [1, 3, 12, 200] {
            var node = NodeSubscriptions()
            var (seats, held, ended): ([Seat], [Held: Int], [Held]) = ([], [:], [])
            for step in 0..<600 {
                // More come than go, and then the other way round.
                let comes = Int.random(in: 0..<5, using: &random) < (step % 300 < 150 ? 3 : 1)
                if comes, seats.count < most, let channel = channels.randomElement(using: &random) {
                    let user = channel.name.hasPrefix("presence-") ? "user-\(Int.random(in: 0..<3, using: &random))" : nil
                    let seat = Seat(
                        channel: channel, socketID: SocketID(high: 1, low: UInt64(step)),
                        eventLoopID: Int.random(in: 0..<3, using: &random), user: user,
                        isRecovering: Bool.random(using: &random))
                    let member = user.map { PresenceMember(userID: $0, info: nil) }
                    // Sometimes the connection has left before its confirmation.
                    let isThere = Int.random(in: 0..<8, using: &random) > 0
                    node.confirm(
                        channel, member, seat: isThere ? (seat.socketID, seat.eventLoopID) : nil,
                        isRecovering: isThere && seat.isRecovering)
                    held[Held(channel: channel, user: user), default: 0] += 1
                    if isThere { seats.append(seat) } else { ended.append(Held(channel: channel, user: user)) }
                } else if Bool.random(using: &random), let index = seats.indices.randomElement(using: &random) {
                    let seat = seats.remove(at: index)
                    #expect(
                        node.leave(seat.channel, seat.socketID) == EndedHolding(channel: seat.channel.name, user: seat.user))
                    #expect(node.leave(seat.channel, seat.socketID) == nil)
                    ended.append(Held(channel: seat.channel, user: seat.user))
                } else if !ended.isEmpty {
                    let gone = ended.removeFirst()
                    node.release(gone.channel, user: gone.user)
                    held[gone] = held[gone].flatMap { $0 > 1 ? $0 - 1 : nil }
                }
                if step % 7 == 0 { check(node, seats, held) }
            }
            check(node, seats, held)
        }
    }
}
