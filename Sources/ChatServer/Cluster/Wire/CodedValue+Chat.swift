import ChatProtocol
import ServerCluster
import ServerStorage

// The encoding of values that occur in several messages between the nodes.

extension ChatPlace: CodedValue {
    @usableFromInline
    package static func code(_ value: ChatPlace?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> ChatPlace {
        ChatPlace(epoch: try fields.field(1, value?.epoch), sequence: try fields.field(2, value?.sequence))
    }
}

extension ChatDevice: CodedValue {
    @usableFromInline
    package static func code(_ value: ChatDevice?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> ChatDevice {
        let (id, word) = (try fields.field(1, value?.id), try fields.field(2, value?.class.rawValue))
        guard let kind = Class(rawValue: word) else { throw ClusterCodingError() }
        return ChatDevice(id: id, class: kind, system: try fields.field(3, value?.system))
    }
}

extension ChatRequestRefusal: CodedValue {
    @usableFromInline
    package static func code(
        _ value: ChatRequestRefusal?, _ fields: inout FieldCoder
    ) throws(ClusterCodingError) -> ChatRequestRefusal {
        ChatRequestRefusal(
            ChatErrorCode(try fields.field(1, value?.code.rawValue)), try fields.field(2, value?.reason),
            retryAfter: try fields.optional(3, value?.retryAfter))
    }
}

extension ChatInboxPlace: CodedValue {
    @usableFromInline
    package static func code(_ value: ChatInboxPlace?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> ChatInboxPlace {
        ChatInboxPlace(user: try fields.field(1, value?.user), sequence: try fields.field(2, value?.sequence))
    }
}

extension ChatInboxEntry: CodedValue {
    @usableFromInline
    package static func code(_ value: ChatInboxEntry?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> ChatInboxEntry {
        ChatInboxEntry(sequence: try fields.field(1, value?.sequence), body: try fields.field(2, value?.body))
    }
}

extension ChatInboxStart: CodedValue {
    package static func code(_ value: ChatInboxStart?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> ChatInboxStart {
        ChatInboxStart(
            after: try fields.field(1, value?.after), last: try fields.field(2, value?.last),
            isResumed: try fields.field(3, value?.isResumed), hasLost: try fields.field(4, value?.hasLost))
    }
}
