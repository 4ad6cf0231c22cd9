import Identifiers
import PusherServer
import ServerValues
import Testing

/// Pairs that Swift takes for the same text.
@Suite("Names are compared by their bytes (HB-11)")
struct IdentifierTests {
    static let pairs = [("K", "\u{212A}"), ("jos\u{E9}", "jose\u{301}"), ("a\u{E9}e\u{301}", "ae\u{301}\u{E9}")]

    @Test("Equivalent texts are equal to themselves only", arguments: pairs)
    func texts(one: String, other: String) {
        #expect(one == other)
        #expect(!one.isExactly(other) && one.isExactly(one) && other.isExactly(other))
        #expect(Identifier(one) != Identifier(other) && Identifier(one) == Identifier(String(Array(one))))
        #expect(Set([one, other].map { Identifier($0) }).count == 2)
        #expect(ChannelID(application: "1", name: one) != ChannelID(application: "1", name: other))
        #expect(!one.isExactly(one + "x") && !"".isExactly(one) && "".isExactly(""))
    }

    @Test("The channels of an application are those of no other one with an equivalent id", arguments: pairs)
    func applications(one: String, other: String) throws {
        var shard = ChannelShard()
        _ = try shard.subscribe(
            to: ChannelID(application: one, name: "room"), traits: [], eventLoopID: 0, at: MonotonicInstant(nanoseconds: 0))
        #expect(shard.occupied(application: one, prefix: "").count == 1)
        #expect(shard.occupied(application: other, prefix: "").isEmpty)
    }

    @Test("Users with equivalent ids are two members", arguments: pairs)
    func members(one: String, other: String) {
        var roster = PresenceRoster()
        let joined = [one, other].map { roster.join(PresenceMember(userID: $0)) }
        #expect(joined == [true, true] && roster.count == 2)
        let left = roster.leave(userID: other)
        #expect(left)
        #expect(roster.contains(userID: one) && !roster.contains(userID: other))
    }

    @Test("Nobody watches another user than the one who was named", arguments: pairs)
    func users(one: String, other: String) {
        var book = SignedInUsers(offlineGrace: .zero)
        let now = MonotonicInstant(nanoseconds: 0)
        let watcher = UserConnection(eventLoopID: 0, high: 1, low: 1)
        let watched = book.signIn(watcher, as: "w", watching: [one], at: now)
        _ = book.signIn(UserConnection(eventLoopID: 0, high: 2, low: 2), as: other, watching: [], at: now)
        let news = book.takeNews(at: now)
        #expect(watched.online.isEmpty && news.isEmpty && !book.isOnline(one) && book.isOnline(other))
    }
}
