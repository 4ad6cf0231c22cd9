import NIOCore
import RedisClient
import ServerCluster
import Testing

@testable import RedisStoreEngine

@Suite struct NodeVersionsTests {
    private let own = ClusterNode(name: "a", incarnation: 1)
    private let other = ClusterNode(name: "b", incarnation: 2)
    private let former = ClusterNode(name: "b", incarnation: 3)

    private var versions: NodeVersions { NodeVersions("versions", node: own, version: "0.3.0") }

    @Test func `CR-48: versions of nodes that are gone are removed`() {
        var versions = versions
        let answer = RedisValue.map(
            [(own, "0.3.0"), (other, "0.2.0"), (former, "0.1.0")].map { node, version in
                RedisPair(.bulk(ByteBuffer(string: node.description)), .bulk(ByteBuffer(string: version)))
            })
        guard case .command(let removal)? = versions.noted(answer, nodes: [own, other]) else {
            Issue.record("nothing is removed")
            return
        }
        #expect(removal == RedisCommand("HDEL", "versions", .text(former.description)))
        #expect([own, other, former].map { versions.version(of: $0) } == ["0.3.0", "0.2.0", nil])
    }

    @Test func `CR-48: a node that has not told its version has none, and an answer of another kind changes nothing`() {
        var versions = versions
        for answer in [RedisValue.null, .map([]), .array([.integer(1)])] {
            #expect(versions.noted(answer, nodes: [own, other]) == nil)
        }
        #expect([own, other].map { versions.version(of: $0) } == ["0.3.0", nil])
    }
}
