import Identifiers

/// The persistent storage of chat. `HubStorage` has implementations for memory and SQLite.
///
/// `application` separates tenants. Methods may be called from any thread and never block the caller. Completions of `commit` run in the
/// order of the calls, on a thread of the store or before `commit` returns, so do not call it while you hold a lock that the completion
/// takes.
public protocol ChatStore: Sendable {
    /// Loads the state that a server needs before it starts, for each application.
    ///
    /// - Throws: an error of the store.
    func restore() async throws -> RestoredChat
    /// Loads the state of the given applications only, which a server adds while it runs.
    ///
    /// - Throws: an error of the store.
    func restore(_ applications: Set<Identifier>) async throws -> RestoredChat

    /// Stores a change completely or not at all. `completion` is called once: when the change would survive `kill -9`, or with the error
    /// that prevented this. Many commits may share one transaction. Reads that begin after the completion return the changed data.
    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void)

    /// Reserves ids of events up to `limit`. The server calls this method again before it assigns an id above `limit`. The store keeps the
    /// limit, even after a power failure.
    ///
    /// - Throws: an error of the store.
    func reserve(idsUpTo limit: UInt64) async throws

    /// Loads entries of a user's inbox after the position `sequence`, oldest first.
    ///
    /// - Throws: an error of the store.
    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry]

    /// Loads a page of a conversation's history. In the returned events, ``ChatEvent/readers`` may be nil even if the event was stored with
    /// a list of readers.
    ///
    /// - Throws: an error of the store.
    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent]

    /// Loads one message of a conversation; nil when the message does not exist or was recalled.
    ///
    /// - Throws: an error of the store.
    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent?

    /// Loads the read receipts of each of these messages, in the order of reading. Messages without a receipt are missing from the result.
    ///
    /// - Throws: an error of the store.
    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]]

    /// Deletes inbox entries whose event ids are lower than `inbox`, and messages of history whose ids are lower than `history`. Events
    /// that are then in no inbox and no history are deleted completely. A message that is still in an inbox also stays in history: if
    /// `history` is greater than `inbox`, `inbox` is used for both.
    ///
    /// - Throws: an error of the store.
    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws

    /// Removes the oldest messages from histories until each history is within its limits, in small steps. Inboxes keep these messages;
    /// ``purge(inboxBefore:historyBefore:)`` deletes a message that is in no inbox any more. The default implementation removes nothing and
    /// returns nothing.
    ///
    /// - Parameter limits: the limits of each application that has limits, or whose usage is requested.
    /// - Returns: the usage of these histories afterwards, without the applications that this store does not limit.
    /// - Throws: an error of the store; messages that were removed before the error stay removed.
    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage]

    /// Writes the data that is still in memory, and closes the store. No other method is called afterwards.
    func close() async
}

extension ChatStore {
    /// The default implementation restores the state of all applications, and returns the part that belongs to the requested applications.
    /// A store that may contain much data should implement this method so that it reads only the requested applications.
    public func restore(_ applications: Set<Identifier>) async throws -> RestoredChat {
        var restored = try await restore()
        restored.applications = restored.applications.filter { applications.contains($0.key) }
        return restored
    }

    /// The default implementation limits no history, and returns nothing.
    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] { [:] }

    /// Deletes inbox entries whose event ids are lower than `id`, without deleting messages of history.
    ///
    /// - Throws: an error of the store.
    public func purge(inboxBefore id: UInt64) async throws { try await purge(inboxBefore: id, historyBefore: 0) }
}

/// An event of chat that has to be stored: a message, or a change of a message. Of two events of one server, the later one has the higher
/// id.
public struct ChatEvent: Hashable, Sendable {
    /// The event's id in units of 100 ns since 1970, strictly increasing over all applications of a server, or of a partition of a cluster.
    /// No two events of a store have the same id, even if their applications differ.
    public var id: UInt64
    /// The conversation to whose history the event belongs; nil when the event belongs to no history.
    public var conversation: Identifier?
    /// The sender's user id.
    public var sender: Identifier
    /// The id that the sender's client gave the message; nil when the client gave none. The server uses this id to recognize a message that
    /// a client sends again.
    public var clientID: Identifier?
    /// The event as clients get it: a JSON object in UTF-8, encoded only once.
    public var body: [UInt8]
    /// The number of users to whom the message was sent originally. Read receipts report this number as the total.
    public var audience: Int
    /// The users who see the event in the conversation's history, including the event's sender; nil if everybody sees it.
    public var readers: [Identifier]?

    /// Makes an event; by default of no conversation, and visible to everybody.
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
    /// Whether a user sees the event in the conversation's history.
    public func isVisible(to user: Identifier) -> Bool { readers?.contains(user) ?? true }
}

/// A position in a user's inbox.
public struct ChatInboxPlace: Hashable, Sendable {
    /// The user who owns the inbox.
    public var user: Identifier
    /// The position, counted from 1.
    public var sequence: UInt64

    /// Makes a position in the inbox of a user.
    public init(user: Identifier, sequence: UInt64) {
        self.user = user
        self.sequence = sequence
    }
}

/// The entry at one position of an inbox.
public struct ChatInboxEntry: Hashable, Sendable {
    /// The position.
    public var sequence: UInt64
    /// The event as clients get it: a JSON object in UTF-8.
    public var body: [UInt8]

    /// Makes an entry at the position `sequence`.
    public init(sequence: UInt64, body: [UInt8]) {
        self.sequence = sequence
        self.body = body
    }
}

/// A read receipt.
public struct ChatReceipt: Hashable, Sendable {
    /// The user who has read the message.
    public var user: Identifier
    /// The time of reading, in milliseconds since 1970.
    public var time: Int64

    /// Makes a receipt of `user` with a time in milliseconds since 1970.
    public init(user: Identifier, time: Int64) {
        self.user = user
        self.time = time
    }
}

/// A request for a page of a conversation's history.
public struct ChatHistoryQuery: Hashable, Sendable {
    /// The conversation.
    public var conversation: Identifier
    /// The start of the range as an event id, exclusive; nil for no start.
    public var after: UInt64?
    /// The end of the range as an event id, exclusive; nil for no end.
    public var before: UInt64?
    /// Whether the page begins at the oldest event of the range and is in ascending order; otherwise it begins at the newest.
    public var isOldestFirst: Bool
    /// The maximum number of events in the page.
    public var limit: Int
    /// The user for whom the page is read. Messages that this user has hidden, and messages that are only for other users, are left out.
    /// Nil for the application's server, which gets all messages.
    public var viewer: Identifier?

    /// Makes a request for a page; by default of the newest events of the whole history.
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

/// A change of chat's stored data, which is stored completely or not at all.
public struct ChatCommit: Sendable {
    /// A new event with its inbox positions. The additions of one commit are in the order of their ids.
    public struct Addition: Sendable {
        /// The event.
        public var event: ChatEvent
        /// The event's positions in the inboxes of its receivers.
        public var places: [ChatInboxPlace]

        /// Makes an addition; by default to no inbox.
        public init(_ event: ChatEvent, places: [ChatInboxPlace] = []) {
            self.event = event
            self.places = places
        }
    }

    /// New events.
    public var additions: [Addition] = []
    /// Messages whose body is replaced, in history and in inboxes.
    public var rewrites: [(id: UInt64, body: [UInt8])] = []
    /// The ids of messages that are removed from history. Inboxes keep these messages; a later entry of each inbox reports the recall.
    public var recalls: [UInt64] = []
    /// Single messages that a user has hidden from the user's own history.
    public var hidden: [(user: Identifier, id: UInt64)] = []
    /// Conversations whose messages a user has hidden up to an event id (inclusive).
    public var hiddenUpTo: [(user: Identifier, conversation: Identifier, id: UInt64)] = []
    /// New read receipts, each with the id of the message.
    public var receipts: [(id: UInt64, ChatReceipt)] = []
    /// Inbox positions up to which users have acknowledged the entries.
    public var acknowledged: [ChatInboxPlace] = []
    /// Documents to store. Each document replaces the one with the same key.
    public var documents: [ChatDocument] = []
    /// The keys of documents to remove.
    public var removedDocuments: [ChatDocument.Key] = []

    /// An empty value.
    public init() {}

    /// Whether the commit contains no changes.
    public var isEmpty: Bool {
        additions.isEmpty && rewrites.isEmpty && recalls.isEmpty && hidden.isEmpty && hiddenUpTo.isEmpty && receipts.isEmpty
            && acknowledged.isEmpty && documents.isEmpty && removedDocuments.isEmpty
    }
}

/// The state of chat that a store restores after a restart.
public struct RestoredChat: Sendable {
    /// The restored state of one application.
    public struct Application: Sendable {
        /// The application's documents, in no particular order.
        public var documents: [ChatDocument]
        /// The last and the acknowledged position of each inbox, by user id.
        public var inboxes: [Identifier: (last: UInt64, acknowledged: UInt64)]
        /// Messages of the last hour that have a client id. The server uses the client id to recognize a message that a client sends again.
        public var recentSends: [(sender: Identifier, clientID: Identifier, id: UInt64, sequence: UInt64?)]

        /// Makes a state; by default that of an application without data.
        public init(
            documents: [ChatDocument] = [], inboxes: [Identifier: (last: UInt64, acknowledged: UInt64)] = [:],
            recentSends: [(sender: Identifier, clientID: Identifier, id: UInt64, sequence: UInt64?)] = []
        ) {
            self.documents = documents
            self.inboxes = inboxes
            self.recentSends = recentSends
        }
    }

    /// The state of each application, by the application's key.
    public var applications: [Identifier: Application]
    /// The highest reserved or assigned event id. No id up to this one may be assigned again.
    public var highestID: UInt64
    /// Identifies the contents of all inboxes together. A store that loses its data at a restart has a new epoch after each start, so that
    /// devices do not continue from positions in lost inboxes.
    public var epoch: String
    /// Whether no server has used this store before. If so, clients cannot have sent requests to an earlier server. Always false for a
    /// store that loses its data at a restart, because such a store cannot find this out.
    public var isFirstStart = false

    /// Makes a state; by default without applications.
    public init(applications: [Identifier: Application] = [:], highestID: UInt64 = 0, epoch: String) {
        self.applications = applications
        self.highestID = highestID
        self.epoch = epoch
    }
}
