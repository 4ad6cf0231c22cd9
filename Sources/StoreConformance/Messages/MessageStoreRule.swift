import ServerStorage

/// The rules that every message store has to fulfil.
///
/// ```swift
/// @Test(arguments: MessageStoreRule.allCases)
/// func rule(_ rule: MessageStoreRule) async {
///     await #expect(throws: Never.self) {
///         try await rule.check { place in try MyStore(directory: scratch + "/" + place.name, now: place.now) }
///     }
/// }
/// ```
/// Rules about restarts expect restored data only if `RestoredState.remembersStream` of the store is true.
public enum MessageStoreRule: String, CaseIterable, Sendable, CustomStringConvertible {
    /// Each completion is called once, in the order of the calls, and confirmed messages can be read.
    case order = "Each completion is called once, in the order of the calls, and confirmed messages can be read"
    /// Messages that several concurrent tasks append are all stored.
    case concurrency = "Messages that several tasks append at the same time are all stored"
    /// A message whose timetoken exists already is not stored a second time.
    case repetition = "A repeated timetoken is stored once"
    /// Every field of a message is restored unchanged.
    case fields = "Every field is restored unchanged"
    /// A page of history excludes its `start`, includes its `end`, and is sorted with the oldest message first.
    case spans = "A page excludes its start and includes its end, and its oldest message is first"
    /// A page of history ends with the message that exceeds its limit of bytes.
    case bytes = "A page ends with the message that exceeds its limit of bytes"
    /// Messages outside of the history and expired messages are neither returned nor counted.
    case retention = "Messages outside of the history and expired messages are neither returned nor counted"
    /// Trimming deletes the oldest messages of an application beyond its limits, returns exact counts, and does not change other
    /// applications.
    case limits = "Trimming deletes the oldest messages of an application beyond its limits, and counts what is left"
    /// A count includes only messages after a given timetoken, and is at most 10,000.
    case counts = "Counts begin after their timetoken and are at most 10,000"
    /// A deletion removes the messages in a range of timetokens and returns their number. All other messages stay.
    case deletion = "Deleting removes the messages of a span, returns their number, and leaves all others"
    /// The data of different applications are separate.
    case applications = "The data of different applications are separate"
    /// Names with different bytes are different, even if Unicode treats them as equal.
    case spellings = "Names with different bytes are different, even if Unicode treats them as equal"
    /// Channel names that look like SQL patterns are treated like all other names.
    case patterns = "Names that look like SQL patterns are treated like all others"
    /// A durable store that is closed and opened again has the same messages as before.
    case restart = "A durable store has the same messages after it was closed and opened again"
    /// Channel groups are restored with their channels in the same order.
    case groups = "Groups are restored with their channels in order"
    /// Message actions are restored. An action and the message that announces it are either both stored, or neither of them is stored.
    case actions = "Message actions are restored, and each is stored with the message that announces it, or not at all"
    /// Entries of the access manager are restored in their order. Removed and expired entries are not restored.
    case access = "Entries of the access manager are restored in order, without removed and expired ones"
    /// Records are restored with their last values. Changed records and the messages that announce the changes are either all stored, or
    /// none of them is stored.
    case records = "Records are restored with their last values, and each commit is stored completely or not at all"
    /// The restored recent messages do not exceed a size limit in bytes.
    case restoredBytes = "The size of the restored messages in bytes is limited"
    /// A subscriber that continues after a restart gets all messages that it has missed, or a gap is reported to it.
    case gaps = "Readers of restored streams get all messages, or a gap is reported to them"

    public var description: String { rawValue }

    /// Checks the rule with newly opened stores.
    ///
    /// - Parameter make: opens the store at a place, for the first time or again; called in the calling task.
    /// - Throws: a ``StoreRuleFailure`` that describes the violation.
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
            case .limits: try await trial.limits()
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
