import ClusterTestSupport
import Identifiers
import NIOCore
import ServerCluster
import ServerStorage
import Testing

@testable import PubNubServer

@Suite struct RedisKeysetWriterTests {
    private let keys = RedisStreamKeys(reader: InProcessCluster.Store())

    @Test func `CB-67: the stream of recent messages gets its time to live anew about once a minute, whatever the clock does`() {
        var writer = RedisKeysetWriter()
        var timetoken: UInt64 = 900_000_000_000
        /// Whether the next message, at this time in seconds, renews the time to live.
        func renews(at seconds: UInt64) -> Bool {
            timetoken += 1
            let message = StoredMessage(timetoken: timetoken, channel: "room", payload: [49], isStored: false)
            let writes = writer.writes(
                for: message, message.encoded(), with: nil, of: "demo", keys, RedisStoreSettings(),
                at: seconds * TimetokenClock.ticksPerSecond)
            return writes.contains { if case .expire(keys.recent("demo"), milliseconds: 2_400_000) = $0 { true } else { false } }
        }
        #expect([10_000, 10_059, 10_060, 10_061].map { renews(at: $0) } == [true, false, true, false])
        // The clock is set back by two hours, which is longer than the time to live.
        #expect([2_861, 2_862, 2_921].map { renews(at: $0) } == [true, false, true])
    }
}
