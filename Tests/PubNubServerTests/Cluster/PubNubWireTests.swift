import ClusterTestSupport
import Identifiers
import NIOCore
import NIOHTTP1
import ServerCluster
import ServerRuntime
import ServerStorage
import Testing

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("What nodes of the PubNub service say to each other")
struct PubNubWireTests {
    private static let full = StoredMessage(
        timetoken: 17_000_000_000_000_001, channel: "u\u{308}/\u{0}", publisher: "ann", payload: [1, 2], metadata: [3], kind: 4,
        customType: "note", sequence: -7, origination: .max, isStored: true, expires: 18_000_000_000_000_000)
    private static let bare = StoredMessage(timetoken: 1, channel: "", payload: [], isStored: false)
    /// Around the first timetoken of 18 digits, which comes in the year 2286.
    private static let edges = ([99_999_999_999_999_999, 100_000_000_000_000_000, UInt64(Int64.max)] as [UInt64]).map {
        StoredMessage(timetoken: $0, channel: "c", payload: [1], isStored: true)
    }
    private static let entries = [
        AccessEntry(.init(.channel, "a", holder: "k"), rights: 255, ttl: 5, expires: 300), AccessEntry(.init(.everything)),
        AccessEntry(.init(.revokedToken, "0f"), expires: 9),
    ]

    static let facts: [PubNubFact] = [
        .decided(
            messages: [full, bare], groups: [.init(name: "g", channels: ["a", "b"]), .init(name: "h", channels: [])],
            absent: ["ann"]),
        .decided(messages: [], groups: [], absent: []), .access(entries: entries, removed: entries.map(\.key)),
        .restart, .stateAt(snapshot: 3, since: 7, isWhole: true), .stateMessages([full] + edges),
        .stateGroups([.init(name: "g", channels: ["a"])]), .stateAccess(entries),
        .stateDropped([.init(channel: "a", timetoken: 3)]), .stateEnds(visible: .max),
    ]

    /// Facts that the version before does not write, and ignores.
    private static let laterFacts: [PubNubFact] = [.answersMissed]

    @Test("A timetoken of more than 63 bits makes a fact unreadable, so nothing is added to it (CR-42)")
    func absurd() {
        var message = Self.bare
        message.timetoken = UInt64(Int64.max) + 1
        #expect(throws: ClusterCodingError.self) {
            _ = try PubNubFact.decode(PubNubFact.stateMessages([message]).encoded(of: "demo"))
        }
    }

    @Test("A fact comes back as it was, with its keyset", arguments: facts + laterFacts)
    func roundTrip(fact: PubNubFact) throws {
        let (key, found) = try PubNubFact.decode(fact.encoded(of: "demo"))
        #expect(key == "demo" && found == fact)
    }

    @Test("Timetokens keep all digits in the names of what the store keeps, and their order")
    func tokensInStore() throws {
        let tokens: [UInt64] = [
            1, 17_955_015_000_000_001, 17_955_015_000_000_002, 99_999_999_999_999_999, 100_000_000_000_000_000, .max,
        ]
        let fields = tokens.map { RedisMessageField(timetoken: $0, channel: "c") }
        let texts = fields.compactMap { if case .text(let text) = $0.word { text } else { nil } }
        #expect(texts == texts.sorted() && texts.count == tokens.count)
        #expect(texts.compactMap { RedisMessageField($0)?.timetoken } == tokens)
    }

    @Test("Cuts and additions of a fact are noticed", arguments: facts + laterFacts)
    func cutFacts(fact: PubNubFact) throws {
        var bytes = fact.encoded(of: "demo")
        for length in 0..<bytes.readableBytes {
            let cut = try #require(bytes.getSlice(at: 0, length: length))
            #expect(throws: ClusterCodingError.self) { _ = try PubNubFact.decode(cut) }
        }
        bytes.writeInteger(0 as UInt8)
        #expect(throws: ClusterCodingError.self) { _ = try PubNubFact.decode(bytes) }
    }

    private static var requests: [PubNubClusterRequest] {
        get throws {
            let target = try RequestTarget(parsing: "/publish/demo/demo/0/room/0/1?uuid=a%20b")
            let draft = PubNubDraft(
                channel: "room", publisher: "ann", payload: [49], metadata: [50], kind: .message, customType: "note")
            var user = OccupancyUser(id: "ann", connection: "i")
            user.owner = "address:1"
            let touch = PubNubClusterRequest.PresenceTouch(
                user: user, timeout: 60,
                places: [.init(channel: "a", state: [123, 125]), .init(channel: "b")])
            return [
                .http(HTTPRequest(method: "GET", target: target, headers: [:], body: [1])),
                .publish(draft, isBridged: true, subscribeKey: "demo"), .touch(touch, subscribeKey: "demo"),
                .advance(past: 5, subscribeKey: "demo"), .state(subscribeKey: "demo"), .piece(snapshot: .max, index: 7),
                .cursors([("demo", 5), ("other", nil)]),
                .file(KeysetRecord(.init(.file, [1, 2]), [3]), FileOrigin(issued: 9, client: "a"), subscribeKey: "demo"),
            ]
        }
    }

    @Test("A request comes back as it was, and its cuts are noticed")
    func requestsComeBack() throws {
        for request in try Self.requests + [.stateWithoutMessages(subscribeKey: "demo")] {
            let bytes = request.encoded()
            // Written again it has the same bytes.
            #expect(try PubNubClusterRequest(decoding: bytes).encoded() == bytes)
            for length in 0..<bytes.readableBytes {
                let cut = try #require(bytes.getSlice(at: 0, length: length))
                #expect(throws: ClusterCodingError.self) { _ = try PubNubClusterRequest(decoding: cut) }
            }
        }
    }

    @Test("CB-58: What the version before does not know has a kind of its own, in both layouts")
    func laterKinds() throws {
        let later = PubNubClusterRequest.stateWithoutMessages(subscribeKey: "demo")
        for layout in [CodingLayout.sequence, .tagged] {
            guard case .stateWithoutMessages("demo") = try PubNubClusterRequest(decoding: later.encoded(layout)) else {
                Issue.record("It is another request.")
                continue
            }
            let (key, fact) = try PubNubFact.decode(PubNubFact.answersMissed.encoded(of: "", layout))
            #expect(key.isEmpty && fact == .answersMissed)
        }
        // In the layout that is written, the kind is the first byte.
        let requests = try RecordedValues.bytes(of: "PubNubClusterRequest").compactMap(\.readableBytesView.first)
        let facts = try RecordedValues.bytes(of: "PubNubFact").compactMap(\.readableBytesView.first)
        #expect(requests.count == 8 && facts.count == 10)
        #expect(!requests.contains(try #require(later.encoded(.sequence).readableBytesView.first)))
        let fact = PubNubFact.answersMissed.encoded(of: "", .sequence)
        #expect(!facts.contains(try #require(fact.readableBytesView.first)))
    }

    @Test("What has become of a message comes back")
    func outcomes() throws {
        for outcome in [ClusterPublishOutcome.published(7), .unknownKeyset, .notStored] {
            #expect(try ClusterPublishOutcome(decoding: outcome.encoded()) == outcome)
        }
    }

    @Test("A message's field gives its timetoken and its channel")
    func fields() {
        for channel in ["", "a:b", "17"] as [Identifier] {
            let field = RedisMessageField(timetoken: 17, channel: channel)
            guard case .text(let text) = field.word else { return }
            #expect(RedisMessageField(text) == field)
        }
        #expect(RedisMessageField("17") == nil)
    }

    @Test("What was said of a user is remembered for one turn more, and forgotten when the user has gone (CB-31)")
    func touches() {
        var table = TouchTable()
        let user = OccupancyUser(id: "ann", connection: "i")
        let request = TouchedRequest(sources: [1], timeout: nil, state: [:])
        table.insert(request, of: user, 0)
        #expect(table.contains(request, of: user, 0) && !table.contains(request, of: user, 1))
        #expect(!table.contains(TouchedRequest(sources: [1], timeout: 60, state: [:]), of: user, 0))
        table.age()
        #expect(table.contains(request, of: user, 0))
        table.age()
        #expect(!table.contains(request, of: user, 0))
        table.insert(request, of: user, 0)
        table.remove("ann", 0)
        #expect(!table.contains(request, of: user, 0))
    }

    @Test func `CR-67: requests, facts and outcomes of the version before are read, and a later version may add fields`() throws {
        #expect(try RecordedValues.failures(of: Self.requests, recordedAs: "PubNubClusterRequest") == [])
        let outcomes = [ClusterPublishOutcome.published(7), .unknownKeyset, .notStored]
        #expect(try RecordedValues.failures(of: outcomes, recordedAs: "PublishOutcome") == [])
        let failures = try RecordedValues.failures(
            of: Self.facts, recordedAs: "PubNubFact", { $0.encoded(of: "demo", $1) }, { try PubNubFact.decode($0).fact })
        #expect(failures == [])
    }

    @Test func `CR-67: what the version before has stored of keysets is read under the names that it used`() throws {
        #expect(try RecordedValues.failures(of: [Self.full, Self.bare], recordedAs: "StoredMessage") == [])
        let action = MessageAction(type: "t", value: "v", user: "ann", message: 5, timetoken: 6)
        #expect(try RecordedValues.failures(of: [action], recordedAs: "MessageAction") == [])
        #expect(try RecordedValues.failures(of: Self.entries, recordedAs: "AccessEntry") == [])
        let names = Self.entries.map { $0.key.encoded(.sequence) }
        #expect(names == (try RecordedValues.bytes(of: "AccessEntry.Key")))
        let record = OccupancyRecord(
            channel: "c", user: "ann", order: 3, state: [123, 125], connections: [.init(id: "i", timeout: 60)])
        #expect(try RecordedValues.failures(of: [record], recordedAs: "OccupancyRecord") == [])
        #expect(try RecordedValues.failures(of: [KeptGroup(channels: ["a", "b"])], recordedAs: "KeptGroup") == [])
    }
}
