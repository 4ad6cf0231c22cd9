import PubNubProtocol
import ServerStorage

/// A subscriber's filter, compiled once for all polls of an event loop with the same text, and its cached results.
///
/// Used on its event loop only.
final class PollFilter {
    private let filter: PubNubFilter
    /// The results of the filter for messages that are being delivered, by timetoken.
    private var verdicts: [UInt64: Bool] = [:]

    /// The number of cached results at which all are dropped.
    private static let maximumVerdicts = 1024

    init(_ filter: PubNubFilter) {
        self.filter = filter
    }

    /// Whether a message passes. The filter is evaluated once for all polls that are answered together (rule PV-130).
    ///
    /// - Returns: also the work that it took, 0 for a cached result.
    func judge(_ message: StoredMessage) -> (passes: Bool, work: Int) {
        if let known = verdicts[message.timetoken] { return (known, 0) }
        var subject = PubNubFilterSubject(
            metadata: message.metadata, data: message.payload, customType: message.customType)
        let passes = filter.matches(&subject)
        if verdicts.count >= Self.maximumVerdicts { verdicts.removeAll(keepingCapacity: false) }
        verdicts[message.timetoken] = passes
        return (passes, max(subject.work, 1))
    }

    /// Whether results were cached since they were last dropped.
    var isUsed = false

    func forgetVerdicts() {
        isUsed = false
        verdicts.removeAll(keepingCapacity: false)
    }
}

/// The compiled filters of one keyset on one event loop, by the bytes of the requests that contained them. Bounded (rule PV-131).
struct FilterTable {
    private var filters: [[UInt8]: PollFilter] = [:]
    private var bytes = 0

    static let maximumCount = 512
    static let maximumBytes = 256 << 10

    func find(_ encoded: [UInt8]) -> PollFilter? { filters[encoded] }

    /// A full table is emptied first: polls keep the filters that they have.
    mutating func insert(_ filter: PollFilter, for encoded: [UInt8]) {
        if filters.count >= Self.maximumCount || bytes + encoded.count > Self.maximumBytes {
            filters.removeAll(keepingCapacity: false)
            bytes = 0
        }
        if filters.updateValue(filter, forKey: encoded) == nil { bytes += encoded.count }
    }

    var count: Int { filters.count }
}
