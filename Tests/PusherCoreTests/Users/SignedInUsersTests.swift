import PusherServer
import Testing

@Suite("Signed-in users and watchlists (HB-50 to HB-53)", .timeLimit(.minutes(5)))
struct SignedInUsersTests {
    private var book = SignedInUsers(offlineGrace: .seconds(3))

    private func connection(_ number: UInt64, eventLoopID: Int = 0) -> UserConnection {
        UserConnection(eventLoopID: eventLoopID, high: number, low: 0)
    }

    @Test("Watchers hear of a user's first connection and, after the grace, of the end of the last")
    mutating func firstAndLast() {
        let watcher = connection(1)
        #expect(book.signIn(watcher, as: "ann", watching: ["bob"], at: .seconds(0)) == UserSignIn(online: [], news: []))
        _ = book.signIn(connection(2), as: "bob", watching: [], at: .seconds(0))
        _ = book.signIn(connection(3, eventLoopID: 1), as: "bob", watching: [], at: .seconds(0))
        #expect(book.takeNews(at: .seconds(0)) == [WatchlistNotification(watchers: [watcher], online: ["bob"], offline: [])])
        book.signOut(connection(2), at: .seconds(1))
        #expect(book.takeNews(at: .seconds(10)).isEmpty)
        #expect(book.isOnline("bob"))
        book.signOut(connection(3, eventLoopID: 1), at: .seconds(10))
        #expect(book.takeNews(at: .seconds(12)).isEmpty)
        #expect(book.takeNews(at: .seconds(13)) == [WatchlistNotification(watchers: [watcher], online: [], offline: ["bob"])])
        #expect(book.takeNews(at: .seconds(100)).isEmpty)
    }

    @Test("Who is back within the grace has not been away (F71)")
    mutating func flap() {
        _ = book.signIn(connection(1), as: "ann", watching: ["bob"], at: .seconds(0))
        for second in 0..<20 {
            _ = book.signIn(connection(2), as: "bob", watching: [], at: .seconds(Int64(second)))
            if second == 0 { #expect(book.takeNews(at: .seconds(0)).count == 1) }
            book.signOut(connection(2), at: .seconds(Int64(second)))
            #expect(book.takeNews(at: .seconds(Int64(second))).isEmpty)
        }
    }

    // Proof of HB-51, HB-52.
    @Test("Who comes and goes before anybody was told was never there")
    mutating func blink() {
        _ = book.signIn(connection(1), as: "ann", watching: ["bob"], at: .seconds(0))
        _ = book.signIn(connection(2), as: "bob", watching: [], at: .seconds(0))
        book.signOut(connection(2), at: .seconds(0))
        #expect(book.takeNews(at: .seconds(100)).isEmpty)
    }

    @Test("A sign-in says who is online, and the others are told the same before")
    mutating func settled() {
        let early = connection(1)
        _ = book.signIn(early, as: "ann", watching: ["bob", "cid"], at: .seconds(0))
        _ = book.signIn(connection(2), as: "bob", watching: [], at: .seconds(0))
        _ = book.signIn(connection(3), as: "cid", watching: [], at: .seconds(0))
        let answer = book.signIn(connection(4), as: "dan", watching: ["bob", "nobody", "dan"], at: .seconds(0))
        #expect(answer.online == ["bob", "dan"])
        #expect(answer.news == [WatchlistNotification(watchers: [early], online: ["bob"], offline: [])])
        #expect(book.takeNews(at: .seconds(0)) == [WatchlistNotification(watchers: [early], online: ["cid"], offline: [])])
    }

    @Test("What several watchers have to hear comes once for all who hear the same")
    mutating func batched() {
        for number in 1...50 {
            _ = book.signIn(connection(UInt64(number)), as: "w\(number)", watching: ["a", "b", "c"], at: .seconds(0))
        }
        _ = book.signIn(connection(51), as: "other", watching: ["b"], at: .seconds(0))
        for (number, user) in ["a", "b", "c"].enumerated() {
            _ = book.signIn(connection(UInt64(100 + number)), as: user, watching: [], at: .seconds(0))
        }
        let news = book.takeNews(at: .seconds(0)).sorted { $0.watchers.count > $1.watchers.count }
        #expect(news.map(\.watchers.count) == [50, 1])
        #expect(news.map(\.online) == [["a", "b", "c"], ["b"]])
    }

    @Test("Signing in again replaces the watchlist, and what was known of those on both lists holds")
    mutating func replaced() {
        let watcher = connection(1)
        _ = book.signIn(connection(2), as: "bob", watching: [], at: .seconds(0))
        _ = book.signIn(connection(3), as: "cid", watching: [], at: .seconds(0))
        #expect(book.signIn(watcher, as: "ann", watching: ["bob"], at: .seconds(0)).online == ["bob"])
        book.signOut(connection(2), at: .seconds(1))
        #expect(book.signIn(watcher, as: "ann", watching: ["cid", "bob"], at: .seconds(2)).online == ["cid", "bob"])
        #expect(book.takeNews(at: .seconds(4)) == [WatchlistNotification(watchers: [watcher], online: [], offline: ["bob"])])
        #expect(book.signIn(watcher, as: "ann", watching: [], at: .seconds(5)).online.isEmpty)
        book.signOut(connection(3), at: .seconds(5))
        #expect(book.takeNews(at: .seconds(100)).isEmpty)
        book.signOut(watcher, at: .seconds(100))
        #expect(!book.isOnline("ann"))
    }

    // Proof of HB-53.
    @Test("Nothing is remembered of users who are neither online nor watched")
    mutating func forgotten() {
        for number in 0..<100 {
            let list = (0..<100).map { "u\(number * 31 + $0)" }
            _ = book.signIn(connection(UInt64(number)), as: "u\(number)", watching: list, at: .seconds(0))
        }
        _ = book.takeNews(at: .seconds(0))
        for number in 0..<100 { book.signOut(connection(UInt64(number)), at: .seconds(1)) }
        #expect(book.connectionCount == 0)
        #expect(book.userCount == 0)
        #expect(book.takeNews(at: .seconds(100)).isEmpty)
        book.signOut(connection(5), at: .seconds(100))
    }
}
