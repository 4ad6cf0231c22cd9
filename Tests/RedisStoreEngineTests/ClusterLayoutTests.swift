import NIOConcurrencyHelpers
import RedisClient
import RedisStoreEngine
import ServerCluster
import Testing

@Suite struct ClusterLayoutTests {
    private let keys: ClusterKeys
    private let four: ClusterPartitions

    init() throws {
        keys = try #require(ClusterKeys(cluster: "eu"))
        four = try #require(ClusterPartitions(4))
    }

    /// A Redis that has texts.
    private final class Texts: Sendable {
        let kept: NIOLockedValueBox<[String: String]>

        init(_ kept: [String: String] = [:]) { self.kept = NIOLockedValueBox(kept) }

        func ask(_ command: RedisCommand) -> RedisValue {
            let words = command.arguments.map { if case .text(let text) = $0 { text } else { "" } }
            return kept.withLockedValue { kept in
                switch command.name {
                case "GET": return kept[words[0]].map { .simple($0) } ?? .null
                case "EXISTS": return .integer(kept[words[0]] == nil ? 0 : 1)
                default:
                    kept[words[0]] = kept[words[0]] ?? words[1]
                    return .null
                }
            }
        }
    }

    private func claim(_ layout: ClusterLayout, in texts: Texts) async throws -> LayoutConflict? {
        try await keys.claim(layout) { (command) throws(RedisFailure) in texts.ask(command) }
    }

    @Test("CR-52: The first server stores the layout, and others with the same one may start, in any order of the Redis")
    func same() async throws {
        let texts = Texts()
        let layout = ClusterLayout(four, over: ["redis://a:6379/0", "redis://b:6379/0"])
        #expect(try await claim(layout, in: texts) == nil)
        #expect(texts.kept.withLockedValue { $0["{lifeline:eu}:layout"] } == layout.text)
        #expect(try await claim(ClusterLayout(four, over: ["redis://b:6379/0", "redis://a:6379/0"]), in: texts) == nil)
        #expect(ClusterLayout(layout.text) == layout && ClusterLayout("partitions=x") == nil && ClusterLayout("4") == nil)
    }

    @Test("CR-52: A server with another number of partitions, or other Redis, is told both layouts and what to do")
    func others() async throws {
        let texts = Texts()
        #expect(try await claim(ClusterLayout(four, over: ["redis://a:6379/0"]), in: texts) == nil)
        let conflict = try #require(try await claim(ClusterLayout(.one, over: ["redis://a:6379/0"]), in: texts))
        let words = conflict.description
        #expect(words.contains("4 partitions on one Redis") && words.contains("1 partition on one Redis"))
        #expect(words.contains("{lifeline:eu}:layout") && words.contains("stop all servers"))
        // One Redis may have several addresses; of several, each has to be known by the same one.
        #expect(try await claim(ClusterLayout(four, over: ["redis://localhost:6379/0"]), in: texts) == nil)
        #expect(try await claim(ClusterLayout(four, over: ["redis://a:6379/0", "redis://b:6379/0"]), in: texts) != nil)
        #expect(
            ClusterLayout(four, over: ["redis://a:6379/0", "redis://b:6379/0"])
                != ClusterLayout(four, over: ["redis://a:6379/0", "redis://c:6379/0"]))
    }

    @Test("CR-52: A cluster of a version without partitions has one, and cannot be started with several")
    func former() async throws {
        let texts = Texts(["{lifeline:eu}:leader": "…"])
        #expect(
            try await claim(ClusterLayout(four, over: ["redis://a:6379/0"]), in: texts)?.stored.contains("before 0.3") == true)
        #expect(texts.kept.withLockedValue { $0.count } == 1)
        #expect(try await claim(ClusterLayout(.one, over: ["redis://a:6379/0"]), in: texts) == nil)
    }

    @Test("CR-81: A layout of several partitions says that channels are spread, in words that earlier versions refuse")
    func scheme() {
        let places = ["redis://a:6379/0"]
        #expect(ClusterLayout(four, over: places).text == "partitions=4 redis=1 channels")
        #expect(ClusterLayout(four, over: places, scheme: .applications).text == "partitions=4 redis=1")
        // With one partition everything is as in versions that did not spread channels.
        #expect(ClusterLayout(.one, over: places).text == "partitions=1 redis=1" && ClusterLayout(.one, over: places) == .former)
        for scheme in [ClusterLayout.Scheme.applications, .channels] {
            let layout = ClusterLayout(four, over: places + ["redis://b:6379/0"], scheme: scheme)
            #expect(ClusterLayout(layout.text) == layout)
        }
        #expect(ClusterLayout("partitions=4 redis=1 something") == nil)
    }

    @Test func `CR-60: servers with and without a database beside Redis do not join each other`() async throws {
        let places = ["redis://a:6379/0"]
        let layout = ClusterLayout(four, over: places, hasDatabase: true)
        #expect(ClusterLayout(layout.text) == layout && layout.text == "partitions=4 redis=1 channels database")
        for (stored, own) in [(layout, ClusterLayout(four, over: places)), (ClusterLayout(four, over: places), layout)] {
            let texts = Texts(["{lifeline:eu}:layout": stored.text])
            #expect(try await claim(stored, in: texts) == nil)
            let conflict = try #require(try await claim(own, in: texts))
            #expect(conflict.isOfDatabase && !conflict.isOfVersion)
            #expect(conflict.description.contains("lifeline data copy") && conflict.description.contains("PostgreSQL beside it"))
        }
    }

    @Test("CR-81: A server is told when the others have another scheme, and what is lost by a change")
    func otherScheme() async throws {
        let places = ["redis://a:6379/0"]
        let texts = Texts(["{lifeline:eu}:layout": ClusterLayout(four, over: places, scheme: .applications).text])
        let conflict = try #require(try await claim(ClusterLayout(four, over: places), in: texts))
        #expect(conflict.isOfVersion)
        let words = conflict.description
        #expect(words.contains("with each application in one of them") && words.contains("with Pusher's channels spread"))
        #expect(words.contains("stop all servers") && words.contains("{lifeline:eu}:layout") && words.contains("cache channels"))
        // Another number of partitions is another matter.
        let other = try #require(try await claim(ClusterLayout(.one, over: places), in: texts))
        #expect(!other.isOfVersion)
    }
}
