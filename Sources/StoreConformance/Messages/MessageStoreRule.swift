import RealtimeHub

/// What every message store has to do, rule by rule.
///
/// ```swift
/// @Test(arguments: MessageStoreRule.allCases)
/// func rule(_ rule: MessageStoreRule) async {
///     await #expect(throws: Never.self) {
///         try await rule.check { place in try MyStore(directory: scratch + "/" + place.name, now: place.now) }
///     }
/// }
/// ```
/// Rules about restarts ask a store for more only if its `RestoredState.remembersStream` is true.
public enum MessageStoreRule: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Completions come once each in the order of the calls, and what they confirm is read.
    case order = "Completions come once each in the order of the calls, and what they confirm is read"
    /// What is appended from several tasks at the same time is all kept.
    case concurrency = "What is appended from several tasks at the same time is all kept"
    /// A timetoken that comes twice is kept once.
    case repetition = "A timetoken that comes twice is kept once"
    /// Every field comes back as it was.
    case fields = "Every field comes back as it was"
    /// A page is what a list would answer: the start is excluded, the end included, the oldest comes first.
    case spans = "A page is what a list would answer: the start is excluded, the end included, the oldest comes first"
    /// A page ends behind the message that goes beyond its bytes.
    case bytes = "A page ends behind the message that goes beyond its bytes"
    /// Messages that are not stored or have expired are neither history nor counted.
    case retention = "Messages that are not stored or have expired are neither history nor counted"
    /// Counts begin after their timetoken and end at 10,000.
    case counts = "Counts begin after their timetoken and end at 10,000"
    /// Deleting takes the span, says how many, and leaves the rest.
    case deletion = "Deleting takes the span, says how many, and leaves the rest"
    /// Applications see nothing of each other.
    case applications = "Applications see nothing of each other"
    /// Names with other bytes are other names, whatever Unicode takes for equal.
    case spellings = "Names with other bytes are other names, whatever Unicode takes for equal"
    /// Names that look like patterns are names like all others.
    case patterns = "Names that look like patterns are names like all others"
    /// A store that remembers has the same messages after it was closed and opened again.
    case restart = "A store that remembers has the same messages after it was closed and opened again"
    /// Groups come back with their channels in order.
    case groups = "Groups come back with their channels in order"
    /// Message actions come back, and each goes with the message that tells of it.
    case actions = "Message actions come back, and each goes with the message that tells of it"
    /// Entries of the access manager come back in order, without those that were removed or have expired.
    case access = "Entries of the access manager come back in order, without those that were removed or have expired"
    /// Records come back as they were last put, and go with the messages that tell of them as a whole or not at all.
    case records = "Records come back as they were last put, and each commit is stored as a whole or not at all"
    /// What is restored has a bound of bytes.
    case restoredBytes = "What is restored has a bound of bytes"
    /// Readers of restored streams get everything, or are told that something is missing.
    case gaps = "Readers of restored streams get everything, or are told that something is missing"

    public var description: String { rawValue }

    /// Checks the rule with stores of its own.
    ///
    /// - Parameter make: opens the store at a place, for the first time or again; called in the calling task.
    /// - Throws: how the rule is broken.
    public func check(_ make: @escaping @Sendable (StorePlace) async throws -> any MessageStore) async throws(StoreRuleFailure) {
        try await MessageTrial.run(rawValue, name: "messages-\(Self.allCases.firstIndex(of: self) ?? 0)", make) { trial in
            switch self {
            case .order: try await trial.order()
            case .concurrency: try await trial.concurrency()
            case .repetition: try await trial.repetition()
            case .fields: try await trial.fields()
            case .spans: try await trial.spans()
            case .bytes: try await trial.bytes()
            case .retention: try await trial.retention()
            case .counts: try await trial.counts()
            case .deletion: try await trial.deletion()
            case .applications: try await trial.applications()
            case .spellings: try await trial.spellings()
            case .patterns: try await trial.patterns()
            case .restart: try await trial.restart()
            case .groups: try await trial.groups()
            case .actions: try await trial.actions()
            case .access: try await trial.access()
            case .records: try await trial.records()
            case .restoredBytes: try await trial.restoredBytes()
            case .gaps: try await trial.gaps()
            }
        }
    }
}

typealias MessageTrial = StoreTrial<any MessageStore>
