import Identifiers

/// The persistent storage of chat. Implemented in `HubStorage`: memory and SQLite.
///
/// `application` separates tenants. Methods may be called from any thread and never block the caller. Completions of `commit` run
/// in the order of the calls, on a thread of the store or before `commit` returns, so do not call it while you hold a lock that the
/// completion takes.
public protocol ChatStore: Sendable {
    /// The state that a server needs before it starts, by application.
    ///
    /// - Throws: an error of the store.
    func restore() async throws -> RestoredChat
    /// The same as ``restore()``, only for the given applications, which a server adds while it runs.
    ///
    /// - Throws: an error of the store.
    func restore(_ applications: Set<Identifier>) async throws -> RestoredChat

    /// Stores a change completely or not at all. `completion` is called once the change would survive `kill -9`, or with the error
    /// that prevented it. Many commits may share one transaction. Reads that begin after the completion see the change.
    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void)

    /// The same as `MessageStore.reserve(timetokensUpTo:)`, for the ids of events.
    ///
    /// - Throws: an error of the store.
    func reserve(idsUpTo limit: UInt64) async throws

    /// The entries of a user's inbox after a position, oldest first.
    ///
    /// - Throws: an error of the store.
    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry]

    /// A page of a conversation's history. The `readers` of the events may be missing.
    ///
    /// - Throws: an error of the store.
    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent]

    /// A message of a conversation, unless it was recalled; nil when there is none.
    ///
    /// - Throws: an error of the store.
    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent?

    /// The readers of each of these messages, in the order of reading. Messages without a reader are missing.
    ///
    /// - Throws: an error of the store.
    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]]

    /// Deletes inbox entries whose events are older than `inbox`, messages of history that are older than `history`, and events that
    /// nothing refers to any more. History keeps the events of inboxes: if `history` is the later of the two, `inbox` is used for both.
    ///
    /// - Throws: an error of the store.
    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws

    /// Removes the oldest messages from histories until each is within its limits, in small steps. Inboxes keep what they have; a
    /// message that no inbox has any more is deleted by ``purge(inboxBefore:historyBefore:)``. The default implementation removes
    /// nothing and returns nothing.
    ///
    /// - Parameter limits: the limits of each application that has some, or whose usage is wanted.
    /// - Returns: the usage of these histories afterwards. An application without an entry is not limited by this store.
    /// - Throws: an error of the store; what was removed until then stays removed.
    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage]

    /// Writes the data that is still in memory, and closes the store. No other method is called afterwards.
    func close() async
}

extension ChatStore {
    /// The default implementation restores everything and leaves out other applications. A store that may contain much data should
    /// read less.
    public func restore(_ applications: Set<Identifier>) async throws -> RestoredChat {
        var restored = try await restore()
        restored.applications = restored.applications.filter { applications.contains($0.key) }
        return restored
    }

    /// The default implementation limits no history.
    public func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] { [:] }

    /// The same as ``purge(inboxBefore:historyBefore:)``, without deleting history.
    ///
    /// - Throws: an error of the store.
    public func purge(inboxBefore id: UInt64) async throws { try await purge(inboxBefore: id, historyBefore: 0) }
}

/// An event that has to be stored: a message, or a change of one. Its id is its position in the order of all events of a server.
public struct ChatEvent: Hashable, Sendable {
    /// The id in units of 100 ns since 1970, strictly increasing over all applications of a server, or of a partition of a cluster. No two
    /// events of a store have the same id, whatever their applications are.
    public var id: UInt64
    /// The conversation whose history it belongs to; nil for none.
    public var conversation: Identifier?
    /// The sender's user id.
    public var sender: Identifier
    /// The sender's own id for the message, by which repetitions are recognized.
    public var clientID: Identifier?
    /// The event in the form for clients, encoded once: a JSON object in UTF-8.
    public var body: [UInt8]
    /// The number of original receivers: the total of the message's read receipts.
    public var audience: Int
    /// The only users who see the event in the conversation's history, including its sender; nil for everybody.
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
    /// Whether a user sees the event in the conversation's history.
    public func isVisible(to user: Identifier) -> Bool { readers?.contains(user) ?? true }
}

/// A position in a user's inbox.
public struct ChatInboxPlace: Hashable, Sendable {
    /// The user who owns the inbox.
    public var user: Identifier
    /// The position, counted from 1.
    public var sequence: UInt64

    /// Makes a value with these properties.
    public init(user: Identifier, sequence: UInt64) {
        self.user = user
        self.sequence = sequence
    }
}

/// The entry at one position of an inbox.
public struct ChatInboxEntry: Hashable, Sendable {
    /// The position.
    public var sequence: UInt64
    /// The event in the form for clients.
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
    /// The time of reading, in milliseconds since 1970.
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
    /// The start of the range, exclusive; nil for no start.
    public var after: UInt64?
    /// The end of the range, exclusive; nil for no end.
    public var before: UInt64?
    /// Whether to begin at the oldest event; the answer has the same order.
    public var isOldestFirst: Bool
    /// The maximum number of events.
    public var limit: Int
    /// Messages that this user has hidden, and those for other users only, are left out; nil for the application's server, which
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

/// A change that is stored completely or not at all.
public struct ChatCommit: Sendable {
    /// A new event with its inbox positions. Additions are in the order of ids.
    public struct Addition: Sendable {
        /// The event.
        public var event: ChatEvent
        /// The positions in inboxes.
        public var places: [ChatInboxPlace]

        /// Makes a value with these properties.
        public init(_ event: ChatEvent, places: [ChatInboxPlace] = []) {
            self.event = event
            self.places = places
        }
    }

    /// New events.
    public var additions: [Addition] = []
    /// Messages that get a new body, in history and in inboxes.
    public var rewrites: [(id: UInt64, body: [UInt8])] = []
    /// Messages that are removed from history. They stay in inboxes, followed by the event of the recall.
    public var recalls: [UInt64] = []
    /// Single messages that a user has hidden from the user's own history.
    public var hidden: [(user: Identifier, id: UInt64)] = []
    /// Conversations that a user has hidden up to an id (inclusive).
    public var hiddenUpTo: [(user: Identifier, conversation: Identifier, id: UInt64)] = []
    /// New read receipts, with the ids of the events.
    public var receipts: [(id: UInt64, ChatReceipt)] = []
    /// Acknowledged positions of inboxes.
    public var acknowledged: [ChatInboxPlace] = []
    /// Documents to store; each replaces the one with the same key.
    public var documents: [ChatDocument] = []
    /// The keys of documents to remove.
    public var removedDocuments: [ChatDocument.Key] = []

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
        /// The documents, in no particular order.
        public var documents: [ChatDocument]
        /// The last position of each inbox, and its acknowledged position.
        public var inboxes: [Identifier: (last: UInt64, acknowledged: UInt64)]
        /// Messages of the last hour that have a client id, by which repetitions are recognized.
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
    /// No id up to this one may be assigned again.
    public var highestID: UInt64
    /// Identifies the present generation of all inboxes: a new one after each start of a store that does not keep its data.
    public var epoch: String
    /// Whether the store knows that no server has used it before, so that there were no earlier requests. A store that does not
    /// keep its data cannot know this.
    public var isFirstStart = false

    /// Makes a value with these properties.
    public init(applications: [Identifier: Application] = [:], highestID: UInt64 = 0, epoch: String) {
        self.applications = applications
        self.highestID = highestID
        self.epoch = epoch
    }
}
