import ChatProtocol
import ClusterTestSupport
import Identifiers
import NIOCore
import NIOHTTP1
import ServerCluster
import ServerStorage
import Testing

@testable import ChatServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What nodes of a cluster say to each other about chat (CC-30 to CC-32)")
struct ChatClusterCodingTests {
    private static let opening = ChatClusterRequest.Opening(
        id: .max, name: "n", address: "1.2.3.4:5",
        credentials: ChatSessionCredentials(
            token: "t", device: ChatDevice(id: "d", class: .web, system: "x"), isReconnect: true, yields: false,
            resume: ChatPlace(epoch: "e", sequence: 7)))

    private static var requests: [ChatClusterRequest] {
        get throws {
            [
                .signIn(app: "a", opening), .signOut(app: "a", session: 1, leaving: nil),
                .signOut(app: "a", session: 1, leaving: true),
                .perform(app: "a", session: 2, number: 3, frame: ByteBuffer(string: "{}")),
                .refuse(app: "a", session: 2, number: 3, ChatRequestRefusal(.badArgument, "why", retryAfter: 5)),
                .acknowledge(app: "a", [ChatInboxPlace(user: "u", sequence: 9)]),
                .typing(app: "a", session: 1, to: "u", type: "t"), .presence(app: "a", session: 4),
                .inbox(app: "a", user: "u", after: 8),
                .call(
                    HTTPRequest(
                        method: "POST", target: try RequestTarget(parsing: "/v4/user/get?x=1"), headers: ["a": "b"], body: [1, 2]
                    )),
                .issueToken(app: "a", hash: "h", user: "u", name: "n"),
                .publish(app: "a", channel: "c", type: "t", content: [1], service: "s", user: "u"),
                .announce(app: "a", [1, 2, 3]),
                .issueCall(
                    HTTPRequest(method: "POST", target: try RequestTarget(parsing: "/v4/x"), headers: [:], body: [3]), hash: "h"),
            ]
        }
    }

    @Test("CC-30: Requests come as they were sent, and no part of one is taken for a request")
    func requests() throws {
        for request in try Self.requests {
            let bytes = request.encoded()
            #expect(try ChatClusterRequest(decoding: bytes).encoded() == bytes)
            for length in 0..<bytes.readableBytes {
                let cut = try #require(bytes.getSlice(at: 0, length: length))
                #expect(throws: ClusterCodingError.self) { try ChatClusterRequest(decoding: cut) }
            }
        }
    }

    private static let replies: [ChatClusterReply] = [
        .done,
        .admitted(
            ChatClusterReply.Admission(
                user: "u", epoch: "e", start: ChatInboxStart(after: 1, last: 2, isResumed: true, hasLost: false))),
        .refused(ChatRequestRefusal(.kicked, "why")), .frame(ByteBuffer(string: "frame"), isSent: true),
        .page([ChatInboxEntry(sequence: 3, body: [1, 2])], next: 4), .unreadable,
        .answer(HTTPAnswer(status: 404, .json, [1])),
    ]

    @Test("CC-30: Answers come as they were given, and no part of one is taken for an answer")
    func replies() throws {
        for reply in Self.replies {
            let bytes = reply.encoded()
            #expect(try ChatClusterReply(decoding: bytes).encoded() == bytes)
            for length in 0..<bytes.readableBytes {
                let cut = try #require(bytes.getSlice(at: 0, length: length))
                #expect(throws: ClusterCodingError.self) { try ChatClusterReply(decoding: cut) }
            }
        }
    }

    @Test("CC-30: A page of an inbox ends where a package does, and says that there is more")
    func pages() throws {
        func page(_ count: Int, bytes: Int) -> [ChatInboxEntry] {
            (1...count).map { ChatInboxEntry(sequence: UInt64($0), body: Array(repeating: 0, count: bytes)) }
        }
        func ends(_ page: [ChatInboxEntry]) -> [UInt64?] {
            guard case .page(let kept, let next) = ChatClusterReply(page) else { return [] }
            return [kept.last?.sequence, next]
        }
        #expect(ends(page(200, bytes: 10)) == [200, nil])
        #expect(ends(page(201, bytes: 10)) == [200, 201])
        #expect(ends(page(10, bytes: 100_000)) == [3, 4])
        #expect(ends(page(3, bytes: 100_000)) == [3, nil])
    }

    private static let here = ClusterNode(name: "here", incarnation: 1)
    private static let there = ClusterNode(name: "there", incarnation: 2)

    private static func peer(_ user: Identifier, _ id: UInt64, at node: Int) -> ChatSessionPeer {
        ChatSessionPeer(
            session: "\(id)", user: user, device: ChatDevice(id: "d", system: ""), address: "",
            chat: ChatSessionID(id: id, eventLoopID: node), line: nil)
    }

    private static func writer(_ deliveries: [ChatDelivery]) -> ChatFactWriter {
        var sessions = ChatNodeSessions()
        for (user, id, node) in [("ann", 1, 0), ("bob", 2, 1), ("bob", 3, 1), ("cid", 4, 0), ("cid", 5, 1)] {
            sessions.insert(peer(Identifier(user), UInt64(id), at: node))
        }
        var writer = ChatFactWriter(app: "a", nodes: [here, there])
        for delivery in deliveries { writer.add(delivery, sessions) }
        return writer
    }

    @Test("CC-31: Of users a node reads its own only, in the order in which they were named")
    func blocks() throws {
        let places = ["ann", "bob", "cid", "dan"].enumerated().map {
            ChatInboxPlace(user: Identifier($0.element), sequence: UInt64($0.offset))
        }
        let fact = try #require(
            Self.writer([
                .inbox(ByteBuffer(string: "body"), places, except: ChatSessionID(id: 1, eventLoopID: 0)),
                .users(ByteBuffer(string: "frame"), ["bob"], except: nil), .room(ByteBuffer(string: "x"), "r", except: nil),
            ]).fact)
        #expect(fact.audience == .all)
        let (mine, yours) = (try ChatFact(fact.bytes, for: Self.here), try ChatFact(fact.bytes, for: Self.there))
        guard case .inbox(let body, let own, let except)? = mine.deliveries.first else {
            Issue.record("no inbox")
            return
        }
        #expect(String(buffer: body) == "body" && own.map(\.user) == ["ann", "cid"] && except?.id == 1)
        #expect(mine.deliveries.count == 2)
        guard case .inbox(_, let others, _)? = yours.deliveries.first else {
            Issue.record("no inbox")
            return
        }
        #expect(others.map(\.user) == ["bob", "cid"] && others.map(\.sequence) == [1, 2])
        #expect(yours.deliveries.count == 3)
        for length in 0..<fact.bytes.readableBytes {
            let part = try #require(fact.bytes.getSlice(at: 0, length: length))
            #expect(throws: ClusterCodingError.self) { try ChatFact(part, for: Self.here) }
        }
    }

    @Test("CC-32: A change that concerns one node is told to that one, and one that concerns nobody to none")
    func audiences() throws {
        let bob = ChatSessionID(id: 2, eventLoopID: 1)
        #expect(Self.writer([.users(ByteBuffer(), ["dan"], except: nil)]).fact == nil)
        let fact = try #require(
            Self.writer([
                .users(ByteBuffer(), ["bob"], except: nil), .seat(bob, "r"), .unseat(bob, "r"), .sessions(ByteBuffer(), [bob]),
                .end([bob], .kicked),
            ]).fact)
        #expect(fact.audience == .node(Self.there))
        let deliveries = try ChatFact(fact.bytes, for: Self.there).deliveries
        guard deliveries.count == 5, case .seat(let session, let room) = deliveries[1],
            case .end(let ended, let bye) = deliveries[4]
        else {
            Issue.record("\(deliveries.count) deliveries")
            return
        }
        #expect(session.id == 2 && room == "r" && ended.map(\.id) == [2] && bye == .kicked)
    }

    @Test("CC-14: What is kept of sessions, seats and presence comes back as it was")
    func records() throws {
        let record = ChatSessionRecord(
            node: Self.here, name: "n", address: "a", device: ChatDevice(id: "d", class: .desktop, system: "s"), user: "u",
            tokenIssued: 5, signedIn: 6)
        #expect(try ChatSessionRecord(decoding: record.encoded()) == record)
        let seat = ChatLive.Participant(channel: "c", user: "u", entered: 1, sessions: [2, 3], leavesAt: 4)
        #expect(try ChatLive.Participant(decoding: seat.encoded()) == seat)
        let presence = ChatLive.Presence(
            state: ChatPresenceState(user: "u", isOnline: true, time: 1), leaving: .init(deadline: 2, since: 3))
        #expect(try ChatLive.Presence(decoding: presence.encoded()) == presence)
        func expectNothing(in bytes: ByteBuffer, _ read: (ByteBuffer) throws -> Void) throws {
            for length in 0..<bytes.readableBytes {
                let part = try #require(bytes.getSlice(at: 0, length: length))
                #expect(throws: ClusterCodingError.self) { try read(part) }
            }
        }
        try expectNothing(in: record.encoded()) { _ = try ChatSessionRecord(decoding: $0) }
        try expectNothing(in: seat.encoded()) { _ = try ChatLive.Participant(decoding: $0) }
        try expectNothing(in: presence.encoded()) { _ = try ChatLive.Presence(decoding: $0) }
    }

    @Test func `CC-40: requests and answers of the version before are read, and a later version may add fields`() throws {
        #expect(try RecordedValues.failures(of: Self.requests, recordedAs: "ChatRequest") == [])
        #expect(try RecordedValues.failures(of: Self.replies, recordedAs: "ChatReply") == [])
    }

    @Test func `CC-40: facts of the version before are read, and a later version may add fields`() throws {
        let bob = ChatSessionID(id: 2, eventLoopID: 1)
        let writer = Self.writer([
            .inbox(
                ByteBuffer(string: "body"), [ChatInboxPlace(user: "bob", sequence: 7)],
                except: ChatSessionID(id: 1, eventLoopID: 0)),
            .users(ByteBuffer(string: "frame"), ["bob"], except: nil), .room(ByteBuffer(string: "x"), "r", except: bob),
            .seat(bob, "r"), .unseat(bob, "r"), .sessions(ByteBuffer(string: "s"), [bob]), .end([bob], .kicked),
        ])
        let recorded = try #require(try RecordedValues.bytes(of: "ChatFact").first)
        #expect(writer.fact(.sequence)?.bytes == recorded)
        let tagged = try #require(writer.fact(.tagged)?.bytes)
        for bytes in [recorded, tagged, RecordedValues.withLaterField(tagged)] {
            let deliveries = try ChatFact(bytes, for: Self.there).deliveries
            guard deliveries.count == 7, case .inbox(let body, let places, let except) = deliveries[0],
                case .users(let frame, let users, nil) = deliveries[1], case .room(_, "r", let spared) = deliveries[2],
                case .end(let ended, let bye) = deliveries[6]
            else {
                Issue.record("\(deliveries)")
                return
            }
            #expect(String(buffer: body) == "body" && places == [ChatInboxPlace(user: "bob", sequence: 7)] && except?.id == 1)
            #expect(String(buffer: frame) == "frame" && users == ["bob"] && spared?.id == 2)
            #expect(ended.map(\.id) == [2] && bye == .kicked)
            #expect(try ChatFact(bytes, for: Self.here).deliveries.count == 5)
        }
        for length in 0..<tagged.readableBytes {
            let cut = try #require(tagged.getSlice(at: 0, length: length))
            #expect(throws: ClusterCodingError.self) { try ChatFact(cut, for: Self.there) }
        }
    }

    @Test func `CC-41: what the version before has stored is read, and a later version may add fields`() throws {
        let record = ChatSessionRecord(
            node: Self.here, name: "n", address: "a", device: ChatDevice(id: "d", class: .desktop, system: "s"), user: "u",
            tokenIssued: 5, signedIn: 6)
        #expect(try RecordedValues.failures(of: [record], recordedAs: "ChatSessionRecord") == [])
        let seat = ChatLive.Participant(channel: "c", user: "u", entered: 1, sessions: [2, 3], leavesAt: 4)
        #expect(try RecordedValues.failures(of: [seat], recordedAs: "ChatParticipant") == [])
        let presence = ChatLive.Presence(
            state: ChatPresenceState(user: "u", isOnline: true, time: 1), leaving: .init(deadline: 2, since: 3))
        #expect(try RecordedValues.failures(of: [presence], recordedAs: "ChatPresence") == [])
        let readers = ChatEventReaders(users: ["ann", "bob"])
        #expect(try RecordedValues.failures(of: [readers], recordedAs: "ChatEventReaders") == [])
        let head = ChatEventHead(sender: "ann", clientID: "x", audience: 3)
        #expect(try RecordedValues.failures(of: [head], recordedAs: "ChatEventHead") == [])
        let hide = ChatHide(user: "ann", conversation: "c")
        #expect(try RecordedValues.failures(of: [hide], recordedAs: "ChatHide") == [])
    }
}
