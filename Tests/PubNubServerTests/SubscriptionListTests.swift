import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What event loops remember of subscriptions", .timeLimit(.minutes(1)))
struct SubscriptionListTests {
    @Test("Lists of subscriptions that nobody uses any more are bounded in bytes (HB-66)")
    func unusedLists() async throws {
        try await withServer(quietApplication, { $0.threads = 1 }) { server in
            let client = try await PollClient.connect(server)
            let loop = try #require(server.context.loops.first)
            var most = 0
            // About 0.8 MB each: without the bound all of them would be there for 10 s.
            for number in 0..<45 {
                let channels = (0..<2000).map { "\(number)c\($0)-pnpres" }.joined(separator: ",")
                #expect(try await client.get("/v2/subscribe/demo/\(channels)/0?tt=0").status == 200)
                most = max(
                    most,
                    try await loop.eventLoop.submit {
                        server.services.pubnub.mailboxes[loop.number].part.polls[0]?.sources.count ?? 0
                    }.get())
            }
            #expect((10...25).contains(most))
        }
    }
}
