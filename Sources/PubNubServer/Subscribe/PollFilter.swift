import PubNubProtocol
import ServerStorage

/// A subscriber's filter and its cached results. All polls of an event loop that have the same filter text share one compiled filter.
///
/// Used on its event loop only.
final class PollFilter {
    private let filter: PubNubFilter
    /// The cached results of the filter, by the timetoken of the message.
    private var verdicts: [UInt64: Bool] = [:]

    /// The largest number of cached results. When it is reached, all cached results are dropped.
    private static let maximumVerdicts = 1024

    init(_ filter: PubNubFilter) {
        self.filter = filter
    }

    /// Evaluates the filter on a message. The result is cached for all polls that are answered together (rule PV-130).
    ///
    /// - Returns: whether the message passes the filter, and the work of the evaluation, which is 0 for a cached result.
    func judge(_ message: StoredMessage) -> (passes: Bool, work: Int) {
        if let known = verdicts[message.timetoken] { return (known, 0) }
        var subject = PubNubFilterSubject(
            metadata: message.metadata, data: message.payload, customType: message.customType)
        let passes = filter.matches(&subject)
        if verdicts.count >= Self.maximumVerdicts { verdicts.removeAll(keepingCapacity: false) }
        verdicts[message.timetoken] = passes
        return (passes, max(subject.work, 1))
    }

    /// Whether there are cached results.
    var isUsed = false

    func forgetVerdicts() {
        isUsed = false
        verdicts.removeAll(keepingCapacity: false)
    }
}

/// The compiled filters of one keyset on one event loop, by their encoded text in requests. The table has a limited size (rule PV-131).
struct FilterTable {
    private var filters: [[UInt8]: PollFilter] = [:]
    private var bytes = 0

    static let maximumCount = 512
    static let maximumBytes = 256 << 10

    func find(_ encoded: [UInt8]) -> PollFilter? { filters[encoded] }

    /// Adds a filter. If the table is full, it is emptied first. Polls keep the filters that they use, even when these are no longer in the
    /// table.
    mutating func insert(_ filter: PollFilter, for encoded: [UInt8]) {
        if filters.count >= Self.maximumCount || bytes + encoded.count > Self.maximumBytes {
            filters.removeAll(keepingCapacity: false)
            bytes = 0
        }
        if filters.updateValue(filter, forKey: encoded) == nil { bytes += encoded.count }
    }

    var count: Int { filters.count }
}
