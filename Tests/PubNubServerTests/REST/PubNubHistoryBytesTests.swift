import Identifiers
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Bytes of answers of the history service (rule PV-132)")
struct PubNubHistoryBytesTests {
    /// A payload of about 32 KB.
    static let long = JSONWriter.string(String(repeating: "x", count: 32_000))

    static func fixture(_ channels: [String], messages: Int, payload: String = long) -> PubNubRESTFixture {
        let fixture = PubNubRESTFixture()
        for number in 0..<messages {
            fixture.pass(seconds: 1)
            for channel in channels { fixture.store(payload, on: Identifier(channel), metadata: "\(number)") }
        }
        return fixture
    }

    static func v3(_ channels: String) -> String { "/v3/history/sub-key/demo/channel/\(channels)" }

    @Test("One channel: whole messages up to 1 MiB, and the rest behind `more`", arguments: ["history", "history-with-actions"])
    func pages(service: String) async throws {
        let fixture = Self.fixture(["room"], messages: 80)
        var target = "/v3/\(service)/sub-key/demo/channel/room?include_meta=true"
        var numbers: [Int] = []
        for _ in 0..<20 {
            let body = try await fixture.body(target)
            #expect(body.utf8.count <= 1_100_000)
            let answer = try JSONText(body)
            let page = answer["channels"]?["room"]?.elements ?? []
            numbers = page.compactMap { $0["meta"]?.integer } + numbers
            guard let more = answer["more"] else { break }
            #expect(more["start"]?.string == page.first?["timetoken"]?.string)
            target = try #require(more["url"]?.string) + "&include_meta=true"
        }
        #expect(numbers == Array(0..<80))
    }

    @Test("Version 2: whole messages up to 1 MiB, from the side where reading begins")
    func versionTwo() async throws {
        let fixture = Self.fixture(["room"], messages: 80)
        let target = "/v2/history/sub-key/demo/channel/room?include_meta=true"
        for (query, first, last) in [("", 48, 79), ("&reverse=true", 0, 31)] {
            let body = try await fixture.body(target + query)
            #expect(body.utf8.count <= 1_100_000)
            let numbers = try JSONText(body).elements?.first?.elements?.compactMap { $0["meta"]?.integer }
            #expect(numbers == Array(first...last))
        }
    }

    @Test("Several channels share the bytes, what one does not need is left to others, and those that are cut are named")
    func shares() async throws {
        let fixture = Self.fixture((0..<20).map { "c\($0)" }, messages: 10)
        fixture.store("1", on: "short")
        let channels = (["short"] + (0..<20).map { "c\($0)" }).joined(separator: ",")
        let body = try await fixture.body(Self.v3(channels + "," + channels))
        #expect(body.utf8.count <= 1_150_000)
        let answer = try JSONText(body)
        #expect(answer["channels"]?["short"]?.elements?.count == 1)
        let counts = (0..<20).compactMap { answer["channels"]?["c\($0)"]?.elements?.count }
        #expect(counts.count == 20 && counts.allSatisfy { $0 >= 1 } && counts.reduce(0, +) >= 28)
        #expect(answer["more"]?.members?.map(\.key) == (0..<20).map { "c\($0)" })
        let more = try #require(answer["more"]?["c7"])
        #expect(more["start"]?.string == answer["channels"]?["c7"]?.elements?.first?["timetoken"]?.string)
        #expect(more["url"]?.string == Self.v3("c7") + "?max=25&start=\(more["start"]?.string ?? "")")
    }

    @Test("Channels for which there is no room at all are named, too")
    func noRoom() async throws {
        let fixture = Self.fixture((0..<60).map { "c\($0)" }, messages: 1)
        let body = try await fixture.body(Self.v3((0..<60).map { "c\($0)" }.joined(separator: ",")))
        #expect(body.utf8.count <= 1_150_000)
        let answer = try JSONText(body)
        let (told, more) = (answer["channels"]?.members?.map(\.key) ?? [], answer["more"]?.members?.map(\.key) ?? [])
        #expect(told == (0..<33).map { "c\($0)" } && more == (0..<60).map { "c\($0)" })
        #expect(answer["more"]?["c0"]?["start"] != nil && answer["more"]?["c59"]?["start"] == nil)
    }

    @Test("Short messages come as before, without `more`")
    func short() async throws {
        let fixture = Self.fixture(["a", "b"], messages: 30, payload: "1")
        let answer = try JSONText(try await fixture.body(Self.v3("a,b")))
        #expect(answer["channels"]?["a"]?.elements?.count == 25 && answer["more"] == nil)
        #expect(try JSONText(try await fixture.body(Self.v3("a")))["more"] == nil)
    }

    @Test("A message with many actions is cut with its page, and one alone comes whole")
    func actions() async throws {
        let fixture = PubNubRESTFixture()
        let value = String(repeating: "v", count: 4000)
        for _ in 0..<5 {
            fixture.pass(seconds: 1)
            let message = fixture.store("1", on: "room")
            for number in 0..<100 {
                fixture.application.actions.put(
                    MessageAction(
                        type: "t", value: "\(number)" + value, user: "u", message: message,
                        timetoken: fixture.application.storage.tokens.next()),
                    on: "room")
            }
        }
        let body = try await fixture.body("/v3/history-with-actions/sub-key/demo/channel/room")
        #expect(body.utf8.count < 1_100_000)
        let answer = try JSONText(body)
        #expect(answer["channels"]?["room"]?.elements?.count == 2)
        #expect(answer["more"]?["start"]?.string == answer["channels"]?["room"]?.elements?.first?["timetoken"]?.string)
    }

    @Test("A store reads no more than it is asked for, and a page is cut at whole messages")
    func page() async throws {
        let fixture = Self.fixture(["room"], messages: 10, payload: "1")
        let size = 162
        for (isOldestFirst, expected) in [(false, [6, 7, 8, 9]), (true, [0, 1, 2, 3])] {
            let query = HistoryQuery(channel: "room", limit: 100, isOldestFirst: isOldestFirst, maximumBytes: 3 * size + 5)
            let messages = try await fixture.application.storage.store.history(query, application: "demo")
            #expect(messages.compactMap { Int(String(decoding: $0.metadata ?? [], as: UTF8.self)) } == expected)
            let page = HistoryAnswerPage(messages, query)
            #expect(page.messages.count == 3 && page.isCut)
        }
    }
}
