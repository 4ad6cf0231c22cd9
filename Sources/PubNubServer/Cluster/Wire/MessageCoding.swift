import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

// The encodings of stored messages and other values in messages between nodes and in Redis.

/// A timetoken of at most 63 bits, so that additions to it do not overflow (rule CR-42).
private struct CodedTimetoken: CodedValue {
    var value: UInt64
    var fieldLength: Int? { 8 }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let token = try UInt64.code(value?.value, &fields)
        guard token <= UInt64(Int64.max) || value != nil else { throw ClusterCodingError() }
        return Self(value: token)
    }
}

extension StoredMessage: CodedValue {
    @usableFromInline package var expectedLength: Int { bytes + 96 }

    @usableFromInline
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            timetoken: try fields.field(1, value.map { CodedTimetoken(value: $0.timetoken) }).value,
            channel: try fields.field(2, value?.channel), publisher: try fields.optional(3, value?.publisher),
            payload: try fields.field(4, value?.payload), metadata: try fields.optional(5, value?.metadata),
            kind: try fields.field(6, value?.kind), customType: try fields.optional(7, value?.customType),
            sequence: try fields.optional(8, value?.sequence), origination: try fields.optional(9, value?.origination),
            isStored: try fields.field(10, value?.isStored), expires: try fields.optional(11, value?.expires))
    }
}

extension MessageAction: CodedValue {
    @usableFromInline
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let timetoken = try fields.field(1, value.map { CodedTimetoken(value: $0.timetoken) }).value
        let message = try fields.field(2, value?.message)
        return Self(
            type: try fields.field(3, value?.type), value: try fields.field(4, value?.value),
            user: try fields.field(5, value?.user), message: message, timetoken: timetoken)
    }
}

extension AccessEntry.Key: CodedValue {
    @usableFromInline
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let number = try fields.field(1, value.map { UInt8(truncatingIfNeeded: $0.kind.rawValue) })
        guard let kind = Kind(rawValue: Int(number)) else { throw ClusterCodingError() }
        return Self(kind, try fields.field(2, value?.name), holder: try fields.optional(3, value?.holder))
    }
}

extension AccessEntry: CodedValue {
    @usableFromInline
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            try fields.field(1, value?.key), rights: try fields.field(2, value?.rights), ttl: try fields.field(3, value?.ttl),
            expires: try fields.optional(4, value?.expires))
    }
}

extension OccupancyRecord: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            channel: try fields.field(1, value?.channel), user: try fields.field(2, value?.user),
            // The number for the order of joins has at most 63 bits, because later joins get the numbers that follow it (rule CR-42).
            order: min(try fields.field(3, value?.order), UInt64(Int64.max)), state: try fields.optional(4, value?.state),
            connections: try fields.list(5, value?.connections))
    }
}

extension OccupancyRecord.Connection: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(id: try fields.field(1, value?.id), timeout: try fields.field(2, value?.timeout))
    }
}

/// The channels of a group as Redis stores them.
struct KeptGroup: CodedValue {
    var channels: [Identifier]

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(channels: try fields.list(1, value?.channels))
    }
}

/// The field name under which Redis stores a user's presence on a channel. It is encoded without tags, because it has to stay the same in
/// all versions.
struct PresenceName: CodedValue {
    var user: Identifier
    var channel: Identifier

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(user: try fields.field(1, value?.user), channel: try fields.field(2, value?.channel))
    }
}
