import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// A request to the leader of a partition. A node with several partitions sends it for the part of an HTTP API request that concerns the
/// partition, after it has authenticated the HTTP request (rules CP-75 to CP-79).
enum PartitionRequest: Hashable, Sendable {
    /// Publishes events on channels of the partition.
    case events(application: String, [PublishRequest])
    /// Counts messages and queries against the limits of an application, at its home partition.
    case spend(application: String, publishes: Int, queries: Int)
    /// Asks for the partition's channels that match a query.
    case list(ChannelListQuery)
}

extension PartitionRequest: CodedValue {
    private enum Kind: UInt8 {
        case events = 1
        case spend, list
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let kind: Kind? =
            switch value {
            case .events?: .events
            case .spend?: .spend
            case .list?: .list
            case nil: nil
            }
        switch try fields.kind(kind) {
        case .events:
            let given = value.flatMap { if case .events(let application, let all) = $0 { (application, all) } else { nil } }
            return .events(application: try fields.field(1, given?.0), try fields.list(2, given?.1))
        case .spend:
            let given = value.flatMap {
                if case .spend(let id, let publishes, let queries) = $0 { (id, publishes, queries) } else { nil }
            }
            let application = try fields.field(1, given?.0)
            let publishes = try fields.field(2, given.map { UInt32(clamping: $0.1) })
            let queries = try fields.field(3, given.map { UInt32(clamping: $0.2) })
            return .spend(application: application, publishes: Int(publishes), queries: Int(queries))
        case .list: return .list(try fields.field(1, value.flatMap { if case .list(let list) = $0 { list } else { nil } }))
        }
    }
}

extension PublishRequest: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            event: try fields.field(1, value?.event), data: try fields.field(2, value?.data),
            channels: try fields.list(3, value?.channels), excluded: try fields.optional(4, value?.excluded),
            info: try fields.field(5, value?.info))
    }
}

extension ChannelListQuery: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            application: try fields.field(1, value?.application), prefix: try fields.field(2, value?.prefix),
            info: try fields.field(3, value?.info))
    }
}

extension ChannelAttributes: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(rawValue: Int(try UInt8.code(value.map { UInt8(truncatingIfNeeded: $0.rawValue) }, &fields)))
    }

    var fieldLength: Int? { 1 }
}

/// The answer of a partition's leader to a ``PartitionRequest``.
enum PartitionAnswer: Hashable, Sendable {
    /// The events were published, or the costs counted. The list has one JSON object with attributes for each channel whose attributes were
    /// requested.
    case done([String])
    /// The channels that match a query, in no particular order.
    case channels([ChannelOccupancy])
    /// The request was refused; the value is the HTTP answer for the client.
    case refused(HTTPAnswer)
}

extension PartitionAnswer: CodedValue {
    private enum Kind: UInt8 {
        case done = 1
        case channels, refused
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let kind: Kind? =
            switch value {
            case .done?: .done
            case .channels?: .channels
            case .refused?: .refused
            case nil: nil
            }
        switch try fields.kind(kind) {
        case .done: return .done(try fields.list(1, value.flatMap { if case .done(let all) = $0 { all } else { nil } }))
        case .channels:
            return .channels(try fields.list(1, value.flatMap { if case .channels(let all) = $0 { all } else { nil } }))
        case .refused:
            return .refused(try fields.field(1, value.flatMap { if case .refused(let answer) = $0 { answer } else { nil } }))
        }
    }
}

extension ChannelOccupancy: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let name = try fields.field(1, value?.name)
        let subscriptions = try fields.field(2, value.map { UInt32(clamping: $0.subscriptions) })
        let users = try fields.optional(3, value?.users.map { UInt32(clamping: $0) })
        return Self(name: name, subscriptions: Int(subscriptions), users: users.map { Int($0) })
    }
}
