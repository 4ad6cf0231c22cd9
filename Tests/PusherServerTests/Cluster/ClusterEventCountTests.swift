import Identifiers
import ServerStorage
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

@Suite(.timeLimit(.minutes(1))) struct ClusterEventCountTests {
    @Test func `CR-88: events of the HTTP API are counted by the process that decides, over all times in which it leads`()
        async throws
    {
        try await withPusherCluster(1, isLed: false) { cluster in
            let configuration = cluster.configuration
            let factory = PusherClusterLeaderFactory(
                configuration.pusher, configuration.runtime, userOfflineGrace: configuration.userOfflineGrace,
                sweepInterval: .milliseconds(20))
            for round in 1...2 {
                try await cluster.cluster.lead(by: [.pusher: factory])
                let body = #"{"name":"e","channels":["a","b"],"data":"1"}"#
                #expect(try await cluster[0].post("/apps/1001/events", body).status == 200)
                #expect(factory.eventCounts == [Identifier("1001"): EventCounts(published: 2 * round)])
            }
            let partitions = (0..<2).map { number in
                ClusterChannels(
                    bus: cluster.cluster.bus("partition \(number)"), clock: configuration.clock,
                    events: { factory.eventCounts })
            }
            let channels = try #require(PartitionedChannels(partitions))
            #expect(channels.eventCounts == [Identifier("1001"): EventCounts(published: 8)])
        }
    }
}
