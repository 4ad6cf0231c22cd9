import ClusterTestSupport
import LifelineServer
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import Testing

/// Whole nodes of a cluster, with their clocks and their event loops, over a store engine that is not Redis.
@Suite(.timeLimit(.minutes(1))) struct MemoryEngineTests {
    /// Numbers texts. It keeps the number of the last one.
    private final class Counter: ClusterLeader {
        private let context: ClusterLeaderContext
        private let count: NIOLockedValueBox<Int>
        private let gone: NIOLockedValueBox<[ClusterNode]>

        init(_ context: ClusterLeaderContext, count: Int, gone: NIOLockedValueBox<[ClusterNode]>) {
            self.context = context
            self.gone = gone
            self.count = NIOLockedValueBox(count)
        }

        func handle(_ request: ByteBuffer, from node: ClusterNode, reply: @escaping @Sendable (ByteBuffer) -> Void) {
            let number = count.withLockedValue { count in
                count += 1
                return count
            }
            let text = ByteBuffer(string: "\(number) \(String(buffer: request))")
            context.output.emit(
                text, of: .pusher, to: .all, writes: [.set(context.store.key("pusher:count"), .integer(Int64(number)))],
                completion: nil)
            reply(text)
        }

        func announced(_ requests: [ByteBuffer], by node: ClusterNode) {}
        func left(_ node: ClusterNode) { gone.withLockedValue { $0.append(node) } }
        func close() async {}
    }

    private final class Factory: ClusterLeaderFactory {
        /// The nodes that have left while this node led.
        let gone = NIOLockedValueBox<[ClusterNode]>([])

        func makeLeader(_ context: ClusterLeaderContext) async throws -> any ClusterLeader {
            let kept = try await context.store.text(of: context.store.key("pusher:count"))
            return Counter(context, count: kept.flatMap { Int($0) } ?? 0, gone: gone)
        }
    }

    private final class Listener: ClusterMember {
        private let facts = NIOLockedValueBox<[String]>([])
        var told: [String] { facts.withLockedValue { $0 } }

        func apply(_ fact: ByteBuffer) { facts.withLockedValue { $0.append(String(buffer: fact)) } }
        func announcement() -> [ByteBuffer] { [] }
        func interrupted() { facts.withLockedValue { $0.append("interrupted") } }
    }

    private struct Node {
        let client: ClusterClient
        let listener = Listener()
        let factory = Factory()

        init(_ name: String, _ server: MemoryServer) {
            let node = ClusterNode(name: name, incarnation: .random(in: 1 ... .max))
            let (engine, configuration) = (MemoryEngine(node, server), ServerConfiguration())
            client = ClusterClient(
                ClusterSettings(node: node, clock: configuration.clock, logger: configuration.logger), engine,
                eventLoop: engine.eventLoop)
            client.attach(listener, of: .pusher)
            client.attach(factory, of: .pusher)
            client.start()
        }

        func say(_ text: String) async throws -> String {
            let result = await withCheckedContinuation { continuation in
                client.request(ByteBuffer(string: text), of: .pusher, within: nil, isRepeatable: true) {
                    continuation.resume(returning: $0)
                }
            }
            return String(buffer: try result.get())
        }
    }

    @Test func `CR-70: nodes over an engine in memory have one leader, and the next one goes on from what is stored`()
        async throws
    {
        let server = MemoryServer()
        let nodes = [Node("a", server), Node("b", server)]
        for node in nodes { #expect(await node.client.waitUntilReady(within: .seconds(30))) }
        #expect(nodes.count { $0.client.status.role != .follower } == 1)
        #expect(try await nodes[0].say("one") == "1 one")
        #expect(try await nodes[1].say("two") == "2 two")
        let leader = try #require(nodes.firstIndex { $0.client.status.role != .follower })
        let other = nodes[1 - leader]
        await nodes[leader].client.close()
        #expect(try await other.say("three") == "3 three")
        // CR-15: the request was handled after that.
        #expect(other.factory.gone.withLockedValue { $0 } == [nodes[leader].client.node])
        #expect(other.listener.told.suffix(3) == ["1 one", "2 two", "3 three"])
        #expect(server.perform { $0.kept.collections.answer(.value("pusher:count")) } == .bytes(ByteBuffer(string: "3")))
        await other.client.close()
    }
}
