import Identifiers
import ServerCluster
import ServerStorage

/// The leader's answer to ``PubNubClusterRequest/missed(_:subscribeKey:)``: parts of the requested queues, in the order of the request.
/// The last ones are left out when the answer would be too large.
struct CatchUpAnswer: Hashable, Sendable {
    /// A part of a queue.
    struct Part: Hashable, Sendable {
        /// The messages that the part contains, which may begin later than requested.
        var range: StreamRange
        /// Messages up to this timetoken may be missing; 0 for none.
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
