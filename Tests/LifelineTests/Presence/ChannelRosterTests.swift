import ConnectionEngine
import EngineRuntime
import PubNubProtocol
import Testing

@testable import Lifeline

@Suite("Who is on a channel")
struct ChannelRosterTests {
    @Test("Events that came while the answer was under way count more than the answer (LL-17)")
    func meanwhile() {
        var roster = ChannelRoster()
        roster.asked(1)
        _ = roster.joined("new", info: "1")
        roster.left("gone")
        _ = roster.joined("back", info: nil)
        roster.left("back")
        let present = roster.answered([Member(id: "gone"), Member(id: "old", info: "2"), Member(id: "back")])
        #expect(present == [Member(id: "old", info: "2"), Member(id: "new", info: "1")])
        #expect(roster.count == 2)
        #expect(roster.question == nil)
    }

    @Test("An event without state leaves the state that is known")
    func states() {
        var roster = ChannelRoster()
        _ = roster.answered([Member(id: "a", info: "1")])
        #expect(roster.joined("a", info: nil) == Member(id: "a", info: "1"))
        #expect(roster.joined("a", info: "2") == Member(id: "a", info: "2"))
        roster.left("a")
        #expect(roster.joined("a", info: nil) == Member(id: "a"))
    }

    private func news() -> PubNubNews { PubNubNews(user: "me", cipher: nil, tracksPresence: true, allowance: .seconds(3)) }

    private func subscribed(_ channels: String...) -> Notice<PubNubSession> {
        .event(.subscribed(PubNubList(channels: channels), previous: .start, current: .start, isRenewal: false))
    }

    private func interval(
        occupancy: Int, joined: [String] = [], left: [String] = [], needsRefresh: Bool = false
    ) -> Notice<PubNubSession> {
        let event = PubNubPresenceEvent(
            .interval, channel: "a", timestamp: 1, occupancy: occupancy, joined: joined, left: left, needsRefresh: needsRefresh)
        return .event(
            .messages(PubNubBatch(messages: [PubNubFixture.presence(event, 5)], previous: .start, current: .start)))
    }

    @Test("An interval event whose count does not fit asks again, once; one that fits does not (LL-17)")
    func intervals() {
        var news = news()
        let first = news.take([subscribed("a", "a-pnpres")], at: .zero)
        #expect(first.questions == [.init(channel: "a", number: 1)])
        // While a question is under way nothing more is asked.
        #expect(news.take([interval(occupancy: 7)], at: .zero).questions.isEmpty)
        _ = news.answered(first.questions[0], .success([.init(name: "a", members: [Member(id: "x")])]))
        #expect(news.take([interval(occupancy: 2, joined: ["y"])], at: .zero).questions.isEmpty)
        #expect(news.take([interval(occupancy: 1, left: ["x"])], at: .zero).questions.isEmpty)
        #expect(news.take([interval(occupancy: 5)], at: .zero).questions == [.init(channel: "a", number: 2)])
        _ = news.answered(.init(channel: "a", number: 2), .failure(LifelineError(.timeout, "Late.")))
        #expect(news.take([interval(occupancy: 1, needsRefresh: true)], at: .zero).questions.map(\.number) == [3])
    }

    @Test("An answer to an older question, or for a channel that was left, changes nothing")
    func outdated() {
        var news = news()
        let first = news.take([subscribed("a")], at: .zero).questions[0]
        _ = news.take([.event(.unsubscribed(PubNubList(channels: ["a"]), remaining: PubNubList()))], at: .zero)
        #expect(news.answered(first, .success([.init(name: "a", members: [Member(id: "x")])])).events.isEmpty)
        let second = news.take([subscribed("a")], at: .zero).questions[0]
        #expect(news.answered(first, .success([.init(name: "a", members: [Member(id: "x")])])).events.isEmpty)
        #expect(news.answered(second, .success([.init(name: "a", members: [Member(id: "x")])])).events.count == 1)
    }

    @Test("A question that failed is a problem of its channel")
    func failed() {
        var news = news()
        let question = news.take([subscribed("a")], at: .zero).questions[0]
        let events = news.answered(question, .failure(LifelineError(.accessDenied, "No."))).events
        guard events.count == 1, case .problem(_, channel: "a", willRetry: true) = events[0] else {
            Issue.record("\(events)")
            return
        }
    }

    @Test("Two spellings of one id are two members (HB-11)")
    func spellings() {
        var roster = ChannelRoster()
        roster.asked(1)
        #expect(roster.answered([Member(id: "caf\u{E9}"), Member(id: "cafe\u{301}")]).count == 2)
        roster.left("caf\u{E9}")
        #expect(roster.count == 1)
        var list = MemberList()
        _ = list.join(Member(id: "caf\u{E9}"), in: "a")
        #expect(list.join(Member(id: "cafe\u{301}"), in: "a")?.action == .join)
        #expect(list.count == 2 && list.leave("caf\u{E9}", in: "a") != nil && list.count == 1)
    }
}
