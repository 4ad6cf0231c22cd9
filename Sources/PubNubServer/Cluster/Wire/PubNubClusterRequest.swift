import Identifiers
import NIOCore
import NIOHTTP1
import PubNubProtocol
import ServerCluster
import ServerRuntime
import ServerStorage

/// A request from a node to the leader.
enum PubNubClusterRequest: Sendable {
    /// A request of a client. The node passes the answer on to the client.
    case http(HTTPRequest)
    /// A message of the node's own process or of its bridge, which needs no access right. The answer is a ``PublishOutcome``.
    case publish(PubNubDraft, isBridged: Bool, subscribeKey: String)
    /// A subscriber is present. The answer is empty.
    case touch(PresenceTouch, subscribeKey: String)
    /// A subscriber has a cursor that is ahead of the node's clock; in an announcement, the position of the node's replica of a
    /// keyset. The answer is empty.
    case advance(past: UInt64, subscribeKey: String)
    /// The node starts to serve a keyset and needs its state. The answer is empty when the leader does not know the keyset yet, and
    /// one byte otherwise.
    case state(subscribeKey: String)
    /// A query for one piece of a state that the leader has prepared. The answer is an encoded ``PubNubFact``, or empty when the
    /// leader no longer has the state.
    case piece(snapshot: UInt64, index: UInt32)
    /// Announces the positions of the node's replicas of keysets; nil for a replica without a state.
    case cursors([(subscribeKey: String, visible: UInt64?)])
    /// A node has put the content of a file into Redis. The answer is a ``FileOutcome``.
    case file(KeysetRecord, FileOrigin, subscribeKey: String)

    /// A subscriber on some channels.
    struct PresenceTouch: Hashable, Sendable {
        struct Place: Hashable, Sendable {
            var channel: Identifier
            /// The presence state as JSON text, if the request contains one.
            var state: [UInt8]?
        }

        var user: OccupancyUser
        /// The presence timeout in seconds that the client requests.
        var timeout: Int?
        var places: [Place]
    }
}

/// The outcome of a published message.
enum PublishOutcome: Hashable, Sendable {
    case published(UInt64)
    case unknownKeyset
    case notStored

    init(_ result: Result<Timetoken, PubNubErrorBody>) {
        switch result {
        case .success(let token): self = .published(token.rawValue)
        case .failure: self = .notStored
        }
    }
}

extension PubNubClusterRequest {
    private enum Tag: UInt8 {
        case http = 1
        case publish = 2
        case touch = 3
        // Numbers of earlier versions: 4 was `advance` without a keyset, 7 was `file` without the time of its form.
        case state = 5
        case cursors = 6
        case piece = 8
        case advance = 9
        case file = 10
    }

    var encoded: ByteBuffer {
        var buffer = ByteBuffer()
        func begin(_ tag: Tag) { buffer.writeInteger(tag.rawValue) }
        switch self {
        case .http(let request):
            begin(.http)
            buffer.write(request: request)
        case .publish(let draft, let isBridged, let key):
            begin(.publish)
            buffer.write(text: key)
            buffer.write(draft: draft)
            buffer.write(flag: isBridged)
        case .touch(let touch, let key):
            begin(.touch)
            buffer.write(text: key)
            buffer.write(name: touch.user.id)
            buffer.write(name: touch.user.connection)
            buffer.write(optional: touch.user.owner?.text)
            buffer.write(optional: touch.timeout.map { Int64($0) })
            buffer.write(list: touch.places) { buffer, place in
                buffer.write(name: place.channel)
                buffer.write(optional: place.state)
            }
        case .advance(let cursor, let key):
            begin(.advance)
            buffer.write(text: key)
            buffer.writeInteger(cursor)
        case .state(let key):
            begin(.state)
            buffer.write(text: key)
        case .piece(let snapshot, let index):
            begin(.piece)
            buffer.writeInteger(snapshot)
            buffer.writeInteger(index)
        case .cursors(let cursors):
            begin(.cursors)
            buffer.write(list: cursors) { buffer, item in
                buffer.write(text: item.subscribeKey)
                buffer.write(optional: item.visible)
            }
        case .file(let record, let origin, let key):
            begin(.file)
            buffer.writeInteger(Int64(origin.issued))
            buffer.write(optional: origin.client)
            buffer.write(text: key)
            buffer.write(bytes: record.key.name)
            buffer.write(bytes: record.value)
        }
        return buffer
    }

    static func decode(_ bytes: ByteBuffer) throws(ClusterCodingError) -> PubNubClusterRequest {
        var buffer = bytes
        let request: PubNubClusterRequest
        switch Tag(rawValue: try buffer.number(UInt8.self)) {
        case .http: request = .http(try buffer.request())
        case .publish:
            let key = try buffer.text()
            request = .publish(try buffer.draft(), isBridged: try buffer.flag(), subscribeKey: key)
        case .touch:
            let key = try buffer.text()
            var user = OccupancyUser(id: try buffer.name(), connection: try buffer.name())
            user.owner = try buffer.optionalText().map { Identifier($0) }
            let timeout = try buffer.optionalNumber(Int64.self).map { Int(clamping: $0) }
            let places = try buffer.list { (buffer) throws(ClusterCodingError) in
                PresenceTouch.Place(channel: try buffer.name(), state: try buffer.optionalBytes())
            }
            request = .touch(PresenceTouch(user: user, timeout: timeout, places: places), subscribeKey: key)
        case .advance:
            let key = try buffer.text()
            request = .advance(past: try buffer.number(), subscribeKey: key)
        case .state: request = .state(subscribeKey: try buffer.text())
        case .piece: request = .piece(snapshot: try buffer.number(), index: try buffer.number())
        case .cursors:
            request = .cursors(
                try buffer.list { (buffer) throws(ClusterCodingError) in
                    (subscribeKey: try buffer.text(), visible: try buffer.optionalNumber(UInt64.self))
                })
        case .file:
            let origin = FileOrigin(issued: Int(clamping: try buffer.number(Int64.self)), client: try buffer.optionalText())
            let key = try buffer.text()
            request = .file(
                KeysetRecord(.init(.file, try buffer.bytes()), try buffer.bytes()), origin, subscribeKey: key)
        case nil: throw ClusterCodingError()
        }
        try buffer.end()
        return request
    }
}

extension ByteBuffer {
    fileprivate mutating func write(draft: PubNubDraft) {
        write(text: draft.channel)
        write(optional: draft.publisher)
        write(bytes: draft.payload)
        write(optional: draft.metadata)
        writeInteger(Int64(draft.kind.rawValue))
        write(optional: draft.customType)
    }

    /// Reads only the fields that a message of the server's own process has.
    fileprivate mutating func draft() throws(ClusterCodingError) -> PubNubDraft {
        let (channel, publisher, payload, metadata) = (try text(), try optionalText(), try bytes(), try optionalBytes())
        let kind = PubNubMessageKind(rawValue: Int(clamping: try number(Int64.self)))
        return PubNubDraft(
            channel: channel, publisher: publisher, payload: payload, metadata: metadata, kind: kind,
            customType: try optionalText())
    }

    mutating func write(outcome: PublishOutcome) {
        switch outcome {
        case .published(let timetoken):
            writeInteger(0 as UInt8)
            writeInteger(timetoken)
        case .unknownKeyset: writeInteger(1 as UInt8)
        case .notStored: writeInteger(2 as UInt8)
        }
    }

    mutating func outcome() throws(ClusterCodingError) -> PublishOutcome {
        switch try number(UInt8.self) {
        case 0: return .published(try number())
        case 1: return .unknownKeyset
        case 2: return .notStored
        default: throw ClusterCodingError()
        }
    }
}
