import NIOCore
import ServerCluster
import ServerRuntime

extension PusherRequest: CodedValue {
    private enum Kind: UInt8 {
        case http = 1
        case publish, relay, subscribe, unsubscribe, signIn, signOut, close, connections, holdings, users, recovering
        case subscribeAll, places, connectionChanges, partition, join, events
    }

    private var kind: Kind {
        switch self {
        case .http: .http
        case .publish: .publish
        case .relay: .relay
        case .subscribe: .subscribe
        case .unsubscribe: .unsubscribe
        case .signIn: .signIn
        case .signOut: .signOut
        case .close: .close
        case .connections: .connections
        case .holdings: .holdings
        case .users: .users
        case .recovering: .recovering
        case .subscribeAll: .subscribeAll
        case .places: .places
        case .connectionChanges: .connectionChanges
        case .partition: .partition
        case .join: .join
        case .events: .events
        }
    }

    var expectedLength: Int {
        switch self {
        case .http(let request): request.expectedLength
        case .events(let events): events.expectedLength
        default: 64
        }
    }

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        switch try fields.kind(value?.kind) {
        case .http: return .http(try fields.field(1, value.flatMap { if case .http(let request) = $0 { request } else { nil } }))
        case .publish:
            return .publish(try fields.field(1, value.flatMap { if case .publish(let event) = $0 { event } else { nil } }))
        case .relay:
            let given = value.flatMap { if case .relay(let event, let app, let id) = $0 { (app, id, event) } else { nil } }
            let (application, sender) = (try fields.field(1, given?.0), try fields.field(2, given?.1))
            return .relay(try fields.field(3, given?.2), application: application, sender: sender)
        case .subscribe:
            let given = value.flatMap {
                if case .subscribe(let id, let channel, let user, let place) = $0 { (id, channel, user, place) } else { nil }
            }
            return .subscribe(
                try fields.field(1, given?.0), try fields.field(2, given?.1), member: try fields.optional(3, given?.2),
                try fields.optional(4, given?.3))
        case .subscribeAll:
            let given = value.flatMap { if case .subscribeAll(let id, let app, let all) = $0 { (id, app, all) } else { nil } }
            return .subscribeAll(
                try fields.field(1, given?.0), application: try fields.field(2, given?.1), try fields.list(3, given?.2))
        case .unsubscribe:
            let given = value.flatMap {
                if case .unsubscribe(let app, let ended, let isSilent) = $0 { (app, isSilent, ended) } else { nil }
            }
            let (application, isSilent) = (try fields.field(1, given?.0), try fields.field(2, given?.1))
            return .unsubscribe(application: application, try fields.list(3, given?.2), isSilent: isSilent)
        case .signIn:
            let given = value.flatMap { if case .signIn(let connection, let answers) = $0 { (connection, answers) } else { nil } }
            return .signIn(try fields.field(1, given?.0), answers: try fields.list(2, given?.1))
        case .signOut:
            let given = value.flatMap { if case .signOut(let id, let app) = $0 { (id, app) } else { nil } }
            return .signOut(try fields.field(1, given?.0), application: try fields.field(2, given?.1))
        case .close:
            let given = value.flatMap { if case .close(let reason, let app, let user) = $0 { (reason, app, user) } else { nil } }
            return .close(
                try fields.field(1, given?.0), application: try fields.field(2, given?.1), user: try fields.optional(3, given?.2))
        case .places:
            return .places(try fields.field(1, value.flatMap { if case .places(let count) = $0 { count } else { nil } }))
        case .connectionChanges:
            let given = value.flatMap { if case .connectionChanges(let changes) = $0 { changes } else { nil } }
            return .connectionChanges(try fields.list(1, given?.map { CountChange(change: $0) }).map(\.change))
        case .connections:
            return .connections(try fields.list(1, value.flatMap { if case .connections(let all) = $0 { all } else { nil } }))
        case .holdings:
            return .holdings(try fields.list(1, value.flatMap { if case .holdings(let all) = $0 { all } else { nil } }))
        case .users:
            return .users(try fields.list(1, value.flatMap { if case .users(let all) = $0 { all } else { nil } }))
        case .recovering:
            return .recovering(try fields.list(1, value.flatMap { if case .recovering(let all) = $0 { all } else { nil } }))
        case .partition:
            let given = value.flatMap { if case .partition(let request) = $0 { request } else { nil } }
            return .partition(try fields.field(1, given))
        case .join:
            let given = value.flatMap {
                if case .join(let id, let channel, let user, let place) = $0 { (id, channel, user, place) } else { nil }
            }
            return .join(
                try fields.field(1, given?.0), try fields.field(2, given?.1), member: try fields.field(3, given?.2),
                try fields.optional(4, given?.3))
        case .events:
            return .events(try fields.field(1, value.flatMap { if case .events(let events) = $0 { events } else { nil } }))
        }
    }
}

/// An application and a change of its number of connections, which may be negative.
private struct CountChange: CodedValue {
    var change: ApplicationCount

    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        let application = try fields.field(1, value?.change.application)
        let count = try fields.field(2, value.map { Int32(clamping: $0.change.count) })
        return Self(change: ApplicationCount(application: application, count: Int(count)))
    }
}

extension BatchedSubscription: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(number: try fields.field(1, value?.number), channel: try fields.field(2, value?.channel))
    }
}

extension EndedHolding: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(channel: try fields.field(1, value?.channel), user: try fields.optional(2, value?.user))
    }
}

extension PusherClientEvent: CodedValue {
    package static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            name: try fields.field(1, value?.name), channel: try fields.field(2, value?.channel),
            data: try fields.field(3, value?.data), userID: try fields.optional(4, value?.userID))
    }
}

extension ForwardedPublication: CodedValue {
    static func code(_ value: Self?, _ fields: inout FieldCoder) throws(ClusterCodingError) -> Self {
        Self(
            channel: try fields.field(1, value?.channel), frame: try fields.field(2, value?.frame),
            excluding: try fields.optional(3, value?.excluding), event: try fields.optional(4, value?.event),
            data: try fields.optional(5, value?.data), lifetime: try fields.optional(6, value?.lifetime),
            isBridged: try fields.field(7, value?.isBridged))
    }
}
