import Identifiers

/// The storage of chat across restarts. Implemented in `HubStorage`: memory and SQLite.
///
/// `application` separates tenants. Methods may be called from any thread and never block the caller. Completions of `commit` come
/// in the order of the calls, on a thread of the store's own or before `commit` returns: call it without holding a lock that the
/// completion takes.
public protocol ChatStore: Sendable {
    /// The state that a server needs before it serves, by application.
    ///
    /// - Throws: an error of the store.
    func restore() async throws -> RestoredChat
    /// As ``restore()``, for applications that a server adds while it runs: gives what the store remembers of these and of no others.
    ///
    /// - Throws: an error of the store.
    func restore(_ applications: Set<Identifier>) async throws -> RestoredChat

    /// Keeps a change as a whole or not at all. `completion` comes once it would survive `kill -9`, or with the error that prevented
    /// it. Many commits may share one transaction. Reads that begin after the completion see the change.
    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void)

    /// As `MessageStore.reserve(timetokensUpTo:)`, for the ids of events.
    ///
    /// - Throws: an error of the store.
    func reserve(idsUpTo limit: UInt64) async throws

    /// The entries of a user's inbox after a position, oldest first.
    ///
    /// - Throws: an error of the store.
    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry]

    /// A page of a conversation's history. The events' `readers` may be left out.
    ///
    /// - Throws: an error of the store.
    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent]

    /// A message of a conversation, unless it was recalled; nil when there is none.
    ///
    /// - Throws: an error of the store.
    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent?

    /// Who has read each of these messages, in the order in which they did. Messages without a reader are missing.
    ///
    /// - Throws: an error of the store.
    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]]

    /// Forgets inbox entries whose events are older than `inbox`, messages of history that are older than `history`, and events that
    /// nothing refers to any more. History keeps what inboxes keep: where `history` is the later of the two, `inbox` counts for both.
    ///
    /// - Throws: an error of the store.
    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws

    /// Writes what is still in memory and closes the store. No other method is called afterwards.
    func close() async
}

extension ChatStore {
    /// Restores everything and leaves out what is of other applications. A store that may have much in it should read less.
    public func restore(_ applications: Set<Identifier>) async throws -> RestoredChat {
        var restored = try await restore()
        restored.applications = restored.applications.filter { applications.contains($0.key) }
        return restored
    }

    /// As ``purge(inboxBefore:historyBefore:)``, with history left alone.
    ///
    /// - Throws: an error of the store.
    public func purge(inboxBefore id: UInt64) async throws { try await purge(inboxBefore: id, historyBefore: 0) }
}

/// An event that has to be kept: a message, or what happened to one. Its id is its place in the order of all things of a server.
public struct ChatEvent: Hashable, Sendable {
    /// Units of 100 ns since 1970, strictly increasing over all applications of a server.
    public var id: UInt64
    /// The conversation whose history it belongs to; nil for none.
    public var conversation: Identifier?
    /// The sender's user id.
    public var sender: Identifier
    /// The sender's own id, by which a repetition is known.
    public var clientID: Identifier?
    /// As it goes to clients, encoded once: a JSON object in UTF-8.
    public var body: [UInt8]
    /// How many people it was meant for: the total of its read receipts.
    public var audience: Int
    /// The only users who see it in the conversation's history, its sender included; nil for everybody.
    public var readers: [Identifier]?

    /// Makes a value with these properties.
    public init(
        id: UInt64, conversation: Identifier? = nil, sender: Identifier, clientID: Identifier? = nil, body: [UInt8],
        audience: Int = 0, readers: [Identifier]? = nil
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.clientID = clientID
        self.body = body
        self.audience = audience
        self.readers = readers
    }
}

extension ChatEvent {
    /// Whether a user sees it in the conversation's history.
    public func isVisible(to user: Identifier) -> Bool { readers?.contains(user) ?? true }
}

/// A position in a user's inbox.
public struct ChatInboxPlace: Hashable, Sendable {
    /// The user whose inbox it is.
    public var user: Identifier
    /// The number of the place, from 1.
    public var sequence: UInt64

    /// Makes a value with these properties.
    public init(user: Identifier, sequence: UInt64) {
        self.user = user
        self.sequence = sequence
    }
}

/// The entry at one position of an inbox.
public struct ChatInboxEntry: Hashable, Sendable {
    /// The number of the place.
    public var sequence: UInt64
    /// The event in its delivered form.
    public var body: [UInt8]

    /// Makes a value with these properties.
    public init(sequence: UInt64, body: [UInt8]) {
        self.sequence = sequence
        self.body = body
    }
}

/// A read receipt.
public struct ChatReceipt: Hashable, Sendable {
    /// The user who has read the message.
    public var user: Identifier
    /// Milliseconds since 1970.
    public var time: Int64

    /// Makes a value with these properties.
    public init(user: Identifier, time: Int64) {
        self.user = user
        self.time = time
    }
}

/// A page of a conversation's history.
public struct ChatHistoryQuery: Hashable, Sendable {
    /// The conversation.
    public var conversation: Identifier
    /// Both exclusive.
    public var after: UInt64?
    /// The end of the range, exclusive; nil for no end.
    public var before: UInt64?
    /// Whether to begin at the oldest end; that is also the order of the answer.
    public var isOldestFirst: Bool
    /// The maximum number of events.
    public var limit: Int
    /// Messages that this user has hidden, and those that are for others only, are left out; nil for the application's server, which
    /// sees everything.
    public var viewer: Identifier?

    /// Makes a value with these properties.
    public init(
        conversation: Identifier, after: UInt64? = nil, before: UInt64? = nil, isOldestFirst: Bool = false, limit: Int,
        viewer: Identifier? = nil
    ) {
        self.conversation = conversation
        self.after = after
        self.before = before
        self.isOldestFirst = isOldestFirst
        self.limit = limit
        self.viewer = viewer
    }
}

/// A change that is stored as a whole.
public struct ChatCommit: Sendable {
    /// A new event and its inboxes, in the order of ids.
    public struct Addition: Sendable {
        /// The event.
        public var event: ChatEvent
        /// Its places in inboxes.
        public var places: [ChatInboxPlace]

        /// Makes a value with these properties.
        public init(_ event: ChatEvent, places: [ChatInboxPlace] = []) {
            self.event = event
            self.places = places
        }
    }

    /// New events.
    public var additions: [Addition] = []
    /// Messages that get another body, in history and in inboxes.
    public var rewrites: [(id: UInt64, body: [UInt8])] = []
    /// Messages that leave history (they stay in inboxes, followed by the event that says so).
    public var recalls: [UInt64] = []
    /// Messages that a user does not want to see in history any more: single ones, or a conversation up to an id (inclusive).
    public var hidden: [(user: Identifier, id: UInt64)] = []
    /// Users who deleted a conversation's events up to an id for themselves.
    public var hiddenUpTo: [(user: Identifier, conversation: Identifier, id: UInt64)] = []
    /// New read receipts, with the ids of the events.
    public var receipts: [(id: UInt64, ChatReceipt)] = []
    /// How far inboxes have been acknowledged.
    public var acknowledged: [ChatInboxPlace] = []
    /// Documents to put, each in place of the one with the same key.
    public var documents: [ChatDocument] = []
    /// The keys of documents to remove.
    public var removedDocuments: [ChatDocumentKey] = []

    /// An empty value.
    public init() {}

    /// Whether there is nothing to store.
    public var isEmpty: Bool {
        additions.isEmpty && rewrites.isEmpty && recalls.isEmpty && hidden.isEmpty && hiddenUpTo.isEmpty && receipts.isEmpty
            && acknowledged.isEmpty && documents.isEmpty && removedDocuments.isEmpty
    }
}

/// The state of a store from before a restart.
public struct RestoredChat: Sendable {
    /// The restored state of one application.
    public struct Application: Sendable {
        /// In no particular order.
        public var documents: [ChatDocument]
        /// The last sequence number of each inbox, and how far it was acknowledged.
        public var inboxes: [Identifier: (last: UInt64, acknowledged: UInt64)]
        /// Messages by which repetitions are known: those sent in the last hour that have a client id.
        public var recentSends: [(sender: Identifier, clientID: Identifier, id: UInt64, sequence: UInt64?)]

        /// Makes a value with these properties.
        public init(
            documents: [ChatDocument] = [], inboxes: [Identifier: (last: UInt64, acknowledged: UInt64)] = [:],
            recentSends: [(sender: Identifier, clientID: Identifier, id: UInt64, sequence: UInt64?)] = []
        ) {
            self.documents = documents
            self.inboxes = inboxes
            self.recentSends = recentSends
        }
    }

    /// The state of each application, by key.
    public var applications: [Identifier: Application]
    /// No id up to this one may be given out again.
    public var highestID: UInt64
    /// Names the life of all inboxes: another one after each start of a store that forgets.
    public var epoch: String
    /// Whether the store knows that no server has used it before, so that no earlier requests exist. A store that does not keep its
    /// data cannot know it.
    public var isFirstStart = false

    /// Makes a value with these properties.
    public init(applications: [Identifier: Application] = [:], highestID: UInt64 = 0, epoch: String) {
        self.applications = applications
        self.highestID = highestID
        self.epoch = epoch
    }
}
