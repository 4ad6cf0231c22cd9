import ServerValues
import Testing

@testable import LifelineServer

@Suite("Curves of the console (CO-31)")
struct RateHistoryTests {
    private func at(_ milliseconds: Int64) -> MonotonicInstant { MonotonicInstant(nanoseconds: milliseconds * 1_000_000) }

    @Test("Rates are differences in a second, never below zero, and five minutes of them are kept")
    func rates() {
        var history = RateHistory()
        #expect(history.isDue(at: at(0)))
        history.add(.init(sent: 100, received: 10, connections: 3), at: at(0))
        #expect(history.points.isEmpty && !history.isDue(at: at(999)) && history.isDue(at: at(1_000)))
        history.add(.init(sent: 300, received: 5, connections: 4), at: at(2_000))
        #expect(history.points == [.init(sent: 100, received: 0, connections: 4)])
        for second in 3..<1_000 { history.add(.init(sent: 300, received: 5, connections: second), at: at(Int64(second) * 1_000)) }
        #expect(history.points.count == RateHistory.capacity && history.points.last?.connections == 999)
        #expect(history.points.allSatisfy { $0.sent == 0 })
    }

    @Test("Addresses of receivers are shown without what may be secret in them")
    func addresses() {
        for (url, shown) in [
            ("https://example.com/hook", "https://example.com/hook"),
            ("https://u:p@example.com/a?token=x#y", "https://example.com/a"),
            ("http://u@h:8080", "http://h:8080"), ("https://a@b@c/d@e", "https://c/d@e"), ("https://h/?x", "https://h/"),
        ] { #expect(ServerConsoleSource.withoutSecrets(url) == shown) }
    }
}
