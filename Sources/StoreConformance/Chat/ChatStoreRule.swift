import ServerStorage

/// The rules that every chat store has to fulfil. A test checks them one by one with ``check(_:)``, as in the example of
/// ``MessageStoreRule``.
///
/// Rules about restarts expect restored data only if the store has the same `RestoredChat.epoch` after the restart.
public enum ChatStoreRule: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Each completion is called once, in the order of the calls, and confirmed commits can be read.
    case order = "Each completion is called once, in the order of the calls, and confirmed commits can be read"
    /// Commits from several concurrent tasks are all stored.
    case concurrency = "Commits that several tasks make at the same time are all stored"
    /// A commit that cannot be stored changes nothing. Other commits are stored nevertheless.
    case atomicity = "A commit that cannot be stored changes nothing, and other commits are stored"
    /// Every field of an event is restored unchanged.
    case fields = "Every field is restored unchanged"
    /// A page of an inbox has the entries after a given position, oldest first. An inbox contains only the entries of its user.
    case inboxes = "An inbox is read in pages from a position, oldest first, and contains only its own entries"
    /// History is read in pages, forwards or backwards. A page excludes the messages at both of its bounds.
    case histories = "History is read in pages in both directions, and both bounds are excluded"
    /// A rewrite changes a message in history and in inboxes; a rewrite of a missing message is ignored.
    case rewrites = "A rewrite changes a message in history and in inboxes; a rewrite of a missing message is ignored"
    /// A recalled message is removed from history with its receipts, and stays in inboxes.
    case recalls = "A recalled message is removed from history with its receipts, and stays in inboxes"
    /// Messages that a user has hidden stay visible to other users.
    case hiding = "Messages that a user has hidden stay visible to other users"
    /// A message that is addressed to some of the users appears only in the histories of these users and of its sender.
    case readers = "A message for some users is only in their histories and in its sender's"
    /// Read receipts are in the order of reading. Of several receipts of one reader, the first one counts.
    case receipts = "Receipts are in the order of reading, with the first one of each reader"
    /// A stored document replaces an earlier document with the same key. Documents can be removed.
    case documents = "Documents replace those with the same key, and can be removed"
    /// Inbox positions and the sent messages of the last hour are restored.
    case recency = "Inbox positions and the sent messages of the last hour are restored"
    /// The data of different applications are separate.
    case applications = "The data of different applications are separate"
    /// Names with different bytes are different, even if Unicode treats them as equal.
    case spellings = "Names with different bytes are different, even if Unicode treats them as equal"
    /// Purging removes the entries of inboxes and histories up to a given event id. Later entries of an inbox get the next positions, as if
    /// no entry had been removed.
    case retention = "Purging removes entries of inboxes and histories up to an id, and inbox positions continue"
    /// Trimming removes the oldest messages of an application from histories, and inboxes keep them.
    case limits = "Trimming removes the oldest messages of an application from histories, and inboxes keep them"
    /// A store that has the same epoch after it was closed and opened again has all its data.
    case restart = "A store that keeps its epoch has all data after it was closed and opened again"

    public var description: String { rawValue }

    /// Checks the rule with newly opened stores.
    ///
    /// - Parameter make: opens the store at a place, for the first time or again; called in the calling task.
    /// - Throws: a ``StoreRuleFailure`` that describes the violation.
    public func check(_ make: @escaping @Sendable (StorePlace) async throws -> any ChatStore) async throws(StoreRuleFailure) {
        try await ChatTrial.run(rawValue, name: "chat-\(Self.allCases.firstIndex(of: self) ?? 0)", make) { trial in
            switch self {
            case .order: try await trial.order()
            case .concurrency: try await trial.concurrency()
            case .atomicity: try await trial.atomicity()
            case .fields: try await trial.fields()
            case .inboxes: try await trial.inboxes()
            case .histories: try await trial.histories()
            case .rewrites: try await trial.rewrites()
            case .recalls: try await trial.recalls()
            case .hiding: try await trial.hiding()
            case .readers: try await trial.readers()
            case .receipts: try await trial.receipts()
            case .documents: try await trial.documents()
            case .recency: try await trial.recency()
            case .applications: try await trial.applications()
            case .spellings: try await trial.spellings()
            case .retention: try await trial.retention()
            case .limits: try await trial.limits()
            case .restart: try await trial.restart()
            }
        }
    }
}

typealias ChatTrial = StoreTrial<any ChatStore>
