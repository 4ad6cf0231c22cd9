import ChatProtocol
import ChatServer
import Identifiers
import ServerStorage
import Testing

/// A book with a clock that tests move and a store of documents that is kept in step by what commits say.
struct ChatScript {
    var book: ChatState
    var now: Int64 = 1_000_000_000
    var documents: [ChatDocument.Key: ChatDocument] = [:]
    private(set) var sessions: UInt64 = 0

    init(
        limits: ChatLimits = .init(), syncsDevices: Bool = false, createsOpenChannels: Bool = true,
        allowsManyOpenChannels: Bool = true, recallsOwnOnly: Bool = false, hasPresence: Bool = true,
        tokenLifetime: Duration? = nil
    ) {
        let application = ChatApplication(
            key: "k", secret: "s", limits: limits, syncsDevices: syncsDevices, createsOpenChannels: createsOpenChannels,
            allowsManyOpenChannels: allowsManyOpenChannels, recallsOwnOnly: recallsOwnOnly, hasPresence: hasPresence,
            tokenLifetime: tokenLifetime)
        book = ChatState(application, epoch: "e")
    }

    /// Does something with the book, and stores what it says.
    mutating func run<Result>(
        _ body: (inout ChatState, Int64, inout ChatCommit) throws -> Result
    ) rethrows -> Result {
        var commit = ChatCommit()
        let result = try body(&book, now, &commit)
        for document in commit.documents { documents[document.key] = document }
        for key in commit.removedDocuments { documents[key] = nil }
        return result
    }

    /// The number by which something is refused; nil when it is not. What is refused must write nothing.
    mutating func code(_ body: (inout ChatState, Int64, inout ChatCommit) throws -> Void) -> Int? {
        let before = Set(book.documents)
        do {
            try run(body)
            return nil
        } catch let refusal as ChatRefusal {
            #expect(Set(book.documents) == before, "A refusal changes nothing")
            return refusal.code
        } catch {
            Issue.record("\(error)")
            return nil
        }
    }

    mutating func pass(_ milliseconds: Int64) -> ChatNews {
        now += milliseconds
        return run { book, now, commit in book.sweep(at: now, into: &commit) }
    }

    mutating func session(eventLoopID: Int = 0) -> ChatSessionID {
        sessions += 1
        return ChatSessionID(id: sessions, eventLoopID: eventLoopID)
    }

    /// Signs a device in that nothing is in the way of.
    mutating func signIn(
        _ user: Identifier, device: Identifier = "d", as deviceClass: ChatDevice.Class = .mobile, eventLoopID: Int = 0
    ) throws
        -> ChatSessionID
    {
        let session = session(eventLoopID: eventLoopID)
        _ = try book.signIn(session, ChatSignIn(user: user, device: device, deviceClass: deviceClass), at: now)
        return session
    }

    mutating func signOut(_ session: ChatSessionID, _ user: Identifier, isDeliberate: Bool = false) -> ChatNews {
        run { book, now, commit in
            book.signOut(session, of: user, isDeliberate: isDeliberate, at: now, into: &commit)
        }
    }

    mutating func issue(_ hash: Identifier, to user: Identifier) throws {
        try run { book, now, commit in
            try book.issueToken(hash: hash, to: user, name: "n", avatar: nil, at: now, into: &commit)
        }
    }

    mutating func group(_ id: Identifier, owner: Identifier, _ users: [Identifier] = [], invite: Int = 0, join: Int = 0) throws {
        _ = try run { book, now, commit in
            try book.createGroup(
                ChatDocument.Group(id: id, name: "g", owner: owner, joinPermission: join, invitePermission: invite), users: users,
                by: .user(owner), at: now, into: &commit)
        }
    }

    mutating func enter(_ channel: Identifier, _ session: ChatSessionID, _ user: Identifier) throws -> ChatEntrance {
        try run { book, now, commit in
            try book.enterOpenChannel(channel, session: session, user: user, at: now, into: &commit)
        }
    }

    /// A book that begins with what was stored.
    func restored() -> ChatState {
        ChatState(book.application, restoring: .init(documents: Array(documents.values)), epoch: "e")
    }

    /// Whether the store holds exactly what the book is.
    var isInStep: Bool {
        let current = Set(book.documents)
        return current == Set(documents.values) && current == Set(restored().documents)
            && current.count == book.documents.count
    }
}
