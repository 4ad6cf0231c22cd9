import Testing

@testable import ServerRuntime

@Suite("Looking on (CO-40, CO-41)")
struct LiveFeedTests {
    private let ann = FeedViewer(group: "admin", name: "ann")

    private func event(_ channel: String? = "c", app: String = "a", payload: String? = "said") -> FeedEvent {
        FeedEvent(.published, ServiceName(rawValue: "s"), application: app, channel: channel, payload: payload)
    }

    @Test("Nothing is made while nobody looks on, and events are shown in their order")
    func watching() throws {
        let feed = LiveFeed()
        var made = 0
        func make(_ channel: String) -> FeedEvent {
            made += 1
            return event(channel)
        }
        #expect(!feed.isWatched)
        feed.tell(make("1"))
        #expect(made == 0)
        let watcher = try #require(feed.watch(FeedFilter(), for: ann))
        #expect(feed.isWatched)
        for channel in ["2", "3"] { feed.tell(make(channel)) }
        #expect(made == 2)
        #expect(watcher.drain().events.map(\.channel) == ["2", "3"] && watcher.drain().events.isEmpty)
        feed.end(watcher)
        feed.tell(make("4"))
        #expect(!feed.isWatched && made == 2 && watcher.drain().events.isEmpty)
    }

    @Test func `CO-90: of a kind that is asked for only its events are shown`() {
        var filter = FeedFilter()
        for kind in FeedEvent.Kind.allCases {
            filter.kind = kind
            let taken = FeedEvent.Kind.allCases.filter {
                filter.takes(FeedEvent($0, ServiceName(rawValue: "s"), application: "a"))
            }
            #expect(taken == [kind])
        }
    }

    @Test("A watcher that is slow loses events, which are counted, and as many look on as may")
    func bounds() throws {
        let feed = LiveFeed()
        let watcher = try #require(feed.watch(FeedFilter(), for: ann))
        for _ in 0..<(FeedWatcher.capacity + 7) { feed.tell(event()) }
        let (events, dropped) = watcher.drain()
        #expect(events.count == FeedWatcher.capacity && dropped == 7 && watcher.drain().dropped == 0)
        feed.end(watcher)
    }

    @Test("A viewer has three places, all of a role four, all together eight, and an end makes room (CO-41)")
    func shares() throws {
        let feed = LiveFeed()
        func places(_ group: String, _ name: String) -> [FeedWatcher] {
            (0..<9).compactMap { _ in feed.watch(FeedFilter(), for: FeedViewer(group: group, name: name)) }
        }
        let readers = places("reader", "bob")
        #expect(readers.count == 3 && places("reader", "cat").count == 1 && places("reader", "dan").isEmpty)
        #expect(places("admin", "ann").count == 3 && places("admin", "eve").count == 1)
        #expect(feed.watch(FeedFilter(), for: FeedViewer(group: "other", name: "x")) == nil)
        feed.end(readers[0])
        #expect(places("other", "x").count == 1)
    }

    @Test("Payloads are shown only to who wants them, and only their beginning")
    func payloads() throws {
        let feed = LiveFeed()
        var filter = FeedFilter()
        let plain = try #require(feed.watch(filter, for: ann))
        filter.showsPayloads = true
        let curious = try #require(feed.watch(filter, for: ann))
        feed.tell(event())
        #expect(plain.drain().events.first?.payload == nil && curious.drain().events.first?.payload == "said")
        for character in ["x", "é", "👩‍👩‍👧‍👦"] {
            let long = String(repeating: character, count: 3_000)
            let shown = FeedEvent.shown(long)
            #expect(shown.hasSuffix("…") && shown.utf8.count <= FeedEvent.payloadBytes + 3 && long.hasPrefix(shown.dropLast()))
        }
        #expect(FeedEvent.shown("short") == "short")
    }

    @Test("Filters go by service, application and the beginning of channels")
    func filters() {
        var filter = FeedFilter()
        filter.service = "s"
        #expect(filter.takes(event()))
        filter.service = "t"
        #expect(!filter.takes(event()))
        filter.service = nil
        filter.application = "b"
        #expect(!filter.takes(event()) && filter.takes(event(app: "b")))
        filter.application = nil
        filter.channelPrefix = "ro"
        #expect(filter.takes(event("room")) && !filter.takes(event("or")) && !filter.takes(event(nil)))
    }

    @Test("The last connections that ended are kept, the latest first (CO-42)")
    func ended() {
        var ended = EndedConnections()
        ended.capacity = 3
        for number in 1...5 {
            ended.add(
                EndedConnection(
                    id: "\(number)", service: ServiceName(rawValue: "s"), application: "a", time: number, age: .zero,
                    receivedBytes: 0,
                    sentBytes: 0, closedBy: .client, code: 1000))
            #expect(ended.latestFirst.map(\.time) == Array((max(1, number - 2)...number).reversed()))
        }
    }
}
