import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite(.timeLimit(.minutes(4)))
struct ChatRefusalLogTests {
    /// A message to a group that does not exist.
    private static let toNobody = #""cid":"c","conv":"group","to":"g","type":"RC:TxtMsg","content":{"content":"private-words"}"#

    @Test func `SO-175: a request that is read and refused is one line at debug, without its contents`() async throws {
        let log = LogLines()
        try await withChatServer(.development, { $0.logger = log.logger(.debug) }) { server in
            let client = try await server.device("ann")
            #expect(try await client.refused("send", Self.toNobody) == 25_410)
            await log.wait(for: "error sent")
        }
        let lines = log.all.filter { $0.contains("error sent") }
        #expect(lines.count == 1)
        let line = try #require(lines.first)
        #expect(line.hasPrefix("debug error sent") && !line.contains("private-words"))
        for field in [
            "app=\(ChatApplication.development.key)", "user=ann", "service=chat", "session=", "code=25410", "reason=",
            "address=127.0.0.1",
        ] {
            #expect(line.contains(field), "\(field) in \(line)")
        }
    }

    @Test func `SO-175: repeated refusals are limited, and the next line has the number of those before it`() async throws {
        let log = LogLines()
        let time = ManualClock()
        let settings = ChatApplication.with { $0.limits.queriesPerSecond = 1 }
        let change = { (configuration: inout ServerConfiguration) in
            configuration.logger = log.logger(.debug)
            configuration.clock = time.clock
            configuration.threads = 1
        }
        try await withChatServer(settings, change) { server in
            let client = try await server.device("ann")
            time.advance(by: 1)
            _ = try await client.done("settings")
            for _ in 1...(RefusalLog.burst + 10) { #expect(try await client.refused("settings") == 20_604) }
            #expect(log.count(of: "code=20604") == RefusalLog.burst)
            time.advance(by: 1)
            _ = try await client.done("settings")
            #expect(try await client.refused("settings") == 20_604)
            await log.wait(for: "omitted=10")
        }
    }

    @Test func `SO-173 SO-175: a frame that cannot be read has its line at notice alone`() async throws {
        let log = LogLines()
        try await withChatServer(.development, { $0.logger = log.logger(.debug) }) { server in
            let client = try await server.device("ann")
            try await client.send("{")
            _ = try await client.expect("no")
        }
        let lines = log.all.filter { $0.contains("error sent") }
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("notice") })
    }

    @Test func `SO-175: at the default level refusals of requests have no line`() async throws {
        let log = LogLines()
        try await withChatServer(.development, { $0.logger = log.logger(.notice) }) { server in
            let client = try await server.device("ann")
            _ = try await client.refused("send", Self.toNobody)
            try await client.expectSilence()
        }
        #expect(!log.all.contains { $0.contains("error sent") })
    }
}
