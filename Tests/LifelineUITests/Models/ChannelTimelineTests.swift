import Lifeline
import Testing

@testable import LifelineUI

@Suite struct ChannelTimelineTests {
    private func message(_ number: Int) -> Message {
        Message(channel: "numbers", text: "\(number)", id: "\(number)", receivedAt: Moment(nanoseconds: 0))
    }

    private func text(_ timeline: ChannelTimeline<Int>) -> [String] {
        timeline.rows.map { row in
            switch row.content {
            case .value(let number, _): "\(number)"
            case .unreadable: "unreadable"
            case .undecodable, .gap: "other"
            }
        }
    }

    @Test func `UI-8: unreadable messages of an older page are in their places`() {
        var timeline = ChannelTimeline<Int>(event: nil, limit: 100)
        timeline.take(past: [message(6)])
        let unreadable = LifelineError(.decryptionFailed, "Another key.")
        let failures = [1, 3, 5].map { HistoryPage.Failure(id: "\($0)", error: unreadable) }
        var page = HistoryPage(messages: [message(2), message(4)], failures: failures)
        page.places = [0, 1, 2]
        timeline.take(older: page)
        #expect(text(timeline) == ["unreadable", "2", "unreadable", "4", "unreadable", "6"])
    }

    @Test func `UI-8: without places unreadable messages are in front`() {
        var timeline = ChannelTimeline<Int>(event: nil, limit: 3)
        timeline.take(past: [message(6)])
        let unreadable = LifelineError(.decryptionFailed, "Another key.")
        timeline.take(older: HistoryPage(messages: [message(5)], failures: [.init(id: nil, error: unreadable)]))
        #expect(text(timeline) == ["unreadable", "5", "6"] && !timeline.isCut)
        timeline.take(older: HistoryPage(messages: [message(4)]))
        #expect(text(timeline) == ["unreadable", "5", "6"] && timeline.isCut)
    }
}
