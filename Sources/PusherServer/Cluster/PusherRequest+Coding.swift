import NIOCore
import ServerCluster
import ServerRuntime

extension PusherRequest {
    private enum Kind: UInt8 {
        case http = 1
        case publish = 2
        case relay = 3
        case subscribe = 4
        case unsubscribe = 5
        case signIn = 6
        case signOut = 7
        case close = 8
        case connections = 9
        case holdings = 10
        case users = 11
        case recovering = 12
        case subscribeAll = 13
        case places = 14
        case connectionChanges = 15
        case partition = 16
    }

    var encoded: ByteBuffer {
        var buffer = ByteBuffer()
        func begin(_ kind: Kind) { buffer.writeInteger(kind.rawValue) }
        switch self {
        case .http(let request):
            begin(.http)
            buffer.write(request: request)
        case .publish(let publication):
            begin(.publish)
            buffer.write(publication: publication)
        case .relay(let event, let application, let sender):
            begin(.relay)
            buffer.write(text: application)
            buffer.write(socketID: sender)
            buffer.write(event: event)
        case .subscribe(let socketID, let channel, let member, let recovery):
            begin(.subscribe)
            buffer.write(socketID: socketID)
            buffer.write(channel: channel)
            buffer.write(optional: member) { $0.write(member: $1) }
            buffer.write(optional: recovery) { $0.write(recovery: $1) }
        case .subscribeAll(let socketID, let application, let channels):
            begin(.subscribeAll)
            buffer.write(socketID: socketID)
            buffer.write(text: application)
            buffer.write(list: channels) { buffer, channel in
                buffer.writeInteger(channel.number)
                buffer.write(text: channel.channel)
            }
        case .unsubscribe(let application, let ended, let isSilent):
            begin(.unsubscribe)
            buffer.write(text: application)
            buffer.write(flag: isSilent)
            buffer.write(list: ended) { buffer, ended in
                buffer.write(text: ended.channel)
                buffer.write(optional: ended.user) { $0.write(text: $1) }
            }
        case .signIn(let connection, let answers):
            begin(.signIn)
            buffer.write(connection: connection)
            buffer.write(list: answers) { $0.write(buffer: $1) }
        case .signOut(let socketID, let application):
            begin(.signOut)
            buffer.write(socketID: socketID)
            buffer.write(text: application)
        case .close(let reason, let application, let user):
            begin(.close)
            buffer.write(reason: reason)
            buffer.write(text: application)
            buffer.write(optional: user) { $0.write(text: $1) }
        case .places(let count):
            begin(.places)
            buffer.write(count: count)
        case .connectionChanges(let counts):
            begin(.connectionChanges)
            buffer.write(list: counts) { buffer, change in
                buffer.write(text: change.application)
                buffer.writeInteger(Int32(clamping: change.count))
            }
        case .connections(let counts):
            begin(.connections)
            buffer.write(list: counts) { $0.write(count: $1) }
        case .holdings(let holdings):
            begin(.holdings)
            buffer.write(list: holdings) { $0.write(holding: $1) }
        case .users(let users):
            begin(.users)
            buffer.write(list: users) { $0.write(connection: $1) }
        case .recovering(let channels):
            begin(.recovering)
            buffer.write(list: channels) { $0.write(channel: $1) }
        case .partition(let request):
            begin(.partition)
            request.write(to: &buffer)
        }
        return buffer
    }

    init(parsing buffer: ByteBuffer) throws(ClusterCodingError) {
        var buffer = buffer
        guard let kind = Kind(rawValue: try buffer.number()) else { throw ClusterCodingError() }
        switch kind {
        case .http: self = .http(try buffer.request())
        case .publish: self = .publish(try buffer.publication())
        case .relay:
            let application = try buffer.text()
            let sender = try buffer.socketID()
            self = .relay(try buffer.event(), application: application, sender: sender)
        case .subscribe:
            let socketID = try buffer.socketID()
            let channel = try buffer.channel()
            let member = try buffer.optional { (buffer) throws(ClusterCodingError) in try buffer.member() }
            let recovery = try buffer.optional { (buffer) throws(ClusterCodingError) in try buffer.recovery() }
            self = .subscribe(socketID, channel, member: member, recovery)
        case .subscribeAll:
            let socketID = try buffer.socketID()
            let application = try buffer.text()
            let channels = try buffer.list { (buffer) throws(ClusterCodingError) in
                let number = try buffer.number(UInt64.self)
                return BatchedSubscription(number: number, channel: try buffer.text())
            }
            self = .subscribeAll(socketID, application: application, channels)
        case .unsubscribe:
            let application = try buffer.text()
            let isSilent = try buffer.flag()
            let ended = try buffer.list { (buffer) throws(ClusterCodingError) in
                let channel = try buffer.text()
                return EndedHolding(channel: channel, user: try buffer.optionalText())
            }
            self = .unsubscribe(application: application, ended, isSilent: isSilent)
        case .signIn:
            let connection = try buffer.connection()
            self = .signIn(
                connection, answers: try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.buffer() })
        case .signOut:
            let socketID = try buffer.socketID()
            self = .signOut(socketID, application: try buffer.text())
        case .close:
            let reason = try buffer.reason()
            let application = try buffer.text()
            self = .close(reason, application: application, user: try buffer.optionalText())
        case .places: self = .places(try buffer.count())
        case .connectionChanges:
            self = .connectionChanges(
                try buffer.list { (buffer) throws(ClusterCodingError) in
                    let application = try buffer.text()
                    return ApplicationCount(application: application, count: Int(try buffer.number(Int32.self)))
                })
        case .connections:
            self = .connections(try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.count() })
        case .holdings:
            self = .holdings(try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.holding() })
        case .users:
            self = .users(try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.connection() })
        case .recovering:
            self = .recovering(try buffer.list { (buffer) throws(ClusterCodingError) in try buffer.channel() })
        case .partition: self = .partition(try PartitionRequest(reading: &buffer))
        }
        try buffer.end()
    }
}

extension ByteBuffer {
    fileprivate mutating func optionalText() throws(ClusterCodingError) -> String? {
        try optional { (buffer) throws(ClusterCodingError) in try buffer.text() }
    }

    fileprivate mutating func write(event: ClientEvent) {
        write(text: event.name)
        write(text: event.channel)
        write(text: event.data)
        write(optional: event.userID) { $0.write(text: $1) }
    }

    fileprivate mutating func event() throws(ClusterCodingError) -> ClientEvent {
        let (name, channel) = (try text(), try text())
        let data = try text()
        return ClientEvent(name: name, channel: channel, data: data, userID: try optionalText())
    }

    fileprivate mutating func write(publication: ForwardedPublication) {
        write(channel: publication.channel)
        write(buffer: publication.frame)
        write(optional: publication.excluding) { $0.write(socketID: $1) }
        write(optional: publication.event) { $0.write(text: $1) }
        write(optional: publication.data) { $0.write(text: $1) }
        write(optional: publication.lifetime) { $0.writeInteger($1) }
        write(flag: publication.isBridged)
    }

    fileprivate mutating func publication() throws(ClusterCodingError) -> ForwardedPublication {
        let channel = try channel()
        let frame = try buffer()
        let excluding = try optional { (buffer) throws(ClusterCodingError) in try buffer.socketID() }
        let (event, data) = (try optionalText(), try optionalText())
        let lifetime = try optional { (buffer) throws(ClusterCodingError) in try buffer.number(Int64.self) }
        return ForwardedPublication(
            channel: channel, frame: frame, excluding: excluding, event: event, data: data, lifetime: lifetime,
            isBridged: try flag())
    }

    mutating func write(holding: ChannelHolding) {
        write(channel: holding.channel)
        write(optional: holding.member) { $0.write(member: $1) }
        writeInteger(UInt32(clamping: holding.count))
    }

    mutating func holding() throws(ClusterCodingError) -> ChannelHolding {
        let channel = try channel()
        let member = try optional { (buffer) throws(ClusterCodingError) in try buffer.member() }
        return ChannelHolding(channel: channel, member: member, count: Int(try number(UInt32.self)))
    }

    mutating func write(connection: SignedInConnection) {
        write(socketID: connection.socketID)
        write(text: connection.application)
        write(text: connection.user)
        write(list: connection.watchlist) { $0.write(text: $1) }
    }

    mutating func connection() throws(ClusterCodingError) -> SignedInConnection {
        let socketID = try socketID()
        let (application, user) = (try text(), try text())
        return SignedInConnection(
            socketID: socketID, application: application, user: user,
            watchlist: try list { (buffer) throws(ClusterCodingError) in try buffer.text() })
    }
}
