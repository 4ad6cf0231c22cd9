import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// A request of the HTTP API, or a part of it, that a node of a cluster with several partitions has read and authenticated, and sends to
/// the leaders of the partitions that it concerns (rules CP-75 to CP-79).
enum PartitionRequest: Hashable, Sendable {
    /// Events for channels of the partition.
    case events(application: String, [PublishRequest])
    /// Counts messages and queries against the limits of an application, at its home partition.
    case spend(application: String, publishes: Int, queries: Int)
    /// Asks for the partition's channels.
    case list(ChannelList)

    private enum Kind: UInt8 {
        case events = 1
        case spend = 2
        case list = 3
    }

    func write(to buffer: inout ByteBuffer) {
        switch self {
        case .events(let application, let requests):
            buffer.writeInteger(Kind.events.rawValue)
            buffer.write(text: application)
            buffer.write(list: requests) { buffer, request in
                buffer.write(text: request.event)
                buffer.write(text: request.data)
                buffer.write(list: request.channels) { $0.write(text: $1) }
                buffer.write(optional: request.excluded) { $0.write(socketID: $1) }
                buffer.write(attributes: request.info)
            }
        case .spend(let application, let publishes, let queries):
            buffer.writeInteger(Kind.spend.rawValue)
            buffer.write(text: application)
            buffer.writeMultipleIntegers(UInt32(clamping: publishes), UInt32(clamping: queries))
        case .list(let list):
            buffer.writeInteger(Kind.list.rawValue)
            buffer.write(text: list.application)
            buffer.write(text: list.prefix)
            buffer.write(attributes: list.info)
        }
    }

    init(reading buffer: inout ByteBuffer) throws(ClusterCodingError) {
        guard let kind = Kind(rawValue: try buffer.number()) else { throw ClusterCodingError() }
        switch kind {
        case .events:
            let application = try buffer.text()
            self = .events(
                application: application,
                try buffer.list { (buffer) throws(ClusterCodingError) in
                    let (event, data) = (try buffer.text(), try buffer.text())
                    let channels = try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.text() }
                    let excluded = try buffer.optional { (buffer) throws(ClusterCodingError) in try buffer.socketID() }
                    return PublishRequest(
                        event: event, data: data, channels: channels, excluded: excluded, info: try buffer.attributes())
                })
        case .spend:
            let application = try buffer.text()
            let publishes = Int(try buffer.number(UInt32.self))
            self = .spend(application: application, publishes: publishes, queries: Int(try buffer.number(UInt32.self)))
        case .list:
            let (application, prefix) = (try buffer.text(), try buffer.text())
            self = .list(ChannelList(application: application, prefix: prefix, info: try buffer.attributes()))
        }
    }
}

/// The answer of a partition's leader to a ``PartitionRequest``.
enum PartitionAnswer: Hashable, Sendable {
    /// It was done. For each channel of an event whose attributes were asked for, these as a JSON object.
    case done([String])
    /// The channels of a list, in no particular order.
    case channels([ChannelOccupancy])
    /// The answer of the request, which was not performed.
    case refused(HTTPAnswer)

    private enum Kind: UInt8 {
        case done = 1
        case channels = 2
        case refused = 3
    }

    var encoded: ByteBuffer {
        var buffer = ByteBuffer()
        switch self {
        case .done(let attributes):
            buffer.writeInteger(Kind.done.rawValue)
            buffer.write(list: attributes) { $0.write(text: $1) }
        case .channels(let channels):
            buffer.writeInteger(Kind.channels.rawValue)
            buffer.write(list: channels) { buffer, channel in
                buffer.write(text: channel.name)
                buffer.writeInteger(UInt32(clamping: channel.subscriptions))
                buffer.write(optional: channel.users) { $0.writeInteger(UInt32(clamping: $1)) }
            }
        case .refused(let answer):
            buffer.writeInteger(Kind.refused.rawValue)
            buffer.write(answer: answer)
        }
        return buffer
    }

    init(parsing buffer: ByteBuffer) throws(ClusterCodingError) {
        var buffer = buffer
        guard let kind = Kind(rawValue: try buffer.number()) else { throw ClusterCodingError() }
        switch kind {
        case .done: self = .done(try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.text() })
        case .channels:
            self = .channels(
                try buffer.list { (buffer) throws(ClusterCodingError) in
                    let name = try buffer.text()
                    let subscriptions = Int(try buffer.number(UInt32.self))
                    let users = try buffer.optional { (buffer) throws(ClusterCodingError) in Int(try buffer.number(UInt32.self)) }
                    return ChannelOccupancy(name: name, subscriptions: subscriptions, users: users)
                })
        case .refused: self = .refused(try buffer.answer())
        }
        try buffer.end()
    }
}

extension ByteBuffer {
    fileprivate mutating func write(attributes: ChannelAttributes) {
        writeInteger(UInt8(truncatingIfNeeded: attributes.rawValue))
    }

    fileprivate mutating func attributes() throws(ClusterCodingError) -> ChannelAttributes {
        ChannelAttributes(rawValue: Int(try number(UInt8.self)))
    }
}
