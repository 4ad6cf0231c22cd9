import ConnectionEngine
import PusherServer
import ServerValues
import Testing

@Suite("Watchlists against what watchers believe (HB-50 to HB-53)", .timeLimit(.minutes(5)))
struct SignedInUsersModelTests {
    /// One watcher as its program sees it.
    private struct View {
        var user: String
        var watched: Set<String>
        var online: Set<String> = []
    }

    private struct Model {
        var views: [UserConnection: View] = [:]

        mutating func take(_ news: [WatchlistNotification]) {
            for news in news {
                #expect(!news.watchers.isEmpty && !(news.online + news.offline).isEmpty)
                for watcher in news.watchers {
                    for user in news.online {
                        #expect(views[watcher]?.watched.contains(user) == true)
                        #expect(views[watcher]?.online.insert(user).inserted == true)
                    }
                    for user in news.offline { #expect(views[watcher]?.online.remove(user) != nil) }
                }
            }
        }

        /// In an order that does not depend on hash values, so that a seed gives the same run everywhere.
        var oldestFirst: [(key: UserConnection, value: View)] { views.sorted { $0.key.high < $1.key.high } }

        func isOnline(_ user: String) -> Bool { views.values.contains { $0.user == user } }
    }

    @Test(
        "Users come and go in turns for every watcher, and in the end all know the truth",
        arguments: 1...60 as ClosedRange<UInt64>)
    func randomly(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var book = SignedInUsers(offlineGrace: .seconds(3))
        var model = Model()
        var now = MonotonicInstant.seconds(0)
        var number: UInt64 = 0
        let names = (0..<12).map { "u\($0)" }
        for _ in 0..<600 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<3:
                number += 1
                let connection = UserConnection(eventLoopID: Int.random(in: 0..<4, using: &random), high: number, low: 0)
                let user = try #require(names.randomElement(using: &random))
                let list = Array(names.shuffled(using: &random).prefix(Int.random(in: 0..<6, using: &random)))
                let answer = book.signIn(connection, as: user, watching: list, at: now)
                model.take(answer.news)
                model.views[connection] = View(user: user, watched: Set(list), online: Set(answer.online))
            case 3:
                guard let (connection, view) = model.oldestFirst.randomElement(using: &random) else { continue }
                let list = Array(names.shuffled(using: &random).prefix(Int.random(in: 0..<6, using: &random)))
                let answer = book.signIn(connection, as: view.user, watching: list, at: now)
                model.take(answer.news)
                // Whoever was believed to be online and still is on the list is named again.
                #expect(view.online.intersection(list).isSubset(of: answer.online))
                model.views[connection] = View(user: view.user, watched: Set(list), online: Set(answer.online))
            case 4..<7:
                guard let connection = model.oldestFirst.randomElement(using: &random)?.key else { continue }
                model.views[connection] = nil
                book.signOut(connection, at: now)
            default:
                now = now.advanced(by: .milliseconds(Int.random(in: 0...2_000, using: &random)))
                model.take(book.takeNews(at: now))
            }
        }
        model.take(book.takeNews(at: now.advanced(by: .seconds(3))))
        for view in model.views.values { #expect(view.online == view.watched.filter { model.isOnline($0) }) }
        #expect(book.connectionCount == model.views.count)
        for name in names { #expect(book.isOnline(name) == model.isOnline(name)) }
        for connection in model.views.keys { book.signOut(connection, at: now) }
        #expect(book.userCount == 0)
    }
}
