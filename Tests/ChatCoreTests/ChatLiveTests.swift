import Identifiers
import ServerStorage
import Testing

@testable import ChatServer

@Suite("Going on where another server has ended (CC-5 to CC-8)")
struct ChatLiveTests {
    private static let settings: ChatApplication = {
        var settings = ChatApplication.development
        settings.limits.openGrace = .seconds(10)
        settings.limits.presenceGrace = .seconds(5)
        return settings
    }()

    private static func session(_ id: UInt64) -> ChatSessionID { ChatSessionID(id: id, eventLoopID: Int(id)) }

    /// A state that records, and what it has recorded, put together as whoever keeps it would.
    private struct Recorder {
        var state: ChatState
        var commit = ChatCommit()
        private var sessions: [UInt64: ChatLive.Session] = [:]
        private var participants: [[Identifier]: ChatLive.Participant] = [:]
        private var presence: [Identifier: ChatLive.Presence] = [:]

        init() {
            state = ChatState(ChatLiveTests.settings, epoch: "e")
            state.recordLiveChanges()
        }

        mutating func keep() {
            let changes = state.takeLiveChanges()
            for (id, value) in changes.sessions { sessions[id] = value }
            for (channel, user, value) in changes.participants { participants[[channel, user]] = value }
            for (user, value) in changes.presence { presence[user] = value }
        }

        mutating func signIn(_ user: Identifier, _ id: UInt64, device: Identifier = "d", at now: Int64) throws {
            let signIn = ChatSignIn(user: user, device: device)
            _ = try state.signIn(ChatLiveTests.session(id), signIn, at: now)
            keep()
        }

        mutating func enter(_ channel: Identifier, _ user: Identifier, _ id: UInt64, at now: Int64) throws {
            _ = try state.enterOpenChannel(
                channel, session: ChatLiveTests.session(id), user: user, at: now, into: &commit)
            keep()
        }

        mutating func signOut(_ user: Identifier, _ id: UInt64, at now: Int64) {
            _ = state.signOut(ChatLiveTests.session(id), of: user, isDeliberate: false, at: now, into: &commit)
            keep()
        }

        /// Another state that goes on.
        func successor(at now: Int64) -> ChatState {
            var next = ChatState(
                ChatLiveTests.settings, restoring: RestoredChat.Application(documents: state.documents), epoch: "e")
            var live = ChatLive()
            live.sessions = Array(sessions.values)
            live.participants = Array(participants.values)
            live.presence = Array(presence.values)
            next.restore(live, at: now)
            return next
        }
    }

    @Test("CC-5: Sessions, seats and presence are as they were, and time brings no news")
    func same() throws {
        var recorder = Recorder()
        try recorder.signIn("ann", 1, at: 1_000)
        try recorder.signIn("bob", 2, at: 1_001)
        try recorder.enter("r", "ann", 1, at: 1_002)
        try recorder.enter("r", "bob", 2, at: 1_003)
        var next = recorder.successor(at: 50_000)
        #expect(next.connectionCount == 2 && next.sessions(of: "ann") == [Self.session(1)])
        #expect(try next.participants(of: "r", limit: 9).map(\.user) == ["ann", "bob"])
        #expect(next.openEventLoopIDs(of: "r").map { Array($0) } == [1, 2])
        #expect(next.presenceState(of: "bob") == recorder.state.presenceState(of: "bob"))
        var commit = ChatCommit()
        for now in stride(from: 50_000 as Int64, to: 200_000, by: 1_000) {
            #expect(next.sweep(at: now, into: &commit).isEmpty)
        }
        #expect(commit.isEmpty)
    }

    @Test("CC-8: Who is waited for leaves when the time comes, once")
    func waiting() throws {
        var recorder = Recorder()
        try recorder.signIn("ann", 1, at: 1_000)
        try recorder.signIn("bob", 2, at: 1_000)
        try recorder.enter("r", "ann", 1, at: 1_000)
        try recorder.enter("r", "bob", 2, at: 1_000)
        _ = try recorder.state.subscribe(to: ["bob"], expiry: 600, by: "ann", at: 1_000, into: &recorder.commit)
        recorder.signOut("bob", 2, at: 2_000)
        var next = recorder.successor(at: 3_000)
        #expect(!next.isOnline("bob") && next.presenceState(of: "bob").isOnline)
        var commit = ChatCommit()
        #expect(next.sweep(at: 6_900, into: &commit).isEmpty)
        let offline = next.sweep(at: 7_100, into: &commit)
        #expect(offline.presence.map(\.state.isOnline) == [false] && offline.open.isEmpty)
        let left = next.sweep(at: 12_100, into: &commit)
        #expect(left.open.count == 1 && left.presence.isEmpty)
        #expect(next.sweep(at: 30_000, into: &commit).isEmpty)
    }

    @Test("CC-5: What has ended leaves nothing behind")
    func ended() throws {
        var recorder = Recorder()
        try recorder.signIn("ann", 1, at: 1_000)
        try recorder.enter("r", "ann", 1, at: 1_000)
        try recorder.signIn("ann", 3, at: 2_000)
        recorder.signOut("ann", 3, at: 2_500)
        _ = recorder.state.sweep(at: 60_000, into: &recorder.commit)
        recorder.keep()
        let next = recorder.successor(at: 61_000)
        #expect(next.connectionCount == 0 && next.participantCount(of: "r") == 0)
        #expect(!next.presenceState(of: "ann").isOnline)
        #expect(recorder.state.takeLiveChanges().isEmpty)
    }

    @Test("CC-5: A state of which nobody wants to know records nothing")
    func silent() throws {
        var state = ChatState(Self.settings, epoch: "e")
        _ = try state.signIn(Self.session(1), ChatSignIn(user: "ann", device: "d"), at: 1)
        #expect(state.takeLiveChanges().isEmpty)
    }
}
