import NIOCore
import ServerStorage

@testable import ChatServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerCluster

/// What nodes of a cluster say to each other, and what they keep in Redis.
enum ClusterTargets {
    static let all = [FuzzTarget(name: "cluster", run: cluster), FuzzTarget(name: "cluster-record", run: record)]

    /// One kind of message, chosen by the first byte. What can be read is written again with the same bytes as the first time.
    @Sendable private static func cluster(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        let buffer = ByteBuffer(bytes: input.bytes)
        let node = ClusterNode(name: "n", incarnation: 1)
        switch choice % 11 {
        case 0: repeated(buffer) { try ClusterBatch(decoding: $0).encoded() }
        case 1: repeated(buffer) { try ClusterRequests(decoding: $0).encoded() }
        case 2:
            repeated(buffer) { buffer in
                let (key, fact) = try PubNubFact.decode(buffer)
                return fact.encoded(of: key)
            }
        case 3: repeated(buffer) { try PubNubClusterRequest(decoding: $0).encoded() }
        case 4: repeated(buffer) { try ChatClusterRequest(decoding: $0).encoded() }
        case 5: repeated(buffer) { try ChatClusterReply(decoding: $0).encoded() }
        case 6: _ = try? ChatFact(buffer, for: node)
        case 7: repeated(buffer) { try PusherRequest(decoding: $0).encoded() }
        case 8: repeated(buffer) { try PusherFact(decoding: $0).encoded() }
        case 9: repeated(buffer) { try PartitionAnswer(decoding: $0).encoded() }
        default: repeated(buffer) { try SubscribeAnswer(decoding: $0).encoded() }
        }
    }

    private static func repeated(_ buffer: ByteBuffer, _ code: (ByteBuffer) throws -> ByteBuffer) {
        guard let written = try? code(buffer) else { return }
        require((try? code(written)) == written, "The message is not read as it is written.")
    }

    /// One kind of record, chosen by the first byte.
    @Sendable private static func record(_ input: FuzzInput) {
        var input = input
        let choice = input.byte()
        let buffer = ByteBuffer(bytes: input.bytes)
        switch choice % 8 {
        case 0: _ = try? StoredMessage(decoding: buffer)
        case 1: _ = try? MessageAction(decoding: buffer)
        case 2: _ = try? AccessEntry(decoding: buffer)
        case 3: _ = try? OccupancyRecord(decoding: buffer)
        case 4: _ = ObjectMetadata(record: input.array)
        case 5: _ = StoredFile(KeysetRecord(.init(.file, [1]), input.array))
        case 6: _ = FilePlace(cursor: input.text)
        default: _ = PushDevice(recordKey: input.text)
        }
    }
}
