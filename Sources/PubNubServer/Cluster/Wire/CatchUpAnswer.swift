import Identifiers
import ServerCluster
import ServerStorage

/// The leader's answer to ``PubNubClusterRequest/missed(_:subscribeKey:)``: the messages of the requested ranges, in the order of the
/// request. If the answer would become too large, the last ranges are left out.
struct CatchUpAnswer: Hashable, Sendable {
    /// The messages of one channel or pattern.
    struct Part: Hashable, Sendable {
        /// The range of timetokens that `messages` covers; it may begin later than the requested range.
        var range: StreamRange
        /// The timetoken up to which messages may be missing; 0 when none is missing.
        var dropped: UInt64
        var messages: [StoredMessage]
    }

    var parts: [Part]
}

extension CatchUpAnswer: CodedValue {
    var expectedLength: Int {
        parts.reduce(64) { size, part in part.messages.reduce(size + 160) { $0 + $1.expectedLength } }
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(parts: try fields.list(1, value?.parts))
    }
}

extension CatchUpAnswer.Part: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            range: try fields.field(1, value?.range), dropped: try fields.field(2, value?.dropped),
            messages: try fields.list(3, value?.messages))
    }
}

extension StreamRange: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let isPattern = try fields.field(1, value.map { if case .pattern = $0.name { true } else { false } })
        let name = try fields.field(2, value?.name.identifier)
        return Self(
            isPattern ? .pattern(name) : .channel(name), after: try fields.field(3, value?.after),
            upTo: try fields.field(4, value?.upTo))
    }
}
