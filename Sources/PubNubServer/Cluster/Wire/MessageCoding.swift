import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

// Coding of stored messages and other values for messages between nodes and for Redis.
extension ByteBuffer {
    mutating func write(name: Identifier) { write(text: name.text) }

    mutating func name() throws(ClusterCodingError) -> Identifier { Identifier(try text()) }

    mutating func write(optional bytes: [UInt8]?) {
        write(optional: bytes) { $0.write(bytes: $1) }
    }

    mutating func optionalBytes() throws(ClusterCodingError) -> [UInt8]? {
        try optional { (buffer) throws(ClusterCodingError) in try buffer.bytes() }
    }

    mutating func write(optional text: String?) {
        write(optional: text) { $0.write(text: $1) }
    }

    mutating func optionalText() throws(ClusterCodingError) -> String? {
        try optional { (buffer) throws(ClusterCodingError) in try buffer.text() }
    }

    mutating func write(optional number: (some FixedWidthInteger)?) {
        write(optional: number) { $0.writeInteger($1) }
    }

    mutating func optionalNumber<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self
    ) throws(ClusterCodingError) -> Number? {
        try flag() ? try number(type) : nil
    }

    mutating func names() throws(ClusterCodingError) -> [Identifier] {
        try list { (buffer) throws(ClusterCodingError) in try buffer.name() }
    }

    mutating func write(names: [Identifier]) {
        write(list: names) { $0.write(name: $1) }
    }
}

extension ByteBuffer {
    init(message: StoredMessage) {
        self.init()
        reserveCapacity(message.bytes + 96)
        writeInteger(message.timetoken)
        write(name: message.channel)
        write(optional: message.publisher)
        write(bytes: message.payload)
        write(optional: message.metadata)
        writeInteger(Int64(message.kind))
        write(optional: message.customType)
        write(optional: message.sequence.map { Int64($0) })
        write(optional: message.origination)
        write(flag: message.isStored)
        write(optional: message.expires)
    }

    /// Timetokens have 63 bits, so callers may add numbers to them (rule CR-42).
    private mutating func timetoken() throws(ClusterCodingError) -> UInt64 {
        let token = try number(UInt64.self)
        guard token <= UInt64(Int64.max) else { throw ClusterCodingError() }
        return token
    }

    mutating func message() throws(ClusterCodingError) -> StoredMessage {
        let (timetoken, channel, publisher) = (try timetoken(), try name(), try optionalText())
        let (payload, metadata) = (try bytes(), try optionalBytes())
        let (kind, customType) = (try number(Int64.self), try optionalText())
        let (sequence, origination) = (try optionalNumber(Int64.self), try optionalNumber(UInt64.self))
        return StoredMessage(
            timetoken: timetoken, channel: channel, publisher: publisher, payload: payload, metadata: metadata,
            kind: Int(truncatingIfNeeded: kind), customType: customType, sequence: sequence.map { Int(truncatingIfNeeded: $0) },
            origination: origination, isStored: try flag(), expires: try optionalNumber(UInt64.self))
    }

    /// Also used as the action's key in the table of its keyset.
    mutating func write(action: MessageAction) {
        writeInteger(action.timetoken)
        writeInteger(action.message)
        write(text: action.type)
        write(text: action.value)
        write(text: action.user)
    }

    mutating func action() throws(ClusterCodingError) -> MessageAction {
        let (timetoken, message) = (try timetoken(), try number(UInt64.self))
        return MessageAction(type: try text(), value: try text(), user: try text(), message: message, timetoken: timetoken)
    }

    mutating func write(accessKey key: AccessEntry.Key) {
        writeInteger(UInt8(truncatingIfNeeded: key.kind.rawValue))
        write(name: key.name)
        write(optional: key.holder?.text)
    }

    mutating func accessKey() throws(ClusterCodingError) -> AccessEntry.Key {
        guard let kind = AccessEntry.Key.Kind(rawValue: Int(try number(UInt8.self))) else { throw ClusterCodingError() }
        return AccessEntry.Key(kind, try name(), holder: try optionalText().map { Identifier($0) })
    }

    mutating func write(access entry: AccessEntry) {
        write(accessKey: entry.key)
        writeInteger(Int64(entry.rights))
        writeInteger(Int64(entry.ttl))
        write(optional: entry.expires.map { Int64($0) })
    }

    mutating func access() throws(ClusterCodingError) -> AccessEntry {
        let key = try accessKey()
        let (rights, ttl, expires) = (try number(Int64.self), try number(Int64.self), try optionalNumber(Int64.self))
        return AccessEntry(
            key, rights: Int(truncatingIfNeeded: rights), ttl: Int(truncatingIfNeeded: ttl),
            expires: expires.map { Int(truncatingIfNeeded: $0) })
    }

    mutating func write(occupancy record: OccupancyRecord) {
        write(name: record.channel)
        write(name: record.user)
        writeInteger(record.order)
        write(optional: record.state)
        write(list: record.connections) { buffer, connection in
            buffer.write(name: connection.id)
            buffer.writeInteger(Int64(connection.timeout))
        }
    }

    mutating func occupancy() throws(ClusterCodingError) -> OccupancyRecord {
        let (channel, user, order, state) = (try name(), try name(), try number(UInt64.self), try optionalBytes())
        let connections = try list { (buffer) throws(ClusterCodingError) in
            OccupancyRecord.Connection(id: try buffer.name(), timeout: Int(clamping: try buffer.number(Int64.self)))
        }
        // CR-42: later positions are counted from this one.
        return OccupancyRecord(
            channel: channel, user: user, order: min(order, UInt64(Int64.max)), state: state, connections: connections)
    }
}
